"""Finds the queries, blocks and sources of a statement in one walk over its tree (see `glue.sql.scopes`)."""

from __future__ import annotations

from sqlglot import exp

from glue.sql.functions import CALL_CLASSES, is_aggregate
from glue.sql.scopes import (
    SELF_REFERENCE_WITHOUT_RECURSIVE,
    Block,
    Context,
    Query,
    Source,
    Statement,
    children,
    fold,
    table_after_in,
    table_name,
    window_function,
)

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


def _base(source: Source) -> str:
    if source.table is not None:
        return source.table
    if source.query is not None and source.query.canonical:
        return source.query.canonical
    return source.canonical.split("#")[0] + "#"


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
