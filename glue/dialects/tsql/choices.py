"""CASE, COALESCE, ISNULL and the like: one of several values, of one type, in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Callable

from glue.dialects.tsql.collations import one_collation, order_key
from glue.dialects.tsql.conditions import compared_texts, for_comparison
from glue.dialects.tsql.conversions import implicit
from glue.dialects.tsql.types import INT, TEXTS, type_of, typed, united
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql, listed


def of_one_type(values: list[Sql], code: str) -> list[Sql]:
    """The values as the strongest of their types; `code` refuses several that are all NULL."""
    target = united([type_of(value) for value in values])
    if target.kind == "null":
        raise TSQLError(code, "at least one of them has to be something else than NULL")
    return [implicit(value, target) for value in values]


def one_of(text: str, values: list[Sql], *asked: Sql) -> Sql:
    """What answers with one of these values, all of one type; `asked` are those that decide which."""
    found = typed(text, type_of(values[0]), *values, *asked)
    found.collation = one_collation(values)
    return found


def case(tests: list[Sql], answers: list[Sql], has_default: bool) -> Sql:
    """CASE WHEN … THEN … END. Raises 8133 where every answer is NULL."""
    answers = of_one_type(answers, "8133")
    branches = "".join(
        f" when {test.text} then {answer.text}" for test, answer in zip(tests, answers, strict=False)
    )
    rest = f" else {answers[-1].text}" if has_default else ""
    return one_of(f"case{branches}{rest} end", answers, *tests)


def coalesce(arguments: list[Sql]) -> Sql:
    """COALESCE: the type is the strongest."""
    values = of_one_type(arguments, "4127")
    return one_of(f"coalesce({listed(values)})", values)


def isnull(arguments: list[Sql]) -> Sql:
    """ISNULL: the type is that of the first."""
    first, second = arguments
    if first.kind == "null":
        return implicit(second, INT) if second.kind == "null" else second
    second = implicit(second, type_of(first))
    return one_of(f"coalesce({first.text}, {second.text})", [first, second])


def nullif(arguments: list[Sql]) -> Sql:
    """NULLIF: the type is that of the first."""
    first, second = arguments
    if first.kind == "null":
        raise TSQLError("4151", "the first argument of NULLIF is NULL")
    one, other = compared_texts("=", *for_comparison(first, second))
    return one_of(f"case when {one} = {other} then null else {first.text} end", [first], second)


def choose(arguments: list[Sql]) -> Sql:
    """CHOOSE: the first argument says which of the others."""
    place = implicit(arguments[0], INT)
    values = of_one_type(arguments[1:], "8133")
    branches = "".join(f" when {at} then {value.text}" for at, value in enumerate(values, 1))
    return one_of(f"case {place.text}{branches} end", values, place)


def _extreme(function: str, sign: str) -> Callable[[list[Sql]], Sql]:
    def extreme(arguments: list[Sql]) -> Sql:
        values = of_one_type(arguments, "8133")
        if values[0].kind not in TEXTS:
            return one_of(f"{function}({listed(values)})", values)
        text = values[0].text
        for value in values[1:]:
            before = Sql(text, value.kind, collation=one_collation(values))
            is_kept = f"{order_key(before)} {sign} {order_key(value)}"
            text = f"case when {is_kept} or {value.text} is null then {text} else {value.text} end"
        return one_of(f"({text})", values)

    return extreme


CHOICES: dict[str, Callable[[list[Sql]], Sql]] = {
    "COALESCE": coalesce,
    "ISNULL": isnull,
    "NULLIF": nullif,
    "CHOOSE": choose,
    "GREATEST": _extreme("greatest", ">="),
    "LEAST": _extreme("least", "<="),
}
