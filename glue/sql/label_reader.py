"""Reads the labels of one statement: which stored tables and columns it needs, and for what.

The roles are those of `roles`. A column that passes through derived tables, CTEs or subqueries has the roles
of the places where its value is used in the end, beside those it has inside. What no query of the statement
reads (a CTE that nobody refers to) is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from glue.sql import roles
from glue.sql.functions import is_aggregate
from glue.sql.names import AMBIGUOUS_COLUMN, UNKNOWN_COLUMN, Names
from glue.sql.normal_form import ordinal
from glue.sql.scopes import Block, Query, Source, Statement, children, column_name, window_function
from glue.sql.shown_columns import Columns, Computed, Giver, Shown, ShownColumns, Stored, function_arguments

__all__ = ["AMBIGUOUS_COLUMN", "UNKNOWN_COLUMN", "UNKNOWN_TABLE", "UNSUPPORTED_SYNTAX", "LabelReader"]

Roles = frozenset[str]

UNSUPPORTED_SYNTAX = "unsupported_syntax"
UNKNOWN_TABLE = "unknown_table"

_COMPARISONS = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Glob, exp.RegexpLike),
)
_UNSUPPORTED = {"pivots": "PIVOT", "match": "MATCH_RECOGNIZE"}
_TERMS = {
    "group": roles.GROUP,
    "order": roles.ORDER,
    "sort": roles.ORDER,
    "cluster": roles.ORDER,
    "distribute": roles.ORDER,
}
_CONDITIONS = ("where", "prewhere", "qualify")


class LabelReader:
    """Reads one statement: first every clause of the queries it uses, then what no clause has asked for."""

    def __init__(self, statement: Statement, catalog: Mapping[str, Iterable[str]]) -> None:
        self.statement = statement
        self.dialect = statement.dialect
        self.shown = ShownColumns(statement, catalog)
        self.names = Names(self.shown)
        self.tables: set[str] = set()
        self.labels: set[tuple[str, str, str]] = set()
        self.problems: dict[tuple[str, str], None] = {}
        self._queries: set[int] = set()
        self._unasked: list[Query] = []
        self._waiting: list[tuple[Giver, Roles]] = []
        self._given: set[tuple[int, Roles]] = set()
        self._reached: set[int] = set()

    def read(self) -> None:
        """Fill in `tables`, `labels` (table, column, role) and `problems` (kind, name)."""
        root = self.statement.root
        if root is None:
            return
        self._query(root)
        self._give_all(self.shown.outputs(root), roles.SELECT)
        self._settle()
        while self._unasked:  # reading what nobody asked for may lead to further queries
            for each in self.shown.outputs(self._unasked.pop(0)).shown:
                if id(each) not in self._reached:
                    self._give(each, frozenset({roles.UNUSED}))
            self._settle()
        used = {(table, column) for table, column, role in self.labels if role != roles.UNUSED}
        self.labels = {one for one in self.labels if one[2] != roles.UNUSED or one[:2] not in used}

    def _problem(self, reason: str, detail: str) -> None:
        self.problems[(reason, detail)] = None

    # What gives a value, and what it is used for

    def _give_all(self, columns: Columns, *more: str) -> None:
        for each in columns.shown:
            self._give(each, frozenset(more))

    def _give(self, giver: Giver, used_for: Roles) -> None:
        self._waiting.append((giver, used_for))

    def _settle(self) -> None:
        """Follow every value that was asked for to the stored columns it comes from."""
        while self._waiting:
            giver, used_for = self._waiting.pop()
            if isinstance(giver, Stored):
                self.labels |= {(giver.table, giver.column, role) for role in used_for}
                continue
            key = id(giver.expression if isinstance(giver, Computed) else giver)
            if (key, used_for) in self._given:
                continue
            self._given.add((key, used_for))
            if isinstance(giver, Computed):
                self._walk(giver.expression, giver.block, used_for)
            else:
                self._reached.add(key)
                self._waiting += [(one, used_for) for one in giver.givers]

    # Queries and their clauses

    def _query(self, query: Query) -> None:
        """Read the clauses of a query, once. Its SELECT list is read where somebody asks for its columns."""
        if id(query) in self._queries:
            return
        self._queries.add(id(query))
        self._unasked.append(query)
        if query.block is not None:
            self._block(query.block, query)
        for wrapper in query.wrappers:
            self._ends(wrapper, query)
        if query.branches:
            for branch in query.branches:
                self._query(branch)
            self._ends(query.node, query)
            if _tells_rows_apart(query.node):
                self._give_all(self.shown.outputs(query), roles.DISTINCT)

    def _ends(self, node: exp.Expr, query: Query) -> None:
        """ORDER BY and LIMIT after a set operation or after brackets: they name columns of the whole."""
        order = node.args.get("order")
        outputs = self.shown.outputs(query)
        for key in order.expressions if order is not None else ():
            term = key.this if isinstance(key, exp.Ordered) else key
            place = ordinal(term)
            if place is not None:
                self._give_place(outputs, place, roles.ORDER)
                continue
            for column in term.find_all(exp.Column):
                found = self._output_named(column_name(column, self.dialect).lower(), query)
                if found is not None:
                    self._give(found, frozenset({roles.ORDER}))
                elif not outputs.is_open:
                    self._problem(UNKNOWN_COLUMN, _written(column))
        for key in ("limit", "offset"):
            if node.args.get(key) is not None:
                self._walk(node.args[key], None, frozenset({roles.LIMIT}))

    def _output_named(self, name: str, query: Query) -> Shown | None:
        """The column of a set operation that the first branch, or else another one, calls by a name."""
        outputs = self.shown.outputs(query)
        for columns in (outputs, *(self.shown.outputs(branch) for branch in query.branches)):
            for place, each in enumerate(columns.shown):
                if each.name == name and place < len(outputs.shown):
                    return outputs.shown[place]
        return None

    def _give_place(self, outputs: Columns, place: int, role: str) -> None:
        if 0 < place <= len(outputs.shown):
            self._give(outputs.shown[place - 1], frozenset({role}))

    def _block(self, block: Block, query: Query) -> None:
        args = block.select.args
        for source in block.sources.values():
            self._source(source, block)
        self._joins(block)
        for key, word in _UNSUPPORTED.items():
            if args.get(key):
                self._problem(UNSUPPORTED_SYNTAX, word)
        for key in _CONDITIONS:
            if args.get(key) is not None:
                self._condition(args[key].this, block)
        if args.get("having") is not None:
            self._walk(args["having"].this, block, frozenset({roles.HAVING}))
        for key, role in _TERMS.items():
            if args.get(key) is not None:
                self._terms(args[key], block, role)
        for window in args.get("windows") or ():
            self._window(window, block, frozenset())
        for key in ("limit", "offset"):
            if args.get(key) is not None:
                self._walk(args[key], block, frozenset({roles.LIMIT}))
        connect = args.get("connect")
        if connect is not None:
            if connect.args.get("start") is not None:
                self._condition(connect.args["start"], block)
            self._walk(connect.args["connect"], block, frozenset({roles.JOIN}))
        distinct = args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            self._walk(distinct.args["on"], block, frozenset({roles.DISTINCT}))
        elif distinct is not None:
            self._give_all(self.shown.block_outputs(block), roles.DISTINCT)

    def _source(self, source: Source, block: Block) -> None:
        if source.node.args.get("pivots"):
            self._problem(UNSUPPORTED_SYNTAX, "PIVOT")
        if source.table is not None:
            self._table(source.table)
        elif source.query is not None:
            self._query(source.query)
        elif not isinstance(source.node, exp.Subquery):
            for part in function_arguments(source.node):
                query = self.shown.inner_query(part)
                if query is not None and isinstance(source.node, exp.Lateral):
                    self._query(query)
                else:
                    self._walk(part, block, frozenset({roles.SOURCE}))

    def _table(self, name: str) -> str | None:
        key = self.shown.table_key(name)
        if key is None:
            if name != "dual":
                self._problem(UNKNOWN_TABLE, name)
        else:
            self.tables.add(key)
        return key

    def _joins(self, block: Block) -> None:
        for join in self.shown.joins(block):
            for name, (left, right) in join.merged.items():
                for source in (*(left if join.is_full else left[:1]), right):
                    found = self.shown.columns(source).named(name)
                    if found is not None:
                        self._give(found, frozenset({roles.JOIN}))
            for key in ("on", "match_condition"):
                if join.node.args.get(key) is not None:
                    self._condition(join.node.args[key], block)

    def _terms(self, clause: exp.Expr, block: Block, role: str) -> None:
        """The terms of GROUP BY or ORDER BY: numbers and aliases mean columns of SELECT."""
        outputs = self.shown.block_outputs(block)
        if role == roles.GROUP and clause.args.get("all"):
            for item in block.select.expressions:
                if item.find(exp.AggFunc) is None:
                    self._walk(item, block, frozenset({role}))
        for part in children(clause):
            term = part.this if isinstance(part, exp.Ordered) else part
            while isinstance(term, exp.Collate):
                term = term.this
            place = ordinal(term)
            if place is not None:
                self._give_place(outputs, place, role)
            elif isinstance(term, exp.Column) and role == roles.ORDER:
                self._column(term, block, frozenset({role}), is_alias_first=True)
            else:
                self._walk(term, block, frozenset({role}))

    def _condition(self, condition: exp.Expr, block: Block) -> None:
        """The parts of a condition: comparisons between columns of several sources join, the rest filters."""
        waiting = [condition]
        while waiting:
            node = waiting.pop()
            if isinstance(node, (exp.Paren, exp.Connector, exp.Not)):
                waiting += children(node)
                continue
            is_join = isinstance(node, _COMPARISONS) and self._relates_sources(node, block)
            self._walk(node, block, frozenset({roles.JOIN if is_join else roles.FILTER}))

    def _relates_sources(self, comparison: exp.Expr, block: Block) -> bool:
        """Whether both sides have columns, outside aggregates, and they are not all of one source."""
        left = self._origins(comparison.this, block)
        right: set[int] = set()
        for part in children(comparison):
            if part is not comparison.this:
                right |= self._origins(part, block)
        return bool(left) and bool(right) and len(left | right) > 1

    def _origins(self, root: exp.Expr, block: Block | None) -> set[int]:
        """The sources whose columns an expression shows, through subqueries, but for what is aggregated."""
        found: set[int] = set()
        waiting: list[tuple[exp.Expr, Block | None]] = [(root, block)]
        while waiting:
            node, around = waiting.pop()
            if isinstance(node, exp.Column):
                if id(node) in self.statement.read_after_in:
                    found.add(id(node))
                elif not isinstance(node.this, exp.Star):
                    found |= {id(source) for source in self.names.meaning(node, around).sources}
            elif isinstance(node, (exp.Query, exp.Values)):
                query = self.shown.inner_query(node)
                for inner in query.blocks() if query is not None else ():
                    waiting += [(item, inner) for item in inner.select.expressions]
            elif not self._is_aggregate(node) and not isinstance(node, (exp.Exists, exp.Window)):
                waiting += [(child, around) for child in children(node)]
        return found

    # Expressions

    def _walk(self, root: exp.Expr, block: Block | None, used_for: Roles) -> None:
        """Give the columns of an expression the roles of the place, and those they have within it."""
        waiting: list[tuple[exp.Expr, Roles]] = [(root, used_for)]
        while waiting:
            node, here = waiting.pop()
            if isinstance(node, exp.Column):
                if id(node) in self.statement.read_after_in:
                    self._table_after_in(node, here)
                else:
                    self._column(node, block, here)
            elif isinstance(node, (exp.Identifier, exp.Literal)):
                continue
            elif isinstance(node, (exp.Query, exp.Values)):
                self._subquery(node, here)
            elif isinstance(node, exp.Window):
                self._window(node, block, here)
            elif isinstance(node, exp.Filter):
                waiting += [(node.this, here), (node.args["expression"], here | {roles.FILTER})]
            elif isinstance(node, exp.WithinGroup):
                waiting += [(child, here | {roles.AGGREGATE}) for child in children(node)]
            elif isinstance(node, exp.Order):
                waiting += [(each, here | {roles.ORDER}) for each in node.expressions]
                if node.this is not None:
                    waiting.append((node.this, here))
            elif isinstance(node, (exp.Case, exp.If)):
                for child in children(node):
                    is_test = child is node.this
                    waiting.append((child, here | {roles.CONDITION} if is_test else here))
            else:
                inside = here | {roles.AGGREGATE} if self._is_aggregate(node) else here
                waiting += [(child, inside) for child in children(node)]

    def _column(
        self, column: exp.Column, block: Block | None, used_for: Roles, is_alias_first: bool = False
    ) -> None:
        if isinstance(column.this, exp.Star):
            source = self.shown.source_named(column.args.get("table"), block)
            if source is not None:
                self._give_all(self.shown.columns(source), *used_for)
            return
        if not isinstance(column.this, exp.Identifier):
            self._walk(column.this, block, used_for)
            return
        meaning = self.names.meaning(column, block, is_alias_first)
        if meaning.problem is not None:
            self._problem(meaning.problem, _written(column))
        for giver in meaning.givers:
            self._give(giver, used_for)

    def _table_after_in(self, column: exp.Column, used_for: Roles) -> None:
        """SQLite's `x IN t`: all columns of t, of which there should be one."""
        query = self.statement.read_after_in[id(column)]
        if query is not None:
            self._query(query)
            self._give_all(self.shown.outputs(query), *used_for)
            return
        key = self._table(column_name(column, self.dialect))
        for name in self.shown.catalog[key] if key is not None else ():
            self._give(Stored(key or "", name), used_for)

    def _subquery(self, node: exp.Expr, used_for: Roles) -> None:
        """A query in an expression: its columns are used as the expression is, but EXISTS looks at none."""
        query = self.shown.inner_query(node)
        if query is None:
            return
        self._query(query)
        if query.context != "exists":
            self._give_all(self.shown.outputs(query), *used_for)

    def _window(self, window: exp.Expr, block: Block | None, used_for: Roles) -> None:
        """A function with OVER, or a named window (which has no function)."""
        args = window.args
        if isinstance(window.this, exp.Expr) and not isinstance(window.this, exp.Identifier):
            function = window_function(window)
            for child in children(function):
                self._walk(child, block, used_for | {roles.WINDOW})
            around = window.this
            while around is not function:
                if isinstance(around, exp.Filter):
                    self._walk(around.args["expression"], block, used_for | {roles.FILTER})
                around = around.this
        for part in args.get("partition_by") or ():
            self._walk(part, block, used_for | {roles.PARTITION})
        order = args.get("order")
        for part in order.expressions if order is not None else ():
            self._walk(part, block, used_for | {roles.WINDOW_ORDER})
        if args.get("spec") is not None:
            self._walk(args["spec"], block, used_for | {roles.WINDOW})

    def _is_aggregate(self, node: exp.Expr) -> bool:
        """As `is_aggregate`, but SQLite's MIN and MAX of several arguments, which are no aggregates."""
        if self.dialect == "sqlite" and isinstance(node, (exp.Min, exp.Max)) and node.expressions:
            return False
        return is_aggregate(node)


def _tells_rows_apart(node: exp.Expr) -> bool:
    """Whether any operation of a chain of set operations is other than UNION ALL."""
    while isinstance(node, exp.SetOperation):
        if not isinstance(node, exp.Union) or node.args.get("distinct"):
            return True
        node = node.this
    return False


def _written(column: exp.Column) -> str:
    """A column as it is named in the text, without quotes."""
    return ".".join(part.name for part in column.parts)
