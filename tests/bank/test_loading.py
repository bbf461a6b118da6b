"""`glue bank load`: what lands of the base data and of D′, and that loading again changes nothing."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from glue import bank
from glue.bank import loading
from glue.bank.manifest import Statement
from glue.cli import cli
from glue.errors import GlueError
from glue.home import Home
from glue.landing import landed_keys

DB_ID = "t1_a_sales_orders"


@pytest.fixture
def small(manifest: bank.Manifest, monkeypatch: pytest.MonkeyPatch) -> bank.Manifest:
    """The manifest with three questions of one database: loads quickly."""
    questions = tuple(q for q in manifest.questions if q.db_id == DB_ID)[6:9]
    instances = {q.question_id: manifest.instances[q.question_id] for q in questions}
    databases = {DB_ID: manifest.databases[DB_ID]}
    made = replace(manifest, questions=questions, instances=instances, databases=databases)
    monkeypatch.setattr(loading, "read_manifest", lambda: made)
    return made


def test_loading_lands_questions_golds_and_catalog(
    home: Home, tier_1: bank.Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = tier_1
    monkeypatch.setattr(loading, "read_manifest", lambda: manifest)
    report = bank.load_bank(home, "sqlite", "glue bank load sqlite")
    assert report.is_new and report.refusals == []
    assert report.benchmark == "enterprise"
    tables = [table for tables in manifest.databases.values() for table in tables]
    asked = [question for question in manifest.questions if question.sql("gold", "sqlite")]
    assert {name: report.counts[name] for name in ("databases", "tables", "columns", "questions")} == {
        "databases": len(manifest.databases),
        "tables": len(tables),
        "columns": sum(len(table.columns) for table in tables),
        "questions": len(asked),
    }
    assert report.counts["foreign_keys"] == sum(len(k.columns) for t in tables for k in t.foreign_keys)
    assert report.counts["question_constraints"] == sum(len(q.constraints) for q in asked)
    assert report.counts["question_constructs"] == sum(len(q.constructs) for q in asked)
    assert report.counts["question_result_columns"] == sum(len(q.result_columns) for q in asked)
    assert report.counts["golds"] == 2 * len(asked)  # as they are, and as they were at the first pass
    databases = landed_keys(home, "databases", columns=["db_id", "engine", "path", "snapshot_id"]).to_pylist()
    for database in databases:
        path = home.root / "bank" / "sqlite" / f"{database['db_id']}.sqlite"
        assert (database["engine"], database["path"]) == ("sqlite", str(path))
        assert database["snapshot_id"] == _sha256(path)
    names = ["db_id", "table_name", "column_name", "data_type", "storage_classes", "value_description"]
    columns = {
        (row["table_name"], row["column_name"]): row
        for row in landed_keys(home, "columns", columns=names).to_pylist()
        if row["db_id"] == DB_ID
    }
    assert columns["orders", "total_amount"]["storage_classes"] == ["null", "real"]
    assert columns["order_lines", "quantity"]["storage_classes"] == ["integer"]
    assert columns["orders", "status"]["value_description"].startswith(
        "pending: placed, nothing has been sent; "
    )
    questions = landed_keys(home, "questions", columns=["question_id", "is_ordered", "intent"]).to_pylist()
    intents = {question.question_id: question.intent for question in asked}
    assert {row["question_id"]: row["intent"] for row in questions} == intents
    assert all(intents.values())


def test_statements_that_are_no_golds_land_by_role(home: Home, small: bank.Manifest) -> None:
    bank.load_bank(home, "duckdb", "x")
    names = ["question_id", "role", "gold_edition", "dialect", "sql"]
    landed = landed_keys(home, "question_statements", columns=names).to_pylist()
    question = small.questions[0]
    found = {
        (row["role"], row["gold_edition"]): (row["sql"], row["dialect"])
        for row in landed
        if row["question_id"] == question.question_id
    }
    assert found == {
        (role, edition): (question.sql(role, "duckdb"), "duckdb")
        for role in ("distractor", "second_gold")
        for edition in ("benchmark", "first_pass")
    }


def test_a_first_pass_lands_as_an_edition_of_its_own(
    home: Home, small: bank.Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every question's gold and second gold: as it was where it was revised, else as it is."""
    revised, *others = small.questions
    first = Statement("second_gold", "first_pass", "duckdb", "SELECT 1")
    revised = replace(revised, statements=(*revised.statements, first))
    manifest = replace(small, questions=(revised, *others))
    monkeypatch.setattr(loading, "read_manifest", lambda: manifest)
    bank.load_bank(home, "duckdb", "x")
    golds = landed_keys(home, "golds", columns=["question_id", "gold_edition", "gold_sql"]).to_pylist()
    assert Counter(row["gold_edition"] for row in golds) == {"benchmark": 3, "first_pass": 3}
    names = ["question_id", "role", "gold_edition", "sql"]
    second = {
        (row["question_id"], row["gold_edition"]): row["sql"]
        for row in landed_keys(home, "question_statements", columns=names).to_pylist()
        if row["role"] == "second_gold"
    }
    assert second[revised.question_id, "first_pass"] == "SELECT 1"
    assert second[revised.question_id, "benchmark"] == revised.sql("second_gold", "duckdb")
    other = others[0].question_id
    assert second[other, "first_pass"] == second[other, "benchmark"]


