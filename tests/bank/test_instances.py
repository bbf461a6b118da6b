"""Supplementary instances D′: steps in every dialect, files of both engines, keys that hold."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from glue import bank
from glue.bank.instances import apply_steps
from glue.bank.manifest import BankQuestion, InstanceStep
from glue.errors import GlueError
from tests.bank.checks import ENGINES, Bench, plain_cell

DB_ID = "t1_a_sales_orders"
STEPS = (
    InstanceStep(
        "q",
        1,
        DB_ID,
        "update",
        "orders",
        "order_date < '2024-01-03' AND status <> 'x'",
        {"total_amount": None},
    ),
    InstanceStep(
        "q",
        2,
        DB_ID,
        "insert",
        "customers",
        None,
        {
            "customer_id": 900001,
            "customer_name": "O'Neill",
            "customer_segment": "Consumer",
            "city": "Cork",
            "country": "Ireland",
            "credit_limit": 12.5,
            "registered_on": "2024-02-29",
        },
    ),
    InstanceStep(
        "q", 3, DB_ID, "update", "orders", "order_id = 5", {"customer_id": 900001, "order_date": "2024-12-31"}
    ),
)


def _with(manifest: bank.Manifest, *steps: InstanceStep) -> bank.Manifest:
    return replace(manifest, instances={"q": steps})


def test_a_step_in_every_dialect(manifest: bank.Manifest) -> None:
    def rendered(engine: str) -> list[str]:
        return [bank.render_step(step, manifest.table(DB_ID, step.table_name), engine) for step in STEPS]

    names = "customer_id, customer_name, customer_segment, city, country, credit_limit, registered_on"
    assert rendered("sqlite") == [
        "UPDATE orders SET total_amount = NULL WHERE order_date < '2024-01-03' AND status <> 'x'",
        f"INSERT INTO customers ({names}) VALUES "
        "(900001, 'O''Neill', 'Consumer', 'Cork', 'Ireland', 12.5, '2024-02-29')",
        "UPDATE orders SET customer_id = 900001, order_date = '2024-12-31' WHERE order_id = 5",
    ]
    dated = [
        "UPDATE orders SET total_amount = NULL WHERE order_date < DATE '2024-01-03' AND status <> 'x'",
        f"INSERT INTO customers ({names}) VALUES "
        "(900001, 'O''Neill', 'Consumer', 'Cork', 'Ireland', 12.5, DATE '2024-02-29')",
        "UPDATE orders SET customer_id = 900001, order_date = DATE '2024-12-31' WHERE order_id = 5",
    ]
    assert rendered("duckdb") == rendered("oracle") == dated


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_has_the_base_data_and_the_steps(
    manifest: bank.Manifest, bench: Bench, tmp_path: Path, engine: str
) -> None:
    """Also the third step, which DuckDB cannot do in place: order lines refer to the order."""
    path, changed = tmp_path / f"q.{engine}", _with(manifest, *STEPS)
    base = bench.base_file(DB_ID, engine)
    before = base.read_bytes()
    assert bank.write_instance(changed, "q", engine, base, path)
    assert base.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    first = path.read_bytes()
    assert not bank.write_instance(changed, "q", engine, base, path)
    assert path.read_bytes() == first
    opened = sqlite3.connect(path) if engine == "sqlite" else duckdb.connect(str(path), read_only=True)
    with closing(opened) as connection:

        def one(query: str) -> str | None:
            return plain_cell(connection.execute(query).fetchone()[0])

        assert one("select count(*) from customers") == "n:181"
        assert one("select registered_on from customers where customer_id = 900001") == "t:2024-02-29"
        assert one("select email from customers where customer_id = 900001") is None
        assert one("select customer_id from orders where order_id = 5") == "n:900001"
        assert one("select count(total_amount) from orders where order_date < '2024-01-03'") == "n:0"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("step", "message"),
    [
        (replace(STEPS[0], row_condition="order_id = 0"), "instance q, step 1 touches no row"),
        (replace(STEPS[0], row_condition="order_idd = 1"), "instance q, step 1 fails"),
        (replace(STEPS[2], assignments={"customer_id": 800000}), "instance q(, step 3 fails| breaks a key)"),
        (replace(STEPS[2], assignments={"status": None}), "instance q(, step 3 fails| breaks a key)"),
        (replace(STEPS[1], assignments={"customer_id": 1}), "instance q(, step 2 fails| breaks a key)"),
    ],
)
def test_a_wrong_step_is_named_and_leaves_no_file(
    manifest: bank.Manifest, bench: Bench, tmp_path: Path, engine: str, step: InstanceStep, message: str
) -> None:
    base = bench.base_file(DB_ID, engine)
    with pytest.raises(GlueError, match=message):
        bank.write_instance(_with(manifest, step), "q", engine, base, tmp_path / f"q.{engine}")
    assert list(tmp_path.iterdir()) == []


def test_every_question_has_an_instance(manifest: bank.Manifest) -> None:
    assert sorted(manifest.instances) == sorted(question.question_id for question in manifest.questions)


def test_no_instance_breaks_a_key(manifest: bank.Manifest, bench: Bench) -> None:
    """Of every database: the steps run where keys are enforced, and leave none broken."""
    for db_id in manifest.databases:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            with closing(sqlite3.connect(bench.base_file(db_id, "sqlite"))) as base:
                base.backup(connection)
            connection.execute("pragma foreign_keys = on")
            for question in manifest.questions:
                if question.db_id == db_id:
                    steps = manifest.instances[question.question_id]
                    connection.execute("begin")
                    apply_steps(connection, manifest.databases[db_id], steps, "sqlite")
                    for name in {step.table_name for step in steps}:
                        broken = connection.execute(f"pragma foreign_key_check({name})").fetchall()
                        assert broken == [], question.question_id
                    connection.execute("rollback")


def test_the_instances_of_both_engines_hold_the_same(
    manifest: bank.Manifest, translated: tuple[BankQuestion, ...], bench: Bench
) -> None:
    """Every changed table, cell by cell; and SQLite finds no broken key (DuckDB has refused one already)."""
    for question in translated:
        steps = manifest.instances[question.question_id]
        in_sqlite, in_duckdb = (bench.connection(question, engine, "D′") for engine in ("sqlite", "duckdb"))
        assert in_sqlite.execute("pragma foreign_key_check").fetchall() == [], question.question_id
        for name in {step.table_name for step in steps}:
            key = ", ".join(manifest.table(question.db_id, name).primary_key)
            left, right = (
                [
                    tuple(map(plain_cell, row))
                    for row in connection.execute(f"select * from {name} order by {key}").fetchall()
                ]
                for connection in (in_sqlite, in_duckdb)
            )
            assert left == right, (question.question_id, name)
