"""Oracle's session, as far as it goes without a server: none can be had, nor anything that speaks as one.

The driver is real, and so are its errors, its types and the socket that never answers; a connection that
answers is a stand-in, which records what it is told. notyet: whatever a server would have said.
"""

from __future__ import annotations

import array
import contextlib
import socket
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from glue.cells import cell, cells_of_rows
from glue.engines.base import Limits, NotSQL, Refused, TooLarge, engine_named
from glue.engines.server import Address
from glue.errors import GlueError
from tests.engines.needed import needed

oracledb = needed("oracledb")
oracle = needed("glue.engines.oracle")
from oracledb import errors  # noqa: E402

ADDRESS = Address("oracle", "db.example", 1521, "sales", "reader", "secret", search_path=("SH", "HR"))


def ora(number: int, message: str) -> Any:
    """The driver's own error, as it makes one of what a server says."""
    details = errors._Error(message=f"ORA-{number:05}: {message}", code=number)
    return details.exc_type(details)


# --- Connecting ---------------------------------------------------------------------------------------------


def test_a_server_that_never_answers_is_no_connection_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "_CONNECT_TIMEOUT_S", 0.5)
    engine = engine_named("oracle")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address("oracle", "127.0.0.1", listener.getsockname()[1], "sales", "reader", "secret")
        for _ in range(2):  # nothing of the first attempt is in the way of the second
            started_s = time.monotonic()
            with pytest.raises((oracledb.Error, oracle.ConnectTimedOut)) as raised:
                engine.open_server(address, Limits(1 << 29))  # type: ignore[attr-defined]
            assert time.monotonic() - started_s < 3
            failure = engine.open_failure(raised.value)
            assert (failure.outcome, failure.error_class) == ("no_database", "connection")
            assert "did not answer within 0.5 s" in failure.error_message
            assert "secret" not in failure.error_message + repr(address)


def test_a_server_that_is_not_there_is_no_connection() -> None:
    engine = engine_named("oracle")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(oracledb.OperationalError) as raised:
        engine.open_server(Address("oracle", "127.0.0.1", port, "sales", "u", "secret"), Limits(1 << 29))  # type: ignore[attr-defined]
    failure = engine.open_failure(raised.value)
    assert (failure.outcome, failure.error_class, failure.error_code) == (
        "no_database",
        "connection",
        "DPY-6005",
    )
    assert "CONNECTION_ID" not in failure.error_message  # another one each time


def test_addresses_become_what_the_driver_takes() -> None:
    found = oracle.connect_arguments(ADDRESS)
    assert (found["host"], found["port"], found["service_name"]) == ("db.example", 1521, "sales")
    assert "dsn" not in found
    named = oracle.connect_arguments(Address("oracle", database="SALES_HIGH", user="reader"))
    assert named["dsn"] == "SALES_HIGH"
    assert "host" not in named
    options = (("sid", "ORCL"), ("retry_count", "2"), ("ssl_server_dn_match", "false"), ("protocol", "tcps"))
    with_options = oracle.connect_arguments(Address("oracle", "h", options=options))
    assert "service_name" not in with_options
    assert (with_options["sid"], with_options["retry_count"]) == ("ORCL", 2)
    assert with_options["ssl_server_dn_match"] is False
    parameters = oracledb.ConnectParams(
        **{name: value for name, value in found.items() if name not in ("password", "program")}
    )
    assert parameters.get_connect_string().count("SERVICE_NAME=sales") == 1


def test_a_session_cannot_be_ended_from_outside() -> None:
    with pytest.raises(GlueError, match="may only read"):
        engine_named("oracle").kill(ADDRESS, "12,345")  # type: ignore[attr-defined]


# --- What is sent -------------------------------------------------------------------------------------------


class Column(SimpleNamespace):
    """As the driver describes a column."""

    def __init__(self, type_code: Any, name: str = "A", is_json: bool = False, is_oson: bool = False) -> None:
        super().__init__(type_code=type_code, name=name, is_json=is_json, is_oson=is_oson)


