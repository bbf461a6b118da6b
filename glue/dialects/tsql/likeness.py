"""LIKE and PATINDEX in DuckDB's SQL: by its own LIKE where that is the same, else by regular expressions."""

from __future__ import annotations

from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.types import NATIONAL
from glue.dialects.tsql_patterns import (
    Part,
    flags,
    parts_of,
    regular_expression,
    search_expression,
)
from glue.dialects.values import Sql

_OWN = "CI_AS"


def like(operand: Sql, pattern: Sql, escape: Sql | None, collation: str) -> str:
    """The condition that the text is like the pattern."""
    collation = collation or _OWN
    is_national = operand.kind in NATIONAL or pattern.kind in NATIONAL
    letter = None
    if escape is not None:
        if not isinstance(escape.constant, str):
            raise UnsupportedError("ESCAPE of what is no literal")
        letter = escape.constant
    text = _without_accents(operand.text, collation)
    if not isinstance(pattern.constant, str):
        written = "null" if letter is None else quoted_text(letter)
        flag = str(is_national).lower()
        made = f"tsql_like_expression({pattern.text}, {written}, {flag}, '{collation}')"
        return f"regexp_full_match({text}, {made})"
    parts = parts_of(pattern.constant, letter)
    if parts is not None and all(part.kind != "set" for part in parts):
        trimmed = _for_plain_like(text, parts, is_national)
        if trimmed is not None:
            return _plain_like(trimmed, parts, collation)
    expression = flags(collation) + regular_expression(parts, collation)
    expression += "" if is_national else " *"
    return f"regexp_full_match({text}, {quoted_text(_without_accents_in(expression, collation))})"


def _without_accents(text: str, collation: str) -> str:
    return f"strip_accents({text})" if collation.endswith("AI") else text


def _without_accents_in(text: str, collation: str) -> str:
    if collation.endswith("AI") and not text.isascii():
        raise UnsupportedError("accents in a pattern of a collation that knows none")
    return text


def _for_plain_like(text: str, parts: list[Part], is_national: bool) -> str | None:
    """The text without the blanks at its end that do not count; None where a pattern may want them."""
    if is_national or (parts and parts[-1].kind == "any"):
        return text
    if not parts or (parts[-1].kind == "letter" and parts[-1].letter != " "):
        return f"rtrim({text}, ' ')"
    return None


def _plain_like(text: str, parts: list[Part], collation: str) -> str:
    written = "".join(_written(part) for part in parts)
    escape = " escape '\\'" if "\\" in written else ""
    if collation.startswith("CI"):
        text, written = f"lower({text})", written.lower()
    pattern = quoted_text(_without_accents_in(written, collation))
    return f"({text} like {pattern}{escape})"


def _written(part: Part) -> str:
    if part.kind == "letter":
        return f"\\{part.letter}" if part.letter in "%_\\" else part.letter
    return "%" if part.kind == "any" else "_"


def place_of_pattern(pattern: Sql, text: Sql, collation: str) -> str:
    """PATINDEX: where what is like the pattern begins, 0 where nothing is."""
    collation = collation or _OWN
    if collation.endswith("AI"):
        raise UnsupportedError("PATINDEX by a collation that knows no accents")
    if isinstance(pattern.constant, str):
        expression = quoted_text(search_expression(pattern.constant, collation))
    else:
        expression = f"tsql_search_expression({pattern.text}, '{collation}')"
    return f"tsql_patindex({expression}, {text.text})"
