"""The guarded parse: a text becomes sqlglot trees or a value that says why not. It never raises and never
runs long.

Size and nesting are looked at before the parser is: sqlglot recurses into every bracket, and it tries two
readings of each bracket after the name of a type (`DATE(DATE(…`) and of each JOIN without ON, so that a short
text of those would keep it busy for hours.
"""

from __future__ import annotations

import functools
import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.tokenizer_core import Token

MAX_BYTES = 100_000
"""Longest text that is parsed, in bytes of UTF-8."""
MAX_NESTING = 200
"""Deepest nesting of brackets, CASE and prefix operators that is parsed."""
MAX_DOUBLINGS = 10
"""How often the work of the parser may double within nested brackets: 2^10 readings take under 0.2 s."""
MAX_ERROR_CHARACTERS = 500

_ESCAPE_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class ParsedText:
    """What became of a text.

    `outcome` is parsed, too_large, too_deep, failed or empty; `error` says why where it is neither parsed nor
    empty. `statements` are the trees, without empty ones (stray semicolons, comments).
    """

    sql: str
    dialect: str
    outcome: str
    error: str | None = None
    statements: list[exp.Expr] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)


@dataclass(frozen=True)
class _Grammar:
    """The token types that make a parser of one dialect recurse."""

    dialect: Dialect
    opening: frozenset[Any]
    closing: frozenset[Any]
    prefixes: frozenset[Any]
    conditions: frozenset[Any]
    clauses: frozenset[Any]
    types: frozenset[Any]
    join: Any
    word: Any
    unconditional: frozenset[Any]


def parse_text(sql: str, dialect: str) -> ParsedText:
    """Parse a text in one of sqlglot's dialects. Never raises; see `ParsedText`."""
    try:
        return _parse(sql, dialect)
    except RecursionError:
        return ParsedText(sql, dialect, "too_deep", "nested deeper than the parser can follow")
    except Exception as error:
        return ParsedText(sql, dialect, "failed", readable_error(error))


def readable_error(error: BaseException) -> str:
    """The text of an error on one line, without terminal colours, cut to a readable length."""
    text = _ESCAPE_SEQUENCE.sub("", str(error)) or type(error).__name__
    text = " ".join(text.encode("utf-8", "replace").decode().split())
    return text if len(text) <= MAX_ERROR_CHARACTERS else text[: MAX_ERROR_CHARACTERS - 1] + "…"


def _parse(sql: str, dialect: str) -> ParsedText:
    if not sql or not sql.strip():
        return ParsedText(sql, dialect, "empty")
    if len(sql) > MAX_BYTES or len(sql.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return ParsedText(sql, dialect, "too_large", f"the text is longer than {MAX_BYTES} bytes")
    sql.encode("utf-8")  # a lone surrogate is no text that any engine takes
    grammar = _grammar(dialect)
    tokens = grammar.dialect.tokenize(sql)
    problem = _nesting_problem(tokens, grammar)
    if problem:
        return ParsedText(sql, dialect, "too_deep", problem)
    from sqlglot import exp

    from glue.sql.tree_repairs import repair

    trees = grammar.dialect.parser().parse(tokens, sql)
    statements = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    repair(statements, sql, tokens, dialect)
    return ParsedText(sql, dialect, "parsed" if statements else "empty", None, statements, tokens)


@functools.cache
def _grammar(dialect: str) -> _Grammar:
    """The grammar of a dialect by sqlglot's name. ValueError for a name that sqlglot does not know."""
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.tokenizer_core import TokenType

    logger = logging.getLogger("sqlglot")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.ERROR)  # it warns about every command that it keeps as text
    instance = Dialect.get_or_raise(dialect)
    opening = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
    prefixes = {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL}
    clauses = {TokenType.SELECT, TokenType.FROM, TokenType.WHERE, TokenType.UNION, TokenType.SEMICOLON}
    types = set(instance.parser_class.TYPE_TOKENS) | {TokenType.ARRAY, TokenType.ROW}
    return _Grammar(
        dialect=instance,
        opening=frozenset(opening),
        closing=frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}),
        prefixes=frozenset(prefixes),
        conditions=frozenset({TokenType.ON, TokenType.USING}),
        clauses=frozenset(clauses),
        types=frozenset(types - {TokenType.VAR, TokenType.IDENTIFIER}),
        join=TokenType.JOIN,
        word=TokenType.VAR,
        unconditional=frozenset({TokenType.CROSS, TokenType.NATURAL}),
    )


def _nesting_problem(tokens: list[Token], grammar: _Grammar) -> str | None:
    """Why the parser would go too deep into these tokens or read them too often; None when it would not."""
    outer: list[tuple[int, int, int]] = []  # the three numbers below, as they were outside each open bracket
    depth = 0  # open brackets, and the prefix operators before them
    doublings = 0  # brackets after the name of a type, and JOINs that wait for their ON
    base = 0  # of those, the ones from outside this bracket
    prefixes = 0  # prefix operators directly before this token
    previous = before = None
    for token in tokens:
        kind = token.token_type
        if kind in grammar.prefixes:
            prefixes += 1
        elif kind is grammar.word and previous is kind:
            prefixes += 1  # PRIOR PRIOR …, and no statement has many words in a row
        else:
            if kind in grammar.opening:
                outer.append((depth, doublings, base))
                depth += 1 + prefixes
                doublings += previous in grammar.types
                base = doublings
            elif kind in grammar.closing:
                if outer:
                    depth, doublings, base = outer.pop()
            elif kind is grammar.join:
                doublings += previous not in grammar.unconditional and before not in grammar.unconditional
            elif kind in grammar.conditions:
                doublings = max(doublings - 1, base)
            elif kind in grammar.clauses:
                doublings = base
            prefixes = 0
        if depth + prefixes > MAX_NESTING:
            return f"nested deeper than {MAX_NESTING}"
        if doublings > MAX_DOUBLINGS:
            return (
                f"over {MAX_DOUBLINGS} JOINs without ON, or names of types as functions, within one another"
            )
        before, previous = previous, kind
    return None