class StandInCursor:
    """Records what it runs, and answers every query with the rows it was made with."""

    def __init__(self, told: list[str], columns: list[Column], rows: list[tuple[Any, ...]]) -> None:
        self.told, self._columns, self._rows = told, columns, list(rows)
        self.description: list[Column] | None = None
        self.arraysize = self.prefetchrows = 0
        self.outputtypehandler: Any = None

    def __enter__(self) -> StandInCursor:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def execute(self, sql: str, **options: Any) -> None:
        self.told.append(sql)
        if sql.lower().startswith("select"):
            assert options == {"fetch_lobs": False, "fetch_decimals": True}
            self.description = self._columns

    def fetchmany(self, n_rows: int) -> list[tuple[Any, ...]]:
        found, self._rows = self._rows[:n_rows], self._rows[n_rows:]
        return found

    def var(self, kind: Any, arraysize: int, outconverter: Any) -> tuple[Any, int, Any]:
        return kind, arraysize, outconverter

    def close(self) -> None:
        self.told.append("(closed)")


class StandInConnection:
    """A connection that answers."""

    session_id, serial_num = 12, 345

    def __init__(self) -> None:
        self.told: list[str] = []
        self.columns = [Column(oracledb.DB_TYPE_VARCHAR)]
        self.rows: list[tuple[Any, ...]] = [("a",), ("b",), ("c",)]
        self.call_timeout = 0
        self.is_cancelled = self.is_closed = False

    def cursor(self) -> StandInCursor:
        return StandInCursor(self.told, self.columns, self.rows)

    def cancel(self) -> None:
        self.is_cancelled = True

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInConnection]:
    connection = StandInConnection()
    monkeypatch.setattr(oracledb, "connect", lambda **_: connection)
    yield connection


def opened(limits: Limits | None = None) -> Any:
    return oracle.OracleSession(ADDRESS, limits or Limits(1 << 29))


def test_a_statement_runs_in_a_read_only_transaction_and_all_is_put_back(
    connection: StandInConnection,
) -> None:
    session = opened()
    assert session.server_id == "12,345"
    settings, schema = connection.told[:2]
    assert settings.startswith("alter session set TIME_ZONE = 'UTC' NLS_LANGUAGE = 'AMERICAN'")
    assert schema == 'alter session set current_schema = "SH"'
    connection.told.clear()
    session.limit_time(5.0)
    assert session.execute("select a from t;") == ["A"]
    assert connection.call_timeout == 5_500
    assert session.fetch(2) == [("a",), ("b",)]
    session.finish()
    read_only, statement, _, putting_back, _ = connection.told
    assert (read_only, statement) == ("set transaction read only", "select a from t")
    assert putting_back.splitlines() == [
        "begin",
        "  rollback;",
        "  dbms_session.modify_package_state(dbms_session.reinitialize);",
        f"  execute immediate '{settings.replace(chr(39), chr(39) * 2)}';",
        "  execute immediate 'alter session set current_schema = \"SH\"';",
        "end;",
    ]
    session.finish()
    assert len(connection.told) == 5  # nothing more to put back


def test_where_the_state_cannot_be_put_back_the_connection_is_closed(
    connection: StandInConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened()
    session.execute("select a from t")

    def fail(self: StandInCursor, sql: str, **_: Any) -> None:
        raise ora(6550, "identifier 'DBMS_SESSION' must be declared")

    monkeypatch.setattr(StandInCursor, "execute", fail)
    session.finish()
    assert connection.is_closed


def test_an_interrupted_statement_is_cancelled_and_loses_its_connection(
    connection: StandInConnection,
) -> None:
    session = opened()
    session.execute("select a from t")
    session.interrupt()
    deadline_s = time.monotonic() + 5
    while not connection.is_cancelled:
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    failure = session.failure(ora(1013, "user requested cancel of current operation"))
    assert (failure.error_class, failure.error_code) == ("cancelled", "ORA-01013")
    assert failure.is_session_lost
    session.finish()
    assert connection.is_closed


def test_large_columns_come_few_rows_at_a_time_and_their_cells_have_a_cap(
    connection: StandInConnection,
) -> None:
    connection.columns = [Column(oracledb.DB_TYPE_CLOB)]
    connection.rows = [("x" * 11,)]
    session = opened(Limits(1 << 29, max_value_bytes=10))
    session.execute("select a from t")
    assert session._cursor.arraysize == 4
    with pytest.raises(TooLarge) as raised:
        session.fetch(1)
    assert session.failure(raised.value).error_class == "resource"


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("select s.nextval from dual", "forbidden"),
        ("select * from t@elsewhere", "forbidden"),
        ("with procedure p is x select 1 from dual", "forbidden"),
        # Semicolons in brackets end no statement, but only PL/SQL has them.
        (
            "select /*+ with_plsql */ * from (with function f return number is begin return 1; end; "
            "select f from dual)",
            "forbidden",
        ),
        ("with function f return number is begin return 1; end; select f from dual", "multiple_statements"),
        ("select 1 from dual; drop table t", "multiple_statements"),
        ("begin null; end;", "multiple_statements"),
        ("update t set a = 1", "not_a_read"),
        ("lock table t in exclusive mode", "not_a_read"),
        ("alter session set nls_date_format = 'YYYY'", "not_a_read"),
        ("", "empty"),
    ],
)
def test_refusals(sql: str, error_class: str) -> None:
    with pytest.raises(Refused) as refused:
        oracle.checked(sql)
    assert refused.value.error_class == error_class


