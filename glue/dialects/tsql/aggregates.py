"""SQL Server's functions of many rows in DuckDB's SQL, where they make one value of a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.groups import Aggregation, Level, Selected
from glue.dialects.tsql.calls import Calls
from glue.dialects.tsql.collations import one_collation, order_key, same_key
from glue.dialects.tsql.conversions import as_text
from glue.dialects.tsql.functions import OF_GROUPS
from glue.dialects.tsql.names import columns_within
from glue.dialects.tsql.numbers import of_decimals
from glue.dialects.tsql.types import (
    BIGINT,
    FLOAT,
    FLOATS,
    INT,
    INTEGERS,
    MAX_LENGTH,
    MONEY,
    MONEYS,
    NATIONAL,
    NUMBERS,
    TEXTS,
    Type,
    decimal_type,
    text_type,
    type_of,
)
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import MAX_DIGITS, Sql

_SPREADS = {"STDEV": "stddev_samp", "STDEVP": "stddev_pop", "VAR": "var_samp", "VARP": "var_pop"}
_NOT_HERE = {"WHERE": "147", "ON": "1015", "GROUP BY": "144"}
"""With which number an aggregate is refused in a clause."""
_LONGEST = 8000


class Aggregates(Calls):
    """A translation as far as it knows functions of groups."""

    selected: list[Selected] | None = None
    """The select list, where a name may mean what stands in it: alone in a term of ORDER BY."""

    @contextmanager
    def at_level(self, level: Level | None) -> Iterator[None]:
        """Expressions are made of these groups, or of rows."""
        before = self.scope.grouped
        self.scope.grouped = level
        try:
            yield
        finally:
            self.scope.grouped = before

    def aggregate(self, node: nodes.Call) -> Sql:
        """A function of a group. Raises 147 and 1015 where there is none, 8124 for columns of two queries."""
        level = self.scope.grouped
        self._check_columns(node)
        if not isinstance(level, Level):
            code = _NOT_HERE.get(self.clause)
            if code is None:
                raise UnsupportedError(f"{node.name} in {self.clause}")
            raise TSQLError(code, f"{node.name} stands in {self.clause}")
        if node.name in OF_GROUPS:
            return self._of_groups(node, level)
        with self.at_level(None):
            made = self.aggregation(node)
        return made.finished([level.layer.column(call) for call in made.calls])

    def _check_columns(self, node: nodes.Call) -> None:
        """An aggregate of columns of an outer query alone would be that query's."""
        owners = {
            self.field(part)[1] is self.scope
            for part in columns_within(node)
            if part.parts[0].is_quoted or not part.parts[0].text.upper().startswith("CURRENT_")
        }
        if owners == {False}:
            raise UnsupportedError(f"{node.name} of columns of an outer query")
        if len(owners) > 1:
            raise TSQLError("8124", f"{node.name} of columns of an outer query and of this one")

    def _of_groups(self, node: nodes.Call, level: Level) -> Sql:
        """GROUPING and GROUPING_ID. Raises 8161 for what is no key."""
        with self.at_level(None):
            texts = [self.value(argument).text for argument in node.arguments]
        keys = [level.terms.get(text) for text in texts]
        terms = [key.term for key in keys if key is not None]
        if len(terms) < len(keys):
            raise TSQLError("8161", f"an argument of {node.name} is not in GROUP BY")
        kind = "tinyint" if node.name == "GROUPING" else "int"
        column = level.layer.column(f"grouping({', '.join(terms)})")
        return Sql(f"{column}::{Type(kind).stored}", kind)

    # What aggregates are made of

    def aggregation(self, node: nodes.Call) -> Aggregation:
        """What DuckDB makes it of. Raises 8117 for types that it does not take."""
        name = node.name
        if name == "STRING_AGG":
            return self._listed(node)
        argument = node.arguments[0]
        if isinstance(argument, nodes.Star):
            value = None
        else:
            value = self.value(argument)
            is_counted = name.startswith("COUNT")
            if value.kind == "null" or (value.kind == "bit" and not is_counted):
                raise TSQLError("8117", f"{value.kind} is invalid for {name}")
        distinct = "distinct " * node.is_distinct
        if name in ("COUNT", "COUNT_BIG"):
            target = INT if name == "COUNT" else BIGINT
            what = "*" if value is None else f"{distinct}{same_key(value) if distinct else value.text}"
            return _aggregation(f"({{0}})::{target.stored}", [f"count({what})"], target)
        if value is None:
            raise TSQLError("102", f"{name} takes no star")
        if name in ("MIN", "MAX"):
            return _extreme(name.lower(), value)
        if value.kind not in NUMBERS:
            raise TSQLError("8117", f"{value.kind} is invalid for {name}")
        if name in _SPREADS:
            return _aggregation("{0}", [f"{_SPREADS[name]}({distinct}({value.text})::double)"], FLOAT)
        make = self._OF_NUMBERS.get(name)
        if make is None:
            raise UnsupportedError(name)
        return make(value, distinct)

    def _listed(self, node: nodes.Call) -> Aggregation:
        """STRING_AGG. NULLs leave no separator."""
        value, separator = (self.value(argument) for argument in node.arguments)
        text = as_text(value)
        between = as_text(separator)
        if between.kind not in TEXTS or separator.kind not in TEXTS:
            raise TSQLError("8116", f"{separator.kind} is no separator of STRING_AGG")
        order = f" order by {self.order_terms(node.within)}" if node.within else ""
        is_large = text.precision == MAX_LENGTH
        is_national = text.kind in NATIONAL or value.kind not in TEXTS
        most = _LONGEST // (2 if is_national else 1)
        target = text_type("nvarchar" if is_national else "varchar", MAX_LENGTH if is_large else _LONGEST)
        template = "{0}" if is_large else f"tsql_fitting({{0}}, {most}, '9829', false)"
        made = _aggregation(template, [f"string_agg({text.text}, {between.text}{order})"], target)
        made.collation = one_collation([text])
        return made

    def order_terms(self, terms: list[nodes.OrderTerm]) -> str:
        """Terms of an ORDER BY within a function or window: there a number is no column's place."""
        found = []
        for term in terms:
            if is_one_value(term.value):
                continue
            found.append(ordered(order_key(self.value(term.value)), term))
        return ", ".join(found)

    _OF_NUMBERS: ClassVar[dict[str, Callable[[Sql, str], Aggregation]]] = {}


