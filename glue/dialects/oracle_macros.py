"""Oracle's functions in a DuckDB session: macros of its own, and in Python what reads models and patterns.

A macro refuses as Oracle does: the text of DuckDB's error holds Oracle's code, or "unsupported" where
Oracle has an answer that is not known here; `error_of` reads it back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from glue.dialects.oracle_date_models import DAYS
from glue.dialects.oracle_date_units import date_unit
from glue.dialects.oracle_dates import DATE_MODEL, TIMESTAMP_MODEL, date_text, moment_of
from glue.dialects.oracle_errors import OracleError, UnsupportedError
from glue.dialects.oracle_number_texts import number_digits, text_of_number
from glue.dialects.oracle_regexps import (
    re2_pattern,
    regexp_count,
    regexp_instr,
    regexp_replace,
    regexp_substr,
)

if TYPE_CHECKING:
    import duckdb

_SCRIPTS = ("oracle_macros.sql", "oracle_number_macros.sql", "oracle_date_macros.sql")
_MICROSECONDS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
_MONTHS = {"YEAR": 12, "MONTH": 1}
_SAID = re.compile(r"(?P<code>ORA-[0-9]{5}): (?P<message>.*)|unsupported: (?P<unsupported>.*)")

# Each macro by the Oracle function it is; its arguments by kind: a number is exact, or a double of 15 digits.
_TABLE = """
    ABS                 ora_abs(number)
    ADD_MONTHS          ora_add_months(date, number)
    ASCII               ora_ascii(text)
    BITAND              ora_bitand(number, number)
    CEIL                ora_ceil(number) ora_ceil_double(double)
    CHR                 ora_chr(number)
    CONCAT              ora_concat(text, text)
    EXP                 ora_exp(number)
    EXTRACT YEAR        ora_extract_year(date) ora_extract_year_span(interval)
    EXTRACT MONTH       ora_extract_month(date) ora_extract_month_span(interval)
    EXTRACT DAY         ora_extract_day(date) ora_extract_day_span(interval)
    EXTRACT HOUR        ora_extract_hour(timestamp) ora_extract_hour_span(interval)
    EXTRACT MINUTE      ora_extract_minute(timestamp) ora_extract_minute_span(interval)
    EXTRACT SECOND      ora_extract_second(timestamp) ora_extract_second_span(interval)
    FLOOR               ora_floor(number) ora_floor_double(double)
    INITCAP             ora_initcap(text)
    INSTR               ora_instr(text, text) ora_instr(text, text, number)
                        ora_instr(text, text, number, number)
    LAST_DAY            ora_last_day(date)
    LENGTH              ora_length(text)
    LN                  ora_ln(number)
    LOG                 ora_log(number, number)
    LOWER               ora_lower(text)
    LPAD                ora_lpad(text, number) ora_lpad(text, number, text)
    LTRIM               ora_ltrim(text) ora_ltrim(text, text)
    MOD                 ora_mod(number, number) ora_mod_double(double, double)
    MONTHS_BETWEEN      ora_months_between(date, date)
    NANVL               ora_nanvl(number, number)
    NEXT_DAY            ora_next_day(date, text)
    NUMTODSINTERVAL     ora_numtodsinterval(number, text)
    NUMTOYMINTERVAL     ora_numtoyminterval(number, text)
    POWER               ora_power(number, number)
    REGEXP_COUNT        ora_regexp_count(text, text) ora_regexp_count(text, text, number)
                        ora_regexp_count(text, text, number, text)
    REGEXP_INSTR        ora_regexp_instr(text, text) ora_regexp_instr(text, text, number)
                        ora_regexp_instr(text, text, number, number)
                        ora_regexp_instr(text, text, number, number, number)
                        ora_regexp_instr(text, text, number, number, number, text)
                        ora_regexp_instr(text, text, number, number, number, text, number)
    REGEXP_LIKE         ora_regexp_like(text, text) ora_regexp_like(text, text, text)
    REGEXP_REPLACE      ora_regexp_replace(text, text) ora_regexp_replace(text, text, text)
                        ora_regexp_replace(text, text, text, number)
                        ora_regexp_replace(text, text, text, number, number)
                        ora_regexp_replace(text, text, text, number, number, text)
    REGEXP_SUBSTR       ora_regexp_substr(text, text) ora_regexp_substr(text, text, number)
                        ora_regexp_substr(text, text, number, number)
                        ora_regexp_substr(text, text, number, number, text)
                        ora_regexp_substr(text, text, number, number, text, number)
    REMAINDER           ora_remainder(number, number) ora_remainder_double(double, double)
    REPLACE             ora_replace(text, text) ora_replace(text, text, text)
    REVERSE             ora_reverse(text)
    ROUND               ora_round(number) ora_round(number, number) ora_round_double(double)
                        ora_round_double(double, number) ora_round_date(date) ora_round_date(date, text)
    RPAD                ora_rpad(text, number) ora_rpad(text, number, text)
    RTRIM               ora_rtrim(text) ora_rtrim(text, text)
    SIGN                ora_sign(number)
    SQRT                ora_sqrt(number)
    SUBSTR              ora_substr(text, number) ora_substr(text, number, number)
    TO_CHAR             ora_to_char_number(number) ora_to_char_number(number, text)
                        ora_to_char_date(date) ora_to_char_date(date, text)
                        ora_to_char_timestamp(timestamp) ora_to_char_timestamp(timestamp, text)
                        ora_to_char_text(text)
    TO_DATE             ora_to_date(text) ora_to_date(text, text)
    TO_NUMBER           ora_to_number(text) ora_to_number(text, text)
    TO_TIMESTAMP        ora_to_timestamp(text) ora_to_timestamp(text, text)
    TRANSLATE           ora_translate(text, text, text)
    TRIM                ora_trim(text) ora_trim(text, text)
    TRIM LEADING        ora_trim_leading(text) ora_trim_leading(text, text)
    TRIM TRAILING       ora_trim_trailing(text) ora_trim_trailing(text, text)
    TRUNC               ora_trunc(number) ora_trunc(number, number) ora_trunc_double(double)
                        ora_trunc_double(double, number) ora_trunc_date(date) ora_trunc_date(date, text)
    UPPER               ora_upper(text)
    WIDTH_BUCKET        ora_width_bucket(number, number, number, number)
