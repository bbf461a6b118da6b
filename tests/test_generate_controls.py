"""Controls answer the sets of a command together: shared requests once, what a kill leaves later."""

from __future__ import annotations

from typing import Any

import pytest

from glue import generate_controls as module
from glue.generate_controls import answer_by_controls
from glue.generate_runs import Run
from glue.generate_work import Past, Work
from glue.home import Home
from glue.landing import Writer, ensure, landed_keys
from glue.progress import Silent
from tests.landing_helpers import die


def work(name: str, model: str, *golds: tuple[str, str | None]) -> Work:
    """A set that asks control `model` these requests, each with the SQL it works from."""
    rows = [{"request_id": key, "purpose": "answer", "control_sql": gold} for key, gold in golds]
    return Work(Run(name, "shop", model, setting="a cell"), rows)


def landed(home: Home) -> list[dict[str, Any]]:
    columns = ["request_id", "attempt_number", "outcome", "response_text", "model"]
    found: list[dict[str, Any]] = landed_keys(home, "responses", columns=columns).to_pylist()
    return sorted(found, key=lambda row: row["request_id"])


def test_what_several_sets_ask_is_answered_once_and_counts_for_each(home: Home) -> None:
    works = [
        work("one", "control/memorizer", ("a", "SELECT 1"), ("b", "SELECT 2")),
        work("two", "control/memorizer", ("b", "SELECT 2"), ("a", "SELECT 1")),
        work("three", "control/visible-gold", ("c", None), ("d", "SELECT 1")),
        work("four", "control/visible-gold"),
    ]
    with Writer(home, loop="generate") as writer:
        found = answer_by_controls(writer, works, {"d": Past(n_attempts=2, last_number=4)}, Silent())
    assert [(it.n_answered, it.n_failed) for it in found] == [(2, 0), (2, 0), (1, 1), (0, 0)]
    assert found[2].first_error is not None and found[0].first_error is None
    rows = landed(home)
    assert [(row["request_id"], row["model"], row["outcome"]) for row in rows] == [
        ("a", "control/memorizer", "answered"),
        ("b", "control/memorizer", "answered"),
        ("c", "control/visible-gold", "failed"),
        ("d", "control/visible-gold", "answered"),
    ]
    assert [row["attempt_number"] for row in rows] == [1, 1, 1, 5]


def test_what_was_answered_before_a_kill_stays(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 2)
    asked = work("one", "control/memorizer", *((f"r{number}", f"SELECT {number}") for number in range(5)))

    class Killed(Silent):
        n_done = 0

        def advance(self, n_done: int, n_failed: int) -> None:
            self.n_done += n_done
            if self.n_done == 4:
                raise KeyboardInterrupt

    writer = Writer(home, loop="generate").__enter__()
    with pytest.raises(KeyboardInterrupt):
        answer_by_controls(writer, [asked], {}, Killed())
    die(writer)
    ensure(home)
    assert [row["request_id"] for row in landed(home)] == ["r0", "r1", "r2", "r3"]
