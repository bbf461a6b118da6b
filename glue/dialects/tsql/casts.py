"""CAST, CONVERT, PARSE and FORMAT in DuckDB's SQL, with their styles and cultures."""

from __future__ import annotations

from decimal import Decimal

from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.conversions import as_text, explicit, implicit
from glue.dialects.tsql.types import (
    DATES,
    INT,
    MOMENTS,
    NUMBERS,
    TEXTS,
    Type,
    text_type,
    typed,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_OWN_CULTURE = "en-US"
_PARSED = frozenset({"date", "datetime", "datetime2", "smalldatetime", "time"})
_FORMAT_LENGTH = 4000


def cast(word: str, value: Sql, target: Type, style: Sql | None) -> Sql:
    """CAST, CONVERT and those that try."""
    is_try = word.startswith("TRY")
    if style is not None and style.kind == "null":
        return implicit(Sql("null", "null"), target)
    number = None
    if style is not None:
        constant = implicit(style, INT).constant
        if not isinstance(constant, Decimal):
            raise UnsupportedError("a style that is no literal")
        number = int(constant)
    return explicit(value, target, is_try, number)


def parsed(word: str, value: Sql, target: Type, culture: Sql | None) -> Sql:
    """PARSE and TRY_PARSE: a text as .NET reads it."""
    if value.kind == "null":
        raise TSQLError("8116", "NULL is no argument 1 of PARSE")
    if value.kind not in TEXTS:
        raise TSQLError("10761", f"{value.kind} is no text to be parsed")
    is_try = str(word.startswith("TRY")).lower()
    by = quoted_text(_OWN_CULTURE) if culture is None else as_text(culture).text
    if target.kind in _PARSED:
        made = f"tsql_parsed_moment({value.text}, '{target.kind}', {by}, {is_try})"
        return typed(f"({made})::{target.stored}", target, value, may_fail=True)
    if target.kind not in NUMBERS - {"bit"}:
        raise TSQLError("10761", f"nothing is parsed to {target}")
    made = f"tsql_parsed_number({value.text}, '{target.kind}', {by}, {is_try})"
    digits = typed(made, text_type("varchar", _FORMAT_LENGTH))
    found = explicit(digits, target, word.startswith("TRY"))
    found.may_fail = True
    return found


def formatted(arguments: list[Sql]) -> Sql:
    """FORMAT: a number or a moment by a format of .NET's."""
    value, model = arguments[0], as_text(arguments[1])
    culture = quoted_text(_OWN_CULTURE) if len(arguments) < 3 else as_text(arguments[2]).text
    target = text_type("nvarchar", _FORMAT_LENGTH)
    if value.kind in DATES:
        made = f"tsql_format_moment(({value.text})::timestamp, {model.text}, {culture})"
    elif value.kind in NUMBERS - {"bit"}:
        made = f"tsql_format_number(({value.text})::varchar, {model.text}, {culture}, '{value.kind}')"
    elif value.kind in MOMENTS | {"null"}:
        raise UnsupportedError(f"FORMAT of {value.kind}")
    else:
        raise TSQLError("8116", f"{value.kind} is no argument 1 of FORMAT")
    return typed(made, target, value, model, may_fail=True)
