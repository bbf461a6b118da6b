"""Prediction files of every kind: what is found out, what is paired, what is named, and what stops."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glue.errors import GlueError
from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.common import ImportBatch, drop_repeated_rows, land
from glue.importers.landed import LandedBenchmark, LandedQuestion, landed_benchmark
from glue.importers.prediction_files import FileOptions
from glue.importers.predictions import PredictionOptions, read_predictions
from glue.importers.spider import read_spider

Read = Callable[..., ImportBatch]


def benchmark_of(ids: list[str], db_ids: list[str], positions: list[int] | None = None) -> LandedBenchmark:
    """A benchmark whose question x is 'What is x?' with the gold 'SELECT x'."""
    places = positions or list(range(len(ids)))
    questions = [
        LandedQuestion(
            question_id, position, db_id, f"What is {question_id}?", "sqlite", (f"SELECT {question_id}",)
        )
        for question_id, db_id, position in zip(ids, db_ids, places, strict=True)
    ]
    return LandedBenchmark("small", questions, ["import"])


DEV = benchmark_of(["0", "1", "2"], ["a", "b", "a"])  # ids are the positions, as in BIRD's dev
MINI = benchmark_of(["2", "0", "7"], ["a", "b", "a"])  # ids are not the positions, as in mini-dev


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Writes a prediction file and reads it; keyword arguments are options."""

    def reader(
        content: Any, benchmark: LandedBenchmark = DEV, name: str = "file.json", **options: Any
    ) -> ImportBatch:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        of_file = {key: options.pop(key) for key in list(options) if key in FileOptions.__dataclass_fields__}
        batch = read_predictions(
            path, benchmark, "s", PredictionOptions(file=FileOptions(**of_file), **options)
        )
        drop_repeated_rows(batch)
        return batch

    return reader


def answers(batch: ImportBatch) -> dict[str, str | None]:
    """Each question's SQL, or in angle brackets why there is none."""
    rows = batch.rows["predictions"]
    return {row["question_id"]: row.get("predicted_sql") or f"<{row['issue']}>" for row in rows}


def reasons(batch: ImportBatch) -> Counter[tuple[str, bool]]:
    return Counter((refusal.reason, refusal.is_landed) for refusal in batch.refusals)


def bird(sql: str, db_id: str) -> str:
    return f"{sql}\t----- bird -----\t{db_id}"


ALL = {"0": "SELECT 10", "1": "SELECT 11", "2": "SELECT 12"}


# --- Formats ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "bird.json",
            {"0": bird("SELECT 10", "a"), "2": bird("SELECT 12", "a"), "1": bird("SELECT 11", "b")},
        ),
        ("dictionary.json", {"2": "SELECT 12", "1": "SELECT 11", "0": "SELECT 10"}),
        ("keyed.json", {"2": {"pred": "SELECT 12"}, "1": {"pred": "SELECT 11"}, "0": {"pred": "SELECT 10"}}),
        ("list.json", ["SELECT 10", "SELECT 11", "SELECT 12"]),
        ("records.json", [{"question_id": i, "predicted_sql": f"SELECT 1{i}"} for i in (2, 0, 1)]),
        (
            "nested.json",
            {"summary": {"n": 3}, "results": [{"id": str(i), "sql": f"SELECT 1{i}"} for i in (2, 0, 1)]},
        ),
        ("ordered.json", [{"sql": "SELECT 10"}, {"sql": "SELECT 11"}, {"sql": "SELECT 12"}]),
        ("lines.jsonl", "".join(f'{{"qid": {i}, "output": "SELECT 1{i}"}}\n' for i in (2, 0, 1))),
        ("table.csv", "Question ID,Predicted SQL\n2,SELECT 12\n0,SELECT 10\n1,SELECT 11\n"),
        ("table.tsv", "id\tsql\n2\tSELECT 12\n0\tSELECT 10\n1\tSELECT 11\n"),
        ("semicolon.csv", "id;sql\r\n2;SELECT 12\r\n0;SELECT 10\r\n1;SELECT 11\r\n"),
        ("nameless.txt", "id,sql\n2,SELECT 12\n0,SELECT 10\n1,SELECT 11\n"),
        ("lines.txt", "SELECT 10\nSELECT 11\nSELECT 12"),
        ("windows.sql", "SELECT 10\r\nSELECT 11\r\nSELECT 12\r\n"),
        ("bom.txt", b"\xef\xbb\xbfSELECT 10\nSELECT 11\nSELECT 12\n"),
        ("id_lines.txt", "2\tSELECT 12\n0\tSELECT 10\n1\tSELECT 11\n"),
        ("gold_like.sql", "SELECT 10\ta\nSELECT 11\tb\nSELECT 12\ta\n"),
        ("trailing.txt", "SELECT 10\nSELECT 11\nSELECT 12\n\n\n"),
    ],
)
def test_every_format_is_found_out_and_paired(read: Read, name: str, content: Any) -> None:
    batch = read(content, name=name)
    assert answers(batch) == ALL
    assert batch.refusals == []
    assert batch.notes[0].startswith("format: ")
    assert batch.notes[-1].startswith("paired by ") and "3 of 3" in batch.notes[-1]
    assert {row["dialect"] for row in batch.rows["predictions"]} == {"sqlite"}


