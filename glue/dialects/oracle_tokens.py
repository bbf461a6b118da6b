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
"""In bytes, of which a letter has four at the most."""
_TOKEN = re.compile(
    r"""
    (?:\s|--[^\n]*|/\*.*?\*/)*+
    (?:
      (?P<text>
        [nN]?[qQ]'(?:\[.*?\]|\(.*?\)|\{.*?\}|<.*?>|(?P<delimiter>[^\s\[({<]).*?(?P=delimiter))'
      | [nN]?'[^']*(?:''[^']*)*+'
      )
    | (?P<quoted>"[^"\0]+")
    | (?P<unclosed>[nN]?(?:[qQ]'\S|')|""|")
    | (?P<number>(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)
    | (?P<word>[^\W\d_][\w$#]*)
    | (?P<bind>:\s*\w+)
    | (?P<sign>\|\||<=|>=|<>|!=|\^=|~=|=>|\*\*|[-+*/(),.=<>@;|\[\]])
    | (?P<end>\Z)
    | (?P<bad>.)
    )
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens_of(sql: str) -> list[Token]:
    """The words of a statement, `end` after the last one. Raises OracleError for what is no word."""
    found: list[Token] = []
    for match in _TOKEN.finditer(sql):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        text = match[kind]
        if kind in ("bad", "unclosed"):
            error = _no_word(text)
            error.place = match.start(kind)
            raise error
        token = Token(kind, text, match.start(kind), text.upper() if kind == "word" else text)
        if len(text) > _LONGEST_NAME // 4:
            _refuse_long_name(token)
        found.append(token)
        if kind == "end":
            break
    return found


def text_of(written: str) -> tuple[str, bool]:
    """What a text in quotes says, and whether it is a national one: N'it''s' is it's, q'[it's]' too."""
    is_national = written[0] in "nN"
    if written[is_national] in "qQ":
        return written[is_national + 3 : -2], is_national
    return written[is_national + 1 : -1].replace("''", "'"), is_national


def _refuse_long_name(token: Token) -> None:
    if token.kind in ("word", "quoted") and len(token.text.strip('"').encode()) > _LONGEST_NAME:
        raise OracleError("ORA-00972", f"a name has more than {_LONGEST_NAME} bytes")


def _no_word(text: str) -> OracleError:
    if text == '""':
        return OracleError("ORA-01741", "a quoted name has no letters")
    if text == '"':
        return OracleError("ORA-01740", "a quoted name is not closed")
    if "'" in text:
        return OracleError("ORA-01756", "a quoted text is not closed")
    return OracleError("ORA-00911", f"{text!r} is no character of a statement")
