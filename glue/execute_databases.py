"""The databases of a wave, made ready in threads: unchanged files, prepared copies, members of unions."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.engines import Engine, engine_named
from glue.engines.base import UNION_SUFFIX, Member
from glue.engines.server import Address
from glue.execute_work import Group, LivePlace
from glue.home import Home
from glue.prepared import (
    CopyStore,
    NotPrepared,
    PreparedCopy,
    SnapshotChanged,
    Snapshots,
    WantedIndex,
    cache_bytes,
)
from glue.unions import Union
from glue.worker_tasks import Database

if TYPE_CHECKING:
    import pyarrow as pa


def wanted_indexes_of(table: pa.Table) -> list[WantedIndex]:
    """The rows of the handoff table prepared_indexes."""
    return [
        WantedIndex(row["snapshot_id"], row["table_name"], tuple(row["column_names"]))
        for row in table.select(["snapshot_id", "table_name", "column_names"]).to_pylist()
    ]


@dataclass
class Made:
    """A database ready to be opened: its file or files, the copies they are, and what was amiss."""

    database: Database
    copies: list[tuple[str, PreparedCopy]]
    warnings: list[str]


class Databases:
    """Makes databases ready to be opened, several at a time."""

    def __init__(
        self,
        home: Home,
        indexes: Sequence[WantedIndex],
        unions: Mapping[str, Union],
        addresses: Mapping[LivePlace, Address],
        n_threads: int,
    ) -> None:
        self._indexes = indexes
        self._unions = unions
        self._addresses = addresses
        self._snapshots = Snapshots(home.cache / "snapshots.json")
        self._copies = CopyStore(home.cache / "prepared", cache_bytes())
        self._copying: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._makers = ThreadPoolExecutor(n_threads, thread_name_prefix="prepare")
        self._makings: list[tuple[Group, Future[Made]]] = []

    def start_making(self, groups: Sequence[Group]) -> None:
        """Begin to make the databases of some groups, each once."""
        makings: dict[tuple[Any, ...], Future[Made]] = {}
        for group in groups:
            key = (group.engine, group.source, group.snapshot_id, group.variant, group.place)
            if key not in makings:
                makings[key] = self._makers.submit(self._made, group)
            self._makings.append((group, makings[key]))

    def take_made(self) -> list[tuple[Group, Future[Made]]]:
        """What has ended since the last call: with a database, or with what making it raised."""
        done: list[tuple[Group, Future[Made]]] = []
        unfinished: list[tuple[Group, Future[Made]]] = []
        for group, making in self._makings:
            if making.done():
                done.append((group, making))
            else:
                unfinished.append((group, making))
        self._makings = unfinished
        return done

    def stop(self) -> None:
        """Begin no more, cancel the copies in the making, and wait for the threads."""
        self._copies.cancel()
        self._makers.shutdown(wait=True, cancel_futures=True)

    def save_snapshots(self) -> None:
        """Remember what files have been found to hold, so that they are not hashed again."""
        self._snapshots.save()

    def _made(self, group: Group) -> Made:
        """What to open for a group. Runs in a thread. Raises SnapshotChanged."""
        engine = engine_named(group.engine)
        made = Made(Database(group.engine, "", group.snapshot_id, group.variant), [], [])
        if group.place is not None:
            made.database = replace(made.database, address=self._addresses[group.place])
        elif group.engine.endswith(UNION_SUFFIX):
            members = self._members(engine, group, made)
            made.database = replace(made.database, members=members)
        else:
            path = self._file(engine, group.source, group.snapshot_id, group.variant, made)
            made.database = replace(made.database, path=str(path.absolute()))
        return made

    def _members(self, engine: Engine, group: Group, made: Made) -> tuple[Member, ...]:
        if group.snapshot_id not in self._unions:
            raise SnapshotChanged(
                f"nothing is known of the union {group.snapshot_id}", "run `glue build`, then `glue execute`"
            )
        members = []
        for member in self._unions[group.snapshot_id]:
            path = None
            if member.database_path is not None and member.snapshot_id is not None:
                source = Path(member.database_path)
                file = self._file(engine, source, member.snapshot_id, group.variant, made)
                path = str(file.absolute())
            members.append(Member(member.db_id, path, member.tables))
        return tuple(members)

    def _file(self, engine: Engine, source: Path | None, snapshot_id: str, variant: str, made: Made) -> Path:
        """The file itself or its copy, noted in `made`. Raises SnapshotChanged."""
        source = self._snapshots.check(engine, source, snapshot_id)
        if variant != "prepared" or not engine.has_prepared_copies:
            return source
        indexes = [index for index in self._indexes if index.snapshot_id == snapshot_id]
        try:
            with self._copying[snapshot_id]:  # unions share their members
                copy = self._copies.obtain(source, snapshot_id, indexes)
        except NotPrepared as error:
            made.warnings.append(f"{error.message}; {error.hint}")
            return source
        made.copies.append((snapshot_id, copy))
        return copy.path
