"""Scripts for users that may only read, run for real on PostgreSQL and MariaDB."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import psycopg
import pymysql
import pytest

from glue.errors import GlueError
from glue.execute import DEFAULT_LIVE_WORKERS
from glue.grants import PLACEHOLDER, Grant, grant_engines, grant_script
from tests.engines.servers import LIVE, Server, Servers

PASSWORD = 'it\'s a "test" \\ 1'

SCRIPT = {
    "postgresql": """
        create schema "Sales"; create table "Sales".orders (id integer primary key, total numeric);
        insert into "Sales".orders values (1, 2.5); create table hidden (x integer);
        create view "Sales".seen as select id from "Sales".orders;
    """,
    "mariadb": """
        create table orders (id integer primary key, total numeric); insert into orders values (1, 2.5);
        create view seen as select id from orders;
    """,
}

ALLOWED = {
    "postgresql": ['select id from "Sales".orders', 'select id from "Sales".seen'],
    "mariadb": ["select id from orders", "select id from seen"],
}

FORBIDDEN = {
    "postgresql": [
        'insert into "Sales".orders values (2, 1)',
        'update "Sales".orders set total = 0',
        'delete from "Sales".orders',
        'truncate "Sales".orders',
        'select id from "Sales".orders for update',
        'lock table "Sales".orders in exclusive mode',
        'create table "Sales".more (x integer)',
        "create table public.more (x integer)",
        "create schema more",
        "create extension file_fdw",
        "create role more",
        "create database more",
        "select * from hidden",
        "select pg_read_file('/etc/passwd')",
        "select pg_ls_dir('/')",
        "select lo_import('/etc/passwd')",
        "select pg_stat_file('/etc/passwd')",
        "copy (select 1) to '/tmp/evalhouse_more'",
        "copy (select 1) to program 'true'",
        "copy \"Sales\".orders from program 'echo 5,5'",
        "set role postgres",
        "alter system set work_mem = '1MB'",
        'create table "Sales".later as select 1 as x',
    ],
    "mariadb": [
        "insert into orders values (2, 1)",
        "update orders set total = 0",
        "delete from orders",
        "truncate orders",
        "lock tables orders write",
        "create table more (x integer)",
        "create temporary table more (x integer)",
        "create database evalhouse_more",
        "create user evalhouse_more",
        "create procedure more() select 1",
        "select 1 into outfile '/tmp/evalhouse_more'",
        "select 1 into dumpfile '/tmp/evalhouse_more'",
        "load data infile '/etc/passwd' into table orders",
        "select * from mysql.user",
        "set global max_statement_time = 1",
        "drop table orders",
    ],
}


class Reader:
    """A user that the script has made."""

    def __init__(self, server: Server, user: str) -> None:
        self.server, self.user = server, user

    def connect(self) -> Any:
        """A connection of its own that commits."""
        who = {"host": "127.0.0.1", "user": self.user, "password": PASSWORD}
        if self.server.engine == "postgresql":
            return psycopg.connect(**who, dbname=self.server.name, autocommit=True)
        return pymysql.connect(**who, database=self.server.name, autocommit=True)

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Rows of the last statement, on a connection of its own."""
        with closing(self.connect()) as link, closing(link.cursor()) as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []


@pytest.fixture(params=[*LIVE, "mysql"])
def reader(request: pytest.FixtureRequest, servers: Servers) -> Iterator[Reader]:
    """MySQL's script runs on MariaDB, which stands in for it."""
    engine = "mariadb" if request.param == "mysql" else request.param
    server = servers[engine]
    user = f"{server.name}_o'r"
    grant = Grant(user=user, database=server.name, schemas=("Sales",), password=PASSWORD)
    if engine == "mariadb":
        grant = Grant(user=user, database=server.name, password=PASSWORD)
    server.run(SCRIPT[engine])
    script = grant_script(request.param, grant)
    server.run(script)
    undo = "\n".join(
        line.removeprefix("-- ") for line in script.partition("-- To undo it")[2].splitlines()[1:]
    )
    try:
        yield Reader(server, user)
    finally:
        server.run(undo)
        rest = {"postgresql": 'drop schema "Sales" cascade; drop table hidden'}
        server.run(rest.get(engine, "drop view seen; drop table orders"))


def test_the_user_may_select(reader: Reader) -> None:
    for statement in ALLOWED[reader.server.engine]:
        assert reader.run(statement) == [(1,)]


def test_the_user_may_do_nothing_else(reader: Reader) -> None:
    """Also once the user has turned off whatever a session may turn off."""
    freed = {"postgresql": ["set default_transaction_read_only = off"], "mariadb": ["set autocommit = 1"]}
    before = reader.server.content()
    for statement in FORBIDDEN[reader.server.engine]:
        for first in ([], freed[reader.server.engine]):
            with pytest.raises((psycopg.Error, pymysql.Error)):
                reader.run(*first, statement)
    assert reader.server.content() == before


