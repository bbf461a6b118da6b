"""The roles that a column plays in a statement: the vocabulary of the relevance labels.

Paper: BudgetSchemaBench, section 3. Definitions for people are in the seed `column_roles`; docs/labels.md
says how a role is found where a column passes through a derived table, a CTE or a subquery.
"""

from __future__ import annotations

SELECT = "select"
"""Its value reaches a column of the answer."""
FILTER = "filter"
"""A condition of WHERE, ON, QUALIFY or FILTER that does not compare two sources."""
JOIN = "join"
"""USING, NATURAL, or a comparison between columns of two sources in ON or WHERE."""
GROUP = "group"
"""GROUP BY."""
HAVING = "having"
"""HAVING."""
ORDER = "order"
"""ORDER BY of a query or within an aggregate."""
AGGREGATE = "aggregate"
"""An argument of an aggregate function, beside the role of the place where the aggregate stands."""
CONDITION = "condition"
"""A test in CASE or IIF, beside the role of the place where that stands."""
WINDOW = "window"
"""An argument of a window function, beside the role of the place where that stands."""
PARTITION = "partition"
"""PARTITION BY of a window, beside the role of the place where that stands."""
WINDOW_ORDER = "window_order"
"""ORDER BY of a window, beside the role of the place where that stands."""
DISTINCT = "distinct"
"""Rows are told apart by it: SELECT DISTINCT, and every set operation but UNION ALL."""
LIMIT = "limit"
"""LIMIT or OFFSET reads it, in a subquery."""
SOURCE = "source"
"""An argument of a table function in FROM."""
UNUSED = "unused"
"""Only named in the SELECT list of an inner query of which no clause reads it, as under EXISTS."""

ROLES = (
    SELECT,
    FILTER,
    JOIN,
    GROUP,
    HAVING,
    ORDER,
    AGGREGATE,
    CONDITION,
    WINDOW,
    PARTITION,
    WINDOW_ORDER,
    DISTINCT,
    LIMIT,
    SOURCE,
    UNUSED,
)
"""Every role, in the order of the seed `column_roles`."""
