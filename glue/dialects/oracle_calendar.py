"""Oracle's calendar: Julian days, days of the week, and the moment that the read fields make."""

from __future__ import annotations

from datetime import datetime, timedelta

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError


def julian_day(moment: datetime) -> int:
    """Days since 1 January 4712 BC; before 15 October 1582 Oracle's dates are of the Julian calendar."""
    if (moment.year, moment.month, moment.day) >= (1582, 10, 15):
        return moment.toordinal() + 1_721_425
    year, month = moment.year + 4800 - (moment.month < 3), (moment.month + 9) % 12
    return moment.day + (153 * month + 2) // 5 + 365 * year + year // 4 - 32_083


def weekday(moment: datetime) -> int:
    """1 is Sunday, the first day of America's week."""
    return (julian_day(moment) + 1) % 7 + 1


def day_of_julian(number: int) -> datetime:
    """The midnight that begins this Julian day; UnsupportedError before year 1."""
    if number >= 2_299_161:
        return datetime.fromordinal(number - 1_721_425)
    if number < 1_721_424:
        raise UnsupportedError(f"the Julian day {number} lies before year 1")
    years, days = divmod(4 * (number + 32_082) + 3, 1461)
    months, days = divmod(5 * (days // 4) + 2, 153)
    try:
        return datetime(years - 4800 + months // 10, months + 3 - 12 * (months // 10), days // 5 + 1)
    except ValueError:
        raise UnsupportedError(f"Julian day {number}, a leap day of the Julian calendar alone") from None


def assembled(fields: dict[str, int], now: datetime) -> datetime:
    """The fields as one moment, those that the text left out filled in, and contradictions refused."""
    day = _day(fields, now)
    if "D" in fields and fields["D"] != weekday(day):
        raise OracleError("ORA-01835", f"{day:%Y-%m-%d} falls on another day of the week")
    return day + _time_of_day(fields)


def _time_of_day(fields: dict[str, int]) -> timedelta:
    hour = fields.get("HH24", fields.get("HH12"))
    if hour is not None and "half" in fields:
        hour = hour % 12 + 12 * fields["half"]
    minute, second, fraction = (fields.get(name) for name in ("MI", "SS", "microsecond"))
    if "SSSSS" in fields:
        hours, rest = divmod(fields["SSSSS"], 3600)
        conflicts = (
            (hour, hours, "ORA-01836"),
            (minute, rest // 60, "ORA-01837"),
            (second, rest % 60, "ORA-01838"),
        )
        for told, meant, code in conflicts:
            if told not in (None, meant):
                raise OracleError(code, f"the text says {told}, its seconds of the day {meant}")
        hour, minute, second = hours, rest // 60, rest % 60
    return timedelta(hours=hour or 0, minutes=minute or 0, seconds=second or 0, microseconds=fraction or 0)


def _day(fields: dict[str, int], now: datetime) -> datetime:
    year = fields.get("year", now.year)
    if "J" in fields:
        day = day_of_julian(fields["J"])
    elif "DDD" in fields:
        day = day_of_julian(julian_day(datetime(year, 1, 1)) + fields["DDD"] - 1)
        if day.year != year:
            raise OracleError("ORA-01848", f"{year} has no day {fields['DDD']}")
    else:
        month, number = fields.get("MM", now.month), fields.get("DD", 1)
        try:
            return datetime(year, month, number)
        except ValueError:
            if (month, number) == (2, 29) and year < 1582 and year % 4 == 0:
                raise UnsupportedError(f"29 February {year} of the Julian calendar") from None
            raise OracleError("ORA-01839", f"month {month} of {year} has no day {number}") from None
    conflicts = (
        ("year", day.year, "ORA-01831"),
        ("MM", day.month, "ORA-01833"),
        ("DD", day.day, "ORA-01834"),
    )
    for name, value, code in conflicts:
        if fields.get(name, value) != value:
            raise OracleError(
                code, f"the text says {fields[name]}, its day of the year or Julian day {value}"
            )
    return day
