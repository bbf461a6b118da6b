"""`glue generate`: its options, and what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glue import cli_requests
from glue.cli_output import print_table, say
from glue.cli_parts import COUNT, FILE, command_line, options
from glue.home import Home

if TYPE_CHECKING:
    from glue.generate import GenerateReport, Plan
    from glue.solvers.prices import Price


@click.command(
    short_help="Have a model or a control answer questions.",
    epilog="""\b
Examples:
  glue generate --model openai/gpt-5-mini --benchmark enterprise --plan
  glue generate --model openai/gpt-5-mini --benchmark enterprise --limit 5
  glue generate --model anthropic/claude-sonnet-4-5 --benchmark bird_dev --max-cost 5
  glue generate --model openai/my-model --api-base http://localhost:8000/v1 --benchmark enterprise
  glue generate --model control/gold --model control/gold-broken --benchmark bird_dev
  glue generate --model control/visible-gold --benchmark bird_dev --setting 'lexical-raw-*'

Keys come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, …) and are never stored.""",
)
@click.option(
    "--model",
    "models",
    required=True,
    multiple=True,
    metavar="MODEL",
    help="A model by litellm's name (provider/model), or control/gold, …; may be repeated.",
)
@click.option("--benchmark", required=True, metavar="BENCHMARK", help="The benchmark to answer.")
@click.option(
    "--setting",
    "prompt_settings",
    multiple=True,
    metavar="SETTING",
    help="Prompt: zero_shot, schema_linked (default), a cell of the budget study such as"
    " lexical-raw-tiny-end_to_end, or a pattern such as 'lexical-raw-*'; or past queries, as in"
    " history/dail_sql/mqs-0.6-4. A set for each; may be repeated.",
)
@click.option("--dialect", metavar="NAME", help="Ask for this SQL dialect (default: the question's).")
@click.option("--name", metavar="SET", help="The prediction set's name (default: model/setting/dialect).")
@click.option(
    "--gold-edition",
    default="benchmark",
    show_default=True,
    metavar="NAME",
    help="The golds it is scored with.",
)
@click.option("--limit", type=COUNT, metavar="N", help="Ask at most so many questions now.")
@click.option(
    "--questions",
    "question_file",
    type=FILE,
    metavar="FILE",
    help="The set has only these questions: one id a line.",
)
@options(*cli_requests.ASKING, cli_requests.plan("Print requests, tokens and cost; send nothing."))
def generate(
    models: tuple[str, ...],
    benchmark: str,
    name: str | None,
    gold_edition: str,
    limit: int | None,
    question_file: Path | None,
    is_plan: bool,
    **given: Any,
) -> None:
    """Have a model answer a benchmark's questions.

    What has been answered is not asked again; every attempt is kept as it came, and Ctrl-C loses none. The
    controls need no model: gold (must be perfect), gold-rewritten (the same in other words), gold-broken (one
    thing changed), nearest-history (the honest floor), distractor (the likeliest mistake), second-gold.
    """
    from glue.generate import ModelOptions, plan
    from glue.generate import generate as generate_sets
    from glue.progress import progress_on

    how = ModelOptions(**given)
    what: dict[str, Any] = {
        "models": models,
        "benchmark": benchmark,
        "name": name,
        "gold_edition": gold_edition,
        "limit": limit,
        "question_file": question_file,
        "options": how,
        "progress": progress_on(),
        "command": command_line(how.api_base),
    }
    if is_plan:
        print_plans(plan(Home.current(), **what))
        return
    if how.n_samples > 1 and how.temperature == 0 and not _only_controls(models):
        say("note: at temperature 0 the samples of a question will be much alike")
    print_reports(generate_sets(Home.current(), **what, on_plan=lambda found: say(told_plan(found))))


def print_reports(reports: list[GenerateReport]) -> None:
    """How asking ended, a line for each set; and a bad end, as `tell_end` does."""
    for report in reports:
        print(told_report(report))
    tell_end(reports)


def tell_end(reports: list[GenerateReport]) -> None:
    """Raise what stopped the last set early, or that of a language model's requests all failed.

    A control that has nothing to say has said what there is.
    """
    if reports and (tally := reports[-1].tally) and tally.stop:
        last = reports[-1]
        waiting = f"{last.n_waiting:,} requests"
        doing = f"asking for {last.prediction_set}"
        cli_requests.tell_stop(tally.stop, doing, waiting, tally.stop_error, last.stop_hint)
    by_model: dict[str, list[GenerateReport]] = {}
    for report in reports:
        if report.tally is not None:
            by_model.setdefault(report.model, []).append(report)
    for model, sets in by_model.items():
        n_failed = sum(report.n_failed for report in sets)
        n_answered = sum(report.n_answered + report.n_truncated for report in sets)
        first_error = next((report.first_error for report in sets if report.first_error), None)
        cli_requests.check_any_came(f"{model} answered", n_failed, n_answered, "requests", first_error)


def _only_controls(models: tuple[str, ...]) -> bool:
    return all(model.startswith("control/") for model in models)


# --------------------------------------------------------------------------- the plan


def print_plans(plans: list[Plan]) -> None:
    """A table of what would be sent, set by set, and how tokens and cost were reckoned."""
    is_study = len(plans) > 1 or any(
        found.counts and (found.counts.n_not_asked or found.n_without_ranking) for found in plans
    )
    columns = ["prediction set", "requests", "distinct", "now", "prompt tokens", "at most USD"]
    if is_study:
        columns[1:1] = ["questions", "not asked", "answered"]
    print_table(columns, [_plan_row(found, is_study) for found in plans])
    if is_study:
        print(_told_total(plans))
    if any(found.n_without_ranking for found in plans):
        print(_told_unranked(plans))
    for line in dict.fromkeys(line for found in plans for line in reckoning(found)):
        print(line)
    print("nothing was sent")


def _plan_row(found: Plan, is_study: bool) -> tuple[str, ...]:
    tokens = "" if found.n_prompt_tokens is None else f"{found.n_prompt_tokens:,}"
    before: tuple[str, ...] = ()
    if is_study:
        counts = found.counts
        before = ("", "", "")
        if counts is not None:
            before = (f"{counts.n_questions:,}", f"{counts.n_not_asked:,}", f"{counts.n_done:,}")
            if counts.n_without_ranking and not counts.n_requests:
                return (found.prediction_set, *before, "not ranked yet", "", "", "", "")
    numbers = (found.n_requests, found.n_distinct, found.n_now)
    requests = tuple(f"{number:,}" for number in numbers)
    return (found.prediction_set, *before, *requests, tokens, cli_requests.usd(found.most_usd))


def _told_total(plans: list[Plan]) -> str:
    """What all sets come to together: what they share is sent once."""
    from glue.generate_work import total_of

    total = total_of(plans)
    not_asked = f", {total.n_not_asked:,} questions without a context" if total.n_not_asked else ""
    tokens = "" if total.n_prompt_tokens is None else f", {total.n_prompt_tokens:,} prompt tokens"
    return (
        f"all {len(plans):,} sets: {total.n_requests:,} requests{not_asked}; {total.n_done:,} are answered;"
        f" to send now {total.n_distinct:,} distinct{tokens}, at most {cli_requests.usd(total.most_usd)} USD"
    )


def _told_unranked(plans: list[Plan]) -> str:
    from glue.build import project_directory
    from glue.study.rankings import told_unranked

    unranked = {str(found.setting): found.n_without_ranking for found in plans if found.n_without_ranking}
    return told_unranked(unranked, plans[0].benchmark, project_directory())


def reckoning(found: Plan) -> list[str]:
    """How tokens and cost of a plan were reckoned, in lines; none for controls."""
    if found.token_counter is None:
        return []
    lines = [f"tokens are counted with {found.token_counter}"]
    if found.price is None:
        lines.append("the price is unknown: give --price-in and --price-out (USD per million tokens)")
    else:
        lines.append(
            f"cost: one attempt each, no token cached, every answer {found.max_tokens:,} tokens long;"
            f" {_told_price(found.price)}"
        )
    if found.n_used_up:
        lines.append(f"{found.n_used_up:,} more have used up their attempts: --retry-failed asks them again")
    return lines


def told_plan(found: Plan) -> str:
    """The plan of one set in a line, for stderr."""
    cost = (
        "cost unknown" if found.most_usd is None else f"cost at most {cli_requests.usd(found.most_usd)} USD"
    )
    return (
        f"{found.prediction_set}: {found.n_now:,} requests to send, {found.n_prompt_tokens:,} prompt tokens"
        f" (counted with {found.token_counter}), {cost}"
    )


def _told_price(price: Price) -> str:
    per_million = f"{price.rates.prompt * 1e6:g} USD in, {price.rates.completion * 1e6:g} out"
    return f"{per_million} per million tokens, {cli_requests.told_origin(price)}"


# --------------------------------------------------------------------------- the report


def told_report(report: GenerateReport) -> str:
    """How asking for one set ended, in a line."""
    counts = [
        (report.n_answered, "answered"),
        (report.n_truncated, "cut at the token limit"),
        (report.n_failed, f"failed (first: {report.first_error})"),
    ]
    nothing = "none answered" if report.n_waiting else "nothing was left to answer"
    parts = [f"{count:,} {what}" for count, what in counts if count] or [nothing]
    if report.n_waiting:
        parts.append(f"{report.n_waiting:,} left for later")
    if report.n_used_up:
        parts.append(f"{report.n_used_up:,} have used up their attempts (--retry-failed asks them again)")
    tally = report.tally
    if tally is not None and tally.n_attempts:
        parts.append(_told_tokens(report))
    return f"{report.prediction_set} on {report.benchmark}: {', '.join(parts)}"


def _told_tokens(report: GenerateReport) -> str:
    tally = report.tally
    assert tally is not None
    cached = f" ({tally.n_cached_tokens:,} cached)" if tally.n_cached_tokens else ""
    reasoning = f" ({tally.n_reasoning_tokens:,} reasoning)" if tally.n_reasoning_tokens else ""
    cost = f"{tally.cost_usd:,.4f} USD" if report.is_priced else "unknown"
    unpriced = f" and {tally.n_unpriced:,} attempts without a cost" if tally.n_unpriced else ""
    return (
        f"{tally.n_attempts:,} attempts, {tally.n_prompt_tokens:,} prompt tokens{cached},"
        f" {tally.n_completion_tokens:,} answer tokens{reasoning}, cost of this command {cost}"
        f"{unpriced if report.is_priced else ''}"
    )
