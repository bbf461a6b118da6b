"""Moments as SQL Server reads them from texts: in the American order, by CONVERT's styles, by ISO 8601.

By CAST and CONVERT, and the pages of the date and time types. A text that is no moment is refused with 241,
one whose day or hour does not exist with 242 where the type is DATETIME.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_errors import TSQLError

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MONTH_NUMBERS = {name[:size].upper(): at for at, name in enumerate(MONTHS, 1) for size in (3, len(name))}
_ORDERS = {
    **dict.fromkeys((0, 1, 7, 9, 10, 100, 101, 107, 109, 110), "mdy"),
    **dict.fromkeys((3, 4, 5, 6, 13, 103, 104, 105, 106, 113), "dmy"),
    **dict.fromkeys((2, 11, 12, 20, 21, 23, 25, 102, 111, 112, 120, 121, 126, 127), "ymd"),
}
"""The order of the numbers of a date by CONVERT's styles."""
_TWO_DIGITS = frozenset({1, 2, 3, 4, 5, 6, 7, 10, 11, 12})
"""Styles whose years have no century."""
_LAST_YEAR = 2049
"""Years of two digits go up to it."""
_CLOCK = re.compile(
    r"(?:(?<=[\s,])|(?<=\dT)|^)"
    r"(?P<hour>\d\d?)(?:(?::(?P<minute>\d\d?)(?::(?P<second>\d\d?)(?P<rest>[.:]\d+)?)?)\s*(?P<half>[AP]M)?"
    r"|\s*(?P<half_alone>[AP]M))$",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})")
_WORD = re.compile(r"[A-Za-z]+")
_NAMED = re.compile(r"(?:[A-Za-z]+|\d+)(?:[\s,/.-]*(?:[A-Za-z]+|\d+)){1,2}")
_TICKS_A_SECOND = 300
_DATETIMES = frozenset({"datetime", "smalldatetime"})
_SYNTAX = {"smalldatetime": "295"}
_EARLIEST = {"datetime": datetime(1753, 1, 1), "smalldatetime": datetime(1900, 1, 1)}
_LATEST = {"smalldatetime": datetime(2079, 6, 6, 23, 59, 29, 999000)}


def moment_of(text: str, kind: str, style: int = 0) -> datetime:
    """What the text says, for a value of that type; what it does not say is of 1 January 1900, 0:00.

    Raises TSQLError, and UnsupportedError where it is not known how it is read.
    """
    if style not in _ORDERS:
        raise UnsupportedError(f"reading a moment by style {style}")
    words = text.strip(" ")
    if not words:
        return datetime(1900, 1, 1)
    clock = _CLOCK.search(words)
    day = words[: clock.start()] if clock else words
    is_iso = day.endswith(("T", "t")) and day[:1].isdigit()
    day = day[:-1] if is_iso else day.strip(" ,")
    year, month, of_month = _day(day, text, kind, style) if day else (1900, 1, 1)
    hour, minute, second, microsecond = _time(clock, text, kind) if clock else (0, 0, 0, 0)
    try:
        moment = datetime(year, month, of_month, hour, minute, second) + timedelta(microseconds=microsecond)
    except (ValueError, OverflowError):
        raise _out_of_range(text, kind) from None
    if not _EARLIEST.get(kind, datetime.min) <= moment <= _LATEST.get(kind, datetime.max):
        raise _out_of_range(text, kind)
    return in_type(moment, kind)


def in_type(moment: datetime, kind: str) -> datetime:
    """The moment as exactly as the type has it: DATETIME to 1/300 of a second, SMALLDATETIME to a minute."""
    if kind == "datetime":
        return in_ticks(moment)
    if kind == "smalldatetime":
        return (moment + timedelta(seconds=30, milliseconds=1)).replace(second=0, microsecond=0)
    return moment


def in_ticks(moment: datetime) -> datetime:
    """To 1/300 of a second, in whole milliseconds: they end with 0, 3 or 7."""
    ticks = _rounded(Decimal(moment.microsecond) * _TICKS_A_SECOND / 1_000_000)
    milliseconds = _rounded(Decimal(ticks * 1000) / _TICKS_A_SECOND)
    return moment.replace(microsecond=0) + timedelta(milliseconds=milliseconds)


def _rounded(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_HALF_UP))


def _no_moment(text: str, kind: str) -> TSQLError:
    return TSQLError(_SYNTAX.get(kind, "241"), f"{text!r} is no {kind}")


