"""Logistic regression of right answers on features of schemas and questions (ESQ-Bench, section 7.2).

Two fits of the same rows. `penalised` is the paper's: all features, standardised, classes balanced, an L2
penalty as scikit-learn's default (C = 1, the intercept free); it has no intervals, for its coefficients of
features that go together depend on the penalty. `identified` drops what the data cannot tell apart, has no
penalty, and its standard errors are clustered (sandwich estimator with the factor G/(G-1)); with few
clusters they are too small, and t quantiles of G-1 degrees of freedom are used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MAX_STEPS = 100
TOLERANCE = 1e-10
SEPARATED_AT = 15.0  # log-odds beyond which a fitted probability is 0 or 1 for all purposes
N_FOLDS = 5


@dataclass
class Fit:
    """Coefficients on the standardised scale by column; None where a column has none, and why."""

    intercept: float
    coefficients: list[float | None]
    problems: list[str | None]  # zero_variance, collinear
    standard_errors: list[float | None] = field(default_factory=list)
    is_separated: bool = False
    accuracy: float = 0.0
    cv_accuracy: float | None = None
    group_cv_accuracy: float | None = None
    n_rows: int = 0
    n_positive: int = 0
    n_groups: int = 0


def penalised(rows: Floats, outcomes: Floats, groups: Floats, strength: float = 1.0) -> Fit:
    """The paper's fit, with accuracy in sample, in five stratified folds, and with each group left out."""
    scaled, problems = _standardised(rows)
    kept = [place for place, problem in enumerate(problems) if problem is None]
    weights = _balanced(outcomes)
    found = _newton(scaled[:, kept], outcomes, weights, 1.0 / strength)
    fit = Fit(float(found[0]), _spread(found[1:], kept, len(problems)), problems)
    _describe(fit, scaled[:, kept], found, outcomes, groups)
    fit.cv_accuracy = _accuracy_out_of(_stratified(outcomes), rows, outcomes, strength)
    fit.group_cv_accuracy = _accuracy_out_of(groups, rows, outcomes, strength) if fit.n_groups > 1 else None
    return fit


def identified(rows: Floats, outcomes: Floats, groups: Floats) -> Fit:
    """What the data can tell apart, without a penalty, standard errors clustered by group.

    A column without variance, and one that is a combination of those before it, has no coefficient.
    """
    scaled, problems = _standardised(rows)
    kept: list[int] = []
    for place, problem in enumerate(problems):
        if problem is not None:
            continue
        design = np.column_stack([np.ones(len(scaled)), scaled[:, [*kept, place]]])
        if np.linalg.matrix_rank(design, tol=1e-8 * len(scaled)) < design.shape[1]:
            problems[place] = "collinear"
        else:
            kept.append(place)
    weights = np.ones(len(outcomes))
    found = _newton(scaled[:, kept], outcomes, weights, 1e-9)
    fit = Fit(float(found[0]), _spread(found[1:], kept, len(problems)), problems)
    _describe(fit, scaled[:, kept], found, outcomes, groups)
    design = np.column_stack([np.ones(len(scaled)), scaled[:, kept]])
    fit.is_separated = bool(np.max(np.abs(design @ found), initial=0.0) > SEPARATED_AT)
    errors: Floats | None = None
    if not fit.is_separated and fit.n_groups > 1:
        errors = _clustered_errors(design, outcomes, found, groups)
    fit.standard_errors = (
        [None] * len(problems) if errors is None else _spread(errors[1:], kept, len(problems))
    )
    return fit


def _standardised(rows: Floats) -> tuple[Floats, list[str | None]]:
    means, spreads = rows.mean(axis=0), rows.std(axis=0)
    has_none = spreads < 1e-12
    scaled = (rows - means) / np.where(has_none, 1.0, spreads)
    return scaled, ["zero_variance" if none else None for none in has_none]


def _balanced(outcomes: Floats) -> Floats:
    """Weights under which both classes count alike, as scikit-learn's `balanced`."""
    n_positive = outcomes.sum()
    n_negative = len(outcomes) - n_positive
    if n_positive == 0 or n_negative == 0:
        return np.ones(len(outcomes))
    half = len(outcomes) / 2
    return np.where(outcomes == 1, half / n_positive, half / n_negative)


def _newton(scaled: Floats, outcomes: Floats, weights: Floats, penalty: float) -> Floats:
    """Intercept and coefficients that minimise the weighted log loss plus penalty/2 times their squares."""
    design = np.column_stack([np.ones(len(scaled)), scaled])
    ridge = np.diag([1e-12] + [penalty] * scaled.shape[1])
    found = np.zeros(design.shape[1])
    loss = _loss(design, outcomes, weights, ridge, found)
    for _ in range(MAX_STEPS):
        chance = _chance(design @ found)
        gradient = design.T @ (weights * (chance - outcomes)) + ridge @ found
        curvature = (design * (weights * chance * (1 - chance))[:, None]).T @ design + ridge
        step = np.linalg.solve(curvature + 1e-12 * np.eye(len(found)), gradient)
        size = 1.0
        while size > 1e-6:
            tried = found - size * step
            tried_loss = _loss(design, outcomes, weights, ridge, tried)
            if tried_loss <= loss:
                break
            size /= 2
        found, before, loss = found - size * step, loss, min(loss, tried_loss)
        if np.max(np.abs(size * step)) < TOLERANCE or np.max(np.abs(design @ found)) > 2 * SEPARATED_AT:
            break
        if before - loss < 1e-14 * max(1.0, abs(loss)):
            break
    return found


