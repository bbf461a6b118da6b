"""Hostile statements on a real MariaDB: nothing is written, nothing hangs, and the server is soon free."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from glue.engines.base import Failure, Limits
from glue.engines.mysql import MariaDB
from glue.engines.server import ServerSession
from tests.engines.asking import failure_of
from tests.engines.mysql_helpers import SCRIPT, answer, master_of
from tests.engines.servers import Server, Servers

FREE_S = 8.0
"""How long the server may go on with a statement that nobody waits for, on a busy machine."""
MEMORY_SLACK = 64 << 20

VICTIMS = f"""{SCRIPT}
create or replace table notes (words text, fulltext (words)) engine=MyISAM;
create or replace sequence numbers;
create or replace function written() returns integer modifies sql data
    begin insert into notes values ('x'); return 1; end;
create or replace procedure writing() insert into notes values ('x');
"""


def content(server: Server) -> list[Any]:
    """All that a statement might have changed: rows, objects, rights, settings, locks."""
    return [
        server.content(),
        *(
            server.run(sql)
            for sql in (
                "select next_not_cached_value from numbers",
                "select schema_name from information_schema.schemata"
                " where schema_name not like 'evalhouse%' order by 1",
                "select user, host, password from mysql.user where user not like 'evalhouse%' order by 1, 2",
                "select @@global.sql_mode, @@global.max_statement_time, @@global.general_log",
                "select is_free_lock('evalhouse_m'), is_free_lock('evalhouse_m2')",
            )
        ),
    ]


@pytest.fixture
def server(servers: Servers) -> Server:
    found = servers["mariadb"]
    found.run(VICTIMS)
    return found


@pytest.fixture
def session(server: Server) -> Iterator[ServerSession]:
    session = server.open()
    yield session
    session.close()


# What is no read, or more

REFUSED = [
    "insert into t values (9, 'x')",
    "replace into t values (1, 'x')",
    "update t set s = 'x'",
    "delete from t",
    "with x as (select 1) delete from t",
    "truncate t",
    "create table x (i integer)",
    "create temporary table x as select 1",
    "drop table t",
    "alter table t add x integer",
    "load data infile '/etc/passwd' into table notes",
    "load data local infile '/etc/passwd' into table notes",
    "handler t open",
    "call writing()",
    "do sleep(60)",
    "do get_lock('evalhouse_m', 0)",
    "set @a = 1",
    "set global general_log = 1",
    "set statement max_statement_time = 0 for select sleep(60)",
    "set session transaction read write",
    "set password = password('x')",
    "kill 1",
    "lock tables t write",
    "flush tables with read lock",
    "prepare x from 'drop table t'",
    "execute immediate 'drop table t'",
    "analyze table t",
    "optimize table t",
    "explain select 1",
    "show processlist",
    "use mysql",
    "begin not atomic drop table t; end",
    "xa start 'x'",
    "start transaction",
    "commit",
    "grant all on *.* to current_user",
    "install soname 'x'",
    "shutdown",
    "select 1; drop table t",
    "select 1;\n#\n; drop table t",
    "/*! drop table t */",
    "/*!50000 drop */ table t",
    "/*M!100000 delete from t */",
    "select 1 /*!; drop table t */",
    # Remarks of a later version, or of MySQL alone: the server skips them.
    "/*!999999 select */ drop table t",
    "/*!999999 select */ create table x (i integer)",
    "select length(/*!999999 ' */ load_file( /*!999999 ' */ '/etc/passwd'))",
    "select 'x' into outfile '{folder}/written'",
    "select 'x' into dumpfile '{folder}/written'",
    "select * from t into outfile '{folder}/written'",
    "(select 'x' into outfile '{folder}/written')",
    "select 'x' /*! into outfile '{folder}/written' */",
    "select 'x' /*!50000 into */ /**/ OUTFILE '{folder}/written'",
    "select 1e5INTO OUTFILE '{folder}/written'",
    "select 1 as x#'\ninto outfile '{folder}/written' -- '",
    "select 1 --\x01 '\ninto outfile '{folder}/written' -- '",
    "select 1 --\u00a0 into outfile '{folder}/written' from (select 1 as `\u00a0`) as x",
    "select load_file('/etc/passwd')",
    "select `load_file`\n/* */ ('/etc/passwd')",
    "select i into @a from t limit 1",
    "select i from t for update",
    "select i from t for/**/update skip locked",
    "select i from t lock in share mode",
    "select next value for numbers",
    "select nextval(numbers)",
    "select setval(numbers, 500)",
    "select written()",
]


@pytest.mark.parametrize("who", ["reader", "master"])
def test_what_is_no_read_does_nothing(server: Server, tmp_path: Path, who: str) -> None:
    """Nor for a connection that its owner gave every right: it is our session that only reads."""
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents[:3]:
        folder.chmod(folder.stat().st_mode | 0o055)
    before = content(server)
    session = MariaDB().open_server(master_of(server) if who == "master" else server.address, Limits(1 << 29))
    for sql in REFUSED:
        failure = failure_of(session, sql.replace("{folder}", str(tmp_path)))
        assert failure is not None, sql
        assert failure.outcome in ("refused", "failed"), (sql, failure)
        if who == "master":
            assert failure.error_class in ("not_a_read", "multiple_statements", "forbidden", "syntax"), sql
        assert failure.error_message, sql
        assert answer(session, "select count(*) from t") == [("n:5",)], sql
    session.close()
    assert content(server) == before
    assert list(tmp_path.iterdir()) == []


def test_no_remark_changes_the_readers_password(server: Server, session: ServerSession) -> None:
    """MariaDB skips these remarks. Not as the master: a failure here would lock everybody out."""
    for sql in (
        "/*!50799 select */ set password = password('x')",
        "/*!999999 select */ alter user current_user() identified by 'x'",
    ):
        failure = failure_of(session, sql)
        assert failure is not None
        assert failure.error_class == "syntax", sql
    server.open().close()


@pytest.mark.parametrize(
    "sql",
    [
        "select i from t#remark; with a semicolon",
        "select 1 as x#'\n;",
        "select 5--1 as six",
        "select last_update from (select 1 as last_update) as x",
        "select 'for update' as x",
        "select load_file from (select 1 as load_file) as x",
        "select 1 as `into`",
        "select /*! 2 */",
        "/*!50000 select */ 1;",
        "/*M!100000 select 1 */ -- the end",
        "select 1 /*!999999 + 1 */",
        "select 'a;b' as x;",
        "(select 1) union (select 2)",
        "values (1), (2)",
        "with x as (select 1 as a) select a from x",
    ],
)
def test_reads_that_look_otherwise_are_run(session: ServerSession, sql: str) -> None:
    assert answer(session, sql)


def test_readers_see_no_other_users_statements(server: Server, session: ServerSession) -> None:
    rows = answer(session, "select user from information_schema.processlist")
    assert set(rows) == {(f"t:{server.name}",)}


# Time and memory

TENFOLD = ", ".join(f"seq_1_to_1000 as s{number}" for number in range(6))
ENDLESS = [
    "select sleep(600)",
    "select sleep(1) from seq_1_to_1000",
    "select benchmark(1000000000000, sha2('a', 512))",
    f"select count(*) from {TENFOLD}",
    f"select s0.seq from {TENFOLD} order by rand()",
    f"select s0.seq from {TENFOLD} where s0.seq + s5.seq < 0",
    f"select distinct s0.seq * s1.seq * s2.seq * s3.seq from {TENFOLD}",
    "with recursive n as (select 1 as i union all select i + 1 from n) select count(*) from n as a, n as b,"
    " n as c, n as d",
    "select get_lock('evalhouse_m2', 600), get_lock('evalhouse_m', 600)",
    "select count(*) from seq_1_to_1000000000 where repeat(seq, 30) regexp '^(1|11)+$'",
]


@pytest.fixture
def lock(server: Server) -> Iterator[None]:
    """Somebody else holds a lock that a statement waits for."""
    with pymysql.connect(host="127.0.0.1", user="root") as connection:
        connection.cursor().execute("select get_lock('evalhouse_m2', 0)")
        yield


@pytest.mark.parametrize("sql", ENDLESS, ids=[sql[:50] for sql in ENDLESS])
def test_what_is_interrupted_frees_the_server(server: Server, sql: str, lock: None) -> None:
    session = server.open()
    timer = threading.Timer(0.3, session.interrupt)
    timer.start()
    started_s = time.monotonic()
    failure = failure_of(session, sql)
    assert time.monotonic() - started_s < FREE_S
    assert failure is not None
    assert failure.error_class == "cancelled", failure
    assert failure.is_session_lost
    timer.join()
    server.seconds_until_free(FREE_S)
    server.wait_until_gone(FREE_S)


@pytest.mark.parametrize("sql", ENDLESS[:4], ids=[sql[:50] for sql in ENDLESS[:4]])
def test_the_server_has_a_limit_of_its_own(server: Server, session: ServerSession, sql: str) -> None:
    session.limit_time(0.2)
    started_s = time.monotonic()
    failure = failure_of(session, sql)
    assert failure is not None
    assert (failure.outcome, failure.error_class) == ("timed_out", "interrupted")
    assert 0.6 < time.monotonic() - started_s < FREE_S


def test_a_statement_cannot_lift_its_limit(server: Server, session: ServerSession) -> None:
    session.limit_time(0.2)
    failure = failure_of(session, "select /*+ MAX_EXECUTION_TIME(0) */ sleep(600)")
    assert failure is not None
    assert failure.outcome == "timed_out"


def test_a_client_that_dies_frees_the_server(server: Server) -> None:
    session = server.open()
    session.limit_time(1.0)
    errors: list[Exception] = []

    def run() -> None:
        try:
            session.execute(ENDLESS[3])
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while not server.sessions(is_busy=True):
        time.sleep(0.01)
    session._connection._sock.shutdown(2)  # type: ignore[attr-defined]
    thread.join()
    assert session.failure(errors[0]).error_class == "connection"
    assert server.seconds_until_free(FREE_S) < FREE_S
    session.close()
    server.wait_until_gone(FREE_S)


def test_a_result_not_read_to_its_end_is_killed(server: Server, session: ServerSession) -> None:
    session.execute("select concat('row ', seq), seq from seq_1_to_1000000000")
    assert len(session.fetch(16)) == 16
    started_s = time.monotonic()
    session.finish()
    server.wait_until_gone(FREE_S)
    assert time.monotonic() - started_s < FREE_S


def test_rows_beyond_memory_pass_through(server: Server, session: ServerSession) -> None:
    statistics = Path("/proc/self/statm")
    held = int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    session.execute("select seq, repeat('a', 1000) from seq_1_to_1000000000")
    for _ in range(100):
        assert len(session.fetch(1_024)) == 1_024  # 100 MB in all
    now = int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    ((server_bytes,),) = server.run(
        f"select memory_used from information_schema.processlist where id = {session.server_id}"
    )
    assert now - held < MEMORY_SLACK
    assert server_bytes < MEMORY_SLACK
    session.finish()


def test_wide_rows_come_in_smaller_fetches(session: ServerSession) -> None:
    session.execute("select repeat('a', 1000000) from seq_1_to_1000")
    assert 1 <= len(session.fetch(1_024)) < 20
    session.finish()


def test_a_session_is_killed_from_outside(server: Server, session: ServerSession) -> None:
    errors: list[Failure | None] = []
    thread = threading.Thread(target=lambda: errors.append(failure_of(session, ENDLESS[3])))
    thread.start()
    while not server.sessions(is_busy=True):
        time.sleep(0.01)
    MariaDB().kill(server.address, session.server_id)
    thread.join(FREE_S)
    server.wait_until_gone(FREE_S)
    assert errors[0] is not None
    assert errors[0].is_session_lost
    MariaDB().kill(server.address, session.server_id)  # is gone already


def test_a_lost_connection_is_said_to_be_lost(server: Server, session: ServerSession) -> None:
    server.run(f"kill {session.server_id}")
    failure = failure_of(session, "select 1")
    assert failure is not None
    assert (failure.outcome, failure.error_class, failure.is_session_lost) == ("failed", "connection", True)
