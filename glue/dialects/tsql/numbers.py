"""The types of SQL Server's sums, products and quotients, and how DuckDB makes them exactly.

By Precision, Scale, and Length (Transact-SQL): a result that would need more than 38 digits loses digits
behind the point. A quotient is cut off, a product rounded.
"""

from __future__ import annotations

import re
from decimal import Decimal

from glue.dialects.tsql.bytes import bytes_literal
from glue.dialects.tsql.conversions import implicit, whole_literal
from glue.dialects.tsql.types import (
    FLOAT,
    FLOATS,
    INTEGERS,
    MONEYS,
    Type,
    decimal_type,
    digits,
    type_of,
    typed,
    united,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import MAX_DIGITS, Sql

_LEAST_SCALE = 6
"""Of a quotient; and what a scale is not reduced below."""
_BITS = frozenset({"&", "|", "^"})
_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo"}
_WRITTEN = re.compile(r"\(*-?\d+\)*")
_NARROW_DIGITS = 18
"""Of DuckDB's small decimals."""


def of_numbers(sign: str, left: Sql, right: Sql) -> Sql:
    """left sign right, of numbers."""
    if left.kind == right.kind == "bit" and sign not in _BITS:
        raise TSQLError("402", f"two bits are incompatible in the {_NAMES[sign]} operator")
    if sign in _BITS:
        return _of_bits(sign, left, right)
    if left.kind in FLOATS or right.kind in FLOATS:
        return _of_floats(sign, left, right)
    if "decimal" in (left.kind, right.kind):
        return of_decimals(sign, left, right)
    target = united([type_of(left), type_of(right)])
    if target.kind in MONEYS:
        return _of_money(sign, implicit(left, target), implicit(right, target), target)
    return _of_integers(sign, left, right, target)


def _of_bits(sign: str, left: Sql, right: Sql) -> Sql:
    for one in (left, right):
        if one.kind not in INTEGERS and one.kind != "bit":
            raise TSQLError("402", f"{left.kind} and {right.kind} are incompatible in the {sign!r} operator")
    target = united([type_of(left), type_of(right)])
    left, right = implicit(left, target), implicit(right, target)
    text = f"xor({left.text}, {right.text})" if sign == "^" else f"({left.text} {sign} {right.text})"
    return typed(text, target, left, right)


def _of_floats(sign: str, left: Sql, right: Sql) -> Sql:
    target = united([type_of(left), type_of(right)])
    if sign == "%":
        raise TSQLError("402", f"{left.kind} and {right.kind} are incompatible in the modulo operator")
    left, right = implicit(left, target), implicit(right, target)
    if sign == "/":
        return typed(f"tsql_quotient({left.text}, {right.text})", target, may_fail=True)
    text = f"({left.text} {sign} {right.text})"
    return typed(f"tsql_finite{text}" if sign == "*" else text, target, left, right)


def _of_integers(sign: str, left: Sql, right: Sql, target: Type) -> Sql:
    folded = _folded(sign, left, right, target)
    if folded is not None:
        return folded
    one, other = (value if value.kind == target.kind else implicit(value, target) for value in (left, right))
    operator = "//" if sign == "/" else sign
    may_fail = sign in "/%" and not (isinstance(right.constant, Decimal) and right.constant)
    return typed(f"({one.text} {operator} {other.text})", target, left, right, may_fail=may_fail)


def _folded(sign: str, left: Sql, right: Sql, target: Type) -> Sql | None:
    """What two whole literals give; None for what is left to fail when it is asked for."""
    one, other = left.constant, right.constant
    if not isinstance(one, Decimal) or not isinstance(other, Decimal) or (sign in "/%" and not other):
        return None
    a, b = int(one), int(other)
    if sign in "/%":
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        found = quotient if sign == "/" else a - b * quotient
    else:
        found = {"+": a + b, "-": a - b, "*": a * b}[sign]
    least, most = target.range
    return whole_literal(found, target) if least <= found <= most else None


def _of_money(sign: str, left: Sql, right: Sql, target: Type) -> Sql:
    if sign == "/":
        text = f"tsql_money_quotient({left.text}, {right.text})"
        return typed(f"({text})::{target.stored}", target, may_fail=True)
    one = _roomy(left, 2 * digits(target)[0] if sign == "*" else 0)
    return typed(f"({one} {sign} {right.text})::{target.stored}", target, left, right, may_fail=sign == "%")


# Decimals


def of_decimals(sign: str, left: Sql, right: Sql) -> Sql:
    """left sign right, of a decimal and another exact number."""
    (p1, s1), (p2, s2) = own_digits(left), own_digits(right)
    if sign == "*":
        return _product(left, right, (p1, s1), (p2, s2))
    if sign == "/":
        return _quotient(left, right, (p1, s1), (p2, s2))
    if sign == "%":
        scale = max(s1, s2)
        target = decimal_type(min(p1 - s1, p2 - s2) + scale, scale)
        one, other = _exact(left), _exact(right)
        return typed(f"({one} % {other})::{target.stored}", target, may_fail=True)
    scale, whole = max(s1, s2), max(p1 - s1, p2 - s2)
    target = sum_type(whole, scale)
    one = _roomy(left, whole + scale + 1)
    text = f"({one} {sign} {_exact(right)})"
    if whole + scale > MAX_DIGITS:
        bound = f"1e{MAX_DIGITS - 1 - scale}::double"
        other = f"{'-' * (sign == '-')}({_exact(right)})"
        text = f"tsql_long_sum({one}, {other}, {target.scale}, {_unit(target.scale)}, {bound})"
    return typed(f"({text})::{target.stored}", target, left, right)


def own_digits(value: Sql) -> tuple[int, int]:
    """Precision and scale as a decimal has them; a whole number that is written out has its own digits."""
    is_written = value.kind in INTEGERS and _WRITTEN.fullmatch(value.text)
    return digits(type_of(value), value.constant if is_written else None)


def sum_type(whole: int, scale: int) -> Type:
    """The type of a sum of decimals with so many digits before and behind the point."""
    if whole + scale + 1 > MAX_DIGITS:
        scale = min(scale, MAX_DIGITS - min(whole, MAX_DIGITS))
    return decimal_type(whole + scale + 1, scale)


def reduced(precision: int, scale: int) -> Type:
    """The type of a product or quotient: digits before the point take the room of all but six behind it."""
    if precision > MAX_DIGITS:
        whole = precision - scale
        if whole <= MAX_DIGITS - _LEAST_SCALE:
            scale = min(scale, MAX_DIGITS - whole)
        elif scale > _LEAST_SCALE:
            scale = _LEAST_SCALE
    return decimal_type(precision, scale)


def _product(left: Sql, right: Sql, first: tuple[int, int], second: tuple[int, int]) -> Sql:
    (p1, s1), (p2, s2) = first, second
    target = reduced(p1 + p2 + 1, s1 + s2)
    one, other = _roomy(left, p1 + p2), _exact(right)
    if p1 + p2 <= MAX_DIGITS or target.scale == s1 + s2:
        return typed(f"({one} * {other})::{target.stored}", target, left, right)
    unit = _unit(target.scale)
    if s1 + s2 > MAX_DIGITS:
        text = f"tsql_wide_product({one}, {other}, {target.scale}, {unit})"
    else:
        bound = f"1e{MAX_DIGITS - s1 - s2 - 1}::double"
        text = f"tsql_long_product({one}, {other}, {target.scale}, {unit}, {bound})"
    return typed(f"({text})::{target.stored}", target, left, right)


def _quotient(left: Sql, right: Sql, first: tuple[int, int], second: tuple[int, int]) -> Sql:
    (p1, s1), (p2, s2) = first, second
    scale = max(_LEAST_SCALE, s1 + p2 + 1)
    target = reduced(p1 - s1 + s2 + scale, scale)
    shift, unit = target.scale + s2, _unit(target.scale)
    is_safe = isinstance(right.constant, Decimal) and right.constant != 0
    if shift >= s1 and p1 + shift <= MAX_DIGITS and p2 + s2 <= MAX_DIGITS:
        whole = f"(({_shifted(left, shift)})::hugeint // ({_shifted(right, s2)})::hugeint)"
        text = f"({whole}::decimal(38, 0) * {unit})"
    elif s1 <= shift < MAX_DIGITS and s2 <= _NARROW_DIGITS:
        bounds = f"1e{MAX_DIGITS - 1 - shift - s1}::double, 1e{MAX_DIGITS - 1 - 2 * s2}::double"
        text = (
            f"tsql_long_quotient({_roomy(left, MAX_DIGITS)}, {_roomy(right, MAX_DIGITS)}, {_power(shift)},"
            f" {_power(s2)}, {unit}, {target.scale}, {bounds})"
        )
    else:
        text = f"tsql_wide_quotient({_exact(left)}, {_exact(right)}, {target.scale}, {unit})"
    return typed(f"({text})::{target.stored}", target, left, right, may_fail=not is_safe)


def _exact(value: Sql) -> str:
    """The number as DuckDB's decimals, or as a whole number that goes with them."""
    return f"({value.text})::decimal(1, 0)" if value.kind == "bit" else value.text


def _roomy(value: Sql, n_digits: int) -> str:
    """The number so that DuckDB makes an answer of so many digits: it goes from 18 to 38 only if told to."""
    precision, scale = own_digits(value)
    text = _exact(value)
    if n_digits <= _NARROW_DIGITS or precision > _NARROW_DIGITS:
        return text
    return f"({text})::decimal({_NARROW_DIGITS + 1}, {scale})"


def _shifted(value: Sql, n_digits: int) -> str:
    return f"{_roomy(value, MAX_DIGITS)} * {_power(n_digits)}" if n_digits else _exact(value)


def _power(n_digits: int) -> str:
    return f"{10**n_digits}::decimal({n_digits + 1}, 0)"


def _unit(scale: int) -> str:
    """1 at that place behind the point."""
    return f"{Decimal(1).scaleb(-scale):f}::decimal({scale + 1 if scale < MAX_DIGITS else scale}, {scale})"


def negated(value: Sql) -> Sql:
    """A minus before a number."""
    if value.kind == "bit":
        raise TSQLError("8117", "a bit is invalid for the minus operator")
    constant = value.constant
    if isinstance(constant, Decimal) and value.kind in (*INTEGERS, "decimal"):
        found = Sql(
            f"(-{value.text})", value.kind, value.precision, value.scale, constant=constant.copy_negate()
        )
        found.may_fail = value.may_fail
        return found
    return typed(f"(-{value.text})", type_of(value), value)


def number_literal(text: str) -> Sql:
    """A number as it is written: INT where it fits into one, decimal, FLOAT with an exponent, or MONEY."""
    lowered = text.lower()
    if lowered.startswith("0x"):
        return bytes_literal(text)
    if text[0] in "$£€¥":
        amount = Decimal(text[1:] or "0")
        return typed(f"{amount:f}::decimal(19, 4)", Type("money"))
    if "e" in lowered:
        return typed(f"{float(lowered if lowered[-1] != 'e' else lowered + '0')!r}::double", FLOAT)
    if "." not in text and int(text) < 2**31:
        found = typed(str(int(text)), Type("int"))
        found.constant = Decimal(int(text))
        return found
    return decimal_literal(text)


def decimal_literal(text: str) -> Sql:
    """A number with a point, or too great for INT: a decimal of just its digits."""
    whole, _, fraction = text.partition(".")
    whole = whole.lstrip("0")
    if len(whole) + len(fraction) > MAX_DIGITS:
        raise TSQLError("1007", f"the number {text} has more than {MAX_DIGITS} digits")
    target = decimal_type(max(len(whole) + len(fraction), 1), len(fraction))
    found = typed(f"{whole or '0'}.{fraction}::{target.stored}" if fraction else f"{whole or '0'}", target)
    if not fraction:
        found.text = f"{whole or '0'}::{target.stored}"
    found.constant = Decimal(text if text[-1] != "." else text[:-1] or "0")
    return found
