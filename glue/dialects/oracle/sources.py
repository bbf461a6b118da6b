"""What stands in FROM of a query for Oracle, in DuckDB's SQL: tables, queries, joins, and (+)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

from glue.dialects import nodes
from glue.dialects.catalog import quoted
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle.aggregates import Aggregates
from glue.dialects.oracle.names import folded
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Field, Output, Relation, Scope, fields_of
from glue.dialects.values import Sql

_DUAL = "(select 'X' as c1)"


@dataclass(slots=True)
class From:
    """The tables of a block as DuckDB has them after FROM, and the conditions that are left for WHERE."""

    text: str
    conditions: list[nodes.Value] = field(default_factory=list)


class Sources(Aggregates):
    """A translation as far as it knows tables."""

    @abstractmethod
    def pivoted(self, pivot: nodes.Pivot | nodes.Unpivot, text: str, relation: Relation) -> Relation:
        """What PIVOT or UNPIVOT makes of a table; its `alias` is then that of the text in brackets."""

    def from_clause(self, node: nodes.Block, scope: Scope) -> From:
        """FROM with the joins that (+) in WHERE makes; `scope` gets the tables."""
        conditions = conjuncts(node.where)
        if self.has_marks and any(has_mark(condition) for condition in conditions):
            return self._with_marks(node, conditions, scope)
        texts = []
        for source in node.sources:
            text, relations = self.source(source, scope.relations)
            scope.relations.extend(relations)
            texts.append(text)
        return From(", ".join(texts), conditions)

    def source(self, node: nodes.Source, before: list[Relation]) -> tuple[str, list[Relation]]:
        """One of FROM, and its tables; `before` are those that a LATERAL query sees."""
        if isinstance(node, nodes.Join):
            return self._join(node, before)
        if isinstance(node, nodes.TableCall):
            return self._table_call(node, before)
        if isinstance(node, nodes.Table):
            text, relation = self._table(node)
        elif isinstance(node, nodes.Derived):
            text, relation = self._derived(node, before)
        else:
            raise UnsupportedError("VALUES in FROM")
        if node.pivot is not None:
            pivoted = self.pivoted(node.pivot, text, relation)
            text, relation = pivoted.text, pivoted
            relation.name = folded(node.pivot_alias) if node.pivot_alias else None
        return text, [relation]

    def _table(self, node: nodes.Table) -> tuple[str, Relation]:
        names = [folded(part) for part in node.parts]
        alias = self.alias()
        name = folded(node.alias) if node.alias else names[-1]
        if len(names) == 1 and names[0] in self.named_queries:
            stored, outputs = self.named_queries[names[0]]
            relation = Relation(name, alias, fields_of(alias, outputs), text=stored)
            return f"{stored} as {alias}", relation
        if names in (["DUAL"], ["SYS", "DUAL"]) and "DUAL" not in self.catalog.tables:
            dummy = Field("DUMMY", alias, "c1", "text")
            return f"{_DUAL} as {alias}", Relation(name, alias, [dummy])
        if len(names) > 1:
            raise UnsupportedError(f"a table of another schema: {'.'.join(names)}")
        table = self.catalog.tables.get(names[0])
        if table is None:
            raise OracleError("ORA-00942", f"table or view {quoted(names[0])} does not exist")
        fields = [
            Field(name, alias, stored, one.kind, one.precision, one.scale, one.text)
            for name, stored, one in self.catalog.columns(table)
        ]
        if "ROWID" in self.words:
            fields.append(Field("ROWID", alias, "rowid", "rowid", is_hidden=True))
        return f"{quoted(table.stored_name)} as {alias}", Relation(name, alias, fields, is_stored=True)

    def _derived(self, node: nodes.Derived, before: list[Relation]) -> tuple[str, Relation]:
        alias = self.alias()
        outer = self.scope.outer
        if node.is_lateral:
            outer = Scope(self.scope.outer, list(before))
        with self.within(outer or Scope()):
            text, outputs = self.subquery(node.query)
        text = shielded(text, outputs)
        lateral = "lateral " * node.is_lateral
        name = folded(node.alias) if node.alias else None
        return f"{lateral}({text}) as {alias}", Relation(name, alias, fields_of(alias, outputs))

    def _table_call(self, node: nodes.TableCall, before: list[Relation]) -> tuple[str, list[Relation]]:
        """TABLE(CAST(MULTISET(query) AS …)): a query of one column that sees the tables before it."""
        cast = node.call.arguments[0] if node.call.arguments else None
        if (
            node.call.name != "TABLE"
            or not isinstance(cast, nodes.Cast)
            or not isinstance(cast.operand, nodes.Subquery)
        ):
            raise UnsupportedError(f"{node.call.name}( … ) in FROM")
        derived = nodes.Derived(cast.operand.query, node.alias, is_lateral=True, place=node.place)
        text, relation = self._derived(derived, before)
        if len(relation.fields) != 1:
            raise UnsupportedError("TABLE( … ) of rows of several columns")
        relation.fields[0].name = "COLUMN_VALUE"
        return text, [relation]

    # Joins

    def _join(self, node: nodes.Join, before: list[Relation]) -> tuple[str, list[Relation]]:
        left, left_relations = self.source(node.left, before)
        right_node = node.right
        is_apply = node.kind.endswith("APPLY")
        if is_apply and isinstance(right_node, nodes.Derived):
            right_node.is_lateral = True
        right, right_relations = self.source(right_node, [*before, *left_relations])
        relations = [*left_relations, *right_relations]
        if isinstance(node.right, nodes.Join):
            right = f"({right})"
        if node.kind in ("CROSS", "CROSS APPLY"):
            return f"{left} cross join {right}", relations
        if node.kind == "OUTER APPLY":
            return f"{left} left join {right} on true", relations
        if node.left_partition or node.right_partition:
            return self._partitioned(node, (left, left_relations), (right, right_relations)), relations
        if node.on is not None:
            with self.within(Scope(self.scope.outer, relations)) as scope:
                scope.merged = self.scope.merged
                scope.naturally_merged = self.scope.naturally_merged
                condition = self.value(node.on).text
        else:
            condition = self._merging(node, left_relations, right_relations)
        return f"{left} {node.kind.lower()} join {right} on {condition}", relations

    def _partitioned(
        self, node: nodes.Join, left: tuple[str, list[Relation]], right: tuple[str, list[Relation]]
    ) -> str:
        """An outer join of each part of one side: all rows of the other, beside the keys of every part."""
        (parted, parts), (whole, others) = (left, right) if node.left_partition else (right, left)
        keys = node.left_partition or node.right_partition
        is_outer = node.kind == ("RIGHT" if node.left_partition else "LEFT")
        if not is_outer or node.on is None or (node.left_partition and node.right_partition):
            raise UnsupportedError(f"PARTITION BY of a side of {node.kind} JOIN")
        with self.within(Scope(self.scope.outer, [*parts, *others])):
            found = [self.value(key).text for key in keys]
            condition = self.value(node.on).text
        alias = self.alias("p")
        named = [f"{text} as k{place}" for place, text in enumerate(found, 1)]
        same = [f"{text} is not distinct from {alias}.k{place}" for place, text in enumerate(found, 1)]
        for one in (one for relation in parts for one in relation.fields):
            if one.sql().text in found:
                one.becomes(alias, f"k{found.index(one.sql().text) + 1}")
        every = f"(select distinct {', '.join(named)} from {parted}) as {alias} cross join {whole}"
        return f"{every} left join {parted} on {' and '.join([*same, condition])}"

    def _merging(self, node: nodes.Join, left: list[Relation], right: list[Relation]) -> str:
        """The condition of NATURAL JOIN and USING, whose columns become one of two."""
        left_scope = Scope(None, left, self._merged_of(left))
        right_scope = Scope(None, right, self._merged_of(right))
        if node.is_natural:
            theirs = {column.name for column in right_scope.every_field()}
            names = [column.name for column in left_scope.every_field() if column.name in theirs]
            names = list(dict.fromkeys(names))
        else:
            names = [folded(name) for name in node.using or []]
        pairs = []
        for name in filter(None, names):
            sides = [_one_named(scope, name) for scope in (left_scope, right_scope)]
            pairs.append(self.compared("=", sides[0].sql(), sides[1].sql()).text)
            self._merge(name, node, sides)
        return " and ".join(pairs) or "true"

    def _merged_of(self, relations: list[Relation]) -> dict[str, list[Field]]:
        """The columns that joins have made one of two, as far as they are of these tables."""
        aliases = {relation.alias for relation in relations}
        return {name: group for name, group in self.scope.merged.items() if group[0].relation in aliases}

    def _merge(self, name: str, node: nodes.Join, sides: list[Field]) -> None:
        kept = sides[1] if node.kind == "RIGHT" else sides[0]
        one = Field(name, kept.relation, kept.column, kept.kind, kept.precision, kept.scale, kept.wrapping)
        if node.kind == "FULL":
            one.wrapping = f"coalesce({kept.wrapping}, {sides[1].sql().text})"
        before = self.scope.merged.get(name, [])
        if before and not any(one is side for one in before for side in sides):
            raise UnsupportedError(f"two joins by {name} beside each other")
        self.scope.merged[name] = [one, *before[1:], *sides]
        if node.is_natural:
            self.scope.naturally_merged.add(name)

    # (+)

    def _with_marks(self, node: nodes.Block, conditions: list[nodes.Value], scope: Scope) -> From:
        """FROM a, b WHERE a.x = b.x(+): a left join b, after the tables that no (+) belongs to."""
        texts: dict[str, str] = {}
        for source in node.sources:
            if isinstance(source, nodes.Join):
                raise OracleError("ORA-25156", "(+) beside a join of the SQL standard")
            text, relations = self.source(source, scope.relations)
            scope.relations.extend(relations)
            texts[relations[0].alias] = text
        joined: dict[str, list[nodes.Value]] = {}
        needed: dict[str, set[str]] = {}
        rest = []
        for condition in conditions:
            if not has_mark(condition):
                rest.append(condition)
                continue
            alias, others = self._sides(condition, scope)
            joined.setdefault(alias, []).append(condition)
            needed.setdefault(alias, set()).update(others)
        for alias in [alias for alias, others in needed.items() if not others]:
            rest.extend(joined.pop(alias))  # compared with constants alone, the mark changes nothing
            del needed[alias]
        return From(self._left_joins(texts, joined, needed), rest)

    def _sides(self, condition: nodes.Value, scope: Scope) -> tuple[str, set[str]]:
        """The table that is marked in a condition, and the others in it."""
        if isinstance(condition, nodes.Logic):
            raise OracleError("ORA-01719", "(+) is not allowed in an operand of OR or IN")
        marked: set[str] = set()
        others: set[str] = set()
        for part in nodes.parts_within(condition):
            if isinstance(part, nodes.Subquery):
                raise OracleError("ORA-01799", "a column may not be outer-joined to a subquery")
            if not isinstance(part, nodes.Name) or self.is_word(part):
                continue
            found, owner = self.field([folded(name) for name in part.parts], part)
            if owner is scope:
                (marked if part.is_outer else others).add(found.relation)
        if len(marked) > 1:
            raise OracleError("ORA-01468", "a predicate may reference only one outer-joined table")
        return next(iter(marked)), others - marked

    def _left_joins(
        self, texts: dict[str, str], joined: dict[str, list[nodes.Value]], needed: dict[str, set[str]]
    ) -> str:
        there = [alias for alias in texts if alias not in joined]
        text = " cross join ".join(texts[alias] for alias in there)
        waiting = [alias for alias in texts if alias in joined]
        while waiting:
            ready = [alias for alias in waiting if needed[alias] <= set(there)]
            if not ready:
                raise OracleError("ORA-01416", "two tables cannot be outer-joined to each other")
            conditions = " and ".join(self.value(condition).text for condition in joined[ready[0]])
            text = f"{text} left join {texts[ready[0]]} on {conditions}"
            there.append(ready[0])
            waiting.remove(ready[0])
        return text


def conjuncts(where: nodes.Value | None) -> list[nodes.Value]:
    """The conditions of WHERE that all have to hold."""
    if where is None:
        return []
    if isinstance(where, nodes.Logic) and where.word == "AND":
        return [part for term in where.terms for part in conjuncts(term)]
    return [where]


def has_mark(node: nodes.Node) -> bool:
    """Does a (+) stand in it?"""
    return any(isinstance(part, nodes.Name) and part.is_outer for part in nodes.parts_within(node))


def _one_named(scope: Scope, name: str) -> Field:
    found = scope.named(name)
    if not found:
        raise OracleError("ORA-00904", f'"{name}": invalid identifier')
    if len(found) > 1:
        raise OracleError("ORA-00918", f'column "{name}" is ambiguously defined')
    return found[0]


def shielded(text: str, outputs: list[Output]) -> str:
    """A query whose values may fail for rows that it leaves out: no condition from outside gets into it."""
    if any(one.may_fail for one in outputs):
        return f"select * from ({text}) offset 0"
    return text


def output_of(name: str | None, value: Sql) -> Output:
    """What a query gives in a column."""
    return Output(name, value.kind, value.precision, value.scale, may_fail=value.may_fail)
