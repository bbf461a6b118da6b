"""Spider's hardness of a SQL text: easy, medium, hard or extra, by the rule Spider published.

The rule (Yu et al. 2018, and the evaluation script of https://github.com/taoyds/spider) counts three things
in the outermost SELECT; of a set operation that is its first operand:

* component 1: WHERE, GROUP BY, ORDER BY, LIMIT (one each), every joined table, every OR, every LIKE;
* component 2: subqueries in conditions, and a set operation (one, however many operands follow);
* others: more than one aggregate, more than one selected column, more than one condition in WHERE, more than
  one column in GROUP BY (one each).

Two habits of the script are part of the published numbers and are kept: NOT before an operator in WHERE or
HAVING, and AND or OR in HAVING, count as aggregates. What Spider's grammar does not know is read in its
spirit: an aggregate anywhere in an expression counts, window functions do not; subqueries in FROM, in SELECT
and in WITH are not counted, as Spider does not count those in FROM.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


def spider_hardness(sql: str, dialect: str) -> str | None:
    """'easy', 'medium', 'hard' or 'extra'; None for what is no SELECT or does not parse. Never raises.

    `dialect` is sqlglot's name of the dialect the text is written in.
    """
    try:
        from glue.sql.rewrite import parse_read

        tree = parse_read(sql, dialect)
        select = None if tree is None else _outermost_select(tree)
        if tree is None or select is None:
            return None
        return _hardness(_component_1(select), _component_2(tree, select), _others(select))
    except Exception:
        return None


def _hardness(component_1: int, component_2: int, others: int) -> str:
    """The published table, gap and all: two of component 1 are extra with two others, hard with three."""
    if component_2 == 0:
        if component_1 <= 1 and others == 0:
            return "easy"
        if (component_1 <= 1 and others <= 2) or (component_1 <= 2 and others <= 1):
            return "medium"
        if (component_1 <= 2 and others > 2) or (component_1 == 3 and others <= 2):
            return "hard"
    elif component_2 == 1 and component_1 <= 1 and others == 0:
        return "hard"
    return "extra"


def _outermost_select(tree: exp.Expr) -> exp.Select | None:
    from sqlglot import exp

    while isinstance(tree, exp.Subquery | exp.SetOperation):
        tree = tree.this
    return tree if isinstance(tree, exp.Select) else None


def _component_1(select: exp.Select) -> int:
    from sqlglot import exp

    clauses = ("where", "group", "order")
    conditions = [condition for clause in _clauses(select) for condition in _conditions(clause)]
    return (
        sum(select.args.get(clause) is not None for clause in clauses)
        + (select.args.get("limit") is not None)
        + len(select.args.get("joins") or [])
        + sum(_n_links(clause, exp.Or) for clause in _clauses(select))
        + sum(isinstance(_affirmed(condition), exp.Like | exp.ILike) for condition in conditions)
    )


def _component_2(tree: exp.Expr, select: exp.Select) -> int:
    from sqlglot import exp

    is_set_operation = isinstance(tree.unnest(), exp.SetOperation)
    return is_set_operation + sum(_n_subqueries(clause) for clause in _clauses(select))


def _others(select: exp.Select) -> int:
    group, order = select.args.get("group"), select.args.get("order")
    n_where = 0 if select.args.get("where") is None else len(list(_conditions(select.args["where"].this)))
    n_aggregates = (
        sum(_n_aggregates(expression) for expression in select.expressions)
        + (0 if group is None else _n_aggregates(group))
        + (0 if order is None else _n_aggregates(order))
        + _n_counted_as_aggregates(select)
    )
    return (
        (n_aggregates > 1)
        + (len(select.expressions) > 1)
        + (n_where > 1)
        + (group is not None and len(group.expressions) > 1)
    )


def _n_counted_as_aggregates(select: exp.Select) -> int:
    """NOTs in WHERE and HAVING, ANDs and ORs in HAVING: the script takes them for aggregates."""
    from sqlglot import exp

    where, having = select.args.get("where"), select.args.get("having")
    n_not = sum(
        _is_negated(condition)
        for clause in (where, having)
        if clause is not None
        for condition in _conditions(clause.this)
    )
    return n_not + (0 if having is None else _n_links(having.this, exp.And, exp.Or))


def _clauses(select: exp.Select) -> Iterator[exp.Expr]:
    """The conditions of ON, WHERE and HAVING, one tree per clause."""
    for join in select.args.get("joins") or []:
        if join.args.get("on") is not None:
            yield join.args["on"]
    for name in ("where", "having"):
        if select.args.get(name) is not None:
            yield select.args[name].this


def _conditions(clause: exp.Expr) -> Iterator[exp.Expr]:
    """What AND and OR connect, through parentheses."""
    from sqlglot import exp

    waiting = [clause]
    while waiting:
        expression = waiting.pop().unnest()
        if isinstance(expression, exp.And | exp.Or):
            waiting += [expression.expression, expression.this]
        else:
            yield expression


def _n_links(clause: exp.Expr, *kinds: type[exp.Expr]) -> int:
    from sqlglot import exp

    n_found, waiting = 0, [clause]
    while waiting:
        expression = waiting.pop().unnest()
        if isinstance(expression, exp.And | exp.Or):
            n_found += isinstance(expression, kinds)
            waiting += [expression.expression, expression.this]
    return n_found


def _is_negated(condition: exp.Expr) -> bool:
    """NOT before the operator; IS NOT NULL is no such thing."""
    from sqlglot import exp

    if isinstance(condition, exp.Not):
        return not isinstance(condition.this, exp.Is)
    return isinstance(condition, exp.Escape) and bool(condition.this.args.get("negate"))


def _affirmed(condition: exp.Expr) -> exp.Expr:
    """The condition without NOT and an ESCAPE around it."""
    from sqlglot import exp

    while isinstance(condition, exp.Not | exp.Paren | exp.Escape):
        condition = condition.this
    return condition


def _n_subqueries(clause: exp.Expr) -> int:
    """Subqueries of the conditions; what they contain themselves is not counted."""
    from sqlglot import exp

    n_found, waiting = 0, [clause]
    while waiting:
        expression = waiting.pop()
        if isinstance(expression, exp.Query):
            n_found += 1
        else:
            waiting += expression.iter_expressions()
    return n_found


def _n_aggregates(expression: exp.Expr) -> int:
    """MAX, MIN, COUNT, SUM and AVG, Spider's five, outside window functions and subqueries."""
    from sqlglot import exp

    n_found, waiting = 0, [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.Window | exp.Query):
            continue
        if isinstance(part, exp.Max | exp.Min | exp.Count | exp.Sum | exp.Avg):
            n_found += not (isinstance(part, exp.Max | exp.Min) and bool(part.expressions))
        waiting += part.iter_expressions()
    return n_found
