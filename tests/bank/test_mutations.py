"""The base data and D′ show at least nine in ten small changes of the golds; the others are listed."""

from __future__ import annotations

import csv

import pytest

from glue import bank
from tests.bank.checks import MutationOutcome, rate
from tests.bank.oracle_bench import OracleBench
from tests.bank.oracle_checks import mutation_outcomes

LEAST_RATE, LEAST_RATE_OF_A_GOLD = 0.9, 0.6

Outcomes = dict[str, list[MutationOutcome]]


@pytest.fixture(scope="module")
def outcomes(manifest: bank.Manifest, oracle_bench: OracleBench) -> Outcomes:
    return {
        question.question_id: mutation_outcomes(oracle_bench, question) for question in manifest.questions
    }


def test_nine_in_ten_changes_show(outcomes: Outcomes) -> None:
    shown, applicable = map(sum, zip(*map(rate, outcomes.values()), strict=True))
    assert applicable >= 2 * len(outcomes)
    assert shown >= LEAST_RATE * applicable


def test_no_gold_hides_more_than_four_in_ten(outcomes: Outcomes) -> None:
    rates = {name: rate(found) for name, found in outcomes.items()}
    assert {name: r for name, r in rates.items() if r[0] < LEAST_RATE_OF_A_GOLD * r[1]} == {}


def test_every_kind_of_change_is_met(outcomes: Outcomes) -> None:
    met = {outcome.mutation.name for found in outcomes.values() for outcome in found}
    assert met >= {
        "where_dropped",
        "boundary",
        "inner_to_left",
        "left_to_inner",
        "distinct_dropped",
        "null_default_dropped",
        "exists_to_in",
        "union_to_all",
    }


def test_hardly_any_change_does_not_run(outcomes: Outcomes) -> None:
    """A change that no engine takes says nothing: the list is made so that they are rare."""
    found = [outcome for listed in outcomes.values() for outcome in listed]
    assert sum(outcome.outcome == "does not run" for outcome in found) <= 0.05 * len(found)


def test_the_survivors_are_the_listed_ones(manifest: bank.Manifest, outcomes: Outcomes) -> None:
    listed = []
    for path in manifest.folder.glob("*/equivalent_mutations.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            listed += list(csv.DictReader(file))
    survivors = sorted(
        (name, f"{outcome.mutation.name}: {outcome.mutation.what}")
        for name, found in outcomes.items()
        for outcome in found
        if outcome.outcome == "survives"
    )
    assert sorted((row["question_id"], row["mutation"]) for row in listed) == survivors
    assert all(len(row["reason"].split()) >= 5 for row in listed)
