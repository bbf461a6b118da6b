"""Oracle's TO_CHAR of a datetime: every format element, under American session defaults.

`DATE_MODEL` and `TIMESTAMP_MODEL` are those of a session that sets none. The way back, TO_DATE and
TO_TIMESTAMP, is `moment_of` in `oracle_date_reading`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_calendar import julian_day, weekday
from glue.dialects.oracle_date_models import DAYS, MONTHS, Part, parts_of
from glue.dialects.oracle_date_reading import moment_of
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_words import cardinal, ordinal, ordinal_ending, roman, year_in_words

__all__ = ["DATE_MODEL", "TIMESTAMP_MODEL", "date_text", "moment_of"]

DATE_MODEL = "DD-MON-RR"
TIMESTAMP_MODEL = "DD-MON-RR HH.MI.SSXFF AM"

Writer = Callable[[datetime], str]


def date_text(moment: datetime, model: str, *, of_timestamp: bool = True) -> str:
    """TO_CHAR(moment, model); a DATE (`of_timestamp=False`) has no FF.

    Raises OracleError (ORA-01821 for what is no element) and UnsupportedError for zones and eras.
    """
    return "".join(write(moment) for write in _writers(model, of_timestamp))


def _day_of_year(moment: datetime) -> int:
    return julian_day(moment) - julian_day(moment.replace(month=1, day=1)) + 1


def _century(moment: datetime) -> int:
    return (moment.year + 99) // 100


# Each numeric element: how wide it is, and its number.
_NUMBERS: dict[str, tuple[int, Callable[[datetime], int]]] = {
    "CC": (2, _century),
    "SCC": (2, _century),
    "D": (1, weekday),
    "DD": (2, lambda moment: moment.day),
    "DDD": (3, _day_of_year),
    "HH": (2, lambda moment: (moment.hour + 11) % 12 + 1),
    "HH12": (2, lambda moment: (moment.hour + 11) % 12 + 1),
    "HH24": (2, lambda moment: moment.hour),
    "I": (1, lambda moment: moment.isocalendar().year % 10),
    "IY": (2, lambda moment: moment.isocalendar().year % 100),
    "IYY": (3, lambda moment: moment.isocalendar().year % 1000),
    "IYYY": (4, lambda moment: moment.isocalendar().year),
    "IW": (2, lambda moment: moment.isocalendar().week),
    "J": (7, julian_day),
    "MI": (2, lambda moment: moment.minute),
    "MM": (2, lambda moment: moment.month),
    "Q": (1, lambda moment: (moment.month + 2) // 3),
    "RR": (2, lambda moment: moment.year % 100),
    "RRRR": (4, lambda moment: moment.year),
    "SS": (2, lambda moment: moment.second),
    "SSSSS": (5, lambda moment: moment.hour * 3600 + moment.minute * 60 + moment.second),
    "W": (1, lambda moment: (moment.day + 6) // 7),
    "WW": (2, lambda moment: (_day_of_year(moment) + 6) // 7),
    "Y": (1, lambda moment: moment.year % 10),
    "YY": (2, lambda moment: moment.year % 100),
    "YYY": (3, lambda moment: moment.year % 1000),
    "YYYY": (4, lambda moment: moment.year),
    "SYYYY": (4, lambda moment: moment.year),
}

# Each element that is a word: the width it is filled to, and the word in capitals or with them.
_WORDS: dict[str, tuple[int, Writer]] = {
    "MONTH": (9, lambda moment: MONTHS[moment.month - 1]),
    "MON": (3, lambda moment: MONTHS[moment.month - 1][:3]),
    "DAY": (9, lambda moment: DAYS[weekday(moment) - 1]),
    "DY": (3, lambda moment: DAYS[weekday(moment) - 1][:3]),
    "RM": (4, lambda moment: roman(moment.month)),
    "YEAR": (0, lambda moment: year_in_words(moment.year)),
    "AD": (0, lambda moment: "AD"),
    "BC": (0, lambda moment: "AD"),
    "A.D.": (0, lambda moment: "A.D."),
    "B.C.": (0, lambda moment: "A.D."),
    "AM": (0, lambda moment: "AM" if moment.hour < 12 else "PM"),
    "PM": (0, lambda moment: "AM" if moment.hour < 12 else "PM"),
    "A.M.": (0, lambda moment: "A.M." if moment.hour < 12 else "P.M."),
    "P.M.": (0, lambda moment: "A.M." if moment.hour < 12 else "P.M."),
}


@cache
def _writers(model: str, of_timestamp: bool) -> tuple[Writer, ...]:
    return tuple(_writer(part) for part in parts_of(model, of_timestamp))


def _writer(part: Part) -> Writer:
    if part.element in ("mark", "quoted"):
        return lambda moment: part.text
    if part.element in _NUMBERS:
        return _spelled(part) if "SP" in part.suffix else _counted(part)
    if part.suffix and (part.element == "Y,YYY" or part.element.startswith("FF")):
        raise UnsupportedError(f"{part.element} with {part.suffix}")
    if part.suffix:
        raise OracleError("ORA-01821", f"{part.element} is no number and takes no {part.suffix}")
    if part.element == "Y,YYY":
        return _year_with_comma(part)
    if part.element == "X":
        return lambda moment: "."
    if part.element.startswith("FF"):
        digits = int(part.element[2:] or 6)
        return lambda moment: f"{moment.microsecond:06}000"[:digits]
    if part.element == "SYEAR":
        sign = " " if part.is_filled else ""
        return lambda moment: sign + part.style(year_in_words(moment.year))
    width, word = _WORDS[part.element]
    if part.is_filled:
        return lambda moment: part.style(word(moment)).ljust(width)
    return lambda moment: part.style(word(moment))


def _counted(part: Part) -> Writer:
    """Digits, filled with zeros where FM is off, and their ordinal ending; S stands for the sign's blank."""
    width, number = _NUMBERS[part.element]
    fill = width if part.is_filled else 0
    sign = " " if part.is_filled and part.element in ("SCC", "SYYYY") else ""
    ending = str.upper if part.style is str.upper else str.lower

    def write(moment: datetime) -> str:
        return f"{sign}{number(moment):0{fill}}"

    def write_ordinal(moment: datetime) -> str:
        if not number(moment):
            raise OracleError("ORA-01877", f"{part.element}TH has no text for zero")
        return write(moment) + ending(ordinal_ending(number(moment)))

    return write_ordinal if part.suffix else write


def _spelled(part: Part) -> Writer:
    number = _NUMBERS[part.element][1]
    words = ordinal if "TH" in part.suffix else cardinal
    return lambda moment: part.style(words(number(moment)))


def _year_with_comma(part: Part) -> Writer:
    if part.is_filled:
        return lambda moment: f"{moment.year // 1000},{moment.year % 1000:03}"
    return lambda moment: f"{moment.year:,}"
