"""Syntax whose columns are not followed, so that a statement with it must not count as covered.

It means columns that the text does not name, or that it names elsewhere: DuckDB's COLUMNS, `* LIKE`, `#1` and
PIVOT, a table function that reads the tables which a text names.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from glue.sql.scopes import Block, Query, children
from glue.sql.shown_columns import function_name

_WORDS: dict[type[exp.Expr], str] = {
    exp.Pivot: "PIVOT",
    exp.MatchRecognize: "MATCH_RECOGNIZE",
    exp.Columns: "COLUMNS",
    exp.PositionalColumn: "#1",
    exp.Table: "a table in an expression",
}
MAY_BE_UNFOLLOWED = (*_WORDS, exp.Star, exp.Ordered)
"""The nodes to ask `unfollowed_part` about, beside columns that are stars."""
_OF_STARS = frozenset({"except_", "replace", "rename"})
_READ_FROM_TEXTS = frozenset({"query", "query_table"})
"""DuckDB's table functions that read the tables which a text names."""


def unfollowed_part(node: exp.Expr) -> str | None:
    """What a part of an expression is called whose columns are not followed; None for any other part."""
    if isinstance(node, (exp.Star, exp.Column)):
        if isinstance(node.parent, exp.Predicate):
            return "* with a pattern"
        is_followed = isinstance(node, exp.Column) or isinstance(node.parent, (exp.Count, exp.Dot))
        return None if is_followed else "* in an expression"
    if isinstance(node, exp.Ordered):
        return "ORDER BY ALL in an expression" if is_all(node.this) else None
    if isinstance(node, exp.Pivot) and node.args.get("unpivot"):
        return "UNPIVOT"
    return _WORDS.get(type(node))


def unfollowed_query(query: Query) -> str | None:
    """The same for a query: what is neither SELECT, set operation nor VALUES, as a CTE may be."""
    is_followed = query.block is not None or query.branches or isinstance(query.node, exp.Values)
    return None if is_followed else unfollowed_statement(query.node)


def unfollowed_statement(node: exp.Expr) -> str:
    """What stands where a query should."""
    return unfollowed_part(node) or node.key.upper()


def unfollowed_sources(block: Block) -> Iterator[str]:
    """The same for FROM and what is between it and WHERE."""
    args = block.select.args
    waiting = [args.get("from_"), args.get("match"), *(args.get("pivots") or ())]
    waiting += [*(args.get("joins") or ()), *(args.get("laterals") or ())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (exp.Pivot, exp.MatchRecognize)):
            yield unfollowed_statement(node)
        elif isinstance(node, exp.Join):
            waiting += [node.this, *(node.args.get("pivots") or ())]
        elif isinstance(node, exp.Subquery):
            if not isinstance(node.this, (exp.Query, exp.Values, exp.Table, exp.Pivot)):
                yield unfollowed_statement(node.this)
            waiting += children(node)
        elif isinstance(node, (exp.From, exp.Table)):
            if block.dialect == "duckdb" and function_name(node) in _READ_FROM_TEXTS:
                yield function_name(node)
            waiting += children(node)


def unfollowed_stars(block: Block) -> Iterator[str]:
    """The same for the stars that SELECT lists."""
    for item in block.select.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star) and any(star.args[key] for key in star.args.keys() - _OF_STARS):
            yield "* with a pattern"


def is_all(term: exp.Expr) -> bool:
    """DuckDB's ORDER BY ALL."""
    return isinstance(term, exp.Var) and str(term.this).upper() == "ALL"
