"""Several databases as one: what their tables are called, and what a view keeps of its table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from glue.engines.base import MAX_MEMBERS, Engine, Limits, Member, Session, engine_named
from tests.execution_helpers import duckdb_database, sqlite_database

SCRIPT = """
create table t (i integer, s varchar);
insert into t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
insert into t select i + 5, s from t;
create table "odd name" (i integer);
insert into "odd name" values (7);
create view tall as select i from t where i > 8;
"""
MAKERS = {"sqlite": sqlite_database, "duckdb": duckdb_database}


@pytest.fixture(params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return engine_named(str(request.param))


@pytest.fixture
def paths(engine: Engine, tmp_path: Path) -> dict[str, Path]:
    folder = tmp_path / "it's"
    folder.mkdir()
    return {
        name: MAKERS[engine.name](
            folder / f"{name}.{engine.name}", SCRIPT + f"update t set s = s || '{name}';"
        )
        for name in ("x", "y")
    }


def member(name: str, path: Path | None) -> Member:
    tables = ("t", "odd name", "tall", "listed alone")
    return Member(
        name, None if path is None else str(path), tuple((table, f"{name}__{table}") for table in tables)
    )


@pytest.fixture
def session(engine: Engine, paths: dict[str, Path]) -> Iterator[Session]:
    members = [*(member(name, path) for name, path in paths.items()), member("z", None)]
    session = engine.open_union(members, Limits(1 << 29))
    yield session
    session.close()


def answer(session: Session, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    names = session.execute(sql)
    rows = list(session.fetch(100))
    session.finish()
    return names, rows


def failure(session: Session, sql: str) -> tuple[str, str]:
    try:
        rows = answer(session, sql)
    except Exception as error:
        found = session.failure(error)
        session.finish()
        return found.outcome, found.error_class
    raise AssertionError(f"{sql} gave {rows}")


def test_a_table_is_seen_by_its_name_in_the_union(session: Session) -> None:
    sql = "select X__t.s, b.s from x__T join y__t as b on x__t.i = b.i where b.i = 2"
    assert answer(session, sql) == (["s", "s"], [("bx", "by")])
    assert answer(session, 'select i from "y__odd name"') == (["i"], [(7,)])
    assert answer(session, "select i from x__tall order by i")[1] == [(9,), (10,)]


@pytest.mark.parametrize(
    "sql",
    [
        "select * from t",
        "select count(*) from t",
        'select count(*) from "odd name"',
        "select * from main.t",
        "select * from x.t",
        "select * from tall",
        "select * from nobody",
        'select * from "x__listed alone"',
        "select i from x__t where i in (select i from t)",
    ],
)
def test_no_other_name_is_a_table(session: Session, sql: str) -> None:
    assert failure(session, sql) == ("failed", "unknown_table")
    assert answer(session, "select count(*) from x__t")[1] == [(10,)]


def test_a_name_that_is_no_table_may_be_a_cte_or_an_alias(session: Session) -> None:
    assert answer(session, "with t as (select 1 as i) select count(*) from t")[1] == [(1,)]
    assert answer(session, "select max(t.i) from x__t as t")[1] == [(10,)]


def test_a_table_without_data_says_so(session: Session) -> None:
    assert failure(session, "select * from z__t") == ("failed", "no_data")
    assert failure(session, 'select * from x__t join "z__odd name" on true') == ("failed", "no_data")
    assert failure(session, "select * from z__t2") == ("failed", "unknown_table")


@pytest.mark.parametrize(
    "sql", ["select * from evalhouse_member_1.t", "select EVALHOUSE_Member_2.t.i from x__t"]
)
def test_the_attached_databases_cannot_be_named(engine: Engine, session: Session, sql: str) -> None:
    expected = {"sqlite": ("refused", "forbidden"), "duckdb": ("failed", "unknown_table")}
    assert failure(session, sql) == expected[engine.name]


@pytest.mark.parametrize(
    "sql",
    [
        "from query('select * from evalhouse' || '_member_1.main.t')",
        "from query_table('evalhouse' || '_member_1.main.t')",
        "from json_execute_serialized_sql(json_serialize_sql('from evalhouse' || '_member_1.main.t'))",
    ],
)
@pytest.mark.parametrize("engine", ["duckdb"], indirect=True)
def test_no_name_put_together_is_that_of_an_attached_database(session: Session, sql: str) -> None:
    assert failure(session, sql) == ("failed", "unknown_table")
    with pytest.raises(Exception) as caught:
        session.execute("select * from t")
    assert "evalhouse" not in session.failure(caught.value).error_message


@pytest.mark.parametrize("engine", ["duckdb"], indirect=True)
def test_attached_databases_are_called_otherwise_in_each_session(
    engine: Engine, session: Session, paths: dict[str, Path]
) -> None:
    sql = "select database_name from duckdb_databases() where not internal and database_name <> 'memory'"
    another = engine.open_union([member("x", paths["x"])], Limits(1 << 29))
    assert not set(answer(session, sql)[1]) & set(answer(another, sql)[1])
    another.close()


def test_a_union_of_nothing_reads_nothing(engine: Engine) -> None:
    session = engine.open_union([], Limits(1 << 29))
    assert answer(session, "select 1 + 1")[1] == [(2,)]
    assert failure(session, "select * from t") == ("failed", "unknown_table")
    session.close()


def test_a_missing_file_is_no_database(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(Exception) as caught:
        engine.open_union([member("x", tmp_path / "missing")], Limits(1 << 29))
    found = engine.open_failure(caught.value)
    assert (found.outcome, found.error_class) == ("no_database", "connection")
    assert list(tmp_path.iterdir()) == []


def test_ten_databases_are_attached_and_eleven_are_too_many(engine: Engine, paths: dict[str, Path]) -> None:
    members = [member(f"m{number}", paths["x"]) for number in range(MAX_MEMBERS)]
    if engine.name == "sqlite":
        session = engine.open_union(members, Limits(1 << 29))
        froms = ", ".join(f"m{number}__t as a{number}" for number in range(MAX_MEMBERS))
        wheres = " and ".join(f"a{number}.i = 1" for number in range(MAX_MEMBERS))
        assert answer(session, f"select count(*) from {froms} where {wheres}")[1] == [(1,)]
        session.close()
    with pytest.raises(Exception) as caught:
        engine.open_union([*members, member("one more", None)], Limits(1 << 29))
    found = engine.open_failure(caught.value)
    assert (found.outcome, found.error_class) == ("failed", "too_many_databases")
    assert "11 databases" in found.error_message


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("sqlite", "create table lost (i); create view broken as select rowid from lost; drop table lost;"),
        ("duckdb", "create table lost (i int); create view broken as select i from lost; drop table lost;"),
    ],
)
def test_a_broken_view_breaks_no_other_table(name: str, script: str, tmp_path: Path) -> None:
    path = MAKERS[name](tmp_path / "x", SCRIPT + script)
    union = Member("x", str(path), tuple((table, f"x__{table}") for table in ("t", "tall", "broken")))
    session = engine_named(name).open_union([union], Limits(1 << 29))
    assert answer(session, "select count(*) from x__t")[1] == [(10,)]
    assert answer(session, "select count(*) from x__tall")[1] == [(2,)]
    assert failure(session, "select * from x__broken") == ("failed", "unknown_table")
    session.close()


def test_a_virtual_table_of_an_absent_module_breaks_no_other_table(tmp_path: Path) -> None:
    path = sqlite_database(tmp_path / "x.sqlite", SCRIPT + "create table own (rowid text);")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(
            "insert into sqlite_master values"
            " ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING nobodys(rowid)')"
        )
    union = Member("x", str(path), tuple((table, f"x__{table}") for table in ("t", "own", "odd")))
    session = engine_named("sqlite").open_union([union], Limits(1 << 29))
    assert answer(session, "select count(*) from x__t")[1] == [(10,)]
    assert answer(session, "select rowid from x__own")[1] == []
    assert failure(session, "select * from x__odd")[0] == "failed"
    session.close()


def test_names_that_only_unicode_holds_equal_are_hidden_too(tmp_path: Path) -> None:
    """SQLite tells Ä from ä."""
    path = sqlite_database(tmp_path / "x.sqlite", "create table Ärzte (i); create table ärzte (i);")
    session = engine_named("sqlite").open_union([Member("x", str(path), ())], Limits(1 << 29))
    for name in ("Ärzte", "ärzte"):
        assert failure(session, f"select * from {name}") == ("failed", "unknown_table"), name
    session.close()


# --- What a view keeps of its table -------------------------------------------------------------------------


@pytest.fixture
def typed(tmp_path: Path) -> Iterator[tuple[Session, Session]]:
    """A SQLite file as it is, and as the one member of a union."""
    script = """
    create table t (
        i integer, n numeric, s text collate nocase, d date, free, r text collate rtrim, primary key (s)
    );
    insert into t values (1, '2.0', 'Ab', '3', '4', 'x  '), (2, 2.5, 'b', 3, 4, 'y');
    create table own (ROWID text); insert into own values ('mine');
    create view seen as select * from own;
    """
    path = sqlite_database(tmp_path / "t.sqlite", script)
    sqlite = engine_named("sqlite")
    own = sqlite.open(path, Limits(1 << 29))
    tables = tuple((table, f"x__{table}") for table in ("t", "own", "seen"))
    union = sqlite.open_union([Member("x", str(path), tables)], Limits(1 << 29))
    yield own, union
    own.close()
    union.close()


@pytest.mark.parametrize(
    "sql",
    [
        "select i from {t} where i = '1'",
        "select i from {t} where n = '2'",
        "select i from {t} where d = '3' order by i",
        "select i from {t} where free = '4'",
        "select i from {t} where '4' = free",
        "select i from {t} where s = 'AB'",
        "select i from {t} where s in ('B', 'ab') order by i",
        "select i from {t} where r = 'x'",
        "select s from {t} order by s desc",
        "select max(s), min(n), typeof(max(d)) from {t}",
        "select a.i, b.i from {t} as a join {t} as b on a.s = upper(b.s) order by 1, 2",
        "select a.i from {t} as a left join {t} as b on a.i = b.i and b.s = 'AB' where b.s is null",
        "select s, count(*) from (select s from {t} union all select upper(s) from {t}) group by s",
        "select typeof(i), typeof(n), typeof(d), typeof(free) from {t} order by i",
        "select * from {t} order by i",
    ],
)
def test_affinity_and_collation_are_the_tables(typed: tuple[Session, Session], sql: str) -> None:
    own, union = typed
    expected = answer(own, sql.format(t="t"))
    assert expected[1], "the statement shows something"
    assert answer(union, sql.format(t="x__t")) == expected


@pytest.mark.parametrize("name", ["rowid", "_rowid_", "oid", "x__t.rowid"])
def test_a_view_has_no_rowid(typed: tuple[Session, Session], name: str) -> None:
    own, union = typed
    assert len(answer(own, f"select {name.replace('x__', '')} from t")[1]) == 2
    assert failure(union, f"select {name} from x__t") == ("failed", "unknown_column")


def test_a_plan_uses_the_tables_indexes(tmp_path: Path) -> None:
    script = "create table t (i integer, s text); create index t_s on t (s);"
    path = sqlite_database(tmp_path / "t.sqlite", script)
    with closing(sqlite3.connect(":memory:", uri=True)) as connection:
        connection.execute(f"attach '{path}' as m")
        connection.execute("create temp view x__t as select * from m.t")
        sql = "explain query plan select a.i from {t} as a join {t} as b on a.s = b.s where b.i = 1"
        plans = [[row[-1] for row in connection.execute(sql.format(t=name))] for name in ("m.t", "x__t")]
    assert ["USING INDEX t_s (s=?)" in " ".join(plan) for plan in plans] == [True, True], plans


def test_what_a_view_cannot(tmp_path: Path) -> None:
    script = """
    create table t (i integer, s text); create index t_s on t (s);
    create virtual table words using fts5 (word); insert into words values ('hello world');
    """
    path = sqlite_database(tmp_path / "t.sqlite", script)
    tables = (("t", "x__t"), ("words", "x__words"))
    session = engine_named("sqlite").open_union([Member("x", str(path), tables)], Limits(1 << 29))
    assert failure(session, "select * from x__t indexed by t_s where s = 'a'")[0] == "failed"
    assert failure(session, "select * from x__words where x__words match 'hello'")[0] == "failed"
    assert answer(session, "select word from x__words")[1] == [("hello world",)]
    session.close()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("attach ':memory:' as x", ("refused", "not_a_read")),
        ("select 1; select 2", ("refused", "multiple_statements")),
        ("-- nothing", ("refused", "empty")),
        ("select * from evalhouse_member_1.t", ("refused", "forbidden")),
        (f"select '{'x' * 1_000_000}'", ("failed", "too_complex")),
    ],
)
def test_a_refusal_is_not_explained_by_the_statement_before(
    typed: tuple[Session, Session], sql: str, expected: tuple[str, str]
) -> None:
    assert failure(typed[1], "select rowid from x__t") == ("failed", "unknown_column")
    assert failure(typed[1], sql) == expected


def test_a_column_called_rowid_is_one(typed: tuple[Session, Session]) -> None:
    for table in ("x__own", "x__seen"):
        assert answer(typed[1], f"select rowid from {table}")[1] == [("mine",)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select * from sqlite_temp_master", ("refused", "forbidden")),
        ("select count(*) from sqlite_temp_schema", ("refused", "forbidden")),
        ("select * from temp.sqlite_master", ("refused", "forbidden")),
        ("select * from sqlite_stat1", ("failed", "unknown_table")),
        ("select * from pragma_table_info('x__t')", ("refused", "forbidden")),
        ("select * from pragma_database_list", ("refused", "forbidden")),
        ("create temp view x__t as select 1", ("refused", "not_a_read")),
        ("drop view x__t", ("refused", "not_a_read")),
        ("insert into x__t (i) values (1)", ("refused", "not_a_read")),
        ("detach evalhouse", ("refused", "not_a_read")),
    ],
)
def test_what_sqlite_keeps_for_itself(
    typed: tuple[Session, Session], sql: str, expected: tuple[str, str]
) -> None:
    assert failure(typed[1], sql) == expected
    assert answer(typed[1], "select count(*) from x__t")[1] == [(2,)]


def test_the_schema_shows_nothing(typed: tuple[Session, Session]) -> None:
    assert answer(typed[1], "select * from sqlite_master")[1] == []
    assert answer(typed[1], "select count(*) from main.sqlite_schema")[1] == [(0,)]


def test_tables_that_sqlite_makes_cannot_be_read(tmp_path: Path) -> None:
    script = "create table t (i integer primary key autoincrement); insert into t values (1); analyze;"
    path = sqlite_database(tmp_path / "t.sqlite", script)
    session = engine_named("sqlite").open_union([Member("x", str(path), (("t", "x__t"),))], Limits(1 << 29))
    for table in ("sqlite_sequence", "sqlite_stat1"):
        for what in ("*", "count(*)"):
            assert failure(session, f"select {what} from {table}") == ("refused", "forbidden"), (table, what)
    session.close()