def test_the_user_reads_no_file(reader: Reader) -> None:
    if reader.server.engine == "mariadb":
        assert reader.run("select load_file('/etc/passwd')") == [(None,)]


def test_tables_that_are_made_later_may_be_read(reader: Reader) -> None:
    if reader.server.engine == "postgresql":
        reader.server.run('create table "Sales".later (x integer)')
        assert reader.run('select * from "Sales".later') == []


def test_what_every_user_may_do_is_taken_away_where_the_script_says_so(reader: Reader) -> None:
    """PostgreSQL lets PUBLIC make temporary tables and large objects; the lines for it are remarks."""
    server = reader.server
    if server.engine != "postgresql":
        return
    script = grant_script("postgresql", Grant(user=reader.user, database=server.name, schemas=("Sales",)))
    off = "set default_transaction_read_only = off"
    assert reader.run(off, "create temporary table t (x integer)") == []
    remarks = [
        line.removeprefix("--").removeprefix(" ") for line in script.splitlines() if line.startswith("--")
    ]
    lines = "\n".join(remarks).partition("take it away:")[2].partition("A superuser")[0]
    assert lines.count("revoke") == 3
    server.run(lines)
    try:
        for statement in ("create temporary table t (x integer)", "select lo_create(0)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.run(off, statement)
    finally:
        server.run(
            "grant execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) to public"
        )
        server.run(f'grant temporary on database "{server.name}" to public')


def test_a_superuser_bounds_the_disk_of_a_session(reader: Reader) -> None:
    server = reader.server
    if server.engine != "postgresql":
        return
    script = grant_script("postgresql", Grant(user=reader.user, database=server.name))
    (line,) = [line for line in script.splitlines() if "temp_file_limit" in line]
    assert reader.run("show temp_file_limit") == [("-1",)]
    server.run(line.removeprefix("-- "))
    assert reader.run("show temp_file_limit") == [("1GB",)]
    lifting = ("set temp_file_limit = -1", f'alter role "{reader.user}" set temp_file_limit = -1')
    for statement in lifting:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.run("set default_transaction_read_only = off", statement)


def test_there_are_two_connections_for_each_of_the_usual_workers(reader: Reader) -> None:
    """One holds a worker's session, another stops its statement."""
    refused = (psycopg.OperationalError, pymysql.OperationalError)
    with ExitStack() as links:
        n_links = 0
        with pytest.raises(refused, match=r"too many connections|max_user_connections"):
            while n_links < 100:
                links.enter_context(closing(reader.connect()))
                n_links += 1
    assert n_links == 10 >= 2 * DEFAULT_LIVE_WORKERS


@pytest.mark.parametrize("engine", grant_engines())
def test_a_placeholder_is_said_to_be_changed(engine: str) -> None:
    script = grant_script(engine, Grant())
    assert PLACEHOLDER in script
    assert "change it before you run this" in script
    assert "change it" not in grant_script(engine, Grant(password="x"))


def test_sql_server_is_denied_by_name() -> None:
    script = grant_script("sqlserver", Grant("it]s", "my shop", ("sales", "dbo"), "pa'ss"))
    assert "create login [it]]s] with password = N'pa''ss'" in script
    assert "create user [it]]s] for login [it]]s] with default_schema = [sales];" in script
    assert "grant select on schema::[sales] to [it]]s];" in script
    assert "grant select on schema::[dbo] to [it]]s];" in script
    assert "deny execute on schema::[sales] to [it]]s];" in script
    for right in ("insert", "update", "delete", "alter", "create table", "backup database"):
        denied = [line for line in script.replace(",\n   ", ",").splitlines() if line.startswith("deny ")]
        assert any(right in line for line in denied), right
    grants = [line for line in script.splitlines() if line.startswith("grant ")]
    assert {line.split(" on ")[0] for line in grants} == {"grant select", "grant view definition"}


def test_oracle_grants_read_and_a_session() -> None:
    script = grant_script("oracle", Grant("reader", schemas=("sales",), password="p"))
    assert 'create user "READER" identified by "p"' in script
    assert "where owner in ('SALES')" in script
    granted = [line.strip() for line in script.splitlines() if line.startswith("grant ")]
    assert granted == ['grant create session to "READER";']
    assert '-- drop user "READER";\n-- drop profile "READER_LIMITS";' in script
    assert "'grant read on \"' || found.owner" in script
    assert "grant select" not in script and "sequence" not in script
    with pytest.raises(GlueError, match="cannot hold"):
        grant_script("oracle", Grant(password='a"b'))


def test_an_unknown_engine_has_no_script() -> None:
    with pytest.raises(GlueError, match="no script for engine 'postgres'") as caught:
        grant_script("postgres", Grant())
    assert caught.value.hint == "did you mean 'postgresql'?"
