"""A block of a query for Oracle in DuckDB's SQL: SELECT … FROM … WHERE … GROUP BY … HAVING, with its order.

A block becomes at most these layers, each a query around the one before it: the tables with WHERE; the tree
of CONNECT BY; the rows numbered by ROWNUM; the groups; what is selected; and the rows that FETCH leaves. The
columns of a block are c1, c2, … in DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.groups import GroupLayer, Selected
from glue.dialects.oracle.aggregates import Level, ordered
from glue.dialects.oracle.functions import AGGREGATES
from glue.dialects.oracle.hierarchies import Tree, scope_fields
from glue.dialects.oracle.kinds import as_key
from glue.dialects.oracle.limits import Cut, limited
from glue.dialects.oracle.names import folded
from glue.dialects.oracle.pivots import Pivots
from glue.dialects.oracle.sources import From, output_of
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Output, Scope
from glue.dialects.values import Sql

_MOST_NESTED = 2
"""Aggregates of aggregates there may be; not of those."""


_NULLS = frozenset({"null", "null::varchar"})


@dataclass(slots=True)
class Rows:
    """The rows of a block below its select list."""

    text: str
    where: list[Sql] = field(default_factory=list)

    def clause(self) -> str:
        """FROM and WHERE."""
        where = filtered(self.where)
        return f" from {self.text}" + (f" where {where}" if where else "")


class Blocks(Pivots):
    """A translation as far as it knows blocks of queries."""

    has_aggregates: bool = False
    """May an aggregate stand in the statement?"""

    def block(
        self,
        node: nodes.Block,
        query: nodes.Query | None,
        cut: Cut | None,
        hidden: Callable[[Scope], list[str]] | None = None,
    ) -> tuple[str, list[Output]]:
        """The block with the order and the limit of the query it belongs to.

        `hidden` makes further columns of its tables, behind those that it selects.
        """
        before = (
            self.tree,
            self.rows_columns,
            self.rows_alias,
            self.selected,
            self._base,
            self._prior,
            self._item_nodes,
        )
        self._item_nodes = node.items
        self.tree, self.rows_columns, self.selected, self._prior = None, None, None, None
        try:
            with self.within(Scope(self.scope)) as scope, self.with_windows(False):
                return self._block(node, query, cut, scope, hidden)
        finally:
            (
                self.tree,
                self.rows_columns,
                self.rows_alias,
                self.selected,
                self._base,
                self._prior,
                self._item_nodes,
            ) = before

    def _block(
        self,
        node: nodes.Block,
        query: nodes.Query | None,
        cut: Cut | None,
        scope: Scope,
        hidden: Callable[[Scope], list[str]] | None,
    ) -> tuple[str, list[Output]]:
        order = [] if query is None or query.is_siblings else query.order
        tables = self.from_clause(node, scope)
        tables = self.hierarchy(node, query, scope, tables)
        rows = self._rows(node, order, scope, tables)
        whole = [*node.items, *order, *([node.having] if node.having else [])]
        depth = max((_depth(part) for part in whole), default=0) if self.has_aggregates else 0
        level = None
        if node.groups is not None or depth or node.having is not None:
            level = self._groups(node, scope, rows, depth)
        scope.grouped = level
        with self.with_windows(True):
            selected = self._select_list(node, scope, level)
            self.selected = selected
            told = [self._order_term(term, selected, node.is_distinct) for term in order]
            terms = [term for term in told if term is not None]
            self.selected = None
        if order and not terms and cut is not None and cut.has_ties:
            raise UnsupportedError("WITH TIES of rows that are all in one place")
        having = [] if node.having is None else [self.value(node.having)]
        if level is not None:
            rows = Rows(self._grouped_text(node, level, rows), having)
        elif self.rows_columns:
            added = ", ".join(f"{text} as {name}" for text, name in self.rows_columns.items())
            rows = Rows(f"(select {self.rows_alias}.*, {added} from {rows.text}) as {self.rows_alias}")
        columns = [as_key(one.value) if node.is_distinct else one.value.text for one in selected]
        if hidden is not None:
            columns += hidden(scope)
        is_tree_order = node.connect is not None and level is None and not node.is_distinct
        if not terms and is_tree_order and self.tree is not None:
            terms = [f"{self.tree.rows}.places"]
        outputs = [output_of(one.name, one.value) for one in selected]
        text = limited(columns, rows.clause(), node.is_distinct, terms, cut, self.alias)
        return text, outputs

    # Rows

    def _rows(self, node: nodes.Block, order: list[nodes.OrderTerm], scope: Scope, tables: From) -> Rows:
        """WHERE; and where something needs it, the rows with their number, or room for further columns."""
        numbered = "ROWNUM" in self.words and self._mentions_rownum(node, order)
        keeps = "KEEP" in self.words or _has_sets(node.groups)
        conditions = tables.conditions
        counting = [one for one in conditions if numbered and _mentions(one, "ROWNUM")]
        rows = Rows(tables.text, [self.value(one) for one in conditions if one not in counting])
        if not numbered and not keeps:
            return rows
        fields = scope_fields(scope)
        columns = [f"{one.sql().text} as c{place}" for place, one in enumerate(fields, 1)]
        alias = self.alias()
        tree_columns = ""
        if self.tree is not None or scope.pseudo:
            tree_columns, columns = self._tree_columns(scope, alias), [*columns]
        listed = ", ".join([*columns, *([tree_columns] if tree_columns else [])]) or "1 as c0"
        for place, one in enumerate(fields, 1):
            one.becomes(alias, f"c{place}")
        if numbered:
            listed += ", row_number() over () as rn"
            scope.pseudo["ROWNUM"] = Sql(f"{alias}.rn", "number", 19)
        text = f"(select {listed}{rows.clause()}) as {alias}"
        if counting:
            text = self._counted_rows(counting, text, alias)
        if keeps:
            self.rows_columns, self.rows_alias = {}, alias
        return Rows(text)

    def _tree_columns(self, scope: Scope, alias: str) -> str:
        """The columns of a tree that the rows above it keep."""
        if self.tree is None:
            text = ", ".join(f"{one.text} as {one.text.partition('.')[2]}" for one in scope.pseudo.values())
        else:
            rows = self.tree.rows
            kept = ["lvl", "places", *self.tree.path_columns.values()]
            kept += ["is_leaf"] * ("CONNECT_BY_ISLEAF" in self.words)
            kept += ["is_cycle"] * ("CONNECT_BY_ISCYCLE" in self.words)
            kept += ["parent"] * ("PRIOR" in self.words) + ["root"] * ("CONNECT_BY_ROOT" in self.words)
            text = ", ".join(f"{rows}.{column}" for column in kept)
            self.tree = Tree(alias, self.tree.path_columns)
        for word, value in scope.pseudo.items():
            scope.pseudo[word] = Sql(f"{alias}.{value.text.partition('.')[2]}", value.kind, value.precision)
        return text

    def _mentions_rownum(self, node: nodes.Block, order: list[nodes.OrderTerm]) -> bool:
        parts: list[nodes.Node] = [*node.items, *order, *(node.groups or [])]
        parts += [part for part in (node.where, node.having) if part is not None]
        return any(_mentions(part, "ROWNUM") for part in parts)

    def _counted_rows(self, counting: list[nodes.Value], text: str, alias: str) -> str:
        """The rows up to the first whose number does not hold: no later one gets that number."""
        most = _most_rows(counting)
        if most is not None:
            return f"(select * from {text} limit {most}) as {alias}"
        for one in counting:
            if any(
                isinstance(part, nodes.Name) and not _mentions(part, "ROWNUM")
                for part in nodes.parts_within(one)
            ):
                raise UnsupportedError("a condition on ROWNUM and a column together")
        holds = " and ".join(self.value(one).text for one in counting)
        all_hold = f"bool_and(coalesce({holds}, false)) over (order by {alias}.rn)"
        return f"(select * from {text} qualify {all_hold}) as {alias}"

    # Groups

    def _groups(self, node: nodes.Block, scope: Scope, rows: Rows, depth: int) -> Level:
        if depth > _MOST_NESTED:
            raise OracleError("ORA-00935", "group function is nested too deeply")
        if depth == _MOST_NESTED and node.groups is None:
            raise OracleError("ORA-00978", "nested group function without GROUP BY")
        alias = self.alias("g")
        level = Level(has_keys=node.groups is not None, layer=GroupLayer(alias))
        for value in _grouped_values(node.groups or []):
            key = self.value(value)
            if key.kind == "condition":
                raise UnsupportedError("GROUP BY of a condition")
            name = level.key_names.setdefault(key.text, f"k{len(level.key_names) + 1}")
            level.key_texts[key.text] = as_key(key)
            level.keys[key.text] = Sql(f"{alias}.{name}", key.kind, key.precision, key.scale)
        level.is_of_sets = _has_sets(node.groups)
        if depth < _MOST_NESTED:
            return level
        outer = Level(has_keys=False, layer=GroupLayer(self.alias("g")), inner=level)
        return outer

    def _grouped_text(self, node: nodes.Block, level: Level, rows: Rows) -> str:
        inner = level.inner
        if inner is not None:
            text = self._grouped_text(node, inner, rows)
            return _aggregated(level, f" from {text}", "")
        clause = rows.clause()
        if level.is_of_sets and self.rows_columns is not None:
            if self.rows_columns:
                raise UnsupportedError("KEEP beside ROLLUP, CUBE or GROUPING SETS")
            self.rows_columns.update({level.key_texts[text]: name for text, name in level.key_names.items()})
        if self.rows_columns:
            added = ", ".join(f"{text} as {name}" for text, name in self.rows_columns.items())
            clause = f" from (select {self.rows_alias}.*, {added} from {rows.text}) as {self.rows_alias}"
        if node.groups is None:
            return _aggregated(level, clause, "")
        if not level.is_of_sets:
            places = ", ".join(str(place) for place in range(1, len(level.key_names) + 1))
            return _aggregated(level, clause, f" group by {places}")
        listed = [*level.key_names.values()]
        listed += [f"{call} as {name}" for call, name in level.layer.columns.items()]
        sets = ", ".join(self._set_text(group, level) for group in node.groups)
        # of no rows there is no group, not even that of all rows
        return f"({_select(listed)}{clause} group by {sets} having count(*) > 0) as {level.layer.alias}"

    def _set_text(self, group: nodes.Grouping, level: Level) -> str:
        if group.kind:
            terms = ", ".join(self._set_text(term, level) for term in group.terms)
            word = "grouping sets" if group.kind == "SETS" else group.kind.lower()
            return f"{word} ({terms})"
        with self.at_level(None):
            names = [level.key_names[self.value(value).text] for value in group.values]
        return names[0] if len(names) == 1 else f"({', '.join(names)})"

    # The select list and its order

    _selected: list[Selected] | None = None
    _item_nodes: Sequence[nodes.Item] = ()

    def _select_list(self, node: nodes.Block, scope: Scope, level: Level | None) -> list[Selected]:
        selected: list[Selected] = []
        for item in node.items:
            if isinstance(item.value, nodes.Star):
                selected += self._star(item.value, scope)
                continue
            value = self.value(item.value)
            if level is not None and level.inner is not None and not _depth(item.value):
                self._check_constant(item.value)
            name = None
            if item.alias is not None:
                name = folded(item.alias)
            elif isinstance(item.value, nodes.Name):
                name = folded(item.value.parts[-1])
            selected.append(Selected(value, name))
        return selected

    def _check_constant(self, node: nodes.Value) -> None:
        if any(isinstance(part, nodes.Name) for part in nodes.parts_within(node)):
            raise OracleError("ORA-00937", "not a single-group group function")

    def _star(self, star: nodes.Star, scope: Scope) -> list[Selected]:
        if not star.parts:
            fields = scope.every_field()
        else:
            name = folded(star.parts[-1])
            relations = scope.relation(name)
            if not relations:
                raise OracleError("ORA-00904", f'"{name}": invalid identifier')
            fields = relations[0].shown()
        return [Selected(self.field_value(one, scope), one.name) for one in fields]

    def name(self, node: nodes.Name) -> Sql:
        """See Names; in ORDER BY the names of the select list come first."""
        if self.selected is not None and len(node.parts) == 1:
            found = self._named(folded(node.parts[0]))
            if found is not None:
                return found.value
        return super().name(node)

    def _named(self, name: str) -> Selected | None:
        named = [one for one in self.selected or [] if one.name == name]
        if len({one.value.text for one in named}) > 1:
            raise OracleError("ORA-00960", f'"{name}" names several columns of the select list')
        return named[0] if named else None

    def item_named(self, node: nodes.Value) -> nodes.Value | None:
        """What stands in the select list under an alias, or in a place, that ORDER SIBLINGS BY mentions."""
        if isinstance(node, nodes.Number) and node.text.isdigit():
            place = int(node.text)
            if not 1 <= place <= len(self._item_nodes):
                raise OracleError("ORA-01785", f"ORDER SIBLINGS BY {place} is the number of no column")
            return self._item_nodes[place - 1].value
        if isinstance(node, nodes.Name) and len(node.parts) == 1:
            for item in self._item_nodes:
                if item.alias is not None and folded(item.alias) == folded(node.parts[0]):
                    return item.value
        return None

    def _order_term(self, term: nodes.OrderTerm, selected: list[Selected], is_distinct: bool) -> str | None:
        """A term of ORDER BY; None for a constant, which DuckDB would take for a column's place."""
        if isinstance(term.value, nodes.Number) and term.value.text.isdigit():
            place = int(term.value.text)
            if not 1 <= place <= len(selected):
                raise OracleError("ORA-01785", f"ORDER BY {place} is the number of no column")
            value = selected[place - 1].value
        else:
            value = self.value(term.value)
        if value.constant is not None or value.text.isdecimal() or value.text in _NULLS:
            return None
        if is_distinct and not any(one.value.text == value.text for one in selected):
            raise OracleError("ORA-01791", "not a SELECTed expression")
        return ordered(as_key(value), term)

    # Keys of groups

    def value(self, node: nodes.Value) -> Sql:
        """See Names. In a grouped block what is a key whole is that key."""
        grouped = self.scope.grouped
        if (
            isinstance(grouped, Level)
            and grouped.inner is None
            and grouped.keys
            and not isinstance(node, (nodes.Name, nodes.Text, nodes.Number, nodes.Null, nodes.Subquery))
        ):
            key = self._key(node, grouped)
            if key is not None:
                return key
        return self.translated(node)

    def _key(self, node: nodes.Value, level: Level) -> Sql | None:
        if _depth(node) or any(
            isinstance(part, nodes.Call) and part.over for part in nodes.parts_within(node)
        ):
            return None
        selected, self.selected = self.selected, None
        try:
            with self.at_level(None):
                text = self.translated(node).text
        except (OracleError, UnsupportedError):
            return None
        finally:
            self.selected = selected
        return level.keys.get(text)

    def translated(self, node: nodes.Value) -> Sql:
        """The value by the class of its node."""
        raise NotImplementedError


