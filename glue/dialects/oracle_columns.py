"""Oracle's types of columns: how DuckDB stores each, and what a column of it does with a value.

NUMBER without digits is DECIMAL(28, 10): exact as Oracle's is, with ten digits left for the product of two
of them; a number that does not fit it is unsupported and not rounded. INTEGER, Oracle's NUMBER(38), is
BIGINT. A DATE has a time, so it is TIMESTAMP. A CHAR is stored with its blanks. '' is NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_dates import DATE_MODEL, TIMESTAMP_MODEL, moment_of
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_number_texts import text_of_number
from glue.dialects.oracle_numbers import number_of
from glue.dialects.stored_types import Declared, FineMoment, Fit, StoredType, rounded

_MOST_DIGITS = 38
_WHOLE_DIGITS, _FRACTION_DIGITS = 18, 10
_PLAIN_NUMBER = f"DECIMAL({_WHOLE_DIGITS + _FRACTION_DIGITS},{_FRACTION_DIGITS})"
_LARGEST_BIGINT = 2**63 - 1
_TEXTS = {
    "VARCHAR2": "BYTE",
    "VARCHAR": "BYTE",
    "CHARACTER VARYING": "BYTE",
    "CHAR VARYING": "BYTE",
    "NVARCHAR2": "CHAR",
    "NATIONAL CHARACTER VARYING": "CHAR",
    "NATIONAL CHAR VARYING": "CHAR",
    "NCHAR VARYING": "CHAR",
}
_PADDED = {
    "CHAR": "BYTE",
    "CHARACTER": "BYTE",
    "NCHAR": "CHAR",
    "NATIONAL CHARACTER": "CHAR",
    "NATIONAL CHAR": "CHAR",
}
_LARGE_TEXTS = ("CLOB", "NCLOB", "LONG")
_BYTES = ("RAW", "BLOB", "LONG RAW")
_WHOLE = ("INTEGER", "INT", "SMALLINT")
_NUMBERS = ("NUMBER", "NUMERIC", "DECIMAL", "DEC")
_DOUBLES = ("FLOAT", "REAL", "DOUBLE PRECISION", "BINARY_DOUBLE")


def stored_type(declared: Declared, now: datetime) -> StoredType:
    """How DuckDB stores the type. UnsupportedError for one that is not here.

    `now` is what a text that says no year or month is read with.
    """
    words = declared.words
    if words in _TEXTS or words in _PADDED:
        return _text_type(declared)
    if words in _LARGE_TEXTS:
        return StoredType("VARCHAR", lambda value, where: _text(value))
    if words in _NUMBERS:
        return _number_type(declared)
    if words in _WHOLE:
        return StoredType("BIGINT", _whole)
    if words in _DOUBLES:
        return StoredType("DOUBLE", lambda value, where: _optional(_number(value), float))
    if words == "BINARY_FLOAT":
        return StoredType("FLOAT", lambda value, where: _optional(_number(value), float))
    if words == "DATE":
        return StoredType("TIMESTAMP", lambda value, where: _date(value, now))
    if words == "TIMESTAMP":
        return StoredType("TIMESTAMP", _timestamp(int((declared.arguments or ("6",))[0]), now))
    if words == "INTERVAL DAY TO SECOND":
        return StoredType("INTERVAL", _span)
    if words in _BYTES:
        return StoredType("BLOB", _bytes(int(declared.arguments[0]) if declared.arguments else None))
    raise UnsupportedError(f"columns of type {declared}")


def _optional(value: Any, then: Callable[[Any], Any]) -> Any:
    return None if value is None else then(value)


def _text_type(declared: Declared) -> StoredType:
    is_padded = declared.words in _PADDED
    if not declared.arguments and not is_padded:
        raise OracleError("ORA-00906", f"{declared.words} wants its length in brackets")
    length = int(declared.arguments[0]) if declared.arguments else 1
    unit = (_TEXTS | _PADDED)[declared.words]
    if declared.has_unit:
        unit = declared.arguments[1]

    def fit(value: Any, where: str) -> str | None:
        text = _text(value)
        if text is None:
            return None
        size = len(text) if unit == "CHAR" or text.isascii() else len(text.encode())
        if size > length:
            raise OracleError("ORA-12899", f"{where} holds {length} and not {size}")
        return text + " " * (length - size) if is_padded else text

    return StoredType("VARCHAR", fit)


def _text(value: Any) -> str | None:
    """The value as Oracle turns it into a text where a text is wanted."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, int | Decimal | float):
        return text_of_number(str(value), None, True, isinstance(value, float))
    raise UnsupportedError(f"a {type(value).__name__} that is stored as a text")


