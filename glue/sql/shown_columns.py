"""What the sources and queries of a statement show, once the tables of the database are known.

`scopes` tells as much as the text alone can; with a catalog stars are spelled out, and it is known which
columns USING and NATURAL join. What a derived table, CTE or set operation shows is followed to what gives it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from sqlglot import exp

from glue.sql.scopes import (
    SENSITIVE_TO_CASE,
    Block,
    Query,
    Source,
    Statement,
    children,
    column_name,
    fold,
    is_star,
)

FUNCTION_COLUMNS = {
    "json_each": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"),
    "json_tree": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"),
    "generate_series": ("value", "start", "stop", "step"),
}
"""Columns of SQLite's table functions; those of any other function are not known."""
MAX_COLUMNS = 50_000
"""Most columns that the stars of one SELECT may show: each CTE over two of the one before doubles them."""


class TooManyColumnsError(Exception):
    """The stars of one SELECT show more columns than MAX_COLUMNS."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A column of a table of the database, both in lower case."""

    table: str
    column: str


@dataclass(frozen=True, eq=False, slots=True)
class Computed:
    """An expression and the block whose names it uses (None: no FROM is around it)."""

    expression: exp.Expr
    block: Block | None


@dataclass(eq=False, slots=True)
class Shown:
    """A column that a source or query shows: its name in lower case (None without one) and what gives it.

    `is_named`: its SELECT names it so, by an alias or a star: ORDER BY means it before any other column.
    """

    name: str | None
    givers: list[Giver]
    is_named: bool = False


Giver = Stored | Computed | Shown
Named = TypeVar("Named", exp.Expr, Source)


@dataclass(eq=False, slots=True)
class Columns:
    """The columns of a source or query, in order. `is_open`: there may be others, which nobody knows."""

    shown: list[Shown]
    is_open: bool = False
    _by_name: dict[str | None, Shown] = field(default_factory=dict)
    _n_read: int = -1

    def named(self, name: str) -> Shown | None:
        """The first one with a name in lower case."""
        if self._n_read != len(self.shown):
            self._n_read = len(self.shown)
            self._by_name = {each.name: each for each in reversed(self.shown)}
        return self._by_name.get(name)


@dataclass(eq=False, slots=True)
class Join:
    """One JOIN: its node, and by name the sources on either side whose columns USING or NATURAL equates.

    `is_full`: rows of either side may be missing, so that the joined column is taken from both. `hidden`: the
    sources that only its own condition sees, those on the right of SEMI or ANTI.
    """

    node: exp.Expr
    merged: dict[str, tuple[list[Source], Source]] = field(default_factory=dict)
    is_full: bool = False
    hidden: list[Source] = field(default_factory=list)

    def conditions(self) -> Iterator[exp.Expr]:
        """What it is joined on, but for USING and NATURAL."""
        for key in ("on", "match_condition"):
            if self.node.args.get(key) is not None:
                yield self.node.args[key]


@functools.lru_cache(maxsize=64)
def read_catalog(outline: str) -> Mapping[str, tuple[str, ...]]:
    """Column keys by table key of an outline: JSON, `[{"table_key": …, "columns": […]}, …]`, in order."""
    return {table["table_key"]: tuple(table["columns"] or ()) for table in json.loads(outline or "[]")}


