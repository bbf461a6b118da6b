"""What says the same in other words never raises an alarm."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glue.divergence.check import Checker
from tests.divergence.helpers import check

COMPARISONS = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}

conditions = st.one_of(
    st.tuples(
        st.sampled_from(["total", "customer_id", "id"]),
        st.sampled_from(list(COMPARISONS)),
        st.integers(0, 70),
    ),
    st.tuples(st.just("status"), st.sampled_from(["=", "<>"]), st.sampled_from(["'open'", "'paid'"])),
    st.tuples(st.just("ordered_on"), st.sampled_from(list(COMPARISONS)), st.just("'2024-05-06'")),
)


def written(parts: list[tuple[str, str, object]], joiner: str) -> str:
    return f" {joiner} ".join(f"{column} {sign} {value}" for column, sign, value in parts)


def turned(parts: list[tuple[str, str, object]], joiner: str) -> str:
    """The same by De Morgan, sides swapped, back to front."""
    other = "OR" if joiner == "AND" else "AND"
    inner = f" {other} ".join(
        f"NOT ({value} {COMPARISONS[sign]} {column})" for column, sign, value in reversed(parts)
    )
    return f"NOT ({inner})"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(conditions, min_size=1, max_size=3), joiner=st.sampled_from(["AND", "OR"]))
def test_a_condition_in_other_words_stays_equal(
    shop: Checker, parts: list[tuple[str, str, object]], joiner: str
) -> None:
    gold = f"SELECT id, total FROM orders WHERE {written(parts, joiner)}"
    found = check(shop, gold, f"SELECT id, total FROM orders WHERE {turned(parts, joiner)}")
    assert found.outcome == "stays_equal", found


PAIRS = [
    (
        "SELECT c.name FROM customers c WHERE c.id IN (SELECT customer_id FROM orders WHERE total > 20)",
        "SELECT c.name FROM customers c WHERE EXISTS"
        " (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.total > 20)",
    ),
    (
        "SELECT status, COUNT(*), SUM(total) FROM orders GROUP BY status HAVING COUNT(*) > 1",
        "SELECT * FROM (SELECT status, COUNT(*) AS n, SUM(total) FROM orders GROUP BY status) AS g"
        " WHERE n > 1",
    ),
    (
        "SELECT c.id, SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id",
        "SELECT o.customer_id, SUM(o.total) FROM orders o GROUP BY o.customer_id",
    ),
    (
        "SELECT AVG(total) FROM orders",
        "SELECT SUM(total) * 1.0 / NULLIF(COUNT(total), 0) FROM orders",
    ),
    (
        "SELECT id FROM orders ORDER BY ordered_on, id LIMIT 3",
        "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY ordered_on, id) AS n FROM orders) AS r"
        " WHERE n <= 3 ORDER BY n",
    ),
]


@pytest.mark.parametrize("pair", PAIRS)
def test_an_equivalent_statement_stays_equal(shop: Checker, pair: tuple[str, str]) -> None:
    found = check(shop, *pair, is_ordered="ORDER BY" in pair[0])
    assert found.outcome == "stays_equal", found
    assert found.n_instances > 20


@pytest.mark.parametrize("pair", PAIRS[:3])
def test_an_equivalent_statement_stays_equal_on_duckdb(duckdb_shop: Checker, pair: tuple[str, str]) -> None:
    assert check(duckdb_shop, *pair).outcome == "stays_equal"
