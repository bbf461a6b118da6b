"""PostgreSQL alone: its values as canonical cells, its errors, its hostile statements."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from glue.engines import postgresql
from glue.engines.server import ServerSession
from glue.home import Home
from tests.engines.asking import answer, failure_of, refusal
from tests.engines.servers import Server, Servers
from tests.execution_helpers import MEBIBYTE
from tests.test_execute_live import run_live

SCRIPT = """
drop table if exists victim cascade;
drop sequence if exists numbers cascade;
drop type if exists mood cascade;
create table victim (i integer, s varchar);
insert into victim select n, 'row ' || n from generate_series(1, 10) as g (n);
create sequence numbers;
create type mood as enum ('sad', 'happy');
create or replace function writes() returns integer language sql volatile
    as 'insert into victim values (99, ''written''); select 1';
create or replace function owns() returns integer language plpgsql security definer
    as 'begin insert into victim values (98, ''owned''); return 1; end';
create extension if not exists dblink;
"""


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    servers["postgresql"].run(SCRIPT)
    return servers["postgresql"]


@pytest.fixture
def session(server: Server) -> Iterator[ServerSession]:
    session = server.open()
    yield session
    session.close()


# Values


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("null", None),
        ("true", "n:1"),
        ("7::smallint", "n:7"),
        ("9223372036854775807", "n:9223372036854775807"),
        ("4294967295::oid", "n:4294967295"),
        ("1.50::numeric(10, 2)", "n:1.5"),
        ("5.00::numeric", "n:5"),
        ("123456789012345678901234567890.12345678901234567890",
         "n:123456789012345678901234567890.1234567890123456789"),
        ("1e40::numeric", f"n:1{'0' * 40}"),
        ("0.1::numeric + 0.2::numeric", "n:0.3"),
        ("'NaN'::numeric", "n:nan"),
        ("'-Infinity'::numeric", "n:-inf"),
        ("0.1::float8 + 0.2::float8", "n:0.30000000000000004"),
        ("0.1::float4", "n:0.1"),
        ("'-0'::float8", "n:0"),
        ("'Infinity'::float8", "n:inf"),
        ("(-1234.50)::numeric::money", "n:-1234.5"),
        ("'$1,234,567.89'::money", "n:1234567.89"),
        ("'text'", "t:text"),
        ("'李😀'::text", "t:李😀"),
        ("''::varchar", "t:"),
        ("'ab'::char(5)", "t:ab"),
        ("'ab  '::varchar", "t:ab  "),
        ("' ab'::char(5)", "t: ab"),
        ("'x'::\"char\"", "t:x"),
        ("'name'::name", "t:name"),
        ("'happy'::mood", "t:happy"),
        ("'\\x00ff10'::bytea", "b:00ff10"),
        ("''::bytea", "b:"),
        ("date '2024-01-31'", "d:2024-01-31"),
        ("timestamp '2024-01-31 00:00:00'", "d:2024-01-31"),
        ("timestamp '2024-01-31 10:00:00.500'", "d:2024-01-31 10:00:00.5"),
        ("timestamptz '2024-01-31 10:00:00+02'", "d:2024-01-31 08:00:00Z"),
        ("timestamptz '2024-01-31 02:00:00+02'", "d:2024-01-31Z"),
        ("timestamptz '2024-01-31 10:00:00.25-03:30'", "d:2024-01-31 13:30:00.25Z"),
        ("date 'infinity'", "d:infinity"),
        ("timestamp '-infinity'", "d:-infinity"),
        ("timestamptz 'infinity'", "d:infinity"),
        ("date '0044-03-15 BC'", "d:0044-03-15 BC"),
        ("timestamp '0044-03-15 12:00:00 BC'", "d:0044-03-15 12:00:00 BC"),
        ("timestamptz '0044-03-15 12:00:00+00 BC'", "d:0044-03-15 12:00:00 BCZ"),
        ("date '12345-01-01'", "d:12345-01-01"),
        ("time '10:00:00.500'", "h:10:00:00.5"),
        ("time '24:00:00'", "h:24:00:00"),
        ("timetz '10:00:00+02'", "h:10:00:00+02:00"),
        ("timetz '10:00:00-03:30'", "h:10:00:00-03:30"),
        ("interval '1 year 2 months 3 days 04:05:06.7'", "i:14m3d14706700000us"),
        ("interval '-1 month +2 days -00:00:00.000001'", "i:-1m2d-1us"),
        ("interval '0'", "i:0m0d0us"),
        ("timestamp '2024-03-01' - timestamp '2024-02-01'", "i:0m29d0us"),
        ("'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid", "t:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("B'0101'", "t:0101"),
        ("B'1'::bit(1)", "t:1"),
        ("B'101'::bit varying(8)", "t:101"),
        ("'{\"b\": 1, \"a\": [1.50, null, true]}'::json", 't:{"a": [1.50, null, true], "b": 1}'),
        ("'{\"b\": 1, \"a\": [1.50, null, true]}'::jsonb", 't:{"a": [1.50, null, true], "b": 1}'),
        ("'\"text\"'::jsonb", 't:"text"'),
        ("'null'::jsonb", "t:null"),
        ("array[1, null, 3]", 'l:["n:1",null,"n:3"]'),
        ("array[]::integer[]", "l:[]"),
        ("array[[1, 2], [3, 4]]", 'l:[["n:1","n:2"],["n:3","n:4"]]'),
        ("array['a,b', '\"q\"', null]", 'l:["t:a,b","t:\\"q\\"",null]'),
        ("array[date '2024-01-31']", 'l:["d:2024-01-31"]'),
        ("array[1.50, 2]::numeric[]", 'l:["n:1.5","n:2"]'),
        ("array['ab'::char(4)]", 'l:["t:ab"]'),
        ("array['happy'::mood]", "t:{happy}"),
        ("inet '10.0.0.1/8'", "t:10.0.0.1/8"),
        ("macaddr '08:00:2b:01:02:03'", "t:08:00:2b:01:02:03"),
        ("int4range(1, 5)", "t:[1,5)"),
        ("row(1, 'a')", "t:(1,a)"),
        ("point '(1,2)'", "t:(1,2)"),
        ("'fat & rat'::tsquery", "t:'fat' & 'rat'"),
        ("xmlparse(content '<a/>')", "t:<a/>"),
    ],
)  # fmt: skip
def test_values(session: ServerSession, expression: str, expected: str | None) -> None:
    assert answer(session, f"select {expression} as v")[1] == [(expected,)]


def test_an_interval_without_end_is_none_of_no_length() -> None:
    """PostgreSQL 17 has them; the server of the tests is older."""
    load = postgresql._IntervalLoader(0).load
    assert load(b"infinity") == "i:infinity"
    assert load(b"-infinity") == "i:-infinity"
    assert load(b"PT0S") == "i:0m0d0us"


def test_a_server_that_cannot_look_whether_a_client_lives_lets_us_in(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where any interval is an invalid value."""
    monkeypatch.setitem(postgresql._SETTINGS, "client_connection_check_interval", "never heard of")
    session = server.open()
    sql = "select current_setting('client_connection_check_interval'), current_setting('TimeZone')"
    assert answer(session, sql)[1] == [("t:0", "t:UTC")]
    session.close()


