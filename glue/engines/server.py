"""What every database server shares: one connection that is never trusted, one read at a time, always undone.

A session runs each statement in a transaction of its own that may only read, with the limit on the server,
takes rows from a cursor on the server, rolls back, and puts the connection back as it was. An engine's file
holds what differs: how to connect, how to begin, how to stop a statement from outside, what its errors mean.
"""

from __future__ import annotations

import contextlib
import threading
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from glue.engines.base import (
    Engine,
    Failure,
    Limits,
    Member,
    Row,
    Session,
    check_length,
    common_failure,
    shortened,
)

CANCEL_EVERY_S = 0.5
"""A statement past its limit is cancelled again after so long, until it is over."""
SERVER_GRACE_S = 0.5
"""The server's own limit lies so much later: it is there for a client that has died."""


@dataclass(frozen=True)
class Address:
    """Where a live database is and who asks. It is never landed or printed; `password` is in no repr.

    `search_path`: schemas in which bare names are looked for, the first one first. `options` are the
    driver's own, as in the connection's URL.
    """

    engine: str
    host: str | None = None
    port: int | None = None
    database: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    search_path: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    @property
    def server(self) -> tuple[str, str | None, int | None]:
        """Which server it is, whatever the database."""
        return (self.engine, self.host, self.port)

    @classmethod
    def of_message(cls, fields: dict[str, Any]) -> Address:
        """What `asdict` made of one, sent as JSON."""
        options = tuple((name, value) for name, value in fields["options"])
        return cls(**{**fields, "search_path": tuple(fields["search_path"]), "options": options})


class ServerEngine(Engine):
    """A database server that is reached by a driver."""

    has_prepared_copies: ClassVar[bool] = False

    @abstractmethod
    def open_server(self, address: Address, limits: Limits) -> ServerSession:
        """Connect, for reading alone. Raises the driver's errors."""

    @abstractmethod
    def kill(self, address: Address, server_id: str) -> None:
        """End a session of ours on the server, whose worker is gone. Raises the driver's errors."""

    def open(self, path: Path, limits: Limits) -> Session:
        """A server is no file."""
        raise TypeError(f"{self.name} is a server: open_server")

    def open_union(self, members: Sequence[Member], limits: Limits) -> Session:
        """Databases of a server are not put together."""
        raise TypeError(f"{self.name} has no unions")


class ServerSession(Session):
    """One connection. Only `interrupt` may be called by another thread."""

    lost_classes: ClassVar[frozenset[str]] = frozenset({"connection", "resource", "interrupted", "cancelled"})
    """After these nobody knows what state the connection is in: it is closed, and the next one is new."""

    def __init__(self, address: Address, limits: Limits) -> None:
        self.address = address
        self.limits = limits
        self.limit_s = 30.0
        self._cancelling: threading.Thread | None = None
        self._cancelled_s = 0.0
        self._is_interrupted = False
        self._started_s = 0.0

    @property
    @abstractmethod
    def server_id(self) -> str:
        """What the server calls this connection, for `ServerEngine.kill`."""

    @abstractmethod
    def start(self, sql: str) -> list[str]:
        """Begin a transaction that may only read, limit its time on the server, and run one read."""

    @abstractmethod
    def take(self, n_rows: int) -> Sequence[Row]:
        """The next rows from the server."""

    @abstractmethod
    def undo(self) -> None:
        """Roll back, let go of the cursor, and put the session's state back. Raises the driver's errors."""

    @abstractmethod
    def cancel(self) -> None:
        """Have the server stop the running statement. Called by a thread of its own; may raise."""

    @abstractmethod
    def disconnect(self) -> None:
        """Close the connection at once, without asking the server anything. May raise."""

    @abstractmethod
    def explain(self, error: Exception) -> Failure:
        """What an error of the driver means: outcome, class, the engine's own code and its message."""

    @property
    def is_past_limit(self) -> bool:
        """Has the statement had all its time, so that whatever cancelled it did so for that?"""
        return time.monotonic() >= self._started_s + self.limit_s

    # What Session asks for

    def limit_time(self, seconds: float) -> None:
        """The next statement may take so long."""
        self.limit_s = seconds

    def execute(self, sql: str, as_raw_text: bool = False) -> list[str]:
        """See Session. Servers' text is always valid."""
        check_length(sql, self.limits)
        self._is_interrupted, self._started_s = False, time.monotonic()
        return self.start(sql)

    def fetch(self, n_rows: int) -> Sequence[Row]:
        """See Session."""
        return self.take(n_rows)

    def interrupt(self) -> None:
        """See Session. Returns at once; the server is asked in a thread."""
        now_s = time.monotonic()
        is_asking = self._cancelling is not None and self._cancelling.is_alive()
        if is_asking or (self._is_interrupted and now_s < self._cancelled_s + CANCEL_EVERY_S):
            return
        self._is_interrupted, self._cancelled_s = True, now_s
        self._cancelling = threading.Thread(target=self._cancel, name="cancel", daemon=True)
        with contextlib.suppress(RuntimeError):  # no memory for a thread: it is tried again
            self._cancelling.start()

    def finish(self) -> None:
        """See Session. What was interrupted, or cannot be undone, loses its connection.

        So no cancel that is still under way can reach the next statement.
        """
        if self._is_interrupted:
            self.close()
            return
        try:
            self.undo()
        except Exception:
            self.close()

    def failure(self, error: Exception) -> Failure:
        """See Session."""
        common = common_failure(error)
        if common is not None:
            return common
        found = self.explain(error)
        is_lost = found.error_class in self.lost_classes or self._is_interrupted
        return replace(found, error_message=shortened(found.error_message), is_session_lost=is_lost)

    def close(self) -> None:
        """See Session."""
        self.is_closed = True
        with contextlib.suppress(Exception):
            self.disconnect()

    def _cancel(self) -> None:
        with contextlib.suppress(Exception):
            self.cancel()
