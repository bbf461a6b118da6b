"""What is suspicious in the text of a statement, as pairs of a code and a detail: lints for gold SQL.

Found on the text alone:

* `does_not_parse`: the detail is the error.
* `several_statements`, `not_a_read`.
* `clock_or_random`: the call that reads the clock or draws; the answer will not be the same next year.
* `count_case_else_zero`: COUNT over a CASE (or IIF) whose ELSE is not NULL, or over a condition, counts every
  row.
* `compares_with_null`: `x = NULL` is never true.
* `limit_without_order`: an outermost LIMIT with no ORDER BY keeps any rows, unless there is one at most.
* `bare_column`: the expression under GROUP BY that its group does not determine.

Candidates that the catalog decides later, in SQL:

* `order_by_column`: `table.column` (`?.column`) that an ORDER BY compares as it is stored; is it digits kept
  as text?
* `double_quoted_name`: in SQLite, an unqualified name in double quotes that nothing in the statement defines;
  is it a column, or did SQLite take it for a text?
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from glue.sql.fixed_values import FixedValues
from glue.sql.functions import is_clock, is_random
from glue.sql.normal_form import Printer, is_double_quoted
from glue.sql.plan_sensitivity import BARE_COLUMNS
from glue.sql.scopes import Block, Query, Statement, column_name
from glue.sql.terms import bare_term, meant_by_term

Finding = dict[str, str]

MAX_DETAIL_CHARACTERS = 200


def findings(statement: Statement, printer: Printer, fixed: FixedValues) -> list[Finding]:
    """The findings of one statement, each pair once, in the order of this module's lists."""
    found: dict[tuple[str, str], None] = {}
    for code, detail in _all(statement, printer, fixed):
        found[(code, detail[:MAX_DETAIL_CHARACTERS])] = None
    return [finding(code, detail) for code, detail in found]


def finding(code: str, detail: str) -> Finding:
    """One finding."""
    return {"code": code, "detail": detail}


def _all(statement: Statement, printer: Printer, fixed: FixedValues) -> Iterator[tuple[str, str]]:
    if statement.root is None:
        yield "not_a_read", statement.tree.key
    for node, block in statement.calls:
        if is_random(node) or is_clock(node):
            yield "clock_or_random", printer.text(node, block)
    for node in statement.counts:
        if _counts_every_row(node):
            yield "count_case_else_zero", printer.text(node, None)
    for node in statement.comparisons:
        if isinstance(node.args.get("expression"), exp.Null) or isinstance(node.this, exp.Null):
            yield "compares_with_null", printer.text(node, None)
    if statement.root is not None:
        has_limit = statement.root.modifier("limit") is not None
        if (
            has_limit
            and statement.root.modifier("order") is None
            and not fixed.has_one_row(statement.root, True)
        ):
            yield "limit_without_order", ""
    for block in statement.blocks:
        if block.is_grouped and statement.dialect in BARE_COLUMNS:
            for node in fixed.bare_columns(block):
                yield "bare_column", printer.text(node, block)
    for query in statement.queries:
        yield from _order_columns(query, statement.dialect)
    if statement.dialect == "sqlite":
        yield from _double_quoted_names(statement)


def _counts_every_row(count: exp.Expr) -> bool:
    """COUNT over a value that is NULL for no row although it looks like a condition."""
    value = count.this
    while isinstance(value, (exp.Paren, exp.Distinct)):
        if isinstance(value, exp.Distinct):
            return False  # the distinct values may be what is asked
        value = value.this
    if isinstance(value, exp.Case):
        return _is_never_null(value.args.get("default"))
    if isinstance(value, exp.If):
        return _is_never_null(value.args.get("false"))
    return isinstance(
        value, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.And, exp.Or, exp.Like, exp.In)
    )


def _is_never_null(node: exp.Expr | None) -> bool:
    while isinstance(node, (exp.Paren, exp.Neg)):
        node = node.this
    return isinstance(node, (exp.Literal, exp.Boolean))


def _order_columns(query: Query, dialect: str) -> Iterator[tuple[str, str]]:
    order = query.modifier("order")
    for key in order.expressions if order is not None else ():
        term = bare_term(key)
        if query.block is not None:
            yield from _order_column(term, query.block)
        elif isinstance(term, exp.Column):
            outputs = query.outputs()
            place = outputs.position(column_name(term, dialect))
            for expression, block in outputs.columns[place].givers if place is not None else ():
                yield from _order_column(expression, block)


def _order_column(term: exp.Expr, block: Block) -> Iterator[tuple[str, str]]:
    """The stored column that a term of ORDER BY is, through aliases and derived tables."""
    meant = meant_by_term(term, block)
    node = meant if meant is not None else term
    for _ in range(20):  # a recursive CTE would go on for ever
        while isinstance(node, exp.Paren):
            node = node.this
        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            return
        name = column_name(node, block.dialect)
        found = block.resolve(node)
        if found is None:
            yield "order_by_column", f"?.{name.lower()}"
            return
        source, _ = found
        if source.table is not None:
            yield "order_by_column", f"{source.table}.{name.lower()}"
        if source.query is None:
            return
        outputs = source.outputs()
        place = outputs.position(name)
        if place is None:
            return
        node, block = outputs.columns[place].givers[0]


def _double_quoted_names(statement: Statement) -> Iterator[tuple[str, str]]:
    defined = {name for block in statement.blocks for name in block.aliases}
    for query in statement.queries:
        defined.update(query.column_names or ())
    for block in statement.blocks:
        for columns in block.sections.values():
            for column in columns:
                if column.args.get("table") is not None or column_name(column, statement.dialect) in defined:
                    continue
                if is_double_quoted(column.this, statement.sql):
                    yield "double_quoted_name", str(column.this.this)
