"""What a worker process is told: how much it may keep and hold, and which statement to run on what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from glue.engines.base import UNION_SUFFIX, Engine, Limits, Member, Session
from glue.engines.server import Address, ServerEngine

KeepRows = Literal["all", "mismatches", "none"]
"""Which results are stored with their rows; of the others, signatures are stored alone."""


@dataclass(frozen=True)
class Settings:
    """What the parent asks of every worker. Bytes of a result are those of its rows' JSON.

    `wave_id` only passes through: what was run on a live database in one `glue execute` shares it.
    """

    max_rows: int
    max_result_bytes: int
    max_memory_bytes: int
    wave_id: str | None = None
    keep_rows: KeepRows = "all"


@dataclass(frozen=True)
class Database:
    """A database file, a union of them, or a live database, as statements are run on it.

    `variant` and `snapshot_id` only pass through. A union has `members` and no path, a live database has
    an `address`.
    """

    engine: str
    path: str
    snapshot_id: str
    variant: str
    members: tuple[Member, ...] = ()
    address: Address | None = None

    @classmethod
    def of_message(cls, fields: dict[str, Any]) -> Database:
        """What `asdict` made of one, sent as JSON."""
        members = tuple(
            Member(member["db_id"], member["path"], tuple((name, shown) for name, shown in member["tables"]))
            for member in fields["members"]
        )
        address = Address.of_message(fields["address"]) if fields["address"] else None
        return cls(**{**fields, "members": members, "address": address})

    @property
    def server(self) -> tuple[str, str | None, int | None] | None:
        """Which server it is on; None where it is a file."""
        return self.address.server if self.address else None

    def open(self, engine: Engine, limits: Limits) -> Session:
        """A session on it. Raises what the engine raises."""
        if self.address is not None:
            assert isinstance(engine, ServerEngine)
            return engine.open_server(self.address, limits)
        if self.engine.endswith(UNION_SUFFIX):
            return engine.open_union(self.members, limits)
        return engine.open(Path(self.path), limits)


@dataclass(frozen=True)
class Task:
    """One statement to run: `position` is its place in the parent's list.

    `wave_role` is start or end where it is a gold on a live database. A result whose multiset of rows has the
    signature `equal_to` is stored without them.
    """

    position: int
    statement_id: str
    sql: str
    limit_s: float
    database: Database
    wave_role: str | None = None
    equal_to: str | None = None
