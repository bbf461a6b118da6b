"""ORDER BY, OFFSET and FETCH in DuckDB's SQL: how many of the ordered rows are left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.values import Sql


@dataclass(frozen=True, slots=True)
class Cut:
    """The rows after `offset`, at most `count` of them (None: all), or so many percent of all."""

    offset: int
    count: Decimal | None
    is_percent: bool
    has_ties: bool


def cut_of(limit: nodes.Limit, value: Callable[[nodes.Value], Sql]) -> Cut:
    """What OFFSET and FETCH say. Negative numbers are 0, fractions are cut off, NULL is no row.

    SQL Language Reference 19c, SELECT: row_limiting_clause.
    """
    if isinstance(limit.offset, nodes.Null) or isinstance(limit.count, nodes.Null):
        return Cut(0, Decimal(0), is_percent=False, has_ties=False)
    offset = _whole(_constant(limit.offset, value))
    count: Decimal | None = None
    if limit.has_fetch:
        given = Decimal(1) if limit.count is None else _constant(limit.count, value)
        count = given if limit.is_percent else Decimal(_whole(given))
        count = max(count, Decimal(0))
    return Cut(offset, count, limit.is_percent, limit.has_ties)


def _constant(node: nodes.Value | None, value: Callable[[nodes.Value], Sql]) -> Decimal:
    if node is None:
        return Decimal(0)
    found = value(node).constant
    if not isinstance(found, Decimal):
        raise UnsupportedError("OFFSET or FETCH of what is no number")
    return found


def _whole(number: Decimal) -> int:
    return max(int(number.to_integral_value(ROUND_FLOOR)), 0)


def limited(
    columns: list[str],
    clause: str,
    is_distinct: bool,
    terms: list[str],
    cut: Cut | None,
    alias: Callable[[], str],
) -> str:
    """SELECT of these columns in this order, and of these rows."""
    named = ", ".join(f"{column} as c{place}" for place, column in enumerate(columns, 1))
    distinct = "distinct " * is_distinct
    order = f" order by {', '.join(terms)}" if terms else ""
    if is_distinct and terms:
        order = f" order by {', '.join(_by_place(term, columns) for term in terms)}"
    query = f"select {distinct}{named}{clause}"
    if cut is None:
        return query + order
    if not cut.is_percent and not (cut.has_ties and terms):
        count = "" if cut.count is None else f" limit {cut.count}"
        offset = f" offset {cut.offset}" if cut.offset else ""
        return f"{query}{order}{count}{offset}"
    keys = [f"o{place} {_parted(term)[1]}" for place, term in enumerate(terms, 1)]
    added = "".join(f", {_parted(term)[0]} as o{place}" for place, term in enumerate(terms, 1))
    if is_distinct:
        keys = [f"c{columns.index(_parted(term)[0]) + 1} {_parted(term)[1]}" for term in terms]
        added = ""
    return _ranked(f"select {distinct}{named}{added}{clause}", len(columns), keys, cut, alias())


def _by_place(term: str, columns: list[str]) -> str:
    text, direction = _parted(term)
    return f"{columns.index(text) + 1} {direction}" if text in columns else term


def _parted(term: str) -> tuple[str, str]:
    """The value and the direction of a term (… asc nulls last)."""
    parts = term.rsplit(" ", 3)
    return parts[0], " ".join(parts[1:])


def _ranked(query: str, n_columns: int, keys: list[str], cut: Cut, rows: str) -> str:
    """Where the number of rows depends on the rows: those with their places, and as many as are asked for."""
    order = f"order by {', '.join(keys)}" if keys else ""
    listed = ", ".join(f"{rows}.c{place}" for place in range(1, n_columns + 1))
    most = "null" if cut.count is None else str(cut.count)
    if cut.is_percent:
        most = f"ceil(count(*) over () * {most}::decimal(20, 6) / 100)"
    counted = f"rank() over ({order})" if cut.has_ties and keys else f"row_number() over ({order})"
    return (
        f"select {listed} from ({query}) as {rows}"
        f" qualify row_number() over ({order}) > {cut.offset} and {counted} <= {cut.offset} + {most}"
        + (f" {order}" if order else "")
    )
