"""The part of a text that a node of its tree was read from.

sqlglot keeps the places of names, literals and most functions alone. From the first and last of these the
part is widened over the tokens around it, to the bounds of its clause.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_SET_WORDS = frozenset({TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.SEMICOLON})
_AFTER_FROM = _SET_WORDS | {
    *(TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT),
    *(TokenType.OFFSET, TokenType.WINDOW, TokenType.QUALIFY, TokenType.FETCH),
}
_AFTER_SELECT = _AFTER_FROM | {TokenType.FROM}
_BEFORE_EXPRESSION = _AFTER_SELECT | {
    *(TokenType.SELECT, TokenType.DISTINCT, TokenType.COMMA, TokenType.AND, TokenType.OR, TokenType.ON),
    *(TokenType.PARTITION_BY, TokenType.ALL),
}
_AFTER_EXPRESSION = _AFTER_SELECT | {
    *(TokenType.COMMA, TokenType.AND, TokenType.OR, TokenType.ALIAS, TokenType.ASC, TokenType.DESC),
}
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})
_BRACKETED = (exp.Paren, exp.Tuple, exp.Cast, exp.Substring)
"""Nodes in brackets, and functions whose name's place is not kept."""
CLAUSES = {
    "from": (TokenType.FROM, _AFTER_FROM),
    "distinct": (TokenType.SELECT, _AFTER_SELECT),
    "group by": (TokenType.GROUP_BY, _AFTER_FROM),
    "order by": (TokenType.ORDER_BY, _SET_WORDS),
    "limit": (TokenType.LIMIT, _SET_WORDS),
    "window order by": (TokenType.ORDER_BY, _SET_WORDS | {TokenType.ROWS, TokenType.RANGE, TokenType.VAR}),
    "partition by": (TokenType.PARTITION_BY, _AFTER_SELECT),
}


class WrittenText:
    """The parts of one text."""

    def __init__(self, sql: str, tokens: Sequence[Token]) -> None:
        self.sql = sql
        self.tokens = tokens
        self._starts = [token.start for token in tokens]

    def expression(self, node: exp.Expr) -> str | None:
        """An expression as it stands, without brackets and alias around it; None where it is not found."""
        return self._part([node], None, _AFTER_EXPRESSION)

    def clause(self, clause: str, nodes: Iterable[exp.Expr]) -> str | None:
        """A clause (a key of CLAUSES) from its word to its end; None where it is not found."""
        word, end = CLAUSES[clause]
        return self._part(list(nodes), word, end)

    def _part(self, nodes: list[exp.Expr], word: TokenType | None, end: frozenset[TokenType]) -> str | None:
        places = self._places(nodes)
        if places is None:
            return None
        first, last, n_around = places
        lowest = balance = 0
        for token in self.tokens[first : last + 1]:
            balance += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
            lowest = min(lowest, balance)
        first = self._widened_left(first, n_around - lowest, word)
        last = self._widened_right(last, n_around + balance - lowest, end)
        if first < 0 or last < 0:
            return None
        return self.sql[self.tokens[first].start : self.tokens[last].end + 1]

    def _places(self, nodes: list[exp.Expr]) -> tuple[int, int, int] | None:
        """The first and the last token that a node of a tree knows, and how many brackets are around both."""
        found: list[tuple[int, int, exp.Expr]] = []
        roots = {id(node) for node in nodes}
        for root in nodes:
            for node in root.walk():
                start, stop = node.meta.get("start"), node.meta.get("end")
                if isinstance(start, int) and isinstance(stop, int):
                    found.append((start, stop, node))
        if not found:
            return None
        leftmost = min(found, key=lambda each: each[0])
        rightmost = max(found, key=lambda each: each[1])
        first = bisect.bisect_right(self._starts, leftmost[0]) - 1
        last = bisect.bisect_right(self._starts, rightmost[1]) - 1
        if first < 0 or last < first:
            return None
        around = _brackets_around(leftmost[2], roots) & _brackets_around(rightmost[2], roots)
        return first, last, len(around)

    def _widened_left(self, place: int, n_open: int, word: TokenType | None) -> int:
        """The place of the first token of the part; -1 where its first word is not found."""
        depth = 0
        while place > 0:
            kind = self.tokens[place - 1].token_type
            if kind in _CLOSING:
                depth += 1
            elif kind in _OPENING:
                if depth:
                    depth -= 1
                elif n_open:
                    n_open -= 1
                elif word is not None:
                    return -1
                else:
                    return place
            elif not depth and not n_open:
                if word is None and kind in _BEFORE_EXPRESSION:
                    return place
                if kind is word:
                    return place - 1
            place -= 1
        return -1

    def _widened_right(self, place: int, n_closed: int, end: frozenset[TokenType]) -> int:
        depth = 0
        while place + 1 < len(self.tokens):
            kind = self.tokens[place + 1].token_type
            if kind in _OPENING:
                depth += 1
            elif kind in _CLOSING:
                if depth:
                    depth -= 1
                elif n_closed:
                    n_closed -= 1
                else:
                    return place
            elif not depth and not n_closed and kind in end:
                return place
            place += 1
        return place if not depth and not n_closed else -1


def _brackets_around(node: exp.Expr, roots: set[int]) -> set[int]:
    """The nodes around one, up to the root of its part, that are written in brackets."""
    found = set()
    current: exp.Expr | None = node
    while current is not None:
        is_query = isinstance(current, exp.Query) and not isinstance(current, exp.Subquery)
        is_bracketed = current is not node and isinstance(current, _BRACKETED)
        if is_bracketed or (is_query and not isinstance(current.parent, exp.SetOperation)):
            found.add(id(current))
        if id(current) in roots:
            break
        current = current.parent
    return found
