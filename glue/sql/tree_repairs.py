"""What the parser reads otherwise than the engine does, put right in the tree.

SQLite takes a text in single quotes for a name where only a name may stand: beside the dot of a column, and
as the table of `x IN 'table'`, where it also takes `table()` for one. And a plus before a name or a number is
dropped, though in most dialects `ORDER BY +age` is no alias and `ORDER BY +1` no number of a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeGuard

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

_PLUS = "is_after_plus"
_BEFORE_A_SIGN = frozenset(
    {TokenType.ORDER_BY, TokenType.GROUP_BY, TokenType.COMMA, TokenType.L_PAREN, TokenType.PLUS}
)
_COMMENT = r"/\*|--"
_MAY_HAVE_NAMES = re.compile(rf"'\s*(?:\.|{_COMMENT})|\.\s*(?:'|{_COMMENT})|\bin\s*[^\s(]", re.IGNORECASE)
"""Whether it is worth while to look at the tokens."""
_NAME_PARTS = ("this", "table", "db", "catalog")


def repair(trees: Iterable[exp.Expr], sql: str, tokens: Sequence[Token], dialect: str) -> None:
    """Change the trees of a text in place."""
    after_plus = set(_after_plus(tokens)) if "+" in sql else set()
    has_quoted_names = (
        dialect == "sqlite"
        and _MAY_HAVE_NAMES.search(sql) is not None
        and any(_is_name_by_place(*pair) for pair in pairwise(tokens))
    )
    if not after_plus and not has_quoted_names:
        return
    for tree in trees:
        for node in list(tree.walk()):
            if isinstance(node, (exp.Identifier, exp.Literal)) and node.meta.get("start") in after_plus:
                node.meta[_PLUS] = True
            if has_quoted_names:
                _read_names(node)


def is_after_plus(node: exp.Expr) -> bool:
    """Whether a name or number has a plus of its own before it, or before the brackets around it."""
    inner = node.this if isinstance(node, exp.Column) else node
    return isinstance(inner, exp.Expr) and bool(inner.meta.get(_PLUS))


def _after_plus(tokens: Sequence[Token]) -> Iterator[int]:
    """Where the names and numbers stand that have a plus of their own before them."""
    for place, (before, token) in enumerate(pairwise(tokens), start=1):
        if token.token_type is TokenType.PLUS and before.token_type in _BEFORE_A_SIGN:
            after = place + 1
            while after < len(tokens) and tokens[after].token_type is TokenType.L_PAREN:
                after += 1
            if after < len(tokens):
                yield tokens[after].start


def _is_name_by_place(left: Token, right: Token) -> bool:
    kinds = (left.token_type, right.token_type)
    is_after_in = kinds[0] is TokenType.IN and kinds[1] is not TokenType.L_PAREN
    return is_after_in or (TokenType.DOT in kinds and TokenType.STRING in kinds)


def _read_names(node: exp.Expr) -> None:
    """Make identifiers of texts within a column, and columns of what stands for one."""
    if isinstance(node, exp.Column):
        for key in _NAME_PARTS:
            part = node.args.get(key)
            if _is_text(part):
                node.set(key, _identifier(part))
    elif isinstance(node, exp.Dot) and not isinstance(node.parent, exp.Dot):
        parts = _dotted(node)
        if parts is not None:
            node.replace(_column(parts))
    elif isinstance(node, exp.In):
        table = node.args.get("field")
        if _is_text(table):
            node.set("field", _column([table]))
        elif isinstance(table, exp.Anonymous) and not table.expressions:
            name = exp.to_identifier(table.this)
            name.meta.update(table.meta)
            node.set("field", exp.Column(this=name))


def _dotted(node: exp.Expr) -> list[exp.Expr] | None:
    """The names between the dots, the last of which may be a star; None where something else is there too."""
    parts: list[exp.Expr] = []
    while isinstance(node, exp.Dot):
        parts.append(node.args["expression"])
        node = node.this
    parts = [node, *reversed(parts)]
    if len(parts) > len(_NAME_PARTS) or not any(_is_text(part) for part in parts):
        return None
    are_names = all(isinstance(part, exp.Identifier) or _is_text(part) for part in parts[:-1])
    is_last_one = isinstance(parts[-1], (exp.Identifier, exp.Star)) or _is_text(parts[-1])
    return parts if are_names and is_last_one else None


def _column(parts: Sequence[exp.Expr]) -> exp.Column:
    names = [_identifier(part) if _is_text(part) else part for part in parts]
    return exp.Column(**dict(zip(_NAME_PARTS, reversed(names), strict=False)))


def _identifier(text: exp.Expr) -> exp.Identifier:
    name = exp.Identifier(this=text.this, quoted=True)
    name.meta.update(text.meta)
    return name


def _is_text(node: object) -> TypeGuard[exp.Literal]:
    return isinstance(node, exp.Literal) and bool(node.args.get("is_string"))
