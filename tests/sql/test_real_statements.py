"""Published predictions and golds on real databases: what a plan may change is flagged, probes are right."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glue.sql.analysis import sql_analysis

DATABASES = ("superhero", "student_club", "toxicology", "thrombosis_prediction")
LIMIT_SECONDS = 2.0
"""Statements that take longer on either copy are left out: there is nothing to compare."""

Rows = list[tuple[Any, ...]]


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    return connection


def _run(connection: sqlite3.Connection, sql: str) -> Rows | None:
    """The rows, or None where there are none: an error, or too slow."""
    end = time.monotonic() + LIMIT_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, 20_000)
    try:
        return connection.execute(sql).fetchall()
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return None


def _indexed_copy(source: Path, target: Path, catalog: dict[str, Any]) -> Path:
    """A copy with indexes on primary and foreign keys, analysed."""
    shutil.copy(source, target)
    columns, tables = catalog["column_names_original"], catalog["table_names_original"]
    wanted: set[tuple[int, tuple[str, ...]]] = set()
    for key in catalog["primary_keys"]:
        places = key if isinstance(key, list) else [key]
        wanted.add((columns[places[0]][0], tuple(columns[place][1] for place in places)))
    for pair in catalog["foreign_keys"]:
        wanted |= {(columns[place][0], (columns[place][1],)) for place in pair}
    connection = sqlite3.connect(target)
    for number, (table, names) in enumerate(sorted(wanted)):
        quoted = ", ".join(f'"{name}"' for name in names)
        connection.execute(f'CREATE INDEX "index {number}" ON "{tables[table]}" ({quoted})')
    connection.execute("ANALYZE")
    connection.commit()
    connection.close()
    return target


def _integer_columns(connection: sqlite3.Connection) -> dict[tuple[str, str], bool]:
    """For every column, by lower-cased table and column: does it hold integers and NULLs alone."""
    found = {}
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for column in connection.execute(f'PRAGMA table_info("{table}")').fetchall():
            kinds = {
                kind
                for (kind,) in connection.execute(f'SELECT DISTINCT typeof("{column[1]}") FROM "{table}"')
            }
            found[table.lower(), column[1].lower()] = kinds <= {"integer", "null"}
    return found


def _reasons(analysis: dict[str, Any], integers: dict[tuple[str, str], bool]) -> set[str]:
    """The plan sensitivity, once the catalog has said which columns hold integers."""
    reasons = set(analysis["plan_sensitivity"])
    wanted = [name.split(".", 1) for name in analysis["whole_if_integer"]]
    held = [
        [whole for key, whole in integers.items() if key[1] == column and table in ("?", key[0])]
        for table, column in wanted
    ]
    if held and all(flags and all(flags) for flags in held):
        reasons.discard("float_aggregate")
    return reasons


def _cells(rows: Rows) -> Rows:
    """Rows whose 1 and 1.0 are equal, and whose '1' is not."""
    return [
        tuple(
            cell if cell is None or isinstance(cell, (int, float)) else (type(cell).__name__, cell)
            for cell in row
        )
        for row in rows
    ]


def _predictions(folder: Path) -> dict[tuple[str, str], None]:
    found: dict[tuple[str, str], None] = {}
    for path in sorted((folder / "predictions" / "sqlexam_dev").glob("*.json")):
        for row in json.loads(path.read_text()):
            if row["db_id"] in DATABASES and isinstance(row["predicted_sql"], str):
                found[row["db_id"], row["predicted_sql"]] = None
    return found


@pytest.mark.slow
def test_predictions_that_answer_otherwise_on_an_indexed_copy_are_flagged(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "bird"
    catalogs = {one["db_id"]: one for one in json.loads((folder / "meta" / "dev_tables.json").read_text())}
    pairs = {}
    for name in DATABASES:
        path = folder / "databases" / name / f"{name}.sqlite"
        copy = _indexed_copy(path, tmp_path / path.name, catalogs[name])
        untouched = _open(path)
        pairs[name] = untouched, _open(copy), _integer_columns(untouched)
    counts: Counter[str] = Counter()
    for name, sql in _predictions(folder):
        untouched, prepared, integers = pairs[name]
        analysis = sql_analysis(sql, "sqlite")
        reasons = _reasons(analysis, integers)
        counts["statements"] += 1
        counts["flagged"] += bool(reasons)
        counts["flagged beyond order"] += bool(reasons - {"order_ties"})
        answer = _run(prepared, sql)
        other = _run(untouched, sql) if answer is not None else None
        if answer is None or other is None:
            continue
        counts["compared"] += 1
        ours, theirs = _cells(answer), _cells(other)
        if Counter(ours) != Counter(theirs):
            counts["rows differ"] += 1
            assert reasons - {"order_ties"}, sql
        elif analysis["is_ordered"] and ours != theirs:
            counts["order differs"] += 1
            assert reasons, sql
    with capsys.disabled():
        print(f"\n{dict(counts)}")
    assert counts["compared"] > 4_000
    assert counts["rows differ"] > 20
    assert counts["flagged"] < 0.3 * counts["statements"]


def _golds(data: Path) -> Iterator[tuple[Path, str]]:
    for row in json.loads((data / "bird" / "meta" / "dev.json").read_text()):
        if row["db_id"] in DATABASES:
            yield data / "bird" / "databases" / row["db_id"] / f"{row['db_id']}.sqlite", row["SQL"]
    for line in (data / "spider" / "meta" / "dev_gold.sql").read_text().splitlines():
        if line.strip():
            sql, name = line.rsplit("\t", 1)
            yield data / "spider" / "databases_rebuilt" / name / f"{name}.sqlite", sql


def _stand_where_the_probe_says(gold: Rows, probe: Rows, n_skipped: int) -> bool:
    """A whole tie group of the probe is the gold's rows in those places; one that LIMIT cuts holds them."""
    width = len(gold[0]) if gold else 0
    groups: dict[int, list[tuple[Any, ...]]] = {}
    for row in probe:
        groups.setdefault(row[-1], []).append(row[:width])
    placed: dict[int, list[tuple[Any, ...]]] = {}
    for place, row in enumerate(gold, start=n_skipped + 1):
        ranks = [rank for rank in groups if rank <= place]
        if not ranks:
            return False
        placed.setdefault(max(ranks), []).append(row)
    for rank, rows in placed.items():
        is_whole = len(rows) == len(groups[rank])
        if Counter(rows) - Counter(groups[rank]) or (is_whole and Counter(rows) != Counter(groups[rank])):
            return False
    return [row[-1] for row in probe] == sorted(row[-1] for row in probe)


