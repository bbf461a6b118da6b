"""A table's CHECK, for DuckDB, where it means there what it means in its dialect: comparisons and lists.

Texts are compared only where both compare them alike: in Oracle, and without the blanks that end a CHAR.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from glue.dialects.catalog import quoted
from glue.dialects.reading import Token

if TYPE_CHECKING:
    from glue.dialects.stored_tables import LoadedTable

_WORDS = frozenset({"AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL"})
_SIGNS = {"=": "=", "<>": "<>", "!=": "<>", "^=": "<>", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_BRACKETS = ("(", ")", ",")
_TEXTS_OF_ORACLE = ("VARCHAR", "VARCHAR2", "NVARCHAR2")


def check_sql(tokens: Sequence[Token], table: LoadedTable, dialect: str) -> str | None:
    """The constraint, or None where it is more than comparisons of columns, numbers and texts."""
    is_oracle = dialect == "oracle"
    has_text = any(token.kind == "text" for token in tokens)
    found: list[str] = []
    for token in tokens:
        said = _said(token, table, is_oracle, has_text)
        if said is None:
            return None
        found.append(said)
    return f"check {' '.join(found)}"


def _said(token: Token, table: LoadedTable, is_oracle: bool, has_text: bool) -> str | None:
    if token.kind == "sign":
        return token.upper if token.upper in _BRACKETS else _SIGNS.get(token.upper)
    if token.kind == "number":
        return token.text if token.text.replace(".", "", 1).isdecimal() else None
    if token.kind == "text":
        return token.text if is_oracle and token.text[0] == "'" and token.text != "''" else None
    if token.kind == "word" and token.upper in _WORDS:
        return token.upper
    name = token.text.strip('"[]')
    key = token.upper if is_oracle and token.kind == "word" else name if is_oracle else name.lower()
    column = table.columns.get(key)
    if column is None or column.definition is None:
        return None
    is_text = column.type.stored == "VARCHAR"
    comparable = column.definition.declared.words in _TEXTS_OF_ORACLE and is_oracle
    if (is_text and not comparable) or (has_text and not is_text):
        return None
    return quoted(column.stored_name)
