"""Asks one model many questions: how many at once, when to try again, when to wait, when to stop.

A budget of n retries is n + 1 requests on the wire for each question, over all commands. Between attempts a
question waits twice as long each time, or as long as the provider says. A rate limit holds back the other
questions too and halves how many go out at once, which then grows again with each answer.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from glue.solvers import attempts
from glue.solvers.attempts import Attempt, Sender
from glue.solvers.prices import Price
from glue.solvers.refused_settings import Settings

LONGEST_BACKOFF_S = 60.0
LONGEST_WAIT_S = 600.0
"""A provider that wants a longer pause than this ends the run instead."""
GIVEN_UP_IN_A_ROW = 25
"""So many questions given up on, and none answered in between: the fault is not theirs, the run stops."""

_BEFORE_ALL_ELSE = -1.0


@dataclass(frozen=True)
class Limits:
    """How a model is asked. Times in seconds, cost in US dollars."""

    concurrency: int = 16
    retries: int = 3
    backoff_s: float = 1.0
    max_cost_usd: float | None = None
    is_malformed_retried: bool = False


@dataclass
class Question:
    """One distinct request: what is sent, and how often it has been sent before.

    `write` gives the messages where they are too long to be kept until then; else `messages` are they.
    """

    request_id: str
    purpose: str
    messages: list[dict[str, str]]
    write: Callable[[], list[dict[str, str]]] | None = None
    n_prompt_tokens: int = 0  # by our own count
    n_attempts: int = 0  # that landed, over all commands
    n_counted: int = 0  # of these, the ones that used up its budget


@dataclass
class Tally:
    """What asking came to. `cost_usd` is known to be spent; `n_unpriced` attempts may have cost more."""

    outcomes: Counter[str] = field(default_factory=Counter)  # of questions: answered, truncated, failed
    kinds: Counter[str] = field(default_factory=Counter)  # of failed attempts
    n_attempts: int = 0
    n_left: int = 0  # questions without an end
    cost_usd: float = 0.0
    n_unpriced: int = 0
    n_prompt_tokens: int = 0
    n_cached_tokens: int = 0
    n_completion_tokens: int = 0
    n_reasoning_tokens: int = 0
    first_error: str | None = None
    stop: str | None = None  # why it stopped early: interrupted, max_cost, or a kind of failure
    stop_error: str | None = None


OnAttempt = Callable[[Question, Attempt, float | None], None]
"""Called with each attempt as it ends, and its cost in US dollars: this is where it lands.

