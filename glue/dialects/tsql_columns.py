"""SQL Server's types of columns: how DuckDB stores each, and what a column of it does with a value.

Whole numbers keep their width, so that what overflows there overflows here. BIT is UTINYINT: it is 0 or 1,
is compared with numbers and shown as one, and is no truth value. DATETIME is rounded to 1/300 of a second.
CHAR is stored with its blanks; those at the end of a text are cut where it is too long, as the server does.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from glue.dialects.errors import UnsupportedError
from glue.dialects.stored_types import Declared, Fit, StoredType, rounded
from glue.dialects.tsql_errors import TSQLError

_INTEGERS = {
    "TINYINT": ("UTINYINT", 0, 255),
    "SMALLINT": ("SMALLINT", -(2**15), 2**15 - 1),
    "INT": ("INTEGER", -(2**31), 2**31 - 1),
    "INTEGER": ("INTEGER", -(2**31), 2**31 - 1),
    "BIGINT": ("BIGINT", -(2**63), 2**63 - 1),
}
_DECIMALS = ("DECIMAL", "NUMERIC", "DEC")
_MONEYS = {"MONEY": "DECIMAL(19,4)", "SMALLMONEY": "DECIMAL(10,4)"}
_TEXTS = (
    "VARCHAR", "NVARCHAR", "CHARACTER VARYING", "CHAR VARYING", "NATIONAL CHARACTER VARYING",
    "NATIONAL CHAR VARYING",
)  # fmt: skip
_PADDED = ("CHAR", "NCHAR", "CHARACTER", "NATIONAL CHARACTER", "NATIONAL CHAR")
_LARGE_TEXTS = ("TEXT", "NTEXT")
_BYTES = ("BINARY", "VARBINARY", "IMAGE")
_DOUBLES = {"FLOAT": "DOUBLE", "DOUBLE PRECISION": "DOUBLE", "REAL": "FLOAT"}
_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d?-\d\d?|\d{8})?"
    r"(?:[T ]?(?P<time>\d\d?:\d\d(?::\d\d)?)(?:\.(?P<fraction>\d{1,7}))?)?"
)
_TICKS_A_SECOND = 300
_UNIQUE = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def stored_type(declared: Declared, now: datetime) -> StoredType:
    """How DuckDB stores the type. UnsupportedError for one that is not here; `now` is not looked at."""
    words = declared.words
    if words in _INTEGERS:
        return StoredType(_INTEGERS[words][0], _integer(words))
    if words in _DECIMALS:
        return _decimal_type(declared)
    if words in _MONEYS:
        return StoredType(_MONEYS[words], _decimal(19 if words == "MONEY" else 10, 4, words.lower()))
    if words in _DOUBLES:
        is_short = words == "FLOAT" and declared.arguments and int(declared.arguments[0]) <= 24
        return StoredType("FLOAT" if is_short else _DOUBLES[words], _double)
    if words == "BIT":
        return StoredType("UTINYINT", _bit)
    if words in _TEXTS or words in _PADDED or words in _LARGE_TEXTS:
        return StoredType("VARCHAR", _text_fit(declared))
    if words in ("DATE", "TIME", "DATETIME", "DATETIME2", "SMALLDATETIME"):
        stored = words if words in ("DATE", "TIME") else "TIMESTAMP"
        return StoredType(stored, _moment_fit(declared))
    if words in _BYTES:
        return StoredType("BLOB", _bytes_fit(declared))
    if words == "UNIQUEIDENTIFIER":
        return StoredType("VARCHAR", _unique)
    raise UnsupportedError(f"columns of type {declared}")


def _number(value: Any, code: str, kind: str) -> Decimal | None:
    """The value as a number; `code` refuses a text that is none."""
    if value is None:
        return None
    if isinstance(value, bool | int | Decimal):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, str):
        try:
            return Decimal(value.strip() or "0")
        except InvalidOperation:
            raise TSQLError(code, f"{value!r} is no {kind}") from None
    raise TSQLError("206", f"a {type(value).__name__} is no {kind}")


def _integer(words: str) -> Fit:
    _, least, most = _INTEGERS[words]
    kind = "int" if words == "INTEGER" else words.lower()
    code = "220" if kind in ("tinyint", "smallint") else "8115"

    def fit(value: Any, where: str) -> int | None:
        if isinstance(value, str) and not re.fullmatch(r"\s*[-+]?\d*\s*", value):
            raise TSQLError("245", f"{value!r} is no {kind}")
        number = _number(value, "245", kind)
        if number is None:
            return None
        kept = int(number)
        if not least <= kept <= most:
            raise TSQLError(code, f"{where} is {kind} and does not hold {value}")
        return kept

    return fit


def _decimal_type(declared: Declared) -> StoredType:
    precision = int(declared.arguments[0]) if declared.arguments else 18
    scale = int(declared.arguments[1]) if len(declared.arguments) > 1 else 0
    return StoredType(f"DECIMAL({precision},{scale})", _decimal(precision, scale, "numeric"))


def _decimal(precision: int, scale: int, kind: str) -> Fit:
    def fit(value: Any, where: str) -> Decimal | None:
        if value == "":
            raise TSQLError("8114", f"'' is no {kind}")
        number = _number(value, "8114", kind)
        if number is None:
            return None
        kept = rounded(number, scale)
        if kept and kept.adjusted() >= precision - scale:
            raise TSQLError("8115", f"{where} is {kind}({precision},{scale}) and does not hold {value}")
        return kept

    return fit


def _double(value: Any, where: str) -> float | None:
    number = _number(value, "8114", "float")
    return None if number is None else float(number)


def _bit(value: Any, where: str) -> int | None:
    if isinstance(value, str) and value.strip().upper() in ("TRUE", "FALSE"):
        return int(value.strip().upper() == "TRUE")
    number = _number(value, "245", "bit")
    return None if number is None else int(number != 0)


def _text_fit(declared: Declared) -> Fit:
    length = None if declared.words in _LARGE_TEXTS else 1
    if declared.arguments:
        length = None if declared.arguments[0].upper() == "MAX" else int(declared.arguments[0])
    is_padded = declared.words in _PADDED

    def fit(value: Any, where: str) -> str | None:
        if value is None:
            return None
        text = _text(value)
        if length is None:
            return text
        if len(text) > length:
            if not isinstance(value, str):
                raise TSQLError("8115", f"{where} holds {length} letters and not {value}")
            if text[length:].strip(" "):
                raise TSQLError("2628", f"{where} holds {length} letters and not {text!r}")
            text = text[:length]
        return text.ljust(length) if is_padded else text

    return fit


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | Decimal):
        return f"{Decimal(int(value)) if isinstance(value, bool) else Decimal(value):f}"
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise UnsupportedError(f"{type(value).__name__} for a text")


def _moment_fit(declared: Declared) -> Fit:
    words = declared.words
    precision = int(declared.arguments[0]) if declared.arguments else 7

    def fit(value: Any, where: str) -> Any:
        if value is None:
            return None
        moment = _moment_of(value, words)
        if words == "DATE":
            return moment.date()
        if words == "DATETIME":
            return _in_ticks(moment)
        if words == "SMALLDATETIME":
            return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)
        if precision < 6 and moment.microsecond:
            microseconds = int(rounded(Decimal(moment.microsecond), precision - 6))
            moment = moment.replace(microsecond=0) + timedelta(microseconds=microseconds)
        return moment.time() if words == "TIME" else moment

    return fit


def _moment_of(value: Any, words: str) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, time):
        return datetime.combine(date(1900, 1, 1), value)
    if isinstance(value, str):
        return _read(value, words)
    if isinstance(value, int | Decimal | float) and words in ("DATETIME", "SMALLDATETIME"):
        return datetime(1900, 1, 1) + timedelta(days=float(value))
    raise TSQLError("206", f"a {type(value).__name__} is no {words.lower()}")


def _read(text: str, words: str) -> datetime:
    """A moment written as ISO 8601 has it, which all settings read alike; other texts are unsupported."""
    said = _MOMENT.fullmatch(text.strip())
    if said is None or (text.strip() and not any(said.groups())):
        if not re.search(r"\d", text):
            raise TSQLError("241", f"{text!r} is no {words.lower()}")
        raise UnsupportedError(f"the moment {text!r}, which is not written as in 2024-01-31T10:20:30")
    fraction = (said["fraction"] or "").ljust(6, "0")
    if len(fraction) > 6 and fraction[6] != "0":
        raise UnsupportedError(f"the seventh digit of a second in {text!r}")
    day = said["date"] or "1900-01-01"
    numbers = [day[:4], day[4:6], day[6:]] if "-" not in day else day.split("-")
    clock = [*(said["time"] or "0:0").split(":"), "0"][:3]
    try:
        return datetime(*map(int, (*numbers, *clock, fraction[:6])))  # type: ignore[arg-type]
    except ValueError:
        code = "242" if words in ("DATETIME", "SMALLDATETIME") else "241"
        raise TSQLError(code, f"{text!r} is no {words.lower()}") from None


def _in_ticks(moment: datetime) -> datetime:
    """To 1/300 of a second, written in whole milliseconds: they end with 0, 3 or 7."""
    ticks = int(rounded(Decimal(moment.microsecond) * _TICKS_A_SECOND / 1_000_000, 0))
    milliseconds = int(rounded(Decimal(ticks * 1000) / _TICKS_A_SECOND, 0))
    return moment.replace(microsecond=0) + timedelta(milliseconds=milliseconds)


def _bytes_fit(declared: Declared) -> Fit:
    is_large = declared.words == "IMAGE" or declared.arguments in (("MAX",), ("max",))
    length = None if is_large else int(declared.arguments[0]) if declared.arguments else 1

    def fit(value: Any, where: str) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, bytes):
            raise TSQLError("257", f"a {type(value).__name__} is no row of bytes")
        if length is not None and len(value) > length:
            raise TSQLError("2628", f"{where} holds {length} and not {len(value)}")
        return value.ljust(length, b"\0") if length and declared.words == "BINARY" else value

    return fit


def _unique(value: Any, where: str) -> str | None:
    if value is None:
        return None
    text = str(value).strip("{}")
    if not _UNIQUE.fullmatch(text):
        raise TSQLError("8169", f"{value!r} is no uniqueidentifier")
    return text.upper()
