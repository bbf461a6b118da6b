"""SQL Server's types: their kinds, which is stronger than which, and how DuckDB holds them.

A kind is the type's name in small letters. `precision` is the number of digits of a decimal and of letters of
a text; `scale` the digits behind the point, of a second's fraction too. By Data Type Precedence, and
Precision, Scale, and Length (Transact-SQL).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce

from glue.dialects import nodes
from glue.dialects.catalog import Column
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import MAX_DIGITS, Sql

_STRONGEST_FIRST = """
    datetimeoffset datetime2 datetime smalldatetime date time float real decimal money smallmoney bigint int
    smallint tinyint bit uniqueidentifier nvarchar nchar varchar char varbinary binary null
"""
_STRENGTH = {kind: -place for place, kind in enumerate(_STRONGEST_FIRST.split())}

INTEGERS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
"""Whole numbers, and the digits that stand for each in a decimal."""
MONEYS = {"money": 19, "smallmoney": 10}
MONEY_SCALE = 4
FLOATS = frozenset({"float", "real"})
EXACT = frozenset({*INTEGERS, *MONEYS, "bit", "decimal"})
NUMBERS = EXACT | FLOATS
NATIONAL = frozenset({"nvarchar", "nchar"})
PADDED = frozenset({"char", "nchar"})
TEXTS = frozenset({"varchar", *NATIONAL, *PADDED})
COUNTED_DATES = frozenset({"datetime", "smalldatetime"})
"""Moments that numbers of days may be added to."""
DATES = frozenset({"date", "datetime2", *COUNTED_DATES})
MOMENTS = DATES | {"time", "datetimeoffset"}
BYTES = frozenset({"varbinary", "binary"})

MAX_LENGTH = 2**31 - 1
"""Of VARCHAR(MAX)."""
_LONGEST = 8000
_MOST_TICKS = 7
DEFAULT_LENGTH = 30
"""Of VARCHAR without a length in CAST and CONVERT."""

_RANGES = {
    "tinyint": (0, 255),
    "smallint": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
    "bigint": (-(2**63), 2**63 - 1),
}
_STORED = {
    "tinyint": "utinyint",
    "smallint": "smallint",
    "int": "integer",
    "bigint": "bigint",
    "bit": "utinyint",
    "money": "decimal(19, 4)",
    "smallmoney": "decimal(10, 4)",
    "float": "double",
    "real": "float",
    "date": "date",
    "time": "time",
    "datetime": "timestamp",
    "smalldatetime": "timestamp",
    "datetime2": "timestamp",
    "uniqueidentifier": "varchar",
    "varbinary": "blob",
    "binary": "blob",
    "null": "integer",
}
_WORDS = {
    "INTEGER": "int",
    "NUMERIC": "decimal",
    "DEC": "decimal",
    "CHARACTER VARYING": "varchar",
    "CHAR VARYING": "varchar",
    "NATIONAL CHARACTER VARYING": "nvarchar",
    "NATIONAL CHAR VARYING": "nvarchar",
    "CHARACTER": "char",
    "NATIONAL CHARACTER": "nchar",
    "NATIONAL CHAR": "nchar",
    "DOUBLE PRECISION": "float",
    "TEXT": "varchar",
    "NTEXT": "nvarchar",
    "SYSNAME": "nvarchar",
}
_LENGTHS = {"TEXT": MAX_LENGTH, "NTEXT": MAX_LENGTH, "SYSNAME": 128}
_DUCKDB_KINDS = {
    "UTINYINT": "tinyint",
    "TINYINT": "smallint",
    "SMALLINT": "smallint",
    "USMALLINT": "int",
    "INTEGER": "int",
    "UINTEGER": "bigint",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "float",
    "DATE": "date",
    "BLOB": "varbinary",
}
_DECLARED = re.compile(r"(?P<words>[A-Z][A-Z0-9_ ]*?) ?(?:\((?P<arguments>[^)]*)\))?")
_STORED_DECIMAL = re.compile(r"DECIMAL\((\d+),\s?(\d+)\)")


@dataclass(frozen=True, slots=True)
class Type:
    """A type of SQL Server's."""

    kind: str
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        if self.kind in TEXTS:
            return f"{self.kind}({'max' if self.precision == MAX_LENGTH else self.precision})"
        return f"numeric({self.precision},{self.scale})" if self.kind == "decimal" else self.kind

    @property
    def stored(self) -> str:
        """DuckDB's type that holds it."""
        if self.kind == "decimal":
            return f"decimal({self.precision}, {self.scale})"
        return "varchar" if self.kind in TEXTS else _STORED[self.kind]

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest of a whole number's type."""
        return _RANGES[self.kind]