@pytest.mark.parametrize(
    "sql",
    [
        "select q'[it's; @ .nextval]' from dual",
        "select \"a@b\", 'x@y.z' from t -- ; @",
        "select /*+ full(t) */ a from t connect by prior a = b start with a = 1",
        "with f as (select 1 as a from dual) select nextval from f",
        "(select 1 from dual) minus (select 2 from dual)",
    ],
)
def test_reads_pass_with_their_hints(sql: str) -> None:
    assert oracle.checked(sql + ";").startswith(sql.split(" -- ")[0])


def test_values_is_no_statement_of_oracles() -> None:
    with pytest.raises(NotSQL):
        oracle.checked("values (1)")


# --- Errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "error_class"),
    [
        (900, "syntax"),
        (906, "syntax"),
        (907, "syntax"),
        (923, "syntax"),
        (933, "syntax"),
        (936, "syntax"),
        (1756, "syntax"),
        (3048, "syntax"),
        (22818, "syntax"),
        (976, "syntax"),  # LEVEL or ROWNUM where it must not stand
        (1747, "syntax"),  # t.date
        (1797, "syntax"),  # a = (1, 2)
        (2287, "syntax"),
        (3405, "syntax"),
        (30089, "syntax"),  # interval '1' week
        (30563, "syntax"),
        (32039, "syntax"),
        (56901, "syntax"),
        (942, "unknown_table"),
        (4044, "unknown_table"),  # a function after FROM
        (904, "unknown_column"),
        (1446, "unknown_column"),  # no ROWID
        (902, "unknown_function"),  # cast(a as text)
        (919, "unknown_function"),
        (918, "ambiguous"),
        (934, "aggregate_misuse"),
        (937, "aggregate_misuse"),
        (979, "aggregate_misuse"),
        (30486, "aggregate_misuse"),
        (56902, "aggregate_misuse"),
        (1476, "division"),
        (932, "type"),
        (910, "type"),
        (1722, "type"),
        (1858, "type"),
        (1861, "type"),
        (1846, "type"),
        (12725, "type"),
        (22849, "type"),
        (30004, "type"),
        (30081, "type"),
        (40597, "type"),
        (1031, "permission"),
        (1017, "permission"),
        (41900, "permission"),
        (24247, "permission"),
        (1427, "shape"),
        (1789, "shape"),
        (32038, "shape"),
        (1436, "too_complex"),
        (1795, "too_complex"),
        (1467, "too_complex"),
        (1792, "too_complex"),
        (1652, "resource"),
        (40, "resource"),
        (1000, "resource"),
        (2391, "resource"),
        (4030, "resource"),
        (4031, "resource"),
        (28, "connection"),
        (3113, "connection"),
        (3114, "connection"),
        (3136, "connection"),
        (12571, "connection"),
        (1013, "cancelled"),
        (29999, "other"),
    ],
)
def test_error_numbers_have_classes(number: int, error_class: str, connection: StandInConnection) -> None:
    failure = opened().failure(ora(number, "something is wrong"))
    assert (failure.outcome, failure.error_class) == ("failed", error_class)
    assert failure.error_code == f"ORA-{number:05}"
    assert failure.error_message.endswith(f"ORA-{number:05}: something is wrong")
    assert failure.is_session_lost == (error_class in ("connection", "resource", "cancelled"))