def _number(value: Any) -> Decimal | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return number_of(value, None)
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value))
    raise OracleError("ORA-00932", f"a {type(value).__name__} is no number")


def _number_type(declared: Declared) -> StoredType:
    if not declared.arguments:
        is_whole = declared.words != "NUMBER"
        return StoredType("BIGINT", _whole) if is_whole else StoredType(_PLAIN_NUMBER, _plain_number)
    precision = _MOST_DIGITS if declared.arguments[0] == "*" else int(declared.arguments[0])
    scale = int(declared.arguments[1]) if len(declared.arguments) > 1 else 0
    if not 1 <= precision <= _MOST_DIGITS:
        raise OracleError("ORA-01727", f"a number has 1 to {_MOST_DIGITS} digits and not {precision}")
    width = max(precision - min(scale, 0), scale)
    if width > _MOST_DIGITS:
        raise UnsupportedError(f"columns of type {declared}")

    def fit(value: Any, where: str) -> Decimal | None:
        number = _number(value)
        if number is None:
            return None
        kept = rounded(number, scale)
        if kept and kept.adjusted() >= precision - scale:
            raise OracleError("ORA-01438", f"{where} is {declared} and does not hold {value}")
        return kept.quantize(Decimal(1)) if scale < 0 else kept

    return StoredType(f"DECIMAL({width},{max(scale, 0)})", fit)


def _whole(value: Any, where: str) -> int | None:
    if type(value) is int and -_LARGEST_BIGINT <= value <= _LARGEST_BIGINT:
        return value
    number = _number(value)
    if number is None:
        return None
    kept = int(rounded(number, 0))
    if abs(kept) >= 10**_MOST_DIGITS:
        raise OracleError("ORA-01438", f"{where} holds {_MOST_DIGITS} digits and not {value}")
    if abs(kept) > _LARGEST_BIGINT:
        raise UnsupportedError(f"{value} in {where}: whole numbers have up to 18 digits here")
    return kept


def _plain_number(value: Any, where: str) -> Decimal | None:
    number = _number(value)
    if number is None:
        return None
    if number and (number.adjusted() >= _WHOLE_DIGITS or rounded(number, _FRACTION_DIGITS) != number):
        raise UnsupportedError(
            f"{value} in {where}: {_WHOLE_DIGITS} digits are kept before the point, {_FRACTION_DIGITS} behind"
        )
    return number


def _date(value: Any, now: datetime) -> datetime | None:
    if isinstance(value, str):
        return moment_of(value, DATE_MODEL, now, of_timestamp=False) if value else None
    moment = _moment(value)
    if moment is not None and moment.microsecond:
        raise UnsupportedError("fractions of a second in a DATE, which the manual neither rounds nor cuts")
    return moment


def _moment(value: Any) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, FineMoment):
        raise UnsupportedError("a moment in nanoseconds for a DATE")
    raise OracleError("ORA-00932", f"a {type(value).__name__} is no date")


def _timestamp(precision: int, now: datetime) -> Fit:
    def fit(value: Any, where: str) -> datetime | None:
        if isinstance(value, str):
            return moment_of(value, TIMESTAMP_MODEL, now) if value else None
        if isinstance(value, FineMoment):
            if precision > 6:
                raise UnsupportedError(f"nanoseconds in {where}")
            value = value.rounded
        moment = _moment(value)
        if moment is None or not moment.microsecond or precision >= 6:
            return moment
        microseconds = int(rounded(Decimal(moment.microsecond), precision - 6))
        return moment.replace(microsecond=0) + timedelta(microseconds=microseconds)

    return fit


def _span(value: Any, where: str) -> timedelta | None:
    if value is None or isinstance(value, timedelta):
        return value
    raise UnsupportedError(f"{type(value).__name__} for an interval")


def _bytes(length: int | None) -> Fit:
    def fit(value: Any, where: str) -> bytes | None:
        if value is None or value == "":
            return None
        if isinstance(value, str):
            try:
                value = bytes.fromhex(value if len(value) % 2 == 0 else "0" + value)
            except ValueError:
                raise OracleError("ORA-01465", f"{value[:40]!r} is no hexadecimal number") from None
        if not isinstance(value, bytes):
            raise OracleError("ORA-00932", f"a {type(value).__name__} is no row of bytes")
        if length is not None and len(value) > length:
            raise OracleError("ORA-12899", f"{where} holds {length} and not {len(value)}")
        return value

    return fit
