"""Embeds batches with an encoder in this process; one that fails is halved until the bad text is found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glue.embed_work import Outcome, Text, attempt_row, embedding_rows, halves
from glue.solvers.asking import GIVEN_UP_IN_A_ROW

if TYPE_CHECKING:
    from glue.encoders.base import LocalEncoder, VectorCheck
    from glue.landing import Writer
    from glue.progress import Progress


def embed_here(
    writer: Writer,
    encoder: LocalEncoder,
    batches: Sequence[Sequence[Text]],
    check: VectorCheck,
    progress: Progress,
) -> Outcome:
    """Embed batches, landing each. A text that fails alone has failed for good: it would fail again alike.

    It stops when so many texts in a row have failed that the encoder must be at fault. GlueError when the
    encoder cannot be loaded.
    """
    encoder.load()
    outcome, n_failed_in_a_row = Outcome(), 0
    left = list(reversed(batches))
    progress.start(encoder.name, sum(map(len, batches)))
    try:
        while left and outcome.stop is None:
            batch = left.pop()
            problem = _embed_batch(writer, encoder, batch, check)
            if problem is None:
                outcome.n_embedded += len(batch)
                n_failed_in_a_row = 0
                progress.advance(len(batch), 0)
            elif len(batch) > 1:
                left += reversed(halves(batch))
            else:
                outcome.n_failed += 1
                outcome.first_error = outcome.first_error or problem
                n_failed_in_a_row += 1
                progress.advance(1, 1)
                if n_failed_in_a_row >= GIVEN_UP_IN_A_ROW and left:
                    outcome.stop, outcome.stop_error = "failed", problem
                    outcome.stop_hint = "mend the cause; --retry-failed tries again what has failed for good"
    except KeyboardInterrupt:
        outcome.stop = "interrupted"
    finally:
        progress.finish()
    return outcome


def _embed_batch(
    writer: Writer, encoder: LocalEncoder, batch: Sequence[Text], check: VectorCheck
) -> str | None:
    """Embed one batch and land how it went; what went wrong, or None."""
    texts = [text.text for text in batch]
    started = time.monotonic()
    problem: str | None
    try:
        vectors, counts = encoder.encode(texts), encoder.count_tokens(texts)
        problem = check.problem(vectors, len(texts))
    except Exception as error:  # whatever a model's code raises: out of memory, a text it cannot take
        vectors, counts, problem = [], None, f"{type(error).__name__}: {error}"
    is_final = problem is not None and len(batch) == 1
    row = attempt_row(
        encoder,
        batch,
        outcome="failed" if problem else "answered",
        error=problem,
        is_counted=is_final,
        is_permanent=is_final,
        cost_usd=0.0,
        elapsed_ms=(time.monotonic() - started) * 1000,
    )
    writer.append("embedding_attempts", [row])
    if problem is None:
        writer.append("embeddings", embedding_rows(encoder, row["attempt_id"], batch, vectors, counts))
    writer.sync()
    return problem
