"""Catalogs of live databases, read from PostgreSQL and MariaDB."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glue.connections import Connection, address_of, store
from glue.errors import GlueError
from glue.home import Home
from glue.importers import live
from glue.importers.common import ImportBatch, land
from glue.importers.defog import read_defog
from glue.importers.jsonl import read_jsonl
from glue.importers.live import Selection, live_facts, read_live_database
from glue.importers.live_questions import LiveDatabases
from glue.live import opened, server_of
from tests.engines.servers import LIVE, Server, Servers

SCRIPTS = {
    "postgresql": """
        create type mood as enum ('calm', 'cross');
        create table customers (
            id integer primary key, full_name text not null, email varchar(40), city text,
            feels mood, born date);
        comment on table customers is 'who buys'; comment on column customers.city is 'where they live';
        create table orders (
            order_no integer primary key, customer_id integer, total numeric(10, 2) default 0, raw bytea);
        create table lines (order_no integer, pos integer, sku char(4), primary key (order_no, pos));
        create table returns (
            line_order integer, line_pos integer, foreign key (line_order, line_pos) references lines);
        create view cheap as select order_no, total from orders where total < 5;
        create table days (d date) partition by range (d);
        create table days_1 partition of days for values from ('2026-01-01') to ('2027-01-01');
        insert into days values ('2026-02-03');
        create schema stock; create table stock.bins (id integer, sku char(4) unique);
        create table stock.orders (order_no integer references public.orders);
    """,
    "mariadb": """
        create table customers (
            id integer primary key, full_name text not null, email varchar(40),
            city text comment 'where they live', feels enum('calm', 'cross'), born date) comment 'who buys';
        create table orders (
            order_no integer primary key, customer_id integer, total numeric(10, 2) default 0, raw blob);
        create table `lines` (order_no integer, pos integer, sku char(4), primary key (order_no, pos));
        create table returns (
            line_order integer, line_pos integer,
            foreign key (line_order, line_pos) references `lines` (order_no, pos));
        create view cheap as select order_no, total from orders where total < 5;
    """,
}
ROWS = """
    insert into customers values
        (1, 'Ada', 'ada@example.org', 'Oslo', 'calm', '1990-01-02'), (2, 'Bo', null, 'Lima', null, null),
        (3, 'Cy', null, 'Oslo', 'cross', null);
    insert into orders values (10, 1, 2.50, null), (11, 2, 7, null);
