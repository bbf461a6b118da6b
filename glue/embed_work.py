"""What `glue embed` still has to embed, its plan, and the rows that land of a batch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from glue.encoders.api import ApiEncoder
from glue.home import Home
from glue.landing import Writer, landed_keys

if TYPE_CHECKING:
    from glue.encoders import Encoder
    from glue.encoders.base import Vectors
    from glue.solvers.asking import Tally
    from glue.solvers.prices import Price

TEN_BIT, HALF, SINGLE = PRECISIONS = ("ten-bit", "half", "single")
"""How finely vectors are stored, the coarsest first."""
_LARGEST_HALF = 65_504.0
_MOST_STEPS = 511


@dataclass(frozen=True)
class Text:
    """One text that an encoder has not embedded."""

    embedding_id: str
    text_id: str
    text: str
    n_failures: int = 0
    precision: str = SINGLE  # that its vector lands in


@dataclass(frozen=True)
class EmbedPlan:
    """What an encoder has still to embed. Tokens are its own count, or of an API ours.

    `n_cut`: texts longer than it reads. `most_usd` is None where the price is unknown, 0 for encoders here.
    """

    encoder: str
    revision: str
    benchmarks: tuple[str, ...]
    n_texts: int
    n_batches: int
    n_used_up: int  # of further texts, whose attempts are used up or which failed for good
    n_tokens: int | None
    token_counter: str | None
    n_cut: int | None
    n_max_tokens: int | None
    price: Price | None
    most_usd: float | None


@dataclass
class Work:
    """The texts that may be embedded now, distinct, and how many more were given up on."""

    texts: list[Text] = field(default_factory=list)
    n_used_up: int = 0

    def batches(self, size: int) -> list[list[Text]]:
        """The texts in batches: those that failed before apart from the others, the longest first."""
        ordered = sorted(self.texts, key=lambda it: (it.n_failures, -len(it.text), it.embedding_id))
        return [ordered[start : start + size] for start in range(0, len(ordered), size)]


@dataclass
class Outcome:
    """What embedding came to, in texts. `stop`: why it stopped early; `tally` is an API's."""

    n_embedded: int = 0
    n_failed: int = 0
    first_error: str | None = None
    stop: str | None = None
    stop_error: str | None = None
    stop_hint: str | None = None
    tally: Tally | None = None


def halves(batch: Sequence[Text]) -> tuple[Sequence[Text], Sequence[Text]]:
    """A batch of several in two."""
    middle = len(batch) // 2
    return batch[:middle], batch[middle:]


def work_of(
    pending: Iterable[Mapping[str, Any]],
    landed: set[str],
    *,
    retries: int,
    is_failed_retried: bool = False,
    precision: str | None = None,
) -> Work:
    """What may be embedded of the pending rows: not what has landed, was tried enough, or failed for good.

    `precision`: one of PRECISIONS; None: half for what nothing but the history study compares.
    """
    found: dict[str, Text] = {}
    used_up: set[str] = set()
    for row in pending:
        embedding_id = row["embedding_id"]
        if embedding_id in landed:
            continue
        is_used_up = row["is_permanently_failed"] or row["n_failures"] > retries
        if is_used_up and not is_failed_retried:
            used_up.add(embedding_id)
            continue
        n_failures = 0 if is_failed_retried else row["n_failures"]
        stored = precision or (HALF if row.get("is_history") else SINGLE)
        if embedding_id in found:  # of another benchmark too: the finest that one of them wants
            stored = max(stored, found[embedding_id].precision, key=PRECISIONS.index)
        found[embedding_id] = Text(embedding_id, row["text_id"], row["text"], n_failures, stored)
    return Work(list(found.values()), len(used_up))


def plan_of(encoder: Encoder, benchmarks: Sequence[str], work: Work, batch_size: int) -> EmbedPlan:
    """The plan of one command."""
    counts = encoder.count_tokens([text.text for text in work.texts])
    n_cut = None
    if counts is not None and encoder.n_max_tokens is not None:
        n_cut = sum(count > encoder.n_max_tokens for count in counts)
    n_tokens = None if counts is None else sum(counts)
    price = encoder.client.price if isinstance(encoder, ApiEncoder) else None
    most_usd: float | None = None if isinstance(encoder, ApiEncoder) else 0.0
    if price is not None and n_tokens is not None:
        most_usd = price.most_usd(n_tokens, 0)
    return EmbedPlan(
        encoder=encoder.name,
        revision=encoder.revision,
        benchmarks=tuple(benchmarks),
        n_texts=len(work.texts),
        n_batches=len(work.batches(batch_size)),
        n_used_up=work.n_used_up,
        n_tokens=n_tokens,
        token_counter=encoder.token_counter,
        n_cut=n_cut,
        n_max_tokens=encoder.n_max_tokens,
        price=price,
        most_usd=most_usd,
    )


