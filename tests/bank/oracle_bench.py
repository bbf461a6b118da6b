"""The bank in Oracle's dialect, in memory: every question's statements as canonical cells, on D and on D′."""

from __future__ import annotations

from glue import bank
from glue.bank.manifest import BankQuestion, Manifest
from glue.bank.oracle import BASE, SUPPLEMENTARY, Answer, OracleBank
from glue.cells import Cells, cells_of_rows
from glue.engines.oracle_local import number

__all__ = ["BASE", "SUPPLEMENTARY", "DoesNotRun", "OracleBench", "open_bench"]


class DoesNotRun(Exception):
    """A statement that fails, with the reason."""


class OracleBench(OracleBank):
    """The databases of a manifest, made when they are first asked for."""

    def rows(self, question: BankQuestion, instance: str, sql: str) -> list[Cells]:
        """The result as canonical cells. DoesNotRun with the reason."""
        (found,) = self.results(question, instance, [sql])
        if isinstance(found, DoesNotRun):
            raise found
        return found

    def results(
        self, question: BankQuestion, instance: str, statements: list[str]
    ) -> list[list[Cells] | DoesNotRun]:
        """The results of several statements on one instance, in order."""
        return [_cells(answer) for answer in self.ask(question, instance, statements)]


def _cells(answer: Answer) -> list[Cells] | DoesNotRun:
    if answer.error is not None:
        return DoesNotRun(answer.error)
    return cells_of_rows(
        [tuple(number(v) if isinstance(v, float) else v for v in row) for row in answer.rows]
    )


def open_bench(manifest: Manifest | None = None) -> OracleBench:
    return OracleBench(manifest or bank.read_manifest())
