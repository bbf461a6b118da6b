"""What a worker process sends back: rows of three landing tables, as Arrow."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from hashlib import md5
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from glue.cells import Cells
from glue.landing_rows import append_schema, to_ipc
from glue.landing_tables import TEXT, TEXTS
from glue.worker_results import Result
from glue.worker_tasks import Settings, Task

FLUSH_EVERY_S = 0.25
"""How often what has been done is sent, while there is more to do."""


@dataclass
class Outbox:
    """What has been done and not yet sent: rows of three landing tables."""

    settings: Settings
    known: set[str]  # results that are stored with their rows
    outcomes: list[tuple[int, str]] = field(default_factory=list)
    n_bytes: int = 0
    _executions: list[dict[str, Any]] = field(default_factory=list)
    _results: dict[str, dict[str, Any]] = field(default_factory=dict)
    _sent_unkept: set[str] = field(default_factory=set)
    _gold_signatures: list[tuple[int, str | None]] = field(default_factory=list)
    _cells: list[Cells] = field(default_factory=list)
    _counts: list[tuple[str, int, int]] = field(default_factory=list)
    _batches: list[pa.RecordBatch] = field(default_factory=list)

    def add_execution(self, task: Task, row: dict[str, Any]) -> None:
        """One attempt at a statement; `row` lacks what the task already says."""
        executed_at_us = time.time_ns() // 1_000
        database = task.database
        self._executions.append(
            {
                "execution_id": execution_id(task.statement_id, database.variant, executed_at_us),
                "statement_id": task.statement_id,
                "engine": database.engine,
                "snapshot_id": database.snapshot_id,
                "variant": database.variant,
                "wave_id": self.settings.wave_id,
                "wave_role": task.wave_role,
                "is_killed": False,
                "timeout_ms": task.limit_s * 1_000,
                "max_rows": self.settings.max_rows,
                "executed_at": executed_at_us,
                **row,
            }
        )
        self.outcomes.append((task.position, row["outcome"]))

    def add_result(self, result_id: str, result: Result) -> None:
        """A result and its rows, unless it has been stored before. Stored whole, it stays so."""
        if result_id in self.known or (not result.is_kept and result_id in self._sent_unkept):
            return
        (self.known if result.is_kept else self._sent_unkept).add(result_id)
        must_tell = result.is_cut or not result.is_kept
        multiset, distinct = result.signatures() if must_tell else (None, None)
        self._results[result_id] = {
            "result_id": result_id,
            "n_rows": result.n_rows,
            "n_columns": len(result.column_names),
            "n_stored_rows": result.n_stored_rows if result.is_kept else 0,
            "is_cut": result.is_cut,
            "is_kept": result.is_kept,
            "cut_multiset_signature": multiset,
            "cut_set_signature": distinct,
        }
        first_row = 1
        for piece in result.pieces:
            if piece.array is None:
                self._cells += piece.rows
                self._counts.append((result_id, first_row, piece.n_rows))
            else:
                self._batches.append(_rows_batch(result_id, first_row, piece.array))
            first_row += piece.n_rows
        self.n_bytes += result.n_stored_bytes if result.is_kept else 0

    def add_gold_signature(self, position: int, signature: str | None) -> None:
        """What a prediction is to give, to equal this gold."""
        self._gold_signatures.append((position, signature))

    def take(self) -> tuple[dict[str, Any], list[memoryview]]:
        """The header and the tables to send, in the order in which they must land; then it is empty."""
        batches = [*([self._small_rows()] if self._cells else []), *self._batches]
        tables: list[tuple[str, pa.Buffer]] = []
        if batches:
            tables.append(("result_rows", to_ipc("result_rows", pa.Table.from_batches(batches))))
        if self._results:
            tables.append(("results", to_ipc("results", list(self._results.values()))))
        if self._executions:
            tables.append(("executions", to_ipc("executions", _executions_table(self._executions))))
        header = {
            "kind": "done",
            "outcomes": self.outcomes,
            "result_ids": [key for key, row in self._results.items() if row["is_kept"]],
            "unkept_ids": [key for key, row in self._results.items() if not row["is_kept"]],
            "gold_signatures": self._gold_signatures,
            "tables": [name for name, _ in tables],
        }
        self.outcomes, self._executions, self._results, self._cells = [], [], {}, []
        self._counts, self._batches, self._gold_signatures, self.n_bytes = [], [], [], 0
        return header, [memoryview(data) for _, data in tables]

    def _small_rows(self) -> pa.RecordBatch:
        ids = list(chain.from_iterable([result_id] * n for result_id, _, n in self._counts))
        numbers = list(chain.from_iterable(range(first, first + n) for _, first, n in self._counts))
        offsets = list(accumulate(map(len, self._cells), initial=0))
        values = pa.array(list(chain.from_iterable(self._cells)), TEXT)
        cells = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=TEXTS)
        columns = [pa.array(ids, TEXT), pa.array(numbers, pa.int64()), cells]
        return pa.RecordBatch.from_arrays(columns, schema=append_schema("result_rows"))


def _rows_batch(result_id: str, first_row: int, cells: pa.Array) -> pa.RecordBatch:
    ids = pa.repeat(pa.scalar(result_id, TEXT), len(cells))
    numbers = pa.array(range(first_row, first_row + len(cells)), pa.int64())
    return pa.RecordBatch.from_arrays([ids, numbers, cells], schema=append_schema("result_rows"))


def _executions_table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=append_schema("executions"))


def execution_id(statement_id: str, variant: str, executed_at_us: int) -> str:
    """The key of one attempt: which statement, on what, when, and in which process."""
    return md5(f"{statement_id}|{variant}|{executed_at_us}|{os.getpid()}".encode()).hexdigest()
