"""Transact-SQL's operators and literals in DuckDB's SQL."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql.collations import collation_named, one_collation
from glue.dialects.tsql.conditions import Conditions
from glue.dialects.tsql.conversions import implicit
from glue.dialects.tsql.numbers import negated, number_literal, of_numbers
from glue.dialects.tsql.types import (
    BYTES,
    COUNTED_DATES,
    INTEGERS,
    MAX_LENGTH,
    MOMENTS,
    NATIONAL,
    NULL,
    NUMBERS,
    TEXTS,
    Type,
    is_stronger,
    text_type,
    type_of,
    typed,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_sorting import in_code_page
from glue.dialects.values import Sql

_NAMES = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo",
    "&": "'&'", "|": "'|'", "^": "'^'",
}  # fmt: skip


class Arithmetic(Conditions):
    """A translation as far as it knows operators and literals."""

    def number_literal(self, node: nodes.Number) -> Sql:
        """A number as it is written."""
        return number_literal(node.text)

    def text_literal(self, node: nodes.Text) -> Sql:
        """A text: VARCHAR, or NVARCHAR with N before it."""
        text = node.text if node.is_national else in_code_page(node.text)
        found = typed(quoted_text(text), text_type("nvarchar" if node.is_national else "varchar", len(text)))
        found.constant = text
        return found

    def null_literal(self, _node: nodes.Null) -> Sql:
        """NULL."""
        return typed("null", NULL)

    def collated(self, node: nodes.Collate) -> Sql:
        """value COLLATE name. Raises 447 where it is no text."""
        value = self.value(node.operand)
        collation = collation_named(node.collation)
        if value.kind not in TEXTS:
            raise TSQLError("447", f"{value.kind} has no collation")
        found = typed(value.text, type_of(value), value)
        found.constant, found.collation = value.constant, collation
        return found

    def prefixed(self, node: nodes.Prefixed) -> Sql:
        """A sign before a value."""
        value = self.value(node.operand)
        if node.sign == "~":
            if value.kind == "bit":
                return typed(f"(1 - {value.text})::utinyint", type_of(value), value)
            if value.kind not in INTEGERS or value.kind == "tinyint":
                raise UnsupportedError(f"~ of {value.kind}")
            return typed(f"(~{value.text})", type_of(value), value)
        if node.sign == "+" or value.kind == "null":
            return value
        if value.kind not in NUMBERS:
            raise TSQLError("8117", f"{value.kind} is invalid for the minus operator")
        return negated(value)

    def operation(self, node: nodes.Operation) -> Sql:
        """+ - * / % & | ^."""
        return operated(node.sign, self.value(node.left), self.value(node.right))


def operated(sign: str, left: Sql, right: Sql) -> Sql:
    """left sign right. Raises 206, 402 and 8117 where the types do not go together."""
    if "null" in (left.kind, right.kind):
        left, right = _with_typed_nulls(left, right)
    if left.kind in TEXTS and right.kind in TEXTS:
        if sign == "+":
            return joined_texts(left, right)
        raise TSQLError("8117", f"{left.kind} is invalid for the {_NAMES[sign]} operator")
    if left.kind in MOMENTS or right.kind in MOMENTS:
        return _of_moments(sign, left, right)
    if {left.kind, right.kind} & (BYTES | {"uniqueidentifier"}):
        raise UnsupportedError(f"{left.kind} {sign} {right.kind}")
    if is_stronger(type_of(left), type_of(right)):
        right = implicit(right, type_of(left)) if right.kind in TEXTS else right
    elif left.kind in TEXTS:
        left = implicit(left, type_of(right))
    return of_numbers(sign, left, right)


def _with_typed_nulls(left: Sql, right: Sql) -> tuple[Sql, Sql]:
    """A NULL that is written out has the other side's type."""
    if left.kind == right.kind:
        return typed("null::integer", Type("int")), typed("null::integer", Type("int"))
    if left.kind == "null":
        return implicit(left, type_of(right)), right
    return left, implicit(right, type_of(left))


def joined_texts(left: Sql, right: Sql) -> Sql:
    """left + right of texts: NULL makes it NULL."""
    is_national = {left.kind, right.kind} & NATIONAL
    kind = "nvarchar" if is_national else "varchar"
    if left.kind == right.kind:
        kind = left.kind
    is_large = MAX_LENGTH in (left.precision, right.precision)
    target = text_type(kind, MAX_LENGTH if is_large else left.precision + right.precision)
    text = f"({left.text} || {right.text})"
    if target.precision < left.precision + right.precision and not is_large:
        text = f"left({text}, {target.precision})"
    found = typed(text, target, left, right)
    found.collation = one_collation([left, right])
    if isinstance(left.constant, str) and isinstance(right.constant, str):
        found.constant = left.constant + right.constant
        found.text = quoted_text(found.constant)
    return found


def _of_moments(sign: str, left: Sql, right: Sql) -> Sql:
    """DATETIME and numbers of days; nothing is added to the other types."""
    for one, other in ((left, right), (right, left)):
        if one.kind not in MOMENTS or one.kind in COUNTED_DATES:
            continue
        if other.kind in NUMBERS:
            raise TSQLError("206", f"operand type clash: {one.kind} is incompatible with {other.kind}")
        if other.kind == one.kind:
            raise TSQLError("8117", f"{one.kind} is invalid for the {_NAMES[sign]} operator")
        raise TSQLError(
            "402", f"{left.kind} and {right.kind} are incompatible in the {_NAMES[sign]} operator"
        )
    counted = next(one for one in (left, right) if one.kind in COUNTED_DATES)
    if sign not in "+-":
        raise TSQLError("8117", f"{counted.kind} is invalid for the {_NAMES[sign]} operator")
    target = type_of(counted)
    if "datetime" in (left.kind, right.kind):
        target = Type("datetime", 0, 3)
    if target.kind == "smalldatetime" and not {left.kind, right.kind} <= {*INTEGERS, "smalldatetime", "bit"}:
        raise UnsupportedError(f"{left.kind} {sign} {right.kind}")
    days = [_days(one, target) for one in (left, right)]
    text = f"tsql_moment_of_days({days[0]} {sign} {days[1]}, false)"
    return typed(text, target, left, right, may_fail=True)


def _days(value: Sql, target: Type) -> str:
    """The days since 1900 that stand for the value."""
    if value.kind in NUMBERS:
        return f"({value.text})::double"
    return f"tsql_days({implicit(value, target).text})"
