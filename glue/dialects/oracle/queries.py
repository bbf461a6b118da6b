"""Whole queries for Oracle in DuckDB's SQL: WITH, set operations, and what a block belongs to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle.aggregates import ordered
from glue.dialects.oracle.blocks import Blocks
from glue.dialects.oracle.functions import AGGREGATES
from glue.dialects.oracle.kinds import (
    DOUBLES,
    MOMENTS,
    NULL,
    NUMBERS,
    TEXTS,
    are_of_one_length,
    as_key,
    longest,
    number_kind,
)
from glue.dialects.oracle.limits import Cut, cut_of, limited
from glue.dialects.oracle.names import folded
from glue.dialects.oracle.sources import shielded
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Output, Scope
from glue.dialects.values import MAX_DIGITS, WHOLE_DIGITS, Sql

_WORD = re.compile(r"[A-Z][A-Z0-9_]*")
_MOST_ATTEMPTS = 5
"""To find the types of a recursion: exact numbers, then longer ones, then binary ones."""
_SET_WORDS = {"UNION": "union", "MINUS": "except", "EXCEPT": "except", "INTERSECT": "intersect"}


class Queries(Blocks):
    """A translation of whole queries."""

    def statement(self, query: nodes.Query, sql: str) -> tuple[str, list[Output]]:
        """A query that is all there is, read from `sql`: its text, and its columns."""
        self.words = frozenset(_WORD.findall(sql.upper()))
        self.has_marks = "+" in sql
        self.has_aggregates = not AGGREGATES.isdisjoint(self.words)
        return self.query(query)

    def subquery(self, query: nodes.Query) -> tuple[str, list[Output]]:
        """A query within this one."""
        return self.query(query)

    def query(self, node: nodes.Query) -> tuple[str, list[Output]]:
        """A query with what WITH names, its order and its limit."""
        named = dict(self.named_queries)
        try:
            texts = [self._named_query(one) for one in node.named]
            cut = None if node.limit is None else cut_of(node.limit, self.value)
            text, outputs = self._body(node.body, node, cut)
        finally:
            self.named_queries = named
        if texts:
            recursive = "recursive " * any(self._is_recursive(one) for one in node.named)
            text = f"with {recursive}{', '.join(texts)} {text}"
        return text, outputs

    def _body(self, body: nodes.Body, query: nodes.Query, cut: Cut | None) -> tuple[str, list[Output]]:
        if isinstance(body, nodes.Block):
            return self.block(body, query, cut)
        if isinstance(body, nodes.Query):
            text, outputs = self.query(body)
        else:
            text, outputs = self._set_operation(body)
        if not query.order and cut is None:
            return text, outputs
        rows = self.alias()
        terms = [self._place_of(term, outputs, rows) for term in query.order]
        columns = [f"{rows}.c{place}" for place in range(1, len(outputs) + 1)]
        return limited(columns, f" from ({text}) as {rows}", False, terms, cut, self.alias), outputs

    def _place_of(self, term: nodes.OrderTerm, outputs: list[Output], rows: str) -> str:
        """A term of an order of several blocks: a number or name of a column of theirs."""
        node = term.value
        if isinstance(node, nodes.Number) and node.text.isdigit():
            place = int(node.text)
        elif isinstance(node, nodes.Name) and len(node.parts) == 1:
            places = [at for at, one in enumerate(outputs, 1) if one.name == folded(node.parts[0])]
            if not places:
                raise OracleError("ORA-00904", f'"{folded(node.parts[0])}": invalid identifier')
            place = places[0]
        elif isinstance(node, nodes.Name):
            raise OracleError("ORA-00904", "a column of a set operation belongs to no table")
        else:
            place = 0
        if not 1 <= place <= len(outputs):
            raise OracleError("ORA-01785", "ORDER BY item must be the number of a SELECT-list expression")
        return ordered(f"{rows}.c{place}", term)

    # Set operations

    def _set_operation(self, node: nodes.SetOperation) -> tuple[str, list[Output]]:
        left, outputs = self._side(node.left)
        right, others = self._side(node.right)
        if len(outputs) != len(others):
            raise OracleError("ORA-01789", "query block has incorrect number of result columns")
        joined = [_one_output(one, other) for one, other in zip(outputs, others, strict=True)]
        if not node.is_all and any(one.kind == "rounded" for one in joined):
            left, right = self._with_known_digits(left, outputs), self._with_known_digits(right, others)
        word = _SET_WORDS[node.word] + " all" * node.is_all
        return f"({left}) {word} ({right})", joined

    def _with_known_digits(self, query: str, outputs: list[Output]) -> str:
        """A query whose rows are going to be told apart."""
        alias = self.alias()
        columns = [Sql(f"{alias}.c{place}", one.kind) for place, one in enumerate(outputs, 1)]
        named = ", ".join(f"{as_key(one)} as c{place}" for place, one in enumerate(columns, 1))
        return f"select {named} from ({query}) as {alias}"

    def _side(self, body: nodes.Body) -> tuple[str, list[Output]]:
        if isinstance(body, nodes.Block):
            return self.block(body, None, None)
        if isinstance(body, nodes.Query):
            return self.query(body)
        return self._set_operation(body)

    # WITH

    def _is_recursive(self, named: nodes.NamedQuery) -> bool:
        name = folded(named.name)
        return any(
            isinstance(part, nodes.Table) and len(part.parts) == 1 and folded(part.parts[0]) == name
            for part in nodes.parts_within(named.query, with_queries=True)
        )

    def _named_query(self, named: nodes.NamedQuery) -> str:
        stored = self.alias("w")
        names = [folded(column) for column in named.columns]
        if self._is_recursive(named):
            return self._recursive_query(named, stored, names)
        if named.search or named.cycle:
            raise OracleError("ORA-32040", "recursive WITH is missing for SEARCH or CYCLE")
        text, outputs = self.query(named.query)
        outputs = _renamed(outputs, names)
        self.named_queries[folded(named.name)] = (stored, outputs)
        return f"{stored} as ({shielded(text, outputs)})"

    def _recursive_query(self, named: nodes.NamedQuery, stored: str, names: list[str]) -> str:
        """WITH t (…) AS (anchor UNION ALL what refers to t), which stops where a row is its own ancestor."""
        if not names:
            raise OracleError("ORA-32039", "recursive WITH clause must have column alias list")
        body = named.query.body
        if not isinstance(body, nodes.SetOperation) or body.word != "UNION" or not body.is_all:
            raise OracleError("ORA-32040", "recursive WITH clause must use a UNION ALL operation")
        if named.query.order or named.query.limit or not isinstance(body.right, nodes.Block):
            raise UnsupportedError("a recursive WITH of several branches, or with an order")
        anchor, outputs = self._anchor(body.left, named, names)
        outputs = _renamed(outputs, names)
        inner = self.alias("w")
        columns = [f"c{place}" for place in range(1, len(outputs) + 1)]
        is_ordered = named.search is not None
        extra = ["ids"] + ["places"] * is_ordered + ["is_cycle"] * (named.cycle is not None)
        watched = (
            [] if named.cycle is None else [f"c{_place_named(one, outputs)}" for one in named.cycle.columns]
        )
        carried = self._carried(body.right, inner, extra, watched)
        recursive, outputs = self._recursive_branch(body.right, folded(named.name), inner, outputs, carried)
        typed = {column: _as_typed(column, one) for column, one in zip(columns, outputs, strict=True)}
        row = _row([typed[column] for column in watched] or ["0"])
        key = _row([typed[column] for column in self._search_keys(named, outputs)])
        first = f"select *, [{row}]" + (f", [{key}]" if is_ordered else "")
        first += ", false" * (named.cycle is not None)
        next_columns = [*columns, "old_ids"] + ["old_places"] * is_ordered
        found = f"list_contains(old_ids, {row})" if watched else "false"
        grown = f"list_append(old_ids, {row})" if watched else "old_ids"
        then = f"select {', '.join(columns)}, {grown}" + (
            f", list_append(old_places, {key})" if is_ordered else ""
        )
        refused = "error('ORA-32044: cycle detected while executing recursive WITH query')"
        where = f" where case when {found} then {refused} else true end"
        if named.cycle is not None:
            then += f", {found}"
            where = " where not old_is_cycle"
            next_columns.append("old_is_cycle")
        casts = ", ".join(typed.values())
        then = then.replace(", ".join(columns), casts, 1)
        first = first.replace("*", casts, 1)
        text = (
            f"{inner}({', '.join([*columns, *extra])}) as ({first} from ({anchor}) as a({', '.join(columns)})"
            f" union all {then} from ({recursive}) as n({', '.join(next_columns)}){where})"
        )
        self.named_queries[folded(named.name)] = (stored, outputs)
        return f"{text}, {stored} as ({self._with_marks_of(named, inner, outputs)})"

    def _recursive_branch(
        self,
        block: nodes.Block,
        name: str,
        inner: str,
        outputs: list[Output],
        carried: Callable[[Scope], list[str]],
    ) -> tuple[str, list[Output]]:
        """What refers to the rows before it, and the columns of all rows: they hold what comes later too."""
        outputs = [_unlimited(one) for one in outputs]
        for attempt in range(_MOST_ATTEMPTS):
            self.named_queries[name] = (inner, outputs)
            text, others = self.block(block, None, None, hidden=carried)
            if len(others) != len(outputs):
                raise OracleError("ORA-01789", "query block has incorrect number of result columns")
            joined = [_unlimited(_one_output(one, other)) for one, other in zip(outputs, others, strict=True)]
            if joined == outputs:
                return text, outputs
            grows = attempt > 0  # with every row: exact numbers do not hold it
            outputs = [
                Output(one.name, "rounded") if grows and one.scale > before.scale else one
                for one, before in zip(joined, outputs, strict=True)
            ]
        raise UnsupportedError("a recursive WITH whose columns have no one type")

    def _anchor(
        self, body: nodes.Body, named: nodes.NamedQuery, names: list[str]
    ) -> tuple[str, list[Output]]:
        name = folded(named.name)
        hidden = self.named_queries.pop(name, None)
        try:
            if hidden is None and any(
                isinstance(part, nodes.Table) and len(part.parts) == 1 and folded(part.parts[0]) == name
                for part in nodes.parts_within(body, with_queries=True)
            ):
                raise UnsupportedError("a recursive WITH of several branches")
            text, outputs = self._side(body)
        finally:
            if hidden is not None:
                self.named_queries[name] = hidden
        if len(names) != len(outputs):
            raise OracleError("ORA-32038", "number of WITH clause column names does not match")
        return text, outputs

    def _search_keys(self, named: nodes.NamedQuery, outputs: list[Output]) -> list[str]:
        """The columns that SEARCH goes by."""
        if named.search is None:
            return []
        keys = []
        for term in named.search.order:
            if not isinstance(term.value, nodes.Name) or term.is_descending or term.nulls:
                raise UnsupportedError("SEARCH in another order than that of columns going up")
            keys.append(f"c{_place_named(term.value.parts[-1], outputs)}")
        return keys

    def _carried(
        self, block: nodes.Block, stored: str, extra: list[str], watched: list[str]
    ) -> Callable[[Scope], list[str]]:
        """What a row hands down to those that come of it.

        Without CYCLE a row is its own ancestor where those of its columns are the same that the conditions
        mention (SELECT, subquery_factoring_clause): they are added to `watched`.
        """

        def hidden(scope: Scope) -> list[str]:
            for relation in scope.relations:
                if relation.text == stored:
                    if not watched:
                        watched.extend(self._mentioned(block, relation.alias, scope))
                    return [f"{relation.alias}.{column}" for column in extra]
            raise UnsupportedError("a recursive WITH whose own name stands in no plain FROM")

        return hidden

    def _mentioned(self, block: nodes.Block, alias: str, scope: Scope) -> list[str]:
        """The columns of this table that stand in the conditions of the block."""
        conditions = [block.where] if block.where is not None else []
        for source in block.sources:
            conditions += [
                part.on for part in nodes.parts_within(source) if isinstance(part, nodes.Join) and part.on
            ]
        found: dict[str, None] = {}
        for part in (part for one in conditions for part in nodes.parts_within(one)):
            if isinstance(part, nodes.Name):
                column, owner = self.field(self.parts(part), part)
                if owner is scope and column.relation == alias:
                    found[column.column] = None
        return list(found)

    def _with_marks_of(self, named: nodes.NamedQuery, inner: str, outputs: list[Output]) -> str:
        """The rows with the columns that SEARCH and CYCLE set, which come after the others."""
        listed = [f"c{place}" for place in range(1, len(outputs) + 1)]
        own = list(outputs)
        if named.search is not None:
            order = "places" if named.search.is_depth else "len(ids), places"
            listed.append(f"row_number() over (order by {order}) as c{len(listed) + 1}")
            own.append(Output(folded(named.search.name), "number", 19))
        if named.cycle is not None:
            marked, unmarked = self.value(named.cycle.marked), self.value(named.cycle.unmarked)
            listed.append(
                f"case when is_cycle then {marked.text} else {unmarked.text} end as c{len(listed) + 1}"
            )
            own.append(Output(folded(named.cycle.name), "text"))
        stored, _ = self.named_queries[folded(named.name)]
        self.named_queries[folded(named.name)] = (stored, own)
        return f"select {', '.join(listed)} from {inner}"

    # Values by their classes

    def translated(self, node: nodes.Value) -> Sql:
        """The value by the class of its node. Raises OracleError and UnsupportedError."""
        name = self._BY_CLASS.get(type(node))
        if name is None:
            raise UnsupportedError(f"{type(node).__name__.upper()} as a value")
        translate: Callable[[nodes.Value], Sql] = getattr(self, name)
        return translate(node)

    def _null(self, _node: nodes.Null) -> Sql:
        return NULL

    def _scalar(self, node: nodes.Subquery) -> Sql:
        text, outputs = self.subquery(node.query)
        if len(outputs) != 1:
            raise OracleError("ORA-00913", "too many values")
        one = outputs[0]
        return Sql(f"({text})", one.kind, one.precision, one.scale, may_fail=one.may_fail)

    def _row_value(self, node: nodes.Row) -> Sql:
        if len(node.values) == 1:
            return self.value(node.values[0])
        raise OracleError("ORA-00907", "several values where one is wanted")

    _BY_CLASS: ClassVar[dict[type[nodes.Value], str]] = {
        nodes.Name: "name",
        nodes.Number: "number_literal",
        nodes.Text: "text_literal",
        nodes.Null: "_null",
        nodes.Typed: "typed_literal",
        nodes.Interval: "interval_literal",
        nodes.Operation: "operation",
        nodes.Prefixed: "prefixed",
        nodes.Row: "_row_value",
        nodes.Subquery: "_scalar",
        nodes.Case: "case",
        nodes.Cast: "cast",
        nodes.Extract: "extract",
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


def _unlimited(one: Output) -> Output:
    """A column of a recursion, as long as its type allows."""
    precision = one.precision
    if one.kind == "number":
        precision = MAX_DIGITS if one.scale else WHOLE_DIGITS
    elif one.kind in TEXTS:
        precision = one.precision if one.kind == "char" else min(one.precision, 0)
    return Output(one.name, one.kind, precision, one.scale, one.may_fail)


def _row(columns: list[str]) -> str:
    return f"row({', '.join(columns)})"


def _as_typed(column: str, output: Output) -> str:
    """A column of a recursion, in a type that holds what comes later too."""
    if output.kind == "number":
        return f"{column}::decimal(38, {output.scale})" if output.scale else f"{column}::bigint"
    if output.kind in DOUBLES:
        return f"{column}::double"
    if output.kind in MOMENTS:
        return f"{column}::timestamp"
    return f"{column}::varchar" if output.kind in TEXTS else column


def _place_named(name: nodes.Identifier, outputs: list[Output]) -> int:
    for place, output in enumerate(outputs, 1):
        if output.name == folded(name):
            return place
    raise OracleError("ORA-00904", f'"{folded(name)}": invalid identifier')


def _renamed(outputs: list[Output], names: list[str]) -> list[Output]:
    if not names:
        return outputs
    if len(names) != len(outputs):
        raise OracleError("ORA-32038", "number of WITH clause column names does not match")
    return [
        Output(name, one.kind, one.precision, one.scale, one.may_fail)
        for name, one in zip(names, outputs, strict=True)
    ]


def _one_output(one: Output, other: Output) -> Output:
    """A column of two blocks: of one kind, or ORA-01790."""
    if one.kind == "null":
        return Output(one.name, other.kind, other.precision, other.scale)
    kind = one.kind
    if other.kind not in ("null", kind):
        for family, widest in (
            (TEXTS, "text"),
            (NUMBERS, number_kind([kind, other.kind])),
            (MOMENTS, "timestamp"),
        ):
            if {kind, other.kind} <= family:
                kind = widest
                break
        else:
            raise OracleError("ORA-01790", "expression must have same datatype as corresponding expression")
    if kind in TEXTS:
        if kind == "char" and not are_of_one_length([one, other]):
            kind = "text"
        return Output(one.name, kind, longest([one, other]), 0, one.may_fail or other.may_fail)
    scale = max(one.scale, other.scale)
    whole = max(one.precision - one.scale, other.precision - other.scale)
    return Output(one.name, kind, min(38, whole + scale), scale, one.may_fail or other.may_fail)
