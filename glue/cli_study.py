"""The options of `glue run --study`, and what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from glue import cli_generate
from glue.cli_output import print_table, say
from glue.home import Home

if TYPE_CHECKING:
    from glue.embed import EmbedReport
    from glue.generate import GenerateReport
    from glue.progress import Progress
    from glue.run import ExecuteOptions, ExecuteReport
    from glue.study.budget import Study, Sweep

_ASKING = (
    *("temperature", "max_tokens", "n_samples", "concurrency", "request_timeout_s", "retries"),
    *("is_malformed_retried", "is_failed_retried", "max_cost_usd", "price_in", "price_out", "api_base"),
)
"""Options of `glue generate` that a study takes too, by the names of their values."""


def _levels(name: str, factor: str, told: str) -> Any:
    return click.option(
        f"--{factor}",
        name,
        multiple=True,
        metavar=factor.upper(),
        help=f"Study: {told}; may be repeated.",
    )


def _asking_options() -> tuple[Any, ...]:
    """Those options, with their help and defaults as there."""
    found: dict[str, Any] = {}
    for option in cli_generate.OPTIONS:
        probe: Any = option(lambda: None)
        (parameter,) = probe.__click_params__
        found[parameter.name] = option
    return tuple(found[name] for name in _ASKING)


OPTIONS = (
    click.option(
        "--study",
        type=click.Choice(["budget"]),
        help="Run a study instead of importing predictions: every cell, asked, executed and reported.",
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="MODEL",
        help="Study: who is asked, as in `glue generate` (default: the controls visible-gold and memorizer).",
    ),
    _levels("rankers", "ranker", "its rankers (default: the paper's, lexical and dense)"),
    _levels("representations", "representation", "its representations (default: all)"),
    _levels("budgets", "budget", "its budgets (default: all)"),
    _levels("conditions", "condition", "its conditions (default: all)"),
    _levels("namings", "naming", "prefixed (default) or bare table names"),
    click.option(
        "--encoder",
        "encoders",
        multiple=True,
        metavar="NAME",
        help="Study: embed with this first, for dense rankers; may be repeated.",
    ),
    click.option(
        "--sample",
        "n_sampled",
        type=click.IntRange(min=1),
        metavar="N",
        help="Study: only N held-out questions, the same in every cell and on every machine.",
    ),
    *_asking_options(),
    click.option(
        "--plan", "is_plan", is_flag=True, help="Study: print requests, tokens and cost; send nothing."
    ),
)
NAMES = (
    *("study", "models", "rankers", "representations", "budgets", "conditions", "namings", "encoders"),
    *("n_sampled", "is_plan", *_ASKING),
)
"""The values of these options."""


def run(
    command: str, progress: Progress, benchmark: str, execute: ExecuteOptions, given: dict[str, Any]
) -> None:
    """Do what the options say and print how it went. What stops it early is raised."""
    from glue.study.budget import Steps, plan_study, run_study

    study = study_of(benchmark, given)
    if given["is_plan"]:
        cli_generate.print_plans(plan_study(Home.current(), study, progress, command=command))
        return
    steps = Steps(
        on_registered=lambda: say(f"{benchmark} is under study from now on"),
        on_embedded=_tell_embedded,
        on_plan=lambda found: say(cli_generate.told_plan(found)),
        on_generated=print_generated,
        on_executed=_tell_executed,
        on_build=lambda: say("building the warehouse …"),
    )
    print_sweep(run_study(Home.current(), study, execute, progress, steps, command=command))


def study_of(benchmark: str, given: dict[str, Any]) -> Study:
    """The study that the options ask for."""
    from glue.generate import ModelOptions
    from glue.study.budget import Study, models_or_default
    from glue.study.cells import Grid

    factors = ("rankers", "representations", "budgets", "conditions", "namings")
    return Study(
        benchmark,
        models_or_default(given["models"]),
        Grid(**{name: tuple(given[name]) for name in factors}),
        given["n_sampled"],
        tuple(given["encoders"]),
        ModelOptions(**{name: given[name] for name in _ASKING}),
    )


def print_generated(reports: list[GenerateReport]) -> None:
    """How asking ended, a line for each model. What stopped the last set early is raised."""
    by_model: dict[str, list[GenerateReport]] = {}
    for report in reports:
        by_model.setdefault(report.model, []).append(report)
    for model, sets in by_model.items():
        answered = sum(report.n_answered + report.n_truncated for report in sets)
        failed = sum(report.n_failed for report in sets)
        waiting = sum(report.n_waiting for report in sets)
        parts = [f"{answered:,} answered"]
        parts += [f"{failed:,} without an answer"] if failed else []
        parts += [f"{waiting:,} left for later"] if waiting else []
        print(f"{model} on {sets[0].benchmark}: {len(sets):,} sets, now {', '.join(parts)}")
    stopped = [report for report in reports if report.stop]
    cli_generate.print_reports(stopped)


def print_sweep(found: Sweep) -> None:
    """The study's report as a table."""
    print_table(found.columns, found.rows)
    say("accuracy under ex_set_namespace, 95% intervals over questions; more: budget_sweep, docs/study.md")


def _tell_embedded(report: EmbedReport) -> None:
    from glue.cli_embed import tell_report

    tell_report(report)


def _tell_executed(report: ExecuteReport) -> None:
    from glue.cli_output import print_waves

    print_waves(report)
    if report.is_interrupted:
        raise click.Abort
