"""Published data, loaded as one dialect's users have it: the same rows in SQLite, PostgreSQL and MariaDB.

Each database is a test server's own (evalhouse_test_…), which its user may only read. What is loaded:

* BIRD mini-dev's four databases that are at hand: into PostgreSQL from its own dump, into MariaDB from the
  SQLite files, which were made of the same dump. The dump declares no keys; PostgreSQL needs one (EVENT_KEY).
* Chinook by its own scripts; Sakila by its own schemas, with the rows of PostgreSQL's script in each.
* Defog's databases into PostgreSQL.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
from pymysql.constants import CLIENT

from glue.cells import Cells, cells_of_rows
from glue.engines.base import Failure, Row, Session
from tests.engines.servers import MariaDBServer, Server

BIRD_DATABASES = ("superhero", "student_club", "toxicology", "thrombosis_prediction")
DEFOG_DATABASES = (
    "academic",
    "advising",
    "atis",
    "broker",
    "car_dealership",
    "derm_treatment",
    "ewallet",
    "geography",
    "restaurants",
    "scholar",
    "yelp",
)

EVENT_KEY = "alter table event add primary key (event_id)"
"""Two golds group by the key and select what depends on it: PostgreSQL wants the key declared."""

_COPY = re.compile(r"^COPY [^;]*? FROM stdin;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_OF_DATABASES = re.compile(
    r"^(?:DROP (?:DATABASE|SCHEMA)|CREATE (?:DATABASE|SCHEMA)|USE|\\c)\b[^;]*;", re.MULTILINE
)
_MOST_OF_VARCHAR = 255
_INSERTED_AT_ONCE = 2_000
_FETCHED_AT_ONCE = 1_000
_START_S = 60.0


# --- PostgreSQL ---------------------------------------------------------------------------------------------


def run_postgresql_script(server: Server, script: str) -> None:
    """Run a script as psql would: statements, and rows after COPY … FROM stdin."""
    with _postgresql(server) as connection:
        place = 0
        for found in _COPY.finditer(script):
            _execute(connection, script[place : found.start()])
            command = found[0][: found.start(1) - found.start()]
            with connection.cursor().copy(command.encode()) as copy:
                copy.write(found[1].encode())
            place = found.end()
        _execute(connection, script[place:])


def _postgresql(server: Server) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(
        host="127.0.0.1", port=server.port, user="postgres", dbname=server.name, autocommit=True
    )


def _execute(connection: psycopg.Connection[tuple[Any, ...]], sql: str) -> None:
    if sql.strip():
        connection.execute(sql.encode())


def bird_in_postgresql(
    server: Server, data: Path, db_id: str, has_key: bool = True, is_analyzed: bool = True
) -> None:
    """One of mini-dev's databases as its dump has it, with the key of `event` and statistics."""
    run_postgresql_script(server, (data / "bird" / "pg_dump" / f"{db_id}.pg.sql").read_text())
    if has_key and db_id == "student_club":
        server.run(EVENT_KEY)
    if is_analyzed:
        server.run("analyze")


def defog_in_postgresql(server: Server, data: Path, db_id: str) -> None:
    """One of Defog's databases: in schema `public`, but for ewallet, whose golds name their own."""
    run_postgresql_script(server, (data / "defog" / "databases" / db_id / f"{db_id}.sql").read_text())
    if db_id == "ewallet":
        server.run(
            f"grant usage on schema consumer_div to {server.name};"
            f" grant select on all tables in schema consumer_div to {server.name}"
        )


# --- MariaDB ------------------------------------------------------------------------------------------------


