"""The manifest: what enters it, that how rows lie does not matter, and that each kind of change is named."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from glue.errors import GlueError
from glue.home import Home
from glue.landing import Writer
from glue.manifest import (
    KINDS,
    Entry,
    difference_rows,
    differences,
    manifest_text,
    read_manifest,
)
from glue.manifest_software import digest_of, software_entries
from tests.commands import glue, rows_of

PROJECT = Path(__file__).resolve().parents[1]
SHA = "0123456789abcdef" * 4
UNDER_WORK = ("--ignore", "source", "--ignore", "seed")
ENTRIES = [
    Entry("seed", "budgets", SHA),
    Entry("file", "benchmark:b:bird/dev.json", SHA),
    Entry("rows", "benchmark:b:bird/questions", SHA[:32], 1534),
    Entry("run", "b/m", '{"model":"m","settings":{"temperature":0}}'),
]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "manifest.json"
    path.write_text(manifest_text(ENTRIES), encoding="utf-8")
    return path


# --------------------------------------------------------------------------- the file


def test_a_manifest_is_read_back_as_it_was_written(stored: Path) -> None:
    assert sorted(read_manifest(stored), key=lambda it: it.key) == sorted(ENTRIES, key=lambda it: it.key)
    assert differences(read_manifest(stored), ENTRIES) == []


def test_a_manifest_does_not_depend_on_the_order_of_its_entries() -> None:
    assert manifest_text(ENTRIES) == manifest_text(reversed(ENTRIES))
    kinds = [entry["kind"] for entry in json.loads(manifest_text(ENTRIES))["entries"]]
    assert kinds == ["file", "rows", "run", "seed"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no manifest: it is not JSON"),
        ("[" * 100_000, "is no manifest: it is not JSON"),
        ("[]", "has no field 'manifest'"),
        ('{"manifest": 99, "entries": []}', "is a manifest of format 99"),
        ('{"manifest": 1}', "its field 'entries' is no list"),
        ('{"manifest": 1, "entries": [{"kind": "seed"}]}', "entry 1 has no kind, name and value"),
        ('{"manifest": 1, "entries": [], "digest": "x"}', "was changed after it was written"),
    ],
)
def test_what_is_no_manifest_is_said_with_a_hint(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "stored.json"
    path.write_text(text)
    with pytest.raises(GlueError) as told:
        read_manifest(path)
    assert message in told.value.message and str(path) in told.value.message
    assert told.value.hint


@pytest.mark.parametrize(("old", "new"), [("1534", "1535"), (SHA, SHA[::-1]), ("dev.json", "test.json")])
def test_a_manifest_that_was_edited_is_refused(stored: Path, old: str, new: str) -> None:
    stored.write_text(stored.read_text().replace(old, new, 1))
    with pytest.raises(GlueError, match="was changed after it was written"):
        read_manifest(stored)


def test_an_entry_that_stands_twice_is_refused(stored: Path) -> None:
    stored.write_text(manifest_text([*ENTRIES, ENTRIES[0]]))
    with pytest.raises(GlueError, match="was changed after it was written"):
        read_manifest(stored)


def test_a_manifest_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(GlueError, match="cannot read the manifest") as told:
        read_manifest(tmp_path / "none.json")
    assert told.value.hint == "write one with `glue manifest --output FILE`"


def test_every_difference_is_named() -> None:
    seed, file, rows, run = ENTRIES
    now = [replace(rows, value=SHA[32:], n_rows=1533), run, seed, Entry("version", "duckdb", "2.0.1")]
    assert difference_rows(differences(ENTRIES, now)) == [
        ("removed", "file", file.name, "0123456789ab…", ""),
        ("changed", "rows", rows.name, "0123456789ab… (1,534 rows)", "0123456789ab… (1,533 rows)"),
        ("added", "version", "duckdb", "", "2.0.1"),
    ]
    assert [it.kind for it in differences(ENTRIES, now, ignored=["version", "rows"])] == ["file"]


# --------------------------------------------------------------------------- software, sources, seeds


def test_software_is_told_by_version_and_digest() -> None:
    entries = {entry.key: entry.value for entry in software_entries(PROJECT)}
    import duckdb

    assert entries["version", "duckdb"] == duckdb.__version__
    assert re.fullmatch(r"[0-9a-f]{64}|not installed", entries["version", "litellm cost map"])
    assert {"glue", "glue/sql", "macros", "models/reports", "dbt_project.yml"} <= {
        name for kind, name in entries if kind == "source"
    }
    seeds = {path.stem for path in (PROJECT / "seeds").rglob("*.csv")}
    assert {name.rpartition("/")[2] for kind, name in entries if kind == "seed"} == seeds
    assert {kind for kind, _ in entries} == {"version", "source", "seed"}


def test_a_changed_renamed_or_added_source_gives_another_digest(tmp_path: Path) -> None:
    def digest() -> str:
        return digest_of(tmp_path, tmp_path.rglob("*.sql"))

    (tmp_path / "a.sql").write_text("select 1")
    digests = [digest()]
    (tmp_path / "a.sql").write_text("select 2")
    digests.append(digest())
    (tmp_path / "a.sql").rename(tmp_path / "b.sql")
    digests.append(digest())
    (tmp_path / "a.sql").write_text("select 2")
    digests.append(digest())
    assert len(set(digests)) == 4
    (tmp_path / "a.sql").unlink()
    assert digest() == digests[2]


def test_a_seed_of_the_project_is_told_by_itself(tmp_path: Path) -> None:
    for part in ("seeds", "macros", "models/reports"):
        (tmp_path / part).mkdir(parents=True)
    (tmp_path / "dbt_project.yml").write_text("name: it\n")
    shutil.copy(PROJECT / "seeds" / "engines.csv", tmp_path / "seeds")
    before = software_entries(tmp_path)
    with (tmp_path / "seeds" / "engines.csv").open("a") as file:
        file.write("mine,sqlite,false,never,none\n")
    (found,) = differences(before, software_entries(tmp_path))
    assert (found.change, found.kind, found.name) == ("changed", "seed", "engines")


# --------------------------------------------------------------------------- lists that must not drift


def test_the_kinds_of_entries_are_the_same_everywhere() -> None:
    model = yaml.safe_load((PROJECT / "models" / "reports" / "manifest_entries.yml").read_text())["models"][0]
    (kind,) = (column for column in model["columns"] if column["name"] == "kind")
    (accepted,) = (test["accepted_values"]["arguments"]["values"] for test in kind["data_tests"])
    assert set(accepted) | {"version", "source", "seed"} == set(KINDS)
    page = (PROJECT / "docs" / "manifest.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(KINDS)


def test_every_dbt_variable_enters_the_manifest() -> None:
    declared = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"]
    sql = (PROJECT / "models" / "reports" / "manifest_entries.sql").read_text()
    found = re.search(r"set variables = \[(.*?)\]", sql, re.DOTALL)
    assert found is not None
    assert sorted(declared) == re.findall(r"'(\w+)'", found[1])


# --------------------------------------------------------------------------- a warehouse


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with a benchmark, an imported and a generated set, executed; its manifest beside it."""
    root = tmp_path_factory.mktemp("manifest")
    databases = root / "files" / "databases" / "shop"
    databases.mkdir(parents=True)
    connection = sqlite3.connect(databases / "shop.sqlite")
    with connection:
        connection.execute("create table items (name text, price real)")
        connection.execute("insert into items values ('tea', 2.5), ('jam', 4.0)")
    connection.close()
    write_questions(root, ["SELECT COUNT(*) FROM items", "SELECT name FROM items"])
    write_predictions(root, ["SELECT 2", "SELECT nme FROM items"])
    import_questions(root)
    import_predictions(root)
    glue(root, "generate", "--model", "control/gold", "--benchmark", "shop")
    glue(root, "execute", "--timeout", 20)
    glue(root, "manifest", "--output", "manifest.json")
    return root


