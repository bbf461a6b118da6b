"""The two regressions, against scikit-learn, statsmodels and cases that can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as api
from scipy import stats
from sklearn.linear_model import LogisticRegression

from glue.logistic import fit_row, identified, penalised, t_quantile


def drawn(n: int = 300, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n, 4)) * [1, 5, 0.2, 30] + [0, 3, 1, 100]
    groups = random.integers(0, 12, n).astype(float)
    odds = rows @ [0.9, -0.2, 2, 0.01] - 3 + 0.4 * groups / 12
    return rows, (random.random(n) < 1 / (1 + np.exp(-odds))).astype(float), groups


@pytest.mark.parametrize("seed", range(4))
def test_the_papers_fit_is_scikit_learns(seed: int) -> None:
    rows, outcomes, groups = drawn(seed=seed)
    fit = penalised(rows, outcomes, groups)
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    theirs = LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=5000)
    theirs.fit(scaled, outcomes)
    assert fit.coefficients == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert fit.intercept == pytest.approx(theirs.intercept_[0], abs=1e-5)
    assert fit.accuracy == pytest.approx(theirs.score(scaled, outcomes))


@pytest.mark.parametrize("seed", range(4))
def test_the_other_fit_is_statsmodels_with_clusters(seed: int) -> None:
    rows, outcomes, groups = drawn(seed=seed)
    fit = identified(rows, outcomes, groups)
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    theirs = api.Logit(outcomes, api.add_constant(scaled)).fit(disp=0)
    assert fit.coefficients == pytest.approx(theirs.params[1:], abs=1e-6)
    bread = np.linalg.inv(-theirs.model.hessian(theirs.params))
    scores = theirs.model.score_obs(theirs.params)
    sums = np.array([scores[groups == name].sum(axis=0) for name in np.unique(groups)])
    n = len(sums)
    wanted = np.sqrt(np.diag(bread @ sums.T @ sums @ bread) * n / (n - 1))
    assert fit.standard_errors == pytest.approx(wanted[1:], rel=1e-6)


def test_a_single_yes_or_no_feature_gives_the_log_odds_ratio() -> None:
    """30 of 40 right with it, 10 of 40 without: the odds are 3 and 1/3, the log of their ratio is log 9."""
    rows = np.array([[1.0]] * 40 + [[0.0]] * 40)
    outcomes = np.array([1.0] * 30 + [0.0] * 10 + [1.0] * 10 + [0.0] * 30)
    fit = identified(rows, outcomes, np.arange(80.0))
    assert fit.coefficients == pytest.approx([math.log(9) / 2])  # a standardised step is half the way
    assert fit.accuracy == 0.75


def test_what_cannot_be_told_is_said() -> None:
    rows, outcomes, groups = drawn()
    wide = np.column_stack([rows, np.full(len(rows), 7.0), rows[:, 0] * 2 - rows[:, 1]])
    fit = identified(wide, outcomes, groups)
    assert fit.problems == [None, None, None, None, "zero_variance", "collinear"]
    assert fit.coefficients[4:] == [None, None] and fit.standard_errors[4:] == [None, None]
    assert identified(rows, outcomes, groups).coefficients == pytest.approx(fit.coefficients[:4], abs=1e-6)
    paper = penalised(wide, outcomes, groups)
    assert paper.problems == [None, None, None, None, "zero_variance", None]
    assert paper.coefficients[4] is None and paper.coefficients[5] is not None


def test_separated_classes_have_no_intervals() -> None:
    rows = np.arange(20.0)[:, None]
    outcomes = (rows[:, 0] > 9).astype(float)
    fit = identified(rows, outcomes, np.arange(20.0) % 4)
    assert fit.is_separated and fit.standard_errors == [None]
    assert penalised(rows, outcomes, np.arange(20.0) % 4).coefficients[0] is not None


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_one_class_alone_is_no_error(value: float) -> None:
    rows, _, groups = drawn(50)
    outcomes = np.full(50, value)
    fit = penalised(rows, outcomes, groups)
    assert fit.accuracy == 1.0
    assert identified(rows, outcomes, groups).is_separated


def test_held_out_accuracy_is_not_above_what_can_be_known() -> None:
    random = np.random.default_rng(5)
    rows, outcomes = random.normal(size=(400, 6)), (random.random(400) < 0.5).astype(float)
    fit = penalised(rows, outcomes, np.repeat(np.arange(8.0), 50))
    assert fit.cv_accuracy is not None and fit.group_cv_accuracy is not None
    assert 0.4 < fit.cv_accuracy < 0.58 and 0.4 < fit.group_cv_accuracy < 0.58 < fit.accuracy + 0.1


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 10, 29, 60])
def test_quantiles_of_t(freedom: int) -> None:
    assert t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=1e-9)


def test_a_row_for_sql() -> None:
    row = fit_row([[1.0], [2.0], [3.0], [5.0]], [True, False, True, False], ["a", "a", "b", "b"], True)
    assert row["n_rows"] == 4 and row["n_groups"] == 2 and row["standard_errors"] == [None]
