"""The words of a query one after another: what comes next, and what is wrong where something else had to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from glue.dialects.errors import DialectError
from glue.dialects.nodes import Identifier

Kind = Literal["word", "quoted", "text", "number", "bind", "sign", "bad", "end"]
_FARTHEST = 8
"""So many words ahead are asked for at the most, where it is not known that the end is not among them."""
_MOST_BRACKETS = 100
"""Before a query; more are not looked through."""


@dataclass(slots=True, eq=False)
class Token:
    """One word of a statement. `upper` is for comparing: a plain word in capitals, all else as it stands.

    What is in quotes has them in `upper`, so that no word and no sign equals it.
    """

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
        self._tokens = [*tokens, *[tokens[-1]] * _FARTHEST]

    @property
    def token(self) -> Token:
        """The word that comes next."""
        return self._tokens[self.place]

    def ahead(self, n: int) -> Token:
        """The word so many after the next one; the end again after the end."""
        return self._tokens[self.place + n]

    def since(self, place: int) -> list[Token]:
        """The words that were read since that place."""
        return self._tokens[place : self.place]

    def comes(self, *words: str, ahead: int = 0) -> bool:
        """Do these words come next?"""
        at = self.place + ahead
        for word in words:
            if self._tokens[at].upper != word:
                return False
            at += 1
        return True

    def comes_any(self, words: set[str] | frozenset[str]) -> bool:
        """Does one of these words come next?"""
        return self._tokens[self.place].upper in words

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
        error = self.ERROR(code, f"{why} {told}")
        error.place = self.token.start
        return error

    def is_name(self, ahead: int = 0) -> bool:
        """Is it a name that comes: a quoted one, or a word that is not reserved?"""
        token = self.ahead(ahead)
        return token.kind == "quoted" or (token.kind == "word" and token.upper not in self.RESERVED)

    def name(self, code: str = "") -> Identifier:
        """Read a name, or refuse the query with `code` (MISSING)."""
        if not self.is_name():
            raise self.refused(code or self.MISSING, "a name is missing")
        return self.identifier()

    def identifier(self) -> Identifier:
        """Read the next word as a name, whatever it is: without its quotes, a doubled one in them as one."""
        token = self.token
        self.place += 1
        if token.kind != "quoted":
            return Identifier(token.text)
        closing = token.text[-1]
        return Identifier(token.text[1:-1].replace(closing * 2, closing), is_quoted=True)

    def names_in_brackets(self, code: str = "") -> list[Identifier]:
        """Read (a, b, …), or refuse the query."""
        self.want("(", code)
        names = [self.name(code)]
        while self.take(","):
            names.append(self.name(code))
        self.want(")", self.UNCLOSED)
        return names

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
