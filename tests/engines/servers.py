"""Real database servers for tests: found where they answer or started where they are installed.

Each test session gets a database of its own and a user that may read it; both are dropped at the end.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import psycopg
import pymysql
import pytest

from glue.engines.base import Limits, engine_named, engine_names
from glue.engines.server import Address, ServerEngine, ServerSession

LIVE = [name for name in ("postgresql", "mariadb") if name in engine_names()]
"""Engines that run here and that glue knows."""

_HOST = "127.0.0.1"
_START_S = 30.0


class Server(ABC):
    """A server with a fresh database `name`, and a user of that name who may only select there."""

    engine: ClassVar[str]
    port: ClassVar[int]
    start_command: ClassVar[str]
    needs: ClassVar[str]

    def __init__(self) -> None:
        self.name = f"evalhouse_test_{secrets.token_hex(4)}"
        self.password = secrets.token_hex(8)
        self._find_or_start()
        self.create()
        self.glue_engine = engine_named(self.engine)
        assert isinstance(self.glue_engine, ServerEngine)

    @property
    def address(self) -> Address:
        """Where the database is, for the user who reads."""
        return Address(self.engine, _HOST, self.port, self.name, self.name, self.password, self.search_path)

    @property
    @abstractmethod
    def search_path(self) -> tuple[str, ...]:
        """Where the database's tables are looked for."""

    def open(self, limits: Limits | None = None) -> ServerSession:
        """A session of the user who reads."""
        assert isinstance(self.glue_engine, ServerEngine)
        return self.glue_engine.open_server(self.address, limits or Limits(1 << 29))

    @abstractmethod
    def run(self, sql: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """Run statements as the server's master, in the database unless told otherwise; rows of the last."""

    @abstractmethod
    def create(self) -> None:
        """Create the database and the user."""

    @abstractmethod
    def drop(self) -> None:
        """Drop both."""

    @abstractmethod
    def sessions(self, is_busy: bool = False) -> list[str]:
        """The reading user's sessions as the server numbers them: all, or those at a statement."""

    @abstractmethod
    def end_session(self, server_id: str) -> None:
        """End a session from outside, as a master would."""

    @abstractmethod
    def cancel_statement(self, server_id: str) -> None:
        """Cancel a session's statement from outside."""

    @abstractmethod
    def content(self) -> list[Any]:
        """All that a statement might have changed: rows, objects, users, settings."""

    @abstractmethod
    def memory_bytes(self, server_id: str) -> int:
        """What the server holds for a session."""

    def seconds_until_free(self, at_most_s: float = 15.0) -> float:
        """How long the reading user's sessions are still at work; fails where they do not end."""
        started_s = time.monotonic()
        while self.sessions(is_busy=True):
            assert time.monotonic() - started_s < at_most_s, f"{self.engine} is not free"
            time.sleep(0.02)
        return time.monotonic() - started_s

    def wait_until_gone(self, at_most_s: float = 10.0) -> None:
        """Wait until the reading user has no session left."""
        started_s = time.monotonic()
        while self.sessions():
            assert time.monotonic() - started_s < at_most_s, f"{self.engine} keeps sessions"
            time.sleep(0.02)

    def _find_or_start(self) -> None:
        if self._answers():
            return
        if shutil.which(self.needs) is None or os.geteuid() != 0:
            missing = f"{self.engine} does not answer at {_HOST}:{self.port} and cannot be started"
            if os.environ.get("CI"):
                pytest.fail(missing)
            pytest.skip(missing, allow_module_level=True)
        with (Path(tempfile.gettempdir()) / f"evalhouse-{self.engine}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another process of the tests may be at it
            if not self._answers():
                self._start()

    def _start(self) -> None:
        subprocess.run(self.start_command, shell=True, check=True, capture_output=True)
        deadline_s = time.monotonic() + _START_S
        while not self._answers():
            assert time.monotonic() < deadline_s, f"{self.engine} was started and does not answer"
            time.sleep(0.2)

    def _answers(self) -> bool:
        with contextlib.suppress(psycopg.Error, pymysql.Error):
            self.run("select 1", self.master_database)
            return True
        return False

    master_database: ClassVar[str]


class PostgreSQLServer(Server):
    """PostgreSQL on loopback, where it trusts."""

    engine = "postgresql"
    port = 5432
    needs = "pg_ctlcluster"
    start_command = "pg_ctlcluster --skip-systemctl-redirect 15 main start"
    master_database = "postgres"

    @property
    def search_path(self) -> tuple[str, ...]:
        return ("public",)

    def run(self, sql: str, database: str | None = None) -> list[tuple[Any, ...]]:
        with psycopg.connect(
            host=_HOST,
            port=self.port,
            user="postgres",
            dbname=database or self.name,
            autocommit=True,
            connect_timeout=10,
        ) as connection:
            cursor = connection.execute(sql.encode())
            while cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description else []

    def create(self) -> None:
        self.run(f"create database {self.name} template template0 encoding 'UTF8' locale 'C'", "postgres")
        self.run(f"create role {self.name} login password '{self.password}'", "postgres")
        self.run(
            f"alter default privileges grant select on tables to {self.name};"
            f" grant usage on schema public to {self.name}"
        )

    def drop(self) -> None:
        self.run(f"drop database {self.name} with (force)", "postgres")
        self.run(f"drop role {self.name}", "postgres")

    def sessions(self, is_busy: bool = False) -> list[str]:
        busy = "and state = 'active'" if is_busy else ""
        rows = self.run(f"select pid from pg_stat_activity where usename = '{self.name}' {busy}", "postgres")
        return [str(pid) for (pid,) in rows]

    def end_session(self, server_id: str) -> None:
        self.run(f"select pg_terminate_backend({server_id})", "postgres")

    def cancel_statement(self, server_id: str) -> None:
        self.run(f"select pg_cancel_backend({server_id})", "postgres")

    def content(self) -> list[Any]:
        tables = self.run("select relname from pg_class where relnamespace = 'public'::regnamespace"
                          " and relkind = 'r' order by 1")  # fmt: skip
        rows = [
            self.run(
                f"select '{name}', count(*), md5(string_agg(t::text, ',' order by t::text)) from {name} t"
            )
            for (name,) in tables
        ]
        objects = [
            self.run(sql)
            for sql in (
                "select oid, relname, relkind from pg_class order by 1",
                "select oid, proname from pg_proc order by 1",
                "select oid from pg_largeobject_metadata order by 1",
                "select oid, nspname from pg_namespace where nspname not like 'pg_temp%'"
                " and nspname not like 'pg_toast_temp%' order by 1",
                "select oid, rolname, rolsuper from pg_roles"
                f" where rolname in ('{self.name}', 'postgres') order by 1",
                f"select * from pg_db_role_setting where setrole = '{self.name}'::regrole order by 1, 2",
                "select last_value, is_called from numbers",
                "select objid from pg_locks join pg_database on database = pg_database.oid"
                " where locktype = 'advisory' and datname = current_database()",
            )
            if "numbers" not in sql or self.run("select 1 from pg_class where relname = 'numbers'")
        ]
        return [rows, objects]

    def memory_bytes(self, server_id: str) -> int:
        """Resident memory that is not shared, of the backend's own process: only where it runs here."""
        lines = Path(f"/proc/{server_id}/status").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon"))


class MariaDBServer(Server):
    """MariaDB on loopback, whose root has no password."""

    engine = "mariadb"
    port = 3306
    needs = "mariadbd"
    start_command = (
        "mkdir -p /run/mysqld && chown mysql /run/mysqld && start-stop-daemon --start --oknodo --background"
        " --exec /usr/sbin/mariadbd -- --user=mysql"
    )
    master_database = "mysql"

    @property
    def search_path(self) -> tuple[str, ...]:
        return (self.name,)

    def run(self, sql: str, database: str | None = None) -> list[tuple[Any, ...]]:
        with pymysql.connect(
            host=_HOST,
            port=self.port,
            user="root",
            database=database or self.name,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=10,
            client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS,
        ) as connection:
            cursor = connection.cursor()
            cursor.execute(sql)
            rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
            while cursor.nextset():
                rows = cursor.fetchall()
            return list(rows)

    def create(self) -> None:
        self.run(f"create database {self.name} character set utf8mb4", "mysql")
        self.run(f"create user '{self.name}'@'%' identified by '{self.password}'", "mysql")
        self.run(f"grant select, show view on {self.name}.* to '{self.name}'@'%'", "mysql")

    def drop(self) -> None:
        self.run(f"drop database {self.name}; drop user '{self.name}'@'%'", "mysql")

    def sessions(self, is_busy: bool = False) -> list[str]:
        busy = "and command not in ('Sleep', 'Daemon')" if is_busy else ""
        rows = self.run(
            f"select id from information_schema.processlist where user = '{self.name}' {busy}", "mysql"
        )
        return [str(number) for (number,) in rows]

    def end_session(self, server_id: str) -> None:
        self.run(f"kill {server_id}", "mysql")

    def cancel_statement(self, server_id: str) -> None:
        self.run(f"kill query {server_id}", "mysql")

    def content(self) -> list[Any]:
        tables = self.run("select table_name from information_schema.tables where table_schema = database()"
                          " and table_type = 'BASE TABLE' order by 1")  # fmt: skip
        rows = [self.run(f"checksum table `{name}`") for (name,) in tables]
        objects = [
            self.run(sql)
            for sql in (
                "select table_schema, table_name from information_schema.tables"
                " where table_schema = database() order by 1, 2",
                "select routine_schema, routine_name from information_schema.routines"
                " where routine_schema = database() order by 1, 2",
                f"show grants for '{self.name}'@'%'",
            )
        ]
        return [rows, objects]

    def memory_bytes(self, server_id: str) -> int:
        """What the thread has allocated."""
        ((n_bytes,),) = self.run(
            f"select memory_used from information_schema.processlist where id = {server_id}", "mysql"
        )
        return int(n_bytes)


_SERVERS: dict[str, type[Server]] = {kind.engine: kind for kind in (PostgreSQLServer, MariaDBServer)}


def started(engine: str) -> None:
    """See that a server answers. Skips the test or module where none does and none can be started."""
    kind = _SERVERS[engine]
    kind.__new__(kind)._find_or_start()


class Servers:
    """The servers of one test session, each made ready when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Server] = {}

    def __getitem__(self, engine: str) -> Server:
        if engine not in self._made:
            self._made[engine] = _SERVERS[engine]()
        return self._made[engine]

    def drop(self) -> None:
        """Leave the servers as they were found."""
        for server in self._made.values():
            server.drop()
