"""How long does packing every cell of a budget study take in SQL, against a plain loop in Python?

    python -m benchmarks.packing ../shared/data/bird
    python -m benchmarks.packing ../shared/data/bird --home pool --growth 10

Imports BIRD's 80 schemas and 1,534 questions (unless `--home` already holds them) and builds what packing
rests on. Then, on the same orders, costs and caps:

* the models that pack, by dbt's run results: orders, packings, fixed packings;
* the plain packer, one packing after the other, on dictionaries and lists that are already in memory.

The packings must be the same. With `--growth N` the pool is copied until it holds 5,000 tables, with budgets
that grow with it, and one question in N is packed over each size.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import jinja2

from benchmarks.plain_packer import Packing, pack
from glue.build import project_directory
from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.common import land
from glue.importers.mschema import read_mschema
from glue.landing import Writer

BENCHMARK = "bird_dev"
PACKING_MODELS = ("packing_orders", "greedy_packings", "fixed_packings")
COPIES = (1, 2, 4, 9)
"""Of the 597 tables: the last makes 5,373."""

Key = tuple[int, str, str]
"""Order number, representation and budget."""

GREEDY = """
    select order_number, representation, budget, packings.table_numbers, n_tokens, is_infeasible
    from greedy_packings as packings
    inner join packing_orders using (benchmark, question_id, ranker, packing_order)
"""
CHANGED = """
    select order_number, representation, table_number, n_tokens
    from removal_texts
    inner join pooled_tables using (benchmark, db_id, table_key)
    inner join packing_orders using (benchmark, question_id)
    where naming = 'prefixed' and packing_order = 'required_removed'
"""
COSTS = """
    select representation, table_number, n_tokens
    from table_texts inner join pooled_tables using (benchmark, db_id, table_key)
    where naming = 'prefixed'
"""

REPLICATED = """
    create table copies as select unnest(range({n})) as copy;
    create table pooled_tables as
        select benchmark, db_id, table_key || ' ' || copy as table_key,
            ((table_number - 1) * {n} + copy + 1)::integer as table_number,
        from warehouse.pooled_tables cross join copies;
    create table table_texts as
        select * exclude (text, copy) replace (table_key || ' ' || copy as table_key)
        from warehouse.table_texts cross join copies;
    create table removal_texts as
        select * exclude (text, copy) replace (table_key || ' ' || copy as table_key)
        from warehouse.removal_texts cross join copies;
    create table budget_caps as
        select * replace ((cap_tokens * {n})::integer as cap_tokens) from warehouse.budget_caps;
    create table packing_orders as
        select * replace (flatten(list_transform(
            table_numbers,
            lambda number: list_transform(range({n}), lambda copy: (number - 1) * {n} + copy + 1)
        ))::integer[] as table_numbers)
        from warehouse.packing_orders
        where md5_number_lower(question_id) % {one_in} = 0;
"""


def main() -> int:
    """Run the comparison; 1 where a packing differs or SQL takes over a minute."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bird", type=Path, help="folder with BIRD's files")
    parser.add_argument("--home", type=Path, help="keep the warehouse here, and use it if it is there")
    parser.add_argument("--growth", type=int, metavar="N", help="also larger pools, for one question in N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evalhouse-") as folder:
        home = Home(arguments.home or Path(folder))
        if not home.warehouse.exists():
            prepare(home, arguments.bird)
        is_as_wanted = compare(home)
        if arguments.growth:
            grow(home, arguments.growth)
    return 0 if is_as_wanted else 1


def prepare(home: Home, bird: Path) -> None:
    """Import the pool, register the study, and build all that packing rests on."""
    home.root.mkdir(parents=True, exist_ok=True)
    import_pool(home, bird)
    run_dbt(home, "+packings")


def import_pool(home: Home, bird: Path) -> None:
    """BIRD's questions, its 80 schemas with what their columns mean, and a study of them."""
    meta = bird / "meta"
    meanings = meta / "column_meaning"
    land(
        home,
        read_bird(
            BENCHMARK,
            meta / "dev.json",
            meta / "dev_tables.json",
            bird / "databases",
            column_meaning=meanings / "dev_column_meaning.json",
        ),
    )
    train = meanings / "train_column_meaning.json"
    land(home, read_mschema(BENCHMARK, bird / "mschema", column_meaning=train))
    study = {
        "study_id": "packing",
        "study": "budget",
        "benchmark": BENCHMARK,
        "options": "{}",
        "registered_at": datetime.now(UTC),
    }
    with Writer(home, "import") as writer:
        writer.append("studies", [study])