@pytest.mark.parametrize(("engine", "benchmark"), [("sqlite", "enterprise"), ("duckdb", "enterprise_duckdb")])
def test_loading_twice_changes_nothing(home: Home, small: bank.Manifest, engine: str, benchmark: str) -> None:
    path = home.root / "bank" / engine / f"{DB_ID}.{engine}"
    first = bank.load_bank(home, engine, "first")
    before = _sha256(path)
    second = bank.load_bank(home, engine, "second")
    assert (first.is_new, second.is_new, first.import_id) == (True, False, second.import_id)
    assert first.benchmark == benchmark and _sha256(path) == before
    assert landed_keys(home, "questions", columns=["question_id"]).num_rows == 3
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("engine", "benchmark"),
    [("sqlite", "enterprise_supplementary"), ("duckdb", "enterprise_supplementary_duckdb")],
)
def test_each_question_of_d_prime_has_a_database(
    home: Home, small: bank.Manifest, engine: str, benchmark: str
) -> None:
    report = bank.load_bank(home, engine, "x", ["D'"])
    assert report.benchmark == benchmark
    ids = [question.question_id for question in small.questions]
    folder = home.root / "bank" / engine / "instances"
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.{engine}" for name in ids]
    questions = landed_keys(home, "questions", columns=["question_id", "db_id"]).to_pylist()
    assert {row["question_id"]: row["db_id"] for row in questions} == {
        name: f"{DB_ID}@{name}" for name in ids
    }
    databases = landed_keys(home, "databases", columns=["db_id", "path", "snapshot_id"]).to_pylist()
    for row in databases:
        name = row["db_id"].removeprefix(f"{DB_ID}@")
        assert row["path"] == str(folder / f"{name}.{engine}")
        assert row["snapshot_id"] == _sha256(folder / f"{name}.{engine}")
    assert len({row["snapshot_id"] for row in databases}) == 3
    again = bank.load_bank(home, engine, "x", ["D′"])
    assert not again.is_new and again.import_id == report.import_id


def test_d_prime_lands_no_catalog_and_says_whose_questions_these_are(
    home: Home, small: bank.Manifest
) -> None:
    """Nobody is asked them: the schema is the base's, and what is answered there is run here too."""
    report = bank.load_bank(home, "duckdb", "x", ["D'"])
    assert {"tables", "columns", "foreign_keys", "question_constraints"}.isdisjoint(report.counts)
    names = ["question_id", "benchmark", "base_benchmark"]
    landed = landed_keys(home, "questions", columns=names).to_pylist()
    assert [row["base_benchmark"] for row in landed] == ["enterprise_duckdb"] * 3
    bank.load_bank(home, "duckdb", "x")
    landed = landed_keys(home, "questions", columns=names).to_pylist()
    own = [row["base_benchmark"] for row in landed if row["benchmark"] == "enterprise_duckdb"]
    assert own == [None] * 3


