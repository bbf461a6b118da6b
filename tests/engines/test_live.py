"""One suite for every engine that is a server: what a session gives, refuses, explains, and leaves behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest

from glue.cells import cell
from glue.engines.base import Limits
from glue.engines.server import Address, ServerSession
from glue.worker_limits import TimedOut, Watch
from glue.worker_results import collect
from glue.worker_tasks import Settings
from tests.engines.asking import answer, failure_of, refusal
from tests.engines.servers import LIVE, Server, Servers

SCRIPT = """
drop view if exists tall;
drop table if exists pet;
drop table if exists person;
create table person (id integer primary key, name varchar(50), height double precision);
insert into person values (1, 'Ann', 1.5), (2, '李', null), (3, 'Bo''s 😀', 2.0);
create table pet (id integer, owner integer, name varchar(50));
insert into pet values (10, 1, 'Rex'), (11, 3, null);
create view tall as select name from person where height > 1.6;
"""

SLEEP = {"postgresql": "select pg_sleep({s})", "mariadb": "select sleep({s})"}
ENDLESS = {
    "postgresql": "select count(*) from generate_series(1, 100000000000) as a",
    "mariadb": "with recursive n as (select 1 as i union all select i + 1 from n where i < 100000000000)"
    " select count(*) from n as a, n as b, n as c",
}
BILLION = {
    "postgresql": "select 'row ' || i as r, i from (select generate_series(1, 1000000000) as i) as s",
    "mariadb": "select concat('row ', seq), seq from seq_1_to_1000000000",
}
MEMORY_SLACK = 64 << 20


@pytest.fixture(params=LIVE)
def server(request: pytest.FixtureRequest, servers: Servers) -> Server:
    return servers[request.param]


@pytest.fixture
def filled(server: Server) -> Server:
    server.run(SCRIPT)
    return server


@pytest.fixture
def session(filled: Server) -> Iterator[ServerSession]:
    session = filled.open()
    yield session
    session.close()


# What a session gives


def test_rows_come_in_order_with_names(session: ServerSession) -> None:
    names, rows = answer(session, "select id, name, height as h from person order by id")
    assert names == ["id", "name", "h"]
    assert rows == [
        ("n:1", "t:Ann", "n:1.5"),
        ("n:2", "t:李", None),
        ("n:3", "t:Bo's 😀", "n:2"),
    ]


def test_two_columns_of_one_name_stay_two(session: ServerSession) -> None:
    names, rows = answer(
        session, "select person.name, pet.name from person join pet on owner = person.id where pet.id = 10"
    )
    assert names == ["name", "name"]
    assert rows == [("t:Ann", "t:Rex")]


def test_no_rows_have_names_too(session: ServerSession) -> None:
    assert answer(session, "select id, name from person where id > 9") == (["id", "name"], [])


@pytest.mark.parametrize(
    "sql",
    [
        "select 1;",
        "select 1 ; ;; -- the end",
        "-- a remark; with a semicolon\nselect 1",
        "/* one; two */ select 1 /* three; */;",
        "with a as (select 1 as x) select x from a",
        "values (1)",
        "(select 1)",
        "select 1 from person where name = 'Ann' -- percent: 100%, %s",
        "select count(*) from person where name like '%n' or name = '%s'",
    ],
)
def test_one_statement_among_blanks_and_remarks(session: ServerSession, sql: str) -> None:
    assert answer(session, sql)[1] == [("n:1",)]


@pytest.mark.parametrize("n_rows", [0, 1, 15, 16, 17, 1_023, 1_024, 5_000])
def test_every_row_arrives_once_whatever_is_fetched(
    session: ServerSession, filled: Server, n_rows: int
) -> None:
    filled.run("drop table if exists many")
    filled.run("create table many (i integer)")
    if n_rows:
        filled.run(f"insert into many values {', '.join(f'({number})' for number in range(n_rows))}")
    result, _ = collect(session, "select i from many order by i", Settings(10**6, 1 << 30, 1 << 30), Watch())
    session.finish()
    cells = [row for piece in result.pieces for row in piece.cells()]
    assert cells == [(f"n:{number}",) for number in range(n_rows)]


# What it refuses, and how it explains


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("", ("refused", "empty")),
        (" ;\n; ", ("refused", "empty")),
        ("-- nothing", ("refused", "empty")),
        ("select 1; select 2", ("refused", "multiple_statements")),
        ("select 1; drop table person", ("refused", "multiple_statements")),
        ("select 'it''s; fine'; select 2", ("refused", "multiple_statements")),
        ("drop table person", ("refused", "not_a_read")),
        ("delete from person", ("refused", "not_a_read")),
        ("with a as (select 1) delete from person", ("refused", "not_a_read")),
        ("update person set id = 7", ("refused", "not_a_read")),
        ("insert into person values (4, 'x', 1)", ("refused", "not_a_read")),
        ("create temporary table t (a integer)", ("refused", "not_a_read")),
        ("create view v as select 1", ("refused", "not_a_read")),
        ("grant select on person to public", ("refused", "not_a_read")),
        ("begin", ("refused", "not_a_read")),
        ("commit", ("refused", "not_a_read")),
        ("set autocommit = 1", ("refused", "not_a_read")),
        ("lock tables person write", ("refused", "not_a_read")),
        ("explain select 1", ("refused", "not_a_read")),
        ("show tables", ("refused", "not_a_read")),
        ("selec 1", ("failed", "syntax")),
        ("select 1 frm person where", ("failed", "syntax")),
        ("Here is the query: select 1", ("failed", "syntax")),
        ("select 'open", ("failed", "syntax")),
        ("select ?", ("failed", "syntax")),
        ("select * from nobody", ("failed", "unknown_table")),
        ("select age from person", ("failed", "unknown_column")),
        ("select p.age from person as p", ("failed", "unknown_column")),
        ("select name from person, pet", ("failed", "ambiguous")),
        ("select nonsense(1)", ("failed", "unknown_function")),
        ("select id from person where count(*) > 1", ("failed", "aggregate_misuse")),
        ("select (select id, name from person)", ("failed", "shape")),
        ("select (select id from person)", ("failed", "shape")),
        ("select 1 union select 1, 2", ("failed", "shape")),
        (f"select '{'x' * 1_000_001}'", ("failed", "too_complex")),
    ],
)
def test_what_is_no_answer_says_why(
    session: ServerSession, filled: Server, sql: str, expected: tuple[str, str]
) -> None:
    before = filled.content()
    assert refusal(session, sql) == expected
    assert filled.content() == before
    assert not session.is_closed
    assert answer(session, "select count(*) from person")[1] == [("n:3",)]


def test_what_nests_too_deeply_fails(session: ServerSession) -> None:
    outcome, error_class = refusal(session, f"select {'(' * 100_000}1{')' * 100_000}")
    assert (outcome, error_class) in (("failed", "too_complex"), ("failed", "resource"))


def test_a_table_that_may_not_be_read_is_a_matter_of_permission(
    session: ServerSession, filled: Server
) -> None:
    forbidden = {"postgresql": "select * from pg_authid", "mariadb": "select * from mysql.user"}
    assert refusal(session, forbidden[filled.engine]) == ("failed", "permission")


def test_code_and_message_are_kept(session: ServerSession, filled: Server) -> None:
    failure = failure_of(session, "select age from person")
    assert failure is not None
    assert "age" in failure.error_message
    assert failure.error_code == {"postgresql": "42703", "mariadb": "1054"}[filled.engine]
    assert not failure.is_session_lost


# What it leaves behind


def test_a_statement_cut_short_does_not_disturb_the_next(session: ServerSession, filled: Server) -> None:
    session.execute("select a.id from person a, person b, person c")
    assert len(session.fetch(2)) > 0
    session.finish()
    if session.is_closed:  # allowed where a driver would have to read all that is left
        session = filled.open()
    assert answer(session, "select 7")[1] == [("n:7",)]
    session.close()


def test_no_transaction_stays_open(session: ServerSession, filled: Server) -> None:
    assert answer(session, "select count(*) from person")[1] == [("n:3",)]
    filled.run("insert into person values (4, 'Di', 1.0)")
    assert answer(session, "select count(*) from person")[1] == [("n:4",)]
    assert filled.sessions(is_busy=True) == []


STATE = {
    "postgresql": [
        ("select set_config('search_path', 'pg_catalog', false)", "select count(*) from person", 3),
        ("select set_config('default_transaction_read_only', 'off', false)",
         "select current_setting('default_transaction_read_only')", "on"),
        ("select set_config('TimeZone', 'Asia/Tokyo', false)", "select current_setting('TimeZone')", "UTC"),
        ("select set_config('evalhouse.note', 'kept', false)",
         "select coalesce(nullif(current_setting('evalhouse.note', true), ''), 'none')", "none"),
        ("select pg_advisory_lock(7)",
         "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()", 0),
        ("select setseed(0.5)", "select 1", 1),
    ],
    "mariadb": [
        ("select @note := 5", "select @note is null", 1),
        ("select get_lock('evalhouse_note', 0)", "select is_used_lock('evalhouse_note') is null", 1),
        ("select last_insert_id(77)", "select last_insert_id()", 0),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "leaving", "asking", "expected"),
    [(engine, *case) for engine, cases in STATE.items() if engine in LIVE for case in cases],
)
def test_nothing_of_a_session_reaches_the_next_statement(
    servers: Servers, engine: str, leaving: str, asking: str, expected: Any
) -> None:
    servers[engine].run(SCRIPT)
    session = servers[engine].open()
    failure_of(session, leaving)
    if session.is_closed:
        session = servers[engine].open()
    assert answer(session, asking)[1] == [(cell(expected),)]
    session.close()


# Time


@pytest.mark.parametrize("kind", ["sleep", "endless"])
def test_the_server_ends_a_statement_at_its_limit(session: ServerSession, filled: Server, kind: str) -> None:
    session.limit_time(0.5)
    started_s = time.monotonic()
    sql = SLEEP[filled.engine].format(s=60) if kind == "sleep" else ENDLESS[filled.engine]
    failure = failure_of(session, sql)
    elapsed_s = time.monotonic() - started_s
    if filled.engine == "postgresql" or kind == "endless":  # MariaDB's SLEEP answers 1 when it is ended
        assert failure is not None
        assert (failure.outcome, failure.error_class) == ("timed_out", "interrupted")
    assert 0.4 < elapsed_s < 5
    assert filled.seconds_until_free() < 1


@pytest.mark.parametrize("kind", ["sleep", "endless"])
def test_an_interrupt_from_here_frees_the_server(session: ServerSession, filled: Server, kind: str) -> None:
    session.limit_time(60)
    sql = SLEEP[filled.engine].format(s=60) if kind == "sleep" else ENDLESS[filled.engine]
    threading.Timer(0.5, session.interrupt).start()
    started_s = time.monotonic()
    failure = failure_of(session, sql)
    assert time.monotonic() - started_s < 5
    if failure is not None:
        assert failure.error_class in ("cancelled", "interrupted")
        assert failure.is_session_lost
    assert filled.seconds_until_free() < 1
    assert session.is_closed, "a cancel still under way may reach the next statement"
    filled.wait_until_gone()


def test_a_session_can_be_ended_from_outside(session: ServerSession, filled: Server) -> None:
    assert filled.sessions() == [session.server_id]
    ender = threading.Timer(0.5, lambda: filled.glue_engine.kill(filled.address, session.server_id))
    ender.start()
    failure = failure_of(session, SLEEP[filled.engine].format(s=60))
    ender.join()
    assert failure is not None
    assert (failure.outcome, failure.error_class) == ("failed", "connection")
    assert failure.is_session_lost
    filled.wait_until_gone()


def test_ending_a_session_that_is_gone_is_no_error(session: ServerSession, filled: Server) -> None:
    server_id = session.server_id
    session.close()
    filled.wait_until_gone()
    filled.glue_engine.kill(filled.address, server_id)


def test_a_statement_cancelled_by_another_is_cancelled_not_timed_out(
    session: ServerSession, filled: Server
) -> None:
    session.limit_time(60)
    threading.Timer(0.5, lambda: filled.cancel_statement(session.server_id)).start()
    failure = failure_of(session, ENDLESS[filled.engine])
    assert failure is not None
    assert (failure.outcome, failure.error_class) == ("failed", "cancelled")


# Memory


class Counted:
    """A session that counts its rows."""

    def __init__(self, session: ServerSession) -> None:
        self.n_rows = 0
        self.execute, self.finish, self._fetch = session.execute, session.finish, session.fetch

    def fetch(self, n_rows: int) -> Any:
        rows = self._fetch(n_rows)
        self.n_rows += len(rows)
        return rows


@pytest.mark.slow
def test_a_billion_rows_cost_neither_side_its_memory(session: ServerSession, filled: Server) -> None:
    answer(session, "select 1")
    here_before, there_before = _memory_here(), filled.memory_bytes(session.server_id)
    session.limit_time(20)
    watch, settings = Watch(), Settings(1_000, 1 << 20, 1 << 30)
    watch.arm(session, time.monotonic() + 5)
    peaks = [0, 0]
    server_id = session.server_id

    def look() -> None:
        while not session.is_closed and time.monotonic() < started_s + 10:
            watch.look()
            peaks[0] = max(peaks[0], _memory_here())
            try:
                peaks[1] = max(peaks[1], filled.memory_bytes(server_id))
            except (OSError, ValueError):
                return
            time.sleep(0.1)

    started_s = time.monotonic()
    looking = threading.Thread(target=look)
    looking.start()
    counted = Counted(session)
    with pytest.raises((TimedOut, psycopg.Error, pymysql.Error)):
        collect(counted, BILLION[filled.engine], settings, watch)  # type: ignore[arg-type]
    elapsed_s = time.monotonic() - started_s
    watch.disarm()
    session.finish()
    looking.join()
    grown = [peaks[0] - here_before, peaks[1] - there_before]
    print(f"{filled.engine}: {counted.n_rows:,} rows, {[n_bytes >> 20 for n_bytes in grown]} MiB here, there")
    assert 4 < elapsed_s < 8
    assert counted.n_rows > 10_000, "rows did not stream"
    assert filled.seconds_until_free() < 1
    assert grown[0] < MEMORY_SLACK + (200 << 20)  # a million digests of rows at most
    assert grown[1] < MEMORY_SLACK


def _memory_here() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


# Connecting


def test_what_cannot_be_reached_is_no_database_and_keeps_its_password(server: Server) -> None:
    here = server.address
    wrong = [
        Address(here.engine, "127.0.0.1", 1, here.database, here.user, "s3cret-word", here.search_path),
        Address(here.engine, here.host, here.port, "evalhouse_nowhere", here.user, "s3cret-word"),
    ]
    for address in wrong:
        with pytest.raises(Exception) as caught:
            server.glue_engine.open_server(address, Limits(1 << 29))
        failure = server.glue_engine.open_failure(caught.value)
        assert (failure.outcome, failure.error_class) == ("no_database", "connection")
        assert "s3cret-word" not in failure.error_message + repr(address) + repr(caught.value)


def test_bare_names_are_looked_for_in_the_path_alone(server: Server) -> None:
    assert server.address.search_path == server.search_path