def test_what_was_chosen_is_said(read: Read) -> None:
    rows = [
        {"task_idx": i, "db": DEV.questions[i].db_id, "pred_sql": f"SELECT 1{i}", "sql": f"SELECT {i}"}
        for i in range(3)
    ]
    batch = read({"meta": 1, "runs": rows})
    assert batch.notes == [
        "format: a list of objects; fields: SQL 'pred_sql', id 'task_idx', database 'db', gold 'sql'",
        "entries: the list under key 'runs'",
        "paired by id (field 'task_idx'): 3 of 3 entries",
    ]


def test_every_choice_can_be_overridden(read: Read) -> None:
    content = {"x": [{"a": 1}], "y": {"z": [{"n": 1, "out": {"text": "SELECT 5"}, "sql": "SELECT 6"}]}}
    batch = read(
        content, records="y.z", id_field="n", sql_field="out.text", is_partial=True, ignore_gold=True
    )
    assert answers(batch) == {"1": "SELECT 5"}


@pytest.mark.parametrize(
    ("content", "options", "message", "hint"),
    [
        ([{"id": 1, "text": "SELECT 1"}], {}, "none of the fields", "--sql-field"),
        ([{"id": 1, "sqll": "SELECT 1"}], {"sql_field": "sql"}, "no entry of .* has a field 'sql'", "'sqll'"),
        ({"a": [{"sql": ""}], "b": [{"sql": ""}]}, {}, "several lists", "--records"),
        ({"a": [{"sql": ""}]}, {"records": "aa"}, "no key 'aa'", "'a'"),
        ({"0": "SELECT 1"}, {"format": "brid"}, "unknown format", "'bird'"),
        ({"0": "SELECT 1"}, {"pair": "place"}, "'place' is unknown", "position"),
        ([], {}, "an empty list", "predictions"),
        ("", {}, "is empty", "predictions"),
        ('{"0": "SELECT 1",', {}, "line 1, column 18", "cut off"),
        (b'{"0": "\xff"}', {}, "line 1: byte 0xff is not UTF-8", "UTF-8"),
        ({"0": "SELECT 1"}, {"gold_edition": "x"}, "--gold-edition", "--gold-field"),
        ({"0": "SELECT 1"}, {"dialect": "postgress"}, "unknown SQL dialect", "postgres"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_stops_with_a_hint(
    read: Read, content: Any, options: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(GlueError, match=message) as error:
        read(content, **options)
    assert hint in (error.value.hint or "")


# --- Entries ------------------------------------------------------------------------------------------------


def test_what_is_no_text_is_named_and_never_shifted(read: Read) -> None:
    batch = read({"0": 0, "1": None, "2": ["SELECT 1"]})
    assert answers(batch) == {"0": "<not_text>", "1": "<null>", "2": "<not_text>"}
    assert [row["raw_text"] for row in batch.rows["predictions"]] == ["0", "null", '["SELECT 1"]']
    assert reasons(batch) == {("not_text", True): 2, ("null", True): 1}
    assert [(refusal.record, refusal.question_id) for refusal in batch.refusals] == [
        ('key "0"', "0"), ('key "1"', "1"), ('key "2"', "2"),
    ]  # fmt: skip


def test_records_with_a_missing_field_or_empty_text(read: Read) -> None:
    content = [{"id": 0, "sql": "  "}, {"id": 1}, {"id": 2, "sql": "I do not know the answer to that."}]
    assert answers(read(content)) == {"0": "<empty>", "1": "<no_field>", "2": "<no_sql>"}


def test_half_a_surrogate_pair_is_no_text(read: Read) -> None:
    batch = read(b'{"0": "SELECT \\ud800", "1": "SELECT 11", "2": "SELECT 12"}')
    assert answers(batch)["0"] == "<not_text>"
    assert batch.rows["predictions"][0]["raw_text"] == "SELECT \\ud800"


def test_sql_is_extracted_and_the_cut_is_kept(read: Read) -> None:
    batch = read({"0": "Sure:\n```sql\nSELECT 10\n```", "1": bird("SELECT 11", "b"), "2": "SELECT 12"})
    assert answers(batch) == ALL
    first, second, third = batch.rows["predictions"]
    assert (first["extraction"], first["cut_away"]) == (["fence"], "Sure:\n```sql\n…\n```")
    assert first["raw_text"] == "Sure:\n```sql\nSELECT 10\n```"
    assert second["extraction"] == ["bird_suffix"]
    assert (third["extraction"], third["cut_away"], third["raw_text"]) == ([], None, "SELECT 12")


def test_lines_keep_what_was_cut_off_them(read: Read) -> None:
    row = read("SELECT 10\ta\nSELECT 11\tb\nSELECT 12\ta\n", name="x.sql").rows["predictions"][0]
    assert (row["raw_text"], row["predicted_sql"], row["extraction"]) == (
        "SELECT 10\ta", "SELECT 10", ["database_suffix"],
    )  # fmt: skip


def test_a_lost_separator_is_unsplittable_not_guessed(read: Read) -> None:
    batch = read({"0": bird("SELECT 10", "a"), "1": "SELECT 11", "2": bird("SELECT 12", "a")})
    assert answers(batch) == {"0": "SELECT 10", "1": "<unsplittable>", "2": "SELECT 12"}
    assert reasons(batch) == {("unsplittable", True): 1}
    assert answers(read({"0": "SELECT 1"}, format="bird", is_partial=True)) == {"0": "<unsplittable>"}


def test_lost_separators_in_lines(read: Read) -> None:
    batch = read("SELECT 10\ta\nSELECT 11\nSELECT 12\ta\n", name="x.sql")
    assert answers(batch) == {"0": "SELECT 10", "1": "<unsplittable>", "2": "SELECT 12"}
    batch = read("0\tSELECT 10\nSELECT 11\n2\tSELECT 12\n", name="x.txt")
    assert answers(batch) == {"0": "SELECT 10", "1": "<missing>", "2": "SELECT 12"}
    assert reasons(batch) == {("unsplittable", False): 1, ("missing", True): 1}


def test_missing_extra_and_repeated_entries_are_named(read: Read) -> None:
    content = [
        {"id": 0, "sql": "SELECT 10"},
        {"id": 9, "sql": "SELECT 9"},
        {"id": 0, "sql": "SELECT 99"},
        {"sql": "SELECT 8"},
    ]
    batch = read(content)
    assert answers(batch) == {"0": "SELECT 10", "1": "<missing>", "2": "<missing>"}
    found = Counter((refusal.reason, refusal.is_landed, refusal.record) for refusal in batch.refusals)
    assert found == {
        ("extra", False, "entry 2"): 1,
        ("duplicate", False, "entry 3"): 1,
        ("missing", False, "entry 4"): 1,
        ("missing", True, "file"): 2,
    }


def test_a_partial_file_leaves_the_other_questions_out(read: Read) -> None:
    batch = read({"1": "SELECT 11"}, is_partial=True)
    assert answers(batch) == {"1": "SELECT 11"}
    assert (batch.is_partial, batch.refusals) == (True, [])


def test_a_repeated_key_is_named(read: Read) -> None:
    batch = read('{"0": "SELECT 1", "0": "SELECT 10", "1": "SELECT 11", "2": "SELECT 12"}')
    assert answers(batch) == ALL
    assert reasons(batch) == {("duplicate", True): 1}


def test_samples_are_kept_apart(read: Read) -> None:
    content = [{"id": i, "sql": f"SELECT {n}", "n": n} for i in range(3) for n in (1, 2)]
    batch = read(content, sample_field="n")
    assert len(batch.rows["predictions"]) == 6
    assert {(row["sample"], row["predicted_sql"]) for row in batch.rows["predictions"]} == {
        (1, "SELECT 1"), (2, "SELECT 2"),
    }  # fmt: skip


# --- Pairing ------------------------------------------------------------------------------------------------


def test_keys_in_text_order_pair_by_number(read: Read) -> None:
    benchmark = benchmark_of([str(i) for i in range(12)], ["a"] * 12)
    content = {key: f"SELECT {key}" for key in sorted(map(str, range(12)))}
    assert answers(read(content, benchmark)) == {str(i): f"SELECT {i}" for i in range(12)}


def test_birds_keys_are_ids_in_dev_and_positions_in_mini_dev(read: Read) -> None:
    by_position = {"0": bird("SELECT 10", "a"), "1": bird("SELECT 11", "b"), "2": bird("SELECT 12", "a")}
    batch = read(by_position, MINI)
    assert answers(batch) == {"2": "SELECT 10", "0": "SELECT 11", "7": "SELECT 12"}
    assert batch.notes[-1] == "paired by position: 3 of 3 entries"
    by_id = {"0": bird("SELECT 11", "b"), "2": bird("SELECT 10", "a"), "7": bird("SELECT 12", "a")}
    batch = read(by_id, MINI)
    assert answers(batch) == {"2": "SELECT 10", "0": "SELECT 11", "7": "SELECT 12"}
    assert batch.notes[-1].startswith("paired by id")


def test_without_databases_the_complete_pairing_wins(read: Read) -> None:
    batch = read({"0": "SELECT 10", "1": "SELECT 11", "2": "SELECT 12"}, MINI)
    assert answers(batch) == {"2": "SELECT 10", "0": "SELECT 11", "7": "SELECT 12"}


def test_keys_that_fit_both_ways_stop(read: Read) -> None:
    shuffled = benchmark_of(["2", "0", "1"], ["a", "a", "a"])
    content = {"0": "SELECT 10", "1": "SELECT 11", "2": "SELECT 12"}
    with pytest.raises(GlueError, match="fit both as ids and as positions") as error:
        read(content, shuffled)
    assert "--pair" in (error.value.hint or "")
    assert answers(read(content, shuffled, pair="id"))["2"] == "SELECT 12"
    assert answers(read(content, shuffled, pair="position"))["2"] == "SELECT 10"


def test_keys_that_fit_neither_way_stop_with_three_of_them(read: Read) -> None:
    content = {str(i): bird(f"SELECT {i}", "other") for i in range(3)}
    with pytest.raises(GlueError, match="3 of 3 entries have another database") as error:
        read(content)
    assert error.value.message.count("the file has 'other'") == 3
    with pytest.raises(GlueError, match="not one entry is of a question"):
        read({"x": "SELECT 1"})


def test_one_entry_of_another_database_stops(read: Read) -> None:
    content = {"0": bird("SELECT 10", "a"), "1": bird("SELECT 11", "a"), "2": bird("SELECT 12", "a")}
    with pytest.raises(GlueError, match="1 of 3 entries have another database") as error:
        read(content)
    assert "key \"1\": the file has 'a', question 1 of the benchmark 'b'" in error.value.message


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("SELECT 10\nSELECT 11\n", "x.txt", "expected 3 entries, .* found 2 entries"),
        ("SELECT 10\n\nSELECT 11\nSELECT 12\n", "x.txt", r"found 4 entries \(1 of them blank: line 2\)"),
        (["SELECT 10"], "x.json", "found 1 entries"),
        ([{"sql": "SELECT 1"}] * 5, "x.json", "found 5 entries"),
    ],
)
def test_another_number_of_entries_in_order_stops(read: Read, content: Any, name: str, message: str) -> None:
    with pytest.raises(GlueError, match=message):
        read(content, name=name)


def test_a_blank_line_is_an_empty_prediction(read: Read) -> None:
    assert answers(read("SELECT 10\n\nSELECT 12\n", name="x.txt")) == {**ALL, "1": "<empty>"}
    assert answers(read("SELECT 10\nSELECT 11\n\n", name="x.txt")) == {**ALL, "2": "<empty>"}


def test_a_line_that_is_not_utf8_is_named(read: Read) -> None:
    batch = read(b"SELECT 10\nSELECT '\xe9'\nSELECT 12\n", name="x.txt")
    assert answers(batch) == {**ALL, "1": "<not_utf8>"}
    assert batch.rows["predictions"][1]["raw_text"] == "SELECT '\\xe9'"


def test_a_gap_in_the_benchmarks_positions_shifts_nothing(read: Read) -> None:
    gap = benchmark_of(["0", "1", "3"], ["a", "b", "a"], positions=[0, 1, 3])  # the third entry was refused
    batch = read(["SELECT 10", "SELECT 11", "SELECT 0", "SELECT 13"], gap)
    assert answers(batch) == {"0": "SELECT 10", "1": "SELECT 11", "3": "SELECT 13"}
    assert [(refusal.record, refusal.reason) for refusal in batch.refusals] == [("entry 3", "extra")]


def test_questions_pair_by_their_text(read: Read) -> None:
    content = [{"question": f" What  is\n{i}? ", "sql": f"SELECT 1{i}"} for i in (2, 0, 1)]
    batch = read(content)
    assert answers(batch) == ALL
    assert batch.notes[-1].startswith("paired by the question's text")
    fewer = read(content[:2], is_partial=True)
    assert answers(fewer) == {"0": "SELECT 10", "2": "SELECT 12"}


def test_a_text_that_fits_several_questions_is_refused(read: Read) -> None:
    twice = [LandedQuestion(str(i), i, "a", "Same?", None) for i in range(2)]
    benchmark = LandedBenchmark("twice", [*twice, LandedQuestion("2", 2, "a", "Other?", None)], [])
    content = [{"question": "Other?", "sql": "SELECT 12"}, {"question": "Same?", "sql": "SELECT 1"}]
    batch = read(content, benchmark, pair="question")
    assert answers(batch) == {"0": "<missing>", "1": "<missing>", "2": "SELECT 12"}
    assert ("ambiguous_question", False) in reasons(batch)


# --- Agreement ----------------------------------------------------------------------------------------------


def with_golds(golds: list[str], questions: list[str] | None = None) -> list[dict[str, Any]]:
    texts = questions or [f"What is {i}?" for i in range(3)]
    return [
        {"id": i, "question": texts[i], "predicted_sql": f"SELECT 1{i}", "gold_sql": gold}
        for i, gold in enumerate(golds)
    ]


def test_golds_that_agree_but_for_white_space_pass(read: Read) -> None:
    batch = read(with_golds([" SELECT  0 ;", "SELECT\n1", "SELECT 2"]))
    assert answers(batch) == ALL
    assert {row["gold_edition"] for row in batch.rows["predictions"]} == {"benchmark"}
    assert "golds" not in batch.rows


def test_another_gold_stops_and_says_what_to_do(read: Read) -> None:
    with pytest.raises(GlueError, match="1 of 3 entries have another gold") as error:
        read(with_golds(["SELECT 0", "SELECT 99", "SELECT 2"]))
    assert "'SELECT 99', question 1 of the benchmark 'SELECT 1'" in error.value.message
    assert "--gold-field gold_sql" in (error.value.hint or "")
    assert "--ignore-gold" in (error.value.hint or "")


def test_an_ignored_gold_is_a_remark(read: Read) -> None:
    batch = read(with_golds(["SELECT 0", "SELECT 99", "SELECT 2"]), ignore_gold=True)
    assert answers(batch) == ALL
    assert reasons(batch) == {("gold_differs", True): 1}


def test_the_files_golds_become_an_edition(read: Read) -> None:
    batch = read(with_golds(["SELECT 0", "SELECT 99", ""]), gold_field="gold_sql", gold_edition="theirs")
    assert [(row["question_id"], row["gold_edition"], row["gold_sql"]) for row in batch.rows["golds"]] == [
        ("0", "theirs", "SELECT 0"),
        ("1", "theirs", "SELECT 99"),
    ]
    assert {row["gold_edition"] for row in batch.rows["predictions"]} == {"theirs"}
    assert reasons(batch) == {("no_gold", True): 1}
    unnamed = read(with_golds(["SELECT 0", "SELECT 1", "SELECT 2"]), gold_field="gold_sql")
    assert {row["gold_edition"] for row in unnamed.rows["golds"]} == {"s"}


def test_another_question_stops_and_can_be_ignored(read: Read) -> None:
    content = with_golds(["SELECT 0", "SELECT 99", "SELECT 2"], ["What is 0?", "What was 1?", "What is 2?"])
    with pytest.raises(GlueError) as error:
        read(content)
    assert "1 of 3 entries have another question" in error.value.message
    assert "1 of 3 entries have another gold" in error.value.message  # both at once, not one after the other
    batch = read(content, ignore_question=True, ignore_gold=True)
    assert reasons(batch) == {("question_differs", True): 1, ("gold_differs", True): 1}


def test_the_dialect_can_be_named(read: Read) -> None:
    assert {row["dialect"] for row in read(ALL, dialect="postgresql").rows["predictions"]} == {"postgres"}


# --- Published files ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def benchmarks(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, LandedBenchmark]:
    """BIRD dev, mini-dev and Spider dev, as they have landed."""
    home = Home(tmp_path_factory.mktemp("landed"))
    mini = shared_data / "bird" / "mini_dev"
    batches = [
        read_bird("bird_dev", shared_data / "bird" / "meta" / "dev.json"),
        read_bird("mini_sqlite", mini / "mini_dev_sqlite.json"),
        read_bird("mini_postgres", mini / "mini_dev_postgresql.json", dialect="postgres"),
        read_spider("spider_dev", shared_data / "spider" / "meta" / "dev.json"),
    ]
    for batch in batches:
        land(home, batch)
    return {batch.benchmark: landed_benchmark(home, batch.benchmark) for batch in batches}


def published(path: Path, benchmark: LandedBenchmark, **options: Any) -> ImportBatch:
    of_file = {"gold_field": options.pop("gold_field", None)}
    return read_predictions(
        path, benchmark, path.stem, PredictionOptions(file=FileOptions(**of_file), **options)
    )


def test_the_authors_own_bird_files(shared_data: Path, benchmarks: dict[str, LandedBenchmark]) -> None:
    paths = sorted((shared_data / "bird" / "predictions" / "original_repos").iterdir())
    assert len(paths) == 12
    for path in paths:
        batch = published(path, benchmarks["bird_dev"])
        assert len(batch.rows["predictions"]) == 1534, path.name
        assert batch.refusals == [], path.name


def test_sqlexams_dev_files_carry_another_edition(
    shared_data: Path, benchmarks: dict[str, LandedBenchmark]
) -> None:
    folder = shared_data / "bird" / "predictions" / "sqlexam_dev"
    with pytest.raises(GlueError) as error:
        published(folder / "alpha-result.json", benchmarks["bird_dev"])
    assert "3 of 1534 entries have another question" in error.value.message
    assert "41 of 1534 entries have another gold" in error.value.message
    counts = {}
    for path in sorted(folder.iterdir()):
        batch = published(path, benchmarks["bird_dev"], gold_field="gold_sql", ignore_question=True)
        assert len(batch.rows["predictions"]) == len(batch.rows["golds"]) == 1534
        counts[path.name.removesuffix("-result.json")] = reasons(batch)
    assert all(counted[("question_differs", True)] == 3 for counted in counts.values())
    assert counts["chatgpt+cot"][("not_text", True)] == 14
    assert counts["resd-3B"][("no_sql", True)] == 146  # "sql placeholder"
    assert sum(len(counted) == 1 for counted in counts.values()) == len(counts) - 2


def test_sqlexams_labelled_files_are_partial(
    shared_data: Path, benchmarks: dict[str, LandedBenchmark]
) -> None:
    n_predictions = 0
    for path in sorted((shared_data / "bird" / "predictions" / "sqlexam_minidev_ex").iterdir()):
        batch = published(
            path, benchmarks["bird_dev"], gold_field="gold_sql", ignore_question=True, is_partial=True
        )
        assert not any(not refusal.is_landed for refusal in batch.refusals), path.name
        n_predictions += len(batch.rows["predictions"])
    assert n_predictions == 6438


def test_bird_climbs_nested_runs(shared_data: Path, benchmarks: dict[str, LandedBenchmark]) -> None:
    for path in sorted((shared_data / "bird" / "predictions" / "bird_climb").iterdir()):
        is_sample = path.name.startswith("test_10")
        batch = published(path, benchmarks["bird_dev"], is_partial=is_sample)
        assert len(batch.rows["predictions"]) == (10 if is_sample else 1534)
        assert batch.refusals == []


def test_mini_devs_files_pair_by_position(shared_data: Path, benchmarks: dict[str, LandedBenchmark]) -> None:
    folder = shared_data / "bird" / "predictions" / "mini_dev_official"
    with pytest.raises(GlueError, match="expected 500 entries"):
        published(folder / "SQLite_example_result.txt", benchmarks["mini_sqlite"])
    n_files = n_fences = 0
    for path in sorted(folder.glob("*.json")):
        is_postgres = "postgres" in path.name
        batch = published(path, benchmarks["mini_postgres" if is_postgres else "mini_sqlite"])
        assert batch.notes[-1].startswith("paired by position")
        # The Postgres file asks two questions twice: their second answers have no question of their own.
        assert len(batch.rows["predictions"]) == (498 if is_postgres else 500)
        assert sum(refusal.reason == "extra" for refusal in batch.refusals) == (2 if is_postgres else 0)
        n_fences += sum("fence" in (row.get("extraction") or []) for row in batch.rows["predictions"])
        n_files += 1
    assert (n_files, n_fences) == (31, 138)


def test_uiucs_samples_of_a_hundred(shared_data: Path, benchmarks: dict[str, LandedBenchmark]) -> None:
    paths = sorted((shared_data / "bird" / "predictions" / "uiuc_100_original_vs_corrected").iterdir())
    assert len(paths) == 30
    for path in paths:
        batch = published(path, benchmarks["bird_dev"], is_partial=True)
        assert len(batch.rows["predictions"]) == 100, path.name
        assert {refusal.reason for refusal in batch.refusals} <= {"no_sql"}, path.name


def test_spiders_files(shared_data: Path, benchmarks: dict[str, LandedBenchmark]) -> None:
    paths = sorted((shared_data / "spider" / "predictions").iterdir())
    assert len(paths) == 13
    for path in paths:
        batch = published(path, benchmarks["spider_dev"])
        assert len(batch.rows["predictions"]) == 1034, path.name
        assert batch.refusals == [], path.name


def test_a_file_of_another_benchmark_stops(shared_data: Path, benchmarks: dict[str, LandedBenchmark]) -> None:
    folder = shared_data / "bird" / "predictions"
    with pytest.raises(GlueError, match="another database"):
        published(folder / "original_repos" / "ta-sql_predict_dev.json", benchmarks["spider_dev"])
    with pytest.raises(GlueError, match="expected 1534 entries"):
        published(shared_data / "spider" / "predictions" / "c3sql_predicted.txt", benchmarks["bird_dev"])


def test_a_namespace_is_an_option_of_the_import(read: Read) -> None:
    """Without one the import is the same as it was before there were namespaces."""
    plain, prefixed = read(["SELECT 0"] * 3), read(["SELECT 0"] * 3, namespace="prefixed")
    assert "namespace" not in plain.options
    assert prefixed.options["namespace"] == "prefixed"
    with pytest.raises(GlueError) as caught:
        read(["SELECT 0"] * 3, namespace="suffixed")
    assert "'suffixed'" in caught.value.message
    assert caught.value.hint == "choose one of prefixed, bare"