def test_settings_of_the_role_change_no_value(server: Server) -> None:
    for setting in ("DateStyle = 'SQL, DMY'", "IntervalStyle = 'postgres'", "TimeZone = 'Asia/Tokyo'",
                    "extra_float_digits = '-15'", "bytea_output = 'escape'"):  # fmt: skip
        server.run(f"alter role {server.name} set {setting}")
    try:
        session = server.open()
        sql = (
            "select date '2024-01-31', timestamptz '2024-01-31 10:00:00+00', interval '1 day', 1/3.0::float8"
        )
        expected = [("d:2024-01-31", "d:2024-01-31 10:00:00Z", "i:0m1d0us", "n:0.3333333333333333")]
        for _ in range(2):  # after DISCARD ALL too
            assert answer(session, sql)[1] == expected
        session.close()
    finally:
        server.run(f"alter role {server.name} reset all")


# Errors


@pytest.mark.parametrize(
    ("sql", "outcome", "error_class", "code"),
    [
        ("select 1/0", "failed", "division", "22012"),
        ("select 'a'::integer", "failed", "type", "22P02"),
        ("select 1 + 'a'::text", "failed", "unknown_function", "42883"),
        ("select i from victim where s", "failed", "type", "42804"),
        ("select case when i = 1 then 1 else date '2024-01-01' end from victim", "failed", "type", "42804"),
        ("select * from nowhere.victim", "failed", "unknown_table", "42P01"),
        ("select 1 order by 5", "failed", "shape", "42P10"),
        ("select i, count(*) from victim", "failed", "aggregate_misuse", "42803"),
        ("select sum(count(*)) from victim", "failed", "aggregate_misuse", "42803"),
        ("select row_number() over () from victim where row_number() over () = 1",
         "failed", "aggregate_misuse", "42P20"),
        ("select $1", "failed", "syntax", "08P01"),
        ("select * from pg_authid", "failed", "permission", "42501"),
        ("select 1 in (select i, s from victim)", "failed", "shape", "42601"),
        ("values (1), (1, 2)", "failed", "shape", "42601"),
        ("select nextval('numbers')", "failed", "permission", "42501"),
        ("select * from victim for update", "refused", "forbidden", "25006"),
        ("select * into copied from victim", "refused", "not_a_read", "42601"),
        ("with w as (insert into victim values (1, 'w') returning i) select * from w",
         "refused", "not_a_read", "0A000"),
        ("with w as (delete from victim returning i) select 1 from w", "refused", "not_a_read", "0A000"),
        ("select owns()", "refused", "forbidden", "25006"),
        ("select set_config('transaction_read_only', 'off', true)", "refused", "forbidden", "25001"),
        (f"select {'+'.join(['i'] * 100_000)} from victim", "failed", "too_complex", "54001"),
        (f"select {', '.join(['1'] * 1_700)}", "failed", "too_complex", "54011"),
    ],
)  # fmt: skip
def test_errors(
    session: ServerSession, server: Server, sql: str, outcome: str, error_class: str, code: str
) -> None:
    failure = failure_of(session, sql)
    assert failure is not None
    assert (failure.outcome, failure.error_class, failure.error_code) == (outcome, error_class, code)
    assert not session.is_closed
    assert answer(session, "select count(*) from victim")[1] == [("n:10",)]


