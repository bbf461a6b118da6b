"""Is a text one read? Asked before a server sees it, so that nothing else is ever sent there.

What a server then makes of the text is its own business: its transaction may only read, and its user may only
select. The scanner knows remarks, quotes and brackets of each server's SQL, no more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from glue.engines.base import NotSQL, Refused

_READS = {"SELECT", "WITH", "VALUES", "TABLE"}
_WRITES_AFTER_WITH = {"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE"}
_OTHERS = """
    ABORT ALTER ANALYSE ANALYZE ATTACH AUDIT BACKUP BEGIN BINLOG CACHE CALL CHANGE CHECK CHECKPOINT
    CHECKSUM CLOSE CLUSTER COMMENT COMMIT COPY CREATE DBCC DEALLOCATE DECLARE DELETE DENY DESC DESCRIBE
    DETACH DISCARD DO DROP END EXEC EXECUTE EXPLAIN FETCH FLASHBACK FLUSH GRANT HANDLER HELP IMPORT
    INSERT INSTALL KILL LISTEN LOAD LOCK MERGE MOVE NOAUDIT NOTIFY OPTIMIZE PRAGMA PREPARE PRINT PURGE
    REASSIGN REFRESH REINDEX RELEASE RENAME REPAIR REPLACE RESET RESIGNAL RESTORE REVOKE ROLLBACK
    SAVEPOINT SECURITY SET SHOW SHUTDOWN SIGNAL START STOP TRUNCATE UNINSTALL UNLISTEN UNLOCK UPDATE USE
    VACUUM WAITFOR XA
"""
_OTHER_STATEMENTS = frozenset(_OTHERS.split())


@dataclass(frozen=True)
class Lexis:
    """How a server's SQL writes what is not code: remarks, texts and quoted names."""

    has_hash_remarks: bool = False  # '# …', and '--' only before a blank: MySQL
    has_nested_remarks: bool = False  # /* /* */ */: PostgreSQL, SQL Server
    has_executable_remarks: bool = False  # /*! code */: MySQL
    has_backslashes: bool = False  # 'it\'s': MySQL
    has_dollar_quotes: bool = False  # $tag$…$tag$, and E'it\'s': PostgreSQL
    has_q_quotes: bool = False  # q'[…]': Oracle
    has_square_brackets: bool = False  # [name]: SQL Server


POSTGRESQL = Lexis(has_nested_remarks=True, has_dollar_quotes=True)
MYSQL = Lexis(has_hash_remarks=True, has_executable_remarks=True, has_backslashes=True)
ORACLE = Lexis(has_q_quotes=True)
SQL_SERVER = Lexis(has_nested_remarks=True, has_square_brackets=True)

_WORD = re.compile(r"[^\W\d][\w$#]*")
_WORD_BEFORE_HASH = re.compile(r"[^\W\d][\w$]*")
_BEFORE_REMARK = re.compile(r"[\x00-\x20\x7f]|\Z")
_BLANK = re.compile(r"\s+")
_DOLLAR = re.compile(r"\$(?:[^\W\d]\w*)?\$")
_Q_QUOTE = re.compile(r"[nN]?[qQ]'(.)", re.DOTALL)
_Q_PAIRS = {"[": "]", "(": ")", "{": "}", "<": ">"}
_EXECUTABLE = re.compile(r"/\*M?!\d*")


