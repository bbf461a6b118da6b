"""What does `glue execute` add to statements on a server, against the bare driver doing the same?

    python -m benchmarks.engines
    python -m benchmarks.engines --engine mariadb --small 500 --large 10 --runs 3

Makes a database of its own on PostgreSQL and MariaDB on loopback (as their masters postgres and root, without
a password), with a user who may only read, and drops both after. Then runs three sets of distinct statements:
questions about all rows of a table, as they are asked of a warehouse; thousands of small reads, of which the
server has hardly any work; and some results of 10,000 rows. Each in three ways, with as many processes and
one connection in each:

* `glue execute`: its waves, workers and landing, in a throw-away home;
* safe: the bare driver sends the same sequence (a read-only transaction, a limit, a cursor on the server,
  fetches of the same sizes, all undone after), called as directly as it can be, and drops the rows, which it
  fetches as tuples;
* bare: the driver's execute and fetchall in autocommit.

Time is from the first statement until everything is in the landing zone's Parquet, or until the last row has
been fetched. Starting (processes, imports, connecting) is shown apart on all sides: it does not grow with the
number of statements. Every run goes through the three ways in turn, another one first each time; ratios are
those within a run. All ways must see equally many rows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Literal

from benchmarks.bare_servers import Timed, Way, run_bare
from benchmarks.engines_data import (
    ENGINES,
    large_statements,
    own_database,
    question_statements,
    small_statements,
)
from glue.engines.server import Address
from glue.execute import Statement, execute
from glue.home import Home
from glue.landing import Writer, landed_keys

CONNECTION = "bench"
AnyWay = Literal["glue"] | Way
WAYS: tuple[AnyWay, ...] = ("glue", "safe", "bare")
OTHERS: tuple[tuple[Way, str], ...] = (("safe", "safe, bare driver"), ("bare", "bare statement"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; 1 where numbers of rows differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES, action="append", help="(default both)")
    parser.add_argument("--questions", type=int, default=1_000, help="about all rows (default 1,000)")
    parser.add_argument("--small", type=int, default=4_000, help="small reads (default 4,000)")
    parser.add_argument("--large", type=int, default=60, help="reads of 10,000 rows (default 60)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5, help="of each way; medians count (default 5)")
    given = parser.parse_args(arguments)
    is_equal = True
    for engine in given.engine or ENGINES:
        with own_database(engine) as address:
            sets = {
                "questions about all rows": question_statements(given.questions),
                "1 to 100 rows": small_statements(given.small),
                "10,000 rows": large_statements(given.large),
            }
            for title, sqls in sets.items():
                if sqls:
                    is_equal &= compare(address, title, sqls, given.processes, given.runs)
    return 0 if is_equal else 1


def compare(address: Address, title: str, sqls: list[str], n_processes: int, n_runs: int) -> bool:
    """All ways through the same statements, `n_runs` times. Are the numbers of rows the same?"""
    times: dict[AnyWay, list[Timed]] = {way: [] for way in WAYS}
    for number in range(n_runs):
        turn = number % len(WAYS)
        for way in (*WAYS[turn:], *WAYS[:turn]):
            times[way].append(run_way(way, address, sqls, n_processes))
    counts = {tuple(timed.n_rows) for timeds in times.values() for timed in timeds}
    print(
        f"{address.engine}: {len(sqls):,} statements, {title}; processes: {n_processes};"
        f" {sum(times['safe'][0].n_rows):,} rows, medians of {n_runs}"
    )
    for way, name in zip(WAYS, ("glue execute", "safe, bare driver", "bare statement"), strict=True):
        each_ms = median(timed.work_s for timed in times[way]) / len(sqls) * 1_000
        start_s = median(timed.start_s for timed in times[way])
        print(f"  {name:20} {each_ms:9.3f} ms a statement; starting, apart {start_s:6.2f} s")
    for other_way, name in OTHERS:
        pairs = list(zip(times["glue"], times[other_way], strict=True))
        ratios = sorted(mine.work_s / other.work_s for mine, other in pairs)
        added_ms = median(mine.work_s - other.work_s for mine, other in pairs) / len(sqls) * 1_000
        print(
            f"  against {name:18} {median(ratios):5.2f} times ({ratios[0]:.2f} to {ratios[-1]:.2f}),"
            f" {added_ms:+.3f} ms a statement"
        )
    if len(counts) > 1:
        n_different = sum(len(set(each)) > 1 for each in zip(*counts, strict=True))
        print(f"  numbers of rows differ for {n_different:,} statements")
    return len(counts) == 1


def run_way(way: AnyWay, address: Address, sqls: list[str], n_processes: int) -> Timed:
    """One way, once."""
    if way != "glue":
        return run_bare(address, sqls, way, n_processes)
    with tempfile.TemporaryDirectory(prefix="evalhouse-") as folder:
        return run_glue(Home(Path(folder)), address, sqls, n_processes)


def run_glue(home: Home, address: Address, sqls: list[str], n_processes: int) -> Timed:
    """Predictions on a live database, as `glue execute` runs them: nothing is left in the home but Parquet.

    When the first one began is known from what landed.
    """
    snapshot_id = f"live:{CONNECTION}/{','.join(address.search_path)}@now"
    place = (CONNECTION, address.search_path)
    pending = [
        Statement(
            f"{number:08}",
            address.engine,
            snapshot_id,
            None,
            "untouched",
            sql,
            connection=CONNECTION,
            search_path=address.search_path,
        )
        for number, sql in enumerate(sqls)
    ]
    started_s = time.time()
    with Writer(home, "execute") as writer:
        execute(home, pending, writer=writer, workers=n_processes, addresses={place: address})
    ended_s = time.time()
    columns = ["execution_id", "statement_id", "n_rows", "executed_at", "elapsed_ms"]
    landed = landed_keys(home, "executions", columns=columns).to_pylist()
    begun_s = min(row["executed_at"].timestamp() - (row["elapsed_ms"] or 0.0) / 1_000 for row in landed)
    counts = {row["statement_id"]: row["n_rows"] for row in landed}
    n_rows = [-1 if counts.get(each.statement_id) is None else counts[each.statement_id] for each in pending]
    return Timed(ended_s - begun_s, begun_s - started_s, n_rows)


if __name__ == "__main__":
    sys.exit(main())
