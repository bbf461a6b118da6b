"""What only MariaDB does, on a real server: values, what is left behind, errors, connecting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pymysql
import pytest

from glue.cells import cells_of_rows
from glue.engines import mysql_errors
from glue.engines.base import Limits
from glue.engines.mysql import MariaDB, MySQL
from glue.engines.server import ServerSession
from glue.errors import GlueError
from tests.engines.asking import failure_of
from tests.engines.mysql_helpers import SCRIPT, answer, master_of
from tests.engines.servers import Server, Servers


@pytest.fixture
def server(servers: Servers) -> Server:
    found = servers["mariadb"]
    found.run(SCRIPT)
    return found


@pytest.fixture
def session(server: Server) -> Iterator[ServerSession]:
    session = server.open()
    yield session
    session.close()


# Values

VALUES = [
    ("decimal(65,30)", "12345678901234567890.123456789012345678900000000000",
     "n:12345678901234567890.1234567890123456789"),
    ("decimal(10,2)", "5.00", "n:5"),
    ("decimal(10,2)", "0.10", "n:0.1"),
    ("decimal(10,2) zerofill", "12.50", "n:12.5"),
    ("decimal(10,2) zerofill", "0", "n:0"),
    ("decimal(20,10)", "-0.00000001", "n:-1e-08"),
    ("bigint unsigned", "18446744073709551615", "n:18446744073709551615"),
    ("bigint", "-9223372036854775808", "n:-9223372036854775808"),
    ("integer(6) zerofill", "42", "n:42"),
    ("tinyint(1)", "1", "n:1"),
    ("tinyint(1)", "7", "n:7"),
    ("boolean", "false", "n:0"),
    ("bit(1)", "b'1'", "n:1"),
    ("bit(10)", "b'1000000001'", "n:513"),
    ("bit(64)", "18446744073709551615", "n:18446744073709551615"),
    ("float", "0.1", "n:0.1"),
    ("float", "16777217", "n:16777200"),  # six digits are what the server writes
    ("double", "0.1", "n:0.1"),
    ("double", "1e300", f"n:{int(1e300)}"),
    ("double", "-0e0", "n:0"),
    ("year", "2024", "n:2024"),
    ("year", "0", "n:0"),
    ("date", "'2024-01-31'", "d:2024-01-31"),
    ("date", "'0000-00-00'", "d:0000-00-00"),
    ("date", "'2020-00-00'", "d:2020-00-00"),
    ("date", "'9999-12-31'", "d:9999-12-31"),
    ("datetime(6)", "'2024-01-31 10:00:00.500000'", "d:2024-01-31 10:00:00.5"),
    ("datetime(6)", "'2024-01-31'", "d:2024-01-31"),
    ("datetime", "'0000-00-00 00:00:00'", "d:0000-00-00"),
    ("timestamp null", "'2024-01-31 10:00:00'", "d:2024-01-31 10:00:00"),
    ("time(3)", "'10:00:00.500'", "h:10:00:00.5"),
    ("time", "'838:59:59'", "h:838:59:59"),
    ("time", "'-01:30:00'", "h:-01:30:00"),
    ("char(5)", "'a'", "t:a"),
    ("varchar(9)", "'a  '", "t:a  "),
    ("varchar(9) character set latin1", "'é'", "t:é"),
    ("varchar(9)", "'李 😀'", "t:李 😀"),
    ("text", "''", "t:"),
    ("enum('x', 'y')", "'y'", "t:y"),
    ("set('x', 'y')", "'x,y'", "t:x,y"),
    ("binary(3)", "'a'", "b:610000"),
    ("varbinary(3)", "x'00ff'", "b:00ff"),
    ("blob", "''", "b:"),
    ("json", "'{\"b\":1, \"a\":  1.0}'", 't:{"b":1, "a":  1.0}'),  # MariaDB's JSON is a text
    ("inet6", "'::1'", "t:::1"),
    ("uuid", "'123e4567-e89b-12d3-a456-426614174000'", "t:123e4567-e89b-12d3-a456-426614174000"),
    ("point", "point(1, 2)", "b:000000000101000000000000000000f03f0000000000000040"),
]  # fmt: skip


def test_every_type_has_its_cell(server: Server, session: ServerSession) -> None:
    names = [f"c{number}" for number in range(len(VALUES))]
    kinds = ", ".join(f"{name} {kind}" for name, (kind, _, _) in zip(names, VALUES, strict=True))
    literals = ", ".join(literal for _, literal, _ in VALUES)
    nulls = ", ".join("null" for _ in VALUES)
    server.run(
        f"set sql_mode = '', time_zone = '+00:00'; create or replace table kinds ({kinds});"
        f" insert into kinds values ({literals}), ({nulls})"
    )
    (given, missing) = answer(session, f"select {', '.join(names)} from kinds")
    server.run("drop table kinds")
    found = [(kind, literal, cell) for (kind, literal, _), cell in zip(VALUES, given, strict=True)]
    assert found == VALUES
    assert set(missing) == {None}


@pytest.mark.parametrize(
    "expression, cell",
    [
        ("1 / 3", "n:0.3333"),
        ("1 / 0", None),
        ("7 div 2", "n:3"),
        ("true", "n:1"),
        ("null", None),
        ("x'4142'", "b:4142"),
        ("concat(1, 2)", "t:12"),
        ("'it\\'s'", "t:it's"),
        ('"a text"', "t:a text"),
        ("date_add('2020-01-31', interval 1 month)", "t:2020-02-29"),
        ("cast('2020-01-31' as date)", "d:2020-01-31"),
        ("timediff('10:00:00', '12:30:00')", "h:-02:30:00"),
        ("group_concat(i order by i)", "t:1,2,3,4,5"),
        ("avg(i)", "n:3"),
        ("sum(i) / 4e0", "n:3.75"),
        ("json_object('b', 1, 'a', 2)", 't:{"b": 1, "a": 2}'),
        ("repeat('é', 40000)", "t:" + "é" * 40_000),
        ("@@time_zone", "t:+00:00"),
    ],
)
def test_what_expressions_give(session: ServerSession, expression: str, cell: str | None) -> None:
    assert set(answer(session, f"select {expression} from t")) == {(cell,)}


@pytest.mark.parametrize("length", [0, 250, 251, 252, 65_535, 65_536, 16_777_210, 16_777_214])
def test_values_of_every_length_arrive_whole(session: ServerSession, length: int) -> None:
    ((value, end),) = answer(session, f"select repeat('a', {length}), 'end'")
    assert (value, end) == (f"t:{'a' * length}", "t:end")


def test_a_row_longer_than_a_packet_arrives_whole(session: ServerSession) -> None:
    rows = answer(session, "select repeat('a', 10000000), repeat('b', 10000000) union all select 'c', 'd'")
    assert rows == [(f"t:{'a' * 10_000_000}", f"t:{'b' * 10_000_000}"), ("t:c", "t:d")]


@pytest.mark.parametrize(
    "sql", ["select 1, repeat('a', 5000)", f"select {', '.join(['repeat(1, 16000000)'] * 5)}"]
)
def test_a_value_or_a_row_beyond_the_limit_is_not_taken_in(server: Server, sql: str) -> None:
    session = server.open(Limits(1 << 29, max_value_bytes=4_000))
    failure = failure_of(session, sql)
    assert failure is not None
    assert (failure.outcome, failure.error_class) == ("failed", "resource")
    assert failure.is_session_lost
    server.wait_until_gone()


# What is left behind


def test_nothing_of_a_session_stays(server: Server, session: ServerSession) -> None:
    number = session.server_id
    found = answer(session, "select @a := 5, get_lock('evalhouse_m', 0), last_insert_id(7)")
    assert found == [("n:5", "n:1", "n:7")]
    assert answer(session, "select @a, is_free_lock('evalhouse_m'), last_insert_id()") == [
        (None, "n:1", "n:0")
    ]
    assert session.server_id == number
    assert server.sessions() == [number]


def test_a_session_keeps_its_settings(session: ServerSession) -> None:
    settings = "select @@session.time_zone, @@character_set_results, @@sql_mode, @@in_transaction, database()"
    before = answer(session, settings)
    answer(session, "select 1")
    assert answer(session, settings) == before
    assert before[0][:2] == ("t:+00:00", "t:utf8mb4")
    assert before[0][3] == "n:1"


def test_a_temporary_table_or_a_setting_made_behind_our_back_is_gone(server: Server) -> None:
    session = MariaDB().open_server(master_of(server), Limits(1 << 29))
    link = session._connection  # type: ignore[attr-defined]
    link.query("create temporary table hidden (i integer)")
    link.query("set sort_buffer_size = 100000, sql_mode = 'ANSI', max_statement_time = 0")
    answer(session, "select 1")
    failure = failure_of(session, "select * from hidden")
    assert failure is not None
    assert failure.error_class == "unknown_table"
    ((size, modes, limit),) = answer(session, "select @@sort_buffer_size, @@sql_mode, @@max_statement_time")
    assert size is not None and modes is not None
    assert (int(size[2:]) > 100_000, "ANSI" in modes, limit) == (True, False, "n:30.5")
    session.close()


def test_the_servers_sql_mode_is_kept(server: Server, session: ServerSession) -> None:
    assert answer(session, "select @@sql_mode") == cells_of_rows(server.run("select @@global.sql_mode"))


# Errors

ERRORS = [
    ("select i form t", "syntax", "1064"),
    ("select * from (values (1)) v full outer join t on true", "syntax", "1064"),
    ("select 1 order by 1 union select 2", "syntax", "1064"),
    ("select i from t limit 1 offset x", "syntax", "1327"),
    ("select * from nothing", "unknown_table", "1146"),
    ("select x.* from t", "unknown_table", "1051"),
    ("select * from information_schema.nothing", "unknown_table", "1109"),
    ("select nothing from t", "unknown_column", "1054"),
    ("select i from t having s = 'a'", "unknown_column", "1054"),
    ("select i from t join t as u", "ambiguous", "1052"),
    ("select 1 from t, t", "ambiguous", "1066"),
    ("select * from (select 1 as a, 2 as a) x", "ambiguous", "1060"),
    ("select nothing(1)", "unknown_function", "1370"),
    ("select abs(1, 2)", "type", "1582"),
    ("select 9223372036854775807 + 1", "type", "1690"),
    ("select 'a' regexp '('", "type", "1139"),
    ("select 1 where (1, 2) = 1", "type", "4078"),
    ("select i from t where count(*) > 1", "aggregate_misuse", "1111"),
    ("select i from t where row_number() over () = 1", "aggregate_misuse", "4015"),
    ("select sum(row_number() over ()) from t", "aggregate_misuse", "4074"),
    ("select * from mysql.user", "permission", "1142"),
    ("select (select i from t)", "shape", "1242"),
    ("select (select 1, 2)", "shape", "1241"),
    ("select 1 union select 1, 2", "shape", "1222"),
    ("select i from t order by 5", "shape", "1054"),
    ("with x (a, b) as (select 1) select * from x", "shape", "4002"),
    (f"select 1 from {', '.join(f't as t{number}' for number in range(62))}", "too_complex", "1116"),
    (f"select {'+'.join(['1'] * 30_000)}", "too_complex", "1436"),
    (f"select {'(select ' * 300}1{')' * 300}", "too_complex", "1473"),
    (f"select {'(' * 100_000}1{')' * 100_000}", "too_complex", "1064"),
]


@pytest.mark.parametrize("sql, error_class, code", ERRORS, ids=[sql[:40] for sql, _, _ in ERRORS])
def test_errors_have_classes(session: ServerSession, sql: str, error_class: str, code: str) -> None:
    failure = failure_of(session, sql)
    assert failure is not None
    assert (failure.outcome, failure.error_class, failure.error_code) == ("failed", error_class, code)
    assert failure.error_message
    assert not failure.is_session_lost
    assert answer(session, "select 1") == [("n:1",)]


def test_only_full_group_by_is_an_aggregate_misused(session: ServerSession) -> None:
    link = session._connection  # type: ignore[attr-defined]
    link.query("set sql_mode = 'ONLY_FULL_GROUP_BY'")
    for sql, code in (("select i, s from t group by s", "1055"), ("select i, count(*) from t", "1140")):
        link.query("set sql_mode = 'ONLY_FULL_GROUP_BY'")
        failure = failure_of(session, sql)
        assert failure is not None
        assert (failure.error_class, failure.error_code) == ("aggregate_misuse", code)


def test_no_error_number_has_two_classes() -> None:
    numbers = [
        each
        for found in mysql_errors._CLASSES.values()
        for number in found
        for each in (number if isinstance(number, range) else (number,))
    ]
    assert len(numbers) == len(set(numbers))


# Connecting


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"password": "wrong-secret"}, "Access denied"),
        ({"user": "evalhouse_nobody"}, "Access denied"),
        ({"search_path": ("nothing",)}, "Access denied|Unknown database"),
        ({"port": 1}, "Can't connect"),
    ],
)
def test_what_cannot_be_opened_has_no_database(server: Server, changes: dict[str, Any], message: str) -> None:
    address = replace(server.address, **changes)
    with pytest.raises(pymysql.Error, match=message) as caught:
        MariaDB().open_server(address, Limits(1 << 29))
    failure = MariaDB().open_failure(caught.value)
    assert (failure.outcome, failure.error_class) == ("no_database", "connection")
    assert failure.error_code
    assert server.password not in failure.error_message
    assert "wrong-secret" not in failure.error_message


def test_mariadb_is_not_taken_for_mysql(server: Server) -> None:
    with pytest.raises(GlueError, match="is MariaDB, not MySQL") as caught:
        MySQL().open_server(server.address, Limits(1 << 29))
    assert caught.value.hint == "make the connection's URL begin with mariadb://"
    server.wait_until_gone()


def test_an_option_that_is_not_known_is_named(server: Server) -> None:
    address = replace(server.address, options=(("local_infile", "1"),))
    with pytest.raises(GlueError, match="has no option 'local_infile'"):
        MariaDB().open_server(address, Limits(1 << 29))
    address = replace(server.address, options=(("connect_timeot", "1"),))
    with pytest.raises(GlueError) as caught:
        MariaDB().open_server(address, Limits(1 << 29))
    assert caught.value.hint == "did you mean 'connect_timeout'?"


def test_the_first_of_the_search_path_is_where_names_are_looked_for(server: Server) -> None:
    address = replace(server.address, database=None, search_path=(server.name, "mysql"))
    session = MariaDB().open_server(address, Limits(1 << 29))
    assert answer(session, "select count(*) from t") == [("n:5",)]
    assert answer(session, "select count(*) from t") == [("n:5",)]
    session.close()
