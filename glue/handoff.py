"""The one reader of exports/: what dbt says is still to be done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from glue.errors import GlueError
from glue.home import Home

if TYPE_CHECKING:
    import pyarrow as pa

KEYS = {
    "pending_statements": "statement_id",
    "prepared_indexes": "snapshot_id",
    "union_members": "union_id",
    "pending_divergences": "divergence_id",
    "pending_requests": "request_id",
    "request_counts": "prediction_set",
    "study_questions": "question_id",
    "pending_contexts": "context_id",
    "pending_pieces": "text_id",
    "pending_embeddings": "embedding_id",
    "pending_task_requests": "request_id",
    "pending_history_requests": "request_id",
    "task_progress": "task_run_id",
    "exported_tasks": "question_id",
}


def export_path(home: Home, name: str) -> Path:
    """Where dbt writes the handoff model `name`."""
    return home.exports / f"{name}.parquet"


def read_handoff(home: Home, name: str) -> pa.Table:
    """The rows of a handoff model that have a key: dbt-duckdb writes a row of NULLs where nothing is pending.

    GlueError when the model has not been built.
    """
    import pyarrow.compute as compute
    import pyarrow.parquet as parquet

    path = export_path(home, name)
    if not path.exists():
        raise GlueError(f"{path} has not been built", "run `glue build` (or `dbt build`) first")
    table = parquet.read_table(path)
    return table.filter(compute.is_valid(table[KEYS[name]]))


def pending_statements(home: Home) -> pa.Table:
    """One row per statement and variant still to be run, as of the last refresh."""
    return read_handoff(home, "pending_statements")


def prepared_indexes(home: Home) -> pa.Table:
    """One row per index wanted on a prepared copy."""
    return read_handoff(home, "prepared_indexes")


def union_members(home: Home) -> pa.Table:
    """One row per union and table in it; of a union without databases, one."""
    return read_handoff(home, "union_members")


def pending_requests(home: Home) -> pa.Table:
    """One row per request without a final answer, as of the last refresh, failed ones too."""
    return read_handoff(home, "pending_requests")


def request_counts(home: Home) -> pa.Table:
    """One row per prediction set: how much it asks in all, and what of it is answered already."""
    return read_handoff(home, "request_counts")


def study_questions(home: Home) -> pa.Table:
    """One row per question of a benchmark under study whose database is at hand."""
    return read_handoff(home, "study_questions")


def pending_embeddings(home: Home) -> pa.Table:
    """One row per text that an encoder has not embedded, as of the last refresh, failed ones too."""
    return read_handoff(home, "pending_embeddings")


def pending_divergences(home: Home) -> pa.Table:
    """One row per pair of gold and prediction still to be told apart, as of the last refresh."""
    return read_handoff(home, "pending_divergences")
