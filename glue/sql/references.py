"""What the names in a statement, or in a fragment of one, refer to: the stored column, or what was computed.

A fragment (a condition, a GROUP BY) may name tables that no FROM of it has. Such a name is looked for in the
catalog: as a table, else as the alias of the only table that has all columns it is used with.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from glue.sql.names import Meaning, Names
from glue.sql.normal_form import is_double_quoted
from glue.sql.scopes import Block, Query, Source, Statement, column_name
from glue.sql.shown_columns import Computed, Giver, Join, Shown, ShownColumns, Stored
from glue.sql.terms import bare_term, collations, meant_by_term, numbered, ordinal

INSTANCE_MARK = "#"
"""Before the number of a table that a fragment names several times: `person#2.name`."""
MAX_STEPS = 200
"""Longest way from a name through derived tables and aliases to what it stands for."""


Use = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A column of a table; `table` is None where it cannot be told.

    `use` tells several uses of one table apart: the readings of CTEs on the way to it, then the source.
    """

    table: str | None
    column: str
    use: Use = ()


@dataclass(frozen=True, slots=True)
class Text:
    """A name in double quotes that is no column: SQLite takes it for a text."""


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """What an alias of SELECT or a computed column of a derived table stands for, and where it stands.

    `way`: the readings of CTEs on the way to it.
    """

    node: exp.Expr
    block: Block | None
    way: Use = ()


Referent = Named | Text | Expression


