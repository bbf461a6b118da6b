"""Foreign keys inferred from names and unique keys, and columns that look personal."""

from __future__ import annotations

import time

import pytest

from glue.importers.inferred_keys import KeyedTable, inferred_keys
from glue.importers.personal import looks_personal


def table(name: str, columns: str, primary: str = "", unique: str = "", declared: str = "") -> KeyedTable:
    """Columns as 'id:int name:text'; keys as names; a schema before a dot."""
    schema, _, bare = name.rpartition(".")
    keys = tuple(primary.split())
    return KeyedTable(
        schema=schema,
        name=bare,
        shown=name,
        types={column.split(":")[0]: column.split(":")[1] for column in columns.split()},
        primary=keys,
        unique=frozenset([*unique.split(), *(keys if len(keys) == 1 else ())]),
        declared=frozenset(declared.split()),
    )


def pairs(*tables: KeyedTable) -> list[tuple[str, str]]:
    return [
        (f"{key.table}.{key.columns[0]}", f"{key.referenced_table}.{key.referenced_columns[0]}")
        for key in inferred_keys(tables)
    ]


ORDERS = table("orders", "order_no:int customer_id:int", "order_no")


def test_the_same_name_and_type_as_another_tables_key() -> None:
    assert pairs(ORDERS, table("lines", "order_no:int pos:int", "order_no pos")) == [
        ("lines.order_no", "orders.order_no")
    ]
    assert pairs(ORDERS, table("lines", "ORDER_NO:int")) == [("lines.ORDER_NO", "orders.order_no")]
    assert pairs(ORDERS, table("lines", "order_no:bigint")) == []


@pytest.mark.parametrize(
    ("referenced", "column"),
    [
        ("customers", "customer_id"),
        ("customer", "customer_id"),
        ("Customers", "customerID"),
        ("categories", "category_id"),
        ("boxes", "box_id"),
    ],
)
def test_a_column_called_as_a_table_and_its_primary_key(referenced: str, column: str) -> None:
    found = pairs(table("t", f"{column}:int"), table(referenced, "id:int title:text", "id"))
    assert found == [(f"t.{column}", f"{referenced}.id")]


def test_a_catalog_of_thousands_of_tables_takes_seconds() -> None:
    """A look at every two tables for each column would take a quarter of an hour."""
    columns = " ".join(f"c{number}:int" for number in range(20))
    tables = [table(f"t{i}s", f"id:int t{(i + 7) % 3_000}_id:int {columns}", "id") for i in range(3_000)]
    started_s = time.monotonic()
    assert len(pairs(*tables)) == 3_000
    assert time.monotonic() - started_s < 10


@pytest.mark.parametrize(
    "tables",
    [
        [table("a", "id:int", "id"), table("b", "id:int", "id")],  # a name that every table has
        [table("a", "code:text"), table("b", "code:text", "code")],
        [table("a", "sku:text", unique="sku"), table("b", "sku:text", "sku")],  # which of them refers?
        [table("a", "sku:text"), table("b", "sku:text", "sku"), table("c", "sku:text", "sku")],  # to which?
        [table("a", "sku:text", declared="sku"), table("b", "sku:text", "sku")],
        [table("x.a", "sku:text"), table("y.b", "sku:text", "sku")],
        [table("a", "sku:text"), table("b", "sku:text day:date", "sku day")],
        [table("orders", "order_id:int"), table("orderss", "id:int", unique="id")],  # no primary key
    ],
)
def test_where_in_doubt_nothing_is_inferred(tables: list[KeyedTable]) -> None:
    assert pairs(*tables) == []


def test_inferred_keys_say_so() -> None:
    (key,) = inferred_keys([ORDERS, table("lines", "order_no:int")])
    assert (key.name, key.is_inferred) == ("inferred:lines.order_no", True)


@pytest.mark.parametrize(
    "name",
    [
        "name",
        "customer_name",
        "CustomerName",
        "EMailAddress",
        "e-mail",
        "email2",
        "dateOfBirth",
        "BIRTH_DATE",
        "homephone",
        "phones",
        "SSN",
        "客户姓名",
        "password_hash",
        "born",
    ],
)
def test_columns_that_look_personal(name: str) -> None:
    assert looks_personal(name)


@pytest.mark.parametrize(
    "name", ["id", "total", "city", "status", "filename_id", "enamel", "page", "usage", "taxi"]
)
def test_columns_that_do_not(name: str) -> None:
    assert not looks_personal(name)
