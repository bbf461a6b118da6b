"""The types of columns as a dialect declares them: how DuckDB stores them, and what values they take.

A value that a column cannot take is refused with the dialect's code; the column is named as `where` says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

EXACT = Context(prec=80, rounding=ROUND_HALF_UP)
"""Digits enough for whatever a column keeps, and halves rounded away from zero, as both servers do it."""

Fit = Callable[[Any, str], Any]
"""From a value and its column's name to what is stored; raises DialectError or UnsupportedError."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A type as it was declared: its words in capitals (TIMESTAMP WITH TIME ZONE) and what is in brackets."""

    words: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.words
        joined = " ".join(self.arguments) if self.has_unit else ",".join(self.arguments)
        first, _, rest = self.words.partition(" ")
        return f"{first}({joined}) {rest}".rstrip()

    @property
    def has_unit(self) -> bool:
        """Does a length say what it counts: 10 CHAR, 10 BYTE?"""
        return len(self.arguments) == 2 and self.arguments[1] in ("CHAR", "BYTE")


@dataclass(frozen=True, slots=True)
class StoredType:
    """How DuckDB stores a type, and what its columns do with a value."""

    stored: str
    fit: Fit


@dataclass(frozen=True, slots=True)
class FineMoment:
    """A moment that was written in nanoseconds, rounded to the microsecond."""

    rounded: datetime


def rounded(number: Decimal, scale: int) -> Decimal:
    """The number with so many decimals (before the point where it is negative)."""
    return number.quantize(Decimal(1).scaleb(-scale), context=EXACT)
