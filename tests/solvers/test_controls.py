"""Controls answer what they promise, or say why they cannot."""

from __future__ import annotations

import pytest

from glue.errors import GlueError
from glue.solvers.controls import CONTROLS, solve_control

GOLD = "select name from singer where age > 20"
REQUEST = {"dialect": "sqlite", "gold_sql": GOLD, "control_sql": "SELECT age FROM singer"}


def test_gold_is_given_as_it_is() -> None:
    answer = solve_control("gold", REQUEST)
    assert (answer.text, answer.error, answer.outcome) == (GOLD, None, "answered")


def test_gold_in_other_words() -> None:
    answer = solve_control("gold-rewritten", REQUEST)
    assert answer.text == "SELECT * FROM (SELECT name FROM singer AS rw1 WHERE age > 20) AS rw2"
    assert answer.outcome == "answered"


def test_gold_broken_in_one_place_and_always_in_the_same() -> None:
    answers = {solve_control("gold-broken", REQUEST).text for _ in range(3)}
    assert len(answers) == 1
    assert answers <= {
        "SELECT name FROM singer WHERE age > 41",
        "SELECT name FROM singer WHERE age <= 20",
    }


@pytest.mark.parametrize(
    "name", ["nearest-history", "distractor", "second-gold", "visible-gold", "memorizer"]
)
def test_what_answers_with_the_sql_that_comes_with_the_request(name: str) -> None:
    assert solve_control(name, REQUEST).text == "SELECT age FROM singer"


@pytest.mark.parametrize(
    ("name", "request_row", "error"),
    [
        (
            "nearest-history",
            {**REQUEST, "control_sql": None},
            "no other question of this database has gold SQL",
        ),
        ("nearest-history", {"gold_sql": GOLD}, "no other question of this database has gold SQL"),
        ("distractor", {**REQUEST, "control_sql": None}, "the question has no distractor"),
        ("second-gold", {**REQUEST, "control_sql": " "}, "the question has no second gold"),
        (
            "visible-gold",
            {**REQUEST, "control_sql": None},
            "a table that the gold needs is not in the context, or the gold has no form in its names",
        ),
        ("memorizer", {}, "the question has no gold that can be written in the names of the cell"),
        ("gold", {**REQUEST, "gold_sql": None}, "the question has no gold SQL"),
        ("gold-broken", {**REQUEST, "gold_sql": "  "}, "the question has no gold SQL"),
        (
            "gold-rewritten",
            {**REQUEST, "gold_sql": "SELEC 1 FRM"},
            "the gold SQL cannot be parsed and written back as one query of its dialect",
        ),
        (
            "gold-broken",
            {**REQUEST, "gold_sql": "DROP TABLE t"},
            "the gold SQL cannot be parsed and written back as one query of its dialect",
        ),
        (
            "gold-rewritten",
            {**REQUEST, "dialect": "no such dialect"},
            "the gold SQL cannot be parsed and written back as one query of its dialect",
        ),
    ],
)
def test_nothing_to_say_is_said(name: str, request_row: dict[str, str | None], error: str) -> None:
    answer = solve_control(name, request_row)
    assert (answer.outcome, answer.error) == ("failed", error)
    assert answer.text == f"No SQL from this control: {error}."


def test_an_unknown_control_is_named_with_the_nearest() -> None:
    with pytest.raises(GlueError, match="no control/gold-brken") as caught:
        solve_control("gold-brken", REQUEST)
    assert caught.value.hint == "did you mean control/gold-broken?"


def test_every_control_is_described_and_answers() -> None:
    assert list(CONTROLS) == [
        "gold",
        "gold-rewritten",
        "gold-broken",
        "nearest-history",
        "distractor",
        "second-gold",
        "visible-gold",
        "memorizer",
    ]
    for name, description in CONTROLS.items():
        assert description
        assert solve_control(name, REQUEST).outcome == "answered"
