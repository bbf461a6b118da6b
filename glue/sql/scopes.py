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

from glue.sql.functions import CALL_CLASSES, is_aggregate

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


def analyse(tree: exp.Expr, dialect: str, sql: str) -> Statement:
    """Find the queries of one statement. RecursionError where they nest deeper than Python can follow."""
    statement = Statement(tree, dialect, sql)
    builder = _Builder(statement)
    if isinstance(tree, (exp.Query, exp.Values)):
        statement.root = builder.query(tree, None, {}, "root")
    else:
        statement.has_write = not isinstance(tree, (exp.Command, exp.Pragma, exp.Describe, exp.Show))
        builder.walk(tree, None, {}, "other")
    return statement


def _renamed(outputs: Outputs, names: list[str] | None) -> Outputs:
    if not names or outputs.is_open:
        return outputs
    columns = [
        Output(names[place] if place < len(names) else column.name, column.givers)
        for place, column in enumerate(outputs.columns)
    ]
    return Outputs(columns, False)


_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_WRITES = (exp.DML, exp.DDL, exp.Drop, exp.Alter, exp.Into)
_SECTIONS = {
    "expressions": "select",
    "distinct": "select",
    "where": "where",
    "group": "group",
    "having": "having",
    "order": "order",
}
_FROM_PARTS = frozenset({"from_", "joins", "laterals", "with_"})


