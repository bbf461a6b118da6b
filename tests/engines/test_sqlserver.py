"""SQL Server's session: pyodbc for real, through PostgreSQL's ODBC driver, since no SQL Server can be had.

The stand-in swaps the SQL that PostgreSQL does not know, and where to connect; all else is the session's own.
What Microsoft's driver says is written here as pyodbc writes it, not recorded. notyet: the query timeout
(the stand-in's driver has none), TEXTSIZE, sql_variant and the CLR types.
"""

from __future__ import annotations

import contextlib
import resource
import secrets
import socket
import struct
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

import pytest

from glue.cells import cell, cells_of_rows
from glue.engines.base import Limits, engine_named
from glue.engines.server import Address
from glue.errors import GlueError
from tests.engines.needed import missing, needed
from tests.engines.servers import started

psycopg = needed("psycopg")
pyodbc = needed("pyodbc", "Debian: apt-get install unixodbc odbc-postgresql")
sqlserver = needed("glue.engines.sqlserver")
from glue.engines.sqlserver_errors import class_of  # noqa: E402

DRIVER = "PostgreSQL Unicode"
MASTER = "host=127.0.0.1 user=postgres dbname=postgres"
if DRIVER not in pyodbc.drivers():
    missing(f"there is no ODBC driver {DRIVER!r}: apt-get install odbc-postgresql")
started("postgresql")

# Types of PostgreSQL that SQL Server has too, by their number, as SQL Server names them.
NAMES = {1042: "char(5)", 700: "real", 2950: "uniqueidentifier", 1700: "decimal(10,2)", 23: "int"}


class StandIn(sqlserver.SQLServerSession):
    """A session of SQL Server's on PostgreSQL."""

    whoami: ClassVar[str] = "select pg_backend_pid()"

    def whereto(self) -> str:
        return (
            f"DRIVER={{{DRIVER}}};SERVER=127.0.0.1;PORT={self.address.port};DATABASE={self.address.database};"
            "UID=postgres;UseDeclareFetch=1;Fetch=100"
        )

    def settings(self, statement: str) -> str:
        """Names the types of the statement's columns, where the server can tell them."""
        names: list[str] = []
        with psycopg.connect(MASTER.replace("dbname=postgres", f"dbname={self.address.database}")) as other:
            other.pgconn.prepare(b"s", statement.encode())
            described = other.pgconn.describe_prepared(b"s")
            names = [NAMES.get(described.ftype(place), "other") for place in range(described.nfields)]
        return f"select unnest(array[{','.join(map(repr, names))}]::text[])"


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    name = f"evalhouse_test_{secrets.token_hex(4)}"
    with psycopg.connect(MASTER, autocommit=True) as master:
        master.execute(f"create database {name}")
        with psycopg.connect(MASTER.replace("dbname=postgres", f"dbname={name}")) as owner:
            owner.execute(
                "create table pet (id int, name char(5)); insert into pet values (1, 'Rex'), (2, null)"
            )
        yield name
        master.execute(f"drop database {name} with (force)")


@pytest.fixture
def session(database: str) -> Iterator[Any]:
    session = StandIn(
        Address("sqlserver", port=5432, database=database), Limits(1 << 29, max_value_bytes=1_000)
    )
    yield session
    session.close()