class FoldingMariaDB:
    """A MariaDB of its own that folds table names to lower case, as it does on Windows.

    BIRD's MySQL golds write a table's name in more than one case. A server set up on Linux with its defaults
    (`lower_case_table_names` 0) takes these for different names, and the setting is made for good when a
    server's data are.
    """

    def __init__(self) -> None:
        if shutil.which("mariadbd") is None or shutil.which("mariadb-install-db") is None:
            missing = "MariaDB is not installed"
            if os.environ.get("CI"):
                pytest.fail(missing)
            pytest.skip(missing)
        self._folder = Path(tempfile.mkdtemp(prefix="evalhouse-mariadb-"))
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        options = ["--no-defaults", f"--datadir={self._folder / 'data'}", "--lower-case-table-names=1"]
        if os.geteuid() == 0:
            options.append("--user=root")
        subprocess.run(
            ["mariadb-install-db", *options, "--auth-root-authentication-method=normal", "--skip-test-db"],
            check=True,
            capture_output=True,
        )
        self._process = subprocess.Popen(
            [
                "mariadbd",
                *options,
                f"--port={self.port}",
                "--bind-address=127.0.0.1",
                f"--socket={self._folder / 'socket'}",
                f"--pid-file={self._folder / 'pid'}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait()

    def database(self) -> Server:
        """A fresh database there, and its user."""
        there = type("FoldingMariaDBServer", (MariaDBServer,), {"port": self.port})
        server = there()
        assert isinstance(server, Server)
        return server

    def stop(self) -> None:
        """End the server and remove all that it held."""
        self._process.terminate()
        self._process.wait(60)
        shutil.rmtree(self._folder)

    def _wait(self) -> None:
        deadline_s = time.monotonic() + _START_S
        while True:
            assert self._process.poll() is None, "MariaDB was started and has ended"
            try:
                pymysql.connect(host="127.0.0.1", port=self.port, user="root").close()
                return
            except pymysql.Error:
                assert time.monotonic() < deadline_s, "MariaDB was started and does not answer"
                time.sleep(0.1)


def run_mysql_script(server: Server, script: str) -> None:
    """Run a script as the mysql client would, `DELIMITER` too, in the server's database."""
    with closing(_mysql(server)) as connection:
        for statement in _mysql_statements(script):
            with connection.cursor() as cursor:
                cursor.execute(statement)


def _mysql(server: Server, database: str | None = None) -> pymysql.Connection[Any]:
    return pymysql.connect(
        host="127.0.0.1",
        port=server.port,
        user="root",
        database=database or server.name,
        charset="utf8mb4",
        autocommit=True,
        client_flag=CLIENT.MULTI_STATEMENTS,
    )


def bird_in_mariadb(server: Server, data: Path, db_id: str, database: str | None = None) -> None:
    """One of mini-dev's databases from its SQLite file: texts as VARCHAR or TEXT, an index on each id.

    In the server's database, or another of its.

    Without indexes some of the golds' joins run for minutes.
    """
    path = data / "bird" / "databases" / db_id / f"{db_id}.sqlite"
    with (
        closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as source,
        closing(_mysql(server, database)) as target,
        target.cursor() as cursor,
    ):
        names = [name for (name,) in source.execute("select name from sqlite_master where type = 'table'")]
        for name in names:
            columns = list(_mysql_columns(source, name))
            told = [f"`{column}` {kind}" for column, kind in columns]
            told += [f"index (`{column}`)" for column, kind in columns if _is_id(column) and kind != "text"]
            cursor.execute(f"create table `{name}` ({', '.join(told)})")
            places = ", ".join(["%s"] * len(columns))
            rows = source.execute(f'select * from "{name}"')
            while some := rows.fetchmany(_INSERTED_AT_ONCE):
                cursor.executemany(f"insert into `{name}` values ({places})", some)
            cursor.execute(f"analyze table `{name}`")


def _mysql_columns(source: sqlite3.Connection, table: str) -> Iterator[tuple[str, str]]:
    for _, column, kind, *_ in source.execute(f'pragma table_info("{table}")').fetchall():
        if kind == "TEXT":
            ((longest,),) = source.execute(f'select max(length("{column}")) from "{table}"')
            is_short = (longest or 0) <= _MOST_OF_VARCHAR
            yield column, f"varchar({_MOST_OF_VARCHAR})" if is_short else "text"
        else:
            yield column, {"INTEGER": "bigint", "REAL": "double", "DATE": "date"}[kind]


def _is_id(column: str) -> bool:
    return column.endswith(("id", "id2")) or column.startswith("link_to")


# --- All four, each in a schema of its name -----------------------------------------------------------------


def bird_schemas_in_postgresql(server: Server, data: Path, db_ids: Sequence[str] = BIRD_DATABASES) -> None:
    """Mini-dev's databases, each a schema of its name."""
    for db_id in db_ids:
        bird_in_postgresql(server, data, db_id)
        _name_public(server, db_id)


def defog_schemas_in_postgresql(server: Server, data: Path, db_ids: Sequence[str] = DEFOG_DATABASES) -> None:
    """Defog's databases, each a schema of its name, but for ewallet's, which is called consumer_div."""
    for db_id in db_ids:
        defog_in_postgresql(server, data, db_id)
        if db_id != "ewallet":
            _name_public(server, db_id)


def _name_public(server: Server, db_id: str) -> None:
    server.run(f"alter schema public rename to {db_id}; create schema public")
    server.run(f"grant usage on schema public to {server.name}")


def bird_schemas_in_mariadb(server: Server, data: Path, db_ids: Sequence[str] = BIRD_DATABASES) -> None:
    """Mini-dev's databases under their names: on a server of one's own."""
    for db_id in db_ids:
        server.run(f"create database {db_id} character set utf8mb4")
        server.run(f"grant select, show view on {db_id}.* to '{server.name}'@'%'")
        bird_in_mariadb(server, data, db_id, database=db_id)


# --- Chinook and Sakila -------------------------------------------------------------------------------------


def chinook_in(server: Server, data: Path) -> None:
    """Chinook by the engine's own script."""
    is_mysql = server.engine == "mariadb"
    script = (data / "chinook" / f"Chinook_{'MySql' if is_mysql else 'PostgreSql'}.sql").read_text()
    run = run_mysql_script if is_mysql else run_postgresql_script
    run(server, _OF_DATABASES.sub("", script))


def sakila_in_postgresql(server: Server, data: Path) -> None:
    """Sakila by PostgreSQL's own scripts."""
    run_postgresql_script(server, _sakila(data, "postgres", "schema"))
    run_postgresql_script(server, _sakila(data, "postgres", "insert-data-using-copy"))


def sakila_in_mariadb(server: Server, data: Path, source: Server) -> None:
    """Sakila by MySQL's schema, with the rows that PostgreSQL has: MySQL's own are not at hand."""
    script = _OF_DATABASES.sub("", _sakila(data, "mysql", "schema"))
    run_mysql_script(server, script.replace("sakila.", ""))
    with closing(_mysql(server)) as target, target.cursor() as cursor:
        cursor.execute("set foreign_key_checks = 0")
        for table, columns, rows in _sakila_rows(source, _columns_of(server)):
            places = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"insert into {table} ({', '.join(columns)}) values ({places})", rows)


def sakila_in_sqlite(data: Path, source: Server) -> sqlite3.Connection:
    """Sakila by SQLite's schema in memory, with the rows that PostgreSQL has."""
    target = sqlite3.connect(":memory:")
    target.executescript(_sakila(data, "sqlite", "schema"))
    names = [name for (name,) in target.execute("select name from sqlite_master where type = 'table'")]
    columns_of = {
        name: [row[1] for row in target.execute(f"pragma table_info({name})").fetchall()] for name in names
    }
    for table, columns, rows in _sakila_rows(source, columns_of):
        places = ", ".join("?" * len(columns))
        target.executemany(f"insert into {table} ({', '.join(columns)}) values ({places})", rows)
    return target


def _sakila(data: Path, engine: str, what: str) -> str:
    return (data / "sakila_multi" / f"{engine}-sakila-db" / f"{engine}-sakila-{what}.sql").read_text()


def _columns_of(server: Server) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table, column in server.run(
        "select table_name, column_name from information_schema.columns"
        " where table_schema = database() order by 1, ordinal_position"
    ):
        found.setdefault(table, []).append(column)
    return found


def _sakila_rows(
    source: Server, columns_of: dict[str, list[str]]
) -> Iterator[tuple[str, list[str], list[tuple[Any, ...]]]]:
    """PostgreSQL's tables, each with the columns that the other engine has too, values as texts and numbers.

    SQLite's `payment` wants a `last_update`, which PostgreSQL's has not: it gets the moment of the payment.
    """
    for (table,) in source.run(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'"
        " and relname not like 'payment_p%' order by oid"
    ):
        written = {column: _written(column, kind) for column, kind in _types_of(source, table)}
        if table == "payment":
            written["last_update"] = "payment_date::text"
        columns = [column for column in written if column in columns_of[table]]
        yield (
            table,
            columns,
            source.run(f"select {', '.join(written[column] for column in columns)} from {table}"),
        )


def _types_of(source: Server, table: str) -> list[tuple[Any, ...]]:
    return source.run(
        "select column_name, data_type from information_schema.columns"
        f" where table_schema = 'public' and table_name = '{table}'"
    )


def _written(column: str, kind: str) -> str:
    if kind == "ARRAY":
        return f"array_to_string({column}, ',')"
    return column if kind in ("integer", "smallint", "boolean", "bytea") else f"{column}::text"


def _mysql_statements(script: str) -> Iterator[str]:
    """The statements of a script, each up to the delimiter that stands there."""
    delimiter = ";"
    lines: list[str] = []
    for line in script.splitlines():
        if line.upper().startswith("DELIMITER "):
            delimiter = line.split()[1]
            continue
        lines.append(line)
        if line.rstrip().endswith(delimiter):
            statement = "\n".join(lines).rstrip().removesuffix(delimiter)
            lines = []
            if statement.strip():
                yield statement


# --- Questions ----------------------------------------------------------------------------------------------


def mini_dev_questions(data: Path, dialect: str) -> list[dict[str, Any]]:
    """Mini-dev's 500 questions in the order in which predictions answer them, `SQL` in one of three dialects.

    PostgreSQL's file has two questions of `financial` twice and lacks two others, which then have no gold.
    """
    folder = data / "bird" / "mini_dev"
    questions: list[dict[str, Any]] = json.loads((folder / "mini_dev_sqlite.json").read_text())
    if dialect == "sqlite":
        return questions
    if dialect == "mysql":
        lines = (folder / "mini_dev_mysql_gold.sql").read_text().splitlines()
        golds = [line.rsplit("\t", 1) for line in lines]
        assert [db_id for _, db_id in golds] == [question["db_id"] for question in questions]
        return [{**question, "SQL": sql} for question, (sql, _) in zip(questions, golds, strict=True)]
    entries = json.loads((folder / "mini_dev_postgresql.json").read_text())
    by_id = {entry["question_id"]: entry["SQL"] for entry in entries}
    return [{**question, "SQL": by_id.get(question["question_id"])} for question in questions]


def rows_of(session: Session, sql: str, limit_s: float = 30.0) -> list[Cells] | Failure:
    """A statement's rows as canonical cells, or why it has none."""
    session.limit_time(limit_s)
    rows: list[Row] = []
    try:
        session.execute(sql)
        while some := session.fetch(_FETCHED_AT_ONCE):
            rows += some
        return cells_of_rows(rows)
    except Exception as error:
        return session.failure(error)
    finally:
        session.finish()
