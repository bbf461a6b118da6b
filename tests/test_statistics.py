"""Intervals and tests, against scipy and statsmodels, on made-up scores that go through the real models.

A percentile of 10,000 replicates is itself a random number. Its Monte-Carlo standard error is taken from
N_SEEDS runs of the reference with as many replicates each; a bound may lie three of them from their mean.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import md5
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import ttost_paired

from tests.commands import rows_of, run_dbt
from tests.statistics_helpers import MODELS, Benchmark, Scores, build, one

pytestmark = pytest.mark.slow

WIDE = Benchmark("wide", n_databases=12, n_questions_each=20)
NARROW = Benchmark("narrow", n_databases=3, n_questions_each=10)
N_REPLICATES = 10_000
N_SEEDS = 20
MD5_BYTE_ORDER: Literal["little", "big"] = "little"
EVALHOUSE = {"protocol": "evalhouse", "metric": "ex"}


def made_up_scores() -> dict[tuple[str, str, str], list[Scores]]:
    """Scores by benchmark, prediction set and metric; several arrays are several samples."""
    rng = np.random.default_rng(7)
    sets: dict[tuple[str, str, str], list[Scores]] = {}
    for benchmark in (WIDE, NARROW):
        n = benchmark.n_questions
        # Databases differ in how hard they are, and sets agree more often than chance has it.
        ease = rng.normal(0.6, 0.7, benchmark.n_databases)[benchmark.databases] + rng.normal(0, 1, n)
        for name, skill in (("good", 0.5), ("good too", 0.45), ("middling", 0.0), ("poor", -0.6)):
            sets[benchmark.name, name, "ex"] = [(ease + skill + rng.normal(0, 0.6, n) > 0).astype(float)]
        sets[benchmark.name, "copy of good", "ex"] = [sets[benchmark.name, "good", "ex"][0].copy()]
        sets[benchmark.name, "sampled", "ex"] = [
            (ease + rng.normal(0, 1, n) > 0).astype(float) for _ in range(3)
        ]
        right = sets[benchmark.name, "good", "ex"][0] == 1
        sets[benchmark.name, "good", "sd_op"] = [np.where(right, rng.random(n) < 0.4, np.nan)]
        sets[benchmark.name, "good", "soft_f1"] = [np.where(right, 1.0, np.round(rng.beta(1, 3, n), 3))]
    return sets


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str, str], list[Scores]]:
    return made_up_scores()


@pytest.fixture(scope="module")
def warehouse(
    scores: dict[tuple[str, str, str], list[Scores]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return build(tmp_path_factory.mktemp("statistics"), [WIDE, NARROW], scores)


@pytest.fixture(scope="module")
def intervals(warehouse: Path) -> list[dict[str, Any]]:
    return rows_of(warehouse, "select * from metric_intervals")


@pytest.fixture(scope="module")
def contrasts(warehouse: Path) -> list[dict[str, Any]]:
    return rows_of(warehouse, "select * from metric_contrasts")


def ratio(numerators: Scores, denominators: Scores, axis: int = -1) -> Scores:
    """Sums over sums."""
    divided: Scores = numerators.sum(axis=axis) / denominators.sum(axis=axis)
    return divided


def scipy_bounds(
    numerators: Scores, denominators: Scores, seed: int, level: float = 0.95
) -> tuple[float, float]:
    """scipy's percentile interval of the ratio, numerator and denominator drawn together."""
    found = stats.bootstrap(
        (numerators, denominators),
        ratio,
        paired=True,
        n_resamples=N_REPLICATES,
        method="percentile",
        confidence_level=level,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return found.low, found.high


def numpy_bounds(
    numerators: Scores,
    denominators: Scores,
    databases: npt.NDArray[np.int64],
    seed: int,
    percentiles: tuple[float, float] = (2.5, 97.5),
) -> tuple[float, float]:
    """Whole databases drawn with replacement, by numpy."""
    n_databases = int(databases.max()) + 1
    drawn = np.random.default_rng(seed).integers(0, n_databases, (N_REPLICATES, n_databases))
    sums_by_database = [
        np.array([scores[databases == database].sum() for database in range(n_databases)])
        for scores in (numerators, denominators)
    ]
    values = ratio(sums_by_database[0][drawn], sums_by_database[1][drawn])
    low, high = np.percentile(values, percentiles)
    return float(low), float(high)


def assert_near(bounds: tuple[float, float], reference: Callable[[int], tuple[float, float]]) -> None:
    """Both bounds lie within three Monte-Carlo standard errors of the reference's.

    The difference of one run and the mean of n has the variance of a run times 1 + 1/n.
    """
    runs = np.array([reference(seed) for seed in range(N_SEEDS)])
    standard_errors = runs.std(axis=0, ddof=1) * np.sqrt(1 + 1 / N_SEEDS)
    apart = np.abs(np.array(bounds) - runs.mean(axis=0))
    assert (apart <= 3 * standard_errors + 1e-9).all(), (bounds, runs.mean(axis=0), standard_errors)


def sums(samples: list[Scores]) -> tuple[Scores, Scores]:
    """Numerators and denominators per question."""
    mean = np.mean(samples, axis=0)
    return np.nan_to_num(mean), (~np.isnan(mean)).astype(float)


@pytest.mark.parametrize(
    ("prediction_set", "metric"),
    [("good", "ex"), ("poor", "ex"), ("sampled", "ex"), ("good", "sd_op"), ("good", "soft_f1")],
)
def test_the_interval_over_questions_is_scipys(
    prediction_set: str,
    metric: str,
    intervals: list[dict[str, Any]],
    scores: dict[tuple[str, str, str], list[Scores]],
) -> None:
    numerators, denominators = sums(scores["wide", prediction_set, metric])
    row = one(
        intervals,
        benchmark="wide",
        prediction_set=prediction_set,
        protocol="evalhouse",
        metric=metric,
        slice_by="all",
    )
    assert row["value"] == pytest.approx(numerators.sum() / denominators.sum(), abs=1e-12)
    assert row["denominator"] == denominators.sum()
    assert row["n_replicates"] == N_REPLICATES
    assert_near((row["ci_low"], row["ci_high"]), lambda seed: scipy_bounds(numerators, denominators, seed))


@pytest.mark.parametrize("slice_by", ["difficulty", "database"])
def test_a_slice_is_a_ratio_of_weighted_sums(
    slice_by: str, intervals: list[dict[str, Any]], scores: dict[tuple[str, str, str], list[Scores]]
) -> None:
    """The whole benchmark is drawn, and what falls into the slice is counted: its size varies."""
    (right,) = scores["wide", "good", "ex"]
    is_inside = WIDE.is_hard if slice_by == "difficulty" else WIDE.databases == 3
    row = one(
        intervals,
        benchmark="wide",
        prediction_set="good",
        slice_by=slice_by,
        slice="hard" if slice_by == "difficulty" else "db03",
        **EVALHOUSE,
    )
    assert row["denominator"] == is_inside.sum()
    inside = is_inside.astype(float)
    assert_near((row["ci_low"], row["ci_high"]), lambda seed: scipy_bounds(right * inside, inside, seed))


@pytest.mark.parametrize(("prediction_set", "metric"), [("good", "ex"), ("good", "sd_op")])
def test_the_interval_over_databases_is_numpys(
    prediction_set: str,
    metric: str,
    intervals: list[dict[str, Any]],
    scores: dict[tuple[str, str, str], list[Scores]],
) -> None:
    numerators, denominators = sums(scores["wide", prediction_set, metric])
    row = one(
        intervals,
        benchmark="wide",
        prediction_set=prediction_set,
        protocol="evalhouse",
        metric=metric,
        slice_by="all",
    )
    assert (row["n_clusters"], row["is_few_clusters"], row["clustering_reason"]) == (12, True, None)
    assert_near(
        (row["ci_low_clustered"], row["ci_high_clustered"]),
        lambda seed: numpy_bounds(numerators, denominators, WIDE.databases, seed),
    )


def test_few_databases_give_a_reason_instead(intervals: list[dict[str, Any]]) -> None:
    few = [row for row in intervals if row["n_clusters"] < 10]
    assert {row["benchmark"] for row in few} == {"narrow", "wide"}
    assert {(row["ci_low_clustered"], row["ci_high_clustered"]) for row in few} == {(None, None)}
    assert {row["clustering_reason"] for row in few} == {"fewer than 10 databases"}
    assert not any(row["is_few_clusters"] for row in few)


def test_wilson_is_statsmodels(intervals: list[dict[str, Any]]) -> None:
    for row in intervals:
        low, high = proportion_confint(row["numerator"], row["denominator"], method="wilson")
        assert (row["wilson_low"], row["wilson_high"]) == pytest.approx((low, high), abs=1e-9)


def test_the_interval_of_a_contrast_is_scipys(
    contrasts: list[dict[str, Any]], scores: dict[tuple[str, str, str], list[Scores]]
) -> None:
    (good,), (poor,) = scores["wide", "good", "ex"], scores["wide", "poor", "ex"]
    row = one(contrasts, benchmark="wide", set_a="good", set_b="poor")
    assert row["difference"] == pytest.approx((good - poor).mean(), abs=1e-12)
    ones = np.ones(len(good))
    assert_near((row["ci_low"], row["ci_high"]), lambda seed: scipy_bounds(good - poor, ones, seed))
    assert_near(
        (row["ci_low_clustered"], row["ci_high_clustered"]),
        lambda seed: numpy_bounds(good - poor, ones, WIDE.databases, seed),
    )


def test_the_narrower_interval_of_a_contrast_is_scipys(
    contrasts: list[dict[str, Any]], scores: dict[tuple[str, str, str], list[Scores]]
) -> None:
    """Of means of several samples: among scores of 0 and 1 a bound moves by whole questions."""
    apart = scores["wide", "poor", "ex"][0] - np.mean(scores["wide", "sampled", "ex"], axis=0)
    row = one(contrasts, benchmark="wide", set_a="poor", set_b="sampled")
    ones = np.ones(len(apart))
    assert_near((row["ci90_low"], row["ci90_high"]), lambda seed: scipy_bounds(apart, ones, seed, 0.9))
    assert_near(
        (row["ci90_low_clustered"], row["ci90_high_clustered"]),
        lambda seed: numpy_bounds(apart, ones, WIDE.databases, seed, (5, 95)),
    )
    assert row["is_within_margin"] is False


def test_pairs_stay_pairs(contrasts: list[dict[str, Any]], warehouse: Path) -> None:
    for benchmark in ("wide", "narrow"):
        row = one(contrasts, benchmark=benchmark, set_a="copy of good", set_b="good")
        assert (row["difference"], row["ci_low"], row["ci_high"], row["is_within_margin"]) == (0, 0, 0, True)
        assert (row["p_mcnemar"], row["p_equivalence"], row["is_equivalent"]) == (1, 0, True)
    row = one(contrasts, benchmark="wide", set_a="copy of good", set_b="good")
    assert (row["ci_low_clustered"], row["ci_high_clustered"]) == (0, 0)


def test_every_pair_is_compared_once(contrasts: list[dict[str, Any]]) -> None:
    pairs = [(row["benchmark"], *sorted((row["set_a"], row["set_b"]))) for row in contrasts]
    assert len(pairs) == len(set(pairs)) == 2 * 15


def test_mcnemar_is_exact(
    contrasts: list[dict[str, Any]], scores: dict[tuple[str, str, str], list[Scores]]
) -> None:
    n_tested = 0
    for row in contrasts:
        if "sampled" in (row["set_a"], row["set_b"]):
            assert (row["p_mcnemar"], row["mcnemar_reason"]) == (None, "several_samples")
            assert row["p_holm"] is None
            continue
        (a,), (b,) = (scores[row["benchmark"], row[side], "ex"] for side in ("set_a", "set_b"))
        table = [[((a == x) & (b == y)).sum() for y in (1, 0)] for x in (1, 0)]
        assert [row["n_both_right"], row["n_only_a"], row["n_only_b"]] == [*table[0], table[1][0]]
        assert row["p_mcnemar"] == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-9)
        n_discordant = table[0][1] + table[1][0]
        if n_discordant:
            expected = stats.binomtest(int(table[0][1]), int(n_discordant)).pvalue
            assert row["p_mcnemar"] == pytest.approx(expected, rel=1e-9)
        n_tested += 1
    assert n_tested == 20


