"""The loop that asks: the order in which questions go out and attempts land."""

from __future__ import annotations

import asyncio

from glue.solvers.asking import Asking, Limits, Question
from glue.solvers.attempts import Attempt
from glue.solvers.refused_settings import Settings


def test_what_lands_at_the_end_of_a_turn_lands_before_the_next_question_goes_out() -> None:
    happened: list[str] = []

    class Recorder:
        async def __aenter__(self) -> Recorder:
            return self

        async def __aexit__(self, *exception: object) -> None: ...

        async def send(self, messages: list[dict[str, str]], settings: dict[str, object]) -> Attempt:
            happened.append("sent")
            return Attempt("answered", text="SELECT 1")

    def land(question: Question, attempt: Attempt, cost_usd: float | None) -> None:
        asyncio.get_running_loop().call_soon(happened.append, "landed")

    asking = Asking(
        Recorder(),
        Settings({}, happened.append),
        Limits(concurrency=1),
        None,
        on_attempt=land,
        on_end=lambda question, is_failed, tally: None,
        say=happened.append,
        has_sql=lambda text: True,
    )
    asyncio.run(asking.run([Question(name, "answer", []) for name in "abc"]))
    assert happened == ["sent", "landed"] * 3
