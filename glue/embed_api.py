"""Embeds batches through an API, with the loop that asks models; one that is refused for good is halved."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from glue.embed_work import Text, attempt_row, embedding_rows
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


@dataclass
class ApiOutcome:
    """What asking an API came to, in texts; `tally` counts requests, tokens and money."""

    n_embedded: int = 0
    n_failed: int = 0
    tally: Tally | None = None


class _Batches:
    """The batches of one run as the questions that the asking loop knows."""

    def __init__(self, encoder: ApiEncoder) -> None:
        self._encoder = encoder
        self._texts: dict[str, Sequence[Text]] = {}

    def question(self, batch: Sequence[Text], n_counted: int | None = None) -> Question:
        """A batch as a question; `n_counted` attempts used up (default: what its texts have used up)."""
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
            n_counted=n_failures if n_counted is None else n_counted,
        )

    def of(self, question: Question) -> Sequence[Text]:
        """The texts of a question."""
        return self._texts[question.request_id]

    def halves(self, question: Question) -> list[Question]:
        """Two questions of half the texts each; none when there is one text. The refusal was not theirs."""
        batch = self.of(question)
        if len(batch) == 1:
            return []
        middle = len(batch) // 2
        n_counted = max(question.n_counted - 1, 0)
        return [self.question(half, n_counted) for half in (batch[:middle], batch[middle:])]


def embed_by_api(
    writer: Writer,
    encoder: ApiEncoder,
    batches: Sequence[Sequence[Text]],
    options: ApiOptions,
    check: VectorCheck,
    progress: Progress,
) -> ApiOutcome:
    """Embed batches, landing each attempt as it ends. Raises what landing raises."""
    client, outcome, asked = encoder.client, ApiOutcome(), _Batches(encoder)

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
        split=asked.halves,  # one text too long must not cost the others
    )
    questions = [asked.question(batch) for batch in batches]
    progress.start(encoder.name, sum(map(len, batches)))
    try:
        tally = asyncio.run(asking.run(questions))
    finally:
        progress.finish()
    outcome.tally = replace(
        tally, first_error=client.scrub(tally.first_error), stop_error=client.scrub(tally.stop_error)
    )
    return outcome


def _attempt_row(
    encoder: ApiEncoder, batch: Sequence[Text], attempt: Attempt, cost_usd: float | None
) -> dict[str, Any]:
    client, is_failed = encoder.client, attempt.outcome == "failed"
    is_final = attempt.is_permanent and len(batch) == 1
    is_counted = attempt.error_kind not in attempts.UNCOUNTED and (not attempt.is_permanent or is_final)
    return attempt_row(
        encoder,
        batch,
        outcome=attempt.outcome,
        is_counted=is_failed and is_counted,
        is_permanent=is_final,
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
