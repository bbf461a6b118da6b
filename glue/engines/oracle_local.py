"""Oracle's SQL on a DuckDB file, by glue/dialects: refusals have its codes and the live engine's classes.

NUMBER has up to 40 digits in Oracle and the quotient of two is a double here, of which 15 digits are told: so
two ways to one quotient give one cell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from glue.dialects.errors import DialectError
from glue.engines.base import Failure, shortened
from glue.engines.duckdb import CONVERTERS
from glue.engines.local_dialect import LocalDialectSession, LocalEngine
from glue.engines.oracle_errors import class_of
from glue.engines.oracle_reads import checked, is_called
from glue.engines.values import single

_DIGITS = 15


def number(value: float | None) -> float | None:
    """A double as the NUMBER that it stands for, to 15 digits; whole ones as they are."""
    if value is None or value.is_integer():
        return value
    return float(f"{value:.{_DIGITS}g}")


def unpadded(value: str | None) -> str | None:
    """CHAR(n): the blanks that fill it up mean nothing, as the live engine has it."""
    return None if value is None else value.rstrip(" ")


def _single(value: float | None) -> float | None:
    return None if value is None else single(value)


class OracleLocalSession(LocalDialectSession):
    """One open database. See LocalEngine."""

    dialect: ClassVar[str] = "oracle"
    converters: ClassVar[dict[str, Callable[[Any], Any]]] = {**CONVERTERS, "DOUBLE": number, "FLOAT": _single}
    kind_converters: ClassVar[dict[str, Callable[[Any], Any]]] = {"char": unpadded}

    def checked(self, sql: str) -> str:
        """See LocalDialectSession: as the live engine has it."""
        return checked(sql)

    def explain(self, error: DialectError) -> Failure:
        """See LocalDialectSession."""
        message = str(error)
        found = class_of(int(error.code.removeprefix("ORA-")), error.code)
        if found == "unknown_column" and is_called(message, self._statement):
            found = "unknown_function"
        is_refused = found in ("forbidden", "not_a_read")
        return Failure("refused" if is_refused else "failed", found, error.code, shortened(message))


class OracleLocal(LocalEngine):
    """Oracle's SQL without an Oracle."""

    name: ClassVar[str] = "oracle-local"
    session_class: ClassVar[type[LocalDialectSession]] = OracleLocalSession
