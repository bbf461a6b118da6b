"""The options of `glue run --study`, and what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from glue.cli_embed import tell_report
from glue.cli_execute import tell_waves
from glue.cli_generate import print_plans, print_reports, reckoning, tell_end, told_plan, told_report
from glue.cli_output import print_table, say
from glue.cli_parts import COUNT, OptionDecorator, command_line, names_of
from glue.cli_requests import ASKING, plan, usd
from glue.home import Home

if TYPE_CHECKING:
    from glue.generate import GenerateReport, Plan
    from glue.progress import Progress
    from glue.run import ExecuteOptions
    from glue.study.budget import Study, Sweep
    from glue.study.history import StudyReport


def _levels(name: str, factor: str, told: str, study: str = "Study") -> OptionDecorator:
    return click.option(
        f"--{factor}",
        name,
        multiple=True,
        metavar=factor.upper(),
        help=f"{study}: {told}; may be repeated.",
    )


_BUDGET_OPTIONS = (
    _levels("rankers", "ranker", "its rankers (default: the paper's, lexical and dense)"),
    _levels("representations", "representation", "its representations (default: all)"),
    _levels("budgets", "budget", "its budgets (default: all)"),
    _levels("conditions", "condition", "its conditions (default: all)"),
    _levels("namings", "naming", "prefixed (default) or bare table names"),
    click.option(
        "--sample",
        "n_sampled",
        type=COUNT,
        metavar="N",
        help="Study: the first N held-out questions in a drawn order, the same in every cell and on every"
        " machine; of these, the ones whose database is at hand.",
    ),
)
_HISTORY_OPTIONS = (
    click.option(
        "--history",
        metavar="NAME",
        help="History study: a benchmark, whose golds are the past queries, or a query log (default: that of"
        " the published labels, else the benchmark itself).",
    ),
    _levels(
        "retrievers",
        "retriever",
        "what finds the past queries that answers are shown, such as mqs, q_c_model, evalhouse, none or"
        " gold (docs/history.md; default: the pipeline's own), with -unasked at its end without the history's"
        " questions",
        "History study",
    ),
    click.option(
        "--threshold",
        "thresholds",
        type=float,
        multiple=True,
        default=[0.6],
        show_default=True,
        metavar="T",
        help="History study: least score of what answers are shown, 0.5 to 0.9 by tenths; may be repeated.",
    ),
    click.option(
        "--max-shots",
        type=click.Choice(["1", "2", "3", "4", "5", "dynamic"]),
        multiple=True,
        default=["3"],
        show_default=True,
        help="History study: most past queries that answers are shown; may be repeated.",
    ),
    _levels(
        "pipelines",
        "pipeline",
        "prompt styles of answers: dail_sql (default), opensearch_sql, n_rep, codes",
        "History study",
    ),
    click.option(
        "--describe-model",
        metavar="MODEL",
        help="History study: who describes, extracts keywords, filters and reranks (default: the first"
        " --model).",
    ),
    click.option(
        "--quality-set",
        metavar="SET",
        help="History study: predictions of the history's own questions; mqs_filter, which is n_rep's own,"
        " retrieves what they got right.",
    ),
    click.option(
        "--preliminary-set",
        metavar="SET",
        help="History study: predictions that retriever dail looks at (default: asked of the first --model).",
    ),
    click.option(
        "--as-of",
        metavar="TIME",
        help="History study: as of this time (ISO 8601); what came later is unknown.",
    ),
)
STUDY_OPTIONS = (
    click.option(
        "--study",
        type=click.Choice(["budget", "history"]),
        help="Run a study instead of importing predictions: every cell, asked, executed and reported.",
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="MODEL",
        help="Study: who is asked, as in `glue generate` (default: of the budget study the controls"
        " visible-gold and memorizer, of the history study nobody).",
    ),
    click.option(
        "--encoder",
        "encoders",
        multiple=True,
        metavar="NAME",
        help="Study: embed with this first; for dense rankers may be repeated.",
    ),
    *_BUDGET_OPTIONS,
    *_HISTORY_OPTIONS,
    *ASKING,
    plan("Study: print requests, tokens and cost; send nothing."),
)


def options_of_others(study: str) -> set[str]:
    """Options of a study that are for another than this one."""
    return set(names_of(_HISTORY_OPTIONS if study == "budget" else _BUDGET_OPTIONS))


def run_study(benchmark: str, execution: ExecuteOptions, given: dict[str, Any]) -> None:
    """Run the study that the values of STUDY_OPTIONS ask for, or plan it, and print how it went.

    What stops it early is raised: GlueError, or click.Abort.
    """
    from glue.progress import progress_on
    from glue.study import budget

    progress, command = progress_on(), command_line(given["api_base"])
    if given["study"] == "history":
        _run_history(benchmark, execution, given, progress, command)
        return
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


def _run_history(
    benchmark: str, execution: ExecuteOptions, given: dict[str, Any], progress: Progress, command: str
) -> None:
    from glue.generate import ModelOptions
    from glue.study import history

    if len(given["encoders"]) > 1:
        raise click.UsageError("a history is compared by one --encoder")
    names = ("history", "describe_model", "quality_set", "preliminary_set", "as_of")
    study = history.HistoryStudy(
        benchmark,
        **{name: given[name] for name in names},
        encoder=next(iter(given["encoders"]), None),
        models=tuple(dict.fromkeys(given["models"])),
        retrievers=tuple(given["retrievers"]),
        thresholds=tuple(given["thresholds"]),
        max_shots=tuple(given["max_shots"]),
        pipelines=tuple(given["pipelines"]),
        name=given["name"],
        options=ModelOptions(**{name: given[name] for name in names_of(ASKING)}),
    )
    if given["is_plan"]:
        _print_purposes(history.plan_history(Home.current(), study, progress, command=command))
        return
    steps = history.HistorySteps(
        on_registered=lambda: say(f"{benchmark} is under the history study from now on"),
        on_embedded=tell_report,
        on_plan=lambda found: say(told_plan(found)),
        on_asked=print_reports,
        on_executed=tell_waves,
        on_build=lambda: say("building the warehouse …"),
    )
    try:
        found = history.run_history(Home.current(), study, execution, progress, steps, command=command)
    except history.StoppedEarly:
        return
    print_history(found)


def print_history(found: StudyReport) -> None:
    """What each retriever finds, and below it, where somebody answered, EX."""
    if not found.retrieval.rows:
        say("there is no task: no question needs anything that a kept past query of its database holds")
        say(
            "more: history_queries says which past queries are kept, and why others are not (docs/history.md)"
        )
        return
    print("what each retriever finds, at the threshold and number of shots with its best F1:")
    print_table(found.retrieval.columns, found.retrieval.rows)
    reports = "history_retrieval, history_by_type"
    if found.pipelines.rows:
        print("\nEX so far, each retriever in the setting answered best, and gain over the pipeline's own:")
        print_table(found.pipelines.columns, found.pipelines.rows)
        reports += ", history_pipelines, history_shots, history_ablation"
    say(f"95% intervals over tasks; more: {reports}, docs/history.md")


def _print_purposes(plans: list[tuple[str, Plan]]) -> None:
    """What would be sent, by purpose, and how tokens and cost were reckoned."""
    purposes = list(dict.fromkeys(purpose for purpose, _ in plans))
    columns = ["purpose", "runs", "requests", "distinct", "prompt tokens", "at most USD"]
    print_table(
        columns,
        [_purpose_row(purpose, [found for name, found in plans if name == purpose]) for purpose in purposes],
    )
    for line in dict.fromkeys(line for _, found in plans for line in reckoning(found)):
        print(line)
    if plans:
        print("later steps are counted as they would be asked now: answers to earlier ones change them")
    else:
        print("no model is named, so nothing would be asked: templates describe, rules find keywords")
    print("nothing was sent")


def _purpose_row(purpose: str, plans: list[Plan]) -> tuple[str, ...]:
    from glue.generate_work import total_of

    total = total_of(plans)
    tokens = "" if total.n_prompt_tokens is None else f"{total.n_prompt_tokens:,}"
    n_requests = sum(plan.n_requests for plan in plans)
    return (
        purpose,
        f"{len(plans):,}",
        f"{n_requests:,}",
        f"{total.n_distinct:,}",
        tokens,
        usd(total.most_usd),
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
