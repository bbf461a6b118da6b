"""Oracle's conditions, numbers of rows and trees on DuckDB, against what Python makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glue.dialects.errors import DialectError
from glue.dialects.loading import load_statements
from glue.dialects.local import LocalSession

_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    ">=": lambda one, other: one >= other,
    ">": lambda one, other: one > other,
}
_N_ROWS = 5


@pytest.fixture(scope="module")
def oracle() -> Iterator[LocalSession]:
    with duckdb.connect() as connection:
        session = LocalSession(connection, "oracle")
        rows = [f"insert into five values ({number})" for number in range(1, _N_ROWS + 1)]
        assert not load_statements(session, ["create table five (id number(3))", *rows]).failures
        yield session


Condition = tuple[str, Callable[[int], bool]]


def _compared(sign: str, bound: float, is_turned: bool) -> Condition:
    if is_turned:
        return f"{bound} {sign} rownum", lambda number: _SIGNS[sign](bound, number)
    return f"rownum {sign} {bound}", lambda number: _SIGNS[sign](number, bound)


_BOUNDS = st.sampled_from([0, 1, 2, 3, 2.5, 6])
_COMPARISONS = st.builds(_compared, st.sampled_from(sorted(_SIGNS)), _BOUNDS, st.booleans())
_CONDITIONS = st.recursive(
    _COMPARISONS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(
            lambda pair: (f"({pair[0][0]} and {pair[1][0]})", lambda n: pair[0][1](n) and pair[1][1](n))
        ),
        st.tuples(inner, inner).map(
            lambda pair: (f"({pair[0][0]} or {pair[1][0]})", lambda n: pair[0][1](n) or pair[1][1](n))
        ),
        inner.map(lambda one: (f"not ({one[0]})", lambda n: not one[1](n))),
    ),
    max_leaves=4,
)


@given(_CONDITIONS)
@settings(max_examples=60, deadline=None)
def test_a_row_gets_a_number_when_it_is_taken(oracle: LocalSession, condition: Condition) -> None:
    text, holds = condition
    expected: list[int] = []
    for number in range(1, _N_ROWS + 1):
        if holds(len(expected) + 1):
            expected.append(number)
    _, rows = oracle.query(f"select id from five where {text}")
    assert [row[0] for row in rows] == expected


Truth = tuple[str, bool | None]


def _not(one: bool | None) -> bool | None:
    return None if one is None else not one


def _and(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


_TRUTHS: st.SearchStrategy[Truth] = st.recursive(
    st.sampled_from([("1 = 1", True), ("'a' = 'b'", False), ("null = 1", None), ("'' is null", True)]),
    lambda inner: st.one_of(
        inner.map(lambda one: (f"not ({one[0]})", _not(one[1]))),
        inner.map(lambda one: (f"lnnvl({one[0]})", one[1] is not True) if "(" not in one[0] else one),
        st.tuples(inner, inner).map(
            lambda pair: (f"({pair[0][0]} and {pair[1][0]})", _and(pair[0][1], pair[1][1]))
        ),
        st.tuples(inner, inner).map(
            lambda pair: (
                f"({pair[0][0]} or {pair[1][0]})",
                _not(_and(_not(pair[0][1]), _not(pair[1][1]))),
            )
        ),
    ),
    max_leaves=6,
)


@given(_TRUTHS)
@settings(max_examples=60, deadline=None)
def test_conditions_are_true_false_or_unknown(oracle: LocalSession, truth: Truth) -> None:
    text, expected = truth
    case = f"case when {text} then 'true' when not ({text}) then 'false' else 'unknown' end"
    _, rows = oracle.query(f"select {case} from dual where 1 = 1")
    assert rows == [({True: "true", False: "false", None: "unknown"}[expected],)]
    _, rows = oracle.query(f"select id from five where {text}")
    assert len(rows) == (_N_ROWS if expected else 0)


@given(st.lists(st.integers(0, _N_ROWS), min_size=_N_ROWS, max_size=_N_ROWS), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_tree_is_walked_from_its_roots(oracle: LocalSession, parents: list[int], is_nocycle: bool) -> None:
    children = {
        at: [child for child, parent in enumerate(parents, 1) if parent == at] for at in range(_N_ROWS + 1)
    }
    has_loop = False

    def walk(one: int, path: list[int]) -> list[tuple[int, int, str, int]]:
        nonlocal has_loop
        own = [*path, one]
        has_loop |= any(child in own for child in children[one])
        below = [child for child in children[one] if child not in own]
        rows = [(len(own), one, "".join(f"/{step}" for step in own), int(not below))]
        return rows + [row for child in below for row in walk(child, own)]

    expected = walk(1, [])
    source = " union all ".join(
        f"select {child} id, {parent} mgr from dual" for child, parent in enumerate(parents, 1)
    )
    sql = (
        f"select level, id, sys_connect_by_path(id, '/'), connect_by_isleaf from ({source}) start with id = 1"
        f" connect by {'nocycle ' * is_nocycle}prior id = mgr order siblings by id"
    )
    if has_loop and not is_nocycle:
        with pytest.raises(DialectError) as refused:
            oracle.query(sql)
        assert refused.value.code == "ORA-01436"
    else:
        n_columns = (
            3 if has_loop else 4
        )  # whether a row is a leaf whose only child is left out, no manual says
        rows = oracle.query(sql)[1]
        assert [row[:n_columns] for row in rows] == [row[:n_columns] for row in expected]
