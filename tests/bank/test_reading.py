"""The manifest is whole, plain and refused with file, line and field where it is not."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from glue import bank
from glue.errors import GlueError

SALES = "t1_a_sales_orders"
DATABASES = {
    SALES: {
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
    """Tier 1."""
    for db_id, names in DATABASES.items():
        tables = manifest.databases[db_id]
        assert {table.name for table in tables} == names
        assert [table.position for table in tables] == list(range(1, 11))
        assert 2_900 <= sum(table.n_rows for table in tables) <= 3_100  # 300 a table on average


def test_every_table_and_column_is_described(manifest: bank.Manifest) -> None:
    for db_id, tables in manifest.databases.items():
        for table in tables:
            assert table.description and table.primary_key, table.name
            positions = [column.position for column in table.columns]
            assert positions == list(range(1, len(positions) + 1)), table.name
            for column in table.columns:
                assert column.description and column.generator, (table.name, column.name)
                says_null = "NULL" in column.description
                if manifest.about[db_id].tier == 1:
                    assert column.is_nullable == says_null, (table.name, column.name)
                assert column.value_domain is None or column.value_domain in manifest.domains


def test_the_files_are_plain_csv(manifest: bank.Manifest) -> None:
    """No line breaks, and quotes only in JSON: DuckDB and Python read the same."""
    for path in manifest.folder.glob("**/*.csv"):
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
    for name in ("constraints", "statements", "constructs", "result_columns"):
        for path in manifest.folder.glob(f"*/{name}.csv"):
            with path.open(encoding="utf-8", newline="") as file:
                named = [row["question_id"] for row in csv.DictReader(file)]
            assert named == sorted(named), path


def test_generators_stand_on_nothing_that_changes(manifest: bank.Manifest) -> None:
    for tables in manifest.databases.values():
        for table in tables:
            for column in table.columns:
                text = column.generator.lower()
                for name in ("hash(", "random(", "now(", "current_", "uuid", "ln(", "exp(", "pow(", "sin("):
                    assert name not in text, (table.name, column.name)


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / SALES / "columns.csv").unlink()
    with pytest.raises(GlueError, match=r"lacks .*t1_a_sales_orders/columns\.csv"):
        bank.read_manifest(copy)


def test_a_failing_generator_is_named(copy: Path) -> None:
    _replace(copy / SALES / "columns.csv", "nth('supplier_name', i)", "nth('supplier_name', j)")
    with pytest.raises(GlueError, match=r"t1_a_sales_orders\.suppliers\.supplier_name fails: Binder Error"):
        bank.generate(bank.read_manifest(copy), "t1_a_sales_orders")


def test_a_table_before_the_one_it_refers_to_is_refused(copy: Path) -> None:
    _replace(copy / SALES / "tables.csv", "order_lines,7,", "order_lines,0,")
    with pytest.raises(GlueError, match="order_lines refers to orders, which does not stand before it"):
        bank.read_manifest(copy)


QUESTION = "t1a-1,nested,nested,easy,How many?,,false,false\n"
CONSTRAINT = "t1a-1,1,grain,true,One row.\n"
STATEMENT = "t1a-1,gold,final,duckdb,SELECT 1\n"
INSERT = 't1a-1,1,insert,warehouses,,"{""warehouse_id"": 900001}"\n'


@pytest.mark.parametrize(
    ("file", "row", "message", "hint"),
    [
        (
            "questions",
            "t1b-2,nested,nested,easy,How?,,false,false\n",
            "line 3, question_id: t1b-2 is not of this database",
            "t1a-001",
        ),
        ("questions", QUESTION, "line 3, question_id: t1a-1 comes again", "its own number"),
        (
            "questions",
            "t1a-2,nested,nested,easy,,,false,false\n",
            "line 3, question: is empty",
            "fill it in",
        ),
        (
            "questions",
            "t1a-2,nested,nested,easy,How?,,no,false\n",
            "line 3, is_ordered: 'no' is not known",
            "it may be: true, false",
        ),
        ("questions", "t1a-2\n", "line 3, category_group: is missing", "cut short"),
        ("constraints", CONSTRAINT, "line 3, constraint_number: 1 comes again", "from 1"),
        (
            "constraints",
            "t1a-1,2,nulls,true,None.\n",
            "line 3, kind: 'nulls' is not known",
            "did you mean 'null'?",
        ),
        (
            "constraints",
            "t1a-1,two,null,true,None.\n",
            "constraint_number: is 'two', no whole number",
            "digits",
        ),
        ("constraints", "t1a-7,2,null,true,None.\n", "line 3, question_id: 't1a-7' is not known", "t1a-1"),
        ("statements", STATEMENT, "line 3, dialect: gold final duckdb comes again", "one of the two"),
        ("statements", "t1a-1,silver,final,duckdb,SELECT 1\n", "role: 'silver' is not known", "gold"),
        ("instances", INSERT, "line 3, step: 1 of t1a-1 comes again", "from 1"),
        (
            "instances",
            INSERT.replace("t1a-1,1,", "t1a-1,2,").replace("warehouses", "warehouse"),
            "table_name: 'warehouse' is not known",
            "did you mean 'warehouses'?",
        ),
        (
            "instances",
            INSERT.replace("t1a-1,1,", "t1a-1,2,").replace("insert", "drop"),
            "action: 'drop' is not known",
            "insert, update",
        ),
        (
            "instances",
            INSERT.replace("t1a-1,1,", "t1a-1,2,").replace("insert", "update"),
            "row_condition: does not go with update",
            "an update has one",
        ),
        (
            "instances",
            INSERT.replace("t1a-1,1,", "t1a-1,2,").replace("warehouse_id", "warehous_id"),
            "assignments: warehouses has no column 'warehous_id'",
            "did you mean 'warehouse_id'?",
        ),
        (
            "instances",
            INSERT.replace("t1a-1,1,", "t1a-1,2,").replace("900001}", "[1]}"),
            "warehouse_id is neither number, text nor null",
            "one of these",
        ),
        (
            "instances",
            INSERT.replace("t1a-1,1,", "t1a-1,2,").replace("900001}", "900001"),
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
        path = copy / SALES / f"{name}.csv"
        header = path.read_text("utf-8").splitlines()[0]
        path.write_text(f"{header}\n{good}{row if name == file else ''}", "utf-8")
    for name in ("result_columns", "dialect_exceptions", "constructs"):
        path = copy / SALES / f"{name}.csv"
        path.write_text(path.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    with pytest.raises(GlueError, match=message) as raised:
        bank.read_manifest(copy)
    assert hint in (raised.value.hint or "")
    assert str(copy / SALES / f"{file}.csv") in str(raised.value)


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
