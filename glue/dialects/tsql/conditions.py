"""Transact-SQL's conditions in DuckDB's SQL: comparisons, IN, LIKE, EXISTS, AND and OR."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.scopes import Output
from glue.dialects.tsql.collations import one_collation, order_key, same_key
from glue.dialects.tsql.conversions import as_text, implicit
from glue.dialects.tsql.likeness import like
from glue.dialects.tsql.names import Names
from glue.dialects.tsql.types import (
    BYTES,
    COUNTED_DATES,
    MOMENTS,
    NUMBERS,
    TEXTS,
    is_stronger,
    type_of,
    united,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql, any_may_fail

_EQUALITIES = frozenset({"=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"})


def condition(text: str, *of: Sql) -> Sql:
    """A condition, made of these values."""
    return Sql(text, "condition", may_fail=any_may_fail(list(of)))


def for_comparison(left: Sql, right: Sql) -> tuple[Sql, Sql]:
    """Two values as they are compared: the weaker type becomes the stronger one. Raises 206 and 402."""
    if "null" in (left.kind, right.kind) or left.kind == right.kind:
        return left, right
    if left.kind in TEXTS and right.kind in TEXTS:
        return left, right
    if left.kind in NUMBERS and right.kind in NUMBERS:
        return _numbers(left, right)
    if left.kind in MOMENTS and right.kind in MOMENTS:
        if "time" in (left.kind, right.kind) and not {left.kind, right.kind} & COUNTED_DATES:
            raise TSQLError("402", f"{left.kind} and {right.kind} cannot be compared")
        target = united([type_of(left), type_of(right)])
        return implicit(left, target), implicit(right, target)
    if (left.kind in BYTES) != (right.kind in BYTES):
        raise UnsupportedError(f"{left.kind} compared with {right.kind}")
    if left.kind in BYTES:
        return left, right
    if is_stronger(type_of(left), type_of(right)):
        return left, implicit(right, type_of(left))
    return implicit(left, type_of(right)), right


def _numbers(left: Sql, right: Sql) -> tuple[Sql, Sql]:
    """DuckDB compares whole and exact numbers as they are; a binary one makes the other binary."""
    for one in (left, right):
        if one.kind in ("float", "real"):
            target = united([type_of(left), type_of(right)])
            return implicit(left, target), implicit(right, target)
    return left, right


class Conditions(Names):
    """A translation as far as it knows conditions."""

    @abstractmethod
    def subquery(self, query: nodes.Query) -> tuple[str, list[Output]]:
        """A query within this one, without its brackets, and its columns (c1, c2, …)."""

    def logic(self, node: nodes.Logic) -> Sql:
        """AND, OR."""
        terms = [self.value(term) for term in node.terms]
        joined = f" {node.word.lower()} ".join(term.text for term in terms)
        return condition(f"({joined})", *terms)

    def negation(self, node: nodes.Not) -> Sql:
        """NOT."""
        operand = self.value(node.operand)
        return condition(f"(not {operand.text})", operand)

    def comparison(self, node: nodes.Comparison) -> Sql:
        """= <> < > <= >= and IS DISTINCT FROM, with ANY and ALL too."""
        if node.quantifier:
            return self._quantified(node)
        return self.compared(node.sign, self.value(node.left), self.value(node.right))

    def compared(self, sign: str, left: Sql, right: Sql) -> Sql:
        """Two values with a sign between them."""
        left, right = for_comparison(left, right)
        one, other = compared_texts(sign, left, right)
        return condition(f"({one} {sign.lower()} {other})", left, right)

    def _quantified(self, node: nodes.Comparison) -> Sql:
        if not isinstance(node.right, nodes.Subquery):
            raise UnsupportedError("ANY or ALL of what is no query")
        left = self.value(node.left)
        text, outputs = self.subquery(node.right.query)
        one, rows = self._as_compared_with(node.sign, left, text, outputs)
        return condition(f"({one} {node.sign} {str(node.quantifier).lower()} ({rows}))", left)

    def _as_compared_with(self, sign: str, left: Sql, query: str, outputs: list[Output]) -> tuple[str, str]:
        """One value, and the rows of a query of one column, as they are compared. Raises 116."""
        if len(outputs) != 1:
            raise TSQLError("116", "a query that is compared with has one column")
        alias = self.alias()
        column = column_of(alias, 1, outputs[0])
        left, compared = for_comparison(left, column)
        one, other = compared_texts(sign, left, compared)
        if other == column.text:
            return one, query
        return one, f"select {other} from ({query}) as {alias}"

    def membership(self, node: nodes.In) -> Sql:
        """IN and NOT IN, of lists and queries."""
        found = self._membership(node)
        return condition(f"(not {found.text})", found) if node.is_negated else found

    def _membership(self, node: nodes.In) -> Sql:
        query = node.values[0] if len(node.values) == 1 else None
        left = self.value(node.operand)
        if isinstance(query, nodes.Subquery):
            text, outputs = self.subquery(query.query)
            one, rows = self._as_compared_with("=", left, text, outputs)
            return condition(f"({one} in ({rows}))", left)
        return self._in_list(left, [self.value(value) for value in node.values])

    def _in_list(self, left: Sql, values: list[Sql]) -> Sql:
        """All values of a list become the strongest of their types."""
        if any(value.kind in TEXTS for value in [left, *values]):
            target = united([type_of(value) for value in [left, *values]])
            if target.kind not in TEXTS:
                left = implicit(left, target)
                values = [implicit(value, target) for value in values]
        pairs = [for_comparison(left, value) for value in values]
        texts = [compared_texts("=", *pair) for pair in pairs]
        of = [value for pair in pairs for value in pair]
        if len({one for one, _ in texts}) == 1:
            members = ", ".join(other for _, other in texts)
            return condition(f"({texts[0][0]} in ({members}))", *of)
        return condition(f"({' or '.join(f'{one} = {other}' for one, other in texts)})", *of)

    def range(self, node: nodes.Between) -> Sql:
        """BETWEEN and NOT BETWEEN."""
        operand = self.value(node.operand)
        low = self.compared(">=", operand, self.value(node.low))
        high = self.compared("<=", operand, self.value(node.high))
        return condition(f"({'not ' * node.is_negated}({low.text} and {high.text}))", low, high)

    def likeness(self, node: nodes.Like) -> Sql:
        """LIKE and NOT LIKE."""
        operand, pattern = as_text(self.value(node.operand)), as_text(self.value(node.pattern))
        escape = None if node.escape is None else as_text(self.value(node.escape))
        text = like(operand, pattern, escape, one_collation([operand, pattern]))
        return condition(f"(not {text})" if node.is_negated else text, operand, pattern)

    def state(self, node: nodes.Is) -> Sql:
        """IS NULL."""
        operand = self.value(node.operand)
        return condition(f"({operand.text} is {'not ' * node.is_negated}null)", operand)

    def existence(self, node: nodes.Exists) -> Sql:
        """EXISTS. What such a query selects is never asked for."""
        text, _ = self.subquery(node.query)
        return condition(f"exists (select 1 from ({text}))")


def compared_texts(sign: str, left: Sql, right: Sql) -> tuple[str, str]:
    """Both sides of a sign in DuckDB's SQL."""
    if left.kind not in TEXTS and right.kind not in TEXTS:
        if "uniqueidentifier" in (left.kind, right.kind) and sign not in _EQUALITIES:
            raise UnsupportedError("the order of UNIQUEIDENTIFIER")
        return left.text, right.text
    collation = one_collation([left, right])
    if sign in _EQUALITIES:
        return same_key(left, collation), same_key(right, collation)
    if left.kind in TEXTS and right.kind in TEXTS and left.kind != right.kind:
        kind = united([type_of(left), type_of(right)]).kind
        left, right = replace(left, kind=kind), replace(right, kind=kind)
    return order_key(left, collation), order_key(right, collation)


def column_of(alias: str, place: int, output: Output) -> Sql:
    """A column of a query in DuckDB's SQL."""
    return Sql(
        f"{alias}.c{place}",
        output.kind,
        output.precision,
        output.scale,
        may_fail=output.may_fail,
        collation=output.collation,
    )
