"""How a value of one type of SQL Server's becomes one of another, asked for or not, in DuckDB's SQL.

By Data Type Conversion and CAST and CONVERT (Transact-SQL): which types go together, what is cut and what is
rounded, and with which number a value that does not fit is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.stored_types import rounded
from glue.dialects.tsql.bytes import as_bytes, text_of_bytes, whole_of_bytes
from glue.dialects.tsql.date_styles import text_of_moment
from glue.dialects.tsql.types import (
    BYTES,
    COUNTED_DATES,
    DATES,
    FLOATS,
    INTEGERS,
    MONEYS,
    NATIONAL,
    NUMBERS,
    PADDED,
    TEXTS,
    Type,
    text_type,
    type_of,
    typed,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_moments import moment_of
from glue.dialects.values import MAX_DIGITS, Sql

_WHOLE = re.compile(r"[+-]?\d+")
_EXACT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
_INTEGER_LIKE = frozenset({*INTEGERS, "bit"})
_TEXT_WIDTHS = {"tinyint": 3, "smallint": 6, "int": 12, "bigint": 20, "bit": 1, "money": 22, "smallmoney": 13}
"""How many letters a number has at the most as a text."""
_FLOAT_WIDTH = 32
_FLOAT_STYLES = {0: 0, 1: 7, 2: 15}
"""How many digits behind the point of a scientific number styles of FLOAT have; of 0 six digits in all."""
_MICROSECOND_DIGITS = 6
"""Of a second DuckDB keeps no more."""
_MOMENT_WIDTHS = {"date": 10, "time": 16, "datetime": 30, "smalldatetime": 30, "datetime2": 27}


def implicit(value: Sql, target: Type) -> Sql:
    """The value as one of that type where nobody asks for it. Raises 206 and 257 where it never is one."""
    if value.kind == target.kind and value.kind not in TEXTS | {"decimal"}:
        return value
    if _is_never(value.kind, target.kind):
        raise TSQLError("206", f"operand type clash: {value.kind} is incompatible with {target.kind}")
    into_bytes = target.kind in BYTES and value.kind in TEXTS
    if into_bytes or (value.kind in COUNTED_DATES and target.kind in NUMBERS):
        raise TSQLError("257", f"a {value.kind} becomes no {target.kind} unless CONVERT asks for it")
    return made(value, target)


def explicit(value: Sql, target: Type, is_try: bool = False, style: int | None = None) -> Sql:
    """What CAST and CONVERT make of the value; with `is_try` NULL where it does not fit. Raises 529."""
    if _is_never(value.kind, target.kind):
        raise TSQLError("529", f"{value.kind} can be converted to no {target.kind}")
    return made(value, target, is_try, style)


def _is_never(kind: str, target: str) -> bool:
    """Is there no conversion at all?"""
    uncounted = {"date", "time", "datetime2", "datetimeoffset"}
    if (kind in NUMBERS and target in uncounted) or (kind in uncounted and target in NUMBERS):
        return True
    if {kind, target} == {"date", "time"}:
        return True
    if "uniqueidentifier" in (kind, target) and kind != target:
        return not {kind, target} & (TEXTS | {"varbinary", "binary", "null"})
    return False


def made(value: Sql, target: Type, is_try: bool = False, style: int | None = None) -> Sql:
    """The value as one of that type, where there is a conversion."""
    if value.kind == "null":
        return typed(f"null::{target.stored}", target)
    make = _MAKERS.get(target.kind)
    if make is None:
        raise UnsupportedError(f"a conversion to {target}")
    found = make(value, target, is_try, style)
    found.collation = value.collation
    return found


def _cast(value: Sql, target: Type, is_try: bool, text: str = "", may_fail: bool = True) -> Sql:
    """By DuckDB's own cast, whose failure is SQL Server's 8115."""
    text = text or value.text
    cast = f"try_cast({text} as {target.stored})" if is_try else f"({text})::{target.stored}"
    return typed(cast, target, value, may_fail=may_fail and not is_try)


# Whole numbers


def _integer(value: Sql, target: Type, is_try: bool, _style: int | None) -> Sql:
    least, most = target.range
    flag = str(is_try).lower()
    if value.kind in TEXTS:
        constant = value.constant
        if isinstance(constant, str) and _WHOLE.fullmatch(constant.strip(" ")):
            number = int(constant)
            if least <= number <= most:
                return whole_literal(number, target)
        bad = "8114" if target.kind == "bigint" else "245"
        far = {"int": "248", "bigint": "8115"}.get(target.kind, "244")
        text = f"tsql_whole({value.text}, {least}, {most}, '{bad}', '{far}', {flag})::{target.stored}"
        return typed(text, target, value, may_fail=not is_try)
    if value.kind in _INTEGER_LIKE:
        if value.kind == target.kind:
            return value
        if value.kind == "bit" or INTEGERS[value.kind] < INTEGERS[target.kind]:
            found = _cast(value, target, is_try, may_fail=False)
            found.constant = value.constant
            return found
        if isinstance(value.constant, Decimal) and least <= value.constant <= most:
            return whole_literal(int(value.constant), target)
        if target.kind in ("tinyint", "smallint"):
            text = f"tsql_narrow({value.text}, {least}, {most}, '220', {flag})::{target.stored}"
            return typed(text, target, value, may_fail=not is_try)
        return _cast(value, target, is_try)
    if value.kind in FLOATS:
        code = "8115" if target.kind == "bigint" else "232"
        text = f"tsql_narrow(trunc({value.text}), {least}, {most}, '{code}', {flag})::{target.stored}"
        return typed(text, target, value, may_fail=not is_try)
    if value.kind == "decimal":
        return _cast(value, target, is_try, f"trunc({value.text})")
    if value.kind in MONEYS:
        return _cast(value, target, is_try, f"round({value.text})")
    if value.kind in COUNTED_DATES:
        return _cast(value, target, is_try, f"round(tsql_days({value.text}))")
    if value.kind in BYTES:
        return whole_of_bytes(value, target)
    raise UnsupportedError(f"{value.kind} as {target}")


def whole_literal(number: int, target: Type) -> Sql:
    """A whole number that is written out."""
    found = typed(f"({number})::{target.stored}", target)
    found.constant = Decimal(number)
    return found


def _bit(value: Sql, target: Type, is_try: bool, _style: int | None) -> Sql:
    if value.kind == "bit":
        return value
    if value.kind in TEXTS:
        return typed(f"tsql_bit({value.text}, {str(is_try).lower()})", target, value, may_fail=not is_try)
    if value.kind in NUMBERS:
        return typed(f"({value.text} <> 0)::utinyint", target, value)
    raise UnsupportedError(f"{value.kind} as {target}")


# Other numbers


def _decimal(value: Sql, target: Type, is_try: bool, _style: int | None) -> Sql:
    if value.kind in TEXTS:
        constant = value.constant
        if isinstance(constant, str) and _EXACT.fullmatch(constant.strip(" ")):
            number = rounded(Decimal(constant.strip(" ")), target.scale)
            if number.adjusted() < target.precision - target.scale:
                return typed(f"({number:f})::{target.stored}", target)
        digits = f"tsql_digits({value.text}, {str(is_try).lower()})"
        return _cast(value, target, is_try, digits)
    if value.kind in COUNTED_DATES:
        return _cast(value, target, is_try, f"tsql_days({value.text})")
    if value.kind in NUMBERS:
        if type_of(value) == target:
            return value
        narrows = value.kind != "decimal" or (
            target.scale < value.scale or target.precision - target.scale < value.precision - value.scale
        )
        return _cast(value, target, is_try, may_fail=narrows)
    raise UnsupportedError(f"{value.kind} as {target}")


def _money(value: Sql, target: Type, is_try: bool, _style: int | None) -> Sql:
    if value.kind in TEXTS:
        return _cast(value, target, is_try, f"tsql_money({value.text}, {str(is_try).lower()})")
    if value.kind in COUNTED_DATES:
        return _cast(value, target, is_try, f"tsql_days({value.text})")
    if value.kind in NUMBERS:
        return value if value.kind == target.kind else _cast(value, target, is_try)
    raise UnsupportedError(f"{value.kind} as {target}")


def _float(value: Sql, target: Type, is_try: bool, _style: int | None) -> Sql:
    if value.kind in TEXTS:
        text = f"tsql_float({value.text}, {str(is_try).lower()})"
        return _cast(value, target, is_try, text)
    if value.kind in COUNTED_DATES:
        return _cast(value, target, is_try, f"tsql_days({value.text})")
    if value.kind in NUMBERS:
        return value if value.kind == target.kind else _cast(value, target, is_try, may_fail=False)
    raise UnsupportedError(f"{value.kind} as {target}")


# Moments


def _moment(value: Sql, target: Type, is_try: bool, style: int | None) -> Sql:
    if value.kind in TEXTS:
        return _read_moment(value, target, is_try, style or 0)
    if value.kind in NUMBERS and target.kind in COUNTED_DATES:
        return _counted_moment(value, target, is_try)
    if value.kind in DATES or value.kind == "time":
        return _moment_of_moment(value, target, is_try)
    raise UnsupportedError(f"{value.kind} as {target}")


def _read_moment(value: Sql, target: Type, is_try: bool, style: int) -> Sql:
    if isinstance(value.constant, str):
        try:
            found = moment_literal(moment_of(value.constant, target.kind, style), target)
        except TSQLError:
            if is_try:
                return typed(f"null::{target.stored}", target)
        else:
            return found
    kind = quoted_text(target.kind)
    text = f"tsql_moment({value.text}, {kind}, {style}, {str(is_try).lower()})"
    return _in_precision(typed(f"({text})::{target.stored}", target, value, may_fail=not is_try))


def moment_literal(moment: datetime, target: Type) -> Sql:
    """A moment that is written out."""
    written = {"date": moment.date(), "time": moment.time()}.get(target.kind, moment.isoformat(" "))
    return _in_precision(typed(f"{target.stored} '{written}'", target))


def _in_precision(value: Sql) -> Sql:
    """A time or DATETIME2 of few digits is rounded to them."""
    if value.kind not in ("time", "datetime2") or value.scale >= _MICROSECOND_DIGITS:
        return value
    macro = "tsql_rounded_time" if value.kind == "time" else "tsql_rounded_moment"
    value.text = f"{macro}({value.text}, {10 ** (_MICROSECOND_DIGITS - value.scale)})"
    return value


def _counted_moment(value: Sql, target: Type, is_try: bool) -> Sql:
    flag = str(is_try).lower()
    if isinstance(value.constant, Decimal) and value.kind in INTEGERS and 0 <= value.constant < 2_900_000:
        text = f"(timestamp '1900-01-01' + to_days({value.constant}))"
        if target.kind == "datetime":
            return typed(text, target)
    text = f"tsql_moment_of_days(({value.text})::double, {flag})"
    if target.kind == "smalldatetime":
        text = f"tsql_to_minute({text}, {flag})"
    return typed(text, target, value, may_fail=not is_try)


def _moment_of_moment(value: Sql, target: Type, is_try: bool) -> Sql:
    if type_of(value) == target:
        return value
    flag = str(is_try).lower()
    text = value.text
    if value.kind == "time" and target.kind != "time":
        text = f"(date '1900-01-01' + {text})"
    if target.kind == "date":
        return typed(f"({text})::date", target, value)
    if target.kind == "datetime" and value.kind != "smalldatetime":
        return typed(f"tsql_to_ticks(({text})::timestamp, {flag})", target, value, may_fail=not is_try)
    if target.kind == "smalldatetime":
        return typed(f"tsql_to_minute(({text})::timestamp, {flag})", target, value, may_fail=not is_try)
    is_finer = value.kind == "datetime" and target.kind in ("datetime2", "time")
    if is_finer:
        text = f"tsql_exact_moment({text}, {target.scale})"
    found = typed(f"({text})::{target.stored}" if target.kind != value.kind else text, target, value)
    found.may_fail = found.may_fail or (is_finer and target.scale > _MICROSECOND_DIGITS)
    return _in_precision(found) if is_finer or target.scale < value.scale else found


# Texts


def _text(value: Sql, target: Type, is_try: bool, style: int | None) -> Sql:
    source = as_text(value, style)
    if value.kind in TEXTS:
        return _text_of_text(value, target)
    text, may_fail = source.text, source.may_fail
    if target.precision < source.precision:
        if value.kind in DATES | {"time"}:
            text = f"left({text}, {target.precision})"
        else:
            stars = value.kind in _INTEGER_LIKE and target.kind not in NATIONAL
            code = "" if stars else "234" if value.kind in MONEYS else "8115"
            text = f"tsql_fitting({text}, {target.precision}, '{code}', {str(is_try).lower()})"
            may_fail = may_fail or not (stars or is_try)
    if target.kind in PADDED:
        text = f"rpad({text}, {target.precision}, ' ')"
    return typed(text, target, may_fail=may_fail)


def _text_of_text(value: Sql, target: Type) -> Sql:
    text, constant = value.text, value.constant
    if value.kind in NATIONAL and target.kind not in NATIONAL:
        is_plain = isinstance(constant, str) and constant.isascii()
        text = text if is_plain else f"tsql_code_page({text})"
        constant = constant if is_plain else None
    if target.precision < value.precision:
        text = f"left({text}, {target.precision})"
        constant = constant[: target.precision] if isinstance(constant, str) else None
    if target.kind in PADDED and not (value.kind in PADDED and value.precision >= target.precision):
        text, constant = f"rpad({text}, {target.precision}, ' ')", None
    found = typed(text, target, value)
    if isinstance(constant, str):
        found.text, found.constant = quoted_text(constant), constant
    return found


def as_text(value: Sql, style: int | None = None) -> Sql:
    """The value as a text, as SQL Server writes it unasked or by a style of CONVERT."""
    if value.kind in TEXTS:
        return value
    if value.kind == "null":
        return typed("null::varchar", text_type("varchar", 1))
    if value.kind in _INTEGER_LIKE:
        return typed(f"({value.text})::varchar", text_type("varchar", _TEXT_WIDTHS[value.kind]), value)
    if value.kind == "decimal":
        return typed(_decimal_text(value), text_type("varchar", value.precision + 3), value)
    if value.kind in MONEYS:
        macro = {0: "tsql_money_text", 1: "tsql_money_grouped", 2: ""}.get(style or 0)
        if macro is None:
            raise UnsupportedError(f"MONEY as a text by style {style}")
        text = f"{macro}({value.text})" if macro else f"({value.text})::varchar"
        return typed(text, text_type("varchar", _TEXT_WIDTHS[value.kind]), value)
    if value.kind in FLOATS:
        n_digits = _FLOAT_STYLES.get(style or 0)
        if n_digits is None or (n_digits and value.kind == "real"):
            raise UnsupportedError(f"{value.kind} as a text by style {style}")
        text = (
            f"tsql_float_scientific({value.text}, '%.{n_digits}e')"
            if n_digits
            else f"tsql_float_text({value.text})"
        )
        return typed(text, text_type("varchar", _FLOAT_WIDTH), value)
    if value.kind in _MOMENT_WIDTHS:
        text = text_of_moment(value, style)
        return typed(text, text_type("varchar", _MOMENT_WIDTHS[value.kind]), value)
    if value.kind == "uniqueidentifier":
        return typed(value.text, text_type("varchar", 36), value)
    if value.kind in BYTES:
        return text_of_bytes(value, style)
    raise UnsupportedError(f"{value.kind} as a text")


def _decimal_text(value: Sql) -> str:
    """DuckDB writes no 0 before the point where the type has no digit there."""
    if value.precision > value.scale:
        return f"({value.text})::varchar"
    if value.precision == MAX_DIGITS:
        return f"regexp_replace(({value.text})::varchar, '^(-?)[.]', '\\10.')"
    return f"({value.text})::decimal({value.precision + 1}, {value.scale})::varchar"


def _unique(value: Sql, target: Type, is_try: bool, _style: int | None) -> Sql:
    if value.kind == "uniqueidentifier":
        return value
    if value.kind in TEXTS:
        return typed(f"tsql_unique({value.text}, {str(is_try).lower()})", target, value, may_fail=not is_try)
    raise UnsupportedError(f"{value.kind} as {target}")


def _bytes(value: Sql, target: Type, is_try: bool, style: int | None) -> Sql:
    if is_try:
        raise UnsupportedError(f"{target.kind} that is tried")
    if value.kind == target.kind and value.precision <= target.precision and value.kind == "varbinary":
        return value
    return as_bytes(value, target, style)


_Maker = Callable[[Sql, Type, bool, "int | None"], Sql]
_MAKERS: dict[str, _Maker] = {
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(MONEYS, _money),
    **dict.fromkeys(FLOATS, _float),
    **dict.fromkeys(TEXTS, _text),
    **dict.fromkeys(("date", "time", "datetime", "smalldatetime", "datetime2"), _moment),
    "bit": _bit,
    "decimal": _decimal,
    "uniqueidentifier": _unique,
    **dict.fromkeys(BYTES, _bytes),
}
