"""What commands that send requests to models share: options, and how prices and bad ends are told.

`glue generate` and `glue run --study` take all of ASKING; `glue embed` has defaults and words of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from glue.cli_output import say
from glue.cli_parts import COUNT, OptionDecorator
from glue.errors import GlueError

if TYPE_CHECKING:
    from glue.solvers.prices import Price

_AMOUNT = click.FloatRange(min=0)
_POSITIVE = click.FloatRange(min=0, min_open=True)


def concurrency(default: int, told: str) -> OptionDecorator:
    """--concurrency."""
    return click.option(
        "--concurrency", type=COUNT, default=default, show_default=True, metavar="N", help=told
    )


def request_timeout(default_s: int) -> OptionDecorator:
    """--request-timeout, in seconds."""
    return click.option(
        "--request-timeout",
        "request_timeout_s",
        type=_POSITIVE,
        default=default_s,
        show_default=True,
        metavar="SECONDS",
        help="Limit of one request.",
    )


def retries(what: str) -> OptionDecorator:
    """--retries of `what`: a request, a text."""
    return click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=3,
        show_default=True,
        metavar="N",
        help=f"Further attempts at {what} that failed, over all commands.",
    )


def retry_failed(verb: str) -> OptionDecorator:
    """--retry-failed: Ask, or Try, again."""
    return click.option(
        "--retry-failed",
        "is_failed_retried",
        is_flag=True,
        help=f"{verb} again, with new attempts, what has used up its own or failed for good.",
    )


def price_in(told: str) -> OptionDecorator:
    """--price-in, in US dollars per million tokens."""
    return click.option("--price-in", type=_AMOUNT, metavar="USD", help=told)


def plan(told: str) -> OptionDecorator:
    """--plan: what would be sent, and nothing else."""
    return click.option("--plan", "is_plan", is_flag=True, help=told)


MAX_COST = click.option(
    "--max-cost",
    "max_cost_usd",
    type=_POSITIVE,
    metavar="USD",
    help="Send nothing more once this command could cost more.",
)
API_BASE = click.option(
    "--api-base", metavar="URL", help="Where the model is, such as http://localhost:8000/v1."
)

ASKING = (
    click.option(
        "--temperature", type=_AMOUNT, default=0, show_default=True, metavar="T", help="Temperature."
    ),
    click.option(
        "--max-tokens",
        type=COUNT,
        default=8192,
        show_default=True,
        metavar="N",
        help="Longest answer, with what the model thinks.",
    ),
    click.option(
        "--samples",
        "n_samples",
        type=COUNT,
        default=1,
        show_default=True,
        metavar="N",
        help="Answers to each question.",
    ),
    concurrency(16, "Requests at once."),
    request_timeout(300),
    retries("a request"),
    click.option(
        "--retry-malformed", "is_malformed_retried", is_flag=True, help="Also where the answer holds no SQL."
    ),
    retry_failed("Ask"),
    MAX_COST,
    price_in("Price of a million prompt tokens."),
    click.option("--price-out", type=_AMOUNT, metavar="USD", help="Price of a million answer tokens."),
    API_BASE,
)
"""How a language model is asked, what it may cost and where it is: fields of ModelOptions."""


def usd(amount: float | None) -> str:
    """An amount of US dollars for people, without its unit."""
    return "unknown" if amount is None else f"{amount:,.4f}"


def told_origin(price: Price) -> str:
    """Where a price is from."""
    return "from litellm's list" if price.source == "cost_map" else "as given"


def tell_stop(stop: str, doing: str, waiting: str, error: str | None, hint: str | None) -> None:
    """Why `doing` stopped early: an error, but for what the user wanted.

    `stop` is interrupted (click.Abort), max_cost (a note) or a kind of failure (GlueError); `waiting` is what
    is left, as in "7 texts".
    """
    if stop == "interrupted":
        raise click.Abort
    if stop == "max_cost":
        say(
            f"stopped at --max-cost: the next request could exceed it; {waiting} remain,"
            " and the same command goes on with a new allowance"
        )
        return
    cause = f": {error}" if error else ""
    raise GlueError(f"{doing} stopped ({stop}){cause}", hint or "the same command goes on from there")


def check_any_came(done: str, n_failed: int, n_done: int, what: str, first_error: str | None) -> None:
    """GlueError when requests failed and nothing came of any: a script must not take that for done.

    `done` is who did what, as in "minilm embedded", and `what` the things asked for, as in "texts".
    """
    if n_failed and not n_done:
        raise GlueError(
            f"{done} none of {n_failed:,} {what}; the first error: {first_error}",
            "mend the cause; --retry-failed asks again what has used up its attempts or failed for good",
        )
