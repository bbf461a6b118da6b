"""Statements on servers' sessions in tests: what they give, or fail with."""

from __future__ import annotations

from glue.cells import Cells, cells_of_rows
from glue.engines.base import Failure
from glue.engines.server import ServerSession


def answer(session: ServerSession, sql: str) -> tuple[list[str], list[Cells]]:
    names = session.execute(sql)
    rows: list[Cells] = []
    while fetched := session.fetch(2):
        rows += cells_of_rows(fetched)
    session.finish()
    assert not session.is_closed
    return names, rows


def failure_of(session: ServerSession, sql: str) -> Failure | None:
    try:
        session.execute(sql)
        while session.fetch(1_000):
            pass
    except Exception as error:
        failure = session.failure(error)
        session.finish()
        return failure
    session.finish()
    return None


def refusal(session: ServerSession, sql: str) -> tuple[str, str]:
    failure = failure_of(session, sql)
    return (failure.outcome, failure.error_class) if failure else ("answered", "")