def test_an_error_in_the_middle_of_the_rows(session: ServerSession) -> None:
    failure = failure_of(session, "select 1 / (5000 - i) from generate_series(1, 10000) as s (i)")
    assert failure is not None
    assert failure.error_class == "division"
    assert answer(session, "select 1")[1] == [("n:1",)]


# Hostile statements

HARMLESS = [
    "select $tag$; drop table victim; $tag$",
    "select $$; drop table victim; $$ || 'it''s; fine'",
    "select /* one /* two; */ drop table victim; */ 1",
    "select E'it\\'s; drop table victim; --'",
    "select U&'d\\0061t\\+000061; drop table victim'",
    'select 1 as "; drop table victim; --"',
]
REFUSED = [
    "drop table victim",
    "truncate victim",
    "select 1; drop table victim",
    "select 1; commit; drop table victim",
    "select $a$ $a$; drop table victim",
    "select /* /* */ */ 1; drop table victim",
    "select 'a\\'; drop table victim; --'",
    "commit; drop table victim",
    "copy victim to program 'touch /tmp/evalhouse-written'",
    "copy (select 1) to '/tmp/evalhouse-written'",
    "copy victim from '/etc/passwd'",
    "set role postgres",
    "set session authorization postgres",
    "reset role",
    "do $$ begin insert into victim values (7, 'do'); end $$",
    "call nothing()",
    "create temp table kept as select 1",
    "create table kept (i integer)",
    "with w as (update victim set s = 'w' returning i) select * from w",
    "with w as (insert into victim values (5, 'w') returning i) select * from w",
    "select * into kept from victim",
    "prepare p as delete from victim",
    "declare c cursor with hold for select 1",
    "listen channel",
    "notify channel, 'text'",
    "vacuum",
    "load 'dblink'",
    "begin read write",
]
FAILING = [
    "select pg_read_file('/etc/hostname')",
    "select pg_ls_dir('/')",
    "select pg_stat_file('/etc/hostname')",
    "select lo_import('/etc/hostname')",
    "select lo_export(1, '/tmp/evalhouse-written')",
    "select writes()",
    "select owns()",
    "select nextval('numbers')",
    "select setval('numbers', 77)",
    "select set_config('role', 'postgres', false)",
    "select set_config('session_authorization', 'postgres', false)",
    "select set_config('transaction_read_only', 'off', true) || owns()",
    "select set_config('transaction_read_only', 'off', false)",
    "select pg_reload_conf()",
    "select pg_rotate_logfile()",
    "select pg_switch_wal()",
    "select pg_create_restore_point('x')",
    "select pg_stat_reset()",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres'",
    "select * from victim for update",
    "select * from victim for share",
    "select * from dblink('dbname={database} user=postgres', 'insert into victim values (6, ''d'')')"
    " as d (i integer)",
    "select dblink_connect_u('dbname={database} user=postgres')",
    "select query_to_xml('insert into victim values (8, ''x'') returning i', true, true, '')",
    "select database_to_xml(true, true, 'x') is null or owns() = 1",
    "select pg_logical_emit_message(true, 'a', 'b') is null or owns() = 1",
    "select pg_catalog.pg_advisory_xact_lock(1), owns()",
]  # fmt: skip
UNDONE = [
    "select lo_create(4242)",
    "select lo_from_bytea(4243, 'written')",
    "select set_config('statement_timeout', '0', false)",
    "select set_config('search_path', 'pg_catalog', false)",
    "select set_config('default_transaction_read_only', 'off', false)",
    "select set_config('idle_in_transaction_session_timeout', '0', false)",
    "select pg_advisory_lock(1)",
    "select pg_advisory_lock_shared(n) from generate_series(1, 100) as g (n)",
    "select pg_try_advisory_xact_lock(3)",
    "select pg_notify('channel', 'text')",
    "select pg_backend_pid(), txid_current_if_assigned()",
    "select pg_export_snapshot()",
    "select setseed(0.1)",
]
ENDLESS = [
    "select pg_sleep(1000)",
    "select pg_sleep_until(now() + interval '1 hour')",
    "select set_config('statement_timeout', '0', true), pg_sleep(1000)",
    "select count(*) from generate_series(1, 100000000000)",
    "select * from generate_series(1, 100000000000) as a, generate_series(1, 10) as b",
    "with recursive n as (select 1 as i union all select i + 1 from n) select max(i) from n",
    "with recursive n as (select 1 as i union all select i + 1 from n) select i from n",
    "select count(*) from victim a, victim b, victim c, victim d, victim e, victim f, victim g, victim h,"
    " victim i, victim j, victim k",
    "select regexp_replace(repeat('a', 40), '(a*)*(a*)*(a*)*b', '') || count(*)"
    " from generate_series(1, 100000000000)",
]  # fmt: skip
LARGE = [
    "select repeat('x', 2000000000)",
    "select repeat('x', 1000000000)",
    "select repeat('x', 300000000)",
    "select repeat('x', 40000000)",
    "select string_agg(repeat('x', 1000000), '') from generate_series(1, 2000)",
    "select array_agg(repeat('x', 100000)) from generate_series(1, 20000)",
]
STUBBORN = ["select repeat('x', 1000000000) from generate_series(1, 16)"]