class ShownColumns:
    """What one statement shows over one catalog (column keys by table key, both in lower case).

    `unknown` has the names that stars use and that nobody knows, as far as their columns were asked for.
    """

    def __init__(self, statement: Statement, catalog: Mapping[str, Iterable[str]]) -> None:
        self.statement = statement
        self.dialect = statement.dialect
        self.catalog = catalog
        self._of_source: dict[int, Columns] = {}
        self._of_query: dict[int, Columns] = {}
        self._of_block: dict[int, Columns] = {}
        self._joins: dict[int, list[Join]] = {}
        self._hidden: dict[int, dict[int, set[int]]] = {}
        self._places: dict[int, list[list[int]]] = {}
        self.unknown: dict[str, None] = {}

    def table_key(self, name: str) -> str | None:
        """The catalog's key of a table as `scopes` names it; None for a table that the catalog has not."""
        key = name.lower()
        if key in self.catalog:
            return key
        if "." not in key:  # the catalog may have schemas before its tables, the text none, or the reverse
            found = [other for other in self.catalog if other.endswith(f".{key}")]
            return found[0] if len(found) == 1 else None
        bare = key.rsplit(".", 1)[-1]
        return bare if self.dialect != "sqlite" and bare in self.catalog else None

    def inner_query(self, node: exp.Expr) -> Query | None:
        """The query that an expression is, through its brackets."""
        while isinstance(node, exp.Subquery) and isinstance(node.this, (exp.Query, exp.Values)):
            node = node.this
        return self.statement.query_of.get(id(node))

    def columns(self, source: Source) -> Columns:
        """The columns of a source of a FROM."""
        found = self._of_source.get(id(source))
        if found is None:
            found = self._renamed(self._columns(source), source.column_names)
            self._of_source[id(source)] = found
        return found

    def outputs(self, query: Query) -> Columns:
        """The columns of a query. While a recursive CTE asks for its own, those of its first branch."""
        found = self._of_query.get(id(query))
        if found is None:
            found = self._of_query[id(query)] = Columns([], True)
            if query.block is not None:
                made = self.block_outputs(query.block)
                found.shown, found.is_open = self._renamed(made, query.column_names).shown, made.is_open
            elif query.branches:
                self._merge(query, found)
            elif isinstance(query.node, exp.Values):
                made = self._renamed(self._values(query), query.column_names)
                found.shown, found.is_open = made.shown, False
        return found

    def block_outputs(self, block: Block) -> Columns:
        """The columns of one SELECT, stars spelled out."""
        found = self._of_block.get(id(block))
        if found is None:
            found = self._of_block[id(block)] = Columns([])
            for item in block.select.expressions:
                inner = item.this if isinstance(item, exp.Alias) else item
                if is_star(inner):
                    self._expand(inner, block, found)
                else:
                    named = isinstance(item, exp.Alias)
                    found.shown.append(Shown(self._output_name(item), [Computed(inner, block)], named))
        return found

    def joins(self, block: Block) -> list[Join]:
        """The JOINs of a block, those within brackets included, in order."""
        found = self._joins.get(id(block))
        if found is None:
            found = self._joins[id(block)] = []
            args = block.select.args
            sources = {id(source.node): source for source in block.sources.values()}
            start = args["from_"].this if args.get("from_") is not None else None
            left = self._joined(start, sources, found) if start is not None else []
            for join in args.get("joins") or ():
                self._join(join, left, sources, found)
        return found

    def branch_places(self, query: Query) -> list[list[int]]:
        """For each branch of a set operation, the 0-based place in the whole of each of its columns.

        The last ones of a branch that has too many have none.
        """
        self.outputs(query)
        return self._places.get(id(query), [])

    def sources_in_order(self, block: Block, column: exp.Expr | None = None) -> Iterator[Source]:
        """The sources whose columns a star shows: without the alias of a bracketed join, which has no own.

        With a column: those that it may be of, where a SEMI or ANTI JOIN hides others from it.
        """
        hidden = self._hidden_sources(block)
        for source in block.sources.values():
            if not _is_bracketed_join(source) and _is_seen(source, column, hidden):
                yield source

    def source_named(self, alias: object, block: Block | None) -> Source | None:
        """The source with an alias (an Identifier), in this block or the nearest one around it."""
        while block is not None:
            found = self.sources_named(self.name_key(alias), block)
            if found:
                return found[0]
            block = block.parent
        return None

    def sources_named(self, alias: str, block: Block, column: exp.Expr | None = None) -> list[Source]:
        """The sources of a block with an alias: there should be one, but SQLite takes several.

        With a column: as far as it may be of them, where a SEMI or ANTI JOIN hides others from it.
        """
        if block.has_ambiguous_source:
            found = [source for source in block.sources.values() if source.alias.lower() == alias]
        else:
            source = self.by_key(block.sources).get(alias)
            found = [source] if source is not None else []
        hidden = self._hidden_sources(block)
        return [source for source in found if _is_seen(source, column, hidden)]

    def _hidden_sources(self, block: Block) -> Mapping[int, set[int]]:
        """The sources (by id) that only the condition of a JOIN sees, each with the columns (by id) in it."""
        found = self._hidden.get(id(block))
        if found is None:
            found = self._hidden[id(block)] = {}
            for join in self.joins(block):
                inside = [each.find_all(exp.Column) for each in join.conditions()] if join.hidden else []
                seeing = {id(one) for each in inside for one in each}
                found.update((id(one), seeing) for one in join.hidden)
        return found

    def name_key(self, identifier: object) -> str:
        """A name as the catalog has it. Case counts nowhere: no source says how a database folded it."""
        return fold(identifier, self.dialect).lower()

    def by_key(self, named: dict[str, Named]) -> Mapping[str, Named]:
        """Sources or aliases of a block by their names as the catalog would have them."""
        if self.dialect not in SENSITIVE_TO_CASE:
            return named
        return {name.lower(): one for name, one in reversed(named.items())}

    # Sources and queries

    def _columns(self, source: Source) -> Columns:
        if source.table is not None:
            key = self.table_key(source.table)
            names = self.catalog.get(key, ()) if key is not None else ()
            return Columns([Shown(name, [Stored(key, name)]) for name in names if key], not names)
        if source.query is not None:
            return self.outputs(source.query)
        if _is_bracketed_join(source):
            return self._bracketed(source)
        if isinstance(source.node, exp.Lateral):
            query = self.inner_query(source.node.this)
            if query is not None:
                return self.outputs(query)
        return self._of_function(source)

    def _of_function(self, source: Source) -> Columns:
        """A table function: whatever it shows comes from its arguments."""
        block = self.block_around(source)
        givers: list[Giver] = [Computed(part, block) for part in function_arguments(source.node)]
        names = FUNCTION_COLUMNS.get(function_name(source.node)) if self.dialect == "sqlite" else None
        if names is None:
            return Columns([Shown(None, givers)], True)
        return Columns([Shown(name, givers) for name in names])

    def _bracketed(self, source: Source) -> Columns:
        block = self.block_around(source)
        inside = {id(node) for node in source.node.find_all(exp.Table, exp.Subquery)}
        found = Columns([])
        for other in block.sources.values() if block is not None else ():
            if other is not source and id(other.node) in inside:
                columns = self.columns(other)
                found.shown += columns.shown
                found.is_open |= columns.is_open
        return found

    def block_around(self, source: Source) -> Block | None:
        """The block whose FROM has a source."""
        blocks = self.statement.blocks
        return next(
            (block for block in blocks if any(each is source for each in block.sources.values())), None
        )

    def _merge(self, query: Query, found: Columns) -> None:
        """Give a set operation the columns of its first branch, each with what every branch gives there.

        BY NAME a column of another branch goes to the one of its name, and comes last where there is none.
        """
        first = self.outputs(query.branches[0])
        made = Columns([Shown(each.name, [each]) for each in first.shown], first.is_open)
        found.shown, found.is_open = self._renamed(made, query.column_names).shown, made.is_open
        places = self._places[id(query)] = [list(range(len(made.shown)))]
        by_name = {each.name: place for place, each in reversed(list(enumerate(made.shown)))}
        for branch, operation in zip(query.branches[1:], _operations(query.node), strict=False):
            other = self.outputs(branch)
            made.is_open |= other.is_open
            if operation.args.get("by_name"):
                goes_to = [_place_by_name(theirs.name, made, by_name) for theirs in other.shown]
            else:
                goes_to = list(range(min(len(other.shown), len(made.shown))))
            for place, theirs in zip(goes_to, other.shown, strict=False):
                made.shown[place].givers.append(theirs)
            places.append(goes_to)
        found.shown, found.is_open = self._renamed(made, query.column_names).shown, made.is_open

    def _values(self, query: Query) -> Columns:
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in query.node.expressions]
        width = max((len(row) for row in rows), default=0)
        label = "col{}" if self.dialect == "duckdb" else "column{}"
        start = 0 if self.dialect == "duckdb" else 1
        return Columns(
            [
                Shown(
                    label.format(place + start),
                    [Computed(row[place], query.parent) for row in rows if place < len(row)],
                )
                for place in range(width)
            ]
        )

    def _renamed(self, columns: Columns, names: list[str] | None) -> Columns:
        if not names:
            return columns
        shown = [
            Shown(names[place].lower(), [each]) if place < len(names) else each
            for place, each in enumerate(columns.shown)
        ]
        return Columns(shown, columns.is_open)

    def _output_name(self, item: exp.Expr) -> str | None:
        if isinstance(item, exp.Alias):
            return self.name_key(item.args.get("alias"))
        return column_name(item, self.dialect).lower() if isinstance(item, exp.Column) else None

    def _expand(self, star: exp.Expr, block: Block, found: Columns) -> None:
        """Add what `*` or `t.*` shows: a joined column once, without what EXCEPT leaves out.

        Where t is no source, it should be a record: nobody knows the names of its fields.
        """
        node = star.this if isinstance(star, exp.Column) else star
        left_out = {self.name_key(_identifier(one)) for one in node.args.get("except_") or ()}
        replaced = {self.name_key(one.args.get("alias")): one.this for one in node.args.get("replace") or ()}
        renamed = {
            self.name_key(_identifier(one.this)): self.name_key(one.args.get("alias"))
            for one in node.args.get("rename") or ()
        }
        alias = star.args.get("table") if isinstance(star, exp.Column) else None
        hidden: set[tuple[int, str]] = set()
        if alias is not None:
            source = self.source_named(alias, block)
            if source is None:
                found.shown.append(Shown(None, [Computed(star, block)]))
                found.is_open = True
                return
            sources = [source]
        else:
            sources = list(self.sources_in_order(block))
            for join in self.joins(block):
                hidden |= {(id(right), name) for name, (_, right) in join.merged.items()}
        found.is_open |= not sources
        known: set[str] = set()
        is_known = bool(sources)
        for source in sources:
            columns = self.columns(source)
            found.is_open |= columns.is_open
            is_known &= not columns.is_open
            known |= {each.name for each in columns.shown if each.name}
            if columns.is_open and source.table is not None and self.table_key(source.table) is not None:
                self.unknown[f"{source.table}.*"] = None
            if len(found.shown) + len(columns.shown) > MAX_COLUMNS:
                raise TooManyColumnsError(f"the stars of one SELECT show over {MAX_COLUMNS} columns")
            for each in columns.shown:
                if each.name in left_out or (id(source), each.name or "") in hidden:
                    continue
                by = replaced.get(each.name or "")
                name = renamed.get(each.name or "", each.name)
                found.shown.append(Shown(name, [each if by is None else Computed(by, block)], True))
        if is_known:
            self.unknown.update(dict.fromkeys((left_out | replaced.keys()) - known))

    # Joins

    def _joined(self, node: exp.Expr, sources: dict[int, Source], found: list[Join]) -> list[Source]:
        """The sources of one item of a FROM, in order; its JOINs are added to `found`."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            mine = self._joined(node.this, sources, found)
        else:
            mine = [sources[id(node)]] if id(node) in sources else []
        for join in node.args.get("joins") or ():
            self._join(join, mine, sources, found)
        return mine

    def _join(
        self, node: exp.Expr, left: list[Source], sources: dict[int, Source], found: list[Join]
    ) -> None:
        right = self._joined(node.this, sources, found)
        join = Join(node, is_full=str(node.args.get("side") or "").upper() in ("FULL", "RIGHT"))
        names = [self.name_key(_identifier(one)) for one in node.args.get("using") or ()]
        if str(node.args.get("method") or "").upper() == "NATURAL":
            names = [each.name for one in right for each in self.columns(one).shown if each.name]
        for name in names:
            having = [one for one in left if self.columns(one).named(name) is not None]
            other = next((one for one in right if self.columns(one).named(name) is not None), None)
            if having and other is not None:
                join.merged.setdefault(name, (having, other))
        found.append(join)
        if str(node.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
            join.hidden = right
        else:
            left += right


def _is_seen(source: Source, column: exp.Expr | None, hidden: Mapping[int, set[int]]) -> bool:
    return id(source) not in hidden or id(column) in hidden[id(source)]


def function_arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    """What is given to a table function in a FROM."""
    inner = node.this if isinstance(node, (exp.Table, exp.Lateral)) else node
    for child in children(inner):
        if not isinstance(child, (exp.TableAlias, exp.Identifier, exp.Join)):
            yield child


def function_name(node: exp.Expr) -> str:
    """The name of a table function in a FROM, in lower case; empty where it is none."""
    inner = node.this if isinstance(node, exp.Table) else node
    if isinstance(inner, exp.Anonymous):
        return str(inner.this).lower()
    return inner.sql_name().lower() if isinstance(inner, exp.Func) else ""


def _identifier(node: object) -> object:
    """The name of a column listed by USING or EXCEPT, whichever node holds it."""
    while isinstance(node, exp.Expr) and not isinstance(node, exp.Identifier):
        node = node.args.get("this")
    return node


def _place_by_name(name: str | None, made: Columns, by_name: dict[str | None, int]) -> int:
    """Where the column of a name is; it is made where there is none."""
    place = by_name.get(name) if name is not None else None
    if place is None:
        place = by_name[name] = len(made.shown)
        made.shown.append(Shown(name, []))
    return place


def _operations(node: exp.Expr) -> list[exp.Expr]:
    """The set operations of a chain, innermost first: each adds one branch to those before."""
    found: list[exp.Expr] = []
    while isinstance(node, exp.SetOperation):
        found.append(node)
        node = node.this
    return found[::-1]


def _is_bracketed_join(source: Source) -> bool:
    """`(a JOIN b …) AS x`: its tables are sources of their own beside it."""
    return source.table is None and source.query is None and isinstance(source.node, exp.Subquery)
