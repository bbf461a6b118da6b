"""How SQL Server's words are read, and with which number it refuses what it cannot read on from.

What is wrong only when the whole query has been read (ORDER BY in a derived table, @x that nobody declared)
is noted: an error of the grammar comes first, wherever it stands.
"""

from __future__ import annotations

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.nodes import Identifier
from glue.dialects.reading import Words
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_tokens import RESERVED, tokens_of

SYNTAX = "102"
"""Incorrect syntax near; near a reserved word the number is 156, near WITH 319."""
_PSEUDO_COLUMNS = frozenset({"IDENTITYCOL", "ROWGUIDCOL", "$"})
SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT"})


class TSQLWords(Words):
    """The words of one query, how far they have been read, and what will be said at the end."""

    ERROR = TSQLError
    RESERVED = RESERVED
    AFTER_QUERY = SET_OPERATORS | {")", "ORDER", "OPTION", "FOR", ";", ""}
    MISSING = SYNTAX
    UNCLOSED = SYNTAX

    def __init__(self, sql: str) -> None:
        super().__init__(tokens_of(sql))
        self.noted: list[TSQLError | UnsupportedError] = []

    def refused(self, code: str, why: str) -> DialectError:
        """The error that says so, and before which word; at the end of a query it is always 102."""
        if self.token.error:
            self.token.error.place = self.token.start
            return self.token.error
        if code == SYNTAX and self.token.kind == "word" and self.token.upper in RESERVED:
            code = "319" if self.comes("WITH") else "156"
        return super().refused(code, why)

    def note(self, code: str, why: str) -> None:
        """Refuse the query with `code` when it has been read, if nothing else is wrong with it."""
        self.noted.append(TSQLError(code, why))

    def path(self) -> tuple[Identifier, ...]:
        """Read a name, or several with dots between them: a, s.a, d..a, where the one between is empty."""
        parts = [self.name()]
        while self.take("."):
            while self.take("."):
                parts.append(Identifier(""))
            if self.comes_any(_PSEUDO_COLUMNS):
                raise UnsupportedError(f"the pseudo column {self.token.text}")
            parts.append(self.name())
        return tuple(parts)
