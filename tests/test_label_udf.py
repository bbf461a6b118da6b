"""`sql_labels` as SQL calls it: whatever a text or an outline is, a build survives it."""

from __future__ import annotations

import sys
import types
from typing import Any

import duckdb
import pytest

from glue.udfs import register

OUTLINE = '[{"table_key":"t","columns":["a","b"]}]'


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    register(connection)
    return connection


def labels(connection: duckdb.DuckDBPyConnection, sql: str | None, outline: str | None = OUTLINE) -> Any:
    row = connection.execute("select sql_labels(?, 'sqlite', ?)", [sql, outline]).fetchone()
    assert row is not None
    return row[0]


def with_labels(monkeypatch: pytest.MonkeyPatch, function: Any) -> None:
    module = types.ModuleType("glue.sql.labels")
    module.sql_labels = function  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "glue.sql.labels", module)


def test_labels_have_their_declared_fields(connection: duckdb.DuckDBPyConnection) -> None:
    assert labels(connection, "SELECT SUM(a) FROM t WHERE b = 1") == {
        "parse_outcome": "parsed",
        "reason": None,
        "detail": None,
        "tables": ["t"],
        "columns": [
            {"table_key": "t", "column_key": "a", "role": "aggregate"},
            {"table_key": "t", "column_key": "a", "role": "select"},
            {"table_key": "t", "column_key": "b", "role": "filter"},
        ],
    }


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (None, "empty"),
        ("", "empty"),
        ("(" * 5000 + ")" * 5000, "too_deep"),
        ("SELECT 'x" + "x" * 200_000, "too_large"),
        ("SELEC 1", "does_not_parse"),
        ("DROP TABLE t", "not_a_query"),
    ],
)
def test_no_text_breaks_a_query(connection: duckdb.DuckDBPyConnection, sql: str | None, reason: str) -> None:
    found = labels(connection, sql)
    assert (found["reason"], found["tables"], found["columns"]) == (reason, [], [])


@pytest.mark.parametrize(
    ("outline", "reason"), [(None, "no_catalog"), ("[]", "no_catalog"), ("{", "reader_failed")]
)
def test_no_outline_breaks_a_query(
    connection: duckdb.DuckDBPyConnection, outline: str | None, reason: str
) -> None:
    assert labels(connection, "SELECT a FROM t", outline)["reason"] == reason


def test_an_unknown_dialect_is_a_value(connection: duckdb.DuckDBPyConnection) -> None:
    row = connection.execute("select sql_labels('select 1', 'klingon', '[]').reason").fetchone()
    assert row == ("does_not_parse",)


def test_what_fails_costs_only_its_row(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception, and a text that Arrow cannot hold, between two rows that are well."""

    def answering(sql: str, dialect: str, outline: str) -> dict[str, Any]:
        if sql == "2":
            raise KeyError(sql)
        table = "\ud800" if sql == "3" else sql
        return {"parse_outcome": "parsed", "reason": None, "detail": None, "tables": [table], "columns": []}

    with_labels(monkeypatch, answering)
    found = connection.execute(
        "select sql_labels(i::varchar, 'sqlite', '[]') as it from range(1, 5) as t(i) order by i"
    ).fetchall()
    assert [(it["reason"], it["tables"]) for (it,) in found] == [
        (None, ["1"]),
        ("reader_failed", []),
        ("reader_failed", []),
        (None, ["4"]),
    ]


def test_order_is_kept_over_many_rows(connection: duckdb.DuckDBPyConnection) -> None:
    texts = "'SELECT a + ' || i || ' FROM ' || if(i % 2 = 0, 't', 'u')"
    rows = f"(select i, {texts} as sql from range(5000) as t(i))"
    counts = connection.execute(
        f"select i % 2, sql_labels(sql, 'sqlite', '{OUTLINE}').reason as reason, count(*) from {rows}"
        " group by all order by all"
    ).fetchall()
    assert counts == [(0, None, 2500), (1, "unknown_table", 2500)]