def filtered(conditions: list[Sql]) -> str:
    """Conditions that all have to hold; those that may fail are only asked of rows where the others do."""
    safe = [one.text for one in conditions if not one.may_fail]
    risky = [one.text for one in conditions if one.may_fail]
    if safe and risky:
        return " and ".join([*safe, f"case when {' and '.join(safe)} then {' and '.join(risky)} end"])
    return " and ".join(safe or risky)


def _aggregated(level: Level, clause: str, group_by: str) -> str:
    listed = [f"{level.key_texts[text]} as {name}" for text, name in level.key_names.items()]
    listed += [f"{call} as {name}" for call, name in level.layer.columns.items()]
    return f"({_select(listed)}{clause}{group_by}) as {level.layer.alias}"


def _select(listed: list[str]) -> str:
    return f"select {', '.join(listed) or 'count(*) as a0'}"


def _grouped_values(groups: list[nodes.Grouping]) -> list[nodes.Value]:
    return [value for group in groups for value in [*group.values, *_grouped_values(group.terms)]]


def _has_sets(groups: list[nodes.Grouping] | None) -> bool:
    """Does GROUP BY make more than one set of groups, or the one group of all rows?"""
    return any(group.kind or not group.values for group in groups or [])


def _depth(node: nodes.Node) -> int:
    """How many aggregates stand in one another in it; a window's own is none."""
    below = max((_depth(part) for part in nodes.children(node)), default=0)
    if isinstance(node, nodes.Call) and node.name in AGGREGATES and node.over is None:
        return below + 1
    return below


def _mentions(node: nodes.Node, word: str) -> bool:
    return any(
        isinstance(part, nodes.Name)
        and len(part.parts) == 1
        and not part.parts[0].is_quoted
        and part.parts[0].text.upper() == word
        for part in nodes.parts_within(node)
    )


def _most_rows(counting: list[nodes.Value]) -> int | None:
    """How many rows ROWNUM <= n leaves, where that is the condition."""
    if len(counting) != 1 or not isinstance(counting[0], nodes.Comparison):
        return None
    left, sign, right = counting[0].left, counting[0].sign, counting[0].right
    if (
        sign not in ("<=", "<", "=")
        or not isinstance(left, nodes.Name)
        or not isinstance(right, nodes.Number)
    ):
        return None
    if not right.text.isdigit():
        return None
    if sign == "=":
        return int(right.text == "1")
    return max(int(right.text) - (sign == "<"), 0)
