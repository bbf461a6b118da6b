"""The bank's data: always the same, keys enforced, as life is, with the conditions that questions need."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from glue import bank
from glue.bank.generation import define_macros
from tests.bank.checks import Bench, plain_cell

SALES, UNIVERSITY = "t1_a_sales_orders", "t1_b_university"
# Of the generated rows: finds out a machine, a thread count or a version of DuckDB that generates others.
CONTENT_SHA256 = {
    SALES: "84c54d7bdf9bb6c95e84947e32bc9397d6bb947372cb90c7353acce002da9d68",
    UNIVERSITY: "4c2f02f22cbfee7299e053c65176d3915c30238790f9ab4bfd8e6342fa3ed351",
}
N_FOREIGN_KEYS = {SALES: 10, UNIVERSITY: 14}

Files = dict[str, duckdb.DuckDBPyConnection]


def test_draw_pick_and_nth(manifest: bank.Manifest) -> None:
    with duckdb.connect() as connection:
        define_macros(connection, manifest)
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


@pytest.mark.parametrize("db_id", [SALES, UNIVERSITY])
def test_the_data_is_the_same_everywhere(manifest: bank.Manifest, db_id: str) -> None:
    digests = {_content_sha256(bank.generate(manifest, db_id, n_threads)) for n_threads in (1, 4)}
    assert digests == {CONTENT_SHA256[db_id]}


@pytest.mark.parametrize("db_id", [SALES, UNIVERSITY])
def test_two_files_are_the_same(manifest: bank.Manifest, bench: Bench, tmp_path: Path, db_id: str) -> None:
    again = tmp_path / "again.sqlite"
    bank.write_sqlite(manifest, db_id, again)
    assert again.read_bytes() == bench.base_file(db_id, "sqlite").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.sqlite"]  # nothing is left beside it
    written = bench.base_file(db_id, "duckdb")
    before = written.read_bytes()
    assert not bank.write_duckdb(manifest, db_id, written)
    assert written.read_bytes() == before


def test_a_file_that_differs_is_replaced(manifest: bank.Manifest, tmp_path: Path) -> None:
    for name, write in (("x.sqlite", bank.write_sqlite), ("x.duckdb", bank.write_duckdb)):
        path = tmp_path / name
        path.write_bytes(b"not a database")
        assert write(manifest, SALES, path)
        assert not write(manifest, SALES, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("update customers set city = 'Bonn' where customer_id = 1")
    assert bank.write_duckdb(manifest, SALES, path)


@pytest.mark.parametrize("db_id", [SALES, UNIVERSITY])
def test_no_table_is_empty_and_every_count_is_the_manifests(
    manifest: bank.Manifest, in_sqlite: dict[str, sqlite3.Connection], in_duckdb: Files, db_id: str
) -> None:
    for table in manifest.databases[db_id]:
        query = f"select count(*) from {table.name}"
        assert in_sqlite[db_id].execute(query).fetchone() == (table.n_rows,)
        assert in_duckdb[db_id].execute(query).fetchone() == (table.n_rows,)
        assert table.n_rows > 0


@pytest.mark.parametrize("db_id", [SALES, UNIVERSITY])
def test_foreign_keys_are_declared_and_hold(
    manifest: bank.Manifest, in_sqlite: dict[str, sqlite3.Connection], in_duckdb: Files, db_id: str
) -> None:
    tables = manifest.databases[db_id]
    assert in_sqlite[db_id].execute("pragma foreign_key_check").fetchall() == []
    assert in_sqlite[db_id].execute("pragma integrity_check").fetchall() == [("ok",)]
    n_keys = sum(len(table.foreign_keys) for table in tables)
    declared = sum(
        len(in_sqlite[db_id].execute(f"pragma foreign_key_list({table.name})").fetchall()) for table in tables
    )
    count = "select count(*) from duckdb_constraints() where constraint_type = 'FOREIGN KEY'"
    assert in_duckdb[db_id].execute(count).fetchone() == (n_keys,)
    assert declared == n_keys == N_FOREIGN_KEYS[db_id]
    for table in tables:
        for key in table.foreign_keys:
            (column,), (referenced,) = key.columns, key.referenced_columns
            missing = (
                f"select count(*) from {table.name} where {column} not in "
                f"(select {referenced} from {key.referenced_table})"
            )
            assert in_duckdb[db_id].execute(missing).fetchone() == (0,), key


@pytest.mark.parametrize("db_id", [SALES, UNIVERSITY])
def test_a_column_that_names_another_tables_key_is_a_foreign_key(manifest: bank.Manifest, db_id: str) -> None:
    """Every reference there is, is enforced: FK coverage 1 (ESQ-Bench, sections 4.3 and 4.4.1)."""
    tables = manifest.databases[db_id]
    keys = {table.primary_key[0]: table.name for table in tables if len(table.primary_key) == 1}
    for table in tables:
        enforced = {column for key in table.foreign_keys for column in key.columns}
        for column in table.columns:
            if column.name.endswith("_id") and keys.get(column.name) != table.name:
                assert column.name in enforced, (table.name, column.name)


@pytest.mark.parametrize("db_id", [SALES, UNIVERSITY])
def test_both_files_hold_the_same_values(
    manifest: bank.Manifest, in_sqlite: dict[str, sqlite3.Connection], in_duckdb: Files, db_id: str
) -> None:
    for table in manifest.databases[db_id]:
        query = f"select * from {table.name} order by {', '.join(table.primary_key)}"
        left, right = (
            [tuple(map(plain_cell, row)) for row in files[db_id].execute(query).fetchall()]
            for files in (in_sqlite, in_duckdb)
        )
        assert left == right, table.name


def test_sqlite_keeps_dates_as_text_and_money_as_real(in_sqlite: dict[str, sqlite3.Connection]) -> None:
    query = "select distinct typeof(order_date), typeof(shipping_fee), typeof(order_id) from orders"
    assert in_sqlite[SALES].execute(query).fetchall() == [("text", "real", "integer")]


@pytest.mark.parametrize(
    ("db_id", "least", "query"),
    [
        # few customers order much, most little, some nothing
        (SALES, 30, "select max(n) from (select count(*) as n from orders group by customer_id)"),
        (
            SALES,
            10,
            "select count(*) from customers where customer_id not in (select customer_id from orders)",
        ),
        # NULL amounts, boundary dates, ties
        (SALES, 20, "select count(*) from orders where total_amount is null"),
        (SALES, 4, "select count(*) from orders where order_date in ('2024-01-01', '2024-12-31')"),
        (SALES, 6, "select count(list_price) - count(distinct list_price) from products"),
        (SALES, 6, "select count(order_date) - count(distinct order_date) from orders"),
        (SALES, 6, "select count(paid_on) - count(distinct paid_on) from invoices"),
        # some departments are large, one has nobody; students and courses without enrolments
        (UNIVERSITY, 60, "select max(n) from (select count(*) as n from students group by department_id)"),
        (
            UNIVERSITY,
            1,
            "select count(*) from departments where department_id not in "
            "(select department_id from students where department_id is not null)",
        ),
        (
            UNIVERSITY,
            30,
            "select count(*) from students where student_id not in (select student_id from enrolments)",
        ),
        (
            UNIVERSITY,
            10,
            "select count(*) from courses where course_id not in (select course_id from schedules)",
        ),
        # retakes and resits; NULL scores, advisors, salaries; edges of scores and of the add/drop deadline
        (
            UNIVERSITY,
            20,
            "select count(*) from (select student_id, course_id from enrolments inner join schedules "
            "using (schedule_id) group by all having count(*) > 1)",
        ),
        (UNIVERSITY, 30, "select count(*) from grades where attempt_number > 1"),
        (UNIVERSITY, 50, "select count(*) from grades where score is null"),
        (UNIVERSITY, 30, "select count(*) from students where advisor_id is null"),
        (UNIVERSITY, 5, "select count(*) from grades where score = 60"),
        (
            UNIVERSITY,
            10,
            "select count(*) from enrolments inner join schedules using (schedule_id) inner join semesters "
            "using (semester_id) where enrolled_on = add_drop_deadline",
        ),
        (UNIVERSITY, 5, "select count(salary) - count(distinct salary) from instructors"),
    ],
)
def test_the_data_is_as_life_is(in_duckdb: Files, db_id: str, least: int, query: str) -> None:
    (found,) = in_duckdb[db_id].execute(query).fetchone() or ()
    assert found >= least


@pytest.mark.parametrize(
    ("db_id", "table", "columns"),
    [
        (SALES, "products", "product_name"),
        (SALES, "suppliers", "supplier_name"),
        (SALES, "customers", "customer_name"),
        (SALES, "warehouses", "warehouse_name"),
        (UNIVERSITY, "departments", "department_name"),
        (UNIVERSITY, "courses", "course_title"),
        (UNIVERSITY, "courses", "course_code"),
        (UNIVERSITY, "semesters", "semester_name"),
        (UNIVERSITY, "instructors", "first_name, last_name"),
        (UNIVERSITY, "rooms", "building, room_number"),
    ],
)
def test_names_that_tell_rows_apart(in_duckdb: Files, db_id: str, table: str, columns: str) -> None:
    query = f"select count(*) from (select 1 from {table} group by {columns} having count(*) > 1)"
    assert in_duckdb[db_id].execute(query).fetchone() == (0,)


_IN_SEMESTER = "schedules inner join semesters using (semester_id)"


@pytest.mark.parametrize(
    ("db_id", "impossible"),
    [
        (SALES, "orders inner join customers using (customer_id) where order_date < registered_on"),
        (SALES, "orders where order_date > '2025-06-30'"),
        (
            SALES,
            "orders as o where total_amount <> "
            "(select sum(line_amount) from order_lines as l where l.order_id = o.order_id)",
        ),
        (
            SALES,
            "orders as o where status in ('shipped', 'delivered') "
            "and not exists (from shipments as s where s.order_id = o.order_id)",
        ),
        (SALES, "orders inner join shipments using (order_id) where status in ('pending', 'cancelled')"),
        (SALES, "orders inner join shipments using (order_id) where shipped_on <= order_date"),
        (
            SALES,
            "orders inner join shipments using (order_id) "
            "where status = 'delivered' and delivered_on is null",
        ),
        (SALES, "orders inner join invoices using (order_id) where amount <> total_amount + shipping_fee"),
        (SALES, "order_lines as l inner join products using (product_id) where l.unit_price <> list_price"),
        (SALES, "shipments where delivered_on <= shipped_on"),
        (SALES, "shipments inner join warehouses using (warehouse_id) where shipped_on < opened_on"),
        (SALES, "(select order_id from invoices group by order_id having count(*) > 1)"),
        (SALES, "invoices where paid_on > '2025-06-30' or due_date <= invoice_date"),
        (
            SALES,
            "returns as r inner join order_lines as l using (order_line_id) where r.quantity > l.quantity",
        ),
        (
            SALES,
            "returns inner join order_lines using (order_line_id) where refund_amount > line_amount",
        ),
        (
            SALES,
            "returns as r inner join order_lines using (order_line_id) inner join shipments using (order_id) "
            "where returned_on < delivered_on or returned_on > '2025-06-30'",
        ),
        (UNIVERSITY, "students where graduated_on <= admitted_on"),
        (UNIVERSITY, "students where (status = 'graduated') <> (graduated_on is not null)"),
        (UNIVERSITY, "semesters where end_date <= start_date"),
        (UNIVERSITY, "semesters where add_drop_deadline not between start_date and end_date"),
        (
            UNIVERSITY,
            f"{_IN_SEMESTER} inner join instructors using (instructor_id) "
            "where hired_on > start_date or left_on < end_date",
        ),
        (
            UNIVERSITY,
            f"{_IN_SEMESTER} inner join courses using (course_id) "
            "where introduced_on > start_date or discontinued_on < end_date",
        ),
        (
            UNIVERSITY,
            f"{_IN_SEMESTER} inner join enrolments using (schedule_id) "
            "inner join students using (student_id) "
            "where enrolled_on < admitted_on or graduated_on < end_date or enrolled_on > end_date",
        ),
        (
            UNIVERSITY,
            "(select 1 from enrolments inner join schedules using (schedule_id) "
            "group by student_id, course_id, semester_id having count(*) > 1)",
        ),
        (UNIVERSITY, "enrolments where (status = 'withdrawn') <> (withdrawn_on is not null)"),
        (UNIVERSITY, "grades where (score is null) <> (letter_grade is null)"),
        (UNIVERSITY, "grades where (score is null) <> (graded_on is null)"),
        (
            UNIVERSITY,
            "grades where score not between 0 and 100 or (score is null and examiner_id is not null)",
        ),
        (
            UNIVERSITY,
            "grades inner join instructors on instructor_id = examiner_id "
            "where graded_on < hired_on or graded_on > left_on",
        ),
        (UNIVERSITY, "grades inner join enrolments using (enrolment_id) where graded_on < enrolled_on"),
        (UNIVERSITY, "prerequisites where course_id = prerequisite_course_id"),
        (UNIVERSITY, "schedules where end_time <= start_time"),
    ],
)
def test_nothing_impossible_is_in_the_data(in_duckdb: Files, db_id: str, impossible: str) -> None:
    assert in_duckdb[db_id].execute(f"select count(*) from {impossible}").fetchone() == (0,)


def _content_sha256(tables: list[bank.TableRows]) -> str:
    def plain(value: Any) -> str | int | None:
        return str(value) if isinstance(value, date | Decimal) else value

    content = [
        [entry.table.name, [[plain(value) for value in row] for row in entry.rows]] for entry in tables
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
