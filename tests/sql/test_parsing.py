"""The guarded parse: what it refuses, what it survives."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glue.sql.parsing import MAX_BYTES, parse_text

DIALECTS = ["sqlite", "duckdb", "oracle", "tsql", "postgres", "mysql"]


@pytest.mark.parametrize(
    ("sql", "outcome"),
    [
        ("SELECT 1", "parsed"),
        ("", "empty"),
        (" \n\t", "empty"),
        ("-- only a comment", "empty"),
        (" ; ; ", "empty"),
        ("SELEC name FRO t", "failed"),
        ("SELECT 'open", "failed"),
        ("SELECT '\ud800'", "failed"),
        ("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, "too_deep"),
        ("SELECT " + "(" * 190 + "1" + ")" * 190, "parsed"),
        ("SELECT " + "CASE WHEN 1 THEN " * 300 + "1" + " END" * 300, "too_deep"),
        ("SELECT " + "NOT " * 5_000 + "1", "too_deep"),
        ("SELECT " + "- " * 5_000 + "1", "too_deep"),
        ("SELECT " + "f(" * 300 + "1" + ")" * 300, "too_deep"),
        ("SELECT '" + "(" * 5_000 + "'", "parsed"),  # brackets within a text do not nest
        ("SELECT 1 /* " + "(" * 5_000 + " */", "parsed"),
        ("SELECT '" + "x" * 1_000_000 + "'", "too_large"),
        ("SELECT '" + "x" * (MAX_BYTES - 9) + "'", "parsed"),
        ("SELECT '" + "汉" * 40_000 + "'", "too_large"),  # 120 kB of UTF-8
        ("SELECT 姓名 FROM 金球奖 WHERE 运动员id = 1", "parsed"),
    ],
    ids=lambda value: value if len(value) < 20 else value[:20] + "…",
)
def test_outcome(sql: str, outcome: str) -> None:
    parsed = parse_text(sql, "sqlite")
    assert parsed.outcome == outcome
    assert (parsed.error is None) == (outcome in ("parsed", "empty"))
    assert bool(parsed.statements) == (outcome == "parsed")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM a" + " JOIN b" * 60,
        "SELECT * FROM a" + " LEFT JOIN (SELECT 1)" * 60,
        "SELECT " + "DATE(" * 60 + "x" + ")" * 60,
        "SELECT " + "CAST(DATE(" * 60 + "x",
        "SELECT * FROM a JOIN b JOIN c JOIN (" + "SELECT * FROM a JOIN b JOIN c JOIN (" * 20,
    ],
    ids=["joins", "left joins", "type names", "casts", "nested joins"],
)
def test_what_would_double_the_work_again_and_again_is_refused_quickly(sql: str, dialect: str) -> None:
    began = time.process_time()
    assert parse_text(sql, dialect).outcome in ("too_deep", "failed")
    assert time.process_time() - began < 2


def test_many_joins_with_their_conditions_are_read() -> None:
    sql = "SELECT * FROM a" + "".join(f" JOIN t{n} ON t{n}.x = a.x" for n in range(60)) + " JOIN u JOIN v, w"
    assert parse_text(sql, "sqlite").outcome == "parsed"
    unions = " UNION ".join(["SELECT * FROM a JOIN b JOIN c JOIN d"] * 20)
    assert parse_text(unions, "sqlite").outcome == "parsed"
    assert parse_text("SELECT * FROM a" + " CROSS JOIN b" * 60, "sqlite").outcome == "parsed"


def test_an_unknown_dialect_is_a_failure_not_an_exception() -> None:
    parsed = parse_text("SELECT 1", "no such dialect")
    assert parsed.outcome == "failed"
    assert "no such dialect" in str(parsed.error)


def test_errors_are_one_plain_line() -> None:
    error = parse_text("SELECT a FROM t WHERE (b = 1", "sqlite").error or ""
    assert "\x1b" not in error
    assert "\n" not in error
    assert "Line 1" in error


@given(st.text(max_size=300), st.sampled_from(DIALECTS))
@settings(max_examples=200)
def test_random_text_never_raises(sql: str, dialect: str) -> None:
    assert parse_text(sql, dialect).outcome in ("parsed", "failed", "empty", "too_deep")
