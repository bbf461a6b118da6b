"""The data of a database, as far as it is looked at: rows, and what their columns are like."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from glue.divergence.instances import Row, Schema, Value
from glue.engines.base import Session
from glue.engines.sqlite import quoted_name
from glue.worker_limits import Watch

MAX_ROWS = 20_000
"""Of a table with more rows, so many stand for all."""
CLOSED_SET = 30
"""A column with at most so many values, each met three times on average, is held to have no others."""

_KEY_NAME = re.compile(r"(?:id|key|code|uuid|number|_no)$", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?")


@dataclass(frozen=True)
class Profile:
    """What the values of a column are like. `kind` is whole, number, text, date, moment or other."""

    kind: str
    values: Counter[Value]  # without NULL
    n_rows: int
    n_null: int

    @property
    def is_unique(self) -> bool:
        """Does no value come twice?"""
        return len(self.values) == self.n_rows - self.n_null

    @property
    def is_closed(self) -> bool:
        """Are these all the values that there are, by the look of it?"""
        n = len(self.values)
        return self.kind in ("text", "whole", "other") and 0 < n <= CLOSED_SET and self.n_rows >= 3 * n

    @cached_property
    def ordered(self) -> list[Value]:
        """The distinct values, the smallest first; none where they cannot be compared."""
        try:
            return sorted(self.values)
        except TypeError:
            return []

    @cached_property
    def is_trimmed(self) -> bool:
        """Does no text begin or end with a blank?"""
        return all(value == value.strip() for value in self.values if isinstance(value, str))

    @cached_property
    def cases(self) -> frozenset[str]:
        """upper, lower or mixed, of texts with letters."""
        return frozenset(case_of(value) for value in self.values if isinstance(value, str)) - {""}


def case_of(text: str) -> str:
    """upper, lower or mixed; nothing where a text has no letters."""
    if text.lower() == text.upper():
        return ""
    return "upper" if text == text.upper() else "lower" if text == text.lower() else "mixed"


def kind_of(values: Sequence[Value]) -> str:
    """What kind of values these are, without NULL."""
    types = set(map(type, values))
    if types <= {int}:
        return "whole" if types else "other"
    if types <= {int, float, Decimal}:
        return "number"
    if types == {str}:
        if all(_DATE.fullmatch(value) for value in values):
            return "date"
        return "moment" if all(_MOMENT.fullmatch(value) for value in values) else "text"
    if types == {date}:
        return "date"
    return "moment" if types == {datetime} else "other"


@dataclass
class Data:
    """A database file, read through a session that can do nothing else."""

    schema: Schema
    session: Session
    watch: Watch
    statement_s: float = 2.0
    _rows: dict[str, dict[int, Row]] = field(default_factory=dict)
    _profiles: dict[tuple[str, str], Profile] = field(default_factory=dict)
    memory: dict[Any, Any] = field(default_factory=dict)  # what else is found out, by whoever finds it

    def rows(self, table: str) -> dict[int, Row]:
        """The rows of a table by their row number, MAX_ROWS of them."""
        if table not in self._rows:
            found = self.schema.tables[table]
            numbered = "rowid" if found.has_rowid else "0"
            names = ", ".join(quoted_name(column.name) for column in found.columns)
            fetched = self.fetched(
                f"SELECT {numbered}, {names} FROM {quoted_name(found.name)} LIMIT {MAX_ROWS}"
            )
            rows = [Row(tuple(values), tuple(values)) for _, *values in fetched]
            numbers = [row[0] for row in fetched] if found.has_rowid else range(len(rows))
            self._rows[table] = dict(zip(numbers, rows, strict=True))
        return self._rows[table]

    def row(self, table: str, number: int) -> Row | None:
        """One row by its number."""
        rows = self.rows(table)
        if number not in rows and len(rows) >= MAX_ROWS:
            found = self.schema.tables[table]
            names = ", ".join(quoted_name(column.name) for column in found.columns)
            fetched = self.fetched(
                f"SELECT {names} FROM {quoted_name(found.name)} WHERE rowid = {int(number)}"
            )
            if fetched:
                rows[number] = Row(tuple(fetched[0]), tuple(fetched[0]))
        return rows.get(number)

    def profile(self, table: str, column: str) -> Profile:
        """What a column's values are like."""
        key = (table, column)
        if key not in self._profiles:
            place = self.schema.tables[table].place(column)
            values = [row.values[place] for row in self.rows(table).values()]
            present = [value for value in values if value is not None]
            try:
                counted = Counter(present)
            except TypeError:  # lists and the like
                counted = Counter()
            kind = kind_of(present) if counted else "other"
            self._profiles[key] = Profile(kind, counted, len(values), len(values) - len(present))
        return self._profiles[key]

    def is_key(self, table: str, column: str) -> bool:
        """Does a column, declared or not, look like what tells the rows of its table apart?"""
        key = ("is_key", table, column)
        if key not in self.memory:
            self.memory[key] = self._looks_like_a_key(table, column)
        return bool(self.memory[key])

    def _looks_like_a_key(self, table: str, column: str) -> bool:
        found = self.schema.tables[table]
        place = found.place(column)
        if (place,) in found.key_places:
            return True
        if any(column in map(str.lower, key.columns) for key in self.schema.keys_of(table)):
            return False
        profile = self.profile(table, column)
        if not profile.values or profile.n_null or not profile.is_unique:
            return False
        return profile.kind in ("whole", "text") and (place == 0 or bool(_KEY_NAME.search(column)))

    def fetched(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement. Raises what the engine raises, also when its time is up."""
        self.watch.arm(self.session, time.monotonic() + self.statement_s)
        try:
            self.session.execute(sql)
            rows: list[tuple[Any, ...]] = []
            while part := self.session.fetch(2_000):
                rows += part
            return rows
        finally:
            self.watch.disarm()
            self.session.finish()
