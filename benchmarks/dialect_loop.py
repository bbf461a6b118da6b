"""The plain loop that benchmarks.dialects is held against: ask, fetch, compare sets of rows.

It knows no verdict but equality of sets, and no limits but LIMIT_S and MAX_ROWS.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from glue.cells import Cells, cells_of_rows
from glue.engines.base import Failure, Row, Session

LIMIT_S = 5.0
MAX_ROWS = 200_000

_FETCHED_AT_ONCE = 1_000

Answer = frozenset[Cells] | Failure


def verdicts(
    opened: Callable[[], Session], golds: Mapping[str, str], predictions: Mapping[tuple[str, str], str | None]
) -> dict[tuple[str, str], str]:
    """Of each prediction, by system and question: right, wrong, or outcome and class of what failed."""
    loop = _Loop(opened)
    try:
        return {
            key: _verdict(loop.answer(golds[key[1]]), loop.answer(sql)) if sql else "failed no_sql"
            for key, sql in predictions.items()
        }
    finally:
        loop.session.close()


def _verdict(gold: Answer, answer: Answer) -> str:
    if isinstance(gold, Failure):
        return f"gold {gold.outcome} {gold.error_class}"
    if isinstance(answer, Failure):
        return f"{answer.outcome} {answer.error_class}"
    return "right" if answer == gold else "wrong"


class _Loop:
    """Asks one database, each statement once; a session that was lost is opened again."""

    def __init__(self, opened: Callable[[], Session]) -> None:
        self._opened = opened
        self.session = opened()
        self._known: dict[str, Answer] = {}

    def answer(self, sql: str) -> Answer:
        if sql not in self._known:
            found = self._asked(sql)
            if isinstance(found, Failure) and found.error_class == "connection":
                found = self._asked(sql)  # the one before was interrupted just as it ended
            self._known[sql] = found
        return self._known[sql]

    def _asked(self, sql: str) -> Answer:
        found = _answered(self.session, sql)
        if isinstance(found, Failure) and found.is_session_lost:
            self.session.close()
            self.session = self._opened()
        return found


def _answered(session: Session, sql: str) -> Answer:
    rows: list[Row] = []
    session.limit_time(LIMIT_S)
    is_over = threading.Event()

    def interrupt() -> None:
        is_over.set()
        session.interrupt()

    watch = threading.Timer(LIMIT_S, interrupt)
    watch.start()
    try:
        session.execute(sql)
        while some := session.fetch(_FETCHED_AT_ONCE):
            rows += some
            if len(rows) > MAX_ROWS:
                message = f"more than {MAX_ROWS:,} rows"
                return Failure("failed", "resource", None, message, is_session_lost=True)
        return frozenset(cells_of_rows(rows))
    except Exception as error:
        found = session.failure(error)
        if is_over.is_set():
            return replace(found, outcome="timed_out", error_class="interrupted", is_session_lost=True)
        return found
    finally:
        watch.cancel()
        watch.join()
        session.finish()
