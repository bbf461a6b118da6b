"""The options of `glue run --study`, and what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from glue.cli_embed import tell_report
from glue.cli_execute import tell_waves
from glue.cli_generate import print_plans, tell_end, told_plan, told_report
from glue.cli_output import print_table, say
from glue.cli_parts import COUNT, OptionDecorator, command_line, names_of
from glue.cli_requests import ASKING, plan
from glue.home import Home

if TYPE_CHECKING:
    from glue.generate import GenerateReport
    from glue.run import ExecuteOptions
    from glue.study.budget import Study, Sweep


def _levels(name: str, factor: str, told: str) -> OptionDecorator:
    return click.option(
        f"--{factor}",
        name,
        multiple=True,
        metavar=factor.upper(),
        help=f"Study: {told}; may be repeated.",
    )


STUDY_OPTIONS = (
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
        type=COUNT,
        metavar="N",
        help="Study: the first N held-out questions in a drawn order, the same in every cell and on every"
        " machine; of these, the ones whose database is at hand.",
    ),
    *ASKING,
    plan("Study: print requests, tokens and cost; send nothing."),
)


def run_study(benchmark: str, execution: ExecuteOptions, given: dict[str, Any]) -> None:
    """Run the study that the values of STUDY_OPTIONS ask for, or plan it, and print how it went.

    What stops it early is raised: GlueError, or click.Abort.
    """
    from glue.progress import progress_on
    from glue.study import budget

    progress, command = progress_on(), command_line(given["api_base"])
    study = _study_of(benchmark, given)
    if given["is_plan"]:
        print_plans(budget.plan_study(Home.current(), study, progress, command=command))
        return
    steps = budget.Steps(
        on_registered=lambda: say(f"{benchmark} is under study from now on"),
        on_embedded=tell_report,
        on_plan=lambda found: say(told_plan(found)),
        on_generated=print_generated,
        on_executed=tell_waves,
        on_build=lambda: say("building the warehouse …"),
    )
    print_sweep(budget.run_study(Home.current(), study, execution, progress, steps, command=command))


def _study_of(benchmark: str, given: dict[str, Any]) -> Study:
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
        given["name"],
        ModelOptions(**{name: given[name] for name in names_of(ASKING)}),
    )


def print_generated(reports: list[GenerateReport]) -> None:
    """How asking ended, a line for each model; and a bad end, as `tell_end` does."""
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
    for report in reports:
        if report.stop:
            print(told_report(report))
    tell_end(reports)


def print_sweep(found: Sweep) -> None:
    """The study's report as a table."""
    print_table(found.columns, found.rows)
    say("accuracy under ex_set_namespace, 95% intervals over questions; more: budget_sweep, docs/study.md")
