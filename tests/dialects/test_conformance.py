"""Conformance files run, and every answer is judged as the file says."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from glue.dialects.conformance import (
    Answer,
    Case,
    LocalServer,
    cell_text,
    counts_by_topic,
    judge,
    read_cases,
    run_cases,
)
from glue.errors import GlueError
from tests.dialects import plain_dialect


def case(sql: str = "select 1", **said: Any) -> Case:
    known: dict[str, Any] = {"setup": (), "is_ordered": False, "expected": None, "error": None}
    return Case("c-1", "t", sql=sql, **{**known, **said})


@pytest.mark.parametrize(
    ("expected", "answered", "outcome"),
    [
        ([[1], [2]], [[2], [1]], "pass"),
        ([[1], [1]], [[1]], "wrong"),
        ([[1.5]], [[Decimal("1.50")]], "pass"),
        ([[0.3]], [[0.1 + 0.2]], "pass"),
        ([[1]], [[True]], "pass"),
        ([[0]], [[-0.0]], "pass"),
        ([["1"]], [[1]], "wrong"),
        ([[None]], [[0]], "wrong"),
        ([[0.333333333333333]], [[Decimal(1) / 3]], "pass"),
        ([[12345678901234567890]], [[Decimal("12345678901234567890")]], "pass"),
        ([["2024-01-31 00:00:00"]], [[date(2024, 1, 31)]], "pass"),
        ([["2024-01-31 10:00:00.003"]], [[datetime(2024, 1, 31, 10, 0, 0, 3000)]], "pass"),
        ([["10:30:00"]], [[time(10, 30)]], "pass"),
        ([["a "]], [["a"]], "wrong"),
        ([], [], "pass"),
    ],
)
def test_rows_are_compared_by_what_they_say(expected: Any, answered: Any, outcome: str) -> None:
    rows = tuple(tuple(row) for row in answered)
    assert judge(case(expected=tuple(tuple(row) for row in expected)), Answer(rows=rows)) == outcome


def test_order_counts_where_it_is_asked_for() -> None:
    answer = Answer(rows=((2,), (1,)))
    assert judge(case(expected=((1,), (2,)), is_ordered=True), answer) == "wrong"


@pytest.mark.parametrize(
    ("right", "answer", "outcome"),
    [
        ({"error": "207"}, Answer(code="207"), "pass"),
        ({"error": "207"}, Answer(code="208"), "wrong_error"),
        ({"error": "207"}, Answer(rows=()), "wrong"),
        ({"expected": ()}, Answer(code="207"), "wrong_error"),
        ({"expected": ()}, Answer(failure="DuckDB: no"), "wrong_error"),
        ({"expected": ()}, Answer(unsupported="odd"), "unsupported"),
        ({"error": "207"}, Answer(unsupported="odd"), "unsupported"),
    ],
)
def test_errors_are_compared_by_their_codes(right: dict[str, Any], answer: Answer, outcome: str) -> None:
    assert judge(case(**right), answer) == outcome


def test_cases_run_each_in_a_database_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_dialect.use_as(monkeypatch, "tsql")
    setup = ("CREATE TABLE t (x INT)", "INSERT INTO t VALUES (1), (2)")
    cases = [
        case("select x from t", setup=setup, expected=((1,), (2,))),
        case("select x from t", setup=setup[:1], expected=()),
        case("select x from t", expected=()),
        case("select MISSING", error="207"),
        case("select ODD", error="207"),
        case("select cast('x' as int)", error="245"),
        case("select x from t", setup=(*setup, "INSERT INTO t VALUES ('x')"), expected=()),
        case(
            "select clock(), VERSION",
            expected=((datetime(2024, 1, 31), 16),),
            now=datetime(2024, 1, 31),
            version=16,
        ),
        case("select VERSION", expected=((2022,),)),
        case("select error('x')", expected=()),
    ]
    results = list(run_cases(cases, LocalServer("tsql")))
    assert [result.outcome for result in results] == [
        "pass",
        "pass",
        "wrong_error",
        "pass",
        "unsupported",
        "pass",
        "unsupported",
        "pass",
        "pass",
        "wrong_error",
    ]
    assert str(results[0].answer) == "[[1], [2]]"
    assert str(results[2].answer).startswith("DuckDB: Catalog Error")
    assert str(results[3].answer) == "207: there is no such column"
    assert str(results[6].answer).startswith("statement 3 of its setup: 245: 'x' is no int")
    assert counts_by_topic(results) == {"t": {"pass": 6, "wrong": 0, "wrong_error": 2, "unsupported": 2}}


def test_a_query_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_dialect.use_as(monkeypatch, "tsql")
    monkeypatch.setattr("glue.dialects.conformance.TIME_LIMIT_S", 0.2)
    answer = LocalServer("tsql").answer(
        case("select count(*) from range(10000000000000) where range % 7 = 3")
    )
    assert str(answer) == "no answer in 0.2 seconds"


def test_files_are_read(tmp_path: Path) -> None:
    said = {
        "id": "a-1",
        "topic": "a",
        "setup": ["CREATE TABLE t (x INT)"],
        "sql": "select 1",
        "ordered": True,
        "expected": [[1]],
        "settings": {"now": "2024-03-15 10:30:00", "version": "21c"},
    }
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(said) + "\n\n")
    [read] = read_cases(file)
    assert read.now == datetime(2024, 3, 15, 10, 30) and read.version == 21 and read.expected == ((1,),)
    for broken in ({**said, "error": "1"}, {**said, "topic": None, "setup": None}, [1]):
        file.write_text(json.dumps(broken))
        with pytest.raises(GlueError, match=r"line 1 is no conformance case"):
            read_cases(file)


def test_cells_are_written_as_cases_write_them() -> None:
    cells = [Decimal("2.0"), Decimal("0.5"), 1, None, "x", b"\x0a", float("inf"), datetime(2024, 1, 1)]
    assert [cell_text(cell) for cell in cells] == [2, 0.5, 1, None, "x", "0A", "inf", "2024-01-01 00:00:00"]
