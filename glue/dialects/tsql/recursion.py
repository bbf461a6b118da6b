"""Recursive queries of WITH in DuckDB's SQL. By WITH common_table_expression (Transact-SQL).

Each row carries how many steps it is from the anchor. Rows one step deeper than is allowed are made too, and
refused when they are asked for: what TOP leaves out never is.
"""

from __future__ import annotations

from abc import abstractmethod

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.scopes import Output, Scope
from glue.dialects.tsql.blocks import Blocks
from glue.dialects.tsql.conditions import column_of
from glue.dialects.tsql.functions import AGGREGATES
from glue.dialects.tsql.names import folded
from glue.dialects.tsql.sources import named_columns
from glue.dialects.tsql.types import INT, Type, type_of
from glue.dialects.tsql_errors import TSQLError

_MOST_LEVELS = 100


class Recursion(Blocks):
    """A translation as far as it knows recursive queries, `most_levels` deep; 0 is without end."""

    most_levels: int = _MOST_LEVELS

    @property
    def own_names(self) -> set[str]:
        """The names of WITH that came already."""
        found: set[str] = self.__dict__.setdefault("_own_names", set())
        return found

    @abstractmethod
    def side(self, body: nodes.Body) -> tuple[str, list[Output]]:
        """A block or set operation that belongs to a set operation."""

    @abstractmethod
    def set_operation(
        self, word: str, is_all: bool, left: tuple[str, list[Output]], right: tuple[str, list[Output]]
    ) -> tuple[str, list[Output]]:
        """A set operation of two queries."""

    def is_recursive(self, named: nodes.NamedQuery) -> bool:
        """Does it refer to itself?"""
        return _mentions(named.query, folded(named.name))

    def recursive_query(self, named: nodes.NamedQuery, stored: str) -> str:
        """The anchors UNION ALL the block that refers to the name. Raises 240, 246, 252, 460 to 467."""
        anchors, block = self._members(named)
        text, outputs = self.side(anchors[0])
        for anchor in anchors[1:]:
            text, outputs = self.set_operation("UNION", True, (text, outputs), self.side(anchor))
        outputs = named_columns(outputs, named.columns, named.name)
        outputs = [Output(one.name, INT.kind) if one.kind == "null" else one for one in outputs]
        inner = self.alias("w")
        self.named_queries[folded(named.name)] = (inner, outputs)
        recursive, others = self.block(block, [], None, hidden=lambda scope: [_level(scope, inner)])
        _check_types(named, outputs, others)
        self.named_queries[folded(named.name)] = (stored, outputs)
        return self._text(stored, inner, text, recursive, outputs)

    def _text(self, stored: str, inner: str, anchor: str, recursive: str, outputs: list[Output]) -> str:
        columns = [f"c{place}" for place in range(1, len(outputs) + 1)]
        listed = ", ".join(columns)
        cast = ", ".join(
            f"{column}::{_type(output).stored}" for column, output in zip(columns, outputs, strict=True)
        )
        level = f"c{len(outputs) + 1}"
        most = self.most_levels
        bound = f" where {level} <= {most}" if most else ""
        check = ""
        if most:
            refused = f"error('TSQL-530: the recursion goes deeper than {most}')"
            check = f" where case when lvl > {most} then {refused} else true end"
        return (
            f"{inner}({listed}, lvl) as (select {cast}, 0 from ({anchor}) union all"
            f" select {cast}, {level} + 1 from ({recursive}){bound}),"
            f" {stored} as (select {listed} from {inner}{check})"
        )

    def _members(self, named: nodes.NamedQuery) -> tuple[list[nodes.Body], nodes.Block]:
        """The anchors, and the one block that refers to the name."""
        name, query = folded(named.name), named.query
        if query.order or query.limit:
            raise UnsupportedError("a recursive query with an order")
        members = _of_union_all(query.body)
        recursive = [one for one in members if _mentions(one, name)]
        anchors = [one for one in members if not _mentions(one, name)]
        if not anchors:
            code = "252" if len(members) == 1 else "246"
            raise TSQLError(code, f"{named.name.text} refers to itself and has no anchor above UNION ALL")
        if len(recursive) > 1 or members[-1] is not recursive[0]:
            raise UnsupportedError("a recursive query of several branches")
        block = recursive[0]
        if not isinstance(block, nodes.Block):
            raise TSQLError("253", f"{named.name.text} refers to itself beside UNION, EXCEPT or INTERSECT")
        _check_block(block, name)
        return anchors, block


def _of_union_all(body: nodes.Body) -> list[nodes.Body]:
    if isinstance(body, nodes.SetOperation) and body.word == "UNION" and body.is_all:
        return [*_of_union_all(body.left), *_of_union_all(body.right)]
    return [body]


def _mentions(node: nodes.Node, name: str) -> bool:
    return any(
        isinstance(part, nodes.Table) and len(part.parts) == 1 and folded(part.parts[0]) == name
        for part in nodes.parts_within(node, with_queries=True)
    )


def _check_block(block: nodes.Block, name: str) -> None:
    """What may not stand in the recursive part."""
    if block.is_distinct:
        raise TSQLError("460", "DISTINCT in the recursive part")
    if block.top:
        raise TSQLError("461", "TOP in the recursive part")
    if block.groups is not None or block.having is not None or _has_aggregate(block):
        raise TSQLError("467", "groups or an aggregate in the recursive part")
    for source in block.sources:
        for part in nodes.parts_within(source):
            if (
                isinstance(part, nodes.Join)
                and part.kind in ("LEFT", "RIGHT", "FULL")
                and _mentions(part, name)
            ):
                raise TSQLError("462", "an outer join in the recursive part")


def _has_aggregate(block: nodes.Block) -> bool:
    return any(
        isinstance(part, nodes.Call) and part.over is None and part.name in AGGREGATES
        for item in block.items
        for part in nodes.parts_within(item)
    )


def _level(scope: Scope, inner: str) -> str:
    found = [relation for relation in scope.relations if relation.text == inner]
    if len(found) > 1:
        raise TSQLError("253", "the recursive part refers to itself more than once")
    if not found:
        raise UnsupportedError("a recursive query whose own name stands in no plain FROM")
    return f"{found[0].alias}.lvl"


def _type(output: Output) -> Type:
    return type_of(column_of("", 1, output))


def _check_types(named: nodes.NamedQuery, outputs: list[Output], others: list[Output]) -> None:
    """Raises 205 and 240 where the recursive part gives something else than the anchor."""
    if len(outputs) != len(others):
        raise TSQLError("205", f"the parts of {named.name.text} differ in the number of their columns")
    for one, other in zip(outputs, others, strict=True):
        found = INT if other.kind == "null" else _type(other)
        if found != _type(one):
            raise TSQLError(
                "240", f"{one.name} of {named.name.text} is {_type(one)}, and {found} in its recursive part"
            )
