"""Reads the labels of one statement: which stored tables and columns it needs, and for what.

The roles are those of `roles`. A column that passes through derived tables, CTEs or subqueries has the roles
of the places where its value is used in the end, beside those it has inside. What no query of the statement
reads (a CTE that nobody refers to) is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from glue.sql import roles
from glue.sql.functions import is_aggregate
from glue.sql.names import AMBIGUOUS_COLUMN, UNKNOWN_COLUMN, Meaning, Names
from glue.sql.order_terms import OrderTerms
from glue.sql.scopes import (
    Block,
    Query,
    Source,
    Statement,
    children,
    column_name,
    table_after_in,
    window_function,
)
from glue.sql.shown_columns import (
    Columns,
    Computed,
    Giver,
    Shown,
    ShownColumns,
    Stored,
    function_arguments,
)
from glue.sql.terms import bare_term, is_alias_first, ordinal
from glue.sql.unfollowed import (
    MAY_BE_UNFOLLOWED,
    is_all,
    unfollowed_part,
    unfollowed_query,
    unfollowed_sources,
    unfollowed_stars,
    unfollowed_statement,
)

__all__ = ["AMBIGUOUS_COLUMN", "UNKNOWN_COLUMN", "UNKNOWN_TABLE", "UNSUPPORTED_SYNTAX", "LabelReader"]

Roles = frozenset[str]

UNSUPPORTED_SYNTAX = "unsupported_syntax"
UNKNOWN_TABLE = "unknown_table"

_COMPARISONS = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Glob, exp.RegexpLike),
)
_METHODS = frozenset({"duckdb", "tsql", "oracle"})
"""Dialects where a name before `.function()` may be a column."""
_DUCKDB_SCHEMAS = frozenset({"main", "system", "temp", "pg_catalog", "information_schema"})
"""What it may be else in DuckDB; in the others a schema can have any name."""
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
        self.order_terms = OrderTerms(self.names)
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
        for name in self.shown.unknown:
            self._problem(UNKNOWN_COLUMN, name)
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
        unfollowed = unfollowed_query(query)
        if unfollowed is not None:
            self._problem(UNSUPPORTED_SYNTAX, unfollowed)
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
            term = bare_term(key)
            if is_all(term):
                self._give_all(outputs, roles.ORDER)
                continue
            number = ordinal(term, self.dialect)
            place = number - 1 if number is not None else self.order_terms.place(term, query)
            if place is not None:
                self._give_place(outputs, place, roles.ORDER)
                continue
            for column in term.find_all(exp.Column):
                found = outputs.named(column_name(column, self.dialect).lower())
                if found is not None:
                    self._give(found, frozenset({roles.ORDER}))
                elif not outputs.is_open:
                    self._problem(UNKNOWN_COLUMN, _written(column))
        for key in ("limit", "offset"):
            if node.args.get(key) is not None:
                self._walk(node.args[key], None, frozenset({roles.LIMIT}))

    def _give_place(self, outputs: Columns, place: int, role: str) -> None:
        if 0 <= place < len(outputs.shown):
            self._give(outputs.shown[place], frozenset({role}))

    def _block(self, block: Block, query: Query) -> None:
        args = block.select.args
        for source in block.sources.values():
            self._source(source, block)
        self._joins(block)
        for unfollowed in (*unfollowed_sources(block), *unfollowed_stars(block)):
            self._problem(UNSUPPORTED_SYNTAX, unfollowed)
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
            self._terms(distinct.args["on"], block, roles.DISTINCT)
        elif distinct is not None:
            self._give_all(self.shown.block_outputs(block), roles.DISTINCT)

    def _source(self, source: Source, block: Block) -> None:
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
            for condition in join.conditions():
                self._condition(condition, block)

    def _terms(self, clause: exp.Expr, block: Block, role: str) -> None:
        """The terms of GROUP BY, ORDER BY or DISTINCT ON: numbers and aliases mean columns of SELECT."""
        outputs = self.shown.block_outputs(block)
        if role == roles.GROUP and clause.args.get("all") and not clause.expressions:
            for column in outputs.shown:
                if not self._is_aggregated(column):
                    self._give(column, frozenset({role}))
        for part in _single_terms(clause):
            term = bare_term(part)
            number = ordinal(term, self.dialect)
            if is_all(term) and role == roles.ORDER:
                self._give_all(outputs, role)
            elif number is not None:
                self._give_place(outputs, number - 1, role)
            elif isinstance(term, exp.Column) and role != roles.GROUP:
                self._column(term, block, frozenset({role}), is_alias_first(term, self.dialect))
            else:
                self._walk(term, block, frozenset({role}))

    def _is_aggregated(self, column: Shown) -> bool:
        """Whether GROUP BY ALL leaves a column of SELECT out, for an aggregate or a window in it."""
        giver = column.givers[0]
        waiting = [giver.expression] if isinstance(giver, Computed) else []
        while waiting:
            node = waiting.pop()
            if self._is_aggregate(node) or isinstance(node, exp.Window):
                return True
            if not isinstance(node, exp.Query):
                waiting += children(node)
        return False

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
                elif isinstance(node.this, exp.Star):
                    found.add(id(self.shown.source_named(node.args.get("table"), around)))
                else:
                    found |= {id(source) for source in self.names.meaning(node, around).sources}
            elif isinstance(node, exp.Star) and around is not None:
                found |= {id(source) for source in self.shown.sources_in_order(around)}
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
            unfollowed = unfollowed_part(node) if isinstance(node, MAY_BE_UNFOLLOWED) else None
            if unfollowed is not None:
                self._problem(UNSUPPORTED_SYNTAX, unfollowed)
            elif isinstance(node, exp.Column):
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
            elif isinstance(node, exp.Dot):
                waiting += self._dotted(node, block, here)
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
            unfollowed = unfollowed_part(column)
            if unfollowed is not None:
                self._problem(UNSUPPORTED_SYNTAX, unfollowed)
            elif source is not None:
                self._give_all(self.shown.columns(source), *used_for)
            else:
                self._give_meaning(self.names.meaning_of_record(column, block), column, used_for)
            return
        if not isinstance(column.this, exp.Identifier):
            self._walk(column.this, block, used_for)
            return
        self._give_meaning(self.names.meaning(column, block, is_alias_first), column, used_for)

    def _give_meaning(self, meaning: Meaning, column: exp.Column, used_for: Roles) -> None:
        if meaning.problem is not None:
            self._problem(meaning.problem, _written(column))
        for giver in meaning.givers:
            self._give(giver, used_for)

    def _dotted(self, dot: exp.Expr, block: Block | None, here: Roles) -> list[tuple[exp.Expr, Roles]]:
        """What is left to walk of a chain of dots; before a method, sqlglot keeps a column's names bare."""
        parts: list[exp.Expr] = []
        node = dot
        while isinstance(node, (exp.Dot, exp.Paren)):
            if isinstance(node, exp.Dot):
                parts.append(node.args["expression"])
            node = node.this
        parts = [node, *reversed(parts)]
        inside = here | {roles.AGGREGATE} if any(_is_aggregate_method(part) for part in parts[1:]) else here
        names = list(_leading_names(parts))
        if names and self.dialect in _METHODS:
            table = names[0].copy() if len(names) > 1 else None
            column = exp.column(names[min(1, len(names) - 1)].copy(), table=table)
            meaning = self.names.meaning(column, block)
            is_schema = self.dialect != "duckdb" or self.shown.name_key(names[0]) in _DUCKDB_SCHEMAS
            if meaning.problem is None or not is_schema:
                self._give_meaning(meaning, column, inside)
        return [(part, inside) for part in parts[len(names) :] if not isinstance(part, exp.Star)]

    def _table_after_in(self, column: exp.Column, used_for: Roles) -> None:
        """SQLite's `x IN t`: all columns of t, of which there should be one."""
        query = self.statement.read_after_in[id(column)]
        if query is not None:
            self._query(query)
            self._give_all(self.shown.outputs(query), *used_for)
            return
        key = self._table(table_after_in(column, self.dialect))
        for name in self.shown.catalog[key] if key is not None else ():
            self._give(Stored(key or "", name), used_for)

    def _subquery(self, node: exp.Expr, used_for: Roles) -> None:
        """A query in an expression: its columns are used as the expression is, but EXISTS looks at none."""
        query = self.shown.inner_query(node)
        if query is None:
            self._problem(UNSUPPORTED_SYNTAX, unfollowed_statement(node.this))
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


def _single_terms(clause: exp.Expr) -> Iterator[exp.Expr]:
    """The terms of a clause, those within ROLLUP, CUBE, GROUPING SETS and the brackets of GROUP BY too."""
    lists = (exp.Rollup, exp.Cube, exp.GroupingSets)
    in_group = (*lists, exp.Tuple) if isinstance(clause, exp.Group) else lists
    waiting = [clause]
    while waiting:
        for part in children(waiting.pop()):
            if isinstance(part, in_group):
                waiting.append(part)
            else:
                yield part


def _is_aggregate_method(part: exp.Expr) -> bool:
    """A function behind a dot, which sqlglot knows by its name only."""
    known = exp.FUNCTION_BY_NAME.get(str(part.this).upper()) if isinstance(part, exp.Anonymous) else None
    return is_aggregate(known() if known is not None else part)


def _leading_names(parts: Iterable[exp.Expr]) -> Iterator[exp.Identifier]:
    for part in parts:
        if not isinstance(part, exp.Identifier):
            return
        yield part


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