@pytest.mark.slow
def test_order_probes_of_golds_agree_with_their_golds(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: Counter[str] = Counter()
    connections: dict[Path, sqlite3.Connection] = {}
    for path, sql in _golds(shared_data):
        analysis = sql_analysis(sql, "sqlite")
        assert analysis["parse_outcome"] == "parsed", sql
        if not (analysis["is_ordered"] or analysis["has_limit"]):
            continue
        counts["ordered or limited"] += 1
        if analysis["order_probe_sql"] is None:
            counts[f"no probe: {analysis['order_probe_problem']}"] += 1
            continue
        connection = connections.setdefault(path, _open(path))
        gold = connection.execute(sql).fetchall()
        probe = connection.execute(analysis["order_probe_sql"]).fetchall()
        if analysis["limit_rows"] is None:
            assert len(probe) == len(gold), sql
        assert _stand_where_the_probe_says(gold, probe, analysis["offset_rows"] or 0), sql
        counts["agree"] += 1
        counts["with ties"] += len({row[-1] for row in probe}) < len(probe)
        counts["cut through a tie"] += analysis["limit_rows"] is not None and len(probe) > len(gold)
    with capsys.disabled():
        print(f"\n{dict(counts)}")
    assert counts["ordered or limited"] == 299
    assert counts["agree"] >= 294
    assert counts["no probe: distinct"] <= 5


def test_reading_a_statement_takes_a_millisecond(shared_data: Path) -> None:
    """13,000 statements must take some twenty seconds at most."""
    statements = [sql for _, sql in _predictions(shared_data / "bird")][::10]
    sql_analysis("SELECT 1", "sqlite")
    began = time.process_time()
    for sql in statements:
        sql_analysis(sql, "sqlite")
    assert (time.process_time() - began) / len(statements) < 0.0015