def _loss(design: Floats, outcomes: Floats, weights: Floats, ridge: Floats, found: Floats) -> float:
    odds = design @ found
    return float((weights * (np.logaddexp(0, odds) - outcomes * odds)).sum() + found @ ridge @ found / 2)


def _chance(odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(odds, -700, 700)))


def _describe(fit: Fit, scaled: Floats, found: Floats, outcomes: Floats, groups: Floats) -> None:
    odds = found[0] + scaled @ found[1:]
    fit.accuracy = float(((odds > 0) == (outcomes == 1)).mean())
    fit.n_rows, fit.n_positive = len(outcomes), int(outcomes.sum())
    fit.n_groups = len(np.unique(groups))


def _spread(values: Floats, kept: list[int], width: int) -> list[float | None]:
    placed: list[float | None] = [None] * width
    for place, value in zip(kept, values, strict=True):
        placed[place] = float(value)
    return placed


def _stratified(outcomes: Floats) -> Floats:
    """A fold for each row: those of each class in turn."""
    folds = np.zeros(len(outcomes))
    for value in (0.0, 1.0):
        places = np.flatnonzero(outcomes == value)
        folds[places] = np.arange(len(places)) % N_FOLDS
    return folds


def _accuracy_out_of(folds: Floats, rows: Floats, outcomes: Floats, strength: float) -> float:
    """The share of rows that a fit on the other folds gets right."""
    n_right = 0
    for fold in np.unique(folds):
        held = folds == fold
        seen, means = rows[~held], rows[~held].mean(axis=0)
        if not len(seen):
            return math.nan
        spreads = seen.std(axis=0)
        kept = spreads >= 1e-12
        scaled = (seen[:, kept] - means[kept]) / spreads[kept]
        found = _newton(scaled, outcomes[~held], _balanced(outcomes[~held]), 1.0 / strength)
        odds = found[0] + (rows[held][:, kept] - means[kept]) / spreads[kept] @ found[1:]
        n_right += int(((odds > 0) == (outcomes[held] == 1)).sum())
    return n_right / len(outcomes)


def _clustered_errors(design: Floats, outcomes: Floats, found: Floats, groups: Floats) -> Floats | None:
    chance = _chance(design @ found)
    curvature = (design * (chance * (1 - chance))[:, None]).T @ design
    scores = design * (outcomes - chance)[:, None]
    names = np.unique(groups)
    sums = np.array([scores[groups == name].sum(axis=0) for name in names])
    try:
        bread = np.linalg.inv(curvature)
    except np.linalg.LinAlgError:
        return None
    n = len(names)
    covariance = bread @ (sums.T @ sums) @ bread * n / (n - 1)
    return np.sqrt(np.maximum(np.diag(covariance), 0))


def t_quantile(freedom: int) -> float:
    """The quantile 0.975 of Student's t with so many degrees of freedom, by bisection of its exact series."""
    low, high = 0.0, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_two_sided(middle, freedom) < 0.95 else (low, middle)
    return (low + high) / 2


def _t_two_sided(value: float, freedom: int) -> float:
    """P(|t| < value) for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(value / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    is_odd = freedom % 2 == 1
    term, total = (math.cos(angle), 0.0) if is_odd else (1.0, 0.0)
    for step in range(freedom // 2):
        total += term
        term *= square * ((2 * step + 2) / (2 * step + 3) if is_odd else (2 * step + 1) / (2 * step + 2))
    if is_odd:
        return (angle + math.sin(angle) * total) * 2 / math.pi
    return math.sin(angle) * total


def fit_row(
    rows: list[list[float]], outcomes: list[bool], groups: list[str], is_penalised: bool
) -> dict[str, Any]:
    """One fit as a row for SQL: the fields of Fit, with t quantiles for its intervals."""
    names = {name: float(place) for place, name in enumerate(dict.fromkeys(groups))}
    arguments = (
        np.asarray(rows, dtype=np.float64),
        np.asarray(outcomes, dtype=np.float64),
        np.asarray([names[name] for name in groups]),
    )
    fit = penalised(*arguments) if is_penalised else identified(*arguments)
    margin = t_quantile(fit.n_groups - 1) if fit.n_groups > 1 else None
    errors = fit.standard_errors or [None] * len(fit.problems)
    return {**vars(fit), "standard_errors": errors, "t_quantile": margin}
