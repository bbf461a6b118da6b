"""The T-SQL translation answers as SQL Server does: every conformance case, and the integers of others."""

from __future__ import annotations

from datetime import datetime

import duckdb
import pytest

from glue.dialects.conformance import LocalServer, read_cases, run_cases
from glue.dialects.loading import load_statements
from glue.dialects.local import LocalSession
from tests.dialects.test_conformance_cases import CASES


@pytest.mark.parametrize("name", ["tsql.jsonl", "tsql_second_hand.jsonl"])
def test_every_case_has_its_answer(name: str) -> None:
    results = run_cases(read_cases(CASES / name), LocalServer("tsql"))
    assert [f"{one.case.id}: {one.outcome}: {one.answer}" for one in results if one.outcome != "pass"] == []


@pytest.mark.parametrize(("dialect", "quotient"), [("tsql", 3), ("oracle", 3.5)])
def test_a_quotient_of_whole_numbers_is_whole_where_the_dialect_has_it_so(
    dialect: str, quotient: float
) -> None:
    """`int-division` of the cases in which other evaluators go wrong."""
    with duckdb.connect() as connection:
        session = LocalSession(connection, dialect, now=datetime(2025, 1, 15))
        load_statements(session, ["CREATE TABLE t (a INTEGER, b INTEGER)", "INSERT INTO t VALUES (7, 2)"])
        assert session.query("SELECT a / b FROM t")[1] == [(quotient,)]
