"""The manifest is whole, plain and refused with file, line and field where it is not."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from glue import bank
from glue.errors import GlueError

DATABASES = {
    "t1_a_sales_orders": {
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
    },
    "t1_b_university": {
        "students",
        "courses",
        "enrolments",
        "instructors",
        "departments",
        "grades",
        "prerequisites",
        "rooms",
        "schedules",
        "semesters",
    },
}
"""Tables by database (ESQ-Bench, section 4.4.1)."""


@pytest.fixture
def copy(manifest: bank.Manifest, tmp_path: Path) -> Path:
    """A folder of the manifest that a test may spoil."""
    return Path(shutil.copytree(manifest.folder, tmp_path / "bank"))


def test_ten_tables_of_three_hundred_rows_each(manifest: bank.Manifest) -> None:
    assert {
        db_id: {table.name for table in tables} for db_id, tables in manifest.databases.items()
    } == DATABASES
    for tables in manifest.databases.values():
        assert [table.position for table in tables] == list(range(1, 11))
        assert 2_900 <= sum(table.n_rows for table in tables) <= 3_100  # 300 a table on average
        assert all(table.n_rows > 0 for table in tables)


def test_every_table_and_column_is_described(manifest: bank.Manifest) -> None:
    for tables in manifest.databases.values():
        for table in tables:
            assert table.description and table.primary_key, table.name
            positions = [column.position for column in table.columns]
            assert positions == list(range(1, len(positions) + 1)), table.name
            for column in table.columns:
                assert column.description and column.generator, (table.name, column.name)
                says_null = "NULL" in column.description
                assert column.is_nullable == says_null, (table.name, column.name)
                assert column.value_domain is None or column.value_domain in manifest.domains


def test_the_seeds_are_plain_csv(manifest: bank.Manifest) -> None:
    """No line breaks, and quotes only in JSON: dbt, DuckDB and Python read the same."""
    for path in manifest.folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        for row in rows:
            assert len(row) == len(header), (path.name, row)
            plain = [text for name, text in zip(header, row, strict=True) if name != "assignments"]
            assert not any(mark in text for text in plain for mark in '"\n\r\\'), (path.name, row)
            assert not any(mark in text for text in row for mark in "\n\r\\"), (path.name, row)


def test_rows_stand_in_order(manifest: bank.Manifest) -> None:
    ids = [question.question_id for question in manifest.questions]
    assert ids == sorted(ids)
    for name, key in (("constraints", "question_id"), ("statements", "question_id")):
        with (manifest.folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            named = [row[key] for row in csv.DictReader(file)]
        assert named == sorted(named), name


def test_generators_stand_on_nothing_that_changes(manifest: bank.Manifest) -> None:
    for tables in manifest.databases.values():
        for table in tables:
            for column in table.columns:
                text = column.generator.lower()
                for name in ("hash(", "random(", "now(", "current_", "uuid", "ln(", "exp(", "pow(", "sin("):
                    assert name not in text, (table.name, column.name)


def test_a_missing_seed_is_named(copy: Path) -> None:
    (copy / "bank_columns.csv").unlink()
    with pytest.raises(GlueError, match=r"lacks .*bank_columns\.csv"):
        bank.read_manifest(copy)


def test_a_failing_generator_is_named(copy: Path) -> None:
    _replace(copy / "bank_columns.csv", "nth('supplier_name', i)", "nth('supplier_name', j)")
    with pytest.raises(GlueError, match=r"t1_a_sales_orders\.suppliers\.supplier_name fails: Binder Error"):
        bank.generate(bank.read_manifest(copy), "t1_a_sales_orders")


def test_a_table_before_the_one_it_refers_to_is_refused(copy: Path) -> None:
    _replace(copy / "bank_tables.csv", "order_lines,7,", "order_lines,0,")
    with pytest.raises(GlueError, match="order_lines refers to orders, which does not stand before it"):
        bank.read_manifest(copy)


QUESTION = "x-1,t1_a_sales_orders,nested,nested,easy,How many?,,false,false\n"
CONSTRAINT = "x-1,1,grain,One row.\n"
STATEMENT = "x-1,gold,final,duckdb,SELECT 1\n"
INSERT = 'x-1,1,t1_a_sales_orders,insert,warehouses,,"{""warehouse_id"": 900001}"\n'


@pytest.mark.parametrize(
    ("file", "row", "message", "hint"),
    [
        (
            "questions",
            "x-2,t1_a_sales_order,nested,nested,easy,How?,,false,false\n",
            r"questions.csv, line 3, question_id: y-2 is not of this database",
            "did you mean 't1_a_sales_orders'?",
        ),
        ("questions", QUESTION, "line 3, question_id: x-1 comes again", "its own number"),
        (
            "questions",
            "x-2,t1_a_sales_orders,nested,nested,easy,,,false,false\n",
            "line 3, question: is empty",
            "fill it in",
        ),
        (
            "questions",
            "x-2,t1_a_sales_orders,nested,nested,easy,How?,,no,false\n",
            "line 3, is_ordered: 'no' is not known",
            "it may be: true, false",
        ),
        ("questions", "x-2,t1_a_sales_orders\n", "line 3, category_group: is missing", "cut short"),
        ("constraints", CONSTRAINT, "line 3, constraint_number: 1 comes again", "from 1"),
        (
            "constraints",
            "x-1,2,nulls,None.\n",
            "line 3, kind: 'nulls' is not known",
            "did you mean 'null'?",
        ),
        (
            "constraints",
            "x-1,two,null,None.\n",
            "constraint_number: is 'two', no whole number",
            "digits",
        ),
        ("constraints", "y-1,2,null,None.\n", "line 3, question_id: 'y-1' is not known", "x-1"),
        ("statements", STATEMENT, "line 3, dialect: gold final duckdb comes again", "one of the two"),
        ("statements", "x-1,silver,final,duckdb,SELECT 1\n", "role: 'silver' is not known", "gold"),
        ("instances", INSERT, "line 3, step: 1 of x-1 comes again", "from 1"),
        (
            "instances",
            INSERT.replace("x-1,1,", "x-1,2,").replace("warehouses", "warehouse"),
            "table_name: 'warehouse' is not known",
            "did you mean 'warehouses'?",
        ),
        (
            "instances",
            INSERT.replace("x-1,1,", "x-1,2,").replace("insert", "drop"),
            "action: 'drop' is not known",
            "insert, update",
        ),
        (
            "instances",
            INSERT.replace("x-1,1,", "x-1,2,").replace("insert", "update"),
            "row_condition: does not go with update",
            "an update has one",
        ),
        (
            "instances",
            INSERT.replace("x-1,1,", "x-1,2,").replace("warehouse_id", "warehous_id"),
            "assignments: warehouses has no column 'warehous_id'",
            "did you mean 'warehouse_id'?",
        ),
        (
            "instances",
            INSERT.replace("x-1,1,", "x-1,2,").replace("900001}", "[1]}"),
            "warehouse_id is neither number, text nor null",
            "one of these",
        ),
        (
            "instances",
            INSERT.replace("x-1,1,", "x-1,2,").replace("900001}", "900001"),
            "line 3, assignments: is no JSON",
            "write",
        ),
    ],
)
def test_a_wrong_row_is_named_by_file_line_and_field(
    copy: Path, file: str, row: str, message: str, hint: str
) -> None:
    rows = {
        "questions": QUESTION,
        "constraints": CONSTRAINT,
        "statements": STATEMENT,
        "instances": INSERT,
    }
    for name, good in rows.items():
        path = copy / f"{name}.csv"
        header = path.read_text("utf-8").splitlines()[0]
        path.write_text(f"{header}\n{good}{row if name == file else ''}", "utf-8")
    with pytest.raises(GlueError, match=message) as raised:
        bank.read_manifest(copy)
    assert hint in (raised.value.hint or "")
    assert str(copy / f"{file}.csv") in str(raised.value)


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