_SIMPLE = re.compile(
    r"\s*+([sS][eE][lL][eE][cC][tT](?![\w$#])"
    r"""(?:[^'"`;$#\\\[\0/-]++|'[^'\\\0]*+'|"[^"\\\0]*+"|`[^`\\\0]*+`|-(?!-)|/(?!\*))*+)"""
    r"(;?)\s*+"
)
"""A SELECT that all but Oracle cut up alike: no remarks, backslashes, dollars, square brackets."""
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`""")


def one_read(sql: str, lexis: Lexis) -> str:
    """The only statement of a text, without what ends it, where it is a read.

    What stands in executable remarks is code of it, and they are none any more: see `_without_edges`.
    Raises Refused (empty, multiple_statements, not_a_read), or NotSQL where it begins like no statement.
    """
    if not lexis.has_q_quotes and (simple := _SIMPLE.fullmatch(sql)):  # most are; the scan takes far longer
        statement, ending = simple.groups()
        if not ending or not _is_open(statement):
            return statement.rstrip()
    return scanned_read(sql, lexis)


def scanned_read(sql: str, lexis: Lexis) -> str:
    """As `one_read`, whatever the text: piece by piece."""
    if "\0" in sql:
        raise NotSQL("the text holds a null character")
    found: list[tuple[int, int, list[str]]] = []  # start, end, and the words outside brackets
    depth, is_new = 0, True
    edges: list[tuple[int, int]] = []  # of executable remarks
    for kind, first, last in _pieces(sql, lexis):
        if kind == "edge":
            edges.append((first, last))
            continue
        if kind == ";" and depth <= 0:
            depth, is_new = 0, True
            continue
        start, _, words = (first, last, []) if is_new else found.pop()
        found.append((start, last, words))
        if is_new or (kind == "word" and depth == 0):
            words.append(sql[first:last].upper() if kind in ("word", "(") else "")
        is_new = False
        depth += {"(": 1, ")": -1}.get(kind, 0)
    if not found:
        raise Refused("empty", "the text holds no statement")
    if len(found) > 1:
        raise Refused("multiple_statements", f"the text holds {len(found)} statements")
    start, end, words = found[0]
    statement = _without_edges(sql, start, end, edges)
    _check_verb(statement, words)
    return statement


def _without_edges(sql: str, start: int, end: int, edges: list[tuple[int, int]]) -> str:
    """A statement with a blank for each edge of an executable remark.

    Which of these remarks a server runs hangs on its version. One that skips a remark would see other code
    than was looked at here: another verb, or what stood between two quotes.
    """
    parts: list[str] = []
    for first, last in edges:
        if start <= first < end:
            parts += [sql[start:first], " "]
            start = last
    return "".join([*parts, sql[start:end]])


def _is_open(statement: str) -> bool:
    """Has it more brackets that open than brackets that close?"""
    bare = _QUOTED.sub("", statement)
    return bare.count("(") > bare.count(")")


def code_words(sql: str, lexis: Lexis) -> list[str]:
    """The words, `names` and brackets of a text in capitals, without remarks; all else as a full stop."""
    words = []
    for kind, first, last in _pieces(sql, lexis):
        is_told = kind in ("word", "(", ")") or sql[first] == "`"
        if kind != "edge":
            words.append(sql[first:last].upper() if is_told else ".")
    return words


@dataclass(frozen=True)
class Piece:
    """One piece of code: its kind, where it stands, how many brackets are open around it, and its word."""

    kind: str  # word, text, (, ), ; or other
    first: int
    last: int
    depth: int
    word: str  # in capitals, and as plain letters; the piece itself where it is no word, '' for a text


def pieces(sql: str, lexis: Lexis) -> list[Piece]:
    """The code of a text, without remarks and blanks, for servers that need a closer look than `one_read`."""
    found, depth = [], 0
    for kind, first, last in _pieces(sql, lexis):
        depth -= kind == ")"
        word = "" if kind == "text" else unicodedata.normalize("NFKC", sql[first:last]).upper()
        found.append(Piece(kind, first, last, depth, word))
        depth += kind == "("
    return found


def _check_verb(statement: str, words: list[str]) -> None:
    verb = words[0]
    if verb == "WITH":
        main = next((word for word in words if word in _WRITES_AFTER_WITH | {"SELECT"}), "SELECT")
        if main != "SELECT":
            raise Refused("not_a_read", f"WITH … {main} is not a read")
    elif verb in _OTHER_STATEMENTS:
        raise Refused("not_a_read", f"{verb} is not a read")
    elif verb not in _READS and verb != "(":
        opening = " ".join(statement.split())[:40]
        raise NotSQL(f"syntax error: no statement begins with {opening!r}")


