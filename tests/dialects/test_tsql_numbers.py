"""Transact-SQL's arithmetic against Python's: precision and scale, what is cut, rounded and refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glue.dialects.local import LocalSession
from glue.dialects.tsql_errors import TSQLError

_EXACT = Context(prec=200)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalSession]:
    with duckdb.connect() as connection:
        yield LocalSession(connection, "tsql", now=datetime(2024, 3, 15, 10, 30))


Number = tuple[int, int, Decimal]
"""Precision, scale and value."""


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    precision = draw(st.integers(1, 38))
    scale = draw(st.integers(0, precision))
    digits = draw(st.one_of(st.integers(1, 999), st.integers(1, 10**precision - 1)))
    sign = draw(st.sampled_from((1, -1)))
    return precision, scale, _EXACT.scaleb(Decimal(sign * min(digits, 10**precision - 1)), -scale)


def by_the_manual(sign: str, left: Number, right: Number) -> tuple[Decimal, int, int]:
    """The exact answer, and the precision and scale of the type that holds it."""
    (p1, s1, a), (p2, s2, b) = left, right
    if sign in "+-":
        scale, whole = max(s1, s2), max(p1 - s1, p2 - s2)
        precision = whole + scale + 1
        if precision > 38:
            precision, scale = 38, min(scale, 38 - whole)
        return (_EXACT.add(a, b) if sign == "+" else _EXACT.subtract(a, b)), precision, scale
    if sign == "*":
        precision, scale, answer = p1 + p2 + 1, s1 + s2, _EXACT.multiply(a, b)
    else:
        scale = max(6, s1 + p2 + 1)
        precision, answer = p1 - s1 + s2 + scale, _EXACT.divide(a, b)
    if precision > 38:
        whole = precision - scale
        if whole < 32:
            scale = min(scale, 38 - whole)
        elif scale > 6:
            scale = 6
        precision = 38
    return answer, precision, scale


def written(number: Number) -> str:
    precision, scale, value = number
    return f"CAST('{value:f}' AS DECIMAL({precision},{scale}))"


@settings(max_examples=300, deadline=None)
@given(sign=st.sampled_from("+-*/"), left=numbers(), right=numbers())
def test_decimals(server: LocalSession, sign: str, left: Number, right: Number) -> None:
    exact, precision, scale = by_the_manual(sign, left, right)
    rounding = ROUND_DOWN if sign == "/" else ROUND_HALF_UP
    expected = exact.quantize(Decimal(1).scaleb(-scale), rounding, context=_EXACT)
    sql = f"SELECT {written(left)} {sign} {written(right)}"
    if expected and expected.adjusted() >= precision - scale:
        with pytest.raises(TSQLError) as refused:
            server.query(sql)
        assert refused.value.code == "8115"
        return
    answer = server.query(sql)[1][0][0]
    assert answer == expected
    assert -answer.as_tuple().exponent == scale


@settings(max_examples=200, deadline=None)
@given(sign=st.sampled_from("+-*/%"), left=st.integers(-(2**31), 2**31 - 1), right=st.integers(-9, 2**31 - 1))
def test_whole_numbers(server: LocalSession, sign: str, left: int, right: int) -> None:
    """A quotient is cut towards zero, a remainder has the dividend's sign, and what is no INT is refused."""
    code, expected = None, 0
    if sign in "/%" and not right:
        code = "8134"
    else:
        quotient = abs(left) // abs(right or 1) * (1 if (left < 0) == (right < 0) else -1)
        expected = {
            "+": left + right,
            "-": left - right,
            "*": left * right,
            "/": quotient,
            "%": left - right * quotient,
        }[sign]
        code = None if -(2**31) <= expected < 2**31 else "8115"
    sql = f"SELECT a {sign} b FROM (VALUES (CAST({left} AS INT), CAST({right} AS INT))) t(a, b)"
    if code is None:
        assert server.query(sql)[1] == [(expected,)]
        return
    with pytest.raises(TSQLError) as refused:
        server.query(sql)
    assert refused.value.code == code
