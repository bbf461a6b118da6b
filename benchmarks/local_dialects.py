"""What does another engine's dialect cost on DuckDB: translating a statement, and running what comes of it?

    python -m benchmarks.local_dialects
    python -m benchmarks.local_dialects --dialect oracle --rows 20000 --runs 5

Translating: every statement of the conformance cases that the dialect takes, over the tables of its case; the
time of each is the least of several, and its words are counted. Beside it stands the time that sqlglot takes
to turn the same statement into DuckDB's SQL, whatever it makes of it.

Running: questions over a made-up table of sales and one of people with their superiors, each written in the
dialect and by hand for DuckDB. Both are run in turn on one connection, another one first each time, all rows
fetched; the time of translating is part of the dialect's. Both must give the same rows. Ratios are medians of
those within a run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import duckdb

from benchmarks.local_questions import QUESTIONS, Question, tables_of
from glue.dialects.conformance import Case, cell_text, read_cases
from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.loading import load_statements
from glue.dialects.local import DIALECTS, LocalSession

CASES = Path(__file__).parents[1] / "tests" / "fixtures" / "dialects"
NOW = datetime(2025, 1, 15, 10, 30)


@dataclass(frozen=True)
class Translated:
    """A statement that was translated: its length in words, and the milliseconds of both ways."""

    n_words: int
    ours: float
    sqlglot: float | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both parts; 1 where the same question has different rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dialect", choices=DIALECTS, action="append", help="(default both)")
    parser.add_argument("--rows", type=int, default=500_000, help="of sales (default 500,000)")
    parser.add_argument("--runs", type=int, default=5, help="(default 5)")
    options = parser.parse_args(arguments)
    is_same = True
    for dialect in options.dialect or DIALECTS:
        print_translations(dialect)
        is_same &= compare_questions(dialect, options.rows, options.runs)
    return 0 if is_same else 1


def print_translations(dialect: str) -> None:
    """Median, 95th percentile and greatest of the times, for statements of few and of many words."""
    timed = [one for case in read_cases(CASES / f"{dialect}.jsonl") if (one := translate(case, dialect))]
    print(f"{dialect}: translating {len(timed)} statements, in milliseconds")
    print(
        f"{'words':>12} {'statements':>10} {'median':>8} {'95%':>8} {'most':>8} {'sqlglot':>8} {'ratio':>6}"
    )
    for least, most in ((1, 20), (20, 50), (50, 10_000)):
        some = [one for one in timed if least <= one.n_words < most]
        ours = sorted(one.ours for one in some)
        both = [(one.ours, one.sqlglot) for one in some if one.sqlglot is not None]
        if not some or not both:
            continue
        theirs, ratio = median(other for _, other in both), median(one / other for one, other in both)
        words = f"{least}-{most - 1}" if most < 10_000 else f"{least} and more"
        print(
            f"{words:>12} {len(some):>10} {median(ours):>8.2f} {ours[len(ours) * 95 // 100]:>8.2f}"
            f" {ours[-1]:>8.2f} {theirs:>8.2f} {ratio:>6.2f}"
        )


def translate(case: Case, dialect: str, n_times: int = 3) -> Translated | None:
    """The least time of a statement each way; None where the dialect refuses it, or it is unsupported."""
    import sqlglot
    from sqlglot.errors import ErrorLevel, SqlglotError

    with duckdb.connect() as connection:
        session = LocalSession(connection, dialect, case.version, case.now or NOW)
        load_statements(session, case.setup)
        session.read_tables()
        try:
            ours = least_time(lambda: session.translate(case.sql), n_times)
        except (DialectError, UnsupportedError):
            return None
    try:
        theirs = least_time(
            lambda: sqlglot.transpile(
                case.sql, read=dialect, write="duckdb", unsupported_level=ErrorLevel.IGNORE
            ),
            n_times,
        )
    except SqlglotError:
        return Translated(len(case.sql.split()), ours, None)
    return Translated(len(case.sql.split()), ours, theirs)


def least_time(run: Any, n_times: int) -> float:
    """Milliseconds of the quickest of several runs."""
    times = []
    for _ in range(n_times):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1_000)
    return min(times)


def compare_questions(dialect: str, n_rows: int, n_runs: int) -> bool:
    """Print each question's times and their ratio; False where rows differ."""
    print(f"{dialect}: {n_rows:,} sales, in milliseconds")
    print(f"{'question':>34} {'dialect':>9} {'DuckDB':>9} {'ratio':>6}")
    ratios, is_same = [], True
    with duckdb.connect() as connection:
        session = LocalSession(connection, dialect, now=NOW)
        load_statements(session, tables_of(dialect))
        connection.execute(FILL_PEOPLE)
        connection.execute(FILL_SALES, {"n": n_rows})
        session.read_tables()
        for question in QUESTIONS:
            times = [_run_once(session, question, dialect, is_first=bool(at % 2)) for at in range(n_runs)]
            is_same &= all(same for _, _, same in times)
            ratio = median(one / other for one, other, _ in times)
            ratios.append(ratio)
            ours, theirs = median(one for one, _, _ in times), median(other for _, other, _ in times)
            print(f"{question.name:>34} {ours:>9.1f} {theirs:>9.1f} {ratio:>6.2f}")
    print(f"{'median of the ratios':>34} {'':>19} {median(ratios):>6.2f}")
    return is_same


def _run_once(
    session: LocalSession, question: Question, dialect: str, is_first: bool
) -> tuple[float, float, bool]:
    rows: dict[str, list[tuple[Any, ...]]] = {}
    times: dict[str, float] = {}
    for way in ("dialect", "duckdb") if is_first else ("duckdb", "dialect"):
        start = time.perf_counter()
        if way == "dialect":
            _, rows[way] = session.query(question.texts[dialect])
        else:
            rows[way] = session.connection.execute(question.duckdb).fetchall()
        times[way] = (time.perf_counter() - start) * 1_000
    same = _texts(rows["dialect"]) == _texts(rows["duckdb"])
    if not same:
        print(f"{question.name}: other rows", file=sys.stderr)
    return times["dialect"], times["duckdb"], same


def _texts(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(repr([_rounded(cell_text(cell)) for cell in row]) for row in rows)


def _rounded(cell: Any) -> Any:
    return float(f"{float(cell):.10g}") if isinstance(cell, (int, float)) else cell


FILL_PEOPLE = """
    insert into people
    select i, 'P' || i, case when i > 0 then i // 7 end, 1000 + (i * 37) % 9000,
    from range(5000) as numbers(i)
"""
FILL_SALES = """
    insert into sales
    select
        i, i * 7919 % 5000, chr((65 + i % 6)::integer), (i * 31 % 100000) / 100,
        timestamp '2022-01-01' + to_days((i * 13 % 1000)::integer),
        case when i % 5 > 0 then 'note ' || i % 97 end,
    from range($n) as numbers(i)
"""

if __name__ == "__main__":
    sys.exit(main())
