"""INSERT as scripts have it: which table and columns, and its rows or its query.

A value that is written out (a text, a number, a date) is read here; any other expression stays a text, for
the dialect to say what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from glue.dialects.definitions import Reader
from glue.dialects.local import Settings
from glue.dialects.oracle_dates import DATE_MODEL, TIMESTAMP_MODEL, moment_of
from glue.dialects.oracle_tokens import text_of
from glue.dialects.reading import Token
from glue.dialects.stored_types import FineMoment

_HEAD = re.compile(r"insert\s+into\s+[\w.$#\"\[\]]+\s*(?:\([^()']*\)\s*)?values\s*(?=\()", re.IGNORECASE)
_PLAIN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<whole>-?\d+)(?![\w.])|(?P<number>-?\d+\.\d+)(?!\w)"
    r"|(?P<null>null)\b)\s*(?P<end>[,)])",
    re.IGNORECASE,
)
_NEXT_ROW = re.compile(r"\s*,\s*\(")
_END = re.compile(r"\s*;?\s*")
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_ISO_MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?")
_FINE = re.compile(r"(?P<kept>.*[.:]\d{6})(?P<cut>\d{1,3})")
_TO_BYTES = ["UTL_RAW", ".", "CAST_TO_RAW", "("]


@dataclass(frozen=True, slots=True)
class Expression:
    """A value that has to be asked for."""

    text: str


class Default:
    """DEFAULT in a row: the column's own."""


@dataclass(slots=True)
class Insert:
    """An INSERT: `columns` is None where none are named, `query` a text where its rows come from a query."""

    table: str
    columns: list[str] | None
    rows: list[list[Any]]
    query: str | None = None


class PlainInserts:
    """INSERTs of nothing but texts, numbers and NULLs that begin as one before did: read at once."""

    def __init__(self, is_oracle: bool) -> None:
        self._is_oracle = is_oracle
        self._heads: dict[str, tuple[str, list[str] | None]] = {}

    def remember(self, sql: str, insert: Insert) -> None:
        """How this INSERT begins, and what that says."""
        head = _HEAD.match(sql)
        if head:
            self._heads[head[0]] = insert.table, insert.columns

    def read(self, sql: str) -> Insert | None:
        """The INSERT, or None for one that has to be read in earnest."""
        head = _HEAD.match(sql)
        if head is None or head[0] not in self._heads:
            return None
        rows: list[list[Any]] = []
        place = head.end() + 1
        while True:
            row: list[Any] = []
            rows.append(row)
            while found := _PLAIN.match(sql, place):
                place = found.end()
                row.append(self._value(found))
                if found["end"] == ")":
                    break
            else:
                return None
            following = _NEXT_ROW.match(sql, place)
            if following is None:
                table, columns = self._heads[head[0]]
                return Insert(table, columns, rows) if _END.fullmatch(sql, place) else None
            place = following.end()

    def _value(self, found: re.Match[str]) -> Any:
        if found["text"]:
            text = found["text"][1:-1].replace("''", "'")
            return text or (None if self._is_oracle else text)
        if found["whole"]:
            return int(found["whole"])
        return Decimal(found["number"]) if found["number"] else None


class InsertReader(Reader):
    """An INSERT. `variables` are those of the PL/SQL around it, by their names in capitals."""

    def __init__(self, sql: str, dialect: str, settings: Settings, variables: Mapping[str, Any]) -> None:
        super().__init__(sql, dialect, settings.version)
        self._now = settings.now
        self._variables = variables

    def insert(self) -> Insert:
        """The statement as it was written. DialectError where it is none."""
        words = self.words
        words.want("INSERT")
        if not words.take("INTO") and self.is_oracle:
            raise words.refused("ORA-00925", "INTO is missing")
        found = Insert(self.table_name(), None, [])
        if words.comes("(") and not words.begins_query():
            found.columns = self.names()
        if words.take("DEFAULT", "VALUES"):
            found.columns, found.rows = [], [[]]
        elif words.take("VALUES"):
            found.rows.append(self._row())
            while words.take(","):
                found.rows.append(self._row())
            self._end()
        elif words.begins_query():
            found.query = self.sql[words.token.start :]
        else:
            raise words.refused("ORA-00926" if self.is_oracle else words.MISSING, "VALUES is missing")
        return found

    def _end(self) -> None:
        self.words.take(";")
        if self.words.token.kind != "end":
            raise self.words.refused("ORA-00933" if self.is_oracle else "102", "the statement should end")

    def _row(self) -> list[Any]:
        self.words.want("(", "ORA-00906" if self.is_oracle else "")
        values = [self.value()]
        while self.words.take(","):
            values.append(self.value())
        self.words.want(")", "ORA-00917" if self.is_oracle else "")
        return values

    def value(self) -> Any:
        """The next expression of a list: its value, a Default, or an Expression."""
        place = self.words.place
        while not self.words.comes_any({",", ")"}) and self.words.token.kind != "end":
            self._skip_one()
        tokens = self.words.since(place)
        if not tokens:
            raise self.words.refused("ORA-00936" if self.is_oracle else "102", "a value is missing")
        known, value = literal(tokens, self.is_oracle, self._variables)
        if not known and self.is_oracle:
            known, value = _moment_called(tokens, self._now)
        return value if known else Expression(self.text_since(place))


