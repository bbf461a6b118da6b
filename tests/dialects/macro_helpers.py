"""What a call of one of Oracle's functions answers in a session, or how it is refused."""

from __future__ import annotations

from datetime import datetime

import duckdb
import pytest

from glue.dialects.oracle_macros import error_of

NOW = datetime(2024, 6, 15, 10, 20, 30)


def answer(session: duckdb.DuckDBPyConnection, call: str) -> object:
    row = session.execute(f"select {call}").fetchone()
    assert row is not None
    return row[0]


def refusal(session: duckdb.DuckDBPyConnection, call: str) -> object:
    with pytest.raises(duckdb.Error) as raised:
        session.execute(f"select {call}").fetchall()
    return error_of(str(raised.value))