class References:
    """The references of one statement over one catalog (column keys by table key)."""

    def __init__(
        self, statement: Statement, catalog: Mapping[str, Iterable[str]], is_fragment: bool = False
    ) -> None:
        self.statement = statement
        self.is_fragment = is_fragment
        self.dialect = statement.dialect
        self.shown = ShownColumns(statement, catalog)
        self.names = Names(self.shown)
        self._having: dict[str, list[str]] = {}
        for table, columns in catalog.items():
            for column in columns:
                self._having.setdefault(column, []).append(table)
        self._catalog = {table: frozenset(columns) for table, columns in catalog.items()}
        self._sources: dict[int, dict[int, Source]] = {}
        self._joins: dict[int, dict[int, Join]] = {}
        self._owners: dict[int, Source] | None = None
        self._blocks: dict[int, Block] | None = None
        self._free: dict[str, str | None] = {}
        self._free_uses: dict[str, set[str]] | None = None
        self._known: dict[tuple[int, int], Referent] = {}

    def block_of(self, column: exp.Expr) -> Block | None:
        """The block whose names a column uses; None in the ORDER BY of a set operation."""
        if self._blocks is None:
            self._blocks = {
                id(each): block
                for block in self.statement.blocks
                for columns in block.sections.values()
                for each in columns
            }
        return self._blocks.get(id(column))

    def source_of(self, column: exp.Column, block: Block | None) -> Source | None:
        """The source that a column is of, in the FROM of its own block or of one around it."""
        meaning = self._meaning(column, block)
        if meaning.sources:
            return meaning.sources[0]
        if meaning.givers or block is None:
            return None
        found = block.resolve(column)
        return found[0] if found is not None else None

    def sources(self, block: Block) -> Mapping[int, Source]:
        """The sources of a block by the id of their node."""
        found = self._sources.get(id(block))
        if found is None:
            found = self._sources[id(block)] = {id(each.node): each for each in block.sources.values()}
        return found

    def joins(self, block: Block) -> Mapping[int, Join]:
        """The joins of a block by the id of their node."""
        found = self._joins.get(id(block))
        if found is None:
            found = self._joins[id(block)] = {id(each.node): each for each in self.shown.joins(block)}
        return found

    def referent(self, column: exp.Column, block: Block | None) -> Referent:
        """What a column stands for. Whatever cannot be told is a Named without a table."""
        key = (id(column), id(block))
        if key not in self._known:
            self._known[key] = self._referent(column, block, ())
        return self._known[key]

    def group_term(self, term: exp.Expr, query: Query) -> tuple[exp.Expr, Block | None]:
        """What a term of GROUP BY means, a column of SELECT by its number or itself, and its block."""
        block = query.block
        place = ordinal(term, self.dialect)
        if block is None or place is None or collations(term):
            return term, block
        meant = numbered(block, place)
        return (term if meant is None else meant), block

    def order_term(self, term: exp.Expr, query: Query) -> tuple[exp.Expr, Block | None]:
        """What a whole term of ORDER BY means, by number, alias or itself, and its block.

        With a collation a term is itself.
        """
        block = query.block
        if collations(term):
            return term, query.parent if block is None else block
        if block is not None:
            meant = meant_by_term(term, block)
            return (term if meant is None else meant), block
        term = bare_term(term)
        place = ordinal(term, self.dialect)
        outputs = query.outputs()
        if place is not None:
            place -= 1
        elif isinstance(term, exp.Column) and term.args.get("table") is None:
            place = outputs.position(column_name(term, self.dialect))
        if place is not None and 0 <= place < len(outputs.columns):
            return outputs.columns[place].givers[0]
        return term, query.parent

    def _meaning(self, column: exp.Column, block: Block | None) -> Meaning:
        if not isinstance(column.this, exp.Identifier) or id(column) in self.statement.read_after_in:
            return Meaning()
        return self.names.meaning(column, block)

    def _referent(self, column: exp.Column, block: Block | None, way: Use, n_steps: int = 0) -> Referent:
        name = column_name(column, self.dialect).lower()
        if n_steps > MAX_STEPS or id(column) in self.statement.read_after_in:
            return Named(None, name)
        meaning = self._meaning(column, block)
        if meaning.givers:
            source = meaning.sources[0] if meaning.sources else None
            return self._given(meaning.givers[0], source, name, way, n_steps)
        if meaning.problem is None:
            if meaning.sources:
                return self._of_source(meaning.sources[0], name, way)
            if self.is_fragment:
                return self._named_freely(column, name)
            return Text() if self._may_be_text(column) else Named(None, name)
        if meaning.sources:  # several have it
            return Named(None, name)
        found = block.resolve(column) if block is not None else None
        if found is None:
            return self._named_freely(column, name)
        source, _ = found
        if source.query is not None:
            outputs = source.outputs()
            place = outputs.position(column_name(column, self.dialect))
            if place is not None:
                node, inner = outputs.columns[place].givers[0]
                return self._computed(node, inner, way + reading(source), n_steps)
        return self._of_source(source, name, way)

    def _of_source(self, source: Source, name: str, way: Use) -> Named:
        if source.table is None:
            return Named(None, name)
        return Named(self.table(source.table), name, (*way, id(source)))

    def table(self, name: str) -> str:
        """The key of a table in the catalog, or the name itself in lower case where it is not there."""
        return self.shown.table_key(name) or name.lower()

    def _given(self, giver: Giver, source: Source | None, name: str, way: Use, n_steps: int) -> Referent:
        last: Shown | None = None
        while isinstance(giver, Shown) and n_steps <= MAX_STEPS:
            n_steps += 1
            last = giver
            if not giver.givers:
                return Named(None, name)
            giver = giver.givers[0]
        if source is not None:
            way = way + reading(source)
        if isinstance(giver, Stored):
            owner = self._owner(last) or source
            return Named(giver.table, giver.column, (*way, id(owner)))
        if isinstance(giver, Computed):
            return self._computed(giver.expression, giver.block, way, n_steps)
        return Named(None, name)

    def _computed(self, node: exp.Expr, block: Block | None, way: Use, n_steps: int) -> Referent:
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            return self._referent(node, block, way, n_steps + 1)
        return Expression(node, block, way)

    def _owner(self, shown: Shown | None) -> Source | None:
        """The table of a FROM whose column this is."""
        if self._owners is None:
            self._owners = {}
            for block in self.statement.blocks:
                for source in block.sources.values():
                    if source.table is not None:
                        for each in self.shown.columns(source).shown:
                            self._owners[id(each)] = source
        return self._owners.get(id(shown))

    # Names of tables that no FROM has

    def _named_freely(self, column: exp.Column, name: str) -> Referent:
        if column.args.get("table") is None:
            having = self._having.get(name, ())
            if len(having) == 1:
                return Named(having[0], name, (having[0],))
            return Text() if not having and self._may_be_text(column) else Named(None, name)
        alias = self.shown.name_key(column.args["table"])
        return Named(self._free_table(alias), name, (alias,))

    def _may_be_text(self, column: exp.Column) -> bool:
        is_bare = self.dialect == "sqlite" and column.args.get("table") is None
        return is_bare and is_double_quoted(column.this, self.statement.sql)

    def _free_table(self, alias: str) -> str | None:
        if alias not in self._free:
            bare, mark, number = alias.rpartition(INSTANCE_MARK)
            if mark and number.isdigit() and self.shown.table_key(bare) is not None:
                self._free[alias] = self.shown.table_key(bare)
            elif self.shown.table_key(alias) is not None:
                self._free[alias] = self.shown.table_key(alias)
            elif mark and number.isdigit() and not self._catalog:
                self._free[alias] = bare
            else:
                self._free[alias] = self._only_table_with(self._columns_used_with(alias), alias)
        return self._free[alias]

    def _columns_used_with(self, alias: str) -> set[str]:
        if self._free_uses is None:
            self._free_uses = {}
            for column in self.statement.tree.find_all(exp.Column):
                if column.args.get("table") is not None and isinstance(column.this, exp.Identifier):
                    used_with = self._free_uses.setdefault(self.shown.name_key(column.args["table"]), set())
                    used_with.add(column_name(column, self.dialect).lower())
        return self._free_uses.get(alias, set())

    def _only_table_with(self, columns: set[str], alias: str) -> str | None:
        if not self._catalog:
            return alias
        having = [table for table, names in self._catalog.items() if columns <= names]
        return having[0] if len(having) == 1 and columns else None


def reading(source: Source) -> Use:
    """What tells one reading of a CTE from another; empty for any other source."""
    return (id(source),) if source.query is not None and source.query.context == "cte" else ()
