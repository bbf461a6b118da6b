"""M-Schema: every part of the format, lines that break it, and all 80 published files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from glue.errors import GlueError
from glue.importers.mschema import parse_mschema, read_mschema, split_examples

SCHEMA = """【DB_ID】 shop
【Schema】
# Table: Air Carriers, those that fly
[
(Code:INTEGER, Primary Key, Examples: [19031, 19032]),
(Description (full):TEXT, Comment: with a colon, Examples: [Mackey: Inc., a, b]),
(price:NUMERIC(10, 2)),
(T/OL[NI 1]:TEXT, the name, Primary Key, Examples: [['a', 'b'], [c]]),
(note:TEXT, Examples: [one
line more, two])
]
# Table: a.b
[
(x=y:DOUBLE PRECISION),
(when:TIMESTAMP)
]
【Foreign keys】
a.b.x=y=Air Carriers.Code
a.b.when=nothing.at all
"""


def test_every_part_of_a_schema_is_read() -> None:
    (schema,) = parse_mschema(SCHEMA)
    carriers, other = schema.tables
    assert (carriers.name, carriers.comment, other.name, other.comment) == (
        "Air Carriers", "those that fly", "a.b", None,
    )  # fmt: skip
    assert [(column.name, column.data_type) for column in carriers.columns] == [
        ("Code", "INTEGER"),
        ("Description (full)", "TEXT"),
        ("price", "NUMERIC(10, 2)"),
        ("T/OL[NI 1]", "TEXT"),
        ("note", "TEXT"),
    ]
    assert [column.is_primary_key for column in carriers.columns] == [True, False, False, True, False]
    assert [column.comment for column in carriers.columns] == [
        None,
        "Comment: with a colon",
        None,
        "the name",
        None,
    ]
    assert [column.examples for column in carriers.columns] == [
        ["19031", "19032"], ["Mackey: Inc.", "a", "b"], [], ["['a', 'b']", "[c]"], ["one\nline more", "two"],
    ]  # fmt: skip
    assert [(column.name, column.data_type) for column in other.columns] == [
        ("x=y", "DOUBLE PRECISION"),
        ("when", "TIMESTAMP"),
    ]
    assert schema.keys == [("a.b", "x=y", "Air Carriers", "Code")]
    assert schema.problems == [(19, "unknown_column", "a.b.when=nothing.at all")]


def test_lines_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.mschema").write_text("【DB_ID】 a\n【Schema】\n# Table: t\n[\n(x:INTEGER),\nnonsense\n]\n")
    (tmp_path / "b.mschema").write_text("no schema at all")
    batch = read_mschema("m", tmp_path)
    assert [(Path(refusal.file).name, refusal.record, refusal.reason) for refusal in batch.refusals] == [
        ("a.mschema", "line 6", "malformed"),
        ("b.mschema", "file", "not_mschema"),
    ]
    assert [row["column_name"] for row in batch.rows["columns"]] == ["x"]


def test_a_path_without_a_schema_stops(tmp_path: Path) -> None:
    (tmp_path / "b.mschema").write_text("no schema at all")
    with pytest.raises(GlueError, match="holds no 【DB_ID】"):
        read_mschema("m", tmp_path / "b.mschema")
    with pytest.raises(GlueError, match="there is no"):
        read_mschema("m", tmp_path / "c.mschema")


def test_examples_split_outside_brackets() -> None:
    assert split_examples("BREAKFAST, [DINNER], FRUHSTUCK/BREAKFAST;") == [
        "BREAKFAST", "[DINNER]", "FRUHSTUCK/BREAKFAST;",
    ]  # fmt: skip
    assert split_examples("1,5, 2,5") == ["1,5", "2,5"]


def test_only_the_databases_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.mschema").write_text(SCHEMA)
    batch = read_mschema("m", tmp_path, db_ids=["shopp"])
    assert "databases" not in batch.rows
    assert batch.refusals[-1].advice == "did you mean 'shop'?"


def test_column_meanings_join_the_columns_of_the_schemas(tmp_path: Path) -> None:
    (tmp_path / "a.mschema").write_text(SCHEMA)
    meanings = {"shop|air carriers|code": "# Code of the carrier", "shop|a.b|y": "x", "other|a|b": "x"}
    (tmp_path / "meaning.json").write_text(json.dumps(meanings))
    batch = read_mschema("m", tmp_path / "a.mschema", column_meaning=tmp_path / "meaning.json")
    described = [row for row in batch.rows["columns"] if row["source"] == "column_meaning"]
    assert [(row["table_name"], row["column_name"], row["description"]) for row in described] == [
        ("Air Carriers", "Code", "Code of the carrier")
    ]
    assert [refusal.reason for refusal in batch.refusals if "key" in refusal.record] == [
        "unknown_column",
        "unknown_database",
    ]
    left_out = read_mschema("m", tmp_path / "a.mschema", ["shopp"], tmp_path / "meaning.json")
    assert "columns" not in left_out.rows


def test_the_published_meanings_fit_the_published_catalog(shared_data: Path) -> None:
    meanings = shared_data / "bird" / "meta" / "column_meaning" / "train_column_meaning.json"
    batch = read_mschema("pool", shared_data / "bird" / "mschema", column_meaning=meanings)
    described = [row for row in batch.rows["columns"] if row["source"] == "column_meaning"]
    assert len(described) + len(batch.refusals) == len(json.loads(meanings.read_text()))
    assert len(described) > 3_300
    assert len({row["db_id"] for row in described}) == 69


def test_the_published_catalog_is_whole(shared_data: Path) -> None:
    batch = read_mschema("pool", shared_data / "bird" / "mschema")
    assert (len(batch.rows["databases"]), len(batch.rows["tables"])) == (80, 597)
    assert batch.refusals == []
    entries = json.loads((shared_data / "bird" / "meta" / "dev_tables.json").read_text())
    for entry in entries:
        expected = {
            (entry["table_names_original"][table], name)
            for table, name in entry["column_names_original"]
            if table >= 0
        }
        rows = [row for row in batch.rows["columns"] if row["db_id"] == entry["db_id"]]
        assert {(row["table_name"], row["column_name"]) for row in rows} == expected
