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
      (?P<blank>\s+|--[^\n]*)
    | (?P<comment>/\*)
    | (?P<text>[nN]?'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*"|\[(?:[^\]]|\]\])*\])
    | (?P<number>0[xX][0-9a-fA-F]*
        | [$£€¥](?:\d+(?:\.\d*)?|\.\d+|(?![\w.]))
        | (?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+|[eE](?!\w))?)
    | (?P<word>(?:[^\W\d]|\#)[\w@$\#]*)
    | (?P<bind>@[\w@$\#]*)
    | (?P<open>[nN]?'|["\[])
    | (?P<sign>::|<\s*[=>]|>\s*=|!\s*[=<>]|.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens_of(sql: str) -> list[Token]:
    """The words of a statement, `end` after the last one; what is none is `bad` and says its error."""
    found: list[Token] = []
    place = 0
    while match := _TOKEN.match(sql, place):
        start, place, kind = place, match.end(), match.lastgroup
        if kind == "comment":
            place = _comment_end(sql, start)
            if place < 0:
                place = len(sql)
                found.append(_bad(sql[start:], start, "113", "a comment is not closed"))
        elif kind == "open":
            place = len(sql)
            found.append(_bad(sql[start:], start, "105", "a quotation is not closed"))
        elif kind != "blank":
            found.append(_token(kind, sql[start:place], start))  # type: ignore[arg-type]
    found.append(Token("end", "", len(sql), ""))
    return found


def _comment_end(sql: str, start: int) -> int:
    """Behind the comment; those in it have ends of their own. -1 where there is none."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(sql, start):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return -1


def _bad(text: str, start: int, code: str, why: str) -> Token:
    return Token("bad", text, start, "", TSQLError(code, why))


def _token(kind: Kind, text: str, start: int) -> Token:
    if kind == "sign":
        return Token(kind, text, start, "".join(text.split()))
    if kind == "quoted":
        n_letters = len(text[1:-1].replace(text[-1] * 2, text[-1]))
        if n_letters == 0:
            return _bad(text, start, "1038", "a quoted name has no letters")
    else:
        n_letters = len(text)
    if kind in ("word", "quoted", "bind") and n_letters > _LONGEST_NAME:
        return _bad(text, start, "103", f"a name has more than {_LONGEST_NAME} letters")
    return Token(kind, text, start, text.upper() if kind in ("word", "bind") else text)
