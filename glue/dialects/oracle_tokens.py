"""Oracle's words: a statement cut up as Oracle does it; what it cannot cut up is refused as Oracle does."""

from __future__ import annotations

import re

from glue.dialects.oracle_errors import OracleError
from glue.dialects.reading import Kind, Token

_RESERVED = """
    ACCESS ADD ALL ALTER AND ANY AS ASC AUDIT BETWEEN BY CHAR CHECK CLUSTER COLUMN COLUMN_VALUE
    COMMENT COMPRESS CONNECT CREATE CURRENT DATE DECIMAL DEFAULT DELETE DESC DISTINCT DROP ELSE
    EXCLUSIVE EXISTS FILE FLOAT FOR FROM GRANT GROUP HAVING IDENTIFIED IMMEDIATE IN INCREMENT INDEX
    INITIAL INSERT INTEGER INTERSECT INTO IS LEVEL LIKE LOCK LONG MAXEXTENTS MINUS MLSLABEL MODE
    MODIFY NESTED_TABLE_ID NOAUDIT NOCOMPRESS NOT NOWAIT NULL NUMBER OF OFFLINE ON ONLINE OPTION OR
    ORDER PCTFREE PRIOR PUBLIC RAW RENAME RESOURCE REVOKE ROW ROWID ROWNUM ROWS SELECT SESSION SET
    SHARE SIZE SMALLINT START SUCCESSFUL SYNONYM SYSDATE TABLE THEN TO TRIGGER UID UNION UNIQUE
    UPDATE USER VALIDATE VALUES VARCHAR VARCHAR2 VIEW WHENEVER WHERE WITH
"""
RESERVED = frozenset(_RESERVED.split())
"""Words that name nothing unless they are quoted: SQL Language Reference 19c, Oracle SQL Reserved Words."""

_LONGEST_NAME = 128
_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|--[^\n]*|/\*.*?\*/)
    | (?P<q>[nN]?[qQ]'(?P<delimiter>\S))
    | (?P<text>[nN]?'(?:[^']|'')*')
    | (?P<quoted>"[^"\0]*")
    | (?P<number>(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)
    | (?P<word>[^\W\d_][\w$#]*)
    | (?P<bind>:\s*\w+)
    | (?P<sign>\|\||<=|>=|<>|!=|\^=|~=|=>|\*\*|[-+*/(),.=<>@;|\[\]])
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {"[": "]", "(": ")", "{": "}", "<": ">"}


def tokens_of(sql: str) -> list[Token]:
    """The words of a statement, `end` after the last one. Raises OracleError for what is no word."""
    found: list[Token] = []
    place = 0
    while place < len(sql):
        match = _TOKEN.match(sql, place)
        if match is None:
            raise _no_word(sql, place)
        start, place, kind = place, match.end(), match.lastgroup
        if match["q"]:
            end = sql.find(_CLOSING.get(match["delimiter"], match["delimiter"]) + "'", place)
            if end < 0:
                raise OracleError("ORA-01756", "a quoted text is not closed")
            place, kind = end + 2, "text"
        if kind != "blank":
            found.append(_token(kind, sql[start:place], start))  # type: ignore[arg-type]
    found.append(Token("end", "", len(sql), ""))
    return found


def text_of(written: str) -> tuple[str, bool]:
    """What a text in quotes says, and whether it is a national one: N'it''s' is it's, q'[it's]' too."""
    is_national = written[0] in "nN"
    if written[is_national] in "qQ":
        return written[is_national + 3 : -2], is_national
    return written[is_national + 1 : -1].replace("''", "'"), is_national


def _token(kind: Kind, text: str, start: int) -> Token:
    if text == '""':
        raise OracleError("ORA-01741", "a quoted name has no letters")
    if kind in ("word", "quoted") and len(text.strip('"').encode()) > _LONGEST_NAME:
        raise OracleError("ORA-00972", f"a name has more than {_LONGEST_NAME} bytes")
    return Token(kind, text, start, text.upper() if kind == "word" else text)


def _no_word(sql: str, place: int) -> OracleError:
    if sql[place] == "'":
        return OracleError("ORA-01756", "a quoted text is not closed")
    if sql[place] == '"':
        return OracleError("ORA-01740", "a quoted name is not closed")
    return OracleError("ORA-00911", f"{sql[place]!r} is no character of a statement")