def _aggregation(template: str, calls: list[str], of: Type) -> Aggregation:
    return Aggregation(template, calls, of.kind, of.precision, of.scale)


def _extreme(function: str, value: Sql) -> Aggregation:
    call = f"{function}({value.text})"
    if value.kind in TEXTS or value.kind == "uniqueidentifier":
        call = f"arg_{function}({value.text}, {order_key(value)})"
    made = _aggregation("{0}", [call], type_of(value))
    made.collation = value.collation
    return made


def _sum_type(value: Sql) -> Type:
    if value.kind in INTEGERS:
        return BIGINT if value.kind == "bigint" else INT
    if value.kind in MONEYS:
        return MONEY
    return FLOAT if value.kind in FLOATS else decimal_type(MAX_DIGITS, value.scale)


def _sum(value: Sql, distinct: str) -> Aggregation:
    target = _sum_type(value)
    if target.kind == "float":
        return _aggregation("tsql_finite({0})", [f"sum({distinct}({value.text})::double)"], target)
    return _aggregation(f"({{0}})::{target.stored}", [f"sum({distinct}{value.text})"], target)


def _average(value: Sql, distinct: str) -> Aggregation:
    """The sum by the number: whole numbers and MONEY are cut off, decimals have six digits or more."""
    target = _sum_type(value)
    if target.kind == "float":
        return _aggregation("{0}", [f"avg({distinct}({value.text})::double)"], target)
    calls = [f"sum({distinct}{value.text})", f"count({distinct}{value.text})"]
    total, number = f"({{0}})::{target.stored}", "nullif({1}, 0)"
    if target.kind in INTEGERS:
        return _aggregation(f"({total} // {number})::{target.stored}", calls, target)
    if target.kind in MONEYS:
        return _aggregation(f"(tsql_money_quotient({total}, {number}))::{target.stored}", calls, target)
    quotient = of_decimals(
        "/", Sql(total, "decimal", target.precision, target.scale), Sql(f"{number}::integer", "int")
    )
    return _aggregation(quotient.text, calls, type_of(quotient))


Aggregates._OF_NUMBERS.update(SUM=_sum, AVG=_average)


def is_one_value(node: nodes.Value) -> bool:
    """Is it a query without tables, as (SELECT NULL), which orders nothing?"""
    return isinstance(node, nodes.Subquery) and not any(
        isinstance(part, nodes.Source | nodes.Name)
        for part in nodes.parts_within(node.query, with_queries=True)
    )


def ordered(text: str, term: nodes.OrderTerm) -> str:
    """A term of ORDER BY: NULL is the lowest value."""
    return f"{text} desc nulls last" if term.is_descending else f"{text} asc nulls first"