def test_holm_is_statsmodels(contrasts: list[dict[str, Any]]) -> None:
    for benchmark in ("wide", "narrow"):
        rows = [row for row in contrasts if row["benchmark"] == benchmark and row["p_mcnemar"] is not None]
        expected = multipletests([row["p_mcnemar"] for row in rows], method="holm")[1]
        assert [row["p_holm"] for row in rows] == pytest.approx(list(expected), rel=1e-9)


def test_equivalence_is_statsmodels(
    contrasts: list[dict[str, Any]], scores: dict[tuple[str, str, str], list[Scores]]
) -> None:
    """Within 0.0001: a tail of Student's t is taken from the normal distribution after Wallace."""
    n_tested = 0
    for row in contrasts:
        a, b = (np.mean(scores[row["benchmark"], row[side], "ex"], axis=0) for side in ("set_a", "set_b"))
        if (a == b).all():
            continue
        expected = ttost_paired(a, b, -row["equivalence_margin"], row["equivalence_margin"])[0]
        assert row["p_equivalence"] == pytest.approx(expected, abs=1e-4)
        assert row["is_equivalent"] == (expected < 0.05)
        n_tested += 1
    assert n_tested == 28


def test_the_smallest_detectable_difference_is_statsmodels(
    contrasts: list[dict[str, Any]], scores: dict[tuple[str, str, str], list[Scores]]
) -> None:
    """Within 1% at 240 questions and 6% at 30: normal quantiles stand for Student's."""
    for row in contrasts:
        a, b = (np.mean(scores[row["benchmark"], row[side], "ex"], axis=0) for side in ("set_a", "set_b"))
        effect = TTestPower().solve_power(nobs=len(a), alpha=0.05, power=0.8)
        tolerance = 0.01 if row["benchmark"] == "wide" else 0.06
        expected = effect * (a - b).std(ddof=1)
        assert row["smallest_detectable_difference"] == pytest.approx(expected, rel=tolerance)