def attack(
    home: Home, server: Server, sqls: list[str], free_within_s: float = 1.0, **options: Any
) -> list[dict[str, Any]]:
    """Run hostile statements with one worker, a harmless one after each; see that nothing has changed."""
    before = server.content()
    texts = {}
    for number, sql in enumerate(sqls):
        texts[f"hostile {number}"] = sql.replace("{database}", server.name)
        texts[f"next {number}"] = f"select count(*) + {number} from victim"
    started_s = time.monotonic()
    writer, found = run_live(home, server, texts, **{"workers": 1, **options})
    run_s, freeing_s = time.monotonic() - started_s, server.seconds_until_free(free_within_s)
    print(f"{len(sqls)} statements: {run_s:.1f} s, {freeing_s:.2f} s until the server was free")
    assert server.content() == before
    for number, sql in enumerate(sqls):
        following = found[f"next {number}", None]
        assert following["outcome"] == "answered", (sql, following)
        assert writer.cells(following["result_id"]) == [[f"n:{10 + number}"]]
    server.wait_until_gone()
    return [found[f"hostile {number}", None] for number in range(len(sqls))]


def test_quotes_and_remarks_hide_no_statement(home: Home, server: Server) -> None:
    for sql, row in zip(HARMLESS, attack(home, server, HARMLESS), strict=True):
        assert row["outcome"] == "answered", (sql, row)


def test_what_is_no_read_is_refused(home: Home, server: Server) -> None:
    for sql, row in zip(REFUSED, attack(home, server, REFUSED), strict=True):
        assert row["outcome"] == "refused", (sql, row)


