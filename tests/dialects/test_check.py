"""What a server would say to a query, where, and who else takes it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from glue.dialects.check import check, tables_of
from glue.dialects.elsewhere import valid_in
from glue.dialects.loading import load_statements
from glue.dialects.local import LocalSession
from glue.errors import GlueError
from glue.home import Home
from tests.dialects import plain_dialect


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT a FROM t LIMIT 5", "postgres mysql sqlite duckdb"),
        ("SELECT TOP 5 a FROM t", "tsql"),
        ("SELECT a FROM t WHERE t.a(+) = 1", "oracle"),
        ("SELECT a FROM t MINUS SELECT b FROM u", "oracle"),
        ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "oracle postgres duckdb"),
        ("SELECT a FROM t AS x", "tsql postgres mysql sqlite duckdb"),
        ("SELECT [a] FROM t", "tsql sqlite duckdb"),
        ("SELECT a::int FROM t", "postgres duckdb"),
        ("SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1", "duckdb"),
        ("SELECT NVL(a, 1) FROM t", "oracle"),
        ("SELECT ISNULL(a, 1) FROM t", "tsql mysql"),
        ("SELECT strftime('%Y', d) FROM t", "sqlite duckdb"),
        ("SELECT a FROM t GROUP BY a WITH ROLLUP", "tsql mysql"),
        ("SELECT a FROM t FULL OUTER JOIN u ON 1 = 1", "oracle tsql postgres sqlite duckdb"),
        ("WITH r (a) AS (SELECT 1 FROM t) SELECT a FROM r", "oracle tsql postgres mysql sqlite duckdb"),
        ("SELECT 'NVL(1, 2) LIMIT [x]' FROM t", "oracle tsql postgres mysql sqlite duckdb"),
        ("SELECT a b c FROM t", ""),
        ("DELETE FROM t", ""),
        ("SELECT 1 FROM t; SELECT 2 FROM t", ""),
        ("", ""),
    ],
)
def test_where_a_query_is_valid(sql: str, names: str) -> None:
    assert valid_in(sql) == names.split()


def test_what_is_refused_is_pointed_at() -> None:
    said = check("select a\nfrom t limit 5", "oracle")
    assert (said.verdict, said.code, said.place) == ("refused", "ORA-00933", 22)
    assert said.valid_in == ("postgres", "mysql", "sqlite", "duckdb")
    said = check("select 'it from dual", "oracle")
    assert (said.verdict, said.code, said.place) == ("refused", "ORA-01756", 7)
    said = check("select 1, nosuch from dual", "oracle")
    assert (said.code, said.place, said.valid_in) == ("ORA-00904", 10, ())
    said = check("select dummy, count(*) from dual", "oracle")
    assert (said.code, said.valid_in) == ("ORA-00937", ("sqlite",))


def test_versions_differ() -> None:
    sql = "select 1 from dual except select 2 from dual"
    assert check(sql, "oracle").code == "ORA-00933"
    assert check(sql, "oracle", version=21).verdict == "taken"


def test_names_are_resolved_where_tables_are_known(tmp_path: Path, home: Home) -> None:
    file = tmp_path / "d.duckdb"
    with duckdb.connect(str(file)) as connection:
        load_statements(LocalSession(connection, "oracle"), ['CREATE TABLE t (a INTEGER, "b" DATE)'])
    assert not check("select nosuch from nosuch", "oracle").are_names_resolved
    tables = tables_of(str(file), "oracle", home)
    assert check("select nosuch from t", "oracle", tables).code == "ORA-00904"
    assert check("select a from nosuch", "oracle", tables).code == "ORA-00942"
    assert check("select b from t", "oracle", tables).code == "ORA-00904"
    said = check('select "b" + a from t', "oracle", tables)
    assert said.verdict == "taken" and said.are_names_resolved


def test_tables_of_sqlite_files_and_of_nothing(tmp_path: Path, home: Home) -> None:
    file = tmp_path / "d.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("create table t (a integer, b varchar(9), c numeric(8,2), d date, e real, f)")
    connection.close()
    [table] = tables_of(str(file), "oracle", home)
    assert [(column.name, column.stored_type) for column in table.columns] == [
        ("a", "BIGINT"),
        ("b", "VARCHAR"),
        ("c", "DECIMAL(8,2)"),
        ("d", "DATE"),
        ("e", "DOUBLE"),
        ("f", "VARCHAR"),
    ]
    assert check("select A, t.c * 2 from T", "oracle", [table]).verdict == "taken"
    with pytest.raises(GlueError, match="no file nosuch and no database"):
        tables_of("nosuch", "oracle", home)


def test_what_is_not_known_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_dialect.use_as(monkeypatch, "tsql")
    said = check("select ODD", "tsql")
    assert (said.verdict, said.message) == ("unsupported", "odd words")
