"""A block of a query for SQL Server in DuckDB's SQL: SELECT … FROM … WHERE … GROUP BY … HAVING and order.

A block becomes at most these layers, each a query around the one before it: the tables with WHERE; the
groups; what is selected; the distinct rows; and those that TOP or OFFSET leaves. Its columns are c1, c2, …
in DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.groups import GroupLayer, Key, Level, Selected
from glue.dialects.scopes import Output, Scope
from glue.dialects.tsql.aggregates import is_one_value
from glue.dialects.tsql.collations import same_key
from glue.dialects.tsql.conversions import implicit
from glue.dialects.tsql.functions import AGGREGATES
from glue.dialects.tsql.limits import Cut, OrderKey, limited
from glue.dialects.tsql.names import columns_within, folded, relations_called, written
from glue.dialects.tsql.pivots import Pivots
from glue.dialects.tsql.sources import output_of
from glue.dialects.tsql.types import BIGINT, INTEGERS, TEXTS
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

Hidden = Callable[[Scope], list[str]]
"""Makes further columns of a block's tables, behind those that it selects."""

_ALIAS = re.compile(r"\b[a-z]\d+(?=\.)")
_JOINED = 2
"""So many tables or more are joined by a condition."""
_SIMPLE = (nodes.Name, nodes.Text, nodes.Number, nodes.Null, nodes.Subquery)


