"""How well `sd_auto` tells right from right by luck, on what is known, and what it costs.

    python -m benchmarks.divergence                    the enterprise bank, on SQLite
    python -m benchmarks.divergence --engine duckdb    the same on DuckDB
    python -m benchmarks.divergence --bird FOLDER      published predictions too: meta/dev.json,
                                                       databases/<db>/<db>.sqlite, predictions/**/*.json

On the bank the checker sees gold, the other statement, and the base data; never D′ or the distractor's role.

* recall over silent distractors: equal to gold on D, different on the authored D′;
* recall over gold's own mutations (glue/sql/mutations.py) that equal gold on D and differ on D′;
* false alarms over second golds, each with its witness.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glue import bank
from glue.cells import cells_of_rows
from glue.divergence.check import Checker, watched
from glue.divergence.outcome import Check, Pair
from glue.engines import engine_named
from glue.engines.base import Limits, Session
from glue.sql.analysis import sql_analysis
from glue.sql.mutations import mutations
from glue.worker_limits import Watch
from tests.bank.checks import (
    BASE,
    SUPPLEMENTARY,
    Bench,
    Failed,
    is_equal,
    schema_of,
    separated_by,
)

MAX_RESULT_ROWS = 20_000
STATEMENT_S = 2.0


@dataclass
class Tally:
    """Checks of one kind of pair."""

    name: str
    checks: list[tuple[str, Check]] = field(default_factory=list)

    def told(self) -> str:
        """Counts by outcome, and the time of a check: median and 95th percentile."""
        n = len(self.checks)
        outcomes = Counter(check.outcome for _, check in self.checks)
        times = sorted(check.elapsed_ms for _, check in self.checks)
        alarms = outcomes["diverges"]
        share = f"{alarms} of {n} diverge ({alarms / n:.1%})" if n else "none"
        cost = f"; {times[n // 2]:.0f} ms, p95 {times[int(n * 0.95)]:.0f} ms" if n else ""
        others = ", ".join(f"{count} {name}" for name, count in outcomes.items() if name != "diverges")
        return f"{self.name}: {share}{cost}; {others}"


def bank_pairs(bench: Bench, engine: str) -> Iterator[tuple[str, str, str, Pair]]:
    """Group, name, database and pair, for all questions of the bank."""
    for question in bench.manifest.questions:
        gold = question.sql("gold", engine)
        if gold is None:
            continue
        rest = (question.is_ordered, engine)
        second, distractor = question.sql("second_gold", engine), question.sql("distractor", engine)
        if second is not None:
            yield "second golds", question.question_id, question.db_id, Pair(gold, second, *rest)
        if not bench.has_instance(question):
            continue
        if distractor is not None and separated_by(bench, question, engine) == [SUPPLEMENTARY]:
            yield "silent distractors", question.question_id, question.db_id, Pair(gold, distractor, *rest)
        for mutation in mutations(gold, engine, schema_of(bench.manifest, question.db_id)):
            try:
                results = {
                    place: [bench.rows(question, engine, place, sql) for sql in (gold, mutation.sql)]
                    for place in (BASE, SUPPLEMENTARY)
                }
            except Failed:
                continue
            is_silent = is_equal(*results[BASE], question.is_ordered)
            if is_silent and not is_equal(*results[SUPPLEMENTARY], question.is_ordered):
                name = f"{question.question_id} {mutation.name}: {mutation.what}"
                yield "mutated golds", name, question.db_id, Pair(gold, mutation.sql, *rest)


def measure_bank(engine: str, folder: Path) -> None:
    """Print recall and false alarms on the bank."""
    bench = Bench(bank.read_manifest(), folder)
    tallies = {name: Tally(name) for name in ("silent distractors", "mutated golds", "second golds")}
    with ExitStack() as stack:
        watch = stack.enter_context(watched())
        stack.callback(bench.close)
        pairs = list(bank_pairs(bench, engine))
        checkers: dict[str, Checker] = {}
        for group, name, db_id, pair in pairs:
            if db_id not in checkers:
                path = folder / "checked" / f"{db_id}.{engine}"
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(bench.base_file(db_id, engine).read_bytes())
                checkers[db_id] = Checker(path, engine, watch)
                stack.callback(checkers[db_id].close)
            check = checkers[db_id].check(pair)
            tallies[group].checks.append((name, check))
            if group == "second golds" and check.outcome.startswith("diverges"):
                print_witness(name, pair, check)
    for tally in tallies.values():
        print(tally.told())
        if tally.name != "second golds":
            for name, check in tally.checks:
                if check.outcome != "diverges":
                    print(f"  missed: {name} ({check.outcome} {check.assumptions or ''})")


def print_witness(name: str, pair: Pair, check: Check) -> None:
    """An alarm for a person to read."""
    print(f"{name}: {check.outcome} by {check.kind} {[text for _, text in check.assumptions]}")
    print(f"  gold   {pair.gold_sql}\n  other  {pair.predicted_sql}")
    for table, found in (check.witness or {}).items():
        print(f"    {table} {found['columns']} {found['rows']}")
    print(
        f"  gold gives {check.gold_rows}\n  other gives {check.predicted_rows} {check.predicted_error or ''}"
    )


# --------------------------------------------------------------------------- published predictions


def published_pairs(folder: Path, watch: Watch, n: int) -> list[tuple[str, str, Pair]]:
    """(set, database, pair) of a sample of distinct predictions that pass on their database."""
    questions = {each["question_id"]: each for each in json.loads((folder / "meta/dev.json").read_text())}
    files = {path.stem: path for path in (folder / "databases").glob("*/*.sqlite")}
    sessions = {name: engine_named("sqlite").open(path, Limits(1 << 30)) for name, path in files.items()}
    results: dict[tuple[str, str], Counter[Any] | None] = {}

    def result(db_id: str, sql: str) -> Counter[Any] | None:
        if (db_id, sql) not in results:
            results[db_id, sql] = _result(sessions[db_id], sql, watch)
        return results[db_id, sql]

    wanted: dict[tuple[int, str], str] = {}
    for path in sorted((folder / "predictions").glob("sqlexam_dev/*.json")):
        for entry in json.loads(path.read_text()):
            if isinstance(entry.get("predicted_sql"), str) and entry.get("question_id") in questions:
                wanted.setdefault((entry["question_id"], entry["predicted_sql"]), path.stem)
    chosen = sorted(key for key in wanted if questions[key[0]]["db_id"] in files)
    random.Random(5).shuffle(chosen)
    found = []
    for number, sql in chosen:
        question = questions[number]
        gold = result(question["db_id"], question["SQL"])
        if len(found) < n and gold is not None and gold == result(question["db_id"], sql):
            is_ordered = bool(sql_analysis(question["SQL"], "sqlite")["is_ordered"])
            pair = Pair(question["SQL"], sql, is_ordered, "sqlite")
            found.append((wanted[number, sql], str(files[question["db_id"]]), pair))
    return found


def _result(session: Session, sql: str, watch: Watch) -> Counter[Any] | None:
    watch.arm(session, time.monotonic() + STATEMENT_S)
    try:
        session.execute(sql)
        rows: Counter[Any] = Counter()
        while part := session.fetch(2_000):
            rows.update(cells_of_rows(part))
            if rows.total() > MAX_RESULT_ROWS:
                return None
        return rows
    except Exception:
        return None
    finally:
        watch.disarm()
        session.finish()


def measure_published(folder: Path, n: int) -> None:
    """Print how many of `n` right answers of published sets are right by luck, by kind of change."""
    with watched() as watch:
        pairs = published_pairs(folder, watch, n)
        checkers = {path: Checker(Path(path), "sqlite", watch) for path in {path for _, path, _ in pairs}}
        tally = Tally("published predictions")
        for name, path, pair in pairs:
            tally.checks.append((name, checkers[path].check(pair)))
        print(tally.told())
        kinds = Counter(check.kind for _, check in tally.checks if check.outcome == "diverges")
        for kind, count in kinds.most_common():
            print(f"  {kind}: {count} ({count / len(tally.checks):.1%})")


def main(arguments: Sequence[str] | None = None) -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--engine", choices=["sqlite", "duckdb"], default="sqlite")
    parser.add_argument("--bird", type=Path, help="folder of published predictions and their databases")
    parser.add_argument("--sample", type=int, default=500, help="published predictions (default: 500)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        measure_bank(given.engine, Path(folder))
    if given.bird:
        measure_published(given.bird, given.sample)


if __name__ == "__main__":
    main()
