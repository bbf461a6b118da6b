"""SQL Server's functions in a DuckDB session: macros of its own, and in Python what reads and writes formats.

A macro refuses as SQL Server does: the text of DuckDB's error holds its number (TSQL-245), or "unsupported"
where SQL Server has an answer that is not known here; `error_of` reads it back.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING

from glue.dialects.macros import Macros, PythonFunction
from glue.dialects.stored_types import rounded
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_formats import check_culture, moment_text, number_text
from glue.dialects.tsql_moments import moment_of
from glue.dialects.tsql_parsing import parsed_moment, parsed_number
from glue.dialects.tsql_patterns import like_expression, search_expression
from glue.dialects.tsql_sorting import in_code_page, place_of
from glue.dialects.tsql_soundex import difference, soundex

if TYPE_CHECKING:
    import duckdb

_SAID = re.compile(
    r"(?:TSQL-(?P<code>[0-9]+): (?P<message>.*?)|unsupported: (?P<unsupported>.*?))(?:' to BOOL)?$",
    re.MULTILINE,
)
_EXACT = Context(prec=120)
_WHOLE_KINDS = frozenset({"tinyint", "smallint", "int", "bigint"})
_WIDEST_STR = 8000


def _python_functions() -> list[PythonFunction]:
    text, number, flag, moment, double = "VARCHAR", "BIGINT", "BOOLEAN", "TIMESTAMP", "DOUBLE"
    return [
        ("tsql_moment_of", _read_moment, (text, text, number, flag), moment, (0,)),
        ("tsql_parsed_moment", _parsed_moment, (text, text, text, flag), moment, (0, 2)),
        ("tsql_parsed_number", _parsed_number, (text, text, text, flag), text, (0, 2)),
        ("tsql_in_code_page", in_code_page, (text,), text, (0,)),
        ("tsql_place_of", place_of, (text, flag), text, (0,)),
        ("tsql_like_expression", like_expression, (text, text, flag, text), text, (0,)),
        ("tsql_search_expression", search_expression, (text, text), text, (0,)),
        ("tsql_unscaled_quotient", _unscaled_quotient, (text, text, number), text, (0, 1)),
        ("tsql_unscaled_sum", _unscaled_sum, (text, text, number), text, (0, 1)),
        ("tsql_unscaled_product", _unscaled_product, (text, text, number), text, (0, 1)),
        ("tsql_soundex", soundex, (text,), text, (0,)),
        ("tsql_difference", difference, (text, text), number, (0, 1)),
        ("tsql_str", _number_in_width, (double, number, number), text, (0, 1, 2)),
        ("tsql_format_number", _formatted_number, (text, text, text, text), text, (0, 1, 2)),
        ("tsql_format_moment", _formatted_moment, (moment, text, text), text, (0, 1, 2)),
    ]


def _read_moment(text: str, kind: str, style: int, is_try: bool) -> datetime | None:
    try:
        return moment_of(text, kind, style)
    except TSQLError:
        if is_try:
            return None
        raise


def _parsed_moment(text: str, kind: str, culture: str, is_try: bool) -> datetime | None:
    try:
        return parsed_moment(text, kind, culture)
    except TSQLError:
        if is_try:
            return None
        raise


def _parsed_number(text: str, kind: str, culture: str, is_try: bool) -> str | None:
    try:
        return parsed_number(text, kind, culture)
    except TSQLError:
        if is_try:
            return None
        raise


def _unscaled_quotient(dividend: str, divisor: str, scale: int) -> str:
    """The quotient, cut off at that place, without its point."""
    if not Decimal(divisor):
        raise TSQLError("8134", "divide by zero")
    one, other = _EXACT.scaleb(Decimal(dividend), scale + 60), _EXACT.scaleb(Decimal(divisor), 60)
    whole = int(one) // abs(int(other)) if int(one) >= 0 else -(-int(one) // abs(int(other)))
    return str(whole if other > 0 else -whole)


def _unscaled_sum(first: str, second: str, scale: int) -> str:
    """The sum, rounded at that place, without its point."""
    return _unscaled(_EXACT.add(Decimal(first), Decimal(second)), scale)


def _unscaled_product(first: str, second: str, scale: int) -> str:
    """The product, rounded at that place, without its point."""
    return _unscaled(_EXACT.multiply(Decimal(first), Decimal(second)), scale)


def _unscaled(number: Decimal, scale: int) -> str:
    whole = _EXACT.scaleb(number, scale).to_integral_value(ROUND_HALF_UP, context=_EXACT)
    return f"{whole:f}"


def _number_in_width(number: float, width: int, n_decimals: int) -> str | None:
    """STR: a number at the right end of so many letters; stars where it does not fit."""
    if not 0 < width <= _WIDEST_STR or n_decimals < 0:
        return None
    exact = Decimal(repr(number))
    whole = f"{exact.to_integral_value(ROUND_DOWN):f}"
    kept = max(min(n_decimals, 16, width - len(whole) - 1), 0)
    text = f"{rounded(exact, kept):f}"
    return text.rjust(width) if len(text) <= width else "*" * width


def _formatted_number(number: str, model: str, culture: str, kind: str) -> str | None:
    check_culture(culture)
    return number_text(Decimal(number), model, kind in _WHOLE_KINDS)


def _formatted_moment(moment: datetime, model: str, culture: str) -> str | None:
    check_culture(culture)
    return moment_text(moment, model)


FUNCTIONS = Macros(
    "tsql_",
    ("tsql_macros.sql", "tsql_call_macros.sql"),
    _python_functions,
    TSQLError,
    _SAID,
    mark="TSQL-",
)
"""SQL Server's functions in a session."""


def install(connection: duckdb.DuckDBPyConnection, now: datetime | None = None) -> None:
    """Give a session all of SQL Server's functions; `now` is what its clock says."""
    FUNCTIONS.begin(connection, now or datetime.now())
    connection.execute(FUNCTIONS.text)
