"""How controls answer: all sets of a command together, equal requests once, in batches that land whole."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from glue.generate_work import Past, Work
from glue.solvers.controls import solve_control

if TYPE_CHECKING:
    from glue.landing import Writer
    from glue.progress import Progress

BATCH_ROWS = 1000
"""Answers that are appended at once; a kill loses at most these, and the next command gives them again."""


@dataclass(frozen=True)
class Answered:
    """What one set's requests came to. `first_error` is in the set's own order."""

    n_answered: int
    n_failed: int
    first_error: str | None


def answer_by_controls(
    writer: Writer, works: Sequence[Work], past: Mapping[str, Past], shown: Progress
) -> list[Answered]:
    """Answer what these sets still lack, and land it; how it went, set by set.

    Sets that ask alike share an answer: it is given once and counts for each.
    """
    wanted = {row["request_id"]: (row, work.run.model) for work in works for row in work.rows}
    if not wanted:
        return [Answered(0, 0, None) for _ in works]
    errors: dict[str, str | None] = {}
    models = list(dict.fromkeys(work.run.model for work in works))
    shown.start(", ".join(models), len(wanted))
    try:
        for batch in _batches(wanted.values()):
            rows = [_response(row, model, past.get(row["request_id"], Past())) for row, model in batch]
            writer.append("responses", rows)
            writer.sync()
            errors |= {row["request_id"]: row["error"] for row in rows}
            shown.advance(len(rows), sum(row["error"] is not None for row in rows))
    finally:
        shown.finish()
    return [_answered([errors[row["request_id"]] for row in work.rows]) for work in works]


def _answered(errors: list[str | None]) -> Answered:
    failed = [error for error in errors if error is not None]
    return Answered(len(errors) - len(failed), len(failed), failed[0] if failed else None)


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, BATCH_ROWS)):
        yield batch


def _response(request: Mapping[str, Any], model: str, past: Past) -> dict[str, Any]:
    """A control's answer as a row of `responses`; that it has nothing to say will not change."""
    started = time.monotonic()
    answer = solve_control(model.removeprefix("control/"), request)
    responded_at = datetime.now(UTC)
    attempt = f"{request['request_id']}|{responded_at.isoformat()}"
    return {
        "request_id": request["request_id"],
        "attempt_id": hashlib.md5(attempt.encode()).hexdigest(),
        "purpose": request["purpose"],
        "model": model,
        "attempt_number": max(past.n_attempts, past.last_number) + 1,
        "outcome": answer.outcome,
        "is_permanent": answer.error is not None,
        "response_text": answer.text,
        "error": answer.error,
        "elapsed_ms": (time.monotonic() - started) * 1000,
        "responded_at": responded_at,
    }
