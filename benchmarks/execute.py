"""How much faster than a plain loop is `glue execute`, and how much slower than nothing but the statements?

    python -m benchmarks.execute ../shared/data/bird --limit 5
    python -m benchmarks.execute ../shared/data/bird --limit 30 --sets sqlexam

Imports the published prediction sets, executes them, builds the verdicts, and runs the same pairs through a
plain loop that opens, runs and compares each pair in turn, with the same limit and number of processes.
Prints both times, their ratio, and that every pair which timed out on neither side has the same `ex_set`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import duckdb

from benchmarks.bare_loop import bare_loop
from benchmarks.plain_loop import Pair, compare_all
from benchmarks.published_sets import import_benchmarks, import_sets, published_sets
from glue.home import Home
from glue.progress import Silent
from glue.run import ExecuteOptions, build_all, execute_pending

PAIRS = """
    select
        predictions.prediction_id,
        questions.database_path,
        predictions.predicted_sql,
        golds.gold_sql
    from predictions
    inner join questions
        on predictions.benchmark = questions.benchmark and predictions.question_id = questions.question_id
    inner join golds
        on predictions.benchmark = golds.benchmark
        and predictions.question_id = golds.question_id
        and predictions.gold_edition = golds.gold_edition
    where questions.has_database and predictions.predicted_sql is not null
    order by predictions.prediction_set, questions.question_position
"""

EXECUTED = """
    select statements.snapshot_id, statements.database_path, executions.variant, statements.sql
    from executions
    inner join (
        select statement_id, snapshot_id, database_path, sql from statements
        union
        select statement_id, snapshot_id, database_path, sql from order_luck_probes
    ) as statements using (statement_id)
    order by database_path, variant, statement_id
"""


def main() -> int:
    """Run the comparison that the arguments ask for; 1 when a verdict differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bird", type=Path, help="folder with BIRD's files and predictions")
    parser.add_argument("--limit", type=float, default=5, help="seconds a statement may take (default 5)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sets", default="", help="only the sets whose name starts so")
    parser.add_argument("--at-most", type=int, default=None, help="only so many sets")
    parser.add_argument("--skip-loop", action="store_true", help="leave the plain loop out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evalhouse-") as folder:
        return compare(Home(Path(folder)), arguments)


def compare(home: Home, arguments: argparse.Namespace) -> int:
    """Both ways, and what they say."""
    import_benchmarks(home, arguments.bird)
    chosen = (each for each in published_sets(arguments.bird) if each.name.startswith(arguments.sets))
    n_sets = import_sets(home, islice(chosen, arguments.at_most))
    options = ExecuteOptions(workers=arguments.processes, timeout_s=arguments.limit)
    started_s = time.perf_counter()
    report = execute_pending(home, options, Silent())
    # All of it but dbt: preparing copies, running, landing and folding what came.
    execute_s = time.perf_counter() - started_s - report.refresh_s
    started_s = time.perf_counter()
    build_all(home)
    build_s = time.perf_counter() - started_s

    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        pairs = [Pair(*row) for row in warehouse.execute(PAIRS).fetchall()]
        verdicts = dict(warehouse.execute("select prediction_id, ex_set from execution_match").fetchall())
        has_timed_out = {
            row[0]
            for row in warehouse.execute(
                "select prediction_id from execution_match"
                " where outcome = 'timed_out' or reason = 'gold_timed_out' or answered_prepared_only"
            ).fetchall()
        }
        executed = warehouse.execute(EXECUTED).fetchall()
    copies = {path.name.split("-")[0]: path for path in (home.cache / "prepared").glob("*.sqlite")}
    items = [
        (copies[snapshot] if variant == "prepared" else Path(path), sql)
        for snapshot, path, variant, sql in executed
    ]
    bare_s, _ = bare_loop(items, processes=arguments.processes, timeout_s=arguments.limit)

    print(
        f"{n_sets} prediction sets, {len(pairs):,} pairs, {len(items):,} statements run,"
        f" limit {arguments.limit:g} s"
    )
    waves = " and ".join(f"{wave.elapsed_s:.1f}" for wave in report.waves)
    print(f"glue execute                          {execute_s:8.1f} s in waves of {waves} s")
    print(f"  refreshing its pending table, apart {report.refresh_s:8.1f} s")
    print(f"glue build (verdicts), apart          {build_s:8.1f} s")
    print(f"the same statements, nothing else     {bare_s:8.1f} s: {execute_s / bare_s:.2f} times")
    if arguments.skip_loop:
        return 0

    started_s = time.perf_counter()
    plain = compare_all(pairs, arguments.limit, arguments.processes)
    loop_s = time.perf_counter() - started_s
    print(f"plain loop over the pairs             {loop_s:8.1f} s: {loop_s / execute_s:.2f} times")
    whole_s = execute_s + report.refresh_s + build_s
    print(f"  against everything, builds included {whole_s:8.1f} s: {loop_s / whole_s:.2f} times")
    n_timed_out, differing = 0, []
    for verdict in plain:
        if verdict.is_equal is None or verdict.key in has_timed_out:
            n_timed_out += 1
        elif verdicts[verdict.key] != verdict.is_equal:
            differing.append(verdict.key)
    n_compared = len(plain) - n_timed_out
    print(
        f"ex_set equal on {n_compared - len(differing):,} of {n_compared:,} pairs;"
        f" {n_timed_out} timed out on a side"
    )
    for key in differing[:10]:
        print(f"  differs: prediction {key}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
