"""ORDER BY, DISTINCT, TOP, OFFSET and FETCH in DuckDB's SQL: which rows are left, and in what order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from glue.dialects.tsql.collations import order_key, same_key
from glue.dialects.tsql.types import TEXTS
from glue.dialects.values import Sql


@dataclass(frozen=True, slots=True)
class Cut:
    """The rows after `offset`, at most `count` of them (None: all), or so many percent of all.

    Both are in DuckDB's SQL. `is_constant`: they are literals.
    """

    offset: str = "0"
    count: str | None = None
    is_percent: bool = False
    has_ties: bool = False
    is_constant: bool = True


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A term of ORDER BY: its value, its direction, and its place in the select list where it has one."""

    value: Sql
    is_descending: bool
    place: int | None

    def text(self, value: Sql | None = None) -> str:
        """The term in DuckDB's SQL, of that value where it is found elsewhere."""
        direction = "desc nulls last" if self.is_descending else "asc nulls first"
        return f"{order_key(value or self.value)} {direction}"


def limited(
    columns: list[Sql],
    clause: str,
    is_distinct: bool,
    keys: list[OrderKey],
    cut: Cut | None,
    alias: Callable[[], str],
) -> str:
    """SELECT of these columns in this order, and of these rows."""
    named = listed(columns)
    if is_distinct:
        text = distinct(f"select {named}{clause}", columns, alias())
        if not keys and cut is None:
            return text
        rows = alias()
        return _cut_rows(text, rows, columns, [key.text(_moved(key, rows)) for key in keys], cut)
    terms = [key.text() for key in keys]
    order = f" order by {', '.join(terms)}" if terms else ""
    if cut is None:
        return f"select {named}{clause}{order}"
    if cut.is_constant and not cut.is_percent and not (cut.has_ties and terms):
        return f"select {named}{clause}{order}{_limit(cut)}"
    rows = alias()
    added = "".join(f", {order_key(key.value)} as o{place}" for place, key in enumerate(keys, 1))
    outer = [
        f"{rows}.o{place} {'desc nulls last' if key.is_descending else 'asc nulls first'}"
        for place, key in enumerate(keys, 1)
    ]
    return _cut_rows(f"select {named}{added}{clause}", rows, columns, outer, cut)


def listed(columns: list[Sql]) -> str:
    """The columns under their names in DuckDB: c1, c2, …."""
    return ", ".join(f"{column.text} as c{place}" for place, column in enumerate(columns, 1))


def distinct(query: str, columns: list[Sql], rows: str) -> str:
    """The rows of the query that are not the same to SQL Server."""
    if not any(column.kind in TEXTS for column in columns):
        return query.replace("select ", "select distinct ", 1)
    own = [replace(column, text=f"{rows}.c{place}", constant=None) for place, column in enumerate(columns, 1)]
    kept = ", ".join(
        f"any_value({column.text}) as c{place}" if column.kind in TEXTS else f"{column.text} as c{place}"
        for place, column in enumerate(own, 1)
    )
    terms = ", ".join(same_key(column) for column in own)
    return f"select {kept} from ({query}) as {rows} group by {terms}"


def _moved(key: OrderKey, rows: str) -> Sql:
    return replace(key.value, text=f"{rows}.c{key.place}", constant=None)


def _limit(cut: Cut) -> str:
    count = "" if cut.count is None else f" limit {cut.count}"
    return count + ("" if cut.offset == "0" else f" offset {cut.offset}")


def _cut_rows(query: str, rows: str, columns: list[Sql], terms: list[str], cut: Cut | None) -> str:
    """The rows of a query, of which as many are left as are asked for."""
    order = f"order by {', '.join(terms)}" if terms else ""
    kept = ", ".join(f"{rows}.c{place} as c{place}" for place in range(1, len(columns) + 1))
    text = f"select {kept} from ({query}) as {rows}"
    if cut is None:
        return f"{text} {order}"
    if cut.is_constant and not cut.is_percent and not (cut.has_ties and terms):
        return f"{text} {order}{_limit(cut)}"
    conditions = []
    if cut.offset != "0":
        conditions.append(f"row_number() over ({order}) > {cut.offset}")
    if cut.count is not None:
        counted = f"rank() over ({order})" if cut.has_ties and terms else f"row_number() over ({order})"
        most = f"ceil(count(*) over () * {cut.count} / 100)" if cut.is_percent else cut.count
        conditions.append(f"{counted} <= {most}" + (f" + {cut.offset}" if cut.offset != "0" else ""))
    return f"{text} qualify {' and '.join(conditions)} {order}".rstrip()