def literal(tokens: list[Token], is_oracle: bool, variables: Mapping[str, Any]) -> tuple[bool, Any]:
    """Whether these words are a value that is written out, and the value."""
    if len(tokens) == 1:
        return _single(tokens[0], is_oracle, variables)
    if len(tokens) == 2:
        return _pair(tokens[0], tokens[1], is_oracle)
    if is_oracle and [token.upper for token in tokens[:4]] == _TO_BYTES and tokens[-1].upper == ")":
        known, value = literal(tokens[4:-1], is_oracle, variables)
        is_text = known and isinstance(value, str)
        return is_text, value.encode() if is_text else None
    if is_oracle and len(tokens) % 2 and all(token.upper == "||" for token in tokens[1::2]):
        parts = [_single(token, is_oracle, variables) for token in tokens[::2]]
        if all(known and isinstance(value, str | None) for known, value in parts):
            return True, "".join(value or "" for _, value in parts) or None
    return False, None


def _single(token: Token, is_oracle: bool, variables: Mapping[str, Any]) -> tuple[bool, Any]:
    if token.kind == "text":
        text, _ = text_of(token.text)
        return True, None if is_oracle and not text else text
    if token.kind == "number":
        number = _number(token.text, is_oracle)
        return number is not None, number
    if token.kind == "word":
        if token.upper == "NULL":
            return True, None
        if token.upper == "DEFAULT":
            return True, Default()
        if token.upper in variables:
            return True, variables[token.upper]
    return False, None


def _pair(first: Token, second: Token, is_oracle: bool) -> tuple[bool, Any]:
    if first.upper in ("-", "+") and second.kind == "number":
        number = _number(second.text, is_oracle)
        if number is None or isinstance(number, bytes):
            return False, None
        return True, -number if first.upper == "-" else number
    if is_oracle and first.kind == "word" and second.kind == "text" and second.text[0] == "'":
        pattern = {"DATE": _ISO_DATE, "TIMESTAMP": _ISO_MOMENT}.get(first.upper)
        said = pattern.fullmatch(second.text[1:-1]) if pattern else None
        if said:
            year, month, day, *clock = said.groups()
            return _moment([year, month, day, *clock[:3]], clock[3] if clock else None)
    return False, None


def _moment(fields: list[str], fraction: str | None) -> tuple[bool, Any]:
    microseconds = timedelta(microseconds=int((fraction or "0").ljust(6, "0")))
    try:
        return True, datetime(*map(int, fields)) + microseconds  # type: ignore[arg-type]
    except ValueError:
        return False, None


def _moment_called(tokens: list[Token], now: datetime) -> tuple[bool, datetime | FineMoment | None]:
    """TO_DATE or TO_TIMESTAMP of a text, with a model that is one too, as the functions read it."""
    name = tokens[0].upper
    written = [token.kind for token in tokens[1:]] in (
        ["sign", "text", "sign"],
        ["sign", "text", "sign", "text", "sign"],
    )
    if name not in ("TO_DATE", "TO_TIMESTAMP") or not written or tokens[-1].upper != ")":
        return False, None
    text, is_timestamp = text_of(tokens[2].text)[0], name == "TO_TIMESTAMP"
    model = text_of(tokens[4].text)[0] if len(tokens) > 4 else TIMESTAMP_MODEL if is_timestamp else DATE_MODEL
    if not text or not model:
        return True, None
    fine = _FINE.fullmatch(text) if model.upper().endswith(("FF", "FF9")) else None
    if fine and is_timestamp:
        moment = moment_of(fine["kept"], model, now)
        above = fine["cut"].ljust(3, "0") >= "500"
        return True, FineMoment(moment + timedelta(microseconds=int(above)))
    return True, moment_of(text, model, now, of_timestamp=is_timestamp)


def _number(written: str, is_oracle: bool) -> int | Decimal | float | bytes | None:
    if written.isdecimal():
        return int(written)
    if is_oracle:
        if written[-1] in "fFdD":
            return float(written[:-1])
        return Decimal(written)
    if written[:2] in ("0x", "0X"):
        return bytes.fromhex(written[2:] if len(written) % 2 == 0 else "0" + written[2:])
    if written[0] in "$£€¥":
        return Decimal(written[1:] or "0")
    if "e" in written.lower():
        return float(written + "0" if written[-1] in "eE" else written)
    return Decimal(written)