What it puts off to the end of the event loop's turn (call_soon) is done before the next question goes out.
"""

OnEnd = Callable[[Question, bool, Tally], None]
"""Called when a question has its end; True: it failed."""

Split = Callable[[Question], Sequence[Question]]
"""The smaller questions to ask in place of one that is given up on; none where it has no parts."""


_Place = tuple[float, int, Question]
"""A question in the queue: when it may go out, its order, and itself."""


class Asking:
    """One run of the loop. Everything happens in one thread."""

    def __init__(
        self,
        sender: Sender,
        settings: Settings,
        limits: Limits,
        price: Price | None,
        on_attempt: OnAttempt,
        on_end: OnEnd,
        say: Callable[[str], None],
        has_sql: Callable[[str], bool],
        split: Split = lambda question: (),
    ) -> None:
        self._sender = sender
        self._settings = settings
        self._limits = limits
        self._price = price
        self._on_attempt = on_attempt
        self._on_end = on_end
        self._say = say
        self._has_sql = has_sql
        self._split = split
        self._waiting: list[_Place] = []
        self._n_queued = 0
        self._running: dict[asyncio.Task[None], float] = {}  # and the most that each can cost
        self._width = float(limits.concurrency)
        self._paused_until = 0.0
        self._committed_usd = 0.0  # spent, and what attempts without a known cost may have
        self._n_given_up_in_a_row = 0
        self._error: BaseException | None = None
        self._changed = asyncio.Event()
        self.tally = Tally()

    async def run(self, questions: Sequence[Question]) -> Tally:
        """Ask until every question has its end or the run must stop; what is under way is waited for."""
        for question in questions:
            self._queue(question, 0.0)
        async with self._sender:
            with self._interruptible():
                await self._dispatch()
        if self._error is not None:
            raise self._error
        self.tally.n_left = len(self._waiting)
        return self.tally

    async def _dispatch(self) -> None:
        """Keep as many tasks running as may be; each goes from question to question while one is ready."""
        while self._error is None:
            self._changed.clear()
            while len(self._running) < int(self._width) and (most_usd := self._next_usd()) is not None:
                task = asyncio.get_running_loop().create_task(self._work(heapq.heappop(self._waiting)))
                self._running[task] = most_usd
                task.add_done_callback(self._forget)
            delay_s = self._seconds_to_next()
            if not self._running and delay_s is None:
                return
            if not self._running and not self._is_affordable(self._most_usd(self._waiting[0][2])):
                self._stop("max_cost", None)
                return
            if not self._running and delay_s == 0:
                continue  # it became ready just now
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), delay_s or None)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _work(self, place: _Place) -> None:
        """Ask one question after another. The next one goes out at once: others need not come back first."""
        task = asyncio.current_task()
        assert task is not None
        while True:
            await self._ask(place[2], place[1])
            self._running[task] = 0.0
            await asyncio.sleep(0)  # until what was put off has landed
            most_usd = self._next_usd()
            if most_usd is None or len(self._running) > int(self._width):
                return
            self._running[task] = most_usd
            place = heapq.heappop(self._waiting)

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if not task.cancelled() and task.exception() is not None:
            self._error = self._error or task.exception()
        self._changed.set()

    def _next_usd(self) -> float | None:
        """The most that the next question can cost; None when none may go out now."""
        if self._seconds_to_next() != 0:
            return None
        most_usd = self._most_usd(self._waiting[0][2])
        return most_usd if self._is_affordable(most_usd) else None

    def _seconds_to_next(self) -> float | None:
        """Seconds until a question may go out, if money and slots allow; None: no question waits."""
        if not self._waiting or self.tally.stop is not None:
            return None
        return max(self._waiting[0][0], self._paused_until, now := time.monotonic()) - now

    async def _ask(self, question: Question, order: int) -> None:
        sent = self._settings.now()
        try:
            messages = question.write() if question.write else question.messages
            attempt = await self._sender.send(messages, sent)
        except asyncio.CancelledError:
            self._queue(question, 0.0, order)
            raise
        if self._settings.learn(attempt, sent):
            attempt = replace(attempt, error_kind=attempts.REFUSED_SETTING)
            if self._limits.max_cost_usd is not None and self._settings.token_limit is None:
                self._stop(attempts.REFUSED_SETTING, "without a limit of tokens no cost can be held")
        self._record(question, attempt)
        self._decide(question, attempt, order)

    def _record(self, question: Question, attempt: Attempt) -> None:
        """Count an attempt and land it. One that never left (litellm refused it) is no attempt."""
        if attempt.error_kind == attempts.REFUSED_SETTING and not attempt.is_sent:
            return
        cost_usd = self._price.cost_usd(attempt.usage) if self._price else None
        question.n_attempts += 1
        question.n_counted += attempt.error_kind not in attempts.UNCOUNTED
        self._on_attempt(question, attempt, cost_usd)
        tally, usage = self.tally, attempt.usage
        tally.n_attempts += 1
        tally.n_prompt_tokens += usage.n_prompt_tokens or 0
        tally.n_cached_tokens += usage.n_cached_tokens or 0
        tally.n_completion_tokens += usage.n_completion_tokens or 0
        tally.n_reasoning_tokens += usage.n_reasoning_tokens or 0
        if attempt.error_kind:
            tally.kinds[attempt.error_kind] += 1
        if cost_usd is not None:
            tally.cost_usd += cost_usd
            self._committed_usd += cost_usd
        elif attempt.may_be_billed:
            tally.n_unpriced += 1
            self._committed_usd += self._most_usd(question)

    def _decide(self, question: Question, attempt: Attempt, order: int) -> None:
        """What becomes of a question after an attempt: an end, another attempt, or the end of the run."""
        kind = attempt.error_kind
        if attempt.outcome == "failed":
            self.tally.first_error = self.tally.first_error or attempt.error
        if kind in attempts.STOPPING:
            self._queue(question, 0.0, order)
            self._stop(str(kind), attempt.error)
        elif kind == attempts.REFUSED_SETTING:
            self._queue(question, 0.0, order)
        elif self._is_final(attempt) or question.n_counted > self._limits.retries:
            if attempt.outcome == "failed" and (parts := self._split(question)):
                self._ask_parts(parts, question, attempt)
            else:
                self._end(question, attempt)
        else:
            self._queue(question, time.monotonic() + self._delay_s(question, attempt), order)
        if kind is None:
            self._width = min(self._width + 1 / self._width, float(self._limits.concurrency))

    def _is_final(self, attempt: Attempt) -> bool:
        if attempt.outcome == "answered" and self._limits.is_malformed_retried:
            return self._has_sql(attempt.text or "")
        return attempt.outcome != "failed" or attempt.is_permanent

    def _ask_parts(self, parts: Sequence[Question], question: Question, attempt: Attempt) -> None:
        """Ask the parts in place of a question, the newest before all else, so that a fault is found soon.

        Unless it was refused for good, the server may be at fault: then half as many go out at once, after
        the wait that the server asks for, and the question counts as given up on.
        """
        ready_at = _BEFORE_ALL_ELSE
        if not attempt.is_permanent:
            self._width = max(1.0, self._width / 2)
            delay_s = self._delay_s(question, attempt)
            if attempt.retry_after_s is not None:
                ready_at = time.monotonic() + delay_s
        for part in reversed(parts):
            self._n_queued += 1
            self._queue(part, ready_at, -self._n_queued)
        if not attempt.is_permanent:
            self._give_up(attempt)

    def _end(self, question: Question, attempt: Attempt) -> None:
        is_failed = attempt.outcome == "failed"
        self.tally.outcomes[attempt.outcome] += 1
        self._on_end(question, is_failed, self.tally)
        if is_failed:
            self._give_up(attempt)
        else:
            self._n_given_up_in_a_row = 0

    def _give_up(self, attempt: Attempt) -> None:
        """Count one more question given up on; too many in a row end the run."""
        self._n_given_up_in_a_row += 1
        if self._n_given_up_in_a_row >= GIVEN_UP_IN_A_ROW and self._waiting:
            self._stop(attempt.error_kind or "failed", attempt.error)

    def _delay_s(self, question: Question, attempt: Attempt) -> float:
        """Seconds until a question goes out again; a rate limit holds back the others too."""
        steps = max(question.n_counted - 1, 0)
        jitter = random.Random(f"{question.request_id}|{question.n_attempts}").uniform(0.5, 1.0)
        delay_s = min(self._limits.backoff_s * 2**steps, LONGEST_BACKOFF_S) * jitter
        if attempt.retry_after_s is not None:
            if attempt.retry_after_s > LONGEST_WAIT_S:
                self._stop(attempts.RATE_LIMIT, f"the provider asks to wait {attempt.retry_after_s:,.0f} s")
            delay_s = max(delay_s, attempt.retry_after_s)
        if attempt.error_kind == attempts.RATE_LIMIT:
            self._hold_back(delay_s)
        return delay_s

    def _hold_back(self, delay_s: float) -> None:
        now = time.monotonic()
        if now >= self._paused_until:
            self._width = max(1.0, self._width / 2)
            if delay_s >= 5:
                self._say(f"rate limit: waiting {delay_s:.0f} s, then {int(self._width)} at once")
        self._paused_until = max(self._paused_until, now + delay_s)

    def _most_usd(self, question: Question) -> float:
        limit = self._settings.token_limit
        return self._price.most_usd(question.n_prompt_tokens, limit) if self._price and limit else 0.0

    def _is_affordable(self, most_usd: float) -> bool:
        allowed = self._limits.max_cost_usd
        return allowed is None or self._committed_usd + sum(self._running.values()) + most_usd <= allowed

    def _queue(self, question: Question, ready_at: float, order: int | None = None) -> None:
        """Put a question into the queue, or back to its old place in it."""
        if order is None:
            order = self._n_queued
            self._n_queued += 1
        heapq.heappush(self._waiting, (ready_at, order, question))
        self._changed.set()

    def _stop(self, reason: str, error: str | None) -> None:
        if self.tally.stop is None:
            self.tally.stop, self.tally.stop_error = reason, error
        self._changed.set()

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Ctrl-C lets what is under way come back; a second one drops it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    def _interrupt(self) -> None:
        if self.tally.stop == "interrupted":
            for task in self._running:
                task.cancel()
            return
        self._stop("interrupted", None)
        if self._running:
            self._say(f"stopping: waiting for {len(self._running)} answers under way; Ctrl-C drops them")
