"""The bank in every engine: the same rows and types come back, what exists is never dropped unasked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from glue import bank
from glue.bank import loading
from glue.bank.ddl import create_statement, declared_type
from glue.bank.generation import TableRows
from glue.bank.loading_servers import ServerChoice
from glue.bank.servers import let_read, load_tables
from glue.cells import Cells, cells_of_rows
from glue.cli import cli
from glue.connections import Connection, connection_of_url, store
from glue.dialects.catalog import read_catalog
from glue.engines.base import Limits, Session, engine_named
from glue.engines.server import Address
from glue.errors import GlueError
from glue.home import Home
from glue.importers.introspection import introspect
from glue.importers.live_shape import LiveCatalog
from glue.landing import landed_keys
from glue.live import LiveDatabase
from tests.engines.servers import LIVE, Server, Servers

SALES = "t1_a_sales_orders"
FILES = ["sqlite", "duckdb", "oracle-local", "mssql-local"]


@pytest.fixture
def small(manifest: bank.Manifest, monkeypatch: pytest.MonkeyPatch, servers: Servers) -> bank.Manifest:
    """One database of the manifest, under a name that no server has, and three of its questions."""
    db_id = f"bank_of_{servers['postgresql'].name}"
    questions = tuple(q for q in manifest.questions if q.db_id == SALES)[6:9]
    made = replace(
        manifest,
        questions=tuple(replace(question, db_id=db_id) for question in questions),
        instances={},
        databases={db_id: manifest.databases[SALES]},
    )
    monkeypatch.setattr(loading, "read_manifest", lambda: made)
    return made


@pytest.fixture
def server(request: pytest.FixtureRequest, servers: Servers, small: bank.Manifest) -> Iterator[Server]:
    found = servers[request.param]
    yield found
    (db_id,) = small.databases
    with suppress(Exception):
        found.run(f"drop schema {db_id}" + (" cascade" if found.engine == "postgresql" else ""))


def connect(home: Home, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections `reader`, of a user who may select in the server's database alone, and `owner`."""
    root = "postgres" if server.engine == "postgresql" else "root"
    where = f"127.0.0.1:{server.port}/{server.name}"
    for name, user in (("reader", server.name), ("owner", root)):
        store(home, connection_of_url(name, f"{server.engine}://{user}@{where}")[0])
    monkeypatch.setenv("EVALHOUSE_READER_PASSWORD", server.password)


def rows_there(session: Session, table: bank.BankTable) -> list[Cells]:
    session.execute(f"select * from {table.name}")
    rows: list[Cells] = []
    while fetched := session.fetch(500):
        rows += cells_of_rows(fetched)
    session.finish()
    session.close()
    return rows


def rows_wanted(manifest: bank.Manifest, db_id: str, has_dates: bool = True) -> list[list[Cells]]:
    wanted = [cells_of_rows(each.rows) for each in bank.generate(manifest, db_id)]
    if has_dates:
        return wanted
    return [[tuple(c and c.replace("d:", "t:", 1) for c in row) for row in rows] for rows in wanted]


@pytest.mark.parametrize("engine", FILES)
def test_files_hold_the_same_rows(
    engine: str, tier_1: bank.Manifest, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "read_manifest", lambda: tier_1)
    _load_and_compare(home, engine, tier_1)


@pytest.mark.slow
@pytest.mark.parametrize("engine", FILES)
def test_files_of_the_whole_bank_hold_the_same_rows(engine: str, manifest: bank.Manifest, home: Home) -> None:
    _load_and_compare(home, engine, manifest)


def _load_and_compare(home: Home, engine: str, manifest: bank.Manifest) -> None:
    bank.load_bank(home, engine, "x")
    suffix = "sqlite" if engine == "sqlite" else "duckdb"
    for db_id, tables in manifest.databases.items():
        path = home.root / "bank" / engine / f"{db_id}.{suffix}"
        for table, wanted in zip(tables, rows_wanted(manifest, db_id, engine != "sqlite"), strict=True):
            found = rows_there(engine_named(engine).open(path, Limits(1 << 29)), table)
            assert sorted(map(repr, found)) == sorted(map(repr, wanted)), table.name