def _out_of_range(text: str, kind: str) -> TSQLError:
    return TSQLError("242" if kind in _DATETIMES else "241", f"{text!r} is out of the range of {kind}")


def _day(day: str, text: str, kind: str, style: int) -> tuple[int, int, int]:
    """Year, month and day."""
    if day.isdigit() and len(day) in (4, 6, 8):
        return _unseparated(day)
    numbers = _NUMBERS.fullmatch(day)
    if numbers:
        return _in_order(numbers, text, kind, style)
    words = _WORD.findall(day)
    if not any(letter.isdigit() for letter in day) or any(
        word.upper() not in _MONTH_NUMBERS for word in words
    ):
        if words and words[-1].upper() in ("Z", "T"):
            raise UnsupportedError(f"the moment {text!r}")
        raise _no_moment(text, kind)
    if len(words) == 1 and _NAMED.fullmatch(day):
        return _with_name(day, words[0], text, kind)
    raise UnsupportedError(f"the moment {text!r}")


def _unseparated(day: str) -> tuple[int, int, int]:
    if len(day) == 4:
        return int(day), 1, 1
    year = int(day[:-4]) if len(day) == 8 else _with_century(int(day[:2]))
    return year, int(day[-4:-2]), int(day[-2:])


def _with_century(year: int) -> int:
    return year + (2000 if year <= _LAST_YEAR % 100 else 1900)


def _in_order(numbers: re.Match[str], text: str, kind: str, style: int) -> tuple[int, int, int]:
    """Three numbers with signs between them: the year comes first where it is written out there."""
    parts = [numbers[1], numbers[3], numbers[4]]
    order = _ORDERS[style]
    if len(parts[0]) > 2:
        if order == "dmy" or len(parts[0]) != 4 or len(parts[2]) > 2:
            raise UnsupportedError(f"the moment {text!r} by style {style}")
        order = "ymd"
    elif order == "ymd" and style not in _TWO_DIGITS:
        raise UnsupportedError(f"the moment {text!r} by style {style}")
    found = dict(zip(order, parts, strict=True))
    year = int(found["y"])
    if len(found["y"]) not in (2, 4) or any(len(found[one]) > 2 for one in "md"):
        raise _no_moment(text, kind)
    if style and (len(found["y"]) == 2) != (style in _TWO_DIGITS):
        raise UnsupportedError(f"the moment {text!r} by style {style}")
    if len(found["y"]) == 2:
        year = _with_century(year)
    return year, int(found["m"]), int(found["d"])


def _with_name(day: str, name: str, text: str, kind: str) -> tuple[int, int, int]:
    """A month by its name, with a day and a year, or with a year of four digits alone."""
    month = _MONTH_NUMBERS[name.upper()]
    numbers = re.findall(r"\d+", day)
    years = [one for one in numbers if len(one) == 4]
    if len(numbers) == 1:
        if len(years) == 1:
            return int(numbers[0]), month, 1
        raise UnsupportedError(f"the moment {text!r}")
    if len(years) > 1 or any(len(one) not in (1, 2, 4) for one in numbers):
        raise _no_moment(text, kind)
    if years:
        others = [one for one in numbers if len(one) != 4]
        return int(years[0]), month, int(others[0])
    if len(numbers[1]) != 2:
        raise UnsupportedError(f"the moment {text!r}")
    return _with_century(int(numbers[1])), month, int(numbers[0])


def _time(clock: re.Match[str], text: str, kind: str) -> tuple[int, int, int, int]:
    """Hour, minute, second and microsecond."""
    hour = int(clock["hour"])
    half = (clock["half"] or clock["half_alone"] or "").upper()
    if half and hour > 12:
        raise UnsupportedError(f"the moment {text!r}")
    if half:
        hour = hour % 12 + (12 if half == "PM" else 0)
    return hour, int(clock["minute"] or 0), int(clock["second"] or 0), _microseconds(clock, text, kind)


def _microseconds(clock: re.Match[str], text: str, kind: str) -> int:
    rest = clock["rest"]
    if not rest:
        return 0
    fraction = rest[1:]
    if rest[0] == ":" and len(fraction) != 3:
        raise UnsupportedError(f"the moment {text!r}")
    if len(fraction) > (3 if kind in _DATETIMES else 7):
        raise _no_moment(text, kind)
    if len(fraction) == 7 and fraction[-1] != "0":
        raise UnsupportedError(f"the seventh digit of a second in {text!r}")
    return int(f"{fraction[:6]:0<6}")
