"""Gwet's AC1 of reviewers, against the formulas of his paper written out, on random reviews (Gwet 2008)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.commands import run_dbt

pytestmark = pytest.mark.slow

COLUMNS = (
    "benchmark varchar, task_id varchar, review_round bigint, reviewer varchar, role varchar,"
    " decision varchar"
)
Reviews = list[dict[str, str]]
"""Of each task, what each reviewer who saw it decided."""


def ac1(reviews: Reviews) -> dict[str, float | None]:
    """The coefficient and its interval by the textbook: several raters, some decisions missing."""
    counts = [Counter(task.values()) for task in reviews if task]
    decisions = sorted(set().union(*counts))
    n_categories = max(len(decisions), 2)
    n = len(counts)
    twice = [count for count in counts if count.total() >= 2]
    agreements = [
        sum(k * (k - 1) for k in count.values()) / (count.total() * (count.total() - 1)) for count in twice
    ]
    shares = {each: sum(count[each] / count.total() for count in counts) / n for each in decisions}
    chance = sum(share * (1 - share) for share in shares.values()) / (n_categories - 1)
    if not twice:
        return {"gwet_ac1": None, "standard_error": None, "full_agreement": None}
    observed = sum(agreements) / len(twice)
    value = (observed - chance) / (1 - chance)
    total = 0.0
    for count in counts:
        r = count.total()
        own = 0.0
        if r >= 2:
            agreed = sum(k * (k - 1) for k in count.values()) / (r * (r - 1))
            own = n / len(twice) * (agreed - chance) / (1 - chance)
        chance_of_own = sum(count[each] * (1 - shares[each]) for each in decisions) / r / (n_categories - 1)
        total += (own - 2 * (1 - value) * (chance_of_own - chance) / (1 - chance) - value) ** 2
    error = math.sqrt(total / n / (n - 1)) if n > 1 else None
    unanimous = [count for count in twice if len(count) == 1]
    return {"gwet_ac1": value, "standard_error": error, "full_agreement": len(unanimous) / len(twice)}


@pytest.fixture(scope="module")
def agreement(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Reviews], dict[str, Any] | None]:
    """The model, as dbt compiles it, over reviews of one benchmark and round."""
    home = tmp_path_factory.mktemp("agreement")
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        connection.execute(f"create table stg_task_reviews ({COLUMNS})")
    run_dbt(home, "review_agreement")
    (compiled,) = (home / "target" / "compiled").rglob("review_agreement.sql")
    connection = duckdb.connect()
    connection.execute("attach ':memory:' as warehouse")
    connection.execute(f"create table warehouse.main.stg_task_reviews ({COLUMNS})")

    def found(reviews: Reviews) -> dict[str, Any] | None:
        connection.execute("delete from warehouse.main.stg_task_reviews")
        rows = [
            ("b", f"t{number}", 1, reviewer, "annotator", decision)
            for number, task in enumerate(reviews)
            for reviewer, decision in task.items()
        ]
        connection.executemany("insert into warehouse.main.stg_task_reviews values (?, ?, ?, ?, ?, ?)", rows)
        told: list[dict[str, Any]] = connection.sql(compiled.read_text()).to_arrow_table().to_pylist()
        assert len(told) == 1
        return told[0]

    return found


def check(found: dict[str, Any], reviews: Reviews) -> None:
    expected = ac1(reviews)
    for name, value in expected.items():
        if value is None:
            assert found[name] is None, name
        else:
            assert found[name] == pytest.approx(value, abs=2e-9), name
    value, error = expected["gwet_ac1"], expected["standard_error"]
    n = found["n_items"]
    if value is not None and error is not None:
        half = stats.t.ppf(0.975, n - 1) * error
        assert found["interval_low"] == pytest.approx(max(value - half, -1), abs=0.004 * error + 2e-9)
        assert found["interval_high"] == pytest.approx(min(value + half, 1), abs=0.004 * error + 2e-9)


@st.composite
def some_reviews(draw: st.DrawFn) -> Reviews:
    reviewers = [f"r{number}" for number in range(draw(st.integers(2, 5)))]
    decisions = ["valid", "invalid", "revise", "unsure"][: draw(st.integers(1, 4))]
    may_lack = draw(st.booleans())
    one = st.sampled_from(decisions)
    task = st.fixed_dictionaries({}, optional=dict.fromkeys(reviewers, one)).filter(bool)
    whole = st.fixed_dictionaries(dict.fromkeys(reviewers, one))
    return draw(st.lists(task if may_lack else whole, min_size=1, max_size=12))


@given(reviews=some_reviews())
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ac1_is_that_of_the_textbook(
    agreement: Callable[[Reviews], dict[str, Any]], reviews: Reviews
) -> None:
    check(agreement(reviews), reviews)


def test_three_reviewers_who_nearly_always_agree(agreement: Callable[[Reviews], dict[str, Any]]) -> None:
    """Four in five tasks are judged alike by all three, as in the paper: AC1 is high, kappa near nothing."""
    alike = [dict.fromkeys("abc", "valid")] * 80
    split = [{"a": "valid", "b": "valid", "c": "invalid"}] * 20
    found = agreement([*alike, *split])
    assert found["full_agreement"] == 0.8
    assert 0.8 < found["gwet_ac1"] < 0.9
    check(found, [*alike, *split])


def test_perfect_agreement_is_one_without_an_error(agreement: Callable[[Reviews], dict[str, Any]]) -> None:
    found = agreement([{"a": "valid", "b": "valid"}, {"a": "invalid", "b": "invalid"}])
    assert (found["gwet_ac1"], found["standard_error"]) == (1, 0)
    assert (found["interval_low"], found["interval_high"]) == (1, 1)


def test_ac1_is_what_gwets_own_program_gives(agreement: Callable[[Reviews], dict[str, Any]]) -> None:
    """Four raters of twelve units, some missing: the worked example of irrCAC (Gwet), and its results."""
    units = ["11-1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "-555", "--11", "--3-"]
    found = agreement(
        [{rater: mark for rater, mark in zip("abcd", unit, strict=True) if mark != "-"} for unit in units]
    )
    assert found["gwet_ac1"] == pytest.approx(0.77544, abs=5e-6)
    assert found["standard_error"] == pytest.approx(0.14295, abs=5e-6)
    assert found["interval_low"] == pytest.approx(0.46081, abs=1e-5)
    assert found["interval_high"] == 1
