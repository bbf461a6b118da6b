"""The words of a query one after another: what comes next, and what is wrong where something else had to."""

from __future__ import annotations

from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_tokens import RESERVED, Token, tokens_of

SET_OPERATORS = frozenset({"UNION", "MINUS", "INTERSECT"})
_MOST_BRACKETS = 100
"""Before a query; more are not looked through."""


class Words:
    """The words of one query, and how far they have been read."""

    def __init__(self, sql: str, version: int) -> None:
        self.version = version
        self.place = 0
        self._tokens = tokens_of(sql)

    @property
    def token(self) -> Token:
        """The word that comes next."""
        return self._tokens[self.place]

    def ahead(self, n: int) -> Token:
        """The word so many after the next one; the end's after the end."""
        return self._tokens[min(self.place + n, len(self._tokens) - 1)]

    def comes(self, *words: str, ahead: int = 0) -> bool:
        """Do these words come next?"""
        return all(
            token.upper == word and token.kind in ("word", "sign")
            for word, token in ((word, self.ahead(ahead + at)) for at, word in enumerate(words))
        )

    def comes_any(self, words: set[str] | frozenset[str]) -> bool:
        """Does one of these words come next?"""
        return self.token.kind in ("word", "sign") and self.token.upper in words

    def take(self, *words: str) -> bool:
        """Read these words where they come next."""
        if not self.comes(*words):
            return False
        self.place += len(words)
        return True

    def want(self, word: str, code: str) -> None:
        """Read this word, or refuse the query with `code`."""
        if not self.take(word):
            raise self.refused(code, f"{word} is missing")

    def refused(self, code: str, why: str) -> OracleError:
        """The error that says so, and before which word."""
        told = self.token.text or "the end"
        return OracleError(code, f"{why} before {told!r}" if self.token.text else f"{why} at the end")

    def is_name(self, ahead: int = 0) -> bool:
        """Is it a name that comes: a quoted one, or a word that is not reserved?"""
        token = self.ahead(ahead)
        return token.kind == "quoted" or (token.kind == "word" and token.upper not in RESERVED)

    def name(self, code: str) -> None:
        """Read a name, or refuse the query with `code`."""
        if not self.is_name():
            raise self.refused(code, "a name is missing")
        self.place += 1

    def names_in_brackets(self, code: str) -> None:
        """Read (a, b, …), or refuse the query."""
        self.want("(", code)
        self.name(code)
        while self.take(","):
            self.name(code)
        self.want(")", "ORA-00907")

    def begins_query(self) -> bool:
        """Does a query come, in however many brackets?"""
        ahead = 0
        while ahead < _MOST_BRACKETS and self.comes("(", ahead=ahead):
            ahead += 1
        if ahead == 0:
            return self.comes("SELECT") or self.comes("WITH")
        return (
            self.comes("SELECT", ahead=ahead) or self.comes("WITH", ahead=ahead)
        ) and self._closes_as_query(ahead)

    def _closes_as_query(self, n_brackets: int) -> bool:
        """After the first of several brackets closes: what follows a query and not a table?"""
        depth, at = n_brackets, n_brackets
        while depth >= n_brackets and self.ahead(at).kind != "end":
            depth += {"(": 1, ")": -1}.get(self.ahead(at).upper, 0)
            at += 1
        return self.ahead(at).upper in SET_OPERATORS | {"EXCEPT", ")", "ORDER", "OFFSET", "FETCH", ""}