class _Builder:
    """Walks a statement once and fills in what the other modules ask for."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.dialect = statement.dialect

    def query(self, node: exp.Expr, parent: Block | None, ctes: dict[str, Query], context: Context) -> Query:
        wrappers: list[exp.Expr] = []
        while isinstance(node, exp.Subquery) and isinstance(node.this, (exp.Query, exp.Values)):
            wrappers.append(node)
            node = node.this
        found = Query(node, context, parent, wrappers)
        self.statement.queries.append(found)
        self.statement.query_of[id(node)] = found
        for wrapper in wrappers:
            ctes = self._with(wrapper, found, ctes)
        ctes = self._with(node, found, ctes)
        for wrapper in wrappers:
            self._modifiers(wrapper, parent, ctes)
        if isinstance(node, exp.Select):
            found.block = self._select(node, parent, ctes)
        elif isinstance(node, exp.SetOperation):
            ctes = self._branches(node, found, parent, ctes)
            self._modifiers(node, parent, ctes)
        else:
            for child in children(node):
                self.walk(child, parent, ctes, "other")
        return found

    def _branches(
        self, node: exp.Expr, found: Query, parent: Block | None, ctes: dict[str, Query]
    ) -> dict[str, Query]:
        """A chain of set operations, however long, without recursion along it."""
        operands = []
        current: exp.Expr = node
        while isinstance(current, exp.SetOperation):
            if current is not node:
                ctes = self._with(current, found, ctes)
            operands.append(current.args["expression"])
            current = current.this
        operands.append(current)
        for operand in reversed(operands):
            found.branches.append(self.query(operand, parent, ctes, "branch"))
        return ctes

    def _with(self, node: exp.Expr, owner: Query, ctes: dict[str, Query]) -> dict[str, Query]:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        visible = dict(ctes)
        is_recursive = bool(clause.args.get("recursive"))
        ahead = self._placeholders(clause, owner, ctes)
        for cte in clause.expressions:
            body = cte.this
            name, placeholder = ahead.pop(0)
            inner = dict(visible)
            if self.dialect == "sqlite":  # where a CTE sees those after it too
                inner.update({other: later for other, later in reversed(ahead) if other != name})
            if is_recursive or (
                self.dialect in SELF_REFERENCE_WITHOUT_RECURSIVE and isinstance(body, exp.SetOperation)
            ):
                inner[name] = placeholder
            if isinstance(body, (exp.Query, exp.Values)):
                made = self.query(body, owner.parent, inner, "cte")
                placeholder.node, placeholder.wrappers = made.node, made.wrappers
                placeholder.block, placeholder.branches, placeholder.ctes = (
                    made.block,
                    made.branches,
                    made.ctes,
                )
                self._replace(made, placeholder)
            else:
                self.walk(body, owner.parent, inner, "other")
            visible[name] = placeholder
            owner.ctes.append(placeholder)
        return visible

    def _placeholders(
        self, clause: exp.Expr, owner: Query, ctes: dict[str, Query]
    ) -> list[tuple[str, Query]]:
        """The CTEs of a WITH by their folded names, their queries still to be found."""
        made: list[tuple[str, Query]] = []
        names = set(ctes)
        for cte in clause.expressions:
            name = fold(cte.args["alias"].args.get("this"), self.dialect) if cte.args.get("alias") else ""
            placeholder = Query(cte.this, "cte", owner.parent)
            placeholder.column_names = self._column_names(cte.args.get("alias"))
            placeholder.canonical = f"cte#{len(names) + 1}"
            names.add(name)
            made.append((name, placeholder))
        return made

    def _replace(self, made: Query, placeholder: Query) -> None:
        """Let one object stand for a CTE, wherever it was met first."""
        queries = self.statement.queries
        queries[next(place for place, query in enumerate(queries) if query is made)] = placeholder
        self.statement.query_of[id(made.node)] = placeholder

    def _modifiers(self, node: exp.Expr, parent: Block | None, ctes: dict[str, Query]) -> None:
        """What hangs on a set operation or on brackets: ORDER BY names outputs, LIMIT may hold a subquery."""
        for key in ("order", "limit", "offset"):
            clause = node.args.get(key)
            if clause is not None:
                self.walk(clause, None, ctes, "other")

    def _select(self, node: exp.Expr, parent: Block | None, ctes: dict[str, Query]) -> Block:
        block = Block(node, parent, self.dialect)
        self.statement.blocks.append(block)
        self.statement.block_of[id(node)] = block
        args = node.args
        if args.get("from_") is not None:
            self._source(args["from_"].this, block, ctes)
        for join in args.get("joins") or ():
            self._join(join, block, ctes)
        for lateral in args.get("laterals") or ():
            self._source(lateral, block, ctes)
        for item in node.expressions:
            if isinstance(item, exp.Alias):
                block.aliases.setdefault(fold(item.args.get("alias"), self.dialect), item.this)
        for key, value in args.items():
            if key in _FROM_PARTS or not value:
                continue
            section = _SECTIONS.get(key, "other")
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, exp.Expr):
                    self.walk(part, block, ctes, section)
        if args.get("sample") is not None:
            self.statement.is_sampled = True
        return block

    def _join(self, join: exp.Expr, block: Block, ctes: dict[str, Query]) -> None:
        args = join.args
        self._source(join.this, block, ctes)
        if args.get("side") or (args.get("kind") or "").upper() in ("OUTER", "SEMI", "ANTI"):
            block.has_outer_join = True
        if (args.get("method") or "").upper() == "NATURAL":
            block.is_natural = True
        for name in args.get("using") or ():
            block.using.add(fold(name if isinstance(name, exp.Identifier) else name.this, self.dialect))
        for key in ("on", "match_condition", "expressions"):
            value = args.get(key)
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, exp.Expr):
                    self.walk(part, block, ctes, "from")

    def _source(self, node: exp.Expr, block: Block, ctes: dict[str, Query]) -> None:
        alias_node = node.args.get("alias")
        alias = ""
        if isinstance(alias_node, exp.TableAlias) and alias_node.args.get("this") is not None:
            alias = fold(alias_node.args["this"], self.dialect)
        names = self._column_names(alias_node)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            self._bracketed_table(node, alias, block, ctes)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, (exp.Query, exp.Values)):
            query = self.query(node, block.parent, ctes, "from")
            self._add(block, Source(alias, "query#1", node, None, query, names))
        elif isinstance(node, exp.Table):
            self._table(node, alias, names, block, ctes)
        else:
            self._add(block, Source(alias, "function#1", node, None, None, names))
            for child in children(node):
                if not isinstance(child, exp.TableAlias):
                    self.walk(child, block, ctes, "from")
        for join in node.args.get("joins") or ():
            if not (isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table)):
                self._join(join, block, ctes)
        if node.args.get("sample") is not None:
            self.statement.is_sampled = True

    def _bracketed_table(self, node: exp.Expr, alias: str, block: Block, ctes: dict[str, Query]) -> None:
        """`(a JOIN b …)`: the tables belong to the block around; with an alias they are one source."""
        inner = node.this
        before = set(block.sources)
        self._source(inner, block, ctes)
        for join in node.args.get("joins") or ():
            self._join(join, block, ctes)
        if alias:
            added = [name for name in block.sources if name not in before]
            if len(added) == 1:
                source = block.sources.pop(added[0])
                source.alias = alias
                block.sources[alias] = source
            else:
                self._add(block, Source(alias, "query#1", node))

    def _table(
        self, node: exp.Expr, alias: str, names: list[str] | None, block: Block, ctes: dict[str, Query]
    ) -> None:
        inner = node.this
        if not isinstance(inner, exp.Identifier):  # a table function
            self._add(
                block, Source(alias or fold(inner, self.dialect), "function#1", node, None, None, names)
            )
            self.walk(inner, block, ctes, "from")
            return
        name = fold(inner, self.dialect)
        parts = [
            fold(node.args[key], self.dialect) for key in ("catalog", "db") if node.args.get(key) is not None
        ]
        if not parts and name in ctes:
            query = ctes[name]
            canonical = query.canonical or "cte#0"
            self._add(block, Source(alias or name, canonical, node, None, query, names))
            return
        table = table_name(node, self.dialect)
        if table != "dual":
            self.statement.tables.add(table)
        self._add(block, Source(alias or name, table, node, table, None, names))

    def _add(self, block: Block, source: Source) -> None:
        """Enter a source under its alias; name it so that no source visible from here has the same name."""
        base = source.canonical.removesuffix("#1") if source.table is None else source.canonical
        kind = _base(source)
        taken = 0
        around: Block | None = block
        while around is not None:
            taken += around.n_sources.get(kind, 0)
            around = around.parent
        block.n_sources[kind] = block.n_sources.get(kind, 0) + 1
        if source.table is None and not source.canonical.startswith("cte#"):
            source.canonical = f"{base}#{taken + 1}"
        elif taken:
            source.canonical = f"{source.canonical}#{taken + 1}"
        key = source.alias
        if not key or key in block.sources:
            block.has_ambiguous_source = block.has_ambiguous_source or bool(key)
            key = f"{key} #{len(block.sources)}"
        block.sources[key] = source

    def _column_names(self, alias: object) -> list[str] | None:
        if not isinstance(alias, exp.TableAlias):
            return None
        columns = alias.args.get("columns") or ()
        named = (
            column if isinstance(column, exp.Identifier) else column.args.get("this") for column in columns
        )
        return [fold(name, self.dialect) for name in named] or None

    def walk(self, root: exp.Expr, block: Block | None, ctes: dict[str, Query], section: str) -> None:
        """Visit an expression of one block; queries in it become queries of their own."""
        statement = self.statement
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, exp.Column):
                if block is not None:
                    block.sections.setdefault(section, []).append(node)
                if isinstance(node.this, exp.Star):
                    statement.has_star = True
                elif not isinstance(node.this, exp.Identifier):
                    waiting.append(node.this)
                continue
            if isinstance(node, (exp.Identifier, exp.Literal)):
                continue
            if isinstance(node, (exp.Query, exp.Values)):
                self.query(node, block, ctes, _context(node, self.dialect))
                continue
            if isinstance(node, exp.Window):
                function = window_function(node)
                if block is not None:
                    block.windows.append((node, function))
                self._note(function, block, section)
                waiting += [child for child in children(node) if child is not node.this]
                waiting += _around(node.this, function)
                waiting += list(children(function))
                continue
            if isinstance(node, exp.In) and isinstance(node.args.get("field"), exp.Column):
                if self.dialect == "sqlite":
                    self._table_after_in(node.args["field"], ctes)
                    waiting.append(node.this)
                    continue
            elif isinstance(node, exp.Star):
                if not isinstance(node.parent, exp.Count):
                    statement.has_star = True
            elif isinstance(node, exp.Table):
                statement.tables.add(table_name(node, self.dialect))
            if block is not None and is_aggregate(node):
                block.aggregates.append(node)
            self._note(node, block, section)
            waiting += reversed(list(children(node)))

    def _note(self, node: exp.Expr, block: Block | None, section: str) -> None:
        """Keep the nodes that other modules look for."""
        statement = self.statement
        if isinstance(node, CALL_CLASSES):
            statement.calls.append((node, block))
        elif isinstance(node, exp.Count):
            statement.counts.append(node)
        elif isinstance(node, _COMPARISONS):
            statement.comparisons.append(node)
        elif isinstance(node, exp.Collate):
            statement.collations.append((node, section))
        elif isinstance(node, _WRITES):
            statement.has_write = True

    def _table_after_in(self, column: exp.Expr, ctes: dict[str, Query]) -> None:
        """SQLite's `x IN t` reads the table t."""
        name = table_after_in(column, self.dialect)
        query = None if column.args.get("table") is not None else ctes.get(name)
        self.statement.read_after_in[id(column)] = query
        if query is None:
            self.statement.tables.add(name)


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


