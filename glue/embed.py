"""`glue embed`: gives the texts of studied benchmarks the vectors that dense rankers compare, and lands them.

That an encoder was asked for lands first, which makes what it has not embedded rows of the pending table.
What is embedded is decided from what has landed, under the lock of the loop, so that nothing is embedded
twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from glue.build import refresh
from glue.embed_api import embed_by_api
from glue.embed_here import embed_here
from glue.embed_work import EmbedPlan, Outcome, Work, land_encoder, landed_dimensions, plan_of, work_of
from glue.encoders import encoder_of
from glue.encoders.api import ApiEncoder, ApiOptions
from glue.encoders.base import VectorCheck
from glue.errors import GlueError, nearest
from glue.handoff import pending_embeddings
from glue.home import Home
from glue.landing import Writer, landed_keys
from glue.progress import Silent

if TYPE_CHECKING:
    from glue.encoders import Encoder
    from glue.progress import Progress
    from glue.solvers.asking import Tally

__all__ = ["EmbedOptions", "EmbedPlan", "EmbedReport", "embed", "plan"]

BATCH_SIZE = 64


@dataclass(frozen=True)
class EmbedOptions:
    """How texts are embedded: so many at once, and how an API is asked.

    `precision` of the vectors that land: ten-bit, half or single; None: half for what nothing but the history
    study compares.
    """

    batch_size: int = BATCH_SIZE
    api: ApiOptions = field(default_factory=ApiOptions)
    precision: str | None = None


@dataclass(frozen=True)
class EmbedReport:
    """How embedding ended, in texts.

    `n_waiting` were left when it stopped; `n_used_up` were not tried, since they have used up their attempts
    or failed for good. `tally` is an API's.
    """

    encoder: str
    revision: str
    n_embedded: int
    n_failed: int
    n_waiting: int
    n_used_up: int
    elapsed_s: float
    first_error: str | None = None
    stop: str | None = None  # why it stopped early: interrupted, max_cost, or a kind of failure
    stop_error: str | None = None
    stop_hint: str | None = None
    tally: Tally | None = None
    is_priced: bool = True


@dataclass
class _Session:
    """What one command works with."""

    writer: Writer
    encoder: Encoder
    benchmarks: tuple[str, ...]
    options: EmbedOptions
    shown: Progress

    def work(self) -> Work:
        """What is to be embedded: the encoder lands as asked for, and the pending table comes up to date."""
        home = self.writer.home
        land_encoder(self.writer, self.encoder, self.benchmarks)
        refresh(
            home,
            "pending_embeddings",
            on_start=lambda: self.shown.note("bringing the pending table up to date …"),
        )
        wanted = [
            row
            for row in pending_embeddings(home).to_pylist()
            if (row["encoder"], row["revision"]) == (self.encoder.name, self.encoder.revision)
            and row["benchmark"] in self.benchmarks
        ]
        landed = set(landed_keys(home, "embeddings")["embedding_id"].to_pylist())
        api = self.options.api
        return work_of(
            wanted,
            landed,
            retries=api.retries,
            is_failed_retried=api.is_failed_retried,
            precision=self.options.precision,
        )

    def plan(self, work: Work) -> EmbedPlan:
        """The plan of that work."""
        return plan_of(self.encoder, self.benchmarks, work, self.options.batch_size)

    def embed(self, work: Work) -> Outcome:
        """Embed it."""
        writer, encoder = self.writer, self.encoder
        batches = work.batches(self.options.batch_size)
        check = VectorCheck(landed_dimensions(writer.home, encoder))
        if isinstance(encoder, ApiEncoder):
            return embed_by_api(writer, encoder, batches, self.options.api, check, self.shown)
        return embed_here(writer, encoder, batches, check, self.shown)


def embed(
    home: Home,
    encoder: str,
    benchmarks: Sequence[str] = (),
    *,
    options: EmbedOptions | None = None,
    progress: Progress | None = None,
    command: str = "glue embed",
    on_plan: Callable[[EmbedPlan], None] | None = None,
) -> EmbedReport:
    """Embed what an encoder has not embedded of some studied benchmarks (default: of all of them).

    `on_plan` gets the plan before the first text. GlueError before anything is embedded: an unknown encoder
    or benchmark, a missing package, no key, --max-cost without a price, an encoder that cannot be loaded;
    and when another `glue embed` is at work.
    """
    options, shown = options or EmbedOptions(), progress or Silent()
    found = encoder_of(encoder, options.api)
    names = studied_benchmarks(home, benchmarks)
    if isinstance(found, ApiEncoder):
        found.client.check_ready()
    started = time.monotonic()
    with Writer(home, loop="embed", command=command) as writer:
        session = _Session(writer, found, names, options, shown)
        work = session.work()
        if on_plan and work.texts:
            on_plan(session.plan(work))
        outcome = session.embed(work) if work.texts else Outcome()
        elapsed_s = time.monotonic() - started
    return EmbedReport(
        found.name,
        found.revision,
        n_embedded=outcome.n_embedded,
        n_failed=outcome.n_failed,
        n_waiting=len(work.texts) - outcome.n_embedded - outcome.n_failed,
        n_used_up=work.n_used_up,
        elapsed_s=elapsed_s,
        first_error=outcome.first_error,
        stop=outcome.stop,
        stop_error=outcome.stop_error,
        stop_hint=outcome.stop_hint,
        tally=outcome.tally,
        is_priced=not isinstance(found, ApiEncoder) or found.client.price is not None,
    )


def plan(
    home: Home,
    encoder: str,
    benchmarks: Sequence[str] = (),
    *,
    options: EmbedOptions | None = None,
    progress: Progress | None = None,
    command: str = "glue embed --plan",
) -> EmbedPlan:
    """What `embed` would do; nothing is embedded. The encoder lands as asked for. GlueError as there."""
    options = options or EmbedOptions()
    found = encoder_of(encoder, options.api)
    names = studied_benchmarks(home, benchmarks)
    with Writer(home, loop="embed", command=command) as writer:
        session = _Session(writer, found, names, options, progress or Silent())
        return session.plan(session.work())


def studied_benchmarks(home: Home, benchmarks: Sequence[str]) -> tuple[str, ...]:
    """The named benchmarks, or all that are under study. GlueError when one is not, or there is none."""
    landed = landed_keys(home, "studies", columns=["benchmark"])["benchmark"].to_pylist()
    known = sorted({name for name in landed if name})
    for name in benchmarks:
        if name not in known:
            close = nearest(name, known)
            hint = f"glue run --study budget --benchmark {name}"
            raise GlueError(
                f"benchmark {name!r} is under no study, so there is nothing to embed",
                f"did you mean {close!r}? Otherwise: {hint}" if close else hint,
            )
    if not known:
        raise GlueError(
            "no benchmark is under study, so there is nothing to embed",
            "glue run --study budget --benchmark BENCHMARK",
        )
    return tuple(dict.fromkeys(benchmarks)) or tuple(known)
