"""The prediction sets that `glue generate` is told of: models, settings and questions, each one checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from glue.build import project_directory
from glue.errors import GlueError, nearest
from glue.generate_runs import (
    DEFAULT_SETTING,
    Run,
    as_begun,
    check_dialect,
    chosen_settings,
    default_name,
    is_cell,
    read_question_ids,
    the_dialect,
)
from glue.home import Home
from glue.landing import landed_keys

if TYPE_CHECKING:
    from glue.solvers.model_client import ModelClient


@dataclass(frozen=True)
class ModelOptions:
    """How language models are asked; controls look at none of it but `n_samples`, and at cells.

    Times in seconds, prices in US dollars per million tokens. `retries` is for each request and over all
    commands. `prompt_settings` give a prediction set each: rows of the seed, cells, or patterns of either.
    """

    prompt_settings: tuple[str, ...] = ()
    dialect: str | None = None
    temperature: float = 0.0
    max_tokens: int = 8192
    n_samples: int = 1
    concurrency: int = 16
    request_timeout_s: float = 300.0
    retries: int = 3
    is_malformed_retried: bool = False
    is_failed_retried: bool = False
    max_cost_usd: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    api_base: str | None = None
    backoff_s: float = 1.0


@dataclass(frozen=True)
class Asked:
    """The questions that sets consist of, where they are not a whole benchmark: their ids in its order.

    `first_name` begins the names that the sets are given, and `slice_name` ends them. `is_exact`: a set that
    has begun with further questions is refused, instead of keeping them.
    """

    question_ids: tuple[str, ...]
    slice_name: str | None = None
    first_name: str | None = None
    is_exact: bool = False


def runs_of(
    home: Home,
    models: Sequence[str],
    benchmark: str,
    name: str | None,
    gold_edition: str,
    question_file: Path | None,
    asked: Asked | None,
    options: ModelOptions,
) -> tuple[list[Run], dict[str, ModelClient]]:
    """The runs that a command names, checked, and a client for each language model among them."""
    from glue.importers.common import check_name
    from glue.importers.landed import landed_benchmark

    for given in (name, asked.first_name if asked else None):
        if given is not None:
            check_name(given)
    models = list(dict.fromkeys(models))
    for model in models:
        _check_control(model)
    landed = landed_benchmark(home, benchmark)
    _check_edition(home, landed.name, gold_edition)
    if question_file:
        asked = Asked(read_question_ids(question_file, landed), is_exact=True)
    clients = {model: client_of(model, options) for model in models if not model.startswith("control/")}
    settings = _settings_of(home, models, benchmark, options)
    new_run = partial(
        Run,
        benchmark=benchmark,
        gold_edition=gold_edition,
        question_ids=asked.question_ids if asked else None,
        n_samples=options.n_samples,
        may_have_more=asked is not None and not asked.is_exact,
    )
    first_name, slice_name = (asked.first_name, asked.slice_name) if asked else (None, None)
    own_dialect = the_dialect(landed) if any(settings.values()) else None
    runs: list[Run] = []
    for model in models:
        client = clients.get(model)
        if not settings[model]:
            runs.append(new_run(prediction_set=name or model, model=model))
        for setting in settings[model]:
            dialect = options.dialect if client else None  # a control writes as gold does
            set_name = name or default_name(first_name, model, setting, dialect or own_dialect, slice_name)
            run = new_run(prediction_set=set_name, model=model, setting=setting)
            runs.append(replace(run, dialect=dialect, settings=client.settings if client else {}))
    if name is not None and len(runs) > 1:
        what = f"{len(models)} models" if len(models) > 1 else f"{len(runs)} prompt settings"
        raise GlueError(f"{what} cannot share the name {name!r}", "leave --name out, or name one of them")
    return as_begun(home, runs), clients


def client_of(model: str, options: ModelOptions) -> ModelClient:
    """The client that asks a language model so. GlueError where it cannot be one."""
    from glue.solvers.model_client import ModelClient

    return ModelClient.of(
        model,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        api_base=options.api_base,
        timeout_s=options.request_timeout_s,
        price_in=options.price_in,
        price_out=options.price_out,
        max_cost_usd=options.max_cost_usd,
    )


def _settings_of(
    home: Home, models: Sequence[str], benchmark: str, options: ModelOptions
) -> dict[str, tuple[str, ...]]:
    """The settings that each model answers in; none for the controls that answer in no cell.

    GlueError for a setting that is none, a cell of a benchmark that is not under study, a control that
    answers in cells without one, and one that does not with one.
    """
    from glue.solvers.controls import CELL_CONTROLS
    from glue.study.registry import check_studied, check_under_history
    from glue.study.shots import is_of_history

    project = project_directory()
    settings = chosen_settings(options.prompt_settings, project) if options.prompt_settings else ()
    cells = tuple(setting for setting in settings if is_cell(setting, project))
    if options.dialect is not None and not all(model.startswith("control/") for model in models):
        check_dialect(options.dialect, project)
    if cells:
        check_studied(home, benchmark, cells[0])
    for setting in settings:
        if is_of_history(setting):
            check_under_history(home, benchmark, setting)
    chosen: dict[str, tuple[str, ...]] = {}
    for model in models:
        if model.removeprefix("control/") in CELL_CONTROLS:
            if not settings or cells != settings:
                raise GlueError(
                    f"{model} answers in cells of the budget study",
                    "give it cells alone, such as --setting lexical-raw-tiny-end_to_end",
                )
            chosen[model] = cells
        elif model.startswith("control/"):
            if cells:
                raise GlueError(
                    f"{model} answers in no cell of the budget study",
                    "use control/memorizer, or no --setting",
                )
            chosen[model] = ()
        else:
            chosen[model] = settings or (DEFAULT_SETTING,)
    return chosen


def _check_control(model: str) -> None:
    from glue.solvers.controls import CONTROLS

    known = [f"control/{name}" for name in CONTROLS]
    if model.startswith("control/") and model not in known:
        close = nearest(model, known)
        raise GlueError(
            f"there is no {model}", f"did you mean {close}?" if close else f"one of {', '.join(known)}"
        )


def _check_edition(home: Home, benchmark: str, gold_edition: str) -> None:
    landed = landed_keys(home, "golds", columns=["benchmark", "gold_edition"]).to_pylist()
    editions = sorted({row["gold_edition"] for row in landed if row["benchmark"] == benchmark})
    if gold_edition in editions:
        return
    close = nearest(gold_edition, editions)
    raise GlueError(
        f"{benchmark} has no golds of edition {gold_edition!r}",
        f"did you mean {close!r}?" if close else f"editions: {', '.join(editions) or 'none'}",
    )