def rows_of(session: Any, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    names = session.execute(sql)
    rows: list[tuple[Any, ...]] = []
    while found := session.fetch(2):
        rows += found
    session.finish()
    return names, rows


def failure_of(session: Any, sql: str) -> Any:
    try:
        rows_of(session, sql)
    except Exception as error:
        failure = session.failure(error)
        session.finish()
        return failure
    pytest.fail(f"answered: {sql}")


def busy(database: str) -> int:
    with psycopg.connect(MASTER) as master:
        sql = "select count(*) from pg_stat_activity where datname = %s and state = 'active'"
        row = master.execute(sql, [database]).fetchone()
    return row[0]


def test_rows_come_as_cells_and_names_in_order(session: Any) -> None:
    names, rows = rows_of(session, "select id, name, name from pet order by id")
    assert names == ["id", "name", "name"]
    assert cells_of_rows(rows) == [("n:1", "t:Rex", "t:Rex"), ("n:2", None, None)]


def test_values_are_exact(session: Any) -> None:
    _, rows = rows_of(
        session,
        "select 12345678.90::numeric(10,2), 0.1::real, 'é😀'::text, '\\x00ff'::bytea, date '2024-01-31', "
        "timestamp '2024-01-31 10:00:00.5', time '10:00:00', 9007199254740993::bigint, "
        "uuid '0A000000-0000-0000-0000-000000000001'",
    )
    assert cells_of_rows(rows) == [
        (
            "n:12345678.9",
            "n:0.1",
            "t:é😀",
            "b:00ff",
            "d:2024-01-31",
            "d:2024-01-31 10:00:00.5",
            "h:10:00:00",
            "n:9007199254740993",
            "t:0a000000-0000-0000-0000-000000000001",
        )
    ]


def test_a_session_runs_statement_after_statement(session: Any) -> None:
    for n in range(20):
        assert rows_of(session, f"select {n} as n")[1] == [(n,)]
        assert failure_of(session, "select nope from pet").outcome == "failed"


def test_what_is_refused_is_not_sent(session: Any) -> None:
    for sql in ("select 1 drop table pet", "delete from pet", "select * into x from pet", ""):
        assert failure_of(session, sql).outcome == "refused"
    assert len(rows_of(session, "select id from pet")[1]) == 2


def test_a_second_result_refuses_the_batch_and_loses_the_connection(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlserver, "one_select", lambda sql: sql)
    monkeypatch.setattr(session, "settings", lambda sql: "select 'int'")
    failure = failure_of(session, "select 1; select 2")
    assert (failure.outcome, failure.error_class) == ("refused", "multiple_statements")
    assert failure.is_session_lost


def test_a_write_that_slipped_through_is_rolled_back(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sqlserver, "one_select", lambda sql: sql)
        assert failure_of(session, "insert into pet values (3, 'Tom')").outcome == "failed"
        assert len(rows_of(session, "insert into pet values (4, 'Tom') returning id")[1]) == 1
    assert len(rows_of(session, "select id from pet")[1]) == 2


def test_a_cancel_from_another_thread_frees_the_server(session: Any, database: str) -> None:
    started_s = time.monotonic()
    threading.Timer(0.3, session.interrupt).start()
    failure = failure_of(session, "select pg_sleep(20)")
    assert time.monotonic() - started_s < 5
    assert failure.is_session_lost
    while busy(database):
        assert time.monotonic() - started_s < 5, "the server is not free"
        time.sleep(0.02)
    assert "canceling" in failure.error_message


def test_rows_are_streamed_and_what_is_left_is_let_go(session: Any, database: str) -> None:
    session.execute("select i, repeat('x', 900) as t from generate_series(1, 3000000) as i")
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(session.fetch(100)) == 100
    started_s = time.monotonic()
    session.finish()
    assert time.monotonic() - started_s < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 100_000
    assert busy(database) == 0
    assert rows_of(session, "select 1 as n")[1] == [(1,)]


def test_a_cell_past_the_cap_is_a_matter_of_resources(session: Any) -> None:
    assert rows_of(session, "select repeat('x', 1000) as t")[1] == [("x" * 1_000,)]
    failure = failure_of(session, "select repeat('x', 1001) as t")
    assert (failure.outcome, failure.error_class) == ("failed", "resource")


class Relay:
    """Stands between a client and the server, until it is cut."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", 5432))
                self._ends += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)

    def cut(self) -> None:
        for end in [*self._ends, self._listener]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def test_a_lost_connection_is_told(database: str) -> None:
    relay = Relay()
    session = StandIn(Address("sqlserver", port=relay.port, database=database), Limits(1 << 29))
    assert rows_of(session, "select 1 as n")[1] == [(1,)]
    threading.Timer(0.3, relay.cut).start()
    failure = failure_of(session, "select pg_sleep(20)")
    assert (failure.outcome, failure.error_class) == ("failed", "connection")
    assert failure.is_session_lost
    session.close()
    failure = failure_of(session, "select 1 as n")
    assert (failure.error_class, failure.is_session_lost) == ("connection", True)


def test_nothing_stays_open(session: Any, database: str) -> None:
    rows_of(session, "select 1 as n")
    session.close()
    with psycopg.connect(MASTER) as master:
        sql = "select count(*) from pg_stat_activity where datname = %s and pid = %s"
        deadline_s = time.monotonic() + 5
        while master.execute(sql, [database, int(session.server_id)]).fetchone()[0]:
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
            master.rollback()


# --- What needs no server -----------------------------------------------------------------------------------


def test_the_connection_string_quotes_and_asks_for_reading() -> None:
    address = Address(
        "sqlserver", "db.example", 1433, "sales", "reader", "s}e;cret", options=(("Encrypt", "yes"),)
    )
    text = sqlserver.connection_string(
        address, ["ODBC Driver 9 for SQL Server", "ODBC Driver 18 for SQL Server", "SQLite"]
    )
    assert text == (
        "driver={ODBC Driver 18 for SQL Server};server={tcp:db.example,1433};database={sales};uid={reader};"
        "app={evalhouse};applicationintent={ReadOnly};mars_connection={no};regional={no};encrypt={yes};"
        "pwd={s}}e;cret}"
    )
    assert "trusted_connection={yes}" in sqlserver.connection_string(
        Address("sqlserver", database="sales"), ["FreeTDS"]
    )


def test_a_missing_odbc_driver_says_what_to_install() -> None:
    with pytest.raises(GlueError) as error:
        sqlserver.connection_string(Address("sqlserver"), ["SQLite3"])
    assert "SQLite3" in error.value.message
    assert "Driver 18" in str(error.value.hint)


def test_no_error_names_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str, **_: Any) -> None:
        raise pyodbc.OperationalError("08001", f"[08001] [x]cannot use {text} (17) (SQLDriverConnect)")

    monkeypatch.setattr(pyodbc, "connect", fail)
    monkeypatch.setattr(pyodbc, "drivers", lambda: ["FreeTDS"])
    engine = engine_named("sqlserver")
    with pytest.raises(pyodbc.OperationalError) as raised:
        engine.open_server(Address("sqlserver", "h", user="u", password="s}ecret"), Limits(1 << 29))  # type: ignore[attr-defined]
    failure = engine.open_failure(raised.value)
    assert "ecret" not in str(raised.value) + failure.error_message
    assert (failure.outcome, failure.error_class, failure.error_code) == (
        "no_database",
        "connection",
        "08001",
    )


def test_the_settings_bound_waits_cells_and_time() -> None:
    session = object.__new__(sqlserver.SQLServerSession)
    session.limits, session.limit_s = Limits(1 << 29, max_value_bytes=1_000), 5.0
    text = session.settings("select 'it''s'")
    assert "set lock_timeout 5500;" in text
    assert "set textsize 2002;" in text  # a cell of that many bytes is past the cap, and is told so
    assert "(N'select ''it''''s''', null, 0)" in text


def microsoft(state: str, number: int, message: str) -> Any:
    origin = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"
    return pyodbc.ProgrammingError(state, f"[{state}] {origin}{message} ({number}) (SQLExecDirectW)")


@pytest.mark.parametrize(
    ("state", "number", "error_class"),
    [
        ("42000", 102, "syntax"),
        ("42000", 156, "syntax"),
        ("42000", 105, "syntax"),
        ("42000", 1033, "syntax"),
        ("42S02", 208, "unknown_table"),
        ("42S22", 207, "unknown_column"),
        ("42000", 4104, "unknown_column"),
        ("42000", 209, "ambiguous"),
        ("42000", 195, "unknown_function"),
        ("42000", 4121, "unknown_function"),
        ("42000", 351, "unknown_function"),  # cast(a as text2)
        ("42000", 2715, "unknown_function"),
        ("42000", 8120, "aggregate_misuse"),
        ("42000", 130, "aggregate_misuse"),
        ("42000", 147, "aggregate_misuse"),
        ("42000", 8155, "syntax"),
        ("22012", 8134, "division"),
        ("22018", 245, "type"),
        ("22007", 241, "type"),
        ("42000", 190, "type"),
        ("42000", 306, "type"),
        ("42000", 4145, "type"),
        ("42000", 8114, "type"),
        ("22018", 206, "type"),
        ("42000", 402, "type"),
        ("42000", 229, "permission"),
        ("42000", 230, "permission"),
        ("42000", 262, "permission"),
        ("08004", 916, "connection"),  # told while connecting
        ("42000", 916, "permission"),
        ("21000", 512, "shape"),
        ("42000", 205, "shape"),
        ("42000", 145, "shape"),
        ("42000", 1222, "resource"),
        ("42000", 701, "resource"),
        ("42000", 8645, "resource"),
        ("40001", 1205, "resource"),
        ("42000", 10729, "forbidden"),  # a nested INSERT; some lists of Microsoft's have it as 10730
        ("42000", 10730, "forbidden"),
        ("42000", 8623, "too_complex"),
        ("42000", 191, "too_complex"),
        ("08S01", 0, "connection"),
        ("08S01", 10054, "connection"),
        ("HY008", 0, "cancelled"),
        ("42000", 99999, "syntax"),
        ("HY000", 99999, "other"),
    ],
)
def test_error_numbers_have_classes(state: str, number: int, error_class: str) -> None:
    found_state, code, message = sqlserver.diagnosis(microsoft(state, number, "Something (x) is wrong."))
    assert class_of(found_state, code) == error_class
    assert message == "Something (x) is wrong."
    assert code == (str(number) if number and not state.startswith("08") else state)


def test_the_query_timeout_is_an_interruption() -> None:
    session = object.__new__(sqlserver.SQLServerSession)
    session._is_interrupted = False
    error = pyodbc.OperationalError(
        "HYT00",
        "[HYT00] [Microsoft][ODBC Driver 18 for SQL Server]Query timeout expired (0) (SQLExecDirectW)",
    )
    failure = session.failure(error)
    assert (failure.outcome, failure.error_class, failure.error_code) == ("timed_out", "interrupted", "HYT00")
    assert failure.is_session_lost


def test_the_error_that_matters_is_the_first_that_is_no_notice() -> None:
    origin = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"
    error = pyodbc.DataError(
        "01000",
        f"[01000] {origin}The statement has been terminated. (3621) (SQLExecDirectW); "
        f"[22012] {origin}Divide by zero error encountered. (8134)",
    )
    assert sqlserver.diagnosis(error) == ("22012", "8134", "Divide by zero error encountered.")


def test_values_of_the_driver_become_those_of_cells() -> None:
    zone = timezone(timedelta(hours=-5, minutes=-30))
    packed = struct.pack("<6hI2h", 2024, 1, 31, 23, 0, 0, 123_456_700, -5, -30)
    assert sqlserver.moment_in_zone(packed) == datetime(2024, 1, 31, 23, 0, 0, 123_456, zone)
    assert cell(sqlserver.moment_in_zone(packed)) == "d:2024-02-01 04:30:00.123456Z"
    assert sqlserver.moment_in_zone(None) is None
    assert sqlserver.converter_for("char(10)")("a  ") == "a"
    assert sqlserver.converter_for("nchar(3)")("\t ") == "\t"
    assert sqlserver.converter_for("real")(struct.unpack("<f", struct.pack("<f", 0.1))[0]) == 0.1
    assert sqlserver.converter_for("uniqueidentifier")(
        "0A" + "0" * 6 + "-0000-0000-0000-000000000001"
    ) == UUID(int=0xA << 120 | 1)
    for plain in ("varchar(10)", "nvarchar(max)", "float", "money", "bit", "xml", "sql_variant", None):
        assert sqlserver.converter_for(plain) is None
    assert cell(Decimal("1234.5000")) == "n:1234.5"  # money
    assert cell(True) == "n:1"  # bit


def test_a_session_cannot_be_ended_from_outside() -> None:
    engine = engine_named("sqlserver")
    with pytest.raises(GlueError, match="may only read"):
        engine.kill(Address("sqlserver"), "51")  # type: ignore[attr-defined]
