"""How large a query is, in the measures of BIRD-History's Table 1, counted so that BIRD dev gives its row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from glue.sql.scopes import Statement, children

NO_SIZE: dict[str, Any] = dict.fromkeys(("n_functions", "n_subqueries", "join_length", "nesting_depth"))
"""The sizes of a text that could not be read."""


def query_size(statement: Statement) -> dict[str, Any]:
    """Keys: n_functions, n_subqueries, join_length, nesting_depth.

    n_functions counts what sqlglot has as functions, so AND, OR, CASE, each of its branches and CAST too, but
    not the conversions that it puts into the arguments of others. n_subqueries are the SELECTs beside the
    first, join_length the most sources of one FROM, nesting_depth the SELECTs around the deepest one, itself
    included.
    """
    n_functions = n_selects = 0
    length = depth = 1
    waiting = [(statement.tree, 0)]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, exp.Select):
            n_selects += 1
            around += 1
            depth = max(depth, around)
            length = max(length, 1 + sum(1 for _ in _joins(node)))
        elif isinstance(node, exp.Func) and not isinstance(node, exp.TsOrDsToTimestamp):
            n_functions += 1
        waiting += [(child, around) for child in children(node)]
    return {
        "n_functions": n_functions,
        "n_subqueries": max(n_selects - 1, 0),
        "join_length": length,
        "nesting_depth": depth,
    }


def _joins(select: exp.Expr) -> Iterator[exp.Expr]:
    """The joins of a FROM, those in brackets too."""
    start = select.args.get("from_")
    waiting = [select, *([start.this] if start is not None else [])]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            waiting.append(node.this)
        for join in node.args.get("joins") or ():
            yield join
            waiting.append(join.this)