class Blocks(Pivots):
    """A translation as far as it knows blocks of queries."""

    def block(
        self,
        node: nodes.Block,
        order: list[nodes.OrderTerm],
        limit: nodes.Limit | None,
        hidden: Hidden | None = None,
    ) -> tuple[str, list[Output]]:
        """The block with the order and the limit of the query it belongs to."""
        before = getattr(self, "named_windows", {}), self.selected
        self.named_windows = {name.text.upper(): window for name, window in node.windows}
        self.selected = None
        try:
            with self.within(Scope(self.scope)) as scope:
                return self._block(node, order, limit, scope, hidden)
        finally:
            self.named_windows, self.selected = before

    def _block(
        self,
        node: nodes.Block,
        order: list[nodes.OrderTerm],
        limit: nodes.Limit | None,
        scope: Scope,
        hidden: Hidden | None,
    ) -> tuple[str, list[Output]]:
        tables = self.from_clause(node.sources, scope)
        self.columns_of_tables.update(one.name for one in scope.every_field() if one.name)
        with self.in_clause("WHERE"):
            where = filtered([self.value(one) for one in conjuncts(node.where)])
        clause = (f" from {tables}" if tables else "") + (f" where {where}" if where else "")
        level = self._groups(node, order)
        scope.grouped = level
        with self.in_clause("HAVING"):
            having = None if node.having is None else self.value(node.having).text
        with self.in_clause("SELECT"):
            selected = self._select_list(node, scope)
        with self.in_clause("ORDER BY"):
            keys = self._order_keys(order, selected, node.is_distinct)
        cut = self._cut(node.top, limit)
        if level is not None:
            grouped = self._grouped(node, level, clause)
            clause = f" from {grouped}" + (f" where {having}" if having else "")
        columns = [one.value for one in selected]
        outputs = [output_of(one.name, one.value) for one in selected]
        if hidden is not None:
            columns += [Sql(text, "int") for text in hidden(scope)]
        return limited(columns, clause, node.is_distinct, keys, cut, self.alias), outputs

    # Groups

    def _groups(self, node: nodes.Block, order: list[nodes.OrderTerm]) -> Level | None:
        """The groups of the block; None where its rows stay rows."""
        parts: list[nodes.Node] = [*node.items, *order]
        has_aggregates = any(_has_aggregate(part) for part in parts)
        if node.groups is None and node.having is None and not has_aggregates:
            return None
        alias = self.alias("g")
        level = Level(has_keys=node.groups is not None, layer=GroupLayer(alias))
        has_sets = any(group.kind or not group.values for group in node.groups or [])
        with self.in_clause("GROUP BY"):
            for value in _grouped_values(node.groups or []):
                key = self.value(value)
                if key.text in level.terms:
                    continue
                name, term = f"k{len(level.terms) + 1}", same_key(key)
                kept = key.text if term == key.text else f"any_value({key.text})"
                if has_sets and term != key.text:
                    kept = f"case when grouping({term}) = 0 then {kept} end"
                level.terms[key.text] = Key(term, kept, name)
                level.keys[key.text] = replace(key, text=f"{alias}.{name}", constant=None, may_fail=False)
        return level

    def _grouped(self, node: nodes.Block, level: Level, clause: str) -> str:
        columns = [f"{key.value} as {key.name}" for key in level.terms.values()]
        columns += [f"{call} as {name}" for call, name in level.layer.columns.items()]
        groups = ""
        if node.groups is not None:
            with self.at_level(None):
                groups = f" group by {', '.join(self._set_text(group, level) for group in node.groups)}"
        return f"(select {', '.join(columns) or 'count(*) as a0'}{clause}{groups}) as {level.layer.alias}"

    def _set_text(self, group: nodes.Grouping, level: Level) -> str:
        if group.kind:
            terms = ", ".join(self._set_text(term, level) for term in group.terms)
            word = "grouping sets" if group.kind == "SETS" else group.kind.lower()
            return f"{word} ({terms})"
        terms_of = [level.terms[self.value(value).text].term for value in group.values]
        return terms_of[0] if len(terms_of) == 1 else f"({', '.join(terms_of)})"

    def value(self, node: nodes.Value) -> Sql:
        """See Names. In a grouped block what is a key whole is that key."""
        grouped = self.scope.grouped
        if isinstance(grouped, Level) and grouped.keys and not isinstance(node, _SIMPLE):
            key = self._key(node, grouped)
            if key is not None:
                return key
        return self.translated(node)

    def _key(self, node: nodes.Value, level: Level) -> Sql | None:
        if any(
            isinstance(part, nodes.Call) and (part.over or part.name in AGGREGATES)
            for part in nodes.parts_within(node)
        ):
            return None
        try:
            with self.at_level(None):
                text = self.translated(node).text
        except (TSQLError, UnsupportedError):
            return None
        return level.keys.get(text)

    def translated(self, node: nodes.Value) -> Sql:
        """The value by the class of its node."""
        raise NotImplementedError

    # The select list and its order

    def _select_list(self, node: nodes.Block, scope: Scope) -> list[Selected]:
        selected: list[Selected] = []
        for item in node.items:
            if isinstance(item.value, nodes.Star):
                selected += self._star(item.value, scope)
                continue
            value = self.value(item.value)
            if value.kind == "condition":
                raise UnsupportedError("a condition in the select list")
            name = None
            if item.alias is not None:
                name = item.alias.text
            elif isinstance(item.value, nodes.Name):
                name = item.value.parts[-1].text
            selected.append(Selected(value, name))
        return selected

    def _star(self, star: nodes.Star, scope: Scope) -> list[Selected]:
        fields = scope.every_field()
        if star.parts:
            names = [folded(part) for part in star.parts]
            relations = relations_called(scope, names)
            if not relations:
                raise TSQLError(
                    "4104", f"nothing here is called {'.'.join(part.text for part in star.parts)}"
                )
            fields = relations[0].fields
        elif not scope.relations:
            raise TSQLError("263", "a star without a table")
        return [Selected(self.field_value(one, scope), one.label) for one in fields]

    def _order_keys(
        self, order: list[nodes.OrderTerm], selected: list[Selected], is_distinct: bool
    ) -> list[OrderKey]:
        keys: list[OrderKey] = []
        for term in order:
            if is_one_value(term.value):
                continue
            place = _place_of(term.value, selected)
            if place is None:
                value = self.value(term.value)
                if value.constant is not None:
                    raise TSQLError("408", "a constant stands in ORDER BY")
                place = next((at for at, one in enumerate(selected, 1) if one.value.text == value.text), None)
            else:
                value = selected[place - 1].value
            if is_distinct and place is None:
                raise TSQLError("145", "with DISTINCT only what is selected may be ordered by")
            if any(key.value.text == value.text for key in keys) and isinstance(term.value, nodes.Name):
                raise TSQLError("169", f"{written(term.value)} comes twice in ORDER BY")
            keys.append(OrderKey(value, term.is_descending, place))
        return keys

    # How many rows are left

    def _cut(self, top: nodes.Top | None, limit: nodes.Limit | None) -> Cut | None:
        with self.in_clause("TOP"):
            if top is not None:
                if top.is_percent:
                    count, is_constant = self._percentage(top.count)
                else:
                    count, is_constant = self._row_count(top.count, 0, "1014")
                return Cut("0", count, top.is_percent, top.has_ties, is_constant)
            if limit is None:
                return None
            offset, is_constant = self._row_count(limit.offset, 0, "10742")
            if not limit.has_fetch:
                return Cut(offset, None, is_constant=is_constant)
            count, is_constant_too = self._row_count(limit.count, 1, "10744")
            return Cut(offset, count, is_constant=is_constant and is_constant_too)

    def _of_no_row(self, node: nodes.Value) -> Sql:
        """A value that sees no columns of the block. Raises 4115."""
        own = self.scope
        with self.within(Scope(own.outer)):
            try:
                return self.value(node)
            except TSQLError as error:
                if error.code in ("207", "4104") and own.every_field():
                    names = {field.name for field in own.every_field()}
                    for part in columns_within(node):
                        if folded(part.parts[-1]) in names:
                            raise TSQLError("4115", f"{written(part)} stands in TOP or OFFSET") from None
                raise

    def _row_count(self, node: nodes.Value | None, least: int, code: str) -> tuple[str, bool]:
        """A number of rows in DuckDB's SQL; is it a literal?"""
        if node is None:
            return "1", True
        value = self._of_no_row(node)
        if value.kind == "null":
            raise TSQLError("1014", "NULL is no number of rows")
        if value.kind not in INTEGERS and value.kind not in TEXTS:
            raise TSQLError("1060", f"{value.kind} is no number of rows")
        value = implicit(value, BIGINT)
        if isinstance(value.constant, Decimal):
            if value.constant < least:
                raise TSQLError("127" if code == "1014" else code, f"{value.constant} is no number of rows")
            return str(int(value.constant)), True
        return f"tsql_row_count({value.text}, {least}, '{code}')", False

    def _percentage(self, node: nodes.Value) -> tuple[str, bool]:
        value = self._of_no_row(node)
        constant = value.constant
        if not isinstance(constant, Decimal):
            raise UnsupportedError("TOP … PERCENT of what is no literal")
        if not 0 <= constant <= 100:
            raise TSQLError("1031", "a percentage lies between 0 and 100")
        return f"{constant:f}::decimal(18, 6)", True


