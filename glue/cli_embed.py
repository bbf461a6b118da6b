"""`glue embed`: its options, and what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from glue import cli_requests
from glue.cli_output import print_table, say
from glue.cli_parts import COUNT, command_line, options
from glue.home import Home

if TYPE_CHECKING:
    from glue.embed import EmbedPlan, EmbedReport


@click.command(
    short_help="Give the texts that rankers compare their vectors.",
    epilog="""\b
Examples:
  glue embed --encoder minilm --benchmark bird_dev --plan
  glue embed --encoder minilm
  glue embed --encoder use-multilingual
  glue embed --encoder openai/text-embedding-3-small --max-cost 1
  glue embed --encoder openai/my-model --api-base http://localhost:8000/v1

Keys come from the environment (OPENAI_API_KEY, VOYAGE_API_KEY, …) and are never stored.""",
)
@click.option(
    "--encoder",
    required=True,
    metavar="NAME",
    help="minilm, use-multilingual, hub:ORG/NAME, a folder of sentence-transformers, or an embedding"
    " model by litellm's name (provider/model).",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="BENCHMARK",
    help="A benchmark under study (default: all of them); may be repeated.",
)
@click.option("--batch-size", type=COUNT, default=64, show_default=True, metavar="N", help="Texts at once.")
@click.option(
    "--precision",
    type=click.Choice(["ten-bit", "half", "single"]),
    help="Of the vectors as they are stored: 10, 16 or 32 bits a number (default: half for what nothing but"
    " the history study compares).",
)
@click.option("--dimensions", type=COUNT, metavar="N", help="Ask an API for vectors of so many dimensions.")
@options(
    cli_requests.concurrency(8, "Requests to an API at once."),
    cli_requests.request_timeout(120),
    cli_requests.retries("a text"),
    cli_requests.retry_failed("Try"),
    cli_requests.MAX_COST,
    cli_requests.price_in("An API's price of a million tokens."),
    cli_requests.API_BASE,
    cli_requests.plan("Print texts, tokens and cost; embed nothing."),
)
def embed(
    encoder: str,
    benchmarks: tuple[str, ...],
    batch_size: int,
    precision: str | None,
    is_plan: bool,
    **given: Any,
) -> None:
    """Embed the questions and tables of benchmarks under study, for the dense rankers.

    What has been embedded is not embedded again, and Ctrl-C loses no more than the batches under way. A
    ranking appears with the next build once every table of the pool has its vector.
    """
    from glue.embed import EmbedOptions, plan
    from glue.embed import embed as embed_texts
    from glue.encoders.api import ApiOptions
    from glue.progress import progress_on

    how: dict[str, Any] = {
        "options": EmbedOptions(batch_size, ApiOptions(**given), precision),
        "progress": progress_on(),
        "command": command_line(given["api_base"]),
    }
    if is_plan:
        print_plan(plan(Home.current(), encoder, benchmarks, **how))
        return
    report = embed_texts(
        Home.current(), encoder, benchmarks, **how, on_plan=lambda found: say(told_plan(found))
    )
    tell_report(report)


def tell_report(report: EmbedReport) -> None:
    """Print how embedding ended. Why it stopped early is an error, but for what the user wanted.

    So is it that texts failed and none was embedded.
    """
    print(told_report(report))
    if report.stop:
        waiting = f"{report.n_waiting:,} texts"
        doing = f"embedding with {report.encoder}"
        cli_requests.tell_stop(report.stop, doing, waiting, report.stop_error, report.stop_hint)
    done = f"{report.encoder} embedded"
    cli_requests.check_any_came(done, report.n_failed, report.n_embedded, "texts", report.first_error)


def print_plan(found: EmbedPlan) -> None:
    """A table of what would be embedded, and how tokens and cost were reckoned."""
    tokens = "unknown" if found.n_tokens is None else f"{found.n_tokens:,}"
    row = (
        found.encoder,
        f"{found.n_texts:,}",
        f"{found.n_batches:,}",
        tokens,
        cli_requests.usd(found.most_usd),
    )
    print_table(["encoder", "texts", "batches", "tokens", "at most USD"], [row])
    print(f"of {', '.join(found.benchmarks)}; revision {found.revision}")
    if found.token_counter:
        print(f"tokens are counted with {found.token_counter}")
    if found.n_cut:
        print(f"{found.n_cut:,} texts are longer than the {found.n_max_tokens:,} tokens that it reads")
    if found.price is not None:
        origin = cli_requests.told_origin(found.price)
        print(f"cost: one attempt each; {found.price.rates.prompt * 1e6:g} USD per million tokens, {origin}")
    elif found.most_usd is None:
        print("the price is unknown: give --price-in (USD per million tokens)")
    if found.n_used_up:
        print(f"{found.n_used_up:,} more have used up their attempts: --retry-failed tries them again")
    print("nothing was embedded")


def told_plan(found: EmbedPlan) -> str:
    """The plan in a line, for stderr."""
    tokens = "" if found.n_tokens is None else f", {found.n_tokens:,} tokens"
    cost = "" if found.most_usd == 0 else f", cost at most {cli_requests.usd(found.most_usd)} USD"
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
