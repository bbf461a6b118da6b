"""The statements of a script, cut up as the dialect's own client does it, each with its file and line.

Oracle's scripts are SQL*Plus's: lines of its own commands (PROMPT, SET, REM, …), `@file` for another script,
a line with `/` behind PL/SQL. SQL Server's have lines with GO, and its statements need no sign at their end.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SQLPLUS = """
    ACCEPT APPEND ARCHIVE ATTRIBUTE BREAK BTITLE CHANGE CLEAR COLUMN COMPUTE CONNECT COPY DEFINE DEL DESC
    DESCRIBE DISCONNECT EDIT EXEC EXECUTE EXIT HELP HOST INPUT LIST PASSWORD PAUSE PRINT PROMPT QUIT
    RECOVER REM REMARK REPFOOTER REPHEADER RUN SAVE SHOW SHUTDOWN SPOOL STARTUP STORE TIMING TTITLE
    UNDEFINE VARIABLE WHENEVER XQUERY
"""
_COMMANDS = frozenset(_SQLPLUS.split())
_SET_OF_SQL = re.compile(r"set\s+(transaction|role|constraints?)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_RUN_FILE = re.compile(r"(?:@@?|start\s+)\s*(?P<file>[^\s;]+)", re.IGNORECASE)
_OF_PROCEDURES = re.compile(
    r"(begin|declare|<<|create\s+(or\s+replace\s+)?((non)?editionable\s+)?"
    r"(procedure|function|trigger|package|type\s+body|type|library)\b)",
    re.IGNORECASE,
)
_BATCH_END = re.compile(r"go(\s+\d+)?", re.IGNORECASE)
_TSQL_BEGINNINGS = re.compile(
    r"(create|insert|update|delete|alter|drop|use|print|exec|execute|declare|truncate|grant|select|if"
    r"|begin|commit|rollback|set)\b",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"""
      (?P<quoted>'(?:[^']|'')*'|"[^"]*"|\[[^\]\n]*\]|[nN]?[qQ]'(?P<delimiter>\S))
    | (?P<comment>--[^\n]*|/\*.*?\*/)
    | (?P<end>;)
    | (?P<line>\n)
    | (?P<bracket>[()])
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {"[": "]", "(": ")", "{": "}", "<": ">"}
_BLOCK = re.compile(r"(?:declare\b(?P<declared>.*?))?\bbegin\b(?P<body>.*)\bend\b\s*;?\s*", re.I | re.S)
_BRACKETED = re.compile(r"\([^()]*(\([^()]*(\([^()]*\)[^()]*)*\)[^()]*)*\)")
_VERB = re.compile(r"\b(values|select|update|delete|insert)\b", re.IGNORECASE)
_BLANKS = re.compile(r"(?:\s+|--[^\n]*|/\*.*?\*/)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement without the sign at its end, or (`is_command`) a line for the client alone."""

    text: str
    path: str
    line: int
    is_command: bool = False


def statements_of(path: Path, dialect: str) -> Iterator[Statement]:
    """The statements of a script, and of those that it runs, in their order. FileNotFoundError for none."""
    yield from statements_in(path.read_text(encoding="utf-8-sig", errors="replace"), dialect, path)


def statements_in(text: str, dialect: str, path: Path = Path("-")) -> Iterator[Statement]:
    """The statements of a script's text; files that it names are looked for beside `path`."""
    text = text.replace("\r\n", "\n")
    if dialect == "oracle":
        yield from _oracle_statements(text, path)
    else:
        yield from _tsql_statements(text, path)


def _oracle_statements(text: str, path: Path) -> Iterator[Statement]:
    place, line_ends = 0, _line_ends(text)
    while (place := _BLANKS.match(text, place).end()) < len(text):  # type: ignore[union-attr]
        line_number = bisect_left(line_ends, place) + 1
        line = text[place : _line_end(text, place)]
        if _is_command(line):
            place = _line_end(text, place)
            yield from _commanded(line, path, line_number)
            continue
        place, said = _oracle_statement(text, place)
        if said:
            yield Statement(said, str(path), line_number)


def _line_ends(text: str) -> list[int]:
    return [mark.start() for mark in re.finditer("\n", text)]


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _is_command(line: str) -> bool:
    if line.startswith("@"):
        return True
    word = _WORD.match(line)
    if word is None:
        return False
    named = word[0].upper()
    if named == "SET":
        return not _SET_OF_SQL.match(line)
    return named in _COMMANDS or (named == "START" and bool(_RUN_FILE.match(line)))


def _commanded(line: str, path: Path, line_number: int) -> Iterator[Statement]:
    """The command; where it runs a file that is there, that file's statements instead."""
    named = _RUN_FILE.match(line)
    if named:
        file = path.parent / named["file"].strip("'\"")
        found = file if file.suffix else file.with_suffix(".sql")
        if found.exists() and found.resolve() != path.resolve():
            yield from statements_of(found, "oracle")
            return
    yield Statement(line.strip(), str(path), line_number, is_command=True)


def _oracle_statement(text: str, start: int) -> tuple[int, str]:
    """Where the next statement begins, and this one: up to `;`, or, with PL/SQL in it, to a line with `/`."""
    needs_slash = bool(_OF_PROCEDURES.match(text, start))
    place = start
    if _is_slash_line(text, start):
        return _line_end(text, start), ""
    while mark := _MARK.search(text, place):
        place = mark.end()
        if mark["delimiter"]:
            place = _q_end(text, mark)
        elif mark["end"] and not needs_slash:
            return place, text[start : mark.start()].strip()
        elif mark["line"] and _is_slash_line(text, place):
            return _line_end(text, place), text[start:place].strip()
    return len(text), text[start:].strip()


def statements_of_block(block: Statement) -> list[Statement] | None:
    """What an anonymous block of PL/SQL does, one after another. None where it is none."""
    said = _BLOCK.fullmatch(block.text)
    if said is None:
        return None
    found: list[Statement] = []
    for part in ("declared", "body"):
        text, place = said[part] or "", 0
        before = block.line + block.text.count("\n", 0, max(said.start(part), 0))
        line_ends = _line_ends(text)
        while (place := _BLANKS.match(text, place).end()) < len(text):  # type: ignore[union-attr]
            line = before + bisect_left(line_ends, place)
            place, statement = _oracle_statement(text, place)
            found.append(Statement(statement, block.path, line))
    return found


def _is_slash_line(text: str, place: int) -> bool:
    return text[place : _line_end(text, place)].strip() == "/"


def _q_end(text: str, mark: re.Match[str]) -> int:
    closing = _CLOSING.get(mark["delimiter"], mark["delimiter"]) + "'"
    end = text.find(closing, mark.end())
    return len(text) if end < 0 else end + len(closing)


def _tsql_statements(text: str, path: Path) -> Iterator[Statement]:
    """Statements end at `;`, at GO, and before a line that begins another one."""
    start = place = depth = 0
    line_ends = _line_ends(text)
    ends: list[tuple[int, int]] = []
    while mark := _MARK.search(text, place):
        place = mark.end()
        if mark["bracket"]:
            depth += 1 if mark["bracket"] == "(" else -1
        elif mark["end"] and depth <= 0:
            ends.append((mark.start(), place))
        elif mark["line"]:
            line = text[place : _line_end(text, place)].strip()
            if _BATCH_END.fullmatch(line):
                ends.append((place, _line_end(text, place)))
                place, depth = _line_end(text, place), 0
            elif depth <= 0 and _begins(line, text[ends[-1][1] if ends else 0 : place]):
                ends.append((place, place))
    for end, next_start in [*ends, (len(text), len(text))]:
        said_from = _BLANKS.match(text, start).end()  # type: ignore[union-attr]
        said = text[said_from:end].strip()
        if said and not _BATCH_END.fullmatch(said):
            yield _tsql_statement(said, path, bisect_left(line_ends, said_from) + 1)
        start = next_start


def _begins(line: str, before: str) -> bool:
    """Does the line begin a statement, and not go on with INSERT's SELECT or a query's next part?"""
    word = _TSQL_BEGINNINGS.match(line)
    if word is None:
        return False
    words = re.sub(r"--[^\n]*|/\*.*?\*/", " ", before, flags=re.DOTALL).split()
    if not words:
        return False
    first, last = words[0].upper(), words[-1].upper()
    if first == "SET" or word[0].upper() == "SET":
        return first not in ("UPDATE", "MERGE")
    verbs = [verb.upper() for verb in _VERB.findall(_BRACKETED.sub("", " ".join(words)))]
    if verbs[-1:] == ["INSERT"] or (first == "WITH" and not verbs):
        return False
    if word[0].upper() != "SELECT":
        return last not in ("ON", "AS", "FOR", "WITH")
    return last not in ("AS", "UNION", "ALL", "EXCEPT", "INTERSECT")


def _tsql_statement(text: str, path: Path, line: int) -> Statement:
    is_command = bool(re.match(r"(set(?!\s+@)|use|print)\b", text, re.IGNORECASE))
    return Statement(text, str(path), line, is_command)