"""
DROPS = {
    "postgresql": "drop schema stock cascade; drop table days, returns, lines, orders, customers cascade;"
    " drop type mood",
    "mariadb": "drop view cheap; drop table returns, `lines`, orders, customers",
}


@pytest.fixture(params=LIVE)
def server(request: pytest.FixtureRequest, servers: Servers) -> Iterator[Server]:
    server = servers[request.param]
    server.run(SCRIPTS[server.engine])
    server.run(ROWS)
    if server.engine == "postgresql":
        server.run(f"grant usage on schema stock to {server.name}")
        server.run(f"grant select on all tables in schema stock to {server.name}")
    yield server
    server.run(DROPS[server.engine])


@pytest.fixture
def connection(server: Server, monkeypatch: pytest.MonkeyPatch) -> Connection:
    monkeypatch.setenv("EVALHOUSE_SHOP_PASSWORD", server.password)
    return Connection("shop", server.engine, "127.0.0.1", server.port, server.name, server.name)


def read(connection: Connection, **selection: Any) -> ImportBatch:
    return read_live_database(connection, Selection(label="monday", **selection), "ours", "shop")


def home_schema(server: Server) -> str:
    return server.search_path[0]


def test_tables_views_comments_and_counts(connection: Connection, server: Server) -> None:
    batch = read(connection)
    counts = {row["table_name"]: (row["n_rows"], row["is_row_estimate"]) for row in batch.rows["tables"]}
    expected = {
        "cheap": (None, None),
        "customers": (3, False),
        "lines": (0, False),
        "orders": (2, False),
        "returns": (0, False),
    }
    if server.engine == "postgresql":
        expected["days"] = (1, False)  # its partition is no table of its own
    assert counts == expected
    comments = {row["table_name"]: row["description"] for row in batch.rows["tables"] if row["description"]}
    assert comments == {"customers": "who buys"}
    (database,) = batch.rows["databases"]
    assert database == {
        "benchmark": "ours",
        "db_id": "shop",
        "source": "introspection",
        "engine": server.engine,
        "path": None,
        "n_bytes": None,
        "connection": "shop",
        "search_path": [home_schema(server)],
        "snapshot_id": f"live:shop/{home_schema(server)}@monday",
    }


def test_columns_types_keys_and_comments(connection: Connection, server: Server) -> None:
    batch = read(connection)
    columns = {(row["table_name"], row["column_name"]): row for row in batch.rows["columns"]}
    types = {
        "postgresql": {
            "id": "integer",
            "full_name": "text",
            "email": "character varying(40)",
            "city": "text",
            "feels": "mood",
            "born": "date",
        },
        "mariadb": {
            "id": "int(11)",
            "full_name": "text",
            "email": "varchar(40)",
            "city": "text",
            "feels": "enum('calm','cross')",
            "born": "date",
        },
    }[server.engine]
    of_customers = {name: row for (table, name), row in columns.items() if table == "customers"}
    assert {name: row["data_type"] for name, row in of_customers.items()} == types
    assert [row["column_position"] for row in of_customers.values()] == [1, 2, 3, 4, 5, 6]
    assert {name: row["is_nullable"] for name, row in of_customers.items()} == {
        name: name not in ("id", "full_name") for name in types
    }
    assert of_customers["city"]["description"] == "where they live"
    assert {place for place, row in columns.items() if row["is_primary_key"]} == {
        ("customers", "id"),
        ("orders", "order_no"),
        ("lines", "order_no"),
        ("lines", "pos"),
    }
    assert {row["sample_values"] is None for row in batch.rows["columns"]} == {True}


def test_declared_keys_and_inferred_ones(connection: Connection) -> None:
    keys = [
        (
            row["table_name"],
            row["column_name"],
            row["referenced_table"],
            row["referenced_column"],
            row["key_position"],
            row["is_inferred"],
        )
        for row in read(connection).rows["foreign_keys"]
    ]
    assert sorted(keys) == [
        ("lines", "order_no", "orders", "order_no", 1, True),
        ("orders", "customer_id", "customers", "id", 1, True),
        ("returns", "line_order", "lines", "order_no", 1, False),
        ("returns", "line_pos", "lines", "pos", 2, False),
    ]


def test_samples_are_of_columns_that_do_not_look_personal(connection: Connection) -> None:
    batch = read(connection, n_samples=2)
    samples = {(row["table_name"], row["column_name"]): row["sample_values"] for row in batch.rows["columns"]}
    assert samples["customers", "id"] == ["1", "2"]
    assert samples["customers", "city"] == ["Oslo", "Lima"]
    assert samples["customers", "feels"] == ["calm", "cross"]
    assert samples["orders", "total"] == ["2.50", "7.00"]
    assert samples["lines", "sku"] == []
    for personal in ("full_name", "email", "born"):
        assert samples["customers", personal] is None
    assert samples["orders", "raw"] is None  # bytes
    assert samples["cheap", "total"] is None  # a view
    said = json.dumps([batch.rows, batch.notes], default=str)
    assert "ada@example.org" not in said and "Ada" not in said and "1990" not in said
    assert "columns without samples, since they look personal: full_name, email, born" in batch.notes


def test_patterns_choose_tables(connection: Connection, server: Server) -> None:
    def names(*patterns: str) -> set[str]:
        return {row["table_name"] for row in read(connection, tables=patterns).rows["tables"]}

    assert names("C*", "lines") == {"cheap", "customers", "lines"}
    assert names(f"{home_schema(server)}.ord*") == {"orders"}
    with pytest.raises(GlueError, match=r"is called like fact_\*"):
        names("fact_*")
    keys = read(connection, tables=("returns",)).rows["foreign_keys"]
    assert {row["referenced_table"] for row in keys} == {f"{home_schema(server)}.lines"}


def test_a_database_has_a_name(connection: Connection) -> None:
    for db_id in ("", " "):
        with pytest.raises(GlueError, match=r"--db-id: '.*' is no name"):
            read_live_database(connection, Selection(), "ours", db_id)


def test_an_unknown_schema_is_named(connection: Connection, server: Server) -> None:
    wanted = home_schema(server)[:-1] + "x"
    with pytest.raises(GlueError, match=f"there is no schema '{wanted}'") as caught:
        read(connection, schemas=(wanted,))
    assert home_schema(server) in (caught.value.hint or "")


def test_large_tables_keep_the_servers_estimate(
    connection: Connection, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.run("analyze customers" if server.engine == "postgresql" else "analyze table customers")
    monkeypatch.setattr(live, "EXACT_ROWS", 2)
    batch = read(connection, tables=("customers",))
    assert [(row["n_rows"], row["is_row_estimate"]) for row in batch.rows["tables"]] == [(3, True)]
    assert "row counts that are the server's estimates: 1" in batch.notes


def test_a_count_that_takes_too_long_ends(
    connection: Connection, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {
        "postgresql": "(select pg_sleep(20)) as {place}",
        "mariadb": "(select distinct sleep(20) from {place}) as t",
    }[server.engine]
    with opened(connection, address_of(connection)) as database:
        database.limit_time(0.3)
        reader = live._Reader(database, connection, Selection())
        monkeypatch.setattr(
            type(database.catalog), "quoted", lambda _, *names: slow.format(place="customers")
        )
        assert reader._count("any", "customers") is None
        assert database.rows("select 1") == [(1,)]


def test_a_user_without_rights_is_told(connection: Connection, server: Server) -> None:
    other = replace(connection, database="postgres" if server.engine == "postgresql" else None)
    with opened(other, address_of(other)) as database:
        if server.engine == "postgresql":
            with pytest.raises(GlueError, match="this user may read no table") as caught:
                live_facts(database, other, Selection())
            assert "glue engine grant postgresql" in (caught.value.hint or "")
        else:
            with pytest.raises(GlueError, match="no table has a name without a schema") as caught:
                live_facts(database, other, Selection())
            assert server.name in (caught.value.hint or "")


def test_the_catalog_is_read_by_a_user_who_may_not_write(connection: Connection) -> None:
    with opened(connection, address_of(connection)) as database:
        assert server_of(database).powers == ()
        with pytest.raises(database.error):
            database.rows("create table more (x integer)")


# --- PostgreSQL: several schemas ----------------------------------------------------------------------------


def test_names_are_bare_where_the_search_path_finds_them(connection: Connection, server: Server) -> None:
    if server.engine != "postgresql":
        return
    batch = read(connection, schemas=("stock", "PUBLIC"))
    names = [row["table_name"] for row in batch.rows["tables"]]
    assert names[:3] == ["bins", "orders", "cheap"]
    assert "public.orders" in names
    (database,) = batch.rows["databases"]
    assert database["search_path"] == ["stock", "public"]
    assert database["snapshot_id"] == "live:shop/stock,public@monday"
    keys = {
        (row["table_name"], row["referenced_table"]): row["is_inferred"] for row in batch.rows["foreign_keys"]
    }
    assert keys["orders", "public.orders"] is False
    notes = read(connection).notes
    assert "schemas: public; left out (--schemas): stock (2 tables)" in notes


# --- Landing ------------------------------------------------------------------------------------------------


def test_the_same_catalog_lands_once_and_another_needs_replace(
    connection: Connection, server: Server, home: Home
) -> None:
    assert land(home, read(connection)).is_new
    assert not land(home, read(connection)).is_new
    server.run("insert into orders values (12, 3, 1, null)")
    with pytest.raises(GlueError, match="imported already"):
        land(home, read(connection))
    assert land(home, read(connection), replace=True).is_new


@pytest.mark.parametrize("label", ["", " ", "a@b", "a\nb", "x" * 81])
def test_a_label_is_a_short_text(label: str) -> None:
    with pytest.raises(GlueError, match="is no label"):
        _ = Selection(label=label).snapshot_label


# --- Questions ----------------------------------------------------------------------------------------------


def questions(folder: Path, *db_ids: str) -> Path:
    path = folder / "questions.jsonl"
    lines = [{"db_id": db_id, "question": "How many?", "golds": ["SELECT 1"]} for db_id in db_ids]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_questions_ask_what_was_imported(
    connection: Connection, server: Server, home: Home, tmp_path: Path
) -> None:
    store(home, connection)
    land(home, read(connection, tables=("orders",)))
    batch = read_jsonl("ours", questions(tmp_path, "shop"), live=LiveDatabases.of(home, "shop", (), None))
    (database,) = batch.rows["databases"]
    assert (database["snapshot_id"], database["connection"], database["search_path"]) == (
        f"live:shop/{home_schema(server)}@monday",
        "shop",
        [home_schema(server)],
    )
    assert "tables" not in batch.rows  # the selection of its own import stands
    assert land(home, batch).is_new


def test_questions_bring_the_catalog_of_what_was_not(
    connection: Connection, server: Server, home: Home, tmp_path: Path
) -> None:
    store(home, connection)
    path = questions(tmp_path, "shop")
    batch = read_jsonl("ours", path, live=LiveDatabases.of(home, "shop", (), "friday"))
    assert batch.rows["databases"][0]["snapshot_id"] == f"live:shop/{home_schema(server)}@friday"
    assert "customers" in {row["table_name"] for row in batch.rows["tables"]}
    assert {row["sample_values"] is None for row in batch.rows["columns"]} == {True}


def test_defogs_questions_ask_a_server_too(
    connection: Connection, server: Server, home: Home, tmp_path: Path
) -> None:
    store(home, connection)
    path = tmp_path / "questions_gen_postgres.csv"
    path.write_text("question,db_name,query\nHow many?,shop,select count(*) from orders\n")
    batch = read_defog("ours", [path], live=LiveDatabases.of(home, "shop", (), "friday"))
    (database,) = batch.rows["databases"]
    assert (database["db_id"], database["connection"]) == ("shop", "shop")
    assert "customers" in {row["table_name"] for row in batch.rows["tables"]}


def test_several_databases_are_schemas_of_their_names(
    connection: Connection, server: Server, home: Home, tmp_path: Path
) -> None:
    store(home, connection)
    known = home_schema(server)
    with pytest.raises(GlueError, match=r"bonds, stocks are no schemas of 'shop'"):
        read_jsonl(
            "ours", questions(tmp_path, "bonds", "stocks"), live=LiveDatabases.of(home, "shop", (), None)
        )
    path = questions(tmp_path, known.upper(), "stocks")
    batch = read_jsonl("ours", path, live=LiveDatabases.of(home, "shop", (), "friday"))
    assert [row.get("search_path") for row in batch.rows["databases"]] == [[known], None]
    (missing,) = batch.refusals
    assert (missing.reason, missing.is_landed) == ("no_database", True)
    if server.engine == "postgresql":
        assert missing.advice.startswith("did you mean 'stock'?")
        path = questions(tmp_path, "public", "Stock")
        batch = read_jsonl("ours", path, live=LiveDatabases.of(home, "shop", (), "friday"))
        assert [row["search_path"] for row in batch.rows["databases"]] == [["public"], ["stock"]]
    batch = read_jsonl("ours", path, live=LiveDatabases.of(home, "shop", (known,), "friday"))
    assert [row["search_path"] for row in batch.rows["databases"]] == [[known], [known]]
