"""Query logs: the names columns have in the wild, every value of them, and what is refused where."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from glue.errors import GlueError
from glue.home import Home
from glue.importers.bird_history import read_bird_history
from glue.importers.common import ImportBatch, land
from glue.importers.landed import landed_benchmark
from glue.importers.query_logs import FIELDS, _Reader, read_query_log
from glue.importers.reviews import read_reviews
from tests.history_files import LOG, PAST, REVIEWS, TASKS, import_past

SQL = "SELECT 1"


@pytest.fixture(autouse=True)
def _past(home: Home) -> None:
    import_past(home)


def read(home: Home, *records: Any, db_id: str | None = None) -> ImportBatch:
    """Write records as JSON lines (texts as they are) and read them."""
    path = home.root / "log.jsonl"
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("\n".join(lines) + "\n")
    return read_query_log(home, path, "log", PAST, db_id)


def read_csv(home: Home, text: str) -> ImportBatch:
    path = home.root / "log.csv"
    path.write_text(text)
    return read_query_log(home, path, "log", PAST)


def refused(batch: ImportBatch) -> list[tuple[str, str | None, str, bool]]:
    return [(each.record, each.field, each.reason, each.is_landed) for each in batch.refusals]


def test_a_log_lands_unfiltered(home: Home) -> None:
    report = land(home, read_query_log(home, LOG, "log", PAST))
    assert report.counts == {"history_queries": 10}
    assert [(each.record, each.reason, each.is_landed) for each in report.refusals] == [
        ("line 8", "unknown_database", True)
    ]
    assert not land(home, read_query_log(home, LOG, "log", PAST)).is_new
    with pytest.raises(GlueError, match="history 'log' has been imported already"):
        land(home, read(home, {"sql": SQL, "db_id": "clinic"}))


def test_a_log_of_a_benchmark_makes_nothing_else_of_it_new(home: Home) -> None:
    tasks = read_bird_history(home, "tasks", TASKS, PAST)
    import_ids = landed_benchmark(home, PAST).import_ids
    land(home, tasks)
    land(home, read_query_log(home, LOG, "log", PAST))
    land(home, read_reviews(home, REVIEWS, PAST))
    assert landed_benchmark(home, PAST).import_ids == import_ids
    assert not land(home, read_bird_history(home, "tasks", TASKS, PAST)).is_new


def test_every_field_lands(home: Home) -> None:
    (row,) = read(
        home,
        {
            "id": 7,
            "sql": SQL,
            "db_id": "clinic",
            "question": "One?",
            "dialect": "PostgreSQL",
            "executed_at": "2026-03-01T10:00:00+02:00",
            "outcome": "succeeded",
            "error": None,
            "n_rows": 1,
        },
    ).rows["history_queries"]
    assert row == {
        "history": "log",
        "benchmark": PAST,
        "history_query_id": "7",
        "query_position": 0,
        "db_id": "clinic",
        "sql": SQL,
        "dialect": "postgres",
        "question": "One?",
        "executed_at": datetime(2026, 3, 1, 8, tzinfo=UTC),
        "outcome": "succeeded",
        "error": None,
        "n_result_rows": 1,
    }


@pytest.mark.parametrize(
    ("field", "column", "value", "names"),
    [
        ("sql", "sql", SQL, FIELDS["sql"]),
        ("db_id", "db_id", "clinic", FIELDS["db_id"]),
        ("id", "history_query_id", "x", FIELDS["id"]),
        ("executed_at", "executed_at", "2026-03-01T10:00:00Z", FIELDS["executed_at"]),
        ("outcome", "outcome", "failed", FIELDS["outcome"]),
        ("error", "error", "no", FIELDS["error"]),
        ("n_rows", "n_result_rows", "3", FIELDS["n_rows"]),
    ],
)
def test_near_names_are_read_whatever_their_case(
    home: Home, field: str, column: str, value: str, names: tuple[str, ...]
) -> None:
    plain = {"sql": SQL, "db_id": "clinic", "id": "x", field: value}
    expected = read(home, plain).rows["history_queries"][0][column]
    assert expected is not None
    for name in names:
        record = {known: kept for known, kept in plain.items() if known != field}
        batch = read(home, {**record, name.replace("_", " ").title(): value})
        assert batch.rows["history_queries"][0][column] == expected, name


def test_a_csv_is_read_with_its_separator(home: Home) -> None:
    text = 'query_id;database;schema;query_text\n1;wh;clinic;"SELECT a;\nb"\n2;library;public;SELECT 2\n\n'
    rows = read_csv(home, text).rows["history_queries"]
    assert [(row["history_query_id"], row["db_id"], row["sql"]) for row in rows] == [
        ("1", "clinic", "SELECT a;\nb"),
        ("2", "library", "SELECT 2"),
    ]
    batch = read_csv(home, "sql,db_id\nSELECT 1, 2,clinic\nSELECT 3,clinic\n")
    assert refused(batch) == [("row 1", None, "stray_cells", False)]
    assert [row["history_query_id"] for row in batch.rows["history_queries"]] == ["1"]


def test_no_row_is_swallowed_by_a_quote_that_is_never_closed(home: Home) -> None:
    with pytest.raises(GlueError, match="row 2: a quote that is opened there is never closed"):
        read_csv(home, 'sql,db_id\nSELECT 1,clinic\n"SELECT 2,clinic\nSELECT 3,clinic\n')
    with pytest.raises(GlueError, match="the header: a quote that is opened there"):
        read_csv(home, '"sql,db_id\nSELECT 1,clinic\n')
    assert len(read_csv(home, 'sql,db_id\nSELECT "a" FROM b,clinic\n').rows["history_queries"]) == 1


def test_of_columns_of_one_name_the_first_that_is_filled_in_counts(home: Home) -> None:
    rows = read_csv(home, f"sql,SQL,db_id,Db Id\n{SQL},SELECT 2,,clinic\n").rows["history_queries"]
    assert [(row["sql"], row["db_id"]) for row in rows] == [(SQL, "clinic")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-01 08:00:00", datetime(2026, 3, 1, 8, tzinfo=UTC)),
        ("2026-03-01 08:00:00 UTC", datetime(2026, 3, 1, 8, tzinfo=UTC)),
        (1772352000, datetime(2026, 3, 1, 8, tzinfo=UTC)),
        ("1772352000000", datetime(2026, 3, 1, 8, tzinfo=UTC)),
        (1772352000000000, datetime(2026, 3, 1, 8, tzinfo=UTC)),
        (1772352000000000000, datetime(2026, 3, 1, 8, tzinfo=UTC)),
        ("20260301", datetime(2026, 3, 1, tzinfo=UTC)),
        (20260301080000, datetime(2026, 3, 1, 8, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_the_usual_ways(home: Home, value: Any, expected: datetime) -> None:
    batch = read(home, {"sql": SQL, "db_id": "clinic", "timestamp": value})
    assert batch.rows["history_queries"][0]["executed_at"] == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"status": "SUCCESS"}, "succeeded"),
        ({"status": "FINISHED"}, "succeeded"),
        ({"state": "DONE"}, "succeeded"),
        ({"status": True}, "succeeded"),
        ({"status": "FAIL"}, "failed"),
        ({"status": "Canceled"}, "failed"),
        ({"status": "timed out"}, "failed"),
        ({"error_message": "no such table"}, "failed"),
        ({"status": "SUCCESS", "error_message": ""}, "succeeded"),
        ({"error": False}, None),
        ({}, None),
    ],
)
def test_outcomes_are_read_in_the_words_of_the_usual_systems(
    home: Home, record: dict[str, Any], expected: str | None
) -> None:
    batch = read(home, {"sql": SQL, "db_id": "clinic", **record})
    assert batch.rows["history_queries"][0]["outcome"] == expected
    assert batch.refusals == []


def test_what_is_wrong_is_named_by_record_and_field(home: Home) -> None:
    good = {"sql": SQL, "db_id": "clinic"}
    batch = read(
        home,
        {**good, "id": 1},
        "{",
        "[1]",
        {**good, "id": 1},
        {**good, "id": [1]},
        {**good, "id": 5, "sql": 5},
        {"sql": SQL, "id": 6},
        {**good, "id": 7, "db_id": "clinics"},
        {**good, "id": 8, "executed_at": "yesterday", "status": "fine", "n_rows": -1, "dialect": "sqlit"},
        good,
    )
    assert refused(batch) == [
        ("line 2", None, "not_json", False),
        ("line 3", None, "not_an_object", False),
        ("line 4", "id", "duplicate", False),
        ("line 5", "id", "malformed", False),
        ("line 6", "sql", "not_text", False),
        ("line 7", "db_id", "missing", False),
        ("line 8", "db_id", "unknown_database", True),
        ("line 9", "outcome", "unreadable", True),
        ("line 9", "dialect", "unreadable", True),
        ("line 9", "executed_at", "unreadable", True),
        ("line 9", "n_rows", "unreadable", True),
    ]
    rows = batch.rows["history_queries"]
    assert [row["history_query_id"] for row in rows] == ["1", "7", "8", "line 10"]
    assert (rows[2]["executed_at"], rows[2]["outcome"], rows[2]["n_result_rows"]) == (None, None, None)
    assert rows[2]["dialect"] == "sqlite"


def test_a_record_that_is_left_out_is_told_once(home: Home) -> None:
    good = {"sql": SQL, "db_id": "clinic", "id": 1}
    batch = read(home, good, {**good, "db_id": "clinics"}, {"sql": SQL, "id": [1]})
    assert refused(batch) == [("line 2", "id", "duplicate", False), ("line 3", "id", "malformed", False)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7),
        ("7", 7),
        (7.0, 7),
        ("7.0", 7),
        ("007", 7),
        (7.5, None),
        ("7.5", None),
        ("1e3", None),
        (2**63, None),
    ],
)
def test_no_number_of_rows_is_rounded(home: Home, value: Any, expected: int | None) -> None:
    batch = read(home, {"sql": SQL, "db_id": "clinic", "n_rows": value})
    assert batch.rows["history_queries"][0]["n_result_rows"] == expected
    assert [each.field for each in batch.refusals] == ([] if expected is not None else ["n_rows"])


def test_a_database_may_be_given_for_all(home: Home) -> None:
    batch = read(home, {"sql": SQL}, {"sql": SQL, "db_id": "LIBRARY"}, db_id="clinic")
    assert [row["db_id"] for row in batch.rows["history_queries"]] == ["clinic", "library"]
    with pytest.raises(GlueError, match="has no database 'clinics'"):
        read(home, {"sql": SQL}, db_id="clinics")


def test_numbers_and_times_beyond_what_can_be_held_are_refused(home: Home) -> None:
    good = {"sql": SQL, "db_id": "clinic"}
    batch = read(home, f'{{"id": {"1" * 5000}}}', {**good, "executed_at": "0001-01-01T00:00:00+05:00"})
    assert refused(batch) == [
        ("line 1", None, "not_json", False),
        ("line 2", "executed_at", "unreadable", True),
    ]
    with pytest.raises(GlueError, match="cannot be read: Exceeds the limit"):
        read(home, f'[{{"id": {"1" * 5000}}}]')


def test_databases_whose_names_differ_in_case_alone_are_told_apart(home: Home) -> None:
    landed = landed_benchmark(home, PAST)
    upper = replace(landed.questions[0], db_id="CLINIC")
    reader = _Reader(home, replace(landed, questions=[*landed.questions, upper]), LOG, "log", None)
    assert [reader._known(name) for name in ("clinic", "CLINIC", "Clinic")] == ["clinic", "CLINIC", "clinic"]


def test_a_log_is_no_benchmark_and_needs_sql(home: Home) -> None:
    with pytest.raises(GlueError, match="is a benchmark's name"):
        read_query_log(home, LOG, PAST, PAST)
    land(home, read_query_log(home, LOG, "log", PAST))
    with pytest.raises(GlueError, match="'log' is the name of a query log"):
        land(home, read_bird_history(home, "log", TASKS, PAST))
    with pytest.raises(GlueError, match="has no column 'sql'"):
        read(home, {"text": SQL})
    with pytest.raises(GlueError, match=r"no record of .* can land; line 1, db_id: db_id is null"):
        read(home, {"sql": SQL})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n"sql": "SELECT 1"}', "; line 1: column 2: .*"),
        ("sql,db_id\n", ""),
        ("", ""),
        ("[3]", "; entry 1: a number: 3"),
    ],
)
def test_a_file_without_a_record_is_not_said_to_lack_a_column(home: Home, text: str, told: str) -> None:
    with pytest.raises(GlueError, match=rf"log\.csv holds no record{told}$") as raised:
        read_csv(home, text)
    assert "a JSON list of objects" in (raised.value.hint or "")
