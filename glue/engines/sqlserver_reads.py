"""Is a batch one SELECT? Transact-SQL needs no semicolon between statements: `select 1 drop table t` is two.

What can follow a SELECT without a semicolon begins with a reserved word, which no name may be unless it is
quoted. So a reserved word that begins statements, found outside quotes and where a SELECT has no place for
it, refuses the batch, whatever the server would have made of it. Remarks are taken out before it is sent, so
that nobody has to agree on where they end.
"""

from __future__ import annotations

import re

from glue.engines.base import NotSQL, Refused
from glue.engines.reads import SQL_SERVER, Piece, one_read, pieces

_STARTER_WORDS = """
    ADD ALTER BACKUP BEGIN BREAK BULK CHECKPOINT CLOSE COMMIT CONTINUE CREATE DBCC DEALLOCATE DECLARE DELETE
    DENY DISK DROP DUMP END EXEC EXECUTE EXIT FETCH GOTO GRANT IF INSERT KILL LINENO LOAD MERGE OPEN PRINT
    RAISERROR READTEXT RECONFIGURE RESTORE RETURN REVERT REVOKE ROLLBACK SAVE SELECT SET SETUSER SHUTDOWN
    TRIGGER TRUNCATE UPDATE UPDATETEXT USE WAITFOR WHILE WRITETEXT
"""
_STARTERS = frozenset(_STARTER_WORDS.split())
"""Reserved words that begin a statement; TRIGGER with ENABLE or DISABLE before it, which are not reserved."""
_ELSEWHERE = frozenset({"OPENROWSET", "OPENQUERY", "OPENDATASOURCE"})
"""They read files and send statements to other servers, which no rollback here undoes."""
_LOCKS = frozenset({"XLOCK", "TABLOCKX", "UPDLOCK"})
"""Hints by which a reader keeps others from writing, or from reading."""
_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT"})
_UNFINISHED = {*",.=<>+-/(", "SELECT", "FROM", "WHERE", "BY", "AND", "OR", "ON", "AS"}
"""After these a query goes on, and no statement can begin."""
_FILLERS = re.compile("[\u115f\u1160\u3164\uffa0]")
"""Letters that look like blanks: nobody should have to know what the server takes them for."""
_AFTER_DIGIT = re.compile(r"E\d*|X[0-9A-F]*")


def one_select(sql: str) -> str:
    """The only SELECT of a batch, without its remarks. Raises Refused or NotSQL, as `one_read`."""
    statement = one_read(sql, SQL_SERVER)
    code = pieces(statement, SQL_SERVER)
    if code[0].word not in ("SELECT", "WITH", "("):
        raise NotSQL(f"syntax error: no query begins with {code[0].word}")
    n_cases = 0
    n_main = 0
    for place, piece in enumerate(code):
        # A backslash carries a number of bytes (0x) over to the next line; nothing else has use for one.
        if piece.depth < 0 or piece.word in (";", "\\") or _FILLERS.search(piece.word):
            raise NotSQL(f"syntax error near {piece.word!r}")
        if piece.kind != "word":
            continue
        _check_number(code, place)
        _check_forbidden(code, place)
        if piece.word == "CASE":
            n_cases += 1
        elif piece.word == "END" and n_cases:
            n_cases -= 1
        elif piece.word == "SELECT":
            if not _has_place(code, place, is_main_due=code[0].word == "WITH" and not n_main):
                raise Refused("multiple_statements", "the text holds several statements: a second SELECT")
            n_main += piece.depth == 0
        elif piece.word in _STARTERS and not _is_part_of_query(code, place):
            if piece.depth or _word(code, place - 1) in _UNFINISHED:
                raise NotSQL(f"syntax error near the keyword {piece.word}: as a name it wants [brackets]")
            raise Refused("multiple_statements", f"the text holds several: {piece.word} begins another")
    return _without_remarks(statement, code)


def _word(code: list[Piece], place: int) -> str:
    return code[place].word if 0 <= place < len(code) else ""


def _has_place(code: list[Piece], place: int, is_main_due: bool) -> bool:
    """May a SELECT stand here: first, first in brackets, after UNION and its like, or after WITH's list?"""
    before = _word(code, place - 1)
    if before == "ALL":
        before = _word(code, place - 2)
        return before == "UNION"
    return not place or before == "(" or before in _SET_OPERATORS or (is_main_due and before == ")")


def _is_part_of_query(code: list[Piece], place: int) -> bool:
    """Words of `_STARTERS` that a query has a use for: OFFSET … FETCH, MERGE JOIN, OPTION (USE HINT …)."""
    word, before, after = code[place].word, _word(code, place - 1), _word(code, place + 1)
    if word == "FETCH":
        return before in ("ROW", "ROWS") and after in ("NEXT", "FIRST")
    if word == "MERGE":
        return after in ("JOIN", "UNION")
    if word == "USE":
        return code[place].depth > 0 and after in ("HINT", "PLAN")
    return False


def _check_forbidden(code: list[Piece], place: int) -> None:
    word = code[place].word
    if word == "INTO":
        raise Refused("not_a_read", "SELECT … INTO is not a read")
    if word in _ELSEWHERE:
        raise Refused("forbidden", f"{word} reaches beyond the database")
    if word in _LOCKS and code[place].depth > 0:
        raise Refused("forbidden", f"{word} keeps others from their work")
    if word == "VALUE" and _word(code, place - 1) == "NEXT" and _word(code, place + 1) == "FOR":
        raise Refused("forbidden", "NEXT VALUE FOR moves a sequence, and no rollback moves it back")
    if word == "CONVERSATION" and _word(code, place - 1) in ("ON", "END", "GET", "MOVE", "BEGIN"):
        raise Refused("multiple_statements", "the text holds several statements: of a conversation")
    if word == "RECEIVE" and _word(code, place + 1) in ("*", "TOP"):
        raise Refused("multiple_statements", "the text holds several statements: RECEIVE begins another")
    if word == "CALL" and "{" in (_word(code, place - 1), _word(code, place - 3)):  # {call p}, {?=call p}
        raise Refused("multiple_statements", "the text holds several statements: a call")


def _check_number(code: list[Piece], place: int) -> None:
    """A number ends where its digits do: `1eexec` is the number 1e and the word EXEC."""
    piece, back = code[place], place - 1
    if back >= 0 and code[back].word == "." and code[back].last == piece.first:
        back -= 1
    if back < 0 or not code[back].word.isdigit() or code[back].kind != "other":
        return
    is_glued = all(code[k].last == code[k + 1].first for k in range(back, place))
    if is_glued and not _AFTER_DIGIT.fullmatch(piece.word):
        raise NotSQL(f"syntax error: a number runs into {piece.word!r}")


def _without_remarks(statement: str, code: list[Piece]) -> str:
    """The same statement with a blank for all that stands between its pieces, where anything does."""
    parts: list[str] = []
    place = 0
    for piece in code:
        parts += [" " if piece.first > place else "", statement[piece.first : piece.last]]
        place = piece.last
    return "".join(parts)
