"""What only SQLite does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from glue.cells import RawText
from glue.engines.base import Limits, NotText, Session, engine_named
from glue.engines.sqlite import only_statement
from tests.execution_helpers import sqlite_database


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = sqlite_database(
        tmp_path / "t.sqlite",
        "create table t (a integer, b text); insert into t values (1, cast(x'416c62e9' as text)), (2, 'Li');"
        "create table j (list text); insert into j values ('[3, 4]');"
        "create virtual table words using fts5 (word);"
        "insert into words values ('hello world'), ('goodbye');",
    )
    session = engine_named("sqlite").open(path, Limits(1 << 29))
    yield session
    session.close()


def test_text_that_is_not_utf8_is_asked_for_again_as_bytes(session: Session) -> None:
    with pytest.raises(NotText):
        session.execute("select b from t order by a")
        session.fetch(10)
    session.finish()
    session.execute("select b from t order by a", as_raw_text=True)
    rows = session.fetch(10)
    assert rows == [(b"Alb\xe9",), (b"Li",)]
    assert {type(row[0]) for row in rows} == {RawText}
    session.finish()
    session.execute("select b from t where a = 2")
    assert session.fetch(10) == [("Li",)]


@pytest.mark.parametrize(
    "sql",
    [
        "select value from j, json_each(j.list) order by value",
        "with recursive n(i) as (select 3 union all select i + 1 from n where i < 4) select i from n",
    ],
)
def test_table_functions_and_recursion_are_reads(session: Session, sql: str) -> None:
    session.execute(sql)
    assert session.fetch(10) == [(3,), (4,)]


def test_the_schema_can_be_read(session: Session) -> None:
    session.execute("select name from sqlite_master where type = 'table' and name = 't'")
    assert session.fetch(10) == [("t",)]


@pytest.mark.parametrize(
    "sql",
    [
        "select * from pragma_table_info('t')",
        "select * from pragma_database_list",
        "select load_extension('/tmp/x')",
        "select fts3_tokenizer('simple')",
        "select * from dbstat",
        "select * from sqlite_stmt",
    ],
)
def test_forbidden_functions_and_tables(session: Session, sql: str) -> None:
    with pytest.raises(sqlite3.Error) as caught:
        session.execute(sql)
        session.fetch(1)
    failure = session.failure(caught.value)
    assert (failure.outcome, failure.error_class) == ("refused", "forbidden"), failure


@pytest.mark.parametrize("function", ["readfile('/etc/passwd')", "writefile('/tmp/x', 'y')", "edit('x')"])
def test_functions_of_the_shell_are_not_there(session: Session, function: str) -> None:
    with pytest.raises(sqlite3.Error) as caught:
        session.execute(f"select {function}")
    assert session.failure(caught.value).error_class in ("unknown_function", "forbidden")


def test_values_have_a_length_limit(session: Session) -> None:
    with pytest.raises(sqlite3.Error) as caught:
        session.execute("select replace(hex(zeroblob(4e8)), '0', 'ab')")
        session.fetch(1)
    assert session.failure(caught.value).error_class == "resource"


@pytest.mark.parametrize(
    ("sql", "statement"),
    [
        ("select 1", "select 1"),
        (" select 1 ; ", "select 1 "),
        ("select [a;b] from `c;d`;", "select [a;b] from `c;d`"),
        ("\u00a0select 1", "\u00a0select 1"),  # no blank to SQLite
        ("select 1 - -1 -- x;y\n;", "select 1 - -1 -- x;y\n"),
        ("select 1 / 2 /* ; */ ;;", "select 1 / 2 /* ; */ "),
        ("select 1 /* never; closed", "select 1 /* never; closed"),
    ],
)
def test_the_one_statement_of_a_text(sql: str, statement: str) -> None:
    assert only_statement(sql) == statement


def test_finding_the_statement_takes_linear_time() -> None:
    assert only_statement("select " + "'a''b'," * 130_000 + "1;").endswith("1")
    assert only_statement("select " + "-" * 900_000 + "\n1;").endswith("1")


def test_full_text_search(session: Session) -> None:
    session.execute("select word from words where words match 'hello'")
    assert session.fetch(10) == [("hello world",)]
