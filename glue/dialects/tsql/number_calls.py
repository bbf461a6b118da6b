"""SQL Server's functions of numbers in DuckDB's SQL. By Mathematical functions (Transact-SQL)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.conversions import implicit
from glue.dialects.tsql.types import (
    FLOAT,
    FLOATS,
    INT,
    MONEY,
    MONEYS,
    NUMBERS,
    TEXTS,
    Type,
    decimal_type,
    type_of,
    typed,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import MAX_DIGITS, Sql

_SMALL = frozenset({"tinyint", "smallint", "int"})


def _number(value: Sql, name: str) -> Sql:
    """A number, or a text or a BIT as a FLOAT. Raises 8116."""
    if value.kind in TEXTS or value.kind == "bit":
        return implicit(value, FLOAT)
    if value.kind == "null":
        return implicit(value, INT)
    if value.kind not in NUMBERS:
        raise TSQLError("8116", f"{value.kind} is no argument 1 of {name}")
    return value


def _answer_type(value: Sql) -> Type:
    """The type of a function's answer, which is that of its argument or a wider one."""
    if value.kind in _SMALL:
        return INT
    if value.kind in FLOATS:
        return FLOAT
    return MONEY if value.kind in MONEYS else type_of(value)


def _same(function: str) -> Callable[[list[Sql]], Sql]:
    def made(arguments: list[Sql]) -> Sql:
        value = _number(arguments[0], function)
        target = _answer_type(value)
        return typed(f"{function}({value.text})::{target.stored}", target, value, may_fail=True)

    return made


def _whole(function: str) -> Callable[[list[Sql]], Sql]:
    """CEILING and FLOOR: a decimal loses what stands behind its point."""

    def made(arguments: list[Sql]) -> Sql:
        value = _number(arguments[0], function)
        target = _answer_type(value)
        if target.kind == "decimal":
            target = decimal_type(target.precision, 0)
        return typed(f"{function}({value.text})::{target.stored}", target, value, may_fail=True)

    return made


def _sign(arguments: list[Sql]) -> Sql:
    value = _number(arguments[0], "SIGN")
    target = _answer_type(value)
    if target.kind == "decimal":
        target = decimal_type(MAX_DIGITS, target.scale)
    return typed(f"sign({value.text})::{target.stored}", target, value)


def _round(arguments: list[Sql]) -> Sql:
    value = _number(arguments[0], "ROUND")
    if "null" in (arguments[1].kind, arguments[-1].kind):
        return implicit(Sql("null", "null"), _answer_type(value))
    n_digits = implicit(arguments[1], INT).constant
    function: Decimal | str | datetime | None = Decimal(0)
    if len(arguments) > 2:
        function = implicit(arguments[2], INT).constant
    if not isinstance(n_digits, Decimal) or not isinstance(function, Decimal):
        raise UnsupportedError("ROUND to a number of digits that is no literal")
    target = _answer_type(value)
    name = "trunc" if function else "round"
    place = max(-MAX_DIGITS, min(int(n_digits), MAX_DIGITS))
    if place >= 0 and target.kind not in FLOATS | {"decimal"} | set(MONEYS):
        return typed(f"({value.text})::{target.stored}", target, value)
    if place >= target.scale and target.kind == "decimal":
        return value
    return typed(f"{name}({value.text}, {place})::{target.stored}", target, value, may_fail=place < 1)


def _power(arguments: list[Sql]) -> Sql:
    value, exponent = _number(arguments[0], "POWER"), implicit(arguments[1], FLOAT)
    target = _answer_type(value)
    power = f"tsql_power(({value.text})::double, {exponent.text})"
    if target.kind == "decimal":
        target = decimal_type(MAX_DIGITS, target.scale)
    if target.kind == "int":
        least, most = target.range
        power = f"tsql_narrow(trunc({power}), {least}, {most}, '232', false)"
    elif target.kind == "bigint":
        power = f"trunc({power})"
    return typed(f"({power})::{target.stored}", target, value, exponent, may_fail=True)


def _float(template: str, may_fail: bool = True) -> Callable[[list[Sql]], Sql]:
    """A function of FLOATs."""

    def made(arguments: list[Sql]) -> Sql:
        values = [implicit(value, FLOAT) for value in arguments]
        text = template.format(*(value.text for value in values))
        return typed(text, FLOAT, *values, may_fail=may_fail)

    return made


def _log(arguments: list[Sql]) -> Sql:
    values = [implicit(value, FLOAT) for value in arguments]
    return typed(f"tsql_log({', '.join(value.text for value in values)})", FLOAT, may_fail=True)


def _angle(function: str) -> Callable[[list[Sql]], Sql]:
    def made(arguments: list[Sql]) -> Sql:
        value = _number(arguments[0], function)
        if value.kind not in FLOATS:
            raise UnsupportedError(f"{function.upper()} of {value.kind}")
        return typed(f"{function}({value.text})", FLOAT, value)

    return made


def _pi(_arguments: list[Sql]) -> Sql:
    return typed("pi()", FLOAT)


NUMBER_CALLS: dict[str, Callable[[list[Sql]], Sql]] = {
    "ABS": _same("abs"),
    "CEILING": _whole("ceil"),
    "FLOOR": _whole("floor"),
    "SIGN": _sign,
    "ROUND": _round,
    "POWER": _power,
    "SQUARE": _float("tsql_finite(({0}) * ({0}))"),
    "SQRT": _float("tsql_sqrt({0})"),
    "EXP": _float("tsql_finite(exp({0}))"),
    "LOG": _log,
    "LOG10": _float("tsql_log({0}, 10)"),
    "PI": _pi,
    "SIN": _float("sin({0})", may_fail=False),
    "COS": _float("cos({0})", may_fail=False),
    "TAN": _float("tan({0})", may_fail=False),
    "ATAN": _float("atan({0})", may_fail=False),
    "ATN2": _float("atan2({0}, {1})", may_fail=False),
    "ASIN": _float("tsql_arc(asin({0}))"),
    "ACOS": _float("tsql_arc(acos({0}))"),
    "DEGREES": _angle("degrees"),
    "RADIANS": _angle("radians"),
}
