"""Which stored column a name means, given what the sources of a statement show.

Beside plain columns: aliases of SELECT, what a JOIN with USING or NATURAL made of several columns, row ids,
and SQLite's names in double quotes that are no column and so are texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from glue.sql.normal_form import is_double_quoted
from glue.sql.scopes import Block, Source, column_name
from glue.sql.shown_columns import Computed, Giver, ShownColumns

ROW_IDS: Mapping[str, frozenset[str]] = {
    "sqlite": frozenset({"rowid", "oid", "_rowid_"}),
    "duckdb": frozenset({"rowid"}),
    "oracle": frozenset({"rowid"}),
    "postgres": frozenset({"ctid"}),
}
"""By dialect the names of what every row of a table has, where no column is called so."""
PSEUDO_COLUMNS: Mapping[str, frozenset[str]] = {
    "oracle": frozenset(
        ("rownum", "level", "sysdate", "systimestamp", "user", "connect_by_isleaf", "connect_by_iscycle")
    ),
}
"""By dialect the names that stand for no column of any table."""
LATERAL_ALIASES = frozenset({"duckdb", "snowflake", "redshift", "databricks", "bigquery", "clickhouse", ""})
"""Dialects where an item of SELECT may use the alias of another one."""
UNKNOWN_COLUMN = "unknown_column"
AMBIGUOUS_COLUMN = "ambiguous_column"


@dataclass(frozen=True, eq=False, slots=True)
class Meaning:
    """What a name stands for: its givers (none for a row id or a text), or the problem in finding them.

    `sources` are the sources it comes from, as far as it comes from any.
    """

    givers: tuple[Giver, ...] = ()
    sources: tuple[Source, ...] = ()
    problem: str | None = None


class Names:
    """The names of one statement."""

    def __init__(self, shown: ShownColumns) -> None:
        self.shown = shown
        self.dialect = shown.dialect
        self._clauses: dict[int, dict[int, str | None]] = {}
        self._inside: dict[int, set[int]] = {}

    def meaning(self, column: exp.Column, block: Block | None, is_alias_first: bool = False) -> Meaning:
        """What a column in an expression of a block means. `is_alias_first`: a whole term of ORDER BY."""
        name = column_name(column, self.dialect).lower()
        if column.args.get("table") is not None:
            return self._qualified(column, self.shown.name_key(column.args["table"]), name, block)
        if is_alias_first and block is not None:
            outputs = self.shown.block_outputs(block).shown
            named = next((each for each in outputs if each.is_named and each.name == name), None)
            if named is not None:
                return Meaning((named,))
        return self._unqualified(column, name, block)

    def meaning_of_record(self, star: exp.Column, block: Block | None) -> Meaning:
        """What the name before a star means that is no source: a column whose fields are meant."""
        if self.dialect == "sqlite":
            return Meaning(problem=UNKNOWN_COLUMN)
        before, schema = star.args["table"], star.args.get("db")
        return self.meaning(exp.column(before.copy(), table=schema and schema.copy()), block)

    def _qualified(self, column: exp.Column, wanted: str, name: str, block: Block | None) -> Meaning:
        is_source = False
        for level in self._levels(column, block):
            sources = self.shown.sources_named(wanted, level, column)
            having = [one for one in sources if self.shown.columns(one).named(name) is not None]
            if having:
                return self._of_several(having, name, level)
            for source in sources:
                is_source = True
                if source.table is not None and name in ROW_IDS.get(self.dialect, ()):
                    return Meaning((), (source,))
                found = self._from_open(source) if self.shown.columns(source).is_open else None
                if found is not None:
                    return found
        if is_source or self.dialect == "sqlite":
            return Meaning(problem=UNKNOWN_COLUMN)
        return self._unqualified(column, wanted, block)  # a field of a column that is a record

    def _levels(self, column: exp.Column, block: Block | None) -> Iterator[Block]:
        """The blocks whose sources a column may be of, from its own outwards.

        What SQLite finds in GROUP BY or ORDER BY must be of that block.
        """
        while block is not None:
            yield block
            if self.dialect == "sqlite" and self._clause(column, block) in ("group", "order"):
                return
            block = block.parent

    def _from_open(self, source: Source) -> Meaning | None:
        """A column nobody knows: a function's comes from its arguments; a table's is a problem."""
        if source.table is not None or source.query is not None:
            return None
        return Meaning(tuple(self.shown.columns(source).shown), (source,))

    def _unqualified(self, column: exp.Column, name: str, block: Block | None) -> Meaning:
        fallback: Meaning | None = None
        with_row_ids: list[Source] = []
        for level in self._levels(column, block):
            sources = list(self.shown.sources_in_order(level, column))
            having = [one for one in sources if self.shown.columns(one).named(name) is not None]
            if having:
                return self._of_several(having, name, level)
            with_row_ids += [one for one in sources if _has_row_id(one)]
            if len(with_row_ids) == 1 and name in ROW_IDS.get(self.dialect, ()):
                return Meaning((), tuple(with_row_ids))
            expression = self.shown.by_key(level.aliases).get(name)
            if expression is not None and self._may_be_alias(column, expression, level):
                return Meaning((Computed(expression, level),))
            unknown = [one for one in sources if self.shown.columns(one).is_open]
            if fallback is None and len(unknown) == 1:
                fallback = self._from_open(unknown[0])
        if fallback is not None:
            return fallback
        if name in PSEUDO_COLUMNS.get(self.dialect, ()):
            return Meaning()
        if self.dialect == "sqlite" and is_double_quoted(column.this, self.shown.statement.sql):
            return Meaning()  # SQLite takes it for a text
        return Meaning(problem=UNKNOWN_COLUMN)

    def _of_several(self, having: list[Source], name: str, level: Block) -> Meaning:
        """The column of the only source that has it, or the one that a JOIN made of several."""
        chosen = having
        if len(having) > 1:
            joins = [join for join in self.shown.joins(level) if name in join.merged]
            merged = {id(join.merged[name][1]) for join in joins}
            is_full = any(join.is_full for join in joins)
            if not all(id(one) in merged for one in having[1:]):
                return self._ambiguous(having, name, level)
            chosen = having if is_full else having[:1]
        shown = [self.shown.columns(one).named(name) for one in chosen]
        return Meaning(tuple(one for one in shown if one is not None), tuple(chosen))

    def _ambiguous(self, having: list[Source], name: str, level: Block) -> Meaning:
        """Outside SQLite, a column of SELECT decides (SELECT t.a … GROUP BY a); else nobody can tell."""
        for item in level.select.expressions if self.dialect != "sqlite" else ():
            is_qualified = isinstance(item, exp.Column) and item.args.get("table") is not None
            if is_qualified and column_name(item, self.dialect).lower() == name:
                return Meaning((Computed(item, level),))
        return Meaning(sources=tuple(having), problem=AMBIGUOUS_COLUMN)

    def _may_be_alias(self, column: exp.Column, expression: exp.Expr, level: Block) -> bool:
        """Whether the alias of an expression can be meant: not in it, and not in SELECT in most dialects."""
        if self._clause(column, level) != "expressions":
            return True
        if self.dialect not in LATERAL_ALIASES:
            return False
        inside = self._inside.get(id(expression))
        if inside is None:
            inside = self._inside[id(expression)] = {id(one) for one in expression.find_all(exp.Column)}
        return id(column) not in inside

    def _clause(self, column: exp.Column, block: Block) -> str | None:
        """The part of a SELECT that a column stands in, at whatever depth, as sqlglot calls it.

        What was found is kept for every node on the way: chains of operators are as deep as they are long.
        """
        known = self._clauses.setdefault(id(block), {})
        path: list[exp.Expr] = []
        node: exp.Expr | None = column
        while node is not None and id(node) not in known:
            path.append(node)
            if node.parent is block.select:
                known[id(node)] = node.arg_key
                break
            node = node.parent
        found = known.get(id(node)) if node is not None else None
        known.update((id(one), found) for one in path)
        return found


def _has_row_id(source: Source) -> bool:
    """A table, and in some builds of SQLite a derived one."""
    return source.table is not None or (source.query is not None and source.query.context == "from")