NULL = Type("null")
BIT = Type("bit")
TINYINT = Type("tinyint")
SMALLINT = Type("smallint")
INT = Type("int")
BIGINT = Type("bigint")
FLOAT = Type("float")
MONEY = Type("money")
DATE = Type("date")
DATETIME = Type("datetime", 0, 3)
DATETIME2 = Type("datetime2", 0, _MOST_TICKS)


def text_type(kind: str, length: int) -> Type:
    """A type of text, as long as its letters may be many at the most."""
    most = _LONGEST // (2 if kind in NATIONAL else 1)
    return Type(kind, length if length == MAX_LENGTH else min(max(length, 1), most))


def type_of(value: Sql) -> Type:
    """The type of a value."""
    return Type(value.kind, value.precision, value.scale)


def typed(text: str, of: Type, *made_of: Sql, may_fail: bool = False) -> Sql:
    """A value of that type; it may fail where what it is made of may."""
    return Sql(
        text, of.kind, of.precision, of.scale, may_fail=may_fail or any(one.may_fail for one in made_of)
    )


def digits(of: Type, constant: object = None) -> tuple[int, int]:
    """Precision and scale of an exact number, as a decimal has them; of a literal its own digits."""
    if of.kind in INTEGERS:
        if constant is not None:
            return len(str(constant).lstrip("-")), 0
        return INTEGERS[of.kind], 0
    if of.kind in MONEYS:
        return MONEYS[of.kind], MONEY_SCALE
    return (of.precision, of.scale) if of.kind == "decimal" else (1, 0)


def decimal_type(precision: int, scale: int) -> Type:
    """A decimal, of at most 38 digits."""
    return Type("decimal", min(precision, MAX_DIGITS), scale)


def united(types: list[Type]) -> Type:
    """The type of what may be one of several: the strongest, and wide enough for each of them."""
    return reduce(_united, types, NULL)


def _united(one: Type, other: Type) -> Type:
    if "null" in (one.kind, other.kind):
        return other if one.kind == "null" else one
    if _STRENGTH[one.kind] < _STRENGTH[other.kind]:
        one, other = other, one
    if one.kind in TEXTS and other.kind in TEXTS:
        return text_type(one.kind, max(one.precision, other.precision))
    if one.kind in BYTES and other.kind in BYTES:
        return Type(one.kind, max(one.precision, other.precision))
    if one.kind == "decimal" and other.kind in EXACT:
        (p1, s1), (p2, s2) = digits(one), digits(other)
        scale = max(s1, s2)
        whole = max(p1 - s1, p2 - s2)
        return decimal_type(whole + scale, min(scale, max(MAX_DIGITS - whole, 0)))
    if one.kind in ("datetime2", "time") and other.kind in MOMENTS:
        return Type(one.kind, 0, max(one.scale, other.scale))
    return one


def is_stronger(one: Type, other: Type) -> bool:
    """Does the other become a value of this type where both meet?"""
    return _STRENGTH[one.kind] > _STRENGTH[other.kind]


def written_type(node: nodes.Type, length: int = DEFAULT_LENGTH) -> Type:
    """The type that is written; `length` is that of a text where none is. Raises TSQLError."""
    return _named_type(" ".join(node.words), list(node.arguments), length)


