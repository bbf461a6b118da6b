"""Embeds batches through an API, with the loop that asks models; a batch that is given up on is halved."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from glue.embed_work import Outcome, Text, attempt_row, embedding_rows, halves
from glue.encoders.api_wires import EmbeddingAttempt, as_messages
from glue.landing import Writer
from glue.solvers import attempts
from glue.solvers.asking import Asking, Limits, Question, Tally
from glue.solvers.attempts import Attempt
from glue.solvers.model_client import cost_text

if TYPE_CHECKING:
    from glue.encoders.api import ApiEncoder, ApiOptions
    from glue.encoders.base import VectorCheck
    from glue.progress import Progress


class _Batches:
    """The batches of one run as the questions that the asking loop knows."""

    def __init__(self, encoder: ApiEncoder) -> None:
        self._encoder = encoder
        self._texts: dict[str, Sequence[Text]] = {}

    def question(self, batch: Sequence[Text], n_counted: int = 0) -> Question:
        """A batch as a question; attempts used up: what its texts have used up, or `n_counted` if more."""
        key = f"{batch[0].embedding_id}|{len(batch)}"
        self._texts[key] = batch
        texts = [text.text for text in batch]
        n_failures = max(text.n_failures for text in batch)
        return Question(
            request_id=key,
            purpose="embed",
            messages=as_messages(texts),
            n_prompt_tokens=sum(self._encoder.count_tokens(texts)),
            n_attempts=n_failures,
            n_counted=max(n_failures, n_counted),
        )

    def of(self, question: Question) -> Sequence[Text]:
        """The texts of a question."""
        return self._texts[question.request_id]

    def halves(self, question: Question) -> list[Question]:
        """Two questions of half the texts each; none when there is one text.

        A half has one attempt where the batch had used up its own; a text alone has all of its own.
        """
        batch = self.of(question)
        if len(batch) == 1:
            return []
        return [self.question(it, question.n_counted - 1 if len(it) > 1 else 0) for it in halves(batch)]


def embed_by_api(
    writer: Writer,
    encoder: ApiEncoder,
    batches: Sequence[Sequence[Text]],
    options: ApiOptions,
    check: VectorCheck,
    progress: Progress,
) -> Outcome:
    """Embed batches, landing each attempt as it ends. Raises what landing raises."""
    client, outcome, asked = encoder.client, Outcome(), _Batches(encoder)

    def land(question: Question, attempt: Attempt, cost_usd: float | None) -> None:
        row = _attempt_row(encoder, asked.of(question), attempt, cost_usd)
        writer.append("embedding_attempts", [row])
        if isinstance(attempt, EmbeddingAttempt) and attempt.vectors is not None:
            batch = asked.of(question)
            rows = embedding_rows(encoder, row["attempt_id"], batch, attempt.vectors)
            writer.append("embeddings", rows)
            outcome.n_embedded += len(batch)
        writer.sync()

    def end(question: Question, is_failed: bool, tally: Tally) -> None:
        n_texts = len(asked.of(question))
        outcome.n_failed += n_texts if is_failed else 0
        cost = cost_text(tally.cost_usd if client.price else None)
        progress.tell(f"{cost}, {tally.n_prompt_tokens:,} tokens")
        progress.advance(n_texts, n_texts if is_failed else 0)

    def say(text: str) -> None:
        progress.note(f"{encoder.name}: {text}")

    asking = Asking(
        encoder.sender(check),
        encoder.settings(say),
        Limits(options.concurrency, options.retries, options.backoff_s, options.max_cost_usd),
        client.price,
        on_attempt=land,
        on_end=end,
        say=say,
        has_sql=lambda text: True,
        split=asked.halves,  # one bad text must not cost the others
    )
    questions = [asked.question(batch) for batch in batches]
    progress.start(encoder.name, sum(map(len, batches)))
    try:
        tally = asyncio.run(asking.run(questions))
    finally:
        progress.finish()
    return replace(
        outcome,
        first_error=client.scrub(tally.first_error),
        stop=tally.stop,
        stop_error=client.scrub(tally.stop_error),
        stop_hint=client.stop_hint(tally.stop),
        tally=tally,
    )


def _attempt_row(
    encoder: ApiEncoder, batch: Sequence[Text], attempt: Attempt, cost_usd: float | None
) -> dict[str, Any]:
    """An attempt as it lands. A failure counts only against a text that was sent alone."""
    client, is_failed, is_alone = encoder.client, attempt.outcome == "failed", len(batch) == 1
    return attempt_row(
        encoder,
        batch,
        outcome=attempt.outcome,
        is_counted=is_failed and is_alone and attempt.error_kind not in attempts.UNCOUNTED,
        is_permanent=is_alone and attempt.is_permanent,
        error=client.scrub(attempt.error),
        error_kind=attempt.error_kind,
        http_status=attempt.http_status,
        retry_after_s=attempt.retry_after_s,
        n_prompt_tokens=attempt.usage.n_prompt_tokens,
        cost_usd=cost_usd,
        price_source=client.price.source if client.price and cost_usd is not None else None,
        answering_model=client.scrub(attempt.answering_model),
        response_json=client.scrub(attempt.response_json) if is_failed else None,
        elapsed_ms=attempt.elapsed_ms,
    )
