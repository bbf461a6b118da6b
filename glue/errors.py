"""Errors a person can act on: what is wrong and where, then one hint."""

from __future__ import annotations


class GlueError(Exception):
    """An error to show without a traceback.

    The message names the thing, the place and, where there is one, the nearest valid name; the hint is
    the next command to type or the one thing to change.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def nearest(name: str, known: list[str]) -> str | None:
    """The known name most like `name`, for 'did you mean …'; None when nothing is close."""
    import difflib

    found = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return found[0] if found else None


def counted(n: int, plural: str) -> str:
    """How many of what: 2 databases, 1 database, 1 query."""
    if n != 1:
        return f"{n:,} {plural}"
    return f"1 {plural.removesuffix('ies')}y" if plural.endswith("ies") else f"1 {plural.removesuffix('s')}"