def test_draws_are_fair(warehouse: Path) -> None:
    """As many draws as units in every replicate; every unit drawn about as often as any other."""
    for benchmark in (WIDE, NARROW):
        for unit, n in (("question", benchmark.n_questions), ("database", benchmark.n_databases)):
            rows = rows_of(
                warehouse,
                f"select weights from bootstrap_weights where benchmark = '{benchmark.name}'"
                f" and unit = '{unit}' order by replicate",
            )
            weights = np.array([row["weights"] for row in rows], dtype=np.int64)
            assert weights.shape == (N_REPLICATES, n)
            assert (weights.sum(axis=1) == n).all()
            # Counts of N·n draws over n units; and the variance of one weight is 1 - 1/n.
            assert stats.chisquare(weights.sum(axis=0)).pvalue > 0.001
            assert weights.var() == pytest.approx(1 - 1 / n, rel=0.02)


def test_draws_can_be_repeated_by_hand(warehouse: Path) -> None:
    """The first replicate of the narrow benchmark, from md5 alone."""
    n = NARROW.n_questions
    expected = [0] * n
    draws: list[int] = []
    for block in range((n + 3) // 4):
        digest = int.from_bytes(md5(f"narrow question 1 {block}".encode()).digest(), MD5_BYTE_ORDER)
        draws += [(digest >> (32 * part)) & 0xFFFFFFFF for part in range(4)]
    for draw in draws[:n]:
        expected[(draw * n) >> 32] += 1
    (row,) = rows_of(
        warehouse,
        "select weights from bootstrap_weights"
        " where benchmark = 'narrow' and unit = 'question' and replicate = 1",
    )
    assert list(row["weights"]) == expected


def digest_of(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """md5 over the rows that a statement gives, whatever their order."""
    row = connection.execute(
        "select md5(string_agg(line, chr(10) order by line))"
        f" from (select md5(each::varchar) as line from ({sql}) as each)"
    ).fetchone()
    assert row is not None
    return str(row[0])


def test_draws_and_intervals_are_the_same_with_any_number_of_threads(warehouse: Path) -> None:
    compiled = warehouse / "target" / "compiled" / "evalhouse" / "models" / "statistics"
    for model in ("bootstrap_weights", "bootstrap_intervals"):
        sql = (compiled / f"{model}.sql").read_text()
        digests = set()
        for n_threads in (1, 2, 4):
            with duckdb.connect(str(warehouse / "warehouse.duckdb"), read_only=True) as connection:
                connection.execute(f"set threads = {n_threads}")
                digests.add(digest_of(connection, sql))
                stored = digest_of(connection, f"from {model}")
        assert digests == {stored}, model


def test_another_benchmark_changes_no_draw_and_no_interval(
    warehouse: Path, scores: dict[tuple[str, str, str], list[Scores]], tmp_path: Path
) -> None:
    alone = build(
        tmp_path / "alone", [NARROW], {key: value for key, value in scores.items() if key[0] == "narrow"}
    )
    for table in ("bootstrap_weights", "metric_intervals", "metric_contrasts"):
        sql = f"select * from {table} where benchmark = 'narrow'"
        digests = []
        for home in (warehouse, alone):
            with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
                digests.append(digest_of(connection, sql))
        assert digests[0] == digests[1], table


def test_what_was_resampled_is_kept_and_what_is_gone_is_dropped(
    scores: dict[tuple[str, str, str], list[Scores]], tmp_path: Path
) -> None:
    """A second build draws nothing anew, gives the same, and forgets a set that is gone."""
    narrow = {key: value for key, value in scores.items() if key[0] == "narrow"}
    home = build(tmp_path / "home", [NARROW], narrow)

    def contents() -> tuple[str, str]:
        with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
            return digest_of(connection, "from bootstrap_weights"), digest_of(
                connection, "from metric_intervals"
            )

    before = contents()
    run_dbt(home, *MODELS)
    assert contents() == before
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        connection.execute("delete from execution_match where prediction_set = 'poor'")
    run_dbt(home, *MODELS)
    without = {key: value for key, value in narrow.items() if key[1] != "poor"}
    fresh = build(tmp_path / "fresh", [NARROW], without)
    for table in ("bootstrap_weights", "bootstrap_intervals", "metric_contrasts"):
        digests = []
        for each in (home, fresh):
            with duckdb.connect(str(each / "warehouse.duckdb"), read_only=True) as connection:
                digests.append(digest_of(connection, f"from {table}"))
        assert digests[0] == digests[1], table
