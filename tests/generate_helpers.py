"""A small benchmark whose requests are literal rows, in place of dbt's export; and a process that asks.

python -m tests.generate_helpers HOME URL N [OPTION=VALUE …]    N questions, model openai/test
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from glue import generate as module
from glue.extraction import extract_sql
from glue.generate import GenerateReport, ModelOptions, generate
from glue.home import Home
from glue.landing import Writer, landed_keys
from glue.progress import Lines, Progress

BENCHMARK = "shop"
MODEL = "openai/test"
RUN = ["run_id", "prediction_set", "benchmark", "model", "settings", "n_samples"]


def land_benchmark(home: Home, n_questions: int) -> None:
    """Questions 'q1', 'q2', …, each with a gold, as an import would land them."""
    names = [f"q{number}" for number in range(1, n_questions + 1)]
    shared = {"import_id": "i", "benchmark": BENCHMARK}
    questions = [
        {**shared, "question_id": name, "question_position": position, "db_id": "d", "question": name}
        for position, name in enumerate(names)
    ]
    with Writer(home, loop="import") as writer:
        writer.append("questions", [{**row, "dialect": "sqlite"} for row in questions])
        golds = [
            {**shared, "question_id": name, "gold_edition": "benchmark", "gold_number": 1} for name in names
        ]
        writer.append("golds", golds)
        scope = {"scope": f"benchmark:{BENCHMARK}", "kind": "bird"}
        writer.append("imports", [{**shared, **scope, "imported_at": datetime.now(UTC)}])


def pending(home: Home) -> pa.Table:
    """What dbt would export: the requests of every landed run without a final answer."""
    runs = {row["run_id"]: row for row in landed(home, "runs", [*RUN, "question_ids"])}
    names = [row["question_id"] for row in landed(home, "questions", ["question_id"])]
    responses = landed(home, "responses", ["request_id", "attempt_id", "outcome", "response_text"])
    done = {row["request_id"] for row in responses if _is_final(row)}
    n_answers = Counter(row["request_id"] for row in responses if row["outcome"] != "failed")
    rows = []
    for run in runs.values():
        asked = run["question_ids"] or sorted(names, key=lambda name: int(name[1:]))
        for name, sample in itertools.product(asked, range(1, run["n_samples"] + 1)):
            row = request_of(run, name, sample)
            n = n_answers[row["request_id"]]
            rows.append({**row, "n_answers": n, "has_answer_without_sql": n > 0})
    rows = [row for row in rows if row["request_id"] not in done]
    return pa.Table.from_pylist(rows) if rows else pa.table({"request_id": pa.array([], pa.string())})


def counts(home: Home) -> pa.Table:
    """What dbt would export of how much each set asks: that it says nothing is allowed."""
    return pa.table({"prediction_set": pa.array([], pa.string())})


def request_of(run: dict[str, Any], name: str, sample: int) -> dict[str, Any]:
    messages = json.dumps(
        [{"role": "system", "content": "Answer in SQL."}, {"role": "user", "content": name}]
    )
    key = "|".join([run["model"], run["settings"], messages, str(sample)])
    return {
        "request_id": hashlib.md5(key.encode()).hexdigest(),
        "prediction_set": run["prediction_set"],
        "benchmark": run["benchmark"],
        "model": run["model"],
        "question_id": name,
        "sample": sample,
        "purpose": "answer",
        "messages": messages,
        "gold_sql": "SELECT 1",
        "dialect": "sqlite",
    }


def _is_final(row: dict[str, Any]) -> bool:
    if row["outcome"] == "truncated":
        return True
    return row["outcome"] == "answered" and extract_sql(row["response_text"] or "").sql is not None


def landed(home: Home, table: str, columns: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = landed_keys(home, table, columns=columns).to_pylist()
    return rows


def stand_in_for_dbt(replace: Callable[[Any, str, Any], None] = setattr) -> None:
    """Let `glue.generate` read these requests; `replace` is monkeypatch.setattr in tests."""
    replace(module, "refresh", lambda home, target, **_: None)
    replace(module, "pending_requests", pending)
    replace(module, "request_counts", counts)


def responses(home: Home, *columns: str) -> list[dict[str, Any]]:
    """Landed attempts in the order of landing, with request, number, outcome and some columns."""
    names = ["landed_at", "request_id", "attempt_number", "outcome", *columns]
    return sorted(landed(home, "responses", names), key=lambda row: row["landed_at"])


def ask(
    home: Home,
    url: str,
    *,
    limit: int | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> GenerateReport:
    """One run of `generate` on one set of model openai/test; back-off is short."""
    given = ModelOptions(**{"api_base": url, "backoff_s": 0.01, "request_timeout_s": 5.0, **options})
    (report,) = generate(home, [MODEL], BENCHMARK, limit=limit, name=name, options=given, progress=progress)
    return report


def main(arguments: Iterable[str]) -> None:
    root, url, n_questions, *options = arguments
    home = Home(Path(root))
    stand_in_for_dbt()
    if not landed_keys(home, "questions").num_rows:
        land_benchmark(home, int(n_questions))
    given = {name: json.loads(value) for name, value in (option.split("=", 1) for option in options)}
    print(ask(home, url, progress=Lines(sys.stderr), **given))


if __name__ == "__main__":
    main(sys.argv[1:])
