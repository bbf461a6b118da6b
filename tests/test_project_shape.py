"""The shape of the dbt project: layers, twins, documentation, and lists that must not drift from the code.

All but the last test only read files; they cost milliseconds.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from glue.home import Home
from glue.landing_tables import TABLES

PROJECT = Path(__file__).resolve().parents[1]
LAYERS = (
    "landing",
    "staging",
    "catalog",
    "labels",
    "retrieval",
    "contexts",
    "results",
    "scores",
    "statistics",
    "metrics",
    "reports",
    "handoff",
)
"""Data flows from left to right (DESIGN section 1)."""

_COMMENT = re.compile(r"\{#.*?#\}|--[^\n]*", re.DOTALL)
_REF = re.compile(r"ref\(\s*'(\w+)'\s*\)")
_SOURCE = re.compile(r"source\(\s*'landing'\s*,\s*'(\w+)'\s*\)")
_COMPUTED_REF = re.compile(r"ref\(\s*[a-z]")
_QUOTED = re.compile(r"'(\w+)'")
_IS_CURRENT_IMPORT = "is_current_import()"


@dataclass(frozen=True)
class Model:
    """One model as its files say it: `refs` may name seeds; `twin` is its entry in the yml, if it has one."""

    name: str
    layer: str
    sql: str
    refs: frozenset[str]
    sources: frozenset[str]
    twin: dict[str, Any] | None = field(compare=False)


@cache
def models() -> dict[str, Model]:
    """Every model of the project by name."""
    paths = sorted((PROJECT / "models").glob("*/*.sql"))
    names = {path.stem for path in paths}
    return {path.stem: _model(path, names) for path in paths}


def _model(path: Path, names: set[str]) -> Model:
    sql = _COMMENT.sub("", path.read_text())
    refs = set(_REF.findall(sql))
    if _COMPUTED_REF.search(sql):  # a loop over models: their names stand in quotes
        refs |= set(_QUOTED.findall(sql)) & names
    if _IS_CURRENT_IMPORT in sql:
        refs.add("stg_imports")
    return Model(
        name=path.stem,
        layer=path.parent.name,
        sql=sql,
        refs=frozenset(refs - {path.stem}),
        sources=frozenset(_SOURCE.findall(sql)),
        twin=_twin(path),
    )


def _twin(path: Path) -> dict[str, Any] | None:
    twin = path.with_suffix(".yml")
    if not twin.exists():
        return None
    entries = [entry for entry in _yaml(twin).get("models", []) if entry["name"] == path.stem]
    return entries[0] if len(entries) == 1 else None


@cache
def _yaml(path: Path) -> dict[str, Any]:
    loaded = yaml.safe_load(path.read_text())
    assert isinstance(loaded, dict), path
    return loaded


def _rows(seed: str) -> list[dict[str, str]]:
    with (PROJECT / "seeds" / f"{seed}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", sorted(models()))
def test_a_model_lies_in_a_layer_and_has_a_twin(name: str) -> None:
    model = models()[name]
    assert model.layer in LAYERS
    assert model.twin is not None, f"models/{model.layer}/{name}.yml with one entry for {name} is missing"


@pytest.mark.parametrize("name", sorted(models()))
def test_a_model_says_its_grain_and_describes_its_columns(name: str) -> None:
    twin = models()[name].twin
    assert twin is not None
    assert str(twin.get("description", "")).startswith("One row per "), (
        "the description begins with the grain"
    )
    columns = twin.get("columns", [])
    assert columns, "no column is described"
    assert [column["name"] for column in columns if not column.get("description")] == []


def test_no_yml_is_left_without_its_model() -> None:
    twins = [path for path in (PROJECT / "models").glob("*/*.yml") if not path.name.startswith("_")]
    assert [str(path) for path in twins if not path.with_suffix(".sql").exists()] == []


def test_only_staging_reads_sources() -> None:
    reading = {model.name for model in models().values() if model.sources}
    staging = {model.name for model in models().values() if model.layer == "staging"}
    assert reading == staging


def test_staging_is_one_to_one_with_landing() -> None:
    staging = [model for model in models().values() if model.layer == "staging"]
    assert {model.name: set(model.sources) for model in staging} == {
        f"stg_{table}": {table} for table in TABLES
    }
    assert {ref for model in staging for ref in model.refs} <= {"stg_imports"}


def test_data_flows_one_way_through_the_layers() -> None:
    backwards = [
        f"{model.layer}/{model.name} reads {models()[ref].layer}/{ref}"
        for model in models().values()
        for ref in sorted(model.refs & models().keys())
        if LAYERS.index(models()[ref].layer) > LAYERS.index(model.layer)
    ]
    assert backwards == []


def test_nobody_reads_what_is_handed_to_glue() -> None:
    handed = {model.name for model in models().values() if model.layer == "handoff"}
    assert handed
    assert [model.name for model in models().values() if model.refs & handed] == []


def test_every_ref_is_a_model_or_a_seed() -> None:
    seeds = {path.stem for path in (PROJECT / "seeds").rglob("*.csv")}
    unknown = {ref for model in models().values() for ref in model.refs} - models().keys() - seeds
    assert unknown == set()


def test_landing_sources_are_what_glue_declares() -> None:
    (source,) = _yaml(PROJECT / "models" / "landing" / "_landing.yml")["sources"]
    described = {
        table["name"]: (table["description"], [column["name"] for column in table["columns"]])
        for table in source["tables"]
    }
    declared = {table.name: (f"{table.grain}.", table.schema.names) for table in TABLES.values()}
    assert described == declared


def test_every_seed_is_described_with_the_columns_it_has() -> None:
    described: dict[str, list[str]] = {}
    for path in (PROJECT / "seeds").rglob("*.yml"):
        for entry in _yaml(path)["seeds"]:
            assert entry["description"].startswith("One row per "), entry["name"]
            assert all(column.get("description") for column in entry["columns"]), entry["name"]
            described[entry["name"]] = [column["name"] for column in entry["columns"]]
    present: dict[str, list[str]] = {}
    for path in (PROJECT / "seeds").rglob("*.csv"):
        with path.open(newline="") as file:
            present[path.stem] = next(csv.reader(file))
    assert described == present


def test_a_macro_has_its_own_file_and_description() -> None:
    files = [
        *(PROJECT / "macros").glob("*.sql"),
        *(PROJECT / "dbt_project" / "tests" / "generic").glob("*.sql"),
    ]
    defined = {}
    for path in files:
        names = re.findall(r"\{%-?\s*(macro|test)\s+(\w+)", path.read_text())
        assert [name for _, name in names] == [path.stem], f"{path.name} holds one macro of its name"
        defined[path.stem if names[0][0] == "macro" else f"test_{path.stem}"] = path
    described = {
        entry["name"]: entry["description"]
        for path in (PROJECT / "macros").glob("*.yml")
        for entry in _yaml(path)["macros"]
    }
    assert all(described.values())
    assert described.keys() == defined.keys()


def test_a_singular_test_is_named_after_its_fact() -> None:
    paths = list((PROJECT / "dbt_project" / "tests").glob("*.sql"))
    assert paths
    assert [path.name for path in paths if not path.name.startswith("assert_")] == []
    assert [path.name for path in paths if not path.read_text().startswith("--")] == [], (
        "the fact in words first"
    )


def test_every_outcome_and_reason_is_explained() -> None:
    match = models()["prediction_verdicts"].sql
    outcomes = set(re.findall(r"then '(\w+)'", match[: match.index("end as outcome")].split("named as")[1]))
    outcomes |= set(re.findall(r"else '(\w+)'\s+end as outcome", match))
    assert outcomes == {row["outcome"] for row in _rows("outcomes")}
    reasons = {(row["outcome"], row["reason"]) for row in _rows("reasons")}
    assert {outcome for outcome, _ in reasons} == outcomes
    words = _words(models()["pair_reasons"].sql, "reason")
    assert words == {reason for outcome, reason in reasons if outcome in ("match", "mismatch", "cut")}
    statuses = _words(models()["question_scoreability"].sql, "status")
    assert statuses - {"scoreable"} <= {reason for _, reason in reasons}


def _words(sql: str, column: str) -> set[str]:
    """The words that the CASE expression which ends in `end as <column>` can give."""
    case = sql[: sql.index(f"end as {column}")]
    case = case[case.rindex("\n        case") :]
    return set(re.findall(r"(?:then|else) '(\w+)'", case))


def test_every_kind_of_failure_is_explained() -> None:
    from glue.engines import duckdb, sqlite
    from glue.importers import predictions

    reasons = {(row["outcome"], row["reason"]) for row in _rows("reasons")}
    classes = {found for engine in (duckdb, sqlite) for _, found in engine._CLASSES} | {"other"}
    refusals = {"multiple_statements", "not_a_read", "forbidden"}
    failures = classes - refusals - {"syntax", "interrupted"} | {"unsupported_value", "crash"}
    assert {("prediction_failed", name) for name in failures} <= reasons
    assert {("refused", name) for name in refusals} <= reasons
    assert {("empty", issue) for issue in predictions._ADVICE} <= reasons


@pytest.mark.slow
def test_a_build_of_nothing_has_every_described_column(home: Home) -> None:
    """On a fresh clone where nothing has landed the project builds, and the twins describe what it builds."""
    import duckdb

    from glue.build import refresh

    refresh(home)
    with duckdb.connect(str(home.root / "warehouse.duckdb"), read_only=True) as warehouse:
        rows = warehouse.execute(
            "select table_name, column_name from duckdb_columns() where schema_name = 'main' and not internal"
            " order by table_name, column_index"
        ).fetchall()
    built: dict[str, list[str]] = {}
    for table, column in rows:
        built.setdefault(table, []).append(column)
    described = {
        model.name: [column["name"] for column in model.twin["columns"]]
        for model in models().values()
        if model.twin is not None
    }
    assert {name: built.get(name) for name in described} == described