def _place_of(node: nodes.Value, selected: list[Selected]) -> int | None:
    """The column of the select list that a term of ORDER BY names or counts. Raises 108 and 209."""
    if isinstance(node, nodes.Number):
        if not node.text.isdigit():
            raise TSQLError("408", "a constant stands in ORDER BY")
        if not 1 <= int(node.text) <= len(selected):
            raise TSQLError("108", f"ORDER BY {node.text} is the number of no column")
        return int(node.text)
    if isinstance(node, nodes.Name) and len(node.parts) == 1:
        name = folded(node.parts[0])
        places = [
            at for at, one in enumerate(selected, 1) if one.name is not None and one.name.upper() == name
        ]
        if len({selected[at - 1].value.text for at in places}) > 1:
            raise TSQLError("209", f"the column {written(node)} is one of several")
        return places[0] if places else None
    return None


def conjuncts(where: nodes.Value | None) -> list[nodes.Value]:
    """The conditions of WHERE that all have to hold."""
    if where is None:
        return []
    if isinstance(where, nodes.Logic) and where.word == "AND":
        return [part for term in where.terms for part in conjuncts(term)]
    return [where]


def filtered(conditions: list[Sql]) -> str:
    """Conditions that all have to hold; those that may fail are only asked of rows where the others do.

    What joins tables is left to DuckDB, which asks first what each table's own conditions are.
    """
    risky = [one.text for one in conditions if one.may_fail and len(set(_ALIAS.findall(one.text))) < _JOINED]
    safe = [one.text for one in conditions if not one.may_fail]
    joins = [one.text for one in conditions if one.may_fail and one.text not in risky]
    if safe and risky:
        guarded = f"case when {' and '.join(safe)} then {' and '.join(risky)} end"
        return " and ".join([*safe, *joins, guarded])
    return " and ".join([*safe, *joins, *risky])


def _grouped_values(groups: list[nodes.Grouping]) -> list[nodes.Value]:
    return [value for group in groups for value in [*group.values, *_grouped_values(group.terms)]]


def _has_aggregate(node: nodes.Node) -> bool:
    return any(
        isinstance(part, nodes.Call) and part.over is None and part.name in AGGREGATES
        for part in nodes.parts_within(node)
    )
