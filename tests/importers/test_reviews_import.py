"""Human reviews of tasks: both rounds, the discussion and the senior, and what is refused where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from glue.errors import GlueError
from glue.home import Home
from glue.importers.common import ImportBatch, land
from glue.importers.reviews import read_reviews
from tests.history_files import PAST, REVIEWS, import_past

GOOD = {"task_id": "1", "round": 1, "role": "annotator", "reviewer": "ada", "decision": "Valid"}


def read(home: Home, *records: Any) -> ImportBatch:
    path = home.root / "reviews.json"
    path.write_text(json.dumps(records))
    return read_reviews(home, path, PAST)


def test_both_rounds_the_discussion_and_the_senior_land(home: Home) -> None:
    import_past(home)
    report = land(home, read_reviews(home, REVIEWS, PAST))
    assert report.counts == {"task_reviews": 14}
    assert report.refusals == []
    rows = read_reviews(home, REVIEWS, PAST).rows["task_reviews"]
    assert [row for row in rows if row["role"] != "annotator"] == [
        {
            "benchmark": PAST,
            "task_id": "101",
            "review_round": 2,
            "reviewer": None,
            "role": "discussion",
            "decision": "valid",
            "reason": "ties do not occur among smokers",
        },
        {
            "benchmark": PAST,
            "task_id": "102",
            "review_round": 2,
            "reviewer": "dora",
            "role": "senior",
            "decision": "invalid",
            "reason": "answer is not unique",
        },
    ]
    assert {row["review_round"] for row in rows if row["role"] == "annotator"} == {1, 2}


def test_what_is_wrong_is_named_by_record_and_field(home: Home) -> None:
    import_past(home)
    batch = read(
        home,
        GOOD,
        {**GOOD, "task_id": None},
        {**GOOD, "reviewer": None},
        {**GOOD, "role": "chair"},
        {**GOOD, "round": 3},
        {**GOOD, "decision": ""},
        {**GOOD, "decision": 1},
        GOOD,
        "valid",
        {"question_id": 2, "role": "senior", "verdict": "keep"},
    )
    assert [(each.record, each.field, each.reason) for each in batch.refusals] == [
        ("entry 9", None, "not_an_object"),
        ("entry 2", "task_id", "missing"),
        ("entry 3", "reviewer", "missing"),
        ("entry 4", "role", "unknown_role"),
        ("entry 5", "round", "malformed"),
        ("entry 6", "decision", "missing"),
        ("entry 7", "decision", "not_text"),
        ("entry 8", "reviewer", "duplicate"),
    ]
    assert [(row["task_id"], row["review_round"], row["decision"]) for row in batch.rows["task_reviews"]] == [
        ("1", 1, "valid"),
        ("2", 2, "keep"),
    ]


def test_a_file_without_any_review_is_refused(home: Home) -> None:
    import_past(home)
    with pytest.raises(GlueError, match=r"no record of .* can land; entry 1, round: 1\.5$"):
        read(home, {**GOOD, "round": 1.5})


def test_another_file_wants_replace_and_no_other_name(home: Home) -> None:
    import_past(home)
    land(home, read(home, GOOD))
    with pytest.raises(GlueError, match="a file of reviews of 'past' has been imported already") as raised:
        land(home, read(home, GOOD, {**GOOD, "task_id": 2}))
    assert "--name" not in (raised.value.hint or "")