def write_questions(root: Path, golds: list[str]) -> None:
    questions = [
        {"question_id": number, "db_id": "shop", "question": f"Question {number}?", "SQL": sql}
        for number, sql in enumerate(golds)
    ]
    (root / "files" / "dev.json").write_text(json.dumps(questions))


def write_predictions(root: Path, statements: list[str]) -> None:
    bird = "\t----- bird -----\tshop"
    answers = {str(number): f"{sql}{bird}" for number, sql in enumerate(statements)}
    (root / "files" / "predicted.json").write_text(json.dumps(answers))


def import_questions(root: Path, *more: str) -> None:
    files = root / "files"
    glue(
        root,
        *("import", "bird", "--name", "shop", "--questions", files / "dev.json"),
        *("--databases", files / "databases", *more),
    )


def import_predictions(root: Path, *more: str) -> None:
    file = root / "files" / "predicted.json"
    glue(root, "import", "predictions", file, "--benchmark", "shop", "--name", "mine", *more)


@pytest.fixture
def copy(shop: Path, tmp_path: Path) -> Path:
    """The same warehouse, to be changed."""
    shutil.copytree(shop, tmp_path / "copy")
    return tmp_path / "copy"


def told(root: Path, *options: str) -> set[tuple[str, str, str]]:
    """What `glue manifest --check` tells: change, kind and name."""
    check = ("manifest", "--check", "manifest.json", *UNDER_WORK)
    finished = glue(root, *check, *options, is_failure_expected=True)
    assert finished.returncode == 1
    rows = [re.split(r"\s{2,}", line.strip()) for line in finished.stdout.splitlines()]
    return {(row[0], row[1], row[2]) for row in rows if row[0] in ("added", "removed", "changed")}


def without_sources(text: str) -> list[str]:
    """The lines of a manifest's entries, but for the sources, which may be edited while tests run."""
    return [line for line in text.splitlines() if '{"kind"' in line and '"kind": "s' not in line]


