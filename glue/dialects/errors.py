"""What a database server refuses, by its own code; and what it could do that is not done here."""

from __future__ import annotations


class DialectError(Exception):
    """The server refuses this: `code` is its own (ORA-01843, 102), the words are ours.

    `place` is where in the statement, as far as that is known.
    """

    place: int | None = None

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class UnsupportedError(Exception):
    """The server has an answer, or its manual does not say; none is given here rather than a wrong one."""
