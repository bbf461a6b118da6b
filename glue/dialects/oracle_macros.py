"""Oracle's functions in a DuckDB session: macros of its own, and in Python what reads models and patterns.

A macro refuses as Oracle does: the text of DuckDB's error holds Oracle's code, or "unsupported" where
Oracle has an answer that is not known here; `error_of` reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from glue.dialects.errors import UnsupportedError
from glue.dialects.macros import Macros, PythonFunction
from glue.dialects.oracle_date_models import DAYS
from glue.dialects.oracle_date_units import date_unit
from glue.dialects.oracle_dates import DATE_MODEL, TIMESTAMP_MODEL, date_text, moment_of
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_number_texts import number_digits, text_of_number
from glue.dialects.oracle_regexps import (
    re2_pattern,
    regexp_count,
    regexp_instr,
    regexp_replace,
    regexp_substr,
)
from glue.dialects.oracle_words import spelled

if TYPE_CHECKING:
    import duckdb

_MICROSECONDS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
_MONTHS = {"YEAR": 12, "MONTH": 1}
_SAID = re.compile(
    r"""(?P<code>ORA-[0-9]{5}):\ (?P<message>.*?)(?:'\ to\ DOUBLE|\",\ expected\ format.*)?$
    | unsupported:\ (?P<unsupported>.*)""",
    re.VERBOSE | re.MULTILINE,
)
_NO_CONSTANT = re.compile(r'argument in function "(round|trunc)" must be a constant')

# Each of Oracle's functions, the kind of its answer (`same`: that of the first argument), and its macros with
# the kinds of their arguments.
_TABLE = """
    ABS              same       ora_abs(number) ora_abs(double)
    ADD_MONTHS       date       ora_add_months(date, number)
    ASCII            number     ora_ascii(text)
    BITAND           number     ora_bitand(number, number)
    CEIL             same       ora_ceil(number) ora_ceil_double(double)
    CHR              text       ora_chr(number)
    CONCAT           text       ora_concat(text, text)
    EXP              double     ora_exp(number)
    EXTRACT YEAR     number     ora_extract_year(date) ora_extract_year_span(interval)
    EXTRACT MONTH    number     ora_extract_month(date) ora_extract_month_span(interval)
    EXTRACT DAY      number     ora_extract_day(date) ora_extract_day_span(interval)
    EXTRACT HOUR     number     ora_extract_hour(timestamp) ora_extract_hour_span(interval)
    EXTRACT MINUTE   number     ora_extract_minute(timestamp) ora_extract_minute_span(interval)
    EXTRACT SECOND   number     ora_extract_second(timestamp) ora_extract_second_span(interval)
    FLOOR            same       ora_floor(number) ora_floor_double(double)
    INITCAP          text       ora_initcap(text)
    INSTR            number     ora_instr(text, text) ora_instr(text, text, number)
                                ora_instr(text, text, number, number)
    LAST_DAY         date       ora_last_day(date)
    LENGTH           number     ora_length(text)
    LN               double     ora_ln(number)
    LOG              double     ora_log(number, number)
    LOWER            text       ora_lower(text)
    LPAD             text       ora_lpad(text, number) ora_lpad(text, number, text)
    LTRIM            text       ora_ltrim(text) ora_ltrim(text, text)
    MOD              same       ora_mod(number, number) ora_mod_double(double, double)
    MONTHS_BETWEEN   double     ora_months_between(date, date)
    NANVL            same       ora_nanvl(number, number) ora_nanvl(double, double)
    NEXT_DAY         date       ora_next_day(date, text)
    NUMTODSINTERVAL  interval   ora_numtodsinterval(number, text)
    NUMTOYMINTERVAL  interval   ora_numtoyminterval(number, text)
    POWER            double     ora_power(number, number)
    REGEXP_COUNT     number     ora_regexp_count(text, text) ora_regexp_count(text, text, number)
                                ora_regexp_count(text, text, number, text)
    REGEXP_INSTR     number     ora_regexp_instr(text, text) ora_regexp_instr(text, text, number)
                                ora_regexp_instr(text, text, number, number)
                                ora_regexp_instr(text, text, number, number, number)
                                ora_regexp_instr(text, text, number, number, number, text)
                                ora_regexp_instr(text, text, number, number, number, text, number)
    REGEXP_LIKE      condition  ora_regexp_like(text, text) ora_regexp_like(text, text, text)
    REGEXP_REPLACE   text       ora_regexp_replace(text, text) ora_regexp_replace(text, text, text)
                                ora_regexp_replace(text, text, text, number)
                                ora_regexp_replace(text, text, text, number, number)
                                ora_regexp_replace(text, text, text, number, number, text)
    REGEXP_SUBSTR    text       ora_regexp_substr(text, text) ora_regexp_substr(text, text, number)
                                ora_regexp_substr(text, text, number, number)
                                ora_regexp_substr(text, text, number, number, text)
                                ora_regexp_substr(text, text, number, number, text, number)
    REMAINDER        same       ora_remainder(number, number) ora_remainder_double(double, double)
    REPLACE          text       ora_replace(text, text) ora_replace(text, text, text)
    REVERSE          text       ora_reverse(text)
    ROUND            same       ora_round(number) ora_round(number, number) ora_round_double(double)
                                ora_round_double(double, number) ora_round_date(date)
                                ora_round_date(date, text)
    RPAD             text       ora_rpad(text, number) ora_rpad(text, number, text)
    RTRIM            text       ora_rtrim(text) ora_rtrim(text, text)
    SIGN             number     ora_sign(number)
    SQRT             double     ora_sqrt(number)
    SUBSTR           text       ora_substr(text, number) ora_substr(text, number, number)
    TO_CHAR          text       ora_to_char_number(number) ora_to_char_number(number, text)
                                ora_to_char_date(date) ora_to_char_date(date, text)
                                ora_to_char_timestamp(timestamp) ora_to_char_timestamp(timestamp, text)
                                ora_to_char_text(text)
    TO_DATE          date       ora_to_date(text) ora_to_date(text, text)
    TO_NUMBER        number     ora_to_number(text) ora_to_number(text, text)
    TO_TIMESTAMP     timestamp  ora_to_timestamp(text) ora_to_timestamp(text, text)
    TRANSLATE        text       ora_translate(text, text, text)
    TRIM             text       ora_trim(text) ora_trim(text, text)
    TRIM LEADING     text       ora_trim_leading(text) ora_trim_leading(text, text)
    TRIM TRAILING    text       ora_trim_trailing(text) ora_trim_trailing(text, text)
    TRUNC            same       ora_trunc(number) ora_trunc(number, number) ora_trunc_double(double)
                                ora_trunc_double(double, number) ora_trunc_date(date)
                                ora_trunc_date(date, text)
    UPPER            text       ora_upper(text)
    WIDTH_BUCKET     number     ora_width_bucket(number, number, number, number)
"""


@dataclass(frozen=True)
class Macro:
    """A macro, and the kinds of its arguments and of its answer.

    Kinds are text, number (exact), double (15 digits known), date, timestamp and interval; an answer may be a
    condition. The digits of ROUND and TRUNC must be constant.
    """

    name: str
    kinds: tuple[str, ...]
    result: str

    def takes(self, kinds: Sequence[str]) -> bool:
        """Can it be called with these? A double is a number too, a timestamp a date, and NULL anything."""
        wider = {"double": "number", "timestamp": "date"}
        return len(kinds) == len(self.kinds) and all(
            own in (kind, wider.get(kind)) or kind == "null"
            for own, kind in zip(self.kinds, kinds, strict=True)
        )


def _macros() -> dict[str, tuple[Macro, ...]]:
    macros: dict[str, tuple[Macro, ...]] = {}
    function = result = ""
    for line in _TABLE.strip().splitlines():
        *beginning, calls = re.split("  +", line.strip())
        if beginning:
            function, result = beginning
        for name, arguments in re.findall(r"(\w+)\(([^)]*)\)", calls):
            kinds = tuple(arguments.split(", "))
            macro = Macro(name, kinds, kinds[0] if result == "same" else result)
            macros[function] = (*macros.get(function, ()), macro)
    return macros


MACROS = _macros()
"""Oracle's functions; EXTRACT and TRIM by what stands in their brackets too."""


def macro_of(function: str, kinds: Sequence[str]) -> Macro | None:
    """The macro for a call of this function, that for doubles or timestamps before a wider one; else None.

    One double among the arguments makes all their numbers doubles.
    """
    fitting = [macro for macro in MACROS.get(function, ()) if macro.takes(kinds)]
    doubled = ["double" if kind == "number" and "double" in kinds else kind for kind in kinds]
    fitting += [
        macro for macro in MACROS.get(function, ()) if "double" in macro.kinds and macro.takes(doubled)
    ]
    exact = [macro for macro in fitting if {"double", "timestamp"} & set(macro.kinds)]
    return (exact or fitting)[0] if fitting else None


def _python_functions() -> list[PythonFunction]:
    text, number, flag, moment = "VARCHAR", "BIGINT", "BOOLEAN", "TIMESTAMP"
    return [
        ("ora_re2_pattern", re2_pattern, (text, text), text, (0,)),
        ("ora_py_regexp_count", regexp_count, (text, text, number, text), number, (0, 1, 2)),
        (
            "ora_py_regexp_substr",
            regexp_substr,
            (text, text, number, number, text, number),
            text,
            (0, 1, 2, 3, 5),
        ),
        (
            "ora_py_regexp_instr",
            regexp_instr,
            (text, text, number, number, number, text, number),
            number,
            (0, 1, 2, 3, 4, 6),
        ),
        (
            "ora_py_regexp_replace",
            regexp_replace,
            (text, text, text, number, number, text),
            text,
            (0, 3, 4),
        ),
        ("ora_date_model", lambda: DATE_MODEL, (), text, ()),
        ("ora_timestamp_model", lambda: TIMESTAMP_MODEL, (), text, ()),
        ("ora_moment_of", _read_moment, (text, text, flag, moment), moment, (0, 1)),
        ("ora_moment_text", _moment_text, (moment, text, flag), text, (0, 1)),
        ("ora_date_unit", date_unit, (text,), text, (0,)),
        ("ora_weekday", _weekday, (text,), number, (0,)),
        ("ora_microseconds_of", _microseconds_of, (text,), number, (0,)),
        ("ora_months_of", _months_of, (text,), number, (0,)),
        ("ora_number_digits", number_digits, (text, text, flag), text, (0,)),
        ("ora_number_text", text_of_number, (text, text, flag, flag), text, (0,)),
        ("ora_spelled", spelled, (number, text), text, (0,)),
    ]


def _read_moment(text: str, model: str, of_timestamp: bool, now: datetime) -> datetime:
    return moment_of(text, model, now, of_timestamp=of_timestamp)


def _moment_text(moment: datetime, model: str, of_timestamp: bool) -> str:
    return date_text(moment, model, of_timestamp=of_timestamp)


def _weekday(name: str) -> int:
    """0 is Sunday. What follows the three letters that say the day does not count."""
    if name.strip().isdigit():
        raise UnsupportedError("NEXT_DAY with a day's number, which the manual does not know")
    for number, day in enumerate(DAYS):
        if name.lower().startswith(day[:3]):
            return number
    raise OracleError("ORA-01846", f"{name!r} is no day of the week")


def _microseconds_of(unit: str) -> int:
    return _of_unit(unit, _MICROSECONDS)


def _months_of(unit: str) -> int:
    return _of_unit(unit, _MONTHS)


def _of_unit(unit: str, worth: dict[str, int]) -> int:
    if unit.strip().upper() not in worth:
        raise OracleError("ORA-01760", f"{unit!r} is none of {', '.join(worth)}")
    return worth[unit.strip().upper()]


FUNCTIONS = Macros(
    "ora_",
    (
        "oracle_macros.sql",
        "oracle_number_macros.sql",
        "oracle_date_macros.sql",
        "oracle_arithmetic_macros.sql",
    ),
    _python_functions,
    OracleError,
    _SAID,
)
"""Oracle's functions in a session."""


def install(connection: duckdb.DuckDBPyConnection, now: datetime | None = None) -> None:
    """Give a session all of Oracle's functions; `now` is its SYSDATE, and TO_DATE's missing year."""
    FUNCTIONS.begin(connection, now or datetime.now())
    connection.execute(FUNCTIONS.text)


def error_of(message: str) -> OracleError | UnsupportedError | None:
    """What a macro refused with, read from DuckDB's error."""
    if _NO_CONSTANT.search(message):
        return UnsupportedError("ROUND or TRUNC to a number of digits that is no constant")
    return FUNCTIONS.error_of(message)