def land_encoder(writer: Writer, encoder: Encoder, benchmarks: Sequence[str]) -> None:
    """Land that an encoder was asked for: from now on what it has not embedded is pending.

    Nothing lands where this revision was the one asked for last: the pending table then stays as it is.
    """
    last = _last_asked(writer.home, encoder.name)
    wanted = [benchmark for benchmark in benchmarks if last.get(benchmark) != encoder.revision]
    if not wanted:
        return
    settings = encoder.client.settings if isinstance(encoder, ApiEncoder) else {}
    shared = {
        "encoder": encoder.name,
        "revision": encoder.revision,
        "kind": encoder.kind,
        "settings": json.dumps(dict(settings), sort_keys=True),
        "n_max_tokens": encoder.n_max_tokens,
        "asked_at": datetime.now(UTC),
    }
    writer.append("encoders", [{**shared, "benchmark": benchmark} for benchmark in wanted])
    writer.fold()


def _last_asked(home: Home, encoder: str) -> dict[str, str]:
    """The revision of an encoder that was asked for last, by benchmark."""
    columns = ["encoder", "revision", "benchmark", "asked_at"]
    landed = landed_keys(home, "encoders", columns=columns).to_pylist()
    asked = sorted((row for row in landed if row["encoder"] == encoder), key=lambda row: row["asked_at"])
    return {row["benchmark"]: row["revision"] for row in asked}


def landed_dimensions(home: Home, encoder: Encoder) -> int | None:
    """How many dimensions the vectors have that this revision has landed; None without one."""
    columns = ["encoder", "revision", "n_dimensions"]
    for row in landed_keys(home, "embeddings", columns=columns).to_pylist():
        if (row["encoder"], row["revision"]) == (encoder.name, encoder.revision):
            n_dimensions: int = row["n_dimensions"]
            return n_dimensions
    return None


def attempt_row(encoder: Encoder, batch: Sequence[Text], **told: Any) -> dict[str, Any]:
    """An attempt as a row of landing table `embedding_attempts`; `told` are its further columns."""
    attempted_at = datetime.now(UTC)
    key = f"{encoder.name}|{encoder.revision}|{batch[0].embedding_id}|{len(batch)}|{attempted_at.isoformat()}"
    return {
        "attempt_id": hashlib.md5(key.encode()).hexdigest(),
        "encoder": encoder.name,
        "revision": encoder.revision,
        "embedding_ids": [text.embedding_id for text in batch],
        "n_texts": len(batch),
        "is_counted": False,
        "is_permanent": False,
        "attempted_at": attempted_at,
        **told,
    }


def embedding_rows(
    encoder: Encoder,
    attempt_id: str,
    batch: Sequence[Text],
    vectors: Vectors,
    n_tokens: Sequence[int] | None = None,
) -> list[dict[str, Any]]:
    """A batch's vectors as rows of landing table `embeddings`. `n_tokens` are the encoder's own counts."""
    most = encoder.n_max_tokens
    rows = []
    for place, (text, vector) in enumerate(zip(batch, vectors, strict=True)):
        count = None if n_tokens is None else n_tokens[place]
        rows.append(
            {
                "embedding_id": text.embedding_id,
                "attempt_id": attempt_id,
                "text_id": text.text_id,
                "encoder": encoder.name,
                "revision": encoder.revision,
                **stored_vector(vector, text.precision),
                "n_dimensions": len(vector),
                "n_tokens": count,
                "is_cut": None if count is None or most is None else count > most,
            }
        )
    return rows


def stored_vector(vector: Sequence[float], precision: str) -> dict[str, Any]:
    """A vector's columns. One that a precision cannot hold lands in single all the same.

    In ten bits its largest number is 511 steps, and the others are rounded to whole steps.
    """
    largest = max(map(abs, vector), default=0.0)
    step = largest / _MOST_STEPS
    if precision == TEN_BIT and step > 0:
        return {"steps": [round(number / step) for number in vector], "step": step}
    return {"half_vector" if precision == HALF and largest <= _LARGEST_HALF else "vector": vector}
