"""What is made of known moments before a query runs is what the macros make of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.dialects.oracle_moments import days_later, last_day, months_later, truncated

MOMENTS = st.datetimes(datetime(1590, 1, 1), datetime(9990, 1, 1)).map(lambda one: one.replace(microsecond=0))
UNITS = ["YYYY", "year", "Q", "MM", "MON", "DD", "J", "HH24", "MI", "IW", "D", "W", "CC", "IYYY"]


def asked(session: duckdb.DuckDBPyConnection, call: str, *values: object) -> datetime:
    (found,) = session.execute(f"select {call}", list(values)).fetchone() or (None,)
    assert isinstance(found, datetime)
    return found


@pytest.fixture(scope="module")
def same(session: duckdb.DuckDBPyConnection) -> Callable[..., None]:
    def check(known: datetime | None, call: str, *values: object) -> None:
        if known is not None:
            assert known == asked(session, call, *values)

    return check


@given(MOMENTS, st.integers(-1_200, 1_200))
def test_months(same: Callable[..., None], moment: datetime, n_months: int) -> None:
    same(months_later(moment, Decimal(n_months)), "ora_add_months($1, $2)", moment, n_months)
    same(last_day(moment), "ora_last_day($1)", moment)


@given(MOMENTS, st.integers(-40_000 * 1_440, 40_000 * 1_440))
def test_days(same: Callable[..., None], moment: datetime, n_minutes: int) -> None:
    n_days = Decimal(n_minutes) / 1_440
    same(days_later(moment, n_days), "ora_move_days($1, $2::double)", moment, float(n_days))


@given(MOMENTS, st.sampled_from(UNITS))
def test_units(same: Callable[..., None], moment: datetime, unit: str) -> None:
    same(truncated(moment, unit), "ora_trunc_date($1, $2)", moment, unit)
    same(truncated(moment, None), "ora_trunc_date($1)", moment)


def test_what_is_known_and_what_is_left_to_the_macros() -> None:
    end = datetime(2024, 1, 31, 10, 30)
    assert months_later(end, Decimal(1)) == datetime(2024, 2, 29, 10, 30)
    assert months_later(datetime(2024, 2, 29), Decimal(1)) == datetime(2024, 3, 31)
    assert days_later(end, Decimal("0.5")) == datetime(2024, 1, 31, 22, 30)
    assert days_later(end, Decimal("0.00001")) is None  # a fraction of a second
    assert truncated(end, "Q") == datetime(2024, 1, 1)
    assert truncated(end, "IW") is None and truncated(end, "nonsense") is None
    assert months_later(datetime(1500, 1, 1), Decimal(1)) is None  # before the calendar's change