"""


@dataclass(frozen=True)
class Macro:
    """A macro by its name and the kinds of its arguments: text, number, double, date, timestamp, interval."""

    name: str
    kinds: tuple[str, ...]

    def takes(self, kinds: Sequence[str]) -> bool:
        """Can it be called with these? A double is a number too, a timestamp a date, and NULL anything."""
        wider = {"double": "number", "timestamp": "date"}
        return len(kinds) == len(self.kinds) and all(
            own in (kind, wider.get(kind)) or kind == "null"
            for own, kind in zip(self.kinds, kinds, strict=True)
        )


def _macros() -> dict[str, tuple[Macro, ...]]:
    macros: dict[str, tuple[Macro, ...]] = {}
    function = ""
    for line in _TABLE.strip().splitlines():
        words = line.strip()
        if not words.startswith("ora_"):
            function, _, rest = words.partition("  ")
            words = rest.strip()
        found = tuple(
            Macro(name, tuple(kinds.split(", "))) for name, kinds in re.findall(r"(\w+)\(([^)]*)\)", words)
        )
        macros[function] = macros.get(function, ()) + found
    return macros


MACROS = _macros()
"""Oracle's functions; EXTRACT and TRIM by what stands in their brackets too."""


def macro_of(function: str, kinds: Sequence[str]) -> str | None:
    """The macro for a call of this function, that for doubles or timestamps before a wider one; else None.

    One double among the arguments makes all their numbers doubles.
    """
    fitting = [macro for macro in MACROS.get(function, ()) if macro.takes(kinds)]
    doubled = ["double" if kind == "number" and "double" in kinds else kind for kind in kinds]
    fitting += [
        macro for macro in MACROS.get(function, ()) if "double" in macro.kinds and macro.takes(doubled)
    ]
    exact = [macro for macro in fitting if {"double", "timestamp"} & set(macro.kinds)]
    return (exact or fitting)[0].name if fitting else None


def install(connection: duckdb.DuckDBPyConnection, now: datetime | None = None) -> None:
    """Give a session Oracle's functions; `now` is its SYSDATE, which TO_DATE fills a missing year from."""
    untyped: Any = connection  # its stubs want types where their names do
    for name, function, parameters, result, n_needed in _python_functions(now or datetime.now()):
        untyped.create_function(
            name,
            _null_for_null(function, n_needed),
            list(parameters),
            result,
            null_handling="special",
        )
    for script in _SCRIPTS:
        connection.execute(files("glue.dialects").joinpath(script).read_text(encoding="utf-8"))


def error_of(message: str) -> OracleError | UnsupportedError | None:
    """What a macro refused with, read from DuckDB's error."""
    said = _SAID.search(message)
    if said is None:
        return None
    if said["code"]:
        return OracleError(said["code"], said["message"])
    return UnsupportedError(said["unsupported"])


def _python_functions(
    now: datetime,
) -> list[tuple[str, Callable[..., Any], tuple[str, ...], str, tuple[int, ...]]]:
    """Name, function, kinds of arguments and result, and which arguments make the result NULL."""

    def read(text: str, model: str, of_timestamp: bool) -> datetime:
        return moment_of(text, model, now, of_timestamp=of_timestamp)

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
        ("ora_moment_of", read, (text, text, flag), moment, (0, 1)),
        ("ora_moment_text", _moment_text, (moment, text, flag), text, (0, 1)),
        ("ora_date_unit", date_unit, (text,), text, (0,)),
        ("ora_weekday", _weekday, (text,), number, (0,)),
        ("ora_microseconds_of", _microseconds_of, (text,), number, (0,)),
        ("ora_months_of", _months_of, (text,), number, (0,)),
        ("ora_number_digits", number_digits, (text, text, flag), text, (0,)),
        ("ora_number_text", text_of_number, (text, text, flag, flag), text, (0,)),
    ]


def _null_for_null(function: Callable[..., Any], needed: tuple[int, ...]) -> Callable[..., Any]:
    """The function, NULL where one of the needed arguments is; what is unsupported says so in its text."""

    @wraps(function)
    def answered(*arguments: Any) -> Any:
        if any(arguments[place] is None for place in needed):
            return None
        try:
            return function(*arguments)
        except UnsupportedError as error:
            raise UnsupportedError(f"unsupported: {error}") from None

    return answered


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
