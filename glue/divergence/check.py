"""Does a prediction that equals gold on the data stay equal on other data that the schema allows?"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from glue.divergence.catalog import schema_of
from glue.divergence.data import Data
from glue.divergence.instances import Schema
from glue.divergence.memory import Memory, NotAllowed
from glue.divergence.outcome import Check, Pair
from glue.divergence.pair_check import PairCheck
from glue.engines import engine_named
from glue.engines.base import Limits
from glue.worker_limits import Watch

DEFAULT_INSTANCES = 600
DEFAULT_TIMEOUT_S = 20.0
_STATEMENT_S = 1.0


@dataclass
class Checker:
    """Checks pairs over one database file. `watch` must be looked at by another thread: see `watched`."""

    path: Path
    engine: str
    watch: Watch
    limits: Limits = field(default_factory=lambda: Limits(1 << 30))
    n_instances: int = DEFAULT_INSTANCES
    timeout_s: float = DEFAULT_TIMEOUT_S

    def __post_init__(self) -> None:
        self.schema: Schema = schema_of(self.path, self.engine, self.limits)
        reader = engine_named("sqlite" if self.engine == "sqlite" else "duckdb")
        self._file = reader.open(self.path, self.limits)
        self.data = Data(self.schema, self._file, self.watch)
        self._memory: Memory | None = None

    def close(self) -> None:
        """Let go of the file and of what is in memory."""
        self._file.close()
        if self._memory is not None:
            self._memory.close()

    @property
    def memory(self) -> Memory:
        """The database in memory, made when it is first asked for and anew after it was lost."""
        if self._memory is None:
            self._memory = Memory(self.schema, self.engine, self.limits, self.watch, _STATEMENT_S, self.path)
        return self._memory

    def check(self, pair: Pair) -> Check:
        """See above. Raises nothing that a statement can cause but MemoryError."""
        started_s = time.monotonic()
        try:
            deadline_s = started_s + self.timeout_s
            check = PairCheck(self.data, self.memory, pair, self.n_instances, deadline_s).run()
        except NotAllowed as error:
            check = Check("not_decidable", f"no instance: {error}")
        if self._memory is not None and self._memory.is_lost:
            self._memory.close()
            self._memory = None
        check.elapsed_ms = (time.monotonic() - started_s) * 1_000
        return check


@contextlib.contextmanager
def watched() -> Iterator[Watch]:
    """A watch that is looked at, for use outside of a worker process."""
    watch, is_over = Watch(), threading.Event()

    def attend() -> None:
        while not is_over.wait(0.02):
            watch.look()

    thread = threading.Thread(target=attend, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        is_over.set()
        thread.join()
