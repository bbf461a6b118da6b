"""SQL Server's words: a statement cut up as it does; where it cannot, the word says with which number.

A bad word refuses nothing by itself: what is wrong before it is refused first, as the parser reads on from
word to word.
"""

from __future__ import annotations

import re

from glue.dialects.reading import Kind, Token
from glue.dialects.tsql_errors import TSQLError

_RESERVED = """
    ADD ALL ALTER AND ANY AS ASC AUTHORIZATION BACKUP BEGIN BETWEEN BREAK BROWSE BULK BY CASCADE CASE
    CHECK CHECKPOINT CLOSE CLUSTERED COALESCE COLLATE COLUMN COMMIT COMPUTE CONSTRAINT CONTAINS
    CONTAINSTABLE CONTINUE CONVERT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP
    CURRENT_USER CURSOR DATABASE DBCC DEALLOCATE DECLARE DEFAULT DELETE DENY DESC DISK DISTINCT
    DISTRIBUTED DOUBLE DROP DUMP ELSE END ERRLVL ESCAPE EXCEPT EXEC EXECUTE EXISTS EXIT EXTERNAL FETCH
    FILE FILLFACTOR FOR FOREIGN FREETEXT FREETEXTTABLE FROM FULL FUNCTION GOTO GRANT GROUP HAVING
    HOLDLOCK IDENTITY IDENTITYCOL IDENTITY_INSERT IF IN INDEX INNER INSERT INTERSECT INTO IS JOIN KEY
    KILL LEFT LIKE LINENO LOAD MERGE NATIONAL NOCHECK NONCLUSTERED NOT NULL NULLIF OF OFF OFFSETS ON
    OPEN OPENDATASOURCE OPENQUERY OPENROWSET OPENXML OPTION OR ORDER OUTER OVER PERCENT PIVOT PLAN
    PRECISION PRIMARY PRINT PROC PROCEDURE PUBLIC RAISERROR READ READTEXT RECONFIGURE REFERENCES
    REPLICATION RESTORE RESTRICT RETURN REVERT REVOKE RIGHT ROLLBACK ROWCOUNT ROWGUIDCOL RULE SAVE
    SCHEMA SECURITYAUDIT SELECT SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE
    SEMANTICSIMILARITYTABLE SESSION_USER SET SETUSER SHUTDOWN SOME STATISTICS SYSTEM_USER TABLE
    TABLESAMPLE TEXTSIZE THEN TO TOP TRAN TRANSACTION TRIGGER TRUNCATE TRY_CONVERT TSEQUAL UNION
    UNIQUE UNPIVOT UPDATE UPDATETEXT USE USER VALUES VARYING VIEW WAITFOR WHEN WHERE WHILE WITH
    WRITETEXT
"""
RESERVED = frozenset(_RESERVED.split())
"""Words that name nothing unless they are quoted: Reserved Keywords (Transact-SQL). WITHIN is one before
GROUP only; OFFSET, LIMIT, ROWS, NULLS, TRUE and DATE are none."""

_LONGEST_NAME = 128
_TOKEN = re.compile(
    r"""
    (?:\s|--[^\n]*)*+
    (?:
      (?P<comment>/\*)
    | (?P<text>[nN]?'[^']*(?:''[^']*)*+')
    | (?P<quoted>"(?:[^"]|"")*+"|\[(?:[^\]]|\]\])*+\])
    | (?P<open>[nN]?'|["\[])
    | (?P<number>0[xX][0-9a-fA-F]*
        | [$£€¥](?:\d+(?:\.\d*)?|\.\d+|(?![\w.]))
        | (?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+|[eE](?!\w))?)
    | (?P<word>(?:[^\W\d]|\#)[\w@$\#]*)
    | (?P<bind>@[\w@$\#]*)
    | (?P<end>\Z)
    | (?P<sign>::|<\s*[=>]|>\s*=|!\s*[=<>]|.)
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_SIGN = re.compile(r"/\*|\*/")


def tokens_of(sql: str) -> list[Token]:
    """The words of a statement, `end` after the last one; what is none is `bad` and says its error."""
    found: list[Token] = []
    place = 0
    while place >= 0:
        place = _read_words(sql, place, found)
    found.append(Token("end", "", len(sql), ""))
    return found


def _read_words(sql: str, place: int, found: list[Token]) -> int:
    """Adds the words up to a comment: where that ends, -1 where no words are left."""
    for match in _TOKEN.finditer(sql, place):
        kind: str = match.lastgroup  # type: ignore[assignment]
        start = match.start(kind)
        if kind == "end":
            break
        if kind == "comment":
            end = _comment_end(sql, start)
            if end < 0:
                found.append(_bad(sql[start:], start, "113", "a comment is not closed"))
            return end
        if kind == "open":
            found.append(_bad(sql[start:], start, "105", "a quotation is not closed"))
            break
        found.append(_token(kind, match[kind], start))  # type: ignore[arg-type]
    return -1


def _comment_end(sql: str, start: int) -> int:
    """Behind the comment; those in it have ends of their own. -1 where there is none."""
    depth = 0
    for match in _COMMENT_SIGN.finditer(sql, start):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return -1


def _bad(text: str, start: int, code: str, why: str) -> Token:
    return Token("bad", text, start, "", TSQLError(code, why))


def _token(kind: Kind, text: str, start: int) -> Token:
    if kind == "sign":
        return Token(kind, text, start, text if len(text) == 1 else "".join(text.split()))
    if len(text) > _LONGEST_NAME and kind in ("word", "quoted", "bind"):
        n_letters = len(text) if kind != "quoted" else len(text[1:-1].replace(text[-1] * 2, text[-1]))
        if n_letters > _LONGEST_NAME:
            return _bad(text, start, "103", f"a name has more than {_LONGEST_NAME} letters")
    if kind == "quoted" and len(text) == 2:
        return _bad(text, start, "1038", "a quoted name has no letters")
    return Token(kind, text, start, text.upper() if kind in ("word", "bind") else text)
