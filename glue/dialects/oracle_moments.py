"""Moments that are known before a query runs: what ADD_MONTHS and the like make of them.

DuckDB works a macro out for each row if it may refuse something, even of constants alone. `sold >=
ADD_MONTHS(SYSDATE, -12)` is asked of every row, so it is worked out once. None: left to the macro.
"""

from __future__ import annotations

import calendar
from datetime import datetime, timedelta
from decimal import Decimal

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_date_units import date_unit
from glue.dialects.oracle_errors import OracleError

_YEARS = range(1600, 9900)
"""Those in which nothing that is done here leads to a year that is refused."""
_MOST_MONTHS = 1_000
_MOST_DAYS = 36_500
_SECONDS_A_DAY = 86_400


def months_later(moment: datetime, n_months: Decimal) -> datetime | None:
    """ADD_MONTHS: from the last day of a month to the last day of another."""
    whole = int(n_months)
    if moment.year not in _YEARS or abs(whole) > _MOST_MONTHS:
        return None
    year, month = divmod(moment.year * 12 + moment.month - 1 + whole, 12)
    last = _last(year, month + 1)
    is_last = moment.day == _last(moment.year, moment.month)
    return moment.replace(year=year, month=month + 1, day=last if is_last else min(moment.day, last))


def last_day(moment: datetime) -> datetime | None:
    """LAST_DAY: at the same time."""
    if moment.year not in _YEARS:
        return None
    return moment.replace(day=_last(moment.year, moment.month))


def days_later(moment: datetime, n_days: Decimal) -> datetime | None:
    """A DATE plus a number of days, to the second."""
    seconds = n_days * _SECONDS_A_DAY
    if moment.year not in _YEARS or abs(n_days) > _MOST_DAYS or seconds != int(seconds):
        return None
    return moment + timedelta(seconds=int(seconds))


def truncated(moment: datetime, model: str | None) -> datetime | None:
    """TRUNC to the day, or to a year, quarter, month, day, hour or minute."""
    try:
        unit = "DD" if model is None else date_unit(model)
    except (OracleError, UnsupportedError):
        return None
    day = datetime(moment.year, moment.month, moment.day)
    found = {
        "YYYY": day.replace(month=1, day=1),
        "Q": day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
        "MM": day.replace(day=1),
        "DD": day,
        "HH": day.replace(hour=moment.hour),
        "MI": day.replace(hour=moment.hour, minute=moment.minute),
    }
    return found.get(unit) if moment.year in _YEARS else None


def _last(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]