def _base(source: Source) -> str:
    if source.table is not None:
        return source.table
    if source.query is not None and source.query.canonical:
        return source.query.canonical
    return source.canonical.split("#")[0] + "#"


def window_function(window: exp.Expr) -> exp.Expr:
    """The function before OVER, without FILTER and IGNORE NULLS around it."""
    node: exp.Expr = window.this
    while isinstance(node, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        node = node.this
    return node


def _around(node: exp.Expr, function: exp.Expr) -> list[exp.Expr]:
    """The conditions of FILTER clauses between a window and its function."""
    found = []
    while node is not function:
        found += [child for child in children(node) if child is not node.this]
        node = node.this
    return found


def _context(node: exp.Expr, dialect: str) -> Context:
    """Where a query met in an expression stands."""
    parent = node.parent
    if isinstance(parent, exp.In) and parent.args.get("query") is node:
        is_bracketed_twice = isinstance(node, exp.Subquery) and isinstance(node.this, exp.Subquery)
        return "scalar" if is_bracketed_twice and dialect == "sqlite" else "in"
    if isinstance(parent, exp.Exists):
        return "exists"
    if isinstance(parent, (exp.Any, exp.All)):
        return "quantified"
    if isinstance(parent, (exp.Array, exp.List)):
        return "array"
    return "scalar"
