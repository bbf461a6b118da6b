"""The enterprise bank: its manifest, its databases, and that its golds answer alike on every engine."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from glue import bank
from glue.cells import cell
from glue.errors import GlueError
from glue.home import Home
from glue.landing import landed_keys

DB_ID = "t1_a_sales_orders"
T1_A = {
    "customers",
    "orders",
    "order_lines",
    "products",
    "product_categories",
    "suppliers",
    "warehouses",
    "shipments",
    "returns",
    "invoices",
}
# Of the generated rows: finds out a machine, a thread count or a version of DuckDB that generates others.
CONTENT_SHA256 = "84c54d7bdf9bb6c95e84947e32bc9397d6bb947372cb90c7353acce002da9d68"


@pytest.fixture(scope="module")
def manifest() -> bank.Manifest:
    return bank.read_manifest()


@pytest.fixture(scope="module")
def files(manifest: bank.Manifest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The small database as a file of each engine."""
    folder = tmp_path_factory.mktemp("bank")
    written = {"sqlite": folder / f"{DB_ID}.sqlite", "duckdb": folder / f"{DB_ID}.duckdb"}
    assert bank.write_sqlite(manifest, DB_ID, written["sqlite"])
    assert bank.write_duckdb(manifest, DB_ID, written["duckdb"])
    return written


@pytest.fixture(scope="module")
def sqlite_file(files: dict[str, Path]) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{files['sqlite']}?mode=ro", uri=True)) as connection:
        yield connection


