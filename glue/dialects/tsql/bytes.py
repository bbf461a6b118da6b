"""BINARY and VARBINARY in DuckDB's SQL: literals, and what becomes bytes and what bytes become.

By CAST and CONVERT (Transact-SQL), Binary styles; all is done with two digits for each byte.
"""

from __future__ import annotations

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.types import INTEGERS, MAX_LENGTH, NATIONAL, TEXTS, Type, text_type, typed
from glue.dialects.values import Sql

_SIZES = {"tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "bit": 1}
_WRITTEN_STYLES = {1: "'0x' || ", 2: ""}


def bytes_literal(text: str) -> Sql:
    """0x…: an odd digit stands for a byte by itself."""
    digits = text[2:]
    digits = digits.rjust(len(digits) + len(digits) % 2, "0")
    return typed(f"unhex('{digits}')", Type("varbinary", max(len(digits) // 2, 1)))


def as_bytes(value: Sql, target: Type, style: int | None) -> Sql:
    """What CAST and CONVERT make of texts, whole numbers and other bytes."""
    if value.kind in ("varbinary", "binary"):
        digits, at_right = f"hex({value.text})", False
    elif value.kind in _SIZES:
        size = 2 * _SIZES[value.kind]
        digits, at_right = f"right(lpad(hex(({value.text})::bigint), 16, '0'), {size})", True
    elif value.kind in TEXTS and style in _WRITTEN_STYLES:
        digits, at_right = f"tsql_written_bytes({value.text}, {str(style == 1).lower()})", False
    elif value.kind in TEXTS and not style:
        macro = "tsql_wide_letters" if value.kind in NATIONAL else "tsql_letters"
        digits, at_right = f"{macro}({value.text})", False
    else:
        raise UnsupportedError(f"{value.kind} as {target.kind}")
    if target.precision != MAX_LENGTH:
        side, pad = ("right", "lpad") if at_right else ("left", "rpad")
        digits = f"{side}({digits}, {2 * target.precision})"
        if target.kind == "binary":
            digits = f"{pad}({digits}, {2 * target.precision}, '0')"
    return typed(f"unhex({digits})", target, value, may_fail=value.kind in TEXTS)


def text_of_bytes(value: Sql, style: int | None) -> Sql:
    """Bytes as a text: their letters, or by styles 1 and 2 their digits."""
    if style in _WRITTEN_STYLES:
        text = f"({_WRITTEN_STYLES[style]}hex({value.text}))"
        return typed(text, text_type("varchar", 2 * value.precision + 2), value)
    if style:
        raise UnsupportedError(f"bytes as a text by style {style}")
    return typed(
        f"tsql_letters_of({value.text})", text_type("varchar", value.precision), value, may_fail=True
    )


def whole_of_bytes(value: Sql, target: Type) -> Sql:
    """The number that the last bytes are, the first of them the greatest."""
    size = _SIZES[target.kind]
    if target.kind not in INTEGERS or target.kind == "bigint":
        raise UnsupportedError(f"bytes as {target}")
    limit = 2 ** (8 * size - 1) if target.kind != "tinyint" else 2**8
    text = f"tsql_number_of_bytes(hex({value.text}), {2 * size}, {limit}, {2 ** (8 * size)})::{target.stored}"
    return typed(text, target, value)
