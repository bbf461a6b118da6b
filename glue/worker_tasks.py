"""What a worker process is told: how much it may keep and hold, and which statement to run on what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glue.engines.base import UNION_SUFFIX, Engine, Limits, Member, Session


@dataclass(frozen=True)
class Settings:
    """What the parent asks of every worker. Bytes of a result are those of its rows' JSON."""

    max_rows: int
    max_result_bytes: int
    max_memory_bytes: int


@dataclass(frozen=True)
class Database:
    """A database file, or a union of them, as statements are run on it.

    `variant` and `snapshot_id` only pass through. A union has `members` and no path.
    """

    engine: str
    path: str
    snapshot_id: str
    variant: str
    members: tuple[Member, ...] = ()

    @classmethod
    def of_message(cls, fields: dict[str, Any]) -> Database:
        """What `asdict` made of one, sent as JSON."""
        members = tuple(
            Member(member["db_id"], member["path"], tuple((name, shown) for name, shown in member["tables"]))
            for member in fields["members"]
        )
        return cls(**{**fields, "members": members})

    def open(self, engine: Engine, limits: Limits) -> Session:
        """A session on it. Raises what the engine raises."""
        if self.engine.endswith(UNION_SUFFIX):
            return engine.open_union(self.members, limits)
        return engine.open(Path(self.path), limits)


@dataclass(frozen=True)
class Task:
    """One statement to run: `position` is its place in the parent's list."""

    position: int
    statement_id: str
    sql: str
    limit_s: float
    database: Database