@pytest.mark.slow
def test_the_manifest_names_everything_and_no_place(shop: Path) -> None:
    text = (shop / "manifest.json").read_text()
    entries = {entry.key: entry for entry in read_manifest(shop / "manifest.json")}
    assert {kind for kind, _ in entries} == set(KINDS) - {"study", "embeddings"}
    assert str(shop) not in text and str(Path.home()) not in text
    assert entries["rows", "benchmark:shop:bird/questions"].n_rows == 2
    assert entries["limit", "shop/timeout_ms"].value == "[20000.0,200000.0]"
    assert json.loads(entries["run", "shop/control/gold"].value)["model"] == "control/gold"
    assert entries["responses", "shop/control/gold"].n_rows == 2
    assert entries["draws", "shop/question"].n_rows == 10_000
    (database,) = (entry.value for (kind, _), entry in entries.items() if kind == "database")
    assert database == digest_of_bytes(shop / "files" / "databases" / "shop" / "shop.sqlite")


def digest_of_bytes(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.slow
def test_nothing_differs_after_compaction_and_a_rebuild(copy: Path) -> None:
    finished = glue(copy, "manifest", "--check", "manifest.json", *UNDER_WORK)
    assert finished.stdout == "nothing differs from manifest.json\n"
    stored = without_sources((copy / "manifest.json").read_text())
    assert len(stored) > 30
    n_files = len(list((copy / "landing").rglob("*.parquet")))
    glue(copy, "landing", "compact")
    assert len(list((copy / "landing").rglob("*.parquet"))) < n_files
    (copy / "warehouse.duckdb").unlink()
    shutil.rmtree(copy / "exports")
    assert without_sources(glue(copy, "manifest").stdout) == stored


@pytest.mark.slow
def test_every_kind_of_change_is_named(copy: Path) -> None:
    """Other predictions read otherwise, another database, a further answer, a run and a study."""
    write_predictions(copy, ["SELECT 2", "SELECT name FROM items"])
    import_predictions(copy, "--replace", "--partial")
    with sqlite3.connect(copy / "files" / "databases" / "shop" / "shop.sqlite") as connection:
        connection.execute("insert into items values ('oil', 7.5)")
    connection.close()
    import_questions(copy, "--replace")
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    run = {"run_id": "r", "prediction_set": "theirs", "benchmark": "shop", "model": "m", "n_samples": 1}
    study = {"study_id": "s", "study": "budget", "benchmark": "shop", "options": "{}"}
    with Writer(Home(copy), loop="generate") as writer:
        writer.append("responses", [further_response(copy, "control/gold")])
        writer.append("runs", [{**run, "is_planned": False, "started_at": moment}])
        writer.append("studies", [{**study, "registered_at": moment}])
    found = told(copy)
    assert found == {
        ("changed", "file", "predictions:mine/predicted.json"),
        ("changed", "rows", "predictions:mine/predictions"),
        ("changed", "import", "predictions:mine"),
        ("changed", "file", "benchmark:shop:bird/shop.sqlite"),
        ("changed", "rows", "benchmark:shop:bird/databases"),
        ("changed", "rows", "benchmark:shop:bird/tables"),
        ("changed", "rows", "benchmark:shop:bird/columns"),
        ("changed", "database", "shop/shop"),
        ("removed", "executions", "shop/shop"),
        ("removed", "limit", "shop/max_rows"),
        ("removed", "limit", "shop/timeout_ms"),
        ("changed", "responses", "shop/control/gold"),
        ("changed", "model", "control/gold"),
        ("added", "run", "shop/theirs"),
        ("added", "study", "budget/shop"),
    }
    kept = {"file", "rows", "import"}
    ignored = [word for kind in set(KINDS) - kept for word in ("--ignore", kind)]
    assert told(copy, *ignored) == {row for row in found if row[1] in kept}


def further_response(root: Path, prediction_set: str) -> dict[str, Any]:
    """Another attempt at one of a set's requests."""
    requests = f"select min(request_id) as request_id from requests where prediction_set = '{prediction_set}'"
    return {
        "request_id": rows_of(root, requests)[0]["request_id"],
        "attempt_id": "further",
        "purpose": "answer",
        "model": prediction_set,
        "attempt_number": 2,
        "outcome": "answered",
        "response_text": "SELECT 3",
        "responded_at": datetime(2026, 1, 1, tzinfo=UTC),
    }


@pytest.mark.slow
def test_a_senseless_check_is_said(copy: Path) -> None:
    (copy / "manifest.json").write_text("no JSON")
    finished = glue(copy, "manifest", "--check", "manifest.json", is_failure_expected=True)
    assert (
        finished.stderr.startswith("error: manifest.json is no manifest")
        and "hint: write one" in finished.stderr
    )
    finished = glue(
        copy, "manifest", "--check", "manifest.json", "--ignore", "versions", is_failure_expected=True
    )
    assert "hint: did you mean version?" in finished.stderr
