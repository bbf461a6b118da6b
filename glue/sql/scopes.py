"""Who reads what: the query blocks of a statement, their sources, and which source a column comes from.

sqlglot's own scopes want a schema and rewrite the tree; this needs neither and takes a tenth of a
millisecond. A block is one SELECT with its FROM; a query is a block or a set operation of them, and the
context it stands in. Without a schema an unqualified column in a block of several tables has no known source:
whoever asks gets None.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

Context = str
"""Where a query stands: root, branch of a set operation, from, cte, scalar, in, exists, quantified, array"""

SENSITIVE_TO_CASE = {
    "postgres": str.lower,
    "redshift": str.lower,
    "oracle": str.upper,
    "snowflake": str.upper,
}
"""Dialects where a quoted name keeps its case, and what they make of an unquoted one."""
SELF_REFERENCE_WITHOUT_RECURSIVE = frozenset({"sqlite", "oracle", "tsql"})
"""Dialects whose recursive CTEs need no keyword."""
MAIN_SCHEMAS = frozenset({"main", "temp"})


@dataclass(eq=False, slots=True)
class Output:
    """A column that a query returns: its folded name (None without one) and what gives it in each branch."""

    name: str | None
    givers: list[tuple[exp.Expr, Block]]


@dataclass(eq=False, slots=True)
class Outputs:
    """What a query returns. `is_open`: a star or an unreadable part leaves columns unknown."""

    columns: list[Output]
    is_open: bool

    def position(self, name: str) -> int | None:
        """0-based place of the first column with a folded name; None where there is none."""
        for place, column in enumerate(self.columns):
            if column.name == name:
                return place
        return None


@dataclass(eq=False, slots=True)
class Source:
    """Something in a FROM: a real table (`table`: its name), a derived one or a CTE (`query`), a function."""

    alias: str
    canonical: str
    node: exp.Expr
    table: str | None = None
    query: Query | None = None
    column_names: list[str] | None = None

    def outputs(self) -> Outputs:
        """Its columns as far as the text tells them."""
        if self.query is None:
            return Outputs([], True)
        return _renamed(self.query.outputs(), self.column_names)


@dataclass(eq=False)
class Query:
    """A SELECT, VALUES or set operation where it stands.

    `node` is without the brackets around it; those are `wrappers`, outermost first (some engines
    let them have an ORDER BY or LIMIT of their own). `parent` is the block whose columns it may refer to.
    """

    node: exp.Expr
    context: Context
    parent: Block | None
    wrappers: list[exp.Expr] = field(default_factory=list)
    block: Block | None = None
    branches: list[Query] = field(default_factory=list)
    ctes: list[Query] = field(default_factory=list)
    column_names: list[str] | None = None
    canonical: str | None = None
    _outputs: Outputs | None = None

    def outputs(self) -> Outputs:
        """Its columns as far as the text tells them; open while a recursive CTE asks for its own."""
        if self._outputs is None:
            self._outputs = Outputs([], True)
            self._outputs = _renamed(self._find_outputs(), self.column_names)
        return self._outputs

    def blocks(self) -> Iterator[Block]:
        """The blocks whose rows it returns, left to right."""
        if self.block is not None:
            yield self.block
        for branch in self.branches:
            yield from branch.blocks()

    def modifier(self, name: str) -> exp.Expr | None:
        """Its own ORDER BY, LIMIT or OFFSET clause (`order`, `limit`, `offset`): the outermost one."""
        for node in (*self.wrappers, self.node):
            found = node.args.get(name)
            if found is not None:
                return found
        return None

    def _find_outputs(self) -> Outputs:
        if self.block is not None:
            return self.block.outputs()
        each = [branch.outputs() for branch in self.branches]
        if not each or any(one.is_open or len(one.columns) != len(each[0].columns) for one in each):
            return Outputs(each[0].columns if each else [], True)
        merged = [
            Output(first.name, [giver for one in each for giver in one.columns[place].givers])
            for place, first in enumerate(each[0].columns)
        ]
        return Outputs(merged, False)


@dataclass(eq=False)
class Block:
    """One SELECT. Columns, aggregates and windows are those of its own level, not of subqueries.

    `sections` has the columns by clause: select, from, where, group, having, order, other; `n_sources` the
    number of sources that are one table, one CTE, or derived tables.
    """

    select: exp.Expr
    parent: Block | None
    dialect: str
    sources: dict[str, Source] = field(default_factory=dict)
    n_sources: dict[str, int] = field(default_factory=dict)
    sections: dict[str, list[exp.Column]] = field(default_factory=dict)
    aggregates: list[exp.Expr] = field(default_factory=list)
    windows: list[tuple[exp.Expr, exp.Expr]] = field(default_factory=list)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    using: set[str] = field(default_factory=set)
    is_natural: bool = False
    has_outer_join: bool = False
    has_ambiguous_source: bool = False

    @property
    def is_grouped(self) -> bool:
        """Has GROUP BY, HAVING or an aggregate: one row per group, or one in all."""
        args = self.select.args
        return bool(args.get("group") or args.get("having") or self.aggregates)

    @functools.cached_property
    def plain_names(self) -> set[str]:
        """Folded names used as columns where an alias of this block cannot be meant."""
        columns = [
            *self.sections.get("select", []),
            *self.sections.get("from", []),
            *self.sections.get("where", []),
        ]
        return {column_name(column, self.dialect) for column in columns}

    @functools.cached_property
    def qualified(self) -> dict[str, set[Source]]:
        """Folded column name -> the sources of this block that some column here names it with."""
        found: dict[str, set[Source]] = {}
        for columns in self.sections.values():
            for column in columns:
                source = self.sources.get(qualifier(column, self.dialect) or "")
                if source is not None:
                    found.setdefault(column_name(column, self.dialect), set()).add(source)
        return found

    def outputs(self) -> Outputs:
        """Its columns as far as the text tells them."""
        columns = []
        is_open = False
        for item in self.select.expressions:
            inner = item.this if isinstance(item, exp.Alias) else item
            if is_star(inner):
                is_open = True
            elif isinstance(item, exp.Alias):
                columns.append(Output(fold(item.args.get("alias"), self.dialect), [(inner, self)]))
            elif isinstance(inner, exp.Column):
                columns.append(Output(column_name(inner, self.dialect), [(inner, self)]))
            else:
                columns.append(Output(None, [(inner, self)]))
        return Outputs(columns, is_open)

    def resolve(self, column: exp.Column) -> tuple[Source, Block] | None:
        """The source a column comes from and the block that has it; None where the text does not tell."""
        name = column_name(column, self.dialect)
        wanted = qualifier(column, self.dialect)
        if wanted is not None:
            block: Block | None = self
            while block is not None:
                if wanted in block.sources:
                    return block.sources[wanted], block
                block = block.parent
            return None
        return self.resolve_name(name)

    def resolve_name(self, name: str) -> tuple[Source, Block] | None:
        """As `resolve`, for an unqualified folded name."""
        if len(self.sources) == 1 and not self.has_ambiguous_source:
            source = next(iter(self.sources.values()))
            if source.query is None:
                return source, self
            outputs = source.outputs()
            if outputs.is_open or outputs.position(name) is not None:
                return source, self
            return self.parent.resolve_name(name) if self.parent is not None else None
        closed = [source for source in self.sources.values() if source.query is not None]
        having = [source for source in closed if source.outputs().position(name) is not None]
        if len(having) == 1 and name not in self.using and not self.is_natural:
            return having[0], self
        named = self.qualified.get(name, ())
        if len(named) == 1 and not having and name not in self.using and not self.is_natural:
            return next(iter(named)), self
        is_known = all(
            source.query is not None and not source.outputs().is_open for source in self.sources.values()
        )
        if is_known and not having and self.parent is not None:
            return self.parent.resolve_name(name)
        return None

    def alias_meant(self, column: exp.Column, is_whole_term: bool) -> exp.Expr | None:
        """What a name outside SELECT stands for where an alias of SELECT is meant; None for a column.

        As a whole term of ORDER BY the alias comes first; elsewhere a column does, wherever the block is seen
        to use one of that name.
        """
        if column.args.get("table") is not None:
            return None
        name = column_name(column, self.dialect)
        expression = self.aliases.get(name)
        if expression is None or (not is_whole_term and name in self.plain_names):
            return None
        return expression


@dataclass(eq=False)
class Statement:
    """One statement with its queries. `root` is None where it is not a query (INSERT, PRAGMA, …).

    `read_after_in` has for each name in SQLite's `x IN name` (by its id) the CTE it is; None for a table.
    """

    tree: exp.Expr
    dialect: str
    sql: str
    root: Query | None = None
    queries: list[Query] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    query_of: dict[int, Query] = field(default_factory=dict)
    block_of: dict[int, Block] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    calls: list[tuple[exp.Expr, Block | None]] = field(default_factory=list)
    collations: list[tuple[exp.Expr, str]] = field(default_factory=list)
    counts: list[exp.Expr] = field(default_factory=list)
    comparisons: list[exp.Expr] = field(default_factory=list)
    has_star: bool = False
    has_write: bool = False
    is_sampled: bool = False
    names_read_as_tables: list[exp.Column] = field(default_factory=list)
    read_after_in: dict[int, Query | None] = field(default_factory=dict)


def fold(identifier: object, dialect: str) -> str:
    """The name as the engine compares it. An Identifier, a text (taken as unquoted), or None (gives '')."""
    if isinstance(identifier, exp.Identifier):
        name = identifier.args["this"]
        keep = identifier.args.get("quoted")
    else:
        name = identifier.name if isinstance(identifier, exp.Expr) else (identifier or "")
        keep = False
    if dialect not in SENSITIVE_TO_CASE:
        return str(name).lower()
    return str(name) if keep else SENSITIVE_TO_CASE[dialect](str(name))


def column_name(column: exp.Expr, dialect: str) -> str:
    """Folded name of a column; '*' for a qualified star."""
    inner = column.args.get("this")
    return "*" if isinstance(inner, exp.Star) else fold(inner, dialect)


def qualifier(column: exp.Expr, dialect: str) -> str | None:
    """Folded table name or alias a column is qualified with; None without one."""
    table = column.args.get("table")
    return None if table is None else fold(table, dialect)


def is_star(node: exp.Expr) -> bool:
    """`*` or `t.*`."""
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def children(node: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes directly below a node."""
    for value in node.args.values():
        if isinstance(value, list):
            for one in value:
                if isinstance(one, exp.Expr):
                    yield one
        elif isinstance(value, exp.Expr):
            yield value


def conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """The parts of a condition that AND joins."""
    waiting = [condition] if condition is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.And):
            waiting += [node.args["expression"], node.args["this"]]
        elif isinstance(node, exp.Paren):
            waiting.append(node.this)
        else:
            yield node


def table_name(node: exp.Expr, dialect: str) -> str:
    """Lower-cased name of a table, after its schema where that is not the database's own."""
    return _schema_and_name([node.args.get(key) for key in ("catalog", "db", "this")], dialect)


def table_after_in(column: exp.Expr, dialect: str) -> str:
    """As `table_name`, of the column that the parser makes of the table in SQLite's `x IN t`."""
    return _schema_and_name([column.args.get("table"), column.args.get("this")], dialect)


def _schema_and_name(parts: list[object], dialect: str) -> str:
    names = [fold(part, dialect).lower() for part in parts if isinstance(part, exp.Expr)]
    if len(names) == 2 and names[0] in MAIN_SCHEMAS:
        names = names[1:]
    return ".".join(names)


def window_function(window: exp.Expr) -> exp.Expr:
    """The function before OVER, without FILTER and IGNORE NULLS around it."""
    node: exp.Expr = window.this
    while isinstance(node, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        node = node.this
    return node


def _renamed(outputs: Outputs, names: list[str] | None) -> Outputs:
    if not names or outputs.is_open:
        return outputs
    columns = [
        Output(names[place] if place < len(names) else column.name, column.givers)
        for place, column in enumerate(outputs.columns)
    ]
    return Outputs(columns, False)
