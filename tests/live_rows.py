"""A benchmark on a live database as literal rows: what an import and each wave would land."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from glue.home import Home
from glue.landing import Writer
from glue.sql.analysis import sql_analysis

ENGINE, DIALECT = "postgresql", "postgres"
SNAPSHOT = "live:here/public@monday"
BENCHMARK = "shop"
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)

Rows = Sequence[Sequence[str | None]]
"""Rows of canonical cells."""


def statement_id(sql: str) -> str:
    """The key of a statement on the live database."""
    return hashlib.md5("\x1f".join((ENGINE, SNAPSHOT, sql)).encode()).hexdigest()


def probe_of(sql: str) -> str:
    """The statement that tells where the ties of another one stand."""
    return str(sql_analysis(sql, DIALECT)["order_probe_sql"])


def result_of(rows: Rows, is_kept: bool = True) -> dict[str, Any]:
    """A row of `results`; without its rows it has the signatures that the warehouse would give them."""
    row: dict[str, Any] = {
        "result_id": hashlib.md5(json.dumps(rows).encode()).hexdigest(),
        "n_rows": len(rows),
        "n_columns": len(rows[0]) if rows else 1,
        "n_stored_rows": len(rows) if is_kept else 0,
        "is_cut": False,
        "is_kept": is_kept,
    }
    if not is_kept:
        texts = [json.dumps(list(cells), separators=(",", ":"), ensure_ascii=False) for cells in rows]
        keys = sorted(hashlib.md5(text.encode()).hexdigest() for text in texts)
        counts = {key: keys.count(key) for key in keys}
        row["cut_multiset_signature"] = _signature(counts)
        row["cut_set_signature"] = _signature(dict.fromkeys(counts, 1))
    return row


def _signature(counts: Mapping[str, int]) -> str:
    text = "".join(f"{key}:{count}," for key, count in sorted(counts.items()))
    return hashlib.md5(text.encode()).hexdigest()


def land_benchmark(home: Home, golds: Mapping[str, str], file: Mapping[str, Any] | None = None) -> None:
    """A benchmark of one live database, or of a file: a question by each name, with its gold."""
    shared = {"import_id": "benchmark", "benchmark": BENCHMARK, "db_id": "d"}
    with Writer(home, loop="import") as writer:
        live = {
            "engine": ENGINE,
            "snapshot_id": SNAPSHOT,
            "connection": "here",
            "search_path": ["public"],
        }
        writer.append("databases", [{**shared, "source": "introspection", **(file or live)}])
        asked = [
            {**shared, "question_id": name, "question_position": position, "question": f"{name}?"}
            for position, name in enumerate(golds)
        ]
        writer.append("questions", asked)
        accepted = [
            {
                "import_id": "benchmark",
                "benchmark": BENCHMARK,
                "question_id": name,
                "gold_edition": "benchmark",
                "gold_number": 1,
                "gold_sql": sql,
            }
            for name, sql in golds.items()
        ]
        writer.append("golds", accepted)
        _land_import(writer, "benchmark", kind="jsonl", scope=f"benchmark:{BENCHMARK}")


def land_predictions(home: Home, prediction_set: str, answers: Mapping[str, str]) -> None:
    """A prediction set that answers some of the questions."""
    with Writer(home, loop="import") as writer:
        rows = [
            {
                "import_id": prediction_set,
                "prediction_set": prediction_set,
                "benchmark": BENCHMARK,
                "question_id": name,
                "sample": 1,
                "predicted_sql": sql,
                "raw_text": sql,
            }
            for name, sql in answers.items()
        ]
        writer.append("predictions", rows)
        scope = f"predictions:{prediction_set}"
        _land_import(writer, prediction_set, kind="predictions", scope=scope, prediction_set=prediction_set)


def _land_import(writer: Writer, import_id: str, **more: Any) -> None:
    row = {"import_id": import_id, "benchmark": BENCHMARK, "is_partial": True, "imported_at": BEGAN, **more}
    writer.append("imports", [row])


def land_wave(
    home: Home,
    number: int,
    start: Mapping[str, Rows],
    between: Mapping[str, Rows] | None = None,
    end: Mapping[str, Rows] | None = None,
    unkept: Sequence[str] = (),
) -> None:
    """What one wave landed: rows by SQL at its start, in between and at its end; `unkept` have none."""
    executions: list[dict[str, Any]] = []
    results: dict[str, tuple[dict[str, Any], Rows]] = {}
    for place, (role, ran) in enumerate((("start", start), (None, between or {}), ("end", end or {}))):
        for sql, rows in ran.items():
            result = result_of(rows, is_kept=sql not in unkept)
            results[result["result_id"]] = (result, rows)
            executions.append(
                {
                    "execution_id": f"{number} {role} {sql}",
                    "statement_id": statement_id(sql),
                    "engine": ENGINE,
                    "snapshot_id": SNAPSHOT,
                    "variant": "untouched",
                    "wave_id": f"w{number}",
                    "wave_role": role,
                    "outcome": "answered",
                    "result_id": result["result_id"],
                    "n_rows": result["n_rows"],
                    "n_columns": result["n_columns"],
                    "column_names": ["c"] * result["n_columns"],
                    "is_cut": False,
                    "is_killed": False,
                    "elapsed_ms": 1.0,
                    "timeout_ms": 5_000.0,
                    "max_rows": 100_000,
                    "executed_at": BEGAN + timedelta(days=number, minutes=place),
                }
            )
    with Writer(home, loop="execute") as writer:
        cells = [
            {"result_id": key, "row_number": place, "cells": list(row)}
            for key, (result, rows) in results.items()
            if result["is_kept"]
            for place, row in enumerate(rows, start=1)
        ]
        writer.append("result_rows", cells)
        writer.append("results", [result for result, _ in results.values()])
        writer.append("executions", executions)
