"""Is a text one read of Oracle's, and which identifier is called there? What needs no driver to be told."""

from __future__ import annotations

import re

from glue.engines.base import NotSQL, Refused
from glue.engines.reads import ORACLE, one_read, pieces

_IDENTIFIER = re.compile(r'^ORA-00904: (?:"[^"]*"\.)*"(?P<name>[^"]*)"')


def checked(sql: str) -> str:
    """The only read of a text. Raises Refused or NotSQL.

    PL/SQL within a statement shows by its semicolons, in brackets too.
    """
    statement = one_read(sql, ORACLE)
    code = pieces(statement, ORACLE)
    for place, piece in enumerate(code):
        before = code[place - 1].word if place else ""
        if piece.word == ";" or (before == "WITH" and piece.word in ("FUNCTION", "PROCEDURE")):
            raise Refused("forbidden", "the statement defines PL/SQL of its own")
        if piece.word == "NEXTVAL" and before == ".":
            raise Refused("forbidden", "NEXTVAL moves a sequence, and no rollback moves it back")
        if piece.word == "@":
            raise Refused("forbidden", "a link reaches beyond the database")
    if code[0].word in ("VALUES", "TABLE"):
        raise NotSQL(f"syntax error: no query begins with {code[0].word}")
    return statement


def is_called(message: str, statement: str) -> bool:
    """Is the identifier that ORA-00904 does not know called as a function? Oracle says the same of both."""
    found = _IDENTIFIER.match(message)
    if found is None:
        return False
    called = rf'(?<![\w$#]){re.escape(found["name"])}"?\s*\('
    return re.search(called, statement, re.IGNORECASE) is not None