def run_dbt(home: Home, *nodes: str) -> dict[str, float]:
    """Seconds by model of a build of these nodes without their tests, as dbt counts them."""
    project = str(project_directory())
    subprocess.run(
        [
            *(sys.executable, "-W", "ignore", "-m", "dbt.cli.main", "--quiet", "build", "--select", *nodes),
            *("--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"),
            *("--project-dir", project, "--profiles-dir", project),
            *("--target-path", str(home.target), "--log-path", str(home.target / "logs")),
        ],
        env={**os.environ, "EVALHOUSE_HOME": str(home.root), "PYTHONPATH": project},
        check=True,
    )
    results = json.loads((home.target / "run_results.json").read_text())["results"]
    return {result["unique_id"].split(".")[-1]: result["execution_time"] for result in results}


def compare(home: Home) -> bool:
    """Both ways on the same inputs. Are the packings the same, and made within a minute?"""
    times = run_dbt(home, *PACKING_MODELS)
    sql_s = sum(times.values())
    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        row = warehouse.execute(
            "select count(*), count(distinct (ranker, representation, budget, condition)),"
            " count(*) filter (is_infeasible) from packings"
        ).fetchone()
        n_packings, n_cells, n_infeasible = row or (0, 0, 0)
        inputs = Inputs(warehouse)
        packed_in_sql = packings_of(warehouse)
    started_s = time.perf_counter()
    packed = inputs.packings()
    plain_s = time.perf_counter() - started_s
    n_different = sum(packed[key] != packing for key, packing in packed_in_sql.items())
    print(f"{n_cells} cells, {n_packings:,} packings, {n_infeasible:,} of them infeasible")
    for model, seconds in times.items():
        print(f"  {model:32} {seconds:8.2f} s")
    print(f"SQL, the models that pack          {sql_s:8.2f} s")
    print(f"plain Python, the packings alone   {plain_s:8.2f} s: {plain_s / sql_s:.2f} times")
    print(f"packings that differ               {n_different + abs(len(packed) - len(packed_in_sql)):8}")
    return n_different == 0 and len(packed) == len(packed_in_sql) and sql_s <= 60


class Inputs:
    """Orders, costs and caps as a plain packer wants them."""

    def __init__(self, warehouse: duckdb.DuckDBPyConnection) -> None:
        self.orders: list[tuple[int, int, list[int]]] = warehouse.execute(
            "select order_number, n_required, table_numbers from packing_orders order by order_number"
        ).fetchall()
        self.caps: dict[str, int] = dict(
            warehouse.execute("select budget, cap_tokens from budget_caps").fetchall()
        )
        self.costs: dict[str, dict[int, int]] = defaultdict(dict)
        for representation, table, n_tokens in warehouse.execute(COSTS).fetchall():
            self.costs[representation][table] = n_tokens
        self.changed: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)
        for order, representation, table, n_tokens in warehouse.execute(CHANGED).fetchall():
            self.changed[order, representation][table] = n_tokens

    def packings(self) -> dict[Key, Packing]:
        """Every packing, one after the other."""
        packed = {}
        for number, n_required, order in self.orders:
            for representation, costs in self.costs.items():
                changed = self.changed.get((number, representation))
                own_costs = {**costs, **changed} if changed else costs
                for budget, cap in self.caps.items():
                    packed[number, representation, budget] = pack(order, own_costs, cap, n_required)
        return packed


def packings_of(warehouse: duckdb.DuckDBPyConnection) -> dict[Key, Packing]:
    """What the model `greedy_packings` made."""
    rows = warehouse.execute(GREEDY).fetchall()
    return {(row[0], row[1], row[2]): Packing(*row[3:]) for row in rows}


def rendered(path: str) -> str:
    """The SQL of a model or data test whose inputs are tables of the names it refers to."""
    template: Any = jinja2.Template((project_directory() / path).read_text())
    sql: str = template.render(ref=lambda name: name)
    return sql


def grow(home: Home, one_in: int) -> None:
    """Seconds over the pool and copies of it, of the model that packs."""
    for n_copies in COPIES:
        with duckdb.connect(config={"threads": 2}) as connection:
            connection.execute(f"attach '{home.warehouse}' as warehouse (read_only)")
            replicate(connection, n_copies, one_in)
            started_s = time.perf_counter()
            connection.execute(f"create table packed as {rendered('models/contexts/greedy_packings.sql')}")
            elapsed_s = time.perf_counter() - started_s
            row = connection.execute(
                "select (select count(*) from pooled_tables), count(*), sum(len(table_numbers)) from packed"
            ).fetchone()
        n_tables, n_packings, n_packed = row or (0, 0, 0)
        each_us = elapsed_s / n_packings * 1e6
        print(
            f"{n_tables:6,} tables: {n_packings:,} packings of {n_packed / n_packings:,.0f} tables on"
            f" average, {elapsed_s:.2f} s, {each_us:.0f} µs each"
        )


def replicate(connection: duckdb.DuckDBPyConnection, n_copies: int, one_in: int) -> None:
    """The inputs of `greedy_packings` over copies of the pool; a table's copies follow it in every order."""
    connection.execute(REPLICATED.format(n=n_copies, one_in=one_in))


if __name__ == "__main__":
    sys.exit(main())
