"""Whole queries for SQL Server in DuckDB's SQL: WITH, set operations, and what a block belongs to."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.scopes import Output
from glue.dialects.tsql.collations import same_key
from glue.dialects.tsql.conditions import column_of
from glue.dialects.tsql.conversions import as_text, explicit, implicit
from glue.dialects.tsql.limits import OrderKey, distinct, limited
from glue.dialects.tsql.names import folded, written
from glue.dialects.tsql.recursion import Recursion
from glue.dialects.tsql.sources import closed, named_columns
from glue.dialects.tsql.types import (
    INT,
    INTEGERS,
    MAX_LENGTH,
    TEXTS,
    Type,
    text_type,
    type_of,
    typed,
    united,
    written_type,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_WHOLE_TEXTS = frozenset({".", "text()[1]", "(./text())[1]", "./text()[1]", "(.)[1]"})
_TYPE = re.compile(r"(N?VARCHAR)\s*\(\s*(MAX|\d+)\s*\)")


class Queries(Recursion):
    """A translation of whole queries."""

    def statement(self, query: nodes.Query) -> tuple[str, list[Output]]:
        """A query that is all there is: its text, and its columns."""
        if query.max_recursion is not None:
            self.most_levels = query.max_recursion
        return self.query(query)

    def subquery(self, query: nodes.Query) -> tuple[str, list[Output]]:
        """A query within this one."""
        if query.is_xml:
            raise UnsupportedError("FOR XML in a query that is no value")
        return self.query(query)

    def query(self, node: nodes.Query) -> tuple[str, list[Output]]:
        """A query with what WITH names, its order and its limit."""
        named = dict(self.named_queries)
        try:
            texts = [self._named_query(one) for one in node.named]
            if isinstance(node.body, nodes.Block):
                text, outputs = self.block(node.body, node.order, node.limit)
            else:
                text, outputs = self._united(node)
        finally:
            self.named_queries = named
        if texts:
            recursive = "recursive " * any(self.is_recursive(one) for one in node.named)
            text = f"with {recursive}{', '.join(texts)} {text}"
        return text, outputs

    def _named_query(self, named: nodes.NamedQuery) -> str:
        name = folded(named.name)
        if name in self.own_names:
            raise TSQLError("239", f"{named.name.text} comes twice in WITH")
        self.own_names.add(name)
        stored = self.alias("w")
        if self.is_recursive(named):
            return self.recursive_query(named, stored)
        text, outputs = self.query(named.query)
        outputs = named_columns(outputs, named.columns, named.name)
        self.named_queries[name] = (stored, outputs)
        return f"{stored} as ({closed(text, outputs)})"

    # Set operations

    def _united(self, node: nodes.Query) -> tuple[str, list[Output]]:
        text, outputs = self.side(node.body)
        if not node.order and node.limit is None:
            return text, outputs
        rows = self.alias()
        columns = [column_of(rows, place, output) for place, output in enumerate(outputs, 1)]
        keys = [self._key_of(term, outputs, columns) for term in node.order]
        with self.in_clause("TOP"):
            cut = self._cut(None, node.limit)
        return limited(columns, f" from ({text}) as {rows}", False, keys, cut, self.alias), outputs

    def _key_of(self, term: nodes.OrderTerm, outputs: list[Output], columns: list[Sql]) -> OrderKey:
        """A term of an order of several blocks: a number or name of a column of theirs. Raises 104."""
        node = term.value
        if isinstance(node, nodes.Number) and node.text.isdigit():
            place = int(node.text)
            if not 1 <= place <= len(outputs):
                raise TSQLError("108", f"ORDER BY {place} is the number of no column")
        elif isinstance(node, nodes.Name) and len(node.parts) == 1:
            name = folded(node.parts[0])
            places = [
                at for at, one in enumerate(outputs, 1) if one.name is not None and one.name.upper() == name
            ]
            if not places:
                if name in {column.upper() for column in self.columns_of_tables}:
                    raise TSQLError("104", f"{written(node)} is not in the select list of a set operation")
                raise TSQLError("207", f"there is no column {written(node)}")
            place = places[0]
        elif isinstance(node, nodes.Name):
            raise TSQLError("4104", f"nothing here is called {written(node)}")
        else:
            raise TSQLError("104", "only columns of a set operation may be ordered by")
        return OrderKey(columns[place - 1], term.is_descending, place)

    def side(self, body: nodes.Body) -> tuple[str, list[Output]]:
        """A block or set operation that belongs to a set operation."""
        if isinstance(body, nodes.Block):
            return self.block(body, [], None)
        if isinstance(body, nodes.Query):
            return self.query(body)
        left, right = self.side(body.left), self.side(body.right)
        return self.set_operation(body.word, body.is_all, left, right)

    def set_operation(
        self, word: str, is_all: bool, left: tuple[str, list[Output]], right: tuple[str, list[Output]]
    ) -> tuple[str, list[Output]]:
        """UNION, EXCEPT, INTERSECT of two queries; a column has the stronger of two types. Raises 205."""
        if len(left[1]) != len(right[1]):
            raise TSQLError("205", "the sides of a set operation differ in the number of their columns")
        targets = [_one_type(one, other) for one, other in zip(left[1], right[1], strict=True)]
        first, second = self._converted(*left, targets), self._converted(*right, targets)
        outputs = [
            Output(
                one.name,
                target.kind,
                target.precision,
                target.scale,
                one.may_fail,
                _one_collation(one, other),
            )
            for one, other, target in zip(left[1], right[1], targets, strict=True)
        ]
        columns = [column_of("", place, output) for place, output in enumerate(outputs, 1)]
        if word == "UNION":
            text = f"({first}) union all ({second})"
            if is_all:
                return text, outputs
            listed = ", ".join(f"c{place}" for place in range(1, len(outputs) + 1))
            return distinct(f"select {listed} from ({text})", columns, self.alias()), outputs
        if not any(column.kind in TEXTS for column in columns):
            return f"({first}) {word.lower()} ({second})", outputs
        return self._by_keys(word, first, second, outputs), outputs

    def _by_keys(self, word: str, first: str, second: str, outputs: list[Output]) -> str:
        """EXCEPT and INTERSECT where texts are compared by their collation."""
        one, other = self.alias(), self.alias()
        pairs = [
            (column_of(one, place, output), column_of(other, place, output))
            for place, output in enumerate(outputs, 1)
        ]
        same = " and ".join(f"{same_key(a)} is not distinct from {same_key(b)}" for a, b in pairs)
        kind = "anti" if word == "EXCEPT" else "semi"
        listed = ", ".join(f"{a.text} as c{place}" for place, (a, _) in enumerate(pairs, 1))
        text = f"select {listed} from ({first}) as {one} {kind} join ({second}) as {other} on {same}"
        return distinct(text, [replace(a, constant=None) for a, _ in pairs], self.alias())

    def _converted(self, text: str, outputs: list[Output], targets: list[Type]) -> str:
        rows = self.alias()
        columns = [column_of(rows, place, output) for place, output in enumerate(outputs, 1)]
        made = [implicit(column, target) for column, target in zip(columns, targets, strict=True)]
        if all(one.text == column.text for one, column in zip(made, columns, strict=True)):
            return text
        listed = ", ".join(f"{one.text} as c{place}" for place, one in enumerate(made, 1))
        return f"select {listed} from ({text}) as {rows}"

    # Values by their classes

    def translated(self, node: nodes.Value) -> Sql:
        """The value by the class of its node. Raises TSQLError and UnsupportedError."""
        name = self._BY_CLASS.get(type(node))
        if name is None:
            raise UnsupportedError(f"{type(node).__name__} as a value")
        translate: Callable[[nodes.Value], Sql] = getattr(self, name)
        return translate(node)

    def value_of_xml(self, node: nodes.Call) -> Sql:
        """(SELECT … FOR XML PATH(''), TYPE).value('.', type): the text without its escapes."""
        query, *rest = node.arguments
        texts = [argument.text for argument in rest if isinstance(argument, nodes.Text)]
        if len(texts) != 2 or texts[0] not in _WHOLE_TEXTS or not isinstance(query, nodes.Subquery):
            raise UnsupportedError("the method VALUE of XML but for all of its text")
        said = _TYPE.fullmatch(texts[1].upper().strip())
        if said is None:
            raise UnsupportedError(f"the type {texts[1]}")
        target = written_type(nodes.Type((said[1],), (said[2],) if said[2] else ()))
        return explicit(self._xml(query.query, is_escaped=False), target)

    def _xml(self, query: nodes.Query, is_escaped: bool) -> Sql:
        """FOR XML PATH(''): the texts of a column without a name one after another, in the query's order."""
        text, outputs = self.query(query)
        column = column_of("x", 1, outputs[0])
        if len(outputs) != 1 or outputs[0].name not in (None, "text()"):
            raise UnsupportedError("FOR XML PATH of columns with names")
        if column.kind not in TEXTS and column.kind not in INTEGERS and column.kind != "decimal":
            raise UnsupportedError(f"FOR XML PATH of {column.kind}")
        part = f"tsql_xml({as_text(column).text})" if is_escaped else as_text(column).text
        rows = f"select c1, row_number() over () as n from ({text})"
        return typed(
            f"(select string_agg({part}, '' order by x.n) from ({rows}) as x)",
            text_type("nvarchar", MAX_LENGTH),
        )

    def _scalar(self, node: nodes.Subquery) -> Sql:
        if node.query.is_xml_type:
            raise UnsupportedError("XML as a value")
        if node.query.is_xml:
            return self._xml(node.query, is_escaped=True)
        text, outputs = self.subquery(node.query)
        if len(outputs) != 1:
            raise TSQLError("116", "a query that is a value has one column")
        one = outputs[0]
        return replace(column_of("", 1, one), text=f"({text})")

    _BY_CLASS: ClassVar[dict[type[nodes.Value], str]] = {
        nodes.Name: "name",
        nodes.Number: "number_literal",
        nodes.Text: "text_literal",
        nodes.Null: "null_literal",
        nodes.Operation: "operation",
        nodes.Prefixed: "prefixed",
        nodes.Collate: "collated",
        nodes.Subquery: "_scalar",
        nodes.Case: "case",
        nodes.Cast: "cast",
        nodes.Trim: "trim",
        nodes.Call: "call",
        nodes.Logic: "logic",
        nodes.Not: "negation",
        nodes.Comparison: "comparison",
        nodes.Between: "range",
        nodes.Like: "likeness",
        nodes.In: "membership",
        nodes.Is: "state",
        nodes.Exists: "existence",
    }


def _one_type(one: Output, other: Output) -> Type:
    found = united([type_of(column_of("", 1, one)), type_of(column_of("", 1, other))])
    return INT if found.kind == "null" else found


def _one_collation(one: Output, other: Output) -> str:
    if one.collation and other.collation and one.collation != other.collation:
        raise TSQLError("468", f"the collations {one.collation} and {other.collation} meet")
    return one.collation or other.collation