def _pieces(sql: str, lexis: Lexis) -> Iterator[tuple[str, int, int]]:
    """The code of a text as (kind, start, end): word, text, (, ), ; or other; no remarks or blanks.

    `edge` is where an executable remark begins or ends.
    """
    place, length = 0, len(sql)
    words = _WORD_BEFORE_HASH if lexis.has_hash_remarks else _WORD
    executable = 0
    while place < length:
        start, char = place, sql[place]
        if blank := _BLANK.match(sql, place):
            place = blank.end()
            continue
        if lexis.has_executable_remarks and (opening := _EXECUTABLE.match(sql, place)):
            place, executable = opening.end(), executable + 1
            yield "edge", start, place
            continue
        if executable and sql.startswith("*/", place):
            place, executable = place + 2, executable - 1
            yield "edge", start, place
            continue
        if (after := _after_remark(sql, place, lexis)) is not None:
            place = after
            continue
        place, kind = _after_text(sql, place, lexis)
        if place == start:
            word = words.match(sql, place)
            place = word.end() if word else place + 1
            kind = "word" if word else char if char in "();" else "other"
        yield kind, start, place


def _after_remark(sql: str, place: int, lexis: Lexis) -> int | None:
    """Where a remark that begins here ends; None where none does."""
    is_line = sql.startswith("--", place)
    if is_line and lexis.has_hash_remarks:  # MySQL: 5--1 is 6
        is_line = _BEFORE_REMARK.match(sql, place + 2) is not None
    if is_line or (lexis.has_hash_remarks and sql[place] == "#"):
        end = sql.find("\n", place)
        return len(sql) if end < 0 else end + 1
    if not sql.startswith("/*", place):
        return None
    depth, place = 1, place + 2
    while depth and place < len(sql):
        closing = sql.find("*/", place)
        opening = sql.find("/*", place) if lexis.has_nested_remarks else -1
        if closing < 0:
            return len(sql)
        if 0 <= opening < closing:
            depth, place = depth + 1, opening + 2
        else:
            depth, place = depth - 1, closing + 2
    return place


def _after_text(sql: str, place: int, lexis: Lexis) -> tuple[int, str]:
    """Where a text or a quoted name that begins here ends, and 'text'; the same place where none does."""
    char = sql[place]
    if lexis.has_q_quotes and (opening := _Q_QUOTE.match(sql, place)):
        end = sql.find(_Q_PAIRS.get(opening[1], opening[1]) + "'", opening.end())
        return (len(sql) if end < 0 else end + 2), "text"
    if lexis.has_dollar_quotes:
        if opening := _DOLLAR.match(sql, place):
            end = sql.find(opening[0], opening.end())
            return (len(sql) if end < 0 else end + len(opening[0])), "text"
        if char in "eE" and sql.startswith("'", place + 1):
            return _after_quote(sql, place + 1, "'", has_backslashes=True), "text"
    if char == "'" or (char == '"' and lexis.has_backslashes):
        return _after_quote(sql, place, char, lexis.has_backslashes), "text"
    if char in '"`':
        return _after_quote(sql, place, char, has_backslashes=False), "text"
    if char == "[" and lexis.has_square_brackets:
        return _after_quote(sql, place, "]", has_backslashes=False), "text"
    return place, "other"


def _after_quote(sql: str, place: int, closing: str, has_backslashes: bool) -> int:
    """Where a quote that begins here ends: a doubled quote is part of it, and what a backslash hides."""
    place += 1
    while place < len(sql):
        if has_backslashes and sql[place] == "\\":
            place += 2
        elif sql[place] != closing:
            place += 1
        elif sql.startswith(closing * 2, place):
            place += 2
        else:
            return place + 1
    return len(sql)
