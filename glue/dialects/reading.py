"""The words of a query one after another: what comes next, and what is wrong where something else had to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from glue.dialects.errors import DialectError

Kind = Literal["word", "quoted", "text", "number", "bind", "sign", "bad", "end"]
_MOST_BRACKETS = 100
"""Before a query; more are not looked through."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a statement. `upper` is for comparing: a plain word in capitals, all else as it stands."""

    kind: Kind
    text: str
    start: int
    upper: str
    error: DialectError | None = None
    """What the server says to a `bad` one, which is no word at all."""


class Words:
    """The words of one query, and how far they have been read. What a dialect says is in its class."""

    ERROR: ClassVar[type[DialectError]]
    RESERVED: ClassVar[frozenset[str]]
    """Words that name nothing unless they are quoted."""
    AFTER_QUERY: ClassVar[frozenset[str]]
    """What may follow a query in brackets, and not a table: signs and words; '' at the end."""
    MISSING: ClassVar[str]
    """The code where a word of the grammar is missing."""
    UNCLOSED: ClassVar[str]
    """The code where a bracket is not closed."""

    def __init__(self, tokens: list[Token]) -> None:
        self.place = 0
        self._tokens = tokens

    @property
    def token(self) -> Token:
        """The word that comes next."""
        return self._tokens[self.place]

    def ahead(self, n: int) -> Token:
        """The word so many after the next one; the end's after the end."""
        return self._tokens[min(self.place + n, len(self._tokens) - 1)]

    def since(self, place: int) -> list[Token]:
        """The words that were read since that place."""
        return self._tokens[place : self.place]

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

    def want(self, word: str, code: str = "") -> None:
        """Read this word, or refuse the query with `code` (MISSING)."""
        if not self.take(word):
            raise self.refused(code or self.MISSING, f"{word} is missing")

    def refused(self, code: str, why: str) -> DialectError:
        """The error that says so, and before which word."""
        told = f"before {self.token.text!r}" if self.token.text else "at the end"
        return self.ERROR(code, f"{why} {told}")

    def is_name(self, ahead: int = 0) -> bool:
        """Is it a name that comes: a quoted one, or a word that is not reserved?"""
        token = self.ahead(ahead)
        return token.kind == "quoted" or (token.kind == "word" and token.upper not in self.RESERVED)

    def name(self, code: str = "") -> None:
        """Read a name, or refuse the query with `code` (MISSING)."""
        if not self.is_name():
            raise self.refused(code or self.MISSING, "a name is missing")
        self.place += 1

    def names_in_brackets(self, code: str = "") -> int:
        """Read (a, b, …), or refuse the query: how many are there?"""
        self.want("(", code)
        self.name(code)
        n_names = 1
        while self.take(","):
            self.name(code)
            n_names += 1
        self.want(")", self.UNCLOSED)
        return n_names

    def skip_brackets(self) -> None:
        """Read ( … ) where it comes, whatever stands in it."""
        depth = 0
        while depth or self.comes("("):
            if self.token.kind in ("end", "bad"):
                raise self.refused(self.UNCLOSED, "a bracket is not closed")
            depth += self.comes("(") - self.comes(")")
            self.place += 1
            if not depth:
                return

    def begins_query(self) -> bool:
        """Does a query come, in however many brackets?"""
        ahead = 0
        while ahead < _MOST_BRACKETS and self.comes("(", ahead=ahead):
            ahead += 1
        begins = self.comes("SELECT", ahead=ahead) or self.comes("WITH", ahead=ahead)
        return begins and (ahead == 0 or self._closes_as_query(ahead))

    def _closes_as_query(self, n_brackets: int) -> bool:
        """After the first of several brackets closes: what follows a query and not a table?"""
        depth, at = n_brackets, n_brackets
        while depth >= n_brackets and self.ahead(at).kind != "end":
            depth += self.comes("(", ahead=at) - self.comes(")", ahead=at)
            at += 1
        return self.ahead(at).upper in self.AFTER_QUERY
