"""The kinds of Oracle's values, and how one becomes another where nobody asks for it.

text and char (padded with blanks: CHAR columns and literals), number (exact), double (of which 15 digits
are known: the nearest to what Oracle has) and rounded (a double of several steps, next to the nearest),
date, timestamp, days and months (kinds of INTERVAL), null (the literal), rowid, condition.
By the SQL Language Reference 19c: Data Type Comparison Rules, Data Conversion.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal

from glue.dialects.catalog import Column, quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Output
from glue.dialects.values import WHOLE_DIGITS, Sql, constant_number, number

TEXTS = frozenset({"text", "char"})
DOUBLES = frozenset({"double", "rounded"})
NUMBERS = frozenset({"number", *DOUBLES})
MOMENTS = frozenset({"date", "timestamp"})
SPANS = frozenset({"days", "months"})

MAX_TEXT = 4000
"""Bytes of a VARCHAR2. Of a text the precision is how many it has at most; 0 where that is not known."""
UNBOUNDED = -1
"""The precision of a CLOB."""
_WRITTEN_LENGTH = 60
"""Letters of a number or moment that is written as a text have fewer."""

NUMBER_DIGITS = (28, 10)
"""Of a NUMBER without digits, and of one read from a text: precision and scale."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DECLARED = re.compile(r"(?P<words>[A-Z0-9_]+(?: [A-Z]+)*)(?:\((?P<digits>[^)]*)\))?(?P<rest>.*)")
_STORED_DECIMAL = re.compile(r"DECIMAL\((\d+),\s?(\d+)\)")
_WHOLE = frozenset(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"])
_LENGTH = re.compile(r"\((\d+)(?: (BYTE|CHAR))?\)")
_FLOATS = frozenset({"FLOAT", "REAL", "DOUBLE PRECISION"})
"""Types of decimal numbers with a binary precision, which DuckDB holds as binary ones."""
_FLOAT_DIGITS = (38, 20)
_DECLARED_KINDS = {
    "VARCHAR2": "text",
    "VARCHAR": "text",
    "NVARCHAR2": "text",
    "CLOB": "text",
    "NCLOB": "text",
    "LONG": "text",
    "CHAR": "char",
    "NCHAR": "char",
    "CHARACTER": "char",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "BINARY_DOUBLE": "double",
    "BINARY_FLOAT": "double",
}
_NUMBERS_WORDS = frozenset(["NUMBER", "NUMERIC", "DECIMAL", "DEC", "INTEGER", "INT", "SMALLINT"])


def column_value(column: Column) -> Sql:
    """What a stored column is: its kind, and as text what DuckDB's column (the {}) is put into."""
    if column.declared_type is None:
        return _by_stored_type(column)
    said = _DECLARED.match(column.declared_type.upper())
    words = said["words"] if said else ""
    if words == "NUMBER" and column.stored_type == "DOUBLE":
        return Sql("{}", "rounded")  # of a view
    if said and words in _NUMBERS_WORDS:
        return _by_stored_type(column)
    if said and words in _FLOATS and column.stored_type == "DOUBLE":
        return Sql("ora_decimal({})", "number", *_FLOAT_DIGITS)
    kind = _DECLARED_KINDS.get(words, "")
    if said and "TIME ZONE" in said["rest"]:
        kind = ""
    if words.startswith("INTERVAL"):
        kind = "months" if "YEAR" in words else "days"
    length = _LENGTH.search(column.declared_type) if kind in TEXTS else None
    bytes_a_letter = 4 if length and length[2] != "BYTE" else 1
    n_bytes = int(length[1]) * bytes_a_letter if length else 0
    if words in ("CLOB", "NCLOB", "LONG"):
        n_bytes = UNBOUNDED
    return Sql("{}", kind or f"{column.declared_type} column", min(n_bytes, MAX_TEXT))


def _by_stored_type(column: Column) -> Sql:
    stored = column.stored_type
    decimal = _STORED_DECIMAL.fullmatch(stored)
    if decimal:
        return Sql("{}", "number", int(decimal[1]), int(decimal[2]))
    if stored in _WHOLE:
        return Sql("{}", "number", WHOLE_DIGITS, 0)
    if stored in ("FLOAT", "DOUBLE"):
        return Sql("{}", "double")
    if stored == "VARCHAR":
        return Sql("nullif({}, '')" if column.has_empty_text else "{}", "text")
    if stored == "DATE":
        return Sql("({})::timestamp", "date")
    if stored.startswith("TIMESTAMP") and "ZONE" not in stored:
        return Sql("{}", "timestamp")
    if stored == "BOOLEAN":
        return Sql("({})::tinyint", "number", 1, 0)
    if stored == "HUGEINT":
        return Sql("({})::decimal(38, 0)", "number", 38, 0)
    return Sql("{}", f"{stored} column")


def known(value: Sql) -> Sql:
    """The value, where its kind is one that is known here. Raises UnsupportedError."""
    if value.kind.endswith(" column"):
        raise UnsupportedError(f"a {value.kind}")
    return value


NULL = Sql("null", "null")


def text_constant(text: str) -> Sql:
    """A text literal, which is a CHAR; '' is NULL."""
    if not text:
        return Sql("null::varchar", "text", 1)
    return Sql(quoted_text(text), "char", len(text.encode()), constant=text)


def moment_constant(moment: datetime, kind: str) -> Sql:
    """A moment that is written out."""
    return Sql(f"timestamp '{moment.isoformat(' ')}'", kind, constant=moment)


def inconsistent(wanted: str, got: str) -> OracleError:
    """Kinds that do not go together."""
    return OracleError("ORA-00932", f"inconsistent datatypes: expected {wanted.upper()} got {got.upper()}")


def as_text(value: Sql) -> Sql:
    """The value as a text, as Oracle writes it unasked."""
    if value.kind in TEXTS:
        return value
    if value.kind == "null":
        return Sql("null::varchar", "text", 1)
    if value.kind in NUMBERS:
        text = f"ora_to_char_number({value.text})"
        return Sql(text, "text", _WRITTEN_LENGTH, may_fail=value.may_fail)
    if value.kind in MOMENTS:
        text = f"ora_to_char_{value.kind}({value.text})"
        return Sql(text, "text", _WRITTEN_LENGTH, may_fail=value.may_fail)
    if value.kind in SPANS:
        raise UnsupportedError("an INTERVAL as a text")
    raise inconsistent("char", value.kind)


def as_number(value: Sql) -> Sql:
    """The value as a number: a text is read as one, and may fail."""
    if value.kind in NUMBERS:
        return value
    if value.kind == "null":
        return Sql("null::decimal(38, 0)", "number", 1)
    if value.kind in TEXTS:
        if isinstance(value.constant, str) and _NUMBER.fullmatch(value.constant.strip(" ")):
            return constant_number(Decimal(value.constant.strip(" ")))
        precision, scale = NUMBER_DIGITS
        text = f"ora_to_number({value.text})::decimal({precision}, {scale})"
        return number(text, precision, scale, may_fail=True)
    raise inconsistent("number", value.kind)


def as_moment(value: Sql, kind: str = "date") -> Sql:
    """The value as a DATE, or as a TIMESTAMP: a text is read by the session's model, and may fail."""
    if value.kind in MOMENTS:
        if kind == "date" and value.kind == "timestamp":
            return Sql(f"ora_date({value.text})", "date", may_fail=value.may_fail)
        return Sql(value.text, kind, may_fail=value.may_fail)
    if value.kind == "null":
        return Sql("null::timestamp", kind)
    if value.kind in TEXTS:
        return Sql(f"ora_to_{kind}({value.text})", kind, may_fail=True)
    raise inconsistent(kind, value.kind)


def converted(value: Sql, kind: str) -> Sql:
    """The value as one of that kind, where Oracle makes it one unasked. Raises OracleError."""
    if value.kind == kind or (value.kind in NUMBERS and kind in NUMBERS):
        return value
    if kind in TEXTS:
        return as_text(value)
    if kind in NUMBERS:
        return as_number(value)
    if kind in MOMENTS:
        return as_moment(value, kind)
    if value.kind == "null" or kind == "null":
        return value
    raise inconsistent(kind, value.kind)


def for_comparison(left: Sql, right: Sql) -> tuple[Sql, Sql]:
    """Two values as they are compared: texts with numbers as numbers, with moments as moments.

    Two that are padded are compared without their blanks. Raises OracleError where they do not go together.
    """
    if left.kind in TEXTS and right.kind in TEXTS:
        if left.kind == right.kind == "char":
            return _without_blanks(left), _without_blanks(right)
        return left, right
    for kinds, kind in ((NUMBERS, "number"), (MOMENTS, "timestamp")):
        if left.kind in kinds or right.kind in kinds:
            if {left.kind, right.kind} <= kinds:
                return left, right
            if kind == "timestamp":
                kind = left.kind if left.kind in kinds else right.kind
            return converted(left, kind), converted(right, kind)
    if "null" in (left.kind, right.kind) or left.kind == right.kind:
        return left, right
    raise inconsistent(left.kind, right.kind)


def _without_blanks(value: Sql) -> Sql:
    if isinstance(value.constant, str):
        return Sql(quoted_text(value.constant.rstrip(" ")), "char", constant=value.constant)
    return Sql(f"rtrim({value.text}, ' ')", "char", may_fail=value.may_fail)


def of_one_kind(values: list[Sql], what: str) -> tuple[str, list[Sql]]:
    """The kind of several values of which one is the answer (CASE, COALESCE), and the values as such.

    Numbers go with numbers, texts with texts, DATE with TIMESTAMP: no other conversion is made.
    """
    kinds = [value.kind for value in values if value.kind != "null"]
    if not kinds:
        return "null", values
    kind = kinds[0]
    for family, widest in ((TEXTS, "text"), (NUMBERS, number_kind(kinds)), (MOMENTS, "timestamp")):
        if kind in family:
            if not set(kinds) <= family:
                raise inconsistent(what or kind, next(other for other in kinds if other not in family))
            if len(set(kinds)) > 1:
                kind = widest
            elif kind == "char" and not are_of_one_length(values):
                kind = "text"
            return kind, [converted(value, kind) for value in values]
    if set(kinds) != {kind}:
        raise inconsistent(kind, next(other for other in kinds if other != kind))
    return kind, values


def are_of_one_length(values: Sequence[Sql | Output]) -> bool:
    """Padded texts of one length stay padded together; of several lengths they become a VARCHAR2."""
    lengths = {value.precision for value in values if value.kind != "null"}
    return len(lengths) == 1 and 0 not in lengths


def longest(values: Sequence[Sql | Output]) -> int:
    """The bytes that each of these texts has at most; 0 where that is not known."""
    lengths = [value.precision for value in values if value.kind != "null"]
    if UNBOUNDED in lengths:
        return UNBOUNDED
    return 0 if 0 in lengths else max(lengths, default=1)


def number_kind(kinds: Collection[str]) -> str:
    """The kind of what is one of several numbers, or text of theirs."""
    return next((kind for kind in ("rounded", "double") if kind in kinds), "number")


def as_key(value: Sql) -> str:
    """The value as rows are put together and in order by it: to the digits that are known."""
    return f"ora_nearest({value.text})" if value.kind == "rounded" else value.text


def widest_digits(values: list[Sql]) -> tuple[int, int]:
    """Precision and scale that hold each of these exact numbers."""
    numbers = [value for value in values if value.kind == "number"]
    if not numbers:
        return 0, 0
    scale = max(value.scale for value in numbers)
    whole = max(value.precision - value.scale for value in numbers)
    return min(whole + scale, 38), scale


def joined_value(text: str, kind: str, values: list[Sql]) -> Sql:
    """The value of an expression that answers with one of `values`, all of one kind."""
    precision, scale = (longest(values), 0) if kind in TEXTS else widest_digits(values)
    return Sql(text, kind, precision, scale, may_fail=any(value.may_fail for value in values))
