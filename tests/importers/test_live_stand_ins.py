"""The queries of Oracle's and SQL Server's catalogs on made-up dictionaries in DuckDB, translated by sqlglot.

A stand-in: it shows that the queries hold together and give what the reader expects, not that the servers'
dictionaries are as their manuals say.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot

from glue.connections import Connection
from glue.engines.server import Address
from glue.importers.introspection import DatabaseFacts
from glue.importers.live import Selection, live_facts
from glue.importers.live_shape import LiveCatalog
from glue.live import LiveDatabase, catalog_of, server_of

SCRIPTS = Path(__file__).parent / "stand_ins"
DIALECTS = {
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
    "oracle": "oracle",
    "sqlserver": "tsql",
}


class StandIn:
    """A connection and its cursor: DuckDB behind another dialect."""

    def __init__(self, dialect: str, script: str) -> None:
        self.dialect = dialect
        self.link = duckdb.connect()
        self.link.execute(script)
        self.call_timeout = self.timeout = 0.0

    def cursor(self) -> StandIn:
        return self

    def execute(self, sql: str, parameters: Any = None) -> None:
        (translated,) = sqlglot.transpile(sql, read=self.dialect, write="duckdb")
        values = list(parameters.values()) if isinstance(parameters, dict) else parameters
        if isinstance(parameters, dict):
            translated = translated.replace("$schema", "?").replace(":schema", "?")
            values = values * translated.count("?")
        self.found = self.link.execute(translated, values)
        self.description = self.found.description

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.found.fetchall()

    def close(self) -> None:
        """The cursor's: nothing to let go of."""


def stand_in(engine: str) -> LiveDatabase:
    link = StandIn(DIALECTS[engine], (SCRIPTS / f"{engine}.sql").read_text())
    return LiveDatabase(Address(engine, "h"), catalog_of(engine), link, duckdb.Error)


@pytest.fixture(params=["oracle", "sqlserver"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def facts_of(engine: str) -> DatabaseFacts:
    return live_facts(stand_in(engine), Connection("shop", engine, "h"), Selection(label="monday"))


def test_tables_and_keys(engine: str) -> None:
    facts = facts_of(engine)
    tables = {
        table.name.lower(): (table.n_rows, table.is_row_estimate, table.is_view, table.description)
        for table in facts.tables
    }
    assert tables == {
        "customers": (1, False, False, "who buys"),
        "orders": (900_000, True, False, None),
        "seen": (None, None, True, None),
    }
    keys = [
        (key.table.lower(), key.columns[0].lower(), key.referenced_table.lower(), key.is_inferred)
        for key in facts.keys
    ]
    assert keys == [("orders", "customer_id", "customers", False)]
    assert facts.snapshot_id.lower() == "live:shop/sales@monday"


def test_columns(engine: str) -> None:
    columns = {
        f"{table.name}.{column.name}".lower(): (column.data_type, column.is_nullable, column.is_primary_key)
        for table in facts_of(engine).tables
        for column in table.columns
    }
    expected = {
        "oracle": {
            "customers.id": ("NUMBER(10,0)", False, True),
            "customers.city": ("VARCHAR2(40)", True, False),
            "customers.n": ("INTEGER", True, False),
            "orders.order_no": ("NUMBER", False, True),
            "orders.customer_id": ("NUMBER(10,0)", True, False),
            "orders.at": ("TIMESTAMP(6)", True, False),
            "seen.order_no": ("NUMBER", True, False),
        },
        "sqlserver": {
            "customers.id": ("int", False, True),
            "customers.city": ("nvarchar(40)", True, False),
            "orders.order_no": ("int", False, True),
            "orders.customer_id": ("int", True, False),
            "orders.total": ("decimal(10,2)", True, False),
            "orders.text": ("varchar(max)", True, False),
            "orders.at": ("datetime2(7)", True, False),
            "seen.order_no": ("int", True, False),
        },
    }[engine]
    assert columns == expected
    comments = [c.description for table in facts_of(engine).tables for c in table.columns if c.description]
    assert comments == ["where"]


def test_who_is_there_and_what_they_may_do(engine: str) -> None:
    server = server_of(stand_in(engine))
    assert (server.user.lower(), server.database) == ("reader", "shop")
    expected = {
        "oracle": {"CREATE TABLE", "INSERT ANY TABLE", "UPDATE on SALES.ORDERS"},
        "sqlserver": {"INSERT on the database", "CREATE TABLE on the database"},
    }[engine]
    assert set(server.powers) == expected


@pytest.mark.parametrize("name", DIALECTS)
def test_every_query_parses_in_its_dialect(name: str) -> None:
    catalog = catalog_of(name)
    for field in fields(LiveCatalog):
        text = getattr(catalog, field.name)
        if isinstance(text, str) and " " in text and "{" not in text:
            sqlglot.parse_one(text.replace("%(schema)s", "'s'").replace("?", "'s'"), dialect=DIALECTS[name])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("postgresql", '"a""b"."c"'),
        ("mariadb", '`a"b`.`c`'),
        ("oracle", '"a""b"."c"'),
        ("sqlserver", '[a"b].[c]'),
    ],
)
def test_names_are_quoted(name: str, expected: str) -> None:
    assert catalog_of(name).quoted('a"b', "c") == expected
