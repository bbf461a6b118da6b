"""Where the names of stored tables stand: by hand, on random statements, and on real golds."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from glue.engines.base import Limits, Member, Session, engine_named
from glue.sql.namespaces import MAX_WORDS, table_places
from glue.udfs import register
from tests.sql.random_statements import Statements, databases
from tests.sql.renaming import renamed


def places(sql: str, dialect: str = "sqlite") -> list[tuple[str, str, str]]:
    """Kind, name and text of each place."""
    found = table_places(sql, dialect)
    assert found["outcome"] == "parsed", found
    return [
        (place["kind"], place["table_key"], sql[place["first_character"] - 1 : place["last_character"]])
        for place in found["places"]
    ]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select schools.a from schools", [("table", "schools", "schools")]),
        ("select s.a from Schools as s", [("aliased", "schools", "Schools")]),
        ("select s.a from schools s, frpm", [("aliased", "schools", "schools"), ("table", "frpm", "frpm")]),
        ("select 'é', a.* from `odd 名` as a", [("aliased", "odd 名", "`odd 名`")]),
        ("select 'é', t.a from [a b] join t", [("table", "a b", "[a b]"), ("table", "t", "t")]),
        ("select * from 'quoted'", [("table", "quoted", "'quoted'")]),
        ("select main.t.a from main.t", [("qualifier", "t", "main.t"), ("table", "t", "main.t")]),
        ("select a from t where b in u", [("table", "t", "t"), ("operand", "u", "u")]),
        ("select a from t where c not in (select d from v)", [("table", "t", "t"), ("table", "v", "v")]),
        ("with t as (select a from u) select * from t", [("table", "u", "u")]),
        ("with t as (select 1 as a) select * from u where b in t", [("table", "u", "u")]),
        ("with recursive n(i) as (select 1 union all select i + 1 from n) select i from n", []),
        ("select a from t union select a from t order by a", [("table", "t", "t"), ("table", "t", "t")]),
        ("select * from (t join u on t.a = u.a)", [("table", "t", "t"), ("table", "u", "u")]),
        ("select value from t, json_each(t.list)", [("table", "t", "t")]),
        ("select (select max(a) from u where u.b = t.b) from t", [("table", "u", "u"), ("table", "t", "t")]),
        ("with t as (select a from t) select a from t", []),
        ("with t as (select a from main.t) select a from t", [("table", "t", "main.t")]),
        ("select 1", []),
        ("select a from t; drop table u", [("table", "t", "t")]),
    ],
)  # fmt: skip
def test_tables_and_where_they_stand(sql: str, expected: list[tuple[str, str, str]]) -> None:
    assert places(sql) == expected


def test_a_cte_shadows_a_table_only_where_it_is_seen() -> None:
    sql = "select * from (with t as (select 1 as a) select * from t) as x, t"
    assert renamed(sql, {"t": "d__t"}) == (
        'select * from (with t as (select 1 as a) select * from t) as x, "d__t" AS t'
    )


def test_only_names_change() -> None:
    sql = "SELECT  schools.x,\n'schools' -- schools\nFROM schools /* schools */ WHERE schools = 1"
    assert renamed(sql, {"schools": "d__schools"}) == (
        "SELECT  schools.x,\n'schools' -- schools\n"
        'FROM "d__schools" AS schools /* schools */ WHERE schools = 1'
    )


@pytest.mark.parametrize(
    ("sql", "outcome"),
    [
        ("selec a from d__t, `d__odd name`", "failed"),
        (f'select {"(" * 300}1{")" * 300} from d__t, "d__odd name"', "too_deep"),
        (f"select 1 from d__t, [d__odd name] where '{'x' * 100_001}' <> ''", "too_large"),
        ("", "empty"),
    ],
)
def test_of_a_text_that_does_not_parse_every_word_may_be_a_table(sql: str, outcome: str) -> None:
    found = table_places(sql, "sqlite")
    assert (found["outcome"], found["places"]) == (outcome, [])
    assert outcome == "empty" or {"d__t", "d__odd name"} <= set(found["names"])


def test_words_are_bounded() -> None:
    found = table_places("selec " + " ".join(f"w{number}" for number in range(20_000)), "sqlite")
    assert len(found["names"]) == MAX_WORDS


def test_other_dialects_have_names_too() -> None:
    assert places('select "T".a from "T" where b in (1)', "duckdb") == [("table", "t", '"T"')]
    assert places("with t as (select a from t) select a from t", "duckdb") == [("table", "t", "t")]
    assert table_places("select 1", "no such dialect")["outcome"] == "failed"


def test_random_statements_mean_the_same_in_a_union(tmp_path: Path) -> None:
    """A statement on its file, and its renaming on a union: the same rows, or the same kind of failure."""
    path = tmp_path / "t.sqlite"
    made = databases()[0]
    made.commit()
    with closing(sqlite3.connect(path)) as target:
        made.backup(target)
    engine = engine_named("sqlite")
    own = engine.open(path, Limits(1 << 29))
    member = Member("x", str(path), (("t", "x__t"), ("u", "x__u")))
    union = engine.open_union([member], Limits(1 << 29))
    drawn = Statements(11)
    n_answered = 0
    for _ in range(1_500):
        sql = drawn.statement()
        expected = _outcome(own, sql)
        n_answered += isinstance(expected, list)
        assert _outcome(union, renamed(sql, {"t": "x__t", "u": "x__u"})) == expected, sql
    assert n_answered > 1_000
    own.close()
    union.close()


def _outcome(session: Session, sql: str) -> list[tuple[Any, ...]] | tuple[str, str]:
    """The rows in order, or how it failed."""
    rows: list[tuple[Any, ...]] = []
    try:
        session.execute(sql)
        while fetched := session.fetch(1_000):
            rows += fetched
    except Exception as error:
        failure = session.failure(error)
        return failure.outcome, failure.error_class
    finally:
        session.finish()
    return rows


def _golds(shared_data: Path) -> list[tuple[Path, str]]:
    bird = json.loads((shared_data / "bird" / "meta" / "dev.json").read_text())
    spider = json.loads((shared_data / "spider" / "meta" / "dev.json").read_text())
    folders = (shared_data / "bird" / "databases", shared_data / "spider" / "databases_rebuilt")
    found = [(folders[0] / row["db_id"] / f"{row['db_id']}.sqlite", row["SQL"]) for row in bird]
    found += [(folders[1] / row["db_id"] / f"{row['db_id']}.sqlite", row["query"]) for row in spider]
    return [(path, sql) for path, sql in found if path.exists()]


@pytest.mark.slow
def test_sqlite_reads_the_tables_that_are_found(shared_data: Path) -> None:
    """An authorizer that records reads is the witness, of every gold whose database is at hand."""
    golds = _golds(shared_data)
    assert len(golds) == 595 + 1_034
    differing = []
    for path in sorted({path for path, _ in golds}):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            for sql in [sql for other, sql in golds if other == path]:
                names = set(table_places(sql, "sqlite")["names"])
                if names != _read(connection, sql) or names != {name for _, name, _ in places(sql)}:
                    differing.append((path.stem, sql, names))
    assert differing == []


def _read(connection: sqlite3.Connection, sql: str) -> set[str]:
    """The tables that SQLite says it reads when it prepares a statement."""
    read: set[str] = set()

    def note(action: int, name: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and name:
            read.add(name.lower())
        return sqlite3.SQLITE_OK

    connection.set_authorizer(note)
    try:
        connection.execute(f"explain {sql}").close()
    finally:
        connection.set_authorizer(None)
    return read


@pytest.mark.parametrize("sql", [None, "", "(" * 5_000, "select 'x" + "x" * 200_000])
def test_no_text_breaks_a_query(sql: str | None) -> None:
    with closing(duckdb.connect()) as connection:
        register(connection)
        row = connection.execute("select sql_table_places(?, 'sqlite')", [sql]).fetchone()
        assert row is not None and row[0]["outcome"] != "parsed" and row[0]["places"] == []


def test_places_arrive_in_sql() -> None:
    with closing(duckdb.connect()) as connection:
        register(connection)
        row = connection.execute("select sql_table_places('select ''é'' from Town', 'sqlite')").fetchone()
    place = {"table_key": "town", "kind": "table", "first_character": 17, "own_character": 17}
    assert row is not None
    assert row[0] == {
        "outcome": "parsed",
        "error": None,
        "names": ["town"],
        "places": [{**place, "last_character": 20}],
    }
