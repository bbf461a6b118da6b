"""The options of `glue embed`, and what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from glue.cli_output import say
from glue.errors import GlueError
from glue.home import Home

if TYPE_CHECKING:
    from glue.embed import EmbedPlan, EmbedReport
    from glue.progress import Progress

_COUNT = click.IntRange(min=1)
_POSITIVE = click.FloatRange(min=0, min_open=True)

EPILOG = """\b
Examples:
  glue embed --encoder minilm --benchmark bird_dev --plan
  glue embed --encoder minilm
  glue embed --encoder use-multilingual
  glue embed --encoder openai/text-embedding-3-small --max-cost 1
  glue embed --encoder openai/my-model --api-base http://localhost:8000/v1

Keys come from the environment (OPENAI_API_KEY, VOYAGE_API_KEY, …) and are never stored."""

OPTIONS = (
    click.option(
        "--encoder",
        required=True,
        metavar="NAME",
        help="minilm, use-multilingual, hub:ORG/NAME, a folder of sentence-transformers, or an embedding"
        " model by litellm's name (provider/model).",
    ),
    click.option(
        "--benchmark",
        "benchmarks",
        multiple=True,
        metavar="BENCHMARK",
        help="A benchmark under study (default: all of them); may be repeated.",
    ),
    click.option(
        "--batch-size", type=_COUNT, default=64, show_default=True, metavar="N", help="Texts at once."
    ),
    click.option(
        "--dimensions", type=_COUNT, metavar="N", help="Ask an API for vectors of so many dimensions."
    ),
    click.option(
        "--concurrency",
        type=_COUNT,
        default=8,
        show_default=True,
        metavar="N",
        help="Requests to an API at once.",
    ),
    click.option(
        "--request-timeout",
        "request_timeout_s",
        type=_POSITIVE,
        default=120,
        show_default=True,
        metavar="SECONDS",
        help="Limit of one request.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=3,
        show_default=True,
        metavar="N",
        help="Further attempts at a text that failed, over all commands.",
    ),
    click.option(
        "--retry-failed",
        "is_failed_retried",
        is_flag=True,
        help="Try again, with new attempts, what has used up its own or failed for good.",
    ),
    click.option(
        "--max-cost",
        "max_cost_usd",
        type=_POSITIVE,
        metavar="USD",
        help="Send nothing more once this command could cost more.",
    ),
    click.option(
        "--price-in",
        type=click.FloatRange(min=0),
        metavar="USD",
        help="An API's price of a million tokens.",
    ),
    click.option("--api-base", metavar="URL", help="Where the model is, such as http://localhost:8000/v1."),
    click.option("--plan", "is_plan", is_flag=True, help="Print texts, tokens and cost; embed nothing."),
)


def run(command: str, progress: Progress, given: dict[str, Any]) -> None:
    """Do what the options say and print how it went."""
    from glue.embed import EmbedOptions, embed, plan
    from glue.encoders.api import ApiOptions

    encoder, benchmarks, is_plan = (given.pop(name) for name in ("encoder", "benchmarks", "is_plan"))
    options = EmbedOptions(batch_size=given.pop("batch_size"), api=ApiOptions(**given))
    shared: dict[str, Any] = {"options": options, "progress": progress, "command": command}
    if is_plan:
        print_plan(plan(Home.current(), encoder, benchmarks, **shared))
        return
    report = embed(Home.current(), encoder, benchmarks, **shared, on_plan=lambda found: say(told_plan(found)))
    tell_report(report)


def tell_report(report: EmbedReport) -> None:
    """Print how embedding ended. Why it stopped early is an error, but for what the user wanted."""
    print(told_report(report))
    _tell_stop(report)


def print_plan(found: EmbedPlan) -> None:
    """A table of what would be embedded, and how tokens and cost were reckoned."""
    from glue.cli_output import print_table

    tokens = "unknown" if found.n_tokens is None else f"{found.n_tokens:,}"
    row = (found.encoder, f"{found.n_texts:,}", f"{found.n_batches:,}", tokens, _usd(found.most_usd))
    print_table(["encoder", "texts", "batches", "tokens", "at most USD"], [row])
    print(f"of {', '.join(found.benchmarks)}; revision {found.revision}")
    if found.token_counter:
        print(f"tokens are counted with {found.token_counter}")
    if found.n_cut:
        print(f"{found.n_cut:,} texts are longer than the {found.n_max_tokens:,} tokens that it reads")
    if found.price is not None:
        origin = "from litellm's list" if found.price.source == "cost_map" else "as given"
        print(f"cost: one attempt each; {found.price.rates.prompt * 1e6:g} USD per million tokens, {origin}")
    elif found.most_usd is None:
        print("the price is unknown: give --price-in (USD per million tokens)")
    if found.n_used_up:
        print(f"{found.n_used_up:,} more have used up their attempts: --retry-failed tries them again")
    print("nothing was embedded")


def told_plan(found: EmbedPlan) -> str:
    """The plan in a line, for stderr."""
    tokens = "" if found.n_tokens is None else f", {found.n_tokens:,} tokens"
    cost = "" if found.most_usd == 0 else f", cost at most {_usd(found.most_usd)} USD"
    return f"{found.encoder}: {found.n_texts:,} texts to embed{tokens}{cost}"


def told_report(report: EmbedReport) -> str:
    """How embedding ended, in a line."""
    counts = [
        (report.n_embedded, "embedded"),
        (report.n_failed, f"failed (first: {report.first_error})"),
        (report.n_waiting, "left for later"),
        (report.n_used_up, "have used up their attempts (--retry-failed tries them again)"),
    ]
    parts = [f"{count:,} {what}" for count, what in counts if count] or ["nothing was left to embed"]
    if report.n_embedded:
        parts.append(f"in {report.elapsed_s:,.1f} s")
    tally = report.tally
    if tally is not None and tally.n_attempts:
        cost = f"{tally.cost_usd:,.4f} USD" if report.is_priced else "unknown"
        if tally.n_unpriced and report.is_priced:
            cost += f" and {tally.n_unpriced:,} without a cost"
        counted = f"{tally.n_attempts:,} requests, {tally.n_prompt_tokens:,} tokens"
        parts.append(f"{counted}, cost of this command {cost}")
    return f"{report.encoder}: {', '.join(parts)}"


def _usd(amount: float | None) -> str:
    return "unknown" if amount is None else f"{amount:,.4f}"


def _tell_stop(report: EmbedReport) -> None:
    """Why it stopped early: an error, but for what the user wanted."""
    if report.stop is None:
        return
    if report.stop == "interrupted":
        raise click.Abort
    if report.stop == "max_cost":
        say(
            f"stopped at --max-cost: the next request could exceed it; {report.n_waiting:,} texts remain,"
            " and the same command goes on with a new allowance"
        )
        return
    error = f": {report.stop_error}" if report.stop_error else ""
    raise GlueError(
        f"embedding with {report.encoder} stopped ({report.stop}){error}",
        report.stop_hint or "the same command goes on from there",
    )