def test_one_instance_and_a_second(home: Home, small: bank.Manifest) -> None:
    first, second = small.questions[0].question_id, small.questions[1].question_id
    report = bank.load_bank(home, "sqlite", "x", [first])
    assert report.counts["databases"] == report.counts["questions"] == 1
    assert "enterprise_supplementary now holds 1 of 3 questions" in report.notes
    report = bank.load_bank(home, "sqlite", "x", [second, first])
    assert report.counts["questions"] == 2
    assert report.notes == [
        f"{home.root / 'bank' / 'sqlite' / 'instances'}: 2 files, 1 of them written anew",
        "enterprise_supplementary now holds 2 of 3 questions",
    ]


@pytest.mark.parametrize(
    ("instances", "message", "hint"),
    [
        (["t1a-0007"], "the bank has no instance 't1a-0007'", "did you mean 't1a-007'?"),
        (["x"], "the bank has no instance 'x'", "D, D' for all of D′, or the id of a question"),
        (["D", "D'"], "D and supplementary instances are two benchmarks", "two commands"),
    ],
)
def test_a_wrong_instance_is_named(
    home: Home, small: bank.Manifest, instances: list[str], message: str, hint: str
) -> None:
    with pytest.raises(GlueError, match=message) as raised:
        bank.load_bank(home, "sqlite", "x", instances)
    assert hint in str(raised.value.hint)
    assert not (home.root / "bank").exists()


def test_a_newer_bank_takes_the_place_of_the_old(
    home: Home, small: bank.Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bank.load_bank(home, "duckdb", "first")
    tables = small.databases[DB_ID]
    newer = replace(small, databases={DB_ID: (replace(tables[0], description="Each one"), *tables[1:])})
    monkeypatch.setattr(loading, "read_manifest", lambda: newer)
    second = bank.load_bank(home, "duckdb", "second")
    assert second.is_new and second.import_id != first.import_id


def test_a_question_without_a_gold_is_left_out_and_said(
    home: Home, small: bank.Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = small.questions
    bare = replace(small, questions=(replace(first, statements=()), *others))
    monkeypatch.setattr(loading, "read_manifest", lambda: bare)
    report = bank.load_bank(home, "sqlite", "x")
    assert report.counts["questions"] == len(others)
    assert f"1 questions have no gold for sqlite yet: {first.question_id}" in report.notes


def test_an_unknown_engine_is_named(home: Home) -> None:
    with pytest.raises(GlueError, match="not written for 'sqlit'") as raised:
        bank.load_bank(home, "sqlit", "x")
    assert raised.value.hint == "did you mean 'sqlite'?"


def test_the_command_takes_instances(
    home: Home, small: bank.Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALHOUSE_HOME", str(home.root))
    name = small.questions[0].question_id
    result = CliRunner().invoke(cli, ["bank", "load", "sqlite", "--instance", name])
    assert result.exit_code == 0, result.output
    assert "enterprise_supplementary" in result.output


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_share_of_the_columns_is_documented(home: Home, small: bank.Manifest) -> None:
    """Which ones is drawn by name: a larger share holds the smaller one."""
    shown = {}
    for share in (0.0, 0.3, 0.6):
        columns = bank.bank_batch(home, "duckdb", documented_share=share).rows["columns"]
        shown[share] = {(row["table_name"], row["column_name"]) for row in columns if row["description"]}
        assert len(shown[share]) == round(share * len(columns))
    assert shown[0.0] < shown[0.3] < shown[0.6]
