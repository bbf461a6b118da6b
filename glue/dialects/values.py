"""A value in DuckDB's SQL, with what the dialect knows of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

MAX_DIGITS = 38
"""Of DuckDB's decimals."""
_SHORT_DIGITS = 18
"""Of those of its decimals that it holds in 64 bits."""
WHOLE_DIGITS = 19
"""Of its BIGINT."""


@dataclass(slots=True)
class Sql:
    """An expression of DuckDB. `kind` is a dialect's own word for what it is.

    `precision` and `scale` are those of an exact number. `constant` is the value of a literal: a Decimal, a
    text, a moment. `may_fail`: for some rows it raises an error, so that it must not be asked of rows that
    other conditions leave out.
    """

    text: str
    kind: str
    precision: int = 0
    scale: int = 0
    constant: Decimal | str | datetime | None = None
    may_fail: bool = False
    collation: str = ""
    """Of a text, where it is another than the database's."""


def number(text: str, precision: int, scale: int = 0, may_fail: bool = False) -> Sql:
    """An exact number; a double where DuckDB's decimals cannot hold so many digits."""
    if precision > MAX_DIGITS:
        return Sql(f"({text})::double", "double", may_fail=may_fail)
    return Sql(text, "number", precision, scale, may_fail=may_fail)


def for_long_product(text: str, digits: tuple[int, int], other_precision: int) -> str:
    """A factor as DuckDB has to have it: of two with 18 digits at most it makes a product with no more."""
    precision, scale = digits
    if precision <= _SHORT_DIGITS and other_precision <= _SHORT_DIGITS < precision + other_precision:
        return f"({text})::decimal({_SHORT_DIGITS + 1}, {scale})"
    return text


def constant_number(value: Decimal) -> Sql:
    """A number that is written out: exact where it fits into a decimal."""
    plain = format(value, "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    if plain in ("", "-", "-0"):
        plain = "0"
    whole, _, fraction = plain.lstrip("-").partition(".")
    digits = len(whole.lstrip("0")) + len(fraction)
    if digits > MAX_DIGITS:
        return Sql(f"{value:e}::double", "double", constant=value)
    text = f"({plain})" if plain.startswith("-") else plain
    return Sql(text, "number", max(digits, 1), len(fraction), constant=value)


def listed(values: list[Sql]) -> str:
    """Values with commas between them."""
    return ", ".join(value.text for value in values)


def any_may_fail(values: list[Sql]) -> bool:
    """May one of them raise an error?"""
    return any(value.may_fail for value in values)
