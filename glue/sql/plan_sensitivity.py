"""Why a statement's result, or the order of its rows, may depend on the query plan.

An index or ANALYZE changes in which order rows are met. That shows where something picks a row (LIMIT, a bare
column under GROUP BY, the first row of a scalar subquery), where the order itself is the value (GROUP_CONCAT,
ROW_NUMBER over ties), or where adding in another order rounds differently. Each rule names what it cannot
prove harmless:

* `outer_limit`, `inner_limit`: a LIMIT whose ORDER BY does not determine every column that is returned, on
  more than one row. Harmless in EXISTS, after an aggregate without GROUP BY, WITH TIES, and where all columns
  are keys.
* `order_ties`: an outermost ORDER BY that does not determine every column, so that tied rows may swap. The
  rows themselves stay the same.
* `scalar_subquery`: SQLite takes the first row of a subquery used as a value; harmless where it has one at
  most.
* `bare_column`: a column of SELECT, HAVING or ORDER BY under GROUP BY, or beside an aggregate, that the group
  does not determine (SQLite, MySQL). So too beside one MIN() or MAX(): rows tied on it remain.
* `distinct_on`: the first row of each key.
* `float_aggregate`: SUM, AVG, TOTAL and their kin over what is not provably whole. `whole_if_integer` names
  columns that make it exact if they hold integers alone (and NULLs): sums below 2^53 are.
* `ordered_aggregate`: GROUP_CONCAT, ARRAY_AGG, FIRST, ARG_MAX, MODE, approximate ones, and arrays of a
  subquery.
* `window`: a window function whose value tied rows of its ORDER BY may swap; ranks and sums over whole peer
  groups are not.
* `collation`: equal under a collation is not the same text: MIN, GROUP BY, DISTINCT or UNION under COLLATE.
* `catalog_reader`: reads the catalog (`sqlite_schema`, `pragma_…`, `information_schema`), which has the
  indexes.
* `clock_or_random`: differs from run to run.
* `rownum`: Oracle's ROWNUM numbers rows as they come.

What only the catalog could tell is taken for the usual: columns have the collation BINARY; an alias in GROUP
BY is not also the name of a column that the block uses nowhere else; an unqualified column of a subquery is
its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from glue.sql.fixed_values import FixedValues, has_ties, is_binary, literal_rows
from glue.sql.functions import (
    FIXED_CLASSES,
    FIXED_NAMES,
    FLOAT_CLASSES,
    FLOAT_NAMES,
    RANK_CLASSES,
    is_aggregate,
    is_clock,
    is_random,
)
from glue.sql.normal_form import Printer
from glue.sql.scopes import Block, Query, Statement, children, column_name
from glue.sql.terms import meant_by_term
from glue.sql.whole_numbers import Whole, WholeNumbers, argument

FIRST_ROW_SUBQUERIES = frozenset({"sqlite"})
"""Dialects that take the first row of a scalar subquery; the others refuse a second one."""
BARE_COLUMNS = frozenset({"sqlite", "mysql"})
"""Dialects that answer a bare column under GROUP BY; the others refuse it or prove it by a key."""
CATALOG_SCHEMAS = ("information_schema.", "pg_catalog.", "sys.", "mysql.")
CATALOG_PREFIXES = (
    "sqlite_",
    "pragma_",
    "duckdb_",
    "pg_",
    "dbstat",
    "all_tables",
    "user_tables",
    "all_indexes",
)

_NO_MORE_ROWS = 10**15


@dataclass
class Sensitivity:
    """Both sorted; `whole_if_integer` is empty where nothing helps."""

    reasons: list[str] = field(default_factory=list)
    whole_if_integer: list[str] = field(default_factory=list)


def plan_sensitivity(statement: Statement, printer: Printer, fixed: FixedValues) -> Sensitivity:
    """Why the result or order of a statement may depend on the query plan; no reasons: it cannot."""
    return _Rules(statement, printer, fixed).run()


class _Rules:
    def __init__(self, statement: Statement, printer: Printer, fixed: FixedValues) -> None:
        self.statement = statement
        self.printer = printer
        self.fixed = fixed
        self.whole_numbers = WholeNumbers(statement)
        self.dialect = statement.dialect
        self.reasons: set[str] = set()

    def run(self) -> Sensitivity:
        statement = self.statement
        for query in statement.queries:
            self._limits(query)
            self._subquery(query)
        if statement.root is not None:
            self._ties(statement.root)
        whole: Whole = frozenset()
        for block in statement.blocks:
            self._bare_columns(block)
            for window, function in block.windows:
                self._window(block, window, function)
            for node in self._aggregates(block):
                found = self._aggregate(node, block)
                whole = None if whole is None or found is None else whole | found
        if whole is None or whole:
            self._add("float_aggregate")
        self._collations()
        if any(_is_catalog(name) for name in self._names_read()):
            self._add("catalog_reader")
        if statement.is_sampled or any(is_random(node) or is_clock(node) for node, _ in statement.calls):
            self._add("clock_or_random")
        return Sensitivity(sorted(self.reasons), sorted(whole or ()))

    def _add(self, reason: str) -> None:
        self.reasons.add(reason)

    def _ties(self, root: Query) -> None:
        order = root.modifier("order")
        if order is not None and not self.fixed.is_total(root, order) and not self.fixed.has_one_row(root):
            self._add("order_ties")

    def _limits(self, query: Query) -> None:
        limit, offset = query.modifier("limit"), query.modifier("offset")
        if limit is None and offset is None:
            return
        if limit is not None and offset is None and self._is_no_limit(limit):
            return
        if has_ties(limit):
            return
        if query.context == "exists" and offset is None and (literal_rows(limit) or 0) > 0:
            return
        if self.fixed.has_one_row(query, ignore_limit=True):
            return
        order = query.modifier("order")
        if order is not None and self.fixed.is_total(query, order):
            return
        if self.fixed.are_outputs_constant(query):
            return
        self._add("outer_limit" if query.context == "root" else "inner_limit")

    def _is_no_limit(self, limit: exp.Expr) -> bool:
        """LIMIT -1 in SQLite, LIMIT ALL."""
        rows = literal_rows(limit)
        return rows is not None and (rows < 0 or rows >= _NO_MORE_ROWS)

    def _subquery(self, query: Query) -> None:
        block = query.block
        if block is not None:
            distinct = block.select.args.get("distinct")
            if distinct is not None and distinct.args.get("on") is not None:
                self._add("distinct_on")
        if query.context == "array":
            order = query.modifier("order")
            if order is None or not self.fixed.is_total(query, order):
                self._add("ordered_aggregate")
        if query.context != "scalar" or self.dialect not in FIRST_ROW_SUBQUERIES:
            return
        if self.fixed.has_one_row(query) or self.fixed.are_outputs_constant(query):
            return
        order = query.modifier("order")
        if order is not None and self.fixed.is_total(query, order):
            return
        self._add("scalar_subquery")

    def _bare_columns(self, block: Block) -> None:
        if self.dialect not in BARE_COLUMNS or not block.is_grouped:
            return
        if next(self.fixed.bare_columns(block), None) is not None:
            self._add("bare_column")

    def _aggregates(self, block: Block) -> Iterator[exp.Expr]:
        yield from block.aggregates
        for _, function in block.windows:
            if is_aggregate(function):
                yield function

    def _aggregate(self, node: exp.Expr, block: Block) -> Whole:
        """Note an aggregate that takes the order of rows; of a sum, return what makes it exact."""
        if isinstance(node, FIXED_CLASSES):
            return frozenset()
        name = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
        if isinstance(node, (exp.Sum, exp.Avg)) or name == "total":
            return self.whole_numbers.whole(argument(node), block)
        if isinstance(node, FLOAT_CLASSES) or name in FLOAT_NAMES:
            return None
        if name in FIXED_NAMES:
            return frozenset()  # bool_and, every, bit_or, …
        if not self._is_ordered_by_itself(node, block):
            self._add("ordered_aggregate")
        return frozenset()

    def _is_ordered_by_itself(self, node: exp.Expr, block: Block) -> bool:
        """`STRING_AGG(x, ',' ORDER BY x)`: what ties is alike."""
        inner = node.args.get("this")
        if not isinstance(inner, exp.Order) or not isinstance(
            node, (exp.GroupConcat, exp.ArrayAgg, exp.First, exp.Last)
        ):
            return False
        keys = self.fixed.order_keys(block, [key.this for key in inner.expressions])
        value = inner.this
        while isinstance(value, exp.Distinct):
            value = value.expressions[0]
        return self.printer.text(value, block) in keys

    def _window(self, block: Block, window: exp.Expr, function: exp.Expr) -> None:
        if not isinstance(function, RANK_CLASSES) and not self._is_window_fixed(block, window, function):
            self._add("window")

    def _is_window_fixed(self, block: Block, written: exp.Expr, function: exp.Expr) -> bool:
        window = _resolved_window(written, block)
        spec = window.args.get("spec")
        order = window.args.get("order")
        if is_aggregate(function) and _has_whole_peers(spec, order):
            return True
        terms = [*(window.args.get("partition_by") or ())]
        terms += [
            key.this if isinstance(key, exp.Ordered) else key for key in (order.expressions if order else ())
        ]
        keys: dict[str, type] = {}
        for term in terms:
            self.fixed.enter(keys, term, block, "select")
        known = {**keys, **self.fixed.constant_columns(block)}
        if block.is_grouped and self.fixed.is_group_fixed(block, known):
            return True
        if isinstance(function, (exp.FirstValue, exp.LastValue)) and spec is None:
            return self.fixed.is_fixed(function.this, block, known, False)
        return self._are_ties_alike(block, written, function, known)

    def _are_ties_alike(
        self, block: Block, window: exp.Expr, function: exp.Expr, known: dict[str, type]
    ) -> bool:
        """Rows that tie in a window are alike in all that the block shows, so that they may swap unseen."""
        select = block.select
        if select.args.get("qualify") is not None or not self.fixed.are_fixed(
            children(function), block, known, False, "select"
        ):
            return False
        own = self.printer.text(window, block)
        with_window = {**known, own: exp.Window}
        order = select.args.get("order")
        terms = [*select.expressions, *(key.this for key in (order.expressions if order is not None else ()))]
        for term in terms:
            meant = meant_by_term(term, block)
            if not self.fixed.is_fixed(meant if meant is not None else term, block, with_window, False):
                return False
        return True

    def _collations(self) -> None:
        for node, section in self.statement.collations:
            if not is_binary(node) and section not in ("order", "where", "from") and not _is_compared(node):
                self._add("collation")

    def _names_read(self) -> Iterator[str]:
        yield from self.statement.tables
        for block in self.statement.blocks:
            for source in block.sources.values():
                if source.table is None and isinstance(source.node, exp.Table):
                    yield str(
                        source.node.this.this if isinstance(source.node.this, exp.Anonymous) else ""
                    ).lower()
            if self.dialect == "oracle" and any(
                column_name(column, "") == "rownum"
                for columns in block.sections.values()
                for column in columns
            ):
                self._add("rownum")


def _is_compared(node: exp.Expr) -> bool:
    """The collation only decides a comparison."""
    return isinstance(node.parent, (exp.Predicate, exp.Ordered))


def _is_catalog(name: str) -> bool:
    return name.startswith(CATALOG_SCHEMAS) or name.rsplit(".", 1)[-1].startswith(CATALOG_PREFIXES)


def _resolved_window(window: exp.Expr, block: Block) -> exp.Expr:
    """A window that only names one of the WINDOW clause is that one."""
    name = window.args.get("alias")
    if name is None:
        return window
    for named in block.select.args.get("windows") or ():
        if isinstance(named.this, exp.Identifier) and named.this.name.lower() == name.name.lower():
            return named
    return window


def _has_whole_peers(spec: exp.Expr | None, order: exp.Expr | None) -> bool:
    """The frame never cuts through rows that tie."""
    if spec is None:
        return True
    if str(spec.args.get("kind") or "").upper() != "ROWS":
        return order is not None
    return spec.args.get("start") == "UNBOUNDED" and spec.args.get("end") == "UNBOUNDED"