def _named_type(words: str, arguments: list[str], length: int) -> Type:
    kind = _WORDS.get(words, words.lower())
    numbers = [int(one) for one in arguments if one.strip().isdigit()]
    if kind in TEXTS or kind in BYTES:
        return _lengthy(kind, words, arguments, numbers, length)
    if kind == "decimal":
        precision, scale = [*numbers, 18, 0][:2] if len(numbers) != 1 else (numbers[0], 0)
        if precision > MAX_DIGITS or precision < 1:
            raise TSQLError("2750", f"a precision of {precision} is not between 1 and {MAX_DIGITS}")
        if scale > precision:
            raise TSQLError("192", "the scale is greater than the precision")
        return Type(kind, precision, scale)
    if kind == "float":
        return Type("real") if numbers and numbers[0] <= 24 else FLOAT
    if kind in ("datetime2", "time", "datetimeoffset"):
        scale = numbers[0] if numbers else _MOST_TICKS
        if scale > _MOST_TICKS:
            raise TSQLError("1002", f"a scale of {scale} is greater than {_MOST_TICKS}")
        return Type(kind, 0, scale)
    if kind in _STRENGTH and kind != "null":
        if arguments:
            raise TSQLError("2716", f"{kind} takes no width")
        return DATETIME if kind == "datetime" else Type(kind)
    raise UnsupportedError(f"the type {words}")


def _lengthy(kind: str, words: str, arguments: list[str], numbers: list[int], length: int) -> Type:
    if words in _LENGTHS:
        return Type(kind, _LENGTHS[words])
    if arguments and arguments[0].upper() == "MAX":
        return Type(kind, MAX_LENGTH)
    wanted = numbers[0] if numbers else length
    if wanted < 1:
        raise TSQLError("1001", f"a length of {wanted}")
    if wanted > _LONGEST // (2 if kind in NATIONAL else 1):
        raise TSQLError("131" if kind not in NATIONAL else "2717", f"{kind}({wanted}) is too long")
    return Type(kind, wanted)


def column_value(column: Column) -> Sql:
    """What a stored column is: its type, and as text what DuckDB's column (the {}) is put into."""
    if column.declared_type is not None:
        return _by_declared_type(column.declared_type)
    return _by_stored_type(column.stored_type)


def _by_declared_type(declared: str) -> Sql:
    said = _DECLARED.fullmatch(declared.upper())
    arguments = [one.strip() for one in (said["arguments"] or "").split(",") if one.strip()] if said else []
    try:
        return typed("{}", _named_type(said["words"] if said else declared, arguments, 1))
    except UnsupportedError:
        return Sql("{}", f"{declared} column")


def known(value: Sql) -> Sql:
    """The value, where its type is one that is known here. Raises UnsupportedError."""
    if value.kind.endswith(" column"):
        raise UnsupportedError(f"a {value.kind}")
    return value


def _by_stored_type(stored: str) -> Sql:
    decimal = _STORED_DECIMAL.fullmatch(stored)
    if decimal:
        return typed("{}", Type("decimal", int(decimal[1]), int(decimal[2])))
    if stored in _DUCKDB_KINDS:
        return typed("{}", Type(_DUCKDB_KINDS[stored]))
    if stored == "VARCHAR":
        return typed("{}", Type("varchar", MAX_LENGTH))
    if stored == "BOOLEAN":
        return typed("({})::utinyint", BIT)
    if stored == "HUGEINT":
        return typed("({})::decimal(38, 0)", decimal_type(MAX_DIGITS, 0))
    if stored == "TIME":
        return typed("{}", Type("time", 0, _MOST_TICKS))
    if stored.startswith("TIMESTAMP") and "ZONE" not in stored:
        return typed("({})::timestamp", DATETIME2)
    if stored == "UUID":
        return typed("upper(({})::varchar)", Type("uniqueidentifier"))
    return Sql("{}", f"{stored} column")
