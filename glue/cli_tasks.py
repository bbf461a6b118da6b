"""`glue tasks`: new tasks from past queries, and what they are handed on as."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glue import cli_requests
from glue.cli_execute import EXECUTE_OPTIONS, chosen_execution, tell_waves
from glue.cli_generate import print_plans, told_plan, told_report
from glue.cli_output import say
from glue.cli_parts import FILE, PoliteGroup, command_line, names_of, options
from glue.home import Home

if TYPE_CHECKING:
    from glue.study.drafting import Drafting, DraftingReport

_NO_QUESTIONS = ("n_samples", "is_malformed_retried")
"""Options of asking that are about answers to questions."""
_ASKING = tuple(option for option in cli_requests.ASKING if names_of([option])[0] not in _NO_QUESTIONS)
_EXECUTION = tuple(
    option for option in EXECUTE_OPTIONS if names_of([option])[0] in ("workers", "timeout", "max_memory")
)
_REST_OF_EXECUTION = {
    "gold_timeout": None,
    "max_rows": None,
    "prepared": "auto",
    "keep_rows": "all",
    "check_stability": False,
}
_MAX_DRAFTS = 99_999
"""Most drafts of one model: the tasks' numbers have room for no more."""
_BENCHMARK = click.option(
    "--benchmark", required=True, metavar="BENCHMARK", help="The benchmark whose history is drafted from."
)


@click.group(cls=PoliteGroup, short_help="Construct new tasks from past queries.")
def tasks() -> None:
    """Construct new tasks from past queries, as BIRD-History was (docs/history.md)."""


@tasks.command(
    short_help="Have a model draft tasks, and check them.",
    epilog="""\b
Examples:
  glue tasks draft --benchmark bird_dev --n 50 --model openai/gpt-5-mini --plan
  glue tasks draft --benchmark bird_dev --n 50 --model openai/gpt-5-mini --max-cost 5""",
)
@_BENCHMARK
@click.option("--model", required=True, metavar="MODEL", help="A model by litellm's name (provider/model).")
@click.option(
    "--n",
    "n_drafts",
    type=click.IntRange(1, _MAX_DRAFTS),
    required=True,
    metavar="N",
    help="How many drafts.",
)
@options(*_ASKING, cli_requests.plan("Print what would be sent next; send nothing."))
@options(*_EXECUTION)
def draft(benchmark: str, model: str, n_drafts: int, is_plan: bool, **given: Any) -> None:
    """Have a model draft N tasks: each from two to six past queries of one database.

    A draft is run, checked by SQL and validated by the model; what is faulty goes back to the model, three
    times at most. What was answered is not asked again, by the same command after a kill or with a larger N.
    """
    from glue.generate import ModelOptions
    from glue.progress import progress_on
    from glue.study.drafting import Drafting, DraftingSteps, draft_tasks, plan_tasks

    how = ModelOptions(**{name: given[name] for name in names_of(_ASKING)})
    drafting = Drafting(benchmark, model, n_drafts, how)
    progress, command = progress_on(), command_line(how.api_base)

    def registered() -> None:
        say(f"{benchmark} is under the history study from now on")

    if is_plan:
        found, standing = plan_tasks(Home.current(), drafting, progress, registered, command=command)
        print_plans([found])
        _print_standing(standing)
        return
    steps = DraftingSteps(
        on_registered=registered,
        on_plan=lambda found: say(told_plan(found)),
        on_asked=lambda report: print(told_report(report)),
        on_executed=tell_waves,
    )
    execution = chosen_execution([], {**given, **_REST_OF_EXECUTION})
    report = draft_tasks(Home.current(), drafting, execution, progress, steps, command=command)
    _print_end(drafting, report)


def _print_end(drafting: Drafting, report: DraftingReport) -> None:
    """Where the drafts stand. What stopped asking early is raised."""
    _print_standing(report.standing)
    last = report.last
    if last is not None and last.n_used_up:
        say(f"{last.n_used_up:,} requests have used up their attempts: --retry-failed asks them again")
    if last is not None and last.tally is not None and last.tally.stop:
        doing = f"drafting tasks for {drafting.benchmark}"
        cli_requests.tell_stop(
            last.tally.stop, doing, f"{last.n_waiting:,} requests", last.tally.stop_error, last.stop_hint
        )


def _print_standing(standing: dict[str, Any]) -> None:
    revised = ", ".join(f"{standing[f'n_accepted_at_{number}']:,}" for number in range(4))
    print(
        f"{standing['n_offered']:,} drafts: {standing['n_accepted']:,} accepted (after 0, 1, 2, 3 revisions:"
        f" {revised}), {standing['n_rejected']:,} rejected, {standing['n_unfinished']:,} unfinished"
    )
    n_less = standing["n_drafts"] - standing["n_offered"]
    if n_less:
        say(f"{n_less:,} more have no two past queries to be drafted from")


@tasks.command(
    short_help="Write accepted tasks in BIRD-History's layout.",
    epilog="""\b
Examples:
  glue tasks export --benchmark bird_dev --output drafted.json
  glue tasks export --benchmark bird_dev --decision valid --output reviewed.json""",
)
@_BENCHMARK
@click.option(
    "--decision",
    "decisions",
    multiple=True,
    metavar="DECISION",
    help="Only tasks that people so decided on (glue import reviews); may be repeated.",
)
@click.option("--output", type=FILE, metavar="FILE", help="Write to this file instead of stdout.")
def export(benchmark: str, decisions: tuple[str, ...], output: Path | None) -> None:
    """Write the accepted tasks as JSON in BIRD-History's layout, which `glue import bird-history` reads."""
    from glue.progress import progress_on
    from glue.study.drafting import exported_tasks, tasks_text, write_tasks

    found = exported_tasks(Home.current(), benchmark, progress_on(), decisions)
    if output is None:
        print(tasks_text(found), end="")
        return
    write_tasks(found, output)
    say(f"{len(found):,} tasks in {output}")
