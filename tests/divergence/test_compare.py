"""Results on one instance under `ex`: ties in any order, a LIMIT through a tie, numbers to nine digits."""

from __future__ import annotations

from glue.divergence.compare import Order, are_equal

A, B, C = ("t:a",), ("t:b",), ("t:c",)


def test_without_order_multisets_count() -> None:
    assert are_equal([A, B], [B, A], False, None)
    assert not are_equal([A, B], [B, A], True, None)
    assert not are_equal([A, A, B], [A, B, B], False, None)


def test_ties_stand_in_any_order() -> None:
    order = Order([(1, A), (1, B), (3, C)])
    assert are_equal([A, B, C], [B, A, C], True, order)
    assert not are_equal([A, B, C], [A, C, B], True, order)


def test_a_limit_through_a_tie_may_take_any_of_it() -> None:
    order = Order([(1, A), (2, B), (2, C)], n_kept=2)
    assert order.is_cut_tie
    assert are_equal([A, B], [A, C], True, order)
    assert not are_equal([A, B], [C, B], True, order)
    assert not Order([(1, A), (2, B)], n_kept=1).is_cut_tie


def test_the_last_digits_of_a_sum_are_no_difference() -> None:
    assert are_equal([("n:0.30000000000000004",)], [("n:0.3",)], False, None)
    assert are_equal([("n:5e-17",)], [("n:0",)], False, None)
    assert not are_equal([("n:0.33",)], [("n:0.3333",)], False, None)
