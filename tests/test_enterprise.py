"""Tier 1 of the bank through the real pipeline in Oracle's dialect: silent divergence, failures, reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from glue.bank import loading
from tests.bank.tiers import tier_1_of
from tests.commands import glue, rows_of, run_dbt

BENCHMARK = "enterprise_oracle_local"
REPORTS = (
    "tier_results",
    "category_results",
    "failure_taxonomy",
    "model_grid",
    "probe_results",
    "schema_profiles",
    "ex_regressions",
    "distractor_verdicts",
    "constraint_verdicts",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Both instances loaded, three controls asked, executed and built."""
    folder = tmp_path_factory.mktemp("enterprise")
    manifest = tier_1_of(loading.read_manifest())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "read_manifest", lambda: manifest)
        glue(folder, "bank", "load", "oracle-local")
        glue(folder, "bank", "load", "oracle-local", "--instance", "D'")
        controls = [
            word for name in ("gold", "distractor", "gold-broken") for word in ("--model", f"control/{name}")
        ]
        glue(folder, "generate", *controls, "--benchmark", BENCHMARK)
        glue(folder, "execute")
    run_dbt(folder, *(f"+{name}" for name in REPORTS))
    yield folder


def test_gold_never_diverges_and_a_silent_distractor_always_does(home: Path) -> None:
    rows = rows_of(
        home,
        "select prediction_set, ex_all, sd, n_sd_tested, n_questions from tier_results where tier = 'all'",
    )
    found = {row["prediction_set"]: row for row in rows if row["n_questions"] == 95}
    gold, distractor = found["control/gold"], found["control/distractor"]
    assert (gold["ex_all"], gold["sd"], gold["n_sd_tested"]) == (1, 0, 95)
    (silent,) = rows_of(
        home,
        f"select count(*) as n from distractor_verdicts where benchmark = '{BENCHMARK}' and is_gold_equal",
    )
    assert distractor["n_sd_tested"] == silent["n"] >= 25
    assert distractor["sd"] == 1 and distractor["ex_all"] == pytest.approx(silent["n"] / 95)


def test_every_distractor_parts_from_gold_on_d_prime(home: Path) -> None:
    rows = rows_of(
        home,
        "select count(*) as n, count(*) filter (where is_gold_equal) as n_equal from distractor_verdicts "
        "where benchmark = 'enterprise_supplementary_oracle_local'",
    )
    assert rows == [{"n": 95, "n_equal": 0}]


def test_a_constraint_is_held_violated_or_not_testable(home: Path) -> None:
    query = "select distinct prediction_set, status from constraint_verdicts"
    found = {(row["prediction_set"], row["status"]) for row in rows_of(home, query)}
    assert ("control/gold", "held") in found and ("control/gold", "violated") not in found
    assert ("control/distractor", "violated") in found and ("control/distractor", "held") not in found


def test_the_failures_sum_to_all_failures(home: Path) -> None:
    rows = rows_of(home, "select * from failure_taxonomy")
    assert {row["edition"] for row in rows} == {"as run", "oracle 19c"}
    for row in rows:
        assert row["n_f0"] + row["n_f1"] + row["n_f2"] + row["n_f3"] == row["n_failures"]
    broken = [row for row in rows if row["prediction_set"] == "control/gold-broken" and row["tier"] == "all"]
    newer = {row["edition"]: row["n_f2"] for row in broken if row["benchmark"] == BENCHMARK}
    assert newer["oracle 19c"] > newer["as run"]  # EXCEPT is Oracle's from 21c on


def test_probes_and_profiles(home: Path) -> None:
    query = (
        "select n_questions, sd, prediction_set from probe_results where is_sd_probe order by prediction_set"
    )
    probes = rows_of(home, query)[0]
    assert probes == {"n_questions": 4, "sd": 1, "prediction_set": "control/distractor"}
    profiles = rows_of(home, f"from schema_profiles where benchmark = '{BENCHMARK}' order by schema_id")
    assert [row["schema_id"] for row in profiles] == ["T1-A", "T1-B"]
    for row in profiles:
        assert row["foreign_key_coverage"] == row["documentation_density"] == 1
        assert row["legacy_naming_ratio"] < 0.05 and row["n_tables"] == 10


def test_regressions_say_what_two_schemas_cannot_tell(home: Path) -> None:
    rows = rows_of(home, "from ex_regressions where prediction_set = 'control/gold-broken'")
    by_fit = {
        fit: [row for row in rows if row["fit"] == fit] for fit in ("paper", "identified", "schema_effects")
    }
    assert len(by_fit["paper"]) == len(by_fit["identified"]) == 9
    assert all(row["standard_error"] is None for row in by_fit["paper"])
    told = [row["feature"] for row in by_fit["identified"] if row["problem"] is None]
    assert "MJD" in told and len(told) <= 2  # one coefficient of the question, at most one of the schema
    assert all(row["is_few_clusters"] for row in rows)
