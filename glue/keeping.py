"""Which results of `glue execute` are stored with their rows (`--keep-rows`), which by signature alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from glue.worker_tasks import KeepRows, Settings, Task

if TYPE_CHECKING:
    from glue.execute_work import Statement


def is_asked_first(task: Task, settings: Settings) -> bool:
    """Is it a gold that predictions of this wave will be compared with, to tell which of them differ?"""
    return settings.keep_rows == "mismatches" and task.wave_role == "start"


def must_be_signed(task: Task, settings: Settings) -> bool:
    """Does more than a cut depend on the signatures of its result?"""
    return settings.keep_rows == "none" or task.equal_to is not None or is_asked_first(task, settings)


def must_be_kept(task: Task, settings: Settings, signature: str | None) -> bool:
    """Are the rows of its result to be stored, when that has this multiset signature?"""
    return settings.keep_rows != "none" and (task.equal_to is None or task.equal_to != signature)


class Golds:
    """What the golds of a live wave gave at its start, as far as predictions wait for it."""

    def __init__(self, statements: Sequence[Statement], keep_rows: KeepRows) -> None:
        self._golds_of: dict[str, list[str]] = {}
        self._signatures: dict[str, str | None] = {}
        if keep_rows == "mismatches":
            for gold in statements:
                for prediction in gold.needed_by if gold.wave_role == "start" else ():
                    self._golds_of.setdefault(prediction, []).append(gold.statement_id)

    def take(self, gold: Statement, signature: str | None) -> None:
        """Note the multiset signature of a gold's result; None where it is too large to have one."""
        self._signatures[gold.statement_id] = signature

    def equal_to(self, statement: Statement) -> str | None:
        """The signature that a prediction must have for its rows to add nothing; None where they may.

        It is that of all its golds. Where an order is asked for, the probe of gold's ties is among them and
        differs: a result that could be wrong by its order keeps its rows.
        """
        if statement.wave_role is not None:
            return None
        golds = self._golds_of.get(statement.statement_id, [])
        signatures = {self._signatures.get(gold) for gold in golds}
        return signatures.pop() if len(signatures) == 1 else None
