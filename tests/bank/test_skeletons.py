"""No two golds are one query with other literals, and few have one shape."""

from __future__ import annotations

import pytest

from glue import bank
from glue.bank.manifest import BankQuestion
from tests.bank.texts import MAX_SAME_SHAPE, golds_of, shared_skeletons, skeleton


@pytest.mark.parametrize("dialect", ["oracle", "duckdb", "sqlite"])
def test_no_two_golds_share_a_skeleton(
    manifest: bank.Manifest, translated: tuple[BankQuestion, ...], dialect: str
) -> None:
    golds = golds_of(manifest.questions, dialect)
    assert len(golds) == (len(manifest.questions) if dialect == "oracle" else len(translated))
    assert shared_skeletons(golds, dialect, masks_names=False, n_allowed=1) == []
    assert shared_skeletons(golds, dialect, masks_names=True, n_allowed=MAX_SAME_SHAPE) == []


def test_literals_and_aliases_do_not_count() -> None:
    left = "SELECT c.name AS n FROM customers AS c WHERE c.city = 'Bonn' ORDER BY n LIMIT 3"
    right = "select customers.name from customers where customers.city = 'Köln' order by name limit 5"
    other = "select customers.name from customers where customers.country = 'Italy' order by name limit 5"
    assert skeleton(left, "sqlite") == skeleton(right, "sqlite") != skeleton(other, "sqlite")
    assert skeleton(left, "sqlite", masks_names=True) == skeleton(other, "sqlite", masks_names=True)


def test_derived_tables_and_lists_of_literals_have_no_names_and_no_length() -> None:
    left = "WITH a AS (SELECT x FROM t WHERE y IN (1, 2)) SELECT a.x FROM a"
    right = "WITH b AS (SELECT z.x FROM t AS z WHERE z.y IN (1, 2, 3)) SELECT x FROM b"
    assert skeleton(left, "duckdb") == skeleton(right, "duckdb")


def test_a_condition_more_is_another_skeleton() -> None:
    golds = {
        "a": "SELECT x FROM t WHERE y > 1",
        "b": "SELECT x FROM t WHERE y > 2",
        "c": "SELECT x FROM t WHERE y > 1 AND z IS NULL",
    }
    assert shared_skeletons(golds, "duckdb", masks_names=False, n_allowed=1) == [("a", "b")]
    assert shared_skeletons(golds, "duckdb", masks_names=False, n_allowed=2) == []