@pytest.mark.parametrize("number", [1456, 14551, 14552])
def test_what_a_read_only_transaction_stops_is_refused(number: int, connection: StandInConnection) -> None:
    failure = opened().failure(ora(number, "may not"))
    assert (failure.outcome, failure.error_class) == ("refused", "forbidden")


def test_errors_of_the_driver_have_classes(connection: StandInConnection) -> None:
    def failure(number: int, **details: Any) -> tuple[str, str, str | None]:
        found = opened().failure(errors._create_exception(number, **details))
        return found.outcome, found.error_class, found.error_code

    assert failure(errors.ERR_CALL_TIMEOUT_EXCEEDED, timeout=5) == ("timed_out", "interrupted", "DPY-4024")
    assert failure(errors.ERR_CONNECTION_CLOSED) == ("failed", "connection", "DPY-4011")
    assert failure(errors.ERR_NOT_CONNECTED) == ("failed", "connection", "DPY-1001")
    assert failure(errors.ERR_MISSING_BIND_VALUE, name="x") == ("failed", "syntax", "DPY-4010")
    assert failure(errors.ERR_NAMED_TIMEZONE_NOT_SUPPORTED) == ("failed", "unsupported_value", "DPY-3022")


@pytest.mark.parametrize("number", [604, 12801])
def test_an_error_below_is_the_one_that_counts(number: int, connection: StandInConnection) -> None:
    message = "error occurred elsewhere\nORA-01652: unable to extend temp segment"
    failure = opened().failure(ora(number, message))
    assert (failure.error_class, failure.error_code) == ("resource", "ORA-01652")


def test_an_unknown_identifier_is_a_function_where_it_is_called(connection: StandInConnection) -> None:
    session = opened()
    session.execute('select nope(1), nada from t where "Low" (2) = 1')
    for name, error_class in (
        ('"NOPE"', "unknown_function"),
        ('"P"."NOPE"', "unknown_function"),
        ('"Low"', "unknown_function"),
        ('"NADA"', "unknown_column"),
        ('"OPE"', "unknown_column"),
    ):
        assert session.failure(ora(904, f"{name}: invalid identifier")).error_class == error_class


def test_a_date_that_python_cannot_hold_is_an_unsupported_value(connection: StandInConnection) -> None:
    failure = opened().failure(ValueError("year -4712 is out of range"))
    assert (failure.outcome, failure.error_class) == ("failed", "unsupported_value")


# --- Values -------------------------------------------------------------------------------------------------


def converted(kind: Any, value: Any, is_json: bool = False) -> Any:
    """A value of the driver's as the session hands it on."""
    cursor = StandInCursor([], [], [])
    cursor.arraysize = 7
    found = oracle.output_type(cursor, Column(kind, is_json=is_json))
    if found is None:
        return value
    _, arraysize, converter = found
    assert arraysize == 7  # the driver takes no less than the cursor's
    return converter(value)