@pytest.fixture(scope="module")
def duckdb_file(files: dict[str, Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(files["duckdb"]), read_only=True) as connection:
        yield connection


# The manifest


def test_the_manifest_counts(manifest: bank.Manifest) -> None:
    tables = manifest.databases[DB_ID]
    assert {table.name for table in tables} == T1_A
    assert [table.position for table in tables] == list(range(1, 11))
    assert 2_900 <= sum(table.n_rows for table in tables) <= 3_100  # 300 a table on average
    assert len(manifest.questions) == 20
    groups = Counter(question.category_group for question in manifest.questions)
    assert groups == {
        "simple_select_ordering": 5,
        "aggregation_conditional": 5,
        "multi_join_set_operations": 4,
        "nested_subquery": 3,
        "temporal": 3,
    }
    assert set(Counter(question.difficulty for question in manifest.questions)) == {"easy", "medium", "hard"}


def test_every_row_of_the_manifest_is_whole(manifest: bank.Manifest) -> None:
    for table in manifest.databases[DB_ID]:
        assert table.description and table.primary_key, table.name
        positions = [column.position for column in table.columns]
        assert positions == list(range(1, len(positions) + 1)), table.name
        for column in table.columns:
            assert column.description and column.generator, (table.name, column.name)
            assert column.is_nullable == ("NULL" in column.description), (table.name, column.name)
            assert column.value_domain is None or column.value_domain in manifest.domains
    for question in manifest.questions:
        assert question.question and question.intent and all(question.golds.values()), question.question_id
        assert "order" in question.intent.lower() or question.question_id == "t1a-010"  # one row
    assert len({question.question_id for question in manifest.questions}) == 20


def test_the_seeds_are_plain_csv(manifest: bank.Manifest) -> None:
    """No line breaks and no double quotes inside a cell: dbt, DuckDB and Python read the same."""
    for path in manifest.folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        for row in rows:
            assert len(row) == len(header), (path.name, row)
            assert not any(mark in text for text in row for mark in '"\n\r\\'), (path.name, row)


def test_generators_stand_on_nothing_that_changes(manifest: bank.Manifest) -> None:
    for table in manifest.databases[DB_ID]:
        for column in table.columns:
            text = column.generator.lower()
            for name in ("hash(", "random(", "now(", "current_", "uuid", "ln(", "exp(", "pow(", "sin("):
                assert name not in text, (table.name, column.name)


def test_a_missing_seed_is_named(manifest: bank.Manifest, tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    shutil.copytree(manifest.folder, folder)
    (folder / "bank_columns.csv").unlink()
    with pytest.raises(GlueError, match=r"lacks .*bank_columns\.csv"):
        bank.read_manifest(folder)


def test_a_failing_generator_is_named(manifest: bank.Manifest, tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    shutil.copytree(manifest.folder, folder)
    path = folder / "bank_columns.csv"
    path.write_text(
        path.read_text("utf-8").replace("nth('supplier_name', i)", "nth('supplier_name', j)"), "utf-8"
    )
    with pytest.raises(GlueError, match=r"t1_a_sales_orders\.suppliers\.supplier_name fails: Binder Error"):
        bank.generate(bank.read_manifest(folder), DB_ID)


def test_a_table_before_the_one_it_refers_to_is_refused(manifest: bank.Manifest, tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    shutil.copytree(manifest.folder, folder)
    path = folder / "bank_tables.csv"
    path.write_text(path.read_text("utf-8").replace("order_lines,7,", "order_lines,0,"), "utf-8")
    with pytest.raises(GlueError, match="order_lines refers to orders, which does not stand before it"):
        bank.read_manifest(folder)


# The macros that generators use


def test_draw_pick_and_nth(manifest: bank.Manifest) -> None:
    with duckdb.connect() as connection:
        bank._define_macros(connection, manifest)
        (drawn,) = connection.execute("select draw(7, 'orders.date')").fetchone() or ()
        digits = hashlib.md5(b"orders.date:7").hexdigest()[:10]
        assert drawn == int(digits, 16) / 2**40
        query = "select nth('customer_segment', 1), nth('customer_segment', 4), nth('customer_segment', 5)"
        assert connection.execute(query).fetchone() == ("Corporate", "Public Sector", "Corporate")
        # weights 6, 7, 5, 2 of 20: the bounds are 0.3, 0.65 and 0.9
        numbers = "(values (0.0), (0.299), (0.3), (0.65), (0.9), (0.999)) as t (u)"
        query = f"select pick('customer_segment', u) from {numbers}"
        picked = [value for (value,) in connection.execute(query).fetchall()]
        assert picked == [
            "Corporate",
            "Corporate",
            "Small Business",
            "Consumer",
            "Public Sector",
            "Public Sector",
        ]


# The data


def test_the_data_is_the_same_everywhere(manifest: bank.Manifest) -> None:
    digests = {_content_sha256(bank.generate(manifest, DB_ID, n_threads)) for n_threads in (1, 4)}
    assert digests == {CONTENT_SHA256}


def test_two_files_are_the_same(manifest: bank.Manifest, files: dict[str, Path], tmp_path: Path) -> None:
    again = tmp_path / "again.sqlite"
    bank.write_sqlite(manifest, DB_ID, again)
    assert _sha256(again) == _sha256(files["sqlite"])
    assert [path.name for path in tmp_path.iterdir()] == ["again.sqlite"]  # nothing is left beside it
    before = _sha256(files["duckdb"])
    assert not bank.write_duckdb(manifest, DB_ID, files["duckdb"])
    assert _sha256(files["duckdb"]) == before


def test_a_file_that_differs_is_replaced(manifest: bank.Manifest, tmp_path: Path) -> None:
    for name, write in (("x.sqlite", bank.write_sqlite), ("x.duckdb", bank.write_duckdb)):
        path = tmp_path / name
        path.write_bytes(b"not a database")
        assert write(manifest, DB_ID, path)
        assert not write(manifest, DB_ID, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("update customers set city = 'Bonn' where customer_id = 1")
    assert bank.write_duckdb(manifest, DB_ID, path)


def test_no_table_is_empty_and_every_count_is_the_manifests(
    manifest: bank.Manifest, sqlite_file: sqlite3.Connection, duckdb_file: duckdb.DuckDBPyConnection
) -> None:
    for table in manifest.databases[DB_ID]:
        query = f"select count(*) from {table.name}"
        assert sqlite_file.execute(query).fetchone() == (table.n_rows,)
        assert duckdb_file.execute(query).fetchone() == (table.n_rows,)
        assert table.n_rows > 0


def test_foreign_keys_are_declared_and_hold(
    manifest: bank.Manifest, sqlite_file: sqlite3.Connection, duckdb_file: duckdb.DuckDBPyConnection
) -> None:
    assert sqlite_file.execute("pragma foreign_key_check").fetchall() == []
    assert sqlite_file.execute("pragma integrity_check").fetchall() == [("ok",)]
    n_keys = sum(len(table.foreign_keys) for table in manifest.databases[DB_ID])
    declared = sum(
        len(sqlite_file.execute(f"pragma foreign_key_list({table.name})").fetchall())
        for table in manifest.databases[DB_ID]
    )
    in_duckdb = duckdb_file.execute(
        "select count(*) from duckdb_constraints() where constraint_type = 'FOREIGN KEY'"
    ).fetchone()
    assert (declared, in_duckdb) == (n_keys, (n_keys,)) == (10, (10,))
    for table in manifest.databases[DB_ID]:
        for key in table.foreign_keys:
            (column,), (referenced,) = key.columns, key.referenced_columns
            missing = duckdb_file.execute(
                f"select count(*) from {table.name} where {column} not in "
                f"(select {referenced} from {key.referenced_table})"
            ).fetchone()
            assert missing == (0,), key


def test_both_files_hold_the_same_values(
    manifest: bank.Manifest, sqlite_file: sqlite3.Connection, duckdb_file: duckdb.DuckDBPyConnection
) -> None:
    for table in manifest.databases[DB_ID]:
        query = f"select * from {table.name} order by {table.primary_key[0]}"
        assert _cells(sqlite_file.execute(query).fetchall()) == _cells(duckdb_file.execute(query).fetchall())


def test_sqlite_keeps_dates_as_text_and_money_as_real(sqlite_file: sqlite3.Connection) -> None:
    query = "select distinct typeof(order_date), typeof(shipping_fee), typeof(order_id) from orders"
    assert sqlite_file.execute(query).fetchall() == [("text", "real", "integer")]


def test_the_data_is_as_life_is(duckdb_file: duckdb.DuckDBPyConnection) -> None:
    def one(query: str) -> Any:
        row = duckdb_file.execute(query).fetchone()
        assert row is not None
        return row[0]

    per_customer = "select customer_id, count(*) as n from orders group by customer_id"
    assert one(f"select max(n) from ({per_customer})") >= 30  # few customers order much …
    assert one(f"select median(n) from ({per_customer})") <= 3  # … most little, some nothing
    assert (
        one("select count(*) from customers where customer_id not in (select customer_id from orders)") >= 10
    )
    assert one("select count(*) from orders where total_amount is null") >= 20
    assert one("select count(*) from orders where order_date in ('2024-01-01', '2024-12-31')") >= 4
    for column, table in (("list_price", "products"), ("order_date", "orders"), ("paid_on", "invoices")):
        assert one(f"select count({column}) - count(distinct {column}) from {table}") > 5  # ties
    for column in ("product_name", "supplier_name", "customer_name", "warehouse_name"):
        table = f"{column.removesuffix('_name')}s"
        assert one(f"select count(*) - count(distinct {column}) from {table}") == 0


@pytest.mark.parametrize(
    "impossible",
    [
        "orders inner join customers using (customer_id) where order_date < registered_on",
        "orders where order_date > '2025-06-30'",
        "orders as o where total_amount <> "
        "(select sum(line_amount) from order_lines as l where l.order_id = o.order_id)",
        "orders as o where status in ('shipped', 'delivered') "
        "and not exists (from shipments as s where s.order_id = o.order_id)",
        "orders inner join shipments using (order_id) where status in ('pending', 'cancelled')",
        "orders inner join shipments using (order_id) where shipped_on <= order_date",
        "orders inner join shipments using (order_id) where status = 'delivered' and delivered_on is null",
        "orders inner join invoices using (order_id) where amount <> total_amount + shipping_fee",
        "order_lines as l inner join products using (product_id) where l.unit_price <> list_price",
        "shipments where delivered_on <= shipped_on",
        "shipments inner join warehouses using (warehouse_id) where shipped_on < opened_on",
        "(select order_id from invoices group by order_id having count(*) > 1)",
        "invoices where paid_on > '2025-06-30' or due_date <= invoice_date",
        "returns as r inner join order_lines as l using (order_line_id) where r.quantity > l.quantity",
        "returns as r inner join order_lines as l using (order_line_id) where refund_amount > line_amount",
        "returns as r inner join order_lines using (order_line_id) inner join shipments using (order_id) "
        "where returned_on < delivered_on or returned_on > '2025-06-30'",
    ],
)
def test_nothing_impossible_is_in_the_data(duckdb_file: duckdb.DuckDBPyConnection, impossible: str) -> None:
    assert duckdb_file.execute(f"select count(*) from {impossible}").fetchone() == (0,)


# Loading


def test_loading_lands_questions_golds_and_catalog(home: Home) -> None:
    report = bank.load_bank(home, "sqlite", "glue bank load sqlite")
    assert report.is_new and report.refusals == []
    assert report.benchmark == "enterprise"
    assert report.counts == {
        "databases": 1,
        "tables": 10,
        "columns": 66,
        "foreign_keys": 10,
        "questions": 20,
        "golds": 20,
    }
    (database,) = landed_keys(home, "databases", columns=["engine", "path", "snapshot_id"]).to_pylist()
    path = home.root / "bank" / "sqlite" / f"{DB_ID}.sqlite"
    assert database == {"engine": "sqlite", "path": str(path), "snapshot_id": _sha256(path)}
    names = ["table_name", "column_name", "data_type", "storage_classes", "value_description"]
    columns = {
        (row["table_name"], row["column_name"]): row
        for row in landed_keys(home, "columns", columns=names).to_pylist()
    }
    assert columns["orders", "total_amount"]["storage_classes"] == ["null", "real"]
    assert columns["order_lines", "quantity"]["storage_classes"] == ["integer"]
    assert columns["orders", "status"]["value_description"].startswith(
        "pending: placed, nothing has been sent; "
    )
    golds = landed_keys(home, "golds", columns=["question_id", "gold_edition", "dialect"]).to_pylist()
    assert golds[0] == {"question_id": "t1a-001", "gold_edition": "benchmark", "dialect": "sqlite"}
    questions = landed_keys(home, "questions", columns=["question_id", "is_ordered", "intent"]).to_pylist()
    assert sum(row["is_ordered"] for row in questions) == 8 and all(row["intent"] for row in questions)


@pytest.mark.parametrize(("engine", "benchmark"), [("sqlite", "enterprise"), ("duckdb", "enterprise_duckdb")])
def test_loading_twice_changes_nothing(home: Home, engine: str, benchmark: str) -> None:
    path = home.root / "bank" / engine / f"{DB_ID}.{engine}"
    first = bank.load_bank(home, engine, "first")
    before = _sha256(path)
    second = bank.load_bank(home, engine, "second")
    assert (first.is_new, second.is_new, first.import_id) == (True, False, second.import_id)
    assert first.benchmark == benchmark and _sha256(path) == before
    assert landed_keys(home, "questions", columns=["question_id"]).num_rows == 20
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_newer_bank_takes_the_place_of_the_old(
    home: Home, manifest: bank.Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bank.load_bank(home, "duckdb", "first")
    folder = tmp_path / "bank"
    shutil.copytree(manifest.folder, folder)
    path = folder / "bank_tables.csv"
    path.write_text(path.read_text("utf-8").replace("One row per supplier", "Each supplier"), "utf-8")
    monkeypatch.setattr(bank, "manifest_folder", lambda: folder)
    second = bank.load_bank(home, "duckdb", "second")
    assert second.is_new and second.import_id != first.import_id


def test_an_unknown_engine_is_named(home: Home) -> None:
    with pytest.raises(GlueError, match="not written for 'sqlit'") as raised:
        bank.load_bank(home, "sqlit", "x")
    assert raised.value.hint == "did you mean 'sqlite'?"


# The questions


def test_golds_run_on_both_engines_and_agree(
    manifest: bank.Manifest, sqlite_file: sqlite3.Connection, duckdb_file: duckdb.DuckDBPyConnection
) -> None:
    for question in manifest.questions:
        in_sqlite = _cells(sqlite_file.execute(question.golds["sqlite"]).fetchall())
        in_duckdb = _cells(duckdb_file.execute(question.golds["duckdb"]).fetchall())
        if not question.is_ordered:
            in_sqlite, in_duckdb = sorted(in_sqlite, key=repr), sorted(in_duckdb, key=repr)
        assert in_sqlite == in_duckdb, question.question_id
        assert 1 <= len(in_sqlite) <= 500, question.question_id
        assert any(value is not None for row in in_sqlite for value in row), question.question_id


def test_a_gold_is_ordered_where_the_question_says_so(manifest: bank.Manifest) -> None:
    for question in manifest.questions:
        for engine, sql in question.golds.items():
            has_order = sqlglot.parse_one(sql, dialect=engine).args.get("order") is not None
            assert has_order == question.is_ordered, question.question_id


def test_ordered_golds_leave_no_ties(manifest: bank.Manifest, sqlite_file: sqlite3.Connection) -> None:
    """The shown ones of the ORDER BY keys already tell all rows apart: every row has a place of its own."""
    checked = [question for question in manifest.questions if question.is_ordered]
    assert len(checked) >= 5
    for question in checked:
        tree = sqlglot.parse_one(question.golds["sqlite"], dialect="sqlite")
        keys = [key.this.sql("sqlite") for key in tree.args["order"].expressions]
        rows = sqlite_file.execute(question.golds["sqlite"]).fetchall()
        names = [expression.alias_or_name for expression in tree.expressions]
        shown = [names.index(key.split(".")[-1]) for key in keys if key.split(".")[-1] in names]
        assert len({tuple(row[place] for place in shown) for row in rows}) == len(rows), question.question_id


def test_ties_and_nulls_are_met(sqlite_file: sqlite3.Connection, manifest: bank.Manifest) -> None:
    golds = {question.question_id: question.golds["sqlite"] for question in manifest.questions}
    # the twentieth price is shared by the product that just misses the list
    without_limit = sqlite_file.execute(golds["t1a-002"].removesuffix(" LIMIT 20")).fetchall()
    assert without_limit[19][1] == without_limit[20][1]
    # suppliers without a lead time, at the end
    lead_times = [row[2] for row in sqlite_file.execute(golds["t1a-003"]).fetchall()]
    assert lead_times[-3:] == [None] * 3 and None not in lead_times[:-3]
    # unpriced orders in the sums
    assert sum(row[2] for row in sqlite_file.execute(golds["t1a-006"]).fetchall()) == 35
    # a country with three first places
    first_places = Counter(row[0] for row in sqlite_file.execute(golds["t1a-017"]).fetchall())
    assert first_places["Czechia"] == 3


def test_no_two_golds_share_a_skeleton(manifest: bank.Manifest) -> None:
    for engine in bank.ENGINES:
        skeletons = Counter(_skeleton(question.golds[engine], engine) for question in manifest.questions)
        assert max(skeletons.values()) == 1, skeletons.most_common(1)
        nameless = Counter(
            _skeleton(question.golds[engine], engine, masks_names=True) for question in manifest.questions
        )
        assert max(nameless.values()) <= 3, nameless.most_common(1)


def test_a_skeleton_knows_no_literals_and_no_aliases() -> None:
    left = "SELECT c.name AS n FROM customers AS c WHERE c.city = 'Bonn' LIMIT 3"
    right = "select customers.name from customers where customers.city = 'Köln' limit 5"
    other = "select customers.name from customers where customers.country = 'Italy' limit 5"
    assert _skeleton(left, "sqlite") == _skeleton(right, "sqlite") != _skeleton(other, "sqlite")
    assert _skeleton(left, "sqlite", masks_names=True) == _skeleton(other, "sqlite", masks_names=True)


def _skeleton(sql: str, dialect: str, masks_names: bool = False) -> str:
    """The parsed gold, literals masked and aliases resolved; `masks_names` masks tables and columns too."""
    tree = sqlglot.parse_one(sql, dialect=dialect)
    tables = {table.alias_or_name: table.name for table in tree.find_all(exp.Table)}
    for column in tree.find_all(exp.Column):
        if column.table:
            column.set("table", exp.to_identifier(tables.get(column.table, column.table)))
    for table in tree.find_all(exp.Table):
        table.set("alias", None)
    for alias in list(tree.find_all(exp.Alias)):
        alias.replace(alias.this)
    for literal in list(tree.find_all(exp.Literal)):
        literal.replace(exp.Placeholder())
    if masks_names:
        for identifier in list(tree.find_all(exp.Identifier)):
            identifier.replace(exp.to_identifier("x"))
    return tree.sql(dialect=dialect).lower()


def _cells(rows: list[tuple[Any, ...]]) -> list[tuple[str | None, ...]]:
    """Canonical cells, a DATE as the ISO text that SQLite keeps for it."""
    return [
        tuple(cell(value.isoformat() if isinstance(value, date) else value) for value in row) for row in rows
    ]


def _content_sha256(tables: list[bank.TableRows]) -> str:
    def plain(value: Any) -> str | int | None:
        return str(value) if isinstance(value, date | Decimal) else value

    content = [
        [entry.table.name, [[plain(value) for value in row] for row in entry.rows]] for entry in tables
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
