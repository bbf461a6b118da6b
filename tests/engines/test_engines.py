"""One suite for the engines of SQLite's and DuckDB's files: what a session gives, refuses and explains."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glue.cells import cells_of_rows
from glue.engines.base import Engine, Limits, Session, engine_named
from glue.errors import GlueError
from tests.execution_helpers import duckdb_database, sha256, sqlite_database

SCRIPT = """
create table person (id integer primary key, name varchar, height double);
insert into person values (1, 'Ann', 1.5), (2, '李', null), (3, 'Bo''s 😀', 2.0);
create table pet (id integer, owner integer, name varchar);
insert into pet values (10, 1, 'Rex'), (11, 3, null);
create view tall as select name from person where height > 1.6;
"""
MAKERS = {"sqlite": sqlite_database, "duckdb": duckdb_database}


@pytest.fixture(params=list(MAKERS))
def engine(request: pytest.FixtureRequest) -> Engine:
    return engine_named(request.param)


@pytest.fixture
def path(engine: Engine, tmp_path: Path) -> Path:
    name = "a b#?%41.db" if engine.name == "sqlite" else "a b#%41.db"  # DuckDB takes '?' for a URL's
    return MAKERS[engine.name](tmp_path / name, SCRIPT)


@pytest.fixture
def session(engine: Engine, path: Path) -> Iterator[Session]:
    session = engine.open(path, Limits(1 << 29))
    yield session
    session.close()


def answer(session: Session, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    names = session.execute(sql)
    rows = []
    while fetched := session.fetch(2):
        rows += fetched
    session.finish()
    return names, rows


def refusal(session: Session, sql: str) -> tuple[str, str]:
    try:
        answer(session, sql)
    except Exception as error:
        failure = session.failure(error)
        session.finish()
        return failure.outcome, failure.error_class
    return "answered", ""


def test_rows_come_in_order_with_names(session: Session) -> None:
    names, rows = answer(session, "select id, name, height as h from person order by id")
    assert names == ["id", "name", "h"]
    assert cells_of_rows(rows) == [
        ("n:1", "t:Ann", "n:1.5"),
        ("n:2", "t:李", None),
        ("n:3", "t:Bo's 😀", "n:2"),
    ]


def test_two_columns_of_one_name_stay_two(session: Session) -> None:
    names, rows = answer(
        session, "select person.name, pet.name from person join pet on owner = person.id where pet.id = 10"
    )
    assert names == ["name", "name"]
    assert rows == [("Ann", "Rex")]


@pytest.mark.parametrize(
    "sql",
    [
        "select 1;",
        "select 1 ; ;; -- the end",
        "-- a remark; with a semicolon\nselect 1",
        "/* one; two */ select 1 /* three; */;",
        "with a as (select 1 as x) select x from a",
        "values (1)",
    ],
)
def test_one_statement_among_blanks_and_remarks(session: Session, sql: str) -> None:
    assert answer(session, sql)[1] == [(1,)]


def test_semicolons_in_texts_and_names_end_nothing(session: Session) -> None:
    assert answer(session, "select 'a;''b;' as \"x;y\"") == (["x;y"], [("a;'b;",)])


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
        ("delete from person returning *", ("refused", "not_a_read")),
        ("with a as (select 1) delete from person", ("refused", "not_a_read")),
        ("update person set id = 7", ("refused", "not_a_read")),
        ("insert into person values (4, 'x', 1)", ("refused", "not_a_read")),
        ("create temp table t (a integer)", ("refused", "not_a_read")),
        ("create view v as select 1", ("refused", "not_a_read")),
        ("begin", ("refused", "not_a_read")),
        ("explain select 1", ("refused", "not_a_read")),
        ("pragma table_info('person')", ("refused", "not_a_read")),
        ("attach 'other.db' as other", ("refused", "not_a_read")),
        ("vacuum", ("refused", "not_a_read")),
        ("selec 1", ("failed", "syntax")),
        ("Here is the query: select 1", ("failed", "syntax")),
        ("select 'open", ("failed", "syntax")),
        ("select * from nobody", ("failed", "unknown_table")),
        ("select age from person", ("failed", "unknown_column")),
        ("select p.age from person as p", ("failed", "unknown_column")),
        ("select name from person, pet", ("failed", "ambiguous")),
        ("select nonsense(1)", ("failed", "unknown_function")),
        ("select id from person where count(*) > 1", ("failed", "aggregate_misuse")),
        ("select (select id, name from person)", ("failed", "shape")),
        ("select 1 union select 1, 2", ("failed", "shape")),
        ("select ?", ("failed", "syntax")),
        (f"select {'(' * 5000}1{')' * 5000}", ("failed", "too_complex")),
        (f"select '{'x' * 1_000_001}'", ("failed", "too_complex")),
    ],
)
def test_what_is_no_answer_says_why(
    session: Session, path: Path, sql: str, expected: tuple[str, str]
) -> None:
    before = sha256(path)
    assert refusal(session, sql) == expected
    assert sha256(path) == before
    assert answer(session, "select count(*) from person")[1] == [(3,)]


def test_code_and_message_are_kept(session: Session) -> None:
    with pytest.raises(Exception) as caught:
        session.execute("select age from person")
    failure = session.failure(caught.value)
    assert "age" in failure.error_message
    assert failure.error_code


def test_a_statement_cut_short_does_not_disturb_the_next(session: Session) -> None:
    session.execute("select a.id from person a, person b, person c")
    assert len(session.fetch(2)) == 2
    session.finish()
    assert answer(session, "select 7")[1] == [(7,)]


def test_a_missing_or_broken_file_is_no_database(engine: Engine, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    for path in (tmp_path / "missing.db", broken):
        with pytest.raises(Exception) as caught:
            engine.open(path, Limits(1 << 29))
        failure = engine.open_failure(caught.value)
        assert (failure.outcome, failure.error_class) == ("no_database", "connection")
    assert not (tmp_path / "missing.db").exists()


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "glue.engines.postgresql", raising=False)
    with pytest.raises(GlueError) as caught:
        engine_named("postgresql")
    assert "PostgreSQL needs the driver psycopg" in caught.value.message
    assert caught.value.hint == "pip install 'evalhouse[postgres]'"


def test_a_name_that_is_no_engine() -> None:
    with pytest.raises(GlueError) as caught:
        engine_named("sqllite")
    assert "sqllite" in caught.value.message
    assert caught.value.hint == "did you mean 'sqlite'?"