def test_what_a_reading_user_may_not_fails(home: Home, server: Server) -> None:
    for sql, row in zip(FAILING, attack(home, server, FAILING, timeout_s=5.0), strict=True):
        assert row["outcome"] in ("failed", "refused"), (sql, row)
        assert row["error_class"] in ("permission", "forbidden", "type", "syntax", "unknown_function",
                                      "connection", "other"), (sql, row)  # fmt: skip


def test_what_changes_a_session_is_undone(home: Home, server: Server) -> None:
    for sql, row in zip(UNDONE, attack(home, server, UNDONE), strict=True):
        assert row["outcome"] in ("answered", "failed"), (sql, row)


@pytest.mark.slow
def test_what_would_not_end_frees_the_server(home: Home, server: Server) -> None:
    for sql, row in zip(ENDLESS, attack(home, server, ENDLESS, timeout_s=0.5), strict=True):
        assert row["outcome"] == "timed_out", (sql, row)
        assert row["elapsed_ms"] < 2_500, (sql, row)


@pytest.mark.slow
def test_what_is_too_large_fails(home: Home, server: Server) -> None:
    rows = attack(home, server, LARGE, timeout_s=20.0, max_memory_bytes=512 * MEBIBYTE)
    for sql, row in zip(LARGE, rows, strict=True):
        assert row["outcome"] in ("failed", "timed_out", "crashed"), (sql, row)
        assert row["error_class"] in ("too_complex", "resource", "interrupted"), (sql, row)


@pytest.mark.slow
def test_what_the_server_itself_does_not_hear_ends_soon(home: Home, server: Server) -> None:
    """Compressing a gigabyte, the server looks up for nobody, and what it spills it deletes first."""
    for sql, row in zip(
        STUBBORN, attack(home, server, STUBBORN, free_within_s=60, timeout_s=8.0), strict=True
    ):
        assert row["outcome"] == "timed_out", (sql, row)


def test_rows_lift_no_limit_of_the_rows_after_them(session: ServerSession) -> None:
    """The server's own limit, without a client to cancel: it is there for one that has died."""
    session.limit_time(0.1)
    failure = failure_of(
        session,
        "select case i when 1 then set_config('statement_timeout', '0', false)"
        " when 20 then pg_sleep(5)::text end from generate_series(1, 30) as g (i)",
    )
    assert failure is not None
    assert (failure.outcome, failure.error_class) == ("timed_out", "interrupted")


def test_a_sibling_that_ends_or_cancels_others_costs_them_a_retry(home: Home, server: Server) -> None:
    others = (
        "from pg_stat_activity where usename = current_user and pid <> pg_backend_pid() and state = 'active'"
    )
    sqls = {
        "slow": "select 1 from pg_sleep(2)",
        "assassin": f"select 1 from pg_sleep(0.7), lateral (select pg_terminate_backend(pid) {others}) as k",
    }
    before = server.content()
    _, found = run_live(home, server, sqls, workers=2)
    assert found["slow", None]["outcome"] == "answered"
    assert found["assassin", None]["outcome"] == "answered"
    assert server.content() == before


def test_a_server_that_is_lost_for_good_is_not_waited_for_by_each_statement(
    home: Home, server: Server
) -> None:
    def lock_out() -> None:
        while not (busy := server.sessions(is_busy=True)):
            time.sleep(0.02)
        server.run(f"alter role {server.name} nologin")
        server.end_session(busy[0])

    locking = threading.Thread(target=lock_out)
    locking.start()
    sqls = {"slow": "select 1 from pg_sleep(5)", **{f"next {n}": f"select {n}" for n in range(20)}}
    started_s = time.monotonic()
    try:
        _, found = run_live(home, server, sqls, workers=1)
    finally:
        locking.join()
        server.run(f"alter role {server.name} login")
    assert found["slow", None]["outcome"] == "no_database"
    assert {row["outcome"] for row in found.values()} <= {"answered", "no_database"}
    assert "not permitted to log in" in found["slow", None]["error_message"]
    assert time.monotonic() - started_s < 12


def test_a_read_only_session_stays_so_when_two_are_open(server: Server) -> None:
    first, second = server.open(), server.open()
    answer(first, "select set_config('default_transaction_read_only', 'off', false)")
    assert refusal(first, "select owns()") == ("refused", "forbidden")
    assert refusal(second, "select owns()") == ("refused", "forbidden")
    first.close()
    second.close()
    assert threading.active_count() < 50
