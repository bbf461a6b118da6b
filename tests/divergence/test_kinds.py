"""Each kind of change shows a difference that the data hides, on tables that can be checked by hand."""

from __future__ import annotations

import pytest

from glue.divergence.check import Checker
from glue.divergence.instances import Instance, Row, is_allowed
from glue.divergence.outcome import Check
from tests.divergence.helpers import check

JOIN = "FROM customers c JOIN orders o ON o.customer_id = c.id"

CASES = {
    # what is wrong: (gold, prediction), equal on the shop's data or not far from it
    "boundary": ("SELECT id FROM orders WHERE total > 60", "SELECT id FROM orders WHERE total >= 60"),
    "day": (
        "SELECT id FROM orders WHERE ordered_on <= '2024-06-30'",
        "SELECT id FROM orders WHERE ordered_on < '2024-06-30'",
    ),
    "null": ("SELECT COUNT(*) FROM orders", "SELECT COUNT(total) FROM orders"),
    "null default": (
        "SELECT status, AVG(COALESCE(total, 0)) FROM orders GROUP BY status",
        "SELECT status, AVG(total) FROM orders GROUP BY status",
    ),
    "empty group": (
        "SELECT c.id, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id",
        f"SELECT c.id, COUNT(o.id) {JOIN} GROUP BY c.id",
    ),
    "several matches": (
        "SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
        f"SELECT c.name {JOIN}",
    ),
    "duplicate": ("SELECT city FROM customers", "SELECT DISTINCT city FROM customers"),
    "same name": (
        f"SELECT c.name, SUM(o.total) {JOIN} GROUP BY c.id, c.name",
        f"SELECT c.name, SUM(o.total) {JOIN} GROUP BY c.name",
    ),
    "condition left out": (
        "SELECT id FROM orders WHERE status = 'open' AND total > 10",
        "SELECT id FROM orders WHERE status = 'open'",
    ),
    "anti-join": (
        "SELECT id FROM customers WHERE NOT EXISTS"
        " (SELECT 1 FROM customers x WHERE x.credit = customers.id * 100)",
        "SELECT id FROM customers WHERE id * 100 NOT IN (SELECT credit FROM customers)",
    ),
    "union": (
        "SELECT city FROM customers UNION ALL SELECT status FROM orders",
        "SELECT city FROM customers UNION SELECT status FROM orders",
    ),
    "group size": (
        "SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 4",
        "SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) > 4",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_statement_diverges(shop: Checker, case: str) -> None:
    found = check(shop, *CASES[case])
    assert found.outcome == "diverges", found
    assert_witness(shop, found, *CASES[case])


@pytest.mark.parametrize("case", ["boundary", "null", "empty group", "same name"])
def test_a_wrong_statement_diverges_on_duckdb(duckdb_shop: Checker, case: str) -> None:
    found = check(duckdb_shop, *CASES[case])
    assert found.outcome == "diverges", found


def assert_witness(shop: Checker, found: Check, gold: str, predicted: str) -> None:
    """The witness is small and its results differ; its keys hold."""
    assert found.witness is not None
    n_rows = sum(len(table["rows"]) for table in found.witness.values())
    assert 0 < n_rows <= 12, found.witness
    assert found.gold_rows != found.predicted_rows


def test_a_witness_of_a_boundary_is_the_one_row_on_it(shop: Checker) -> None:
    found = check(shop, *CASES["boundary"])
    assert found.witness is not None and found.kind is not None
    (order,) = found.witness["orders"]["rows"]
    assert order[found.witness["orders"]["columns"].index("total")] == 60
    assert found.gold_rows == []
    assert found.predicted_rows is not None and len(found.predicted_rows) == 1


def test_the_order_counts_where_the_question_asks_for_it(shop: Checker) -> None:
    gold, predicted = (
        "SELECT id FROM orders ORDER BY total DESC, id",
        "SELECT id FROM orders ORDER BY total DESC",
    )
    assert check(shop, gold, "SELECT id FROM orders", is_ordered=True).outcome == "diverges"
    assert check(shop, gold, predicted, is_ordered=False).outcome == "stays_equal"


def test_a_tie_at_a_limit_is_no_alarm(shop: Checker) -> None:
    found = check(
        shop,
        "SELECT id FROM orders WHERE total IS NOT NULL ORDER BY total DESC LIMIT 1",
        "SELECT id FROM orders WHERE total = (SELECT MAX(total) FROM orders)",
    )
    assert found.outcome in ("stays_equal", "diverges_beyond_data")
    assert {kind for kind, _ in found.assumptions} >= {"no_cut_ties"} or found.outcome == "stays_equal"


def test_a_prediction_that_fails_where_gold_answers_diverges(shop: Checker) -> None:
    found = check(
        shop,
        "SELECT COUNT(*) FROM orders WHERE total < 70",
        "SELECT COUNT(*) FROM orders WHERE total < 70"
        " AND CASE WHEN total > 60 THEN json('x') ELSE '0' END = '0'",
    )
    assert (found.outcome, found.kind) == ("diverges", "fails")
    assert found.predicted_error and "JSON" in found.predicted_error


def test_gold_that_never_answers_is_not_decidable(shop: Checker) -> None:
    found = check(shop, "SELECT nothing FROM orders", "SELECT id FROM orders")
    assert found.outcome == "not_decidable"
    assert found.reason is not None and found.reason.startswith("gold_fails")


def test_a_text_that_does_not_parse_is_not_decidable(shop: Checker) -> None:
    found = check(shop, "SELECT id FROM orders", "SELECT id FROM orders WHERE (")
    assert (found.outcome, found.reason) == ("not_decidable", "does_not_parse")


def test_declared_constraints_hold_in_an_instance(shop: Checker) -> None:
    schema = shop.schema
    customer = Row((1, "Ada", "Oslo", 5))
    order = Row((7, 1, "open", 10, "2024-01-01"))
    good = Instance({"customers": (customer,), "orders": (order,)})
    assert is_allowed(schema, good)
    assert not is_allowed(schema, good.plus("customers", [Row((1, "Bo", None, None))]))
    assert not is_allowed(schema, good.replaced("orders", order, order.changed(2, None)))
    assert not is_allowed(schema, good.replaced("orders", order, order.changed(1, 2)))
    assert not is_allowed(schema, good.without("customers", customer))


def test_a_check_constraint_is_the_engines_to_refuse(shop: Checker) -> None:
    """Totals are never negative, says the schema: what tells them apart there alone stays equal."""
    found = check(
        shop, "SELECT id FROM orders WHERE total >= 0", "SELECT id FROM orders WHERE total IS NOT NULL"
    )
    assert found.outcome == "stays_equal"
