"""Live databases as `glue execute` sees them: where they are, do they answer, what is left behind on them."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from glue.engines import engine_named
from glue.engines.base import Limits
from glue.engines.server import Address, ServerEngine
from glue.errors import GlueError
from glue.execute_work import LivePlace, Statement, with_golds_at_both_ends
from glue.home import Home

_END_WITHIN_S = 15.0


class Addresses:
    """Where live databases are, looked up when needed. A password to be asked for is asked for once."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._known: dict[str, Address] = {}

    def __getitem__(self, place: LivePlace) -> Address:
        """Where a live database is. GlueError for an unknown connection, or without its password."""
        name, path = place
        return replace(self._address(name), search_path=path)

    def _address(self, name: str) -> Address:
        from glue.connections import address_of, stored_connection

        if name not in self._known:
            self._known[name] = address_of(stored_connection(self._home, name))
        return self._known[name]


@dataclass
class Part:
    """The statements of one run that go together: all on files, or all on one server.

    `error`: why nobody knows where that server is.
    """

    statements: list[Statement]
    addresses: dict[LivePlace, Address] = field(default_factory=dict)
    error: GlueError | None = None

    @property
    def is_live(self) -> bool:
        return bool(self.addresses)


def parts_of(
    statements: Sequence[Statement], addresses: Mapping[LivePlace, Address] | Addresses
) -> list[Part]:
    """Statements on files first, then server by server; on these golds run at both ends."""
    files = Part([statement for statement in statements if statement.place is None])
    parts: dict[object, Part] = {}
    for statement in statements:
        if statement.place is None:
            continue
        try:
            address = addresses[statement.place]
        except GlueError as error:
            part = parts.setdefault(statement.connection, Part([], error=error))
        else:
            part = parts.setdefault(address.server, Part([]))
            part.addresses[statement.place] = address
        part.statements.append(statement)
    for part in parts.values():
        part.statements = with_golds_at_both_ends(part.statements)
    return [part for part in (files, *parts.values()) if part.statements]


def why_unreachable(part: Part) -> GlueError | None:
    """What to say where a database of a part cannot be connected to; None where all can.

    Asked once before any worker: a wrong password tried by each of them may lock the account.
    """
    if part.error is not None:
        return part.error
    for (name, _), address in part.addresses.items():
        engine = engine_named(address.engine)
        assert isinstance(engine, ServerEngine)
        try:
            engine.open_server(address, Limits(1 << 29)).close()
        except Exception as error:
            failure = engine.open_failure(error)
            return GlueError(
                f"connection {name!r} cannot be used: {failure.error_message}",
                f"nothing was run on it; check the server and its password, then `glue connect {name}`",
            )
    return None


class Endings:
    """Ends sessions on servers whose worker is gone, in threads of their own."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []
        self._warnings: list[str] = []

    def begin(self, address: Address, server_id: str) -> None:
        """Have the server end a session of ours, now."""
        thread = threading.Thread(target=self._end, args=(address, server_id), name="end", daemon=True)
        thread.start()
        self._threads.append(thread)

    def wait(self) -> list[str]:
        """Wait for all of them, a while at most. What to tell of those that failed."""
        deadline_s = time.monotonic() + _END_WITHIN_S
        for thread in self._threads:
            thread.join(max(deadline_s - time.monotonic(), 0.0))
        n_unknown = sum(thread.is_alive() for thread in self._threads)
        if n_unknown:
            self._warnings.append(f"{n_unknown} sessions may still be at work on their server")
        return self._warnings

    def _end(self, address: Address, server_id: str) -> None:
        engine = engine_named(address.engine)
        assert isinstance(engine, ServerEngine)
        try:
            engine.kill(address, server_id)
        except Exception as error:
            failure = engine.open_failure(error)
            self._warnings.append(
                f"session {server_id} may still be at work on {address.host or address.engine}:"
                f" ending it failed ({failure.error_message})"
            )
