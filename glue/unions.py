"""Unions as `glue execute` is told of them: their databases, and what the tables of these are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class UnionMember:
    """One database of a union. Path and snapshot are None where no data file of the engine is at hand.

    `tables` are (name in the database, name in the union).
    """

    db_id: str
    snapshot_id: str | None
    database_path: str | None
    tables: tuple[tuple[str, str], ...]


Union = tuple[UnionMember, ...]
"""The members of one union, by db_id; none where its statements mention no database."""


def unions_of(table: pa.Table) -> Mapping[str, Union]:
    """The rows of the handoff table union_members, by union_id: what a statement has as its snapshot_id."""
    files: dict[str, dict[str, tuple[str | None, str | None]]] = {}
    names: dict[tuple[str, str], list[tuple[str, str]]] = {}
    columns = ["union_id", "db_id", "snapshot_id", "database_path", "table_name", "prefixed_name"]
    for row in table.select(columns).to_pylist():
        members = files.setdefault(row["union_id"], {})
        if row["db_id"] is not None:
            members[row["db_id"]] = (row["snapshot_id"], row["database_path"])
            key = (row["union_id"], row["db_id"])
            names.setdefault(key, []).append((row["table_name"], row["prefixed_name"]))
    return {
        union_id: tuple(
            UnionMember(db_id, *files[union_id][db_id], tuple(sorted(names[union_id, db_id])))
            for db_id in sorted(files[union_id])
        )
        for union_id in files
    }