def test_values_of_the_driver_become_those_of_cells() -> None:
    single = array.array("f", [0.1])
    sparse = oracledb.SparseVector(4, [1, 3], array.array("d", [1.5, 2.0]))
    values = [
        (oracledb.DB_TYPE_NUMBER, Decimal("12345678901234567890.5"), "n:12345678901234567890.5"),
        (oracledb.DB_TYPE_NUMBER, Decimal("-1e125"), f"n:-1{'0' * 125}"),
        (oracledb.DB_TYPE_BINARY_DOUBLE, 0.1, "n:0.1"),
        (oracledb.DB_TYPE_BINARY_DOUBLE, float("nan"), "n:nan"),
        (oracledb.DB_TYPE_BINARY_FLOAT, single[0], "n:0.1"),
        (oracledb.DB_TYPE_CHAR, "Rex  ", "t:Rex"),
        (oracledb.DB_TYPE_NCHAR, "李 ", "t:李"),
        (oracledb.DB_TYPE_VARCHAR, "Rex ", "t:Rex "),
        (oracledb.DB_TYPE_VARCHAR, None, None),  # the empty text
        (oracledb.DB_TYPE_RAW, b"\x00\xff", "b:00ff"),
        (oracledb.DB_TYPE_DATE, datetime(2024, 1, 31), "d:2024-01-31"),
        (oracledb.DB_TYPE_DATE, datetime(2024, 1, 31, 10), "d:2024-01-31 10:00:00"),
        (oracledb.DB_TYPE_TIMESTAMP, datetime(2024, 1, 31, 10, 0, 0, 500_000), "d:2024-01-31 10:00:00.5"),
        (
            oracledb.DB_TYPE_TIMESTAMP_TZ,
            datetime(2024, 1, 31, 10),
            "d:2024-01-31 10:00:00",
        ),  # the zone is lost
        (oracledb.DB_TYPE_INTERVAL_YM, oracledb.IntervalYM(1, 2), "i:14m0d0us"),
        (oracledb.DB_TYPE_INTERVAL_YM, oracledb.IntervalYM(-1, -2), "i:-14m0d0us"),
        (oracledb.DB_TYPE_INTERVAL_DS, timedelta(days=1, seconds=2), "i:0m1d2000000us"),
        (oracledb.DB_TYPE_INTERVAL_DS, -timedelta(days=1, seconds=2), "i:0m-1d-2000000us"),
        (oracledb.DB_TYPE_INTERVAL_DS, -timedelta(seconds=1), "i:0m0d-1000000us"),
        (oracledb.DB_TYPE_ROWID, "AAAR3sAAEAAAACXAAA", "t:AAAR3sAAEAAAACXAAA"),
        (oracledb.DB_TYPE_XMLTYPE, "<a/>", "t:<a/>"),
        (oracledb.DB_TYPE_BOOLEAN, True, "n:1"),
        (oracledb.DB_TYPE_JSON, {"b": [1.0, Decimal("0.10"), None, True], "a": "é"}, None),
        (oracledb.DB_TYPE_VECTOR, single, 'l:["n:0.1"]'),
        (oracledb.DB_TYPE_VECTOR, array.array("b", [-1, 2]), 'l:["n:-1","n:2"]'),
        (oracledb.DB_TYPE_VECTOR, sparse, 'l:["n:0","n:1.5","n:0","n:2"]'),
    ]
    for kind, value, expected in values:
        found = cell(converted(kind, value))
        if kind is oracledb.DB_TYPE_JSON:
            expected = 't:{"a": "é", "b": [1, 0.10, null, true]}'
        assert found == expected, (kind, value)


def test_json_in_a_text_column_keeps_its_numbers() -> None:
    document = '{"b":  0.1000000000000000000001, "a": 1}'
    for kind in (oracledb.DB_TYPE_VARCHAR, oracledb.DB_TYPE_CLOB):
        assert converted(kind, document, is_json=True) == '{"a": 1, "b": 0.1000000000000000000001}'
        assert converted(kind, document) == document


def test_types_that_have_no_cell_are_unsupported(connection: StandInConnection) -> None:
    with pytest.raises(TypeError) as raised:
        cells_of_rows([(object(),)])
    assert opened().failure(raised.value).error_class == "unsupported_value"


@pytest.mark.parametrize(
    ("engine", "driver", "extra"), [("oracle", "oracledb", "oracle"), ("sqlserver", "pyodbc", "mssql")]
)
def test_a_missing_driver_says_what_to_install(
    engine: str, driver: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, driver, None)
    monkeypatch.delitem(sys.modules, f"glue.engines.{engine}", raising=False)
    with pytest.raises(GlueError) as error:
        engine_named(engine)
    assert error.value.hint == f"pip install 'evalhouse[{extra}]'"


def test_the_deadline_leaves_no_alarm_behind() -> None:
    with contextlib.suppress(oracle.ConnectTimedOut), oracle.answer_within(0.05):
        time.sleep(5)
    with oracle.answer_within(0.05):
        pass
    time.sleep(0.1)