@pytest.mark.parametrize("server", LIVE, indirect=True)
def test_servers_hold_the_same_rows_and_their_reader_sees_them(
    server: Server, small: bank.Manifest, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(home, server, monkeypatch)
    first = bank.load_bank(home, server.engine, "x", server=ServerChoice("reader", "owner"))
    ((db_id, tables),) = small.databases.items()
    assert first.benchmark == f"enterprise_{server.engine}" and first.notes[0].endswith(" made")
    for table, wanted in zip(tables, rows_wanted(small, db_id), strict=True):
        address = replace(server.address, search_path=(db_id,))
        found = rows_there(server.glue_engine.open_server(address, Limits(1 << 29)), table)
        assert sorted(map(repr, found)) == sorted(map(repr, wanted)), table.name
    names = ["engine", "path", "connection", "search_path", "snapshot_id"]
    (row,) = landed_keys(home, "databases", columns=names).to_pylist()
    assert row["snapshot_id"].startswith(f"live:reader/{db_id}@bank-")
    assert (row["engine"], row["path"], row["connection"]) == (server.engine, None, "reader")
    assert row["search_path"] == [db_id]
    again = bank.load_bank(home, server.engine, "x", server=ServerChoice("reader", "owner"))
    assert not again.is_new and again.notes[0].endswith(" holds it already")


@pytest.mark.parametrize("server", LIVE, indirect=True)
def test_the_servers_catalog_has_the_types_that_were_landed(
    server: Server, small: bank.Manifest, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(home, server, monkeypatch)
    bank.load_bank(home, server.engine, "x", server=ServerChoice("reader", "owner"))
    (db_id,) = small.databases
    there = server.run(
        "select table_name, column_name, data_type, character_maximum_length, numeric_precision,"
        f" numeric_scale from information_schema.columns where table_schema = '{db_id}'"
    )
    spelled = {"character varying": "varchar"}
    found = {}
    for table, column, name, length, precision, scale in there:
        kind = spelled.get(name.lower(), name.lower())
        digits = f"({precision},{scale})"
        sizes = {"varchar": f"({length})", "numeric": digits, "decimal": digits}
        found[table, column] = kind + sizes.get(kind, "")
    names = ["table_name", "column_name", "data_type"]
    landed = landed_keys(home, "columns", columns=names).to_pylist()
    assert {(r["table_name"], r["column_name"]): r["data_type"].lower() for r in landed} == found
    keys = server.run(
        f"select count(*) from information_schema.table_constraints where table_schema = '{db_id}'"
        " and constraint_type = 'FOREIGN KEY'"
    )
    n_keys = sum(len(table.foreign_keys) for table in small.databases[db_id])
    assert keys == [(n_keys,)]


@pytest.mark.parametrize("server", LIVE, indirect=True)
def test_what_exists_is_dropped_when_asked_and_only_that(
    server: Server, small: bank.Manifest, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(home, server, monkeypatch)
    choice = ServerChoice("reader", "owner")
    bank.load_bank(home, server.engine, "x", server=choice)
    (db_id,) = small.databases
    server.run(f"create table {db_id}.mine as select 1 as a")
    server.run(f"update {db_id}.customers set city = 'Bonn' where customer_id = 1")
    with pytest.raises(GlueError, match=r"not with its rows: customers") as raised:
        bank.load_bank(home, server.engine, "x", server=choice)
    assert "--replace" in str(raised.value.hint)
    assert server.run(f"select city from {db_id}.customers where customer_id = 1") == [("Bonn",)]
    report = bank.load_bank(home, server.engine, "x", server=replace(choice, replace=True))
    assert report.notes[0].endswith(" made")
    assert server.run(f"select city from {db_id}.customers where customer_id = 1") != [("Bonn",)]
    assert server.run(f"select a from {db_id}.mine") == [(1,)]


@pytest.mark.parametrize("server", LIVE, indirect=True)
def test_who_may_not_create_is_told(
    server: Server, small: bank.Manifest, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(home, server, monkeypatch)
    with pytest.raises(GlueError, match=r"failed: .*denied") as raised:
        bank.load_bank(home, server.engine, "x", server=ServerChoice("reader"))
    assert "--owner" in str(raised.value.hint)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["postgresql"], "through a connection"),
        (["sqlite", "--connection", "reader"], "are files"),
        (["sqlite", "--owner", "reader"], "are of a server"),
        (["postgresql", "--connection", "nobody"], "there is no connection 'nobody'"),
        (["mariadb", "--connection", "reader"], "leads to postgresql"),
        (["postgresql", "--connection", "reader", "--instance", "D'"], "supplementary instances are files"),
        (["oracle-locl"], "did you mean 'oracle-local'?"),
    ],
)
def test_wrong_commands(
    arguments: list[str], message: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALHOUSE_HOME", str(home.root))
    store(home, Connection("reader", "postgresql", "127.0.0.1"))
    result = CliRunner().invoke(cli, ["bank", "load", *arguments])
    error = result.exception
    assert isinstance(error, GlueError) and message in f"{error.message} {error.hint}"


def test_a_local_engines_file_says_what_its_dialect_knows(manifest: bank.Manifest, tmp_path: Path) -> None:
    for engine, dialect, name, types in (
        ("oracle-local", "oracle", "ORDERS", ["NUMBER(10)", "VARCHAR2(20 CHAR)", "NUMBER(10,2)", "DATE"]),
        ("mssql-local", "tsql", "orders", ["INT", "NVARCHAR(20)", "DECIMAL(10,2)", "DATE"]),
    ):
        path = tmp_path / f"{engine}.duckdb"
        assert bank.write_duckdb(manifest, SALES, path, engine)
        assert not bank.write_duckdb(manifest, SALES, path, engine)
        with duckdb.connect(str(path), read_only=True) as connection:
            tables = {table.name: table for table in read_catalog(connection, dialect)}
        assert len(tables) == 10 and tables[name].is_exact
        found = {column.declared_type for column in tables[name].columns}
        assert found == {*types}
        facts = introspect(path)
        assert facts.engine == engine
        (table,) = [table for table in facts.tables if table.name == name]
        there = [column.data_type for column in table.columns]
        assert there == [column.declared_type for column in tables[name].columns]
        assert table.description == manifest.table(SALES, "orders").description
        assert len(facts.keys) == 10


def test_d_prime_of_a_local_engine_is_that_of_duckdb(manifest: bank.Manifest, tmp_path: Path) -> None:
    for instance in ("t1a-007", "t1a-018", "t1b-020"):
        db_id = manifest.instances[instance][0].db_id
        contents = []
        for engine in ("duckdb", "oracle-local"):
            base = tmp_path / f"{db_id}.{engine}"
            bank.write_duckdb(manifest, db_id, base, engine)
            path = tmp_path / f"{instance}.{engine}"
            bank.write_instance(manifest, instance, engine, base, path)
            with duckdb.connect(str(path), read_only=True) as connection:
                contents.append(
                    [
                        sorted(map(repr, cells_of_rows(connection.execute(f"from {table.name}").fetchall())))
                        for table in manifest.databases[db_id]
                    ]
                )
        assert contents[0] == contents[1]


def test_a_key_that_is_inferred_is_landed_as_such_and_made_nowhere(
    manifest: bank.Manifest, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = []
    for table in manifest.databases[SALES]:
        keys = [replace(key, is_enforced=key.name != "fk_orders_customer") for key in table.foreign_keys]
        tables.append(replace(table, foreign_keys=tuple(keys)))
    made = replace(manifest, databases={SALES: tuple(tables)}, questions=(), instances={})
    monkeypatch.setattr(loading, "read_manifest", lambda: made)
    bank.load_bank(home, "duckdb", "x")
    rows = landed_keys(home, "foreign_keys", columns=["key_name", "is_inferred"]).to_pylist()
    assert {row["key_name"] for row in rows if row["is_inferred"]} == {"fk_orders_customer"}
    assert len(introspect(home.root / "bank" / "duckdb" / f"{SALES}.duckdb").keys) == 9
    assert "fk_orders_customer" not in create_statement(made.table(SALES, "orders"), "postgresql")


# --- Servers that cannot be had: the statements that would be sent ------------------------------------------


def test_types_in_each_engines_words() -> None:
    assert {
        engine: [declared_type(kind, engine) for kind in ("INTEGER", "DECIMAL(10,2)", "VARCHAR(80)", "DATE")]
        for engine in ("sqlite", "duckdb", "postgresql", "mysql", "oracle", "sqlserver")
    } == {
        "sqlite": ["INTEGER", "REAL", "VARCHAR(80)", "DATE"],
        "duckdb": ["INTEGER", "DECIMAL(10,2)", "VARCHAR(80)", "DATE"],
        "postgresql": ["INTEGER", "NUMERIC(10,2)", "VARCHAR(80)", "DATE"],
        "mysql": ["INT", "DECIMAL(10,2)", "VARCHAR(80)", "DATE"],
        "oracle": ["NUMBER(10)", "NUMBER(10,2)", "VARCHAR2(80 CHAR)", "DATE"],
        "sqlserver": ["INT", "DECIMAL(10,2)", "NVARCHAR(80)", "DATE"],
    }


class Recorded:
    """A driver's connection that notes what it is sent; whatever it is asked, there is nothing."""

    autocommit = False

    def __init__(self) -> None:
        self.sent: list[str] = []

    def cursor(self) -> Recorded:
        return self

    def execute(self, sql: str) -> None:
        self.sent.append(sql)

    def executemany(self, sql: str, rows: list[Any]) -> None:
        self.sent.append(f"{sql} x {len(rows)}")

    def fetchall(self) -> list[Any]:
        return []

    def commit(self) -> None:
        self.sent.append("commit")

    def rollback(self) -> None:
        self.sent.append("rollback")

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("engine", "schema", "expected"),
    [
        (
            "oracle",
            "BANK",
            [
                "rollback",
                "select username from all_users",
                'create user "BANK" no authentication quota unlimited on users',
                "commit",
                "select table_name from all_tables where owner = 'BANK'",
                'CREATE TABLE "BANK"."WAREHOUSES" (\n    "WAREHOUSE_ID" NUMBER(10) NOT NULL,',
                'insert into "BANK"."WAREHOUSES" values (:1, :2, :3, :4, :5, :6) x 2',
                "commit",
                "rollback",
                'grant select on "BANK"."WAREHOUSES" to "ADA"',
                "commit",
            ],
        ),
        (
            "sqlserver",
            "dbo",
            [
                "rollback",
                "select name from sys.schemas",
                "create schema [dbo]",
                "commit",
                "select table_name from information_schema.tables where table_schema = 'dbo'",
                "CREATE TABLE [dbo].[warehouses] (\n    [warehouse_id] INT NOT NULL,",
                "insert into [dbo].[warehouses] values (?, ?, ?, ?, ?, ?) x 2",
                "commit",
                "rollback",
                "grant select on [dbo].[warehouses] to [ADA]",
                "commit",
            ],
        ),
    ],
)
def test_what_a_server_that_cannot_be_had_would_be_sent(
    engine: str, schema: str, expected: list[str], manifest: bank.Manifest
) -> None:
    table = manifest.table(SALES, "warehouses")
    rows = [(number, "name", "city", "DE", None, None) for number in (1, 2)]
    link = Recorded()
    nothing = LiveCatalog(*[""] * 7)
    with LiveDatabase(Address(engine), nothing, link, ValueError) as database:
        loaded = load_tables(database, Connection("c", engine), [TableRows(table, rows)], schema, False)
        let_read(database, [TableRows(table, rows)], schema, "ADA")
    assert loaded
    assert [sent[: len(want)] for sent, want in zip(link.sent, expected, strict=True)] == expected
