"""What do hostile statements change on a real server, and how soon is it free of them?

    python -m benchmarks.hostile
    python -m benchmarks.hostile --engine mariadb --group endless --every

Runs the statements of the tests (tests/engines/test_postgresql.py, test_mysql_hostile.py) one by one, as a
worker runs them, on a database made for it with a user who may only read; both are dropped after. Of each it
says how it ended; after how long; how long the server went on after that; whether any row, object, right,
setting or lock is another than before; and how many connections are left besides the session's own.
Prints a line a group, with `--every` also one a statement, as Markdown. 1 where anything has changed, or
stayed.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql

from glue.engines.base import Limits
from glue.engines.server import ServerSession
from glue.worker_limits import TimedOut, Watch, limit_memory
from glue.worker_results import collect
from glue.worker_tasks import Settings
from tests.engines import test_mysql_hostile, test_postgresql
from tests.engines.servers import LIVE, Server, Servers

MEMORY_BYTES = 512 << 20
LOOK_EVERY_S = 0.02
AT_MOST_S = 60.0
"""How long the server is given to be free, and connections to be gone."""


@dataclass(frozen=True)
class Group:
    """Statements of one kind, and the limit each is given."""

    name: str
    limit_s: float
    sqls: list[str]


GROUPS = {
    "postgresql": [
        Group("quotes and remarks", 5, test_postgresql.HARMLESS),
        Group("no read", 5, test_postgresql.REFUSED),
        Group("not permitted", 5, test_postgresql.FAILING),
        Group("session state", 5, test_postgresql.UNDONE),
        Group("endless", 0.5, test_postgresql.ENDLESS),
        Group("too large", 20, test_postgresql.LARGE),
        Group("unheard", 8, test_postgresql.STUBBORN),
    ],
    "mariadb": [
        Group("no read", 5, test_mysql_hostile.REFUSED),
        Group("endless", 0.5, test_mysql_hostile.ENDLESS),
    ],
}
SCRIPTS = {"postgresql": test_postgresql.SCRIPT, "mariadb": test_mysql_hostile.VICTIMS}
CONTENTS: dict[str, Callable[[Server], list[Any]]] = {
    "postgresql": lambda server: server.content(),
    "mariadb": test_mysql_hostile.content,
}


@dataclass(frozen=True)
class Found:
    """What became of one statement."""

    sql: str
    outcome: str
    elapsed_s: float
    free_s: float
    is_changed: bool
    n_left: int


class Attacker:
    """Runs statements on one server, each as a worker would; a lost session is made anew."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server, self._folder = server, folder
        self._session: ServerSession | None = None
        self._watch = Watch()
        self._is_over = threading.Event()
        self._attendant = threading.Thread(target=self._attend)
        self._attendant.start()

    def close(self) -> None:
        """End what runs beside the statements."""
        self._is_over.set()
        self._attendant.join()
        if self._session is not None:
            self._session.close()

    def run(self, sql: str, limit_s: float) -> Found:
        """One statement, and what the server is like after it."""
        text = sql.replace("{database}", self._server.name).replace("{folder}", str(self._folder))
        before = self._content()
        if self._session is None or self._session.is_closed:
            self._session = self._server.open(Limits(MEMORY_BYTES))
        started_s = time.monotonic()
        outcome = self._outcome(self._session, text, limit_s)
        elapsed_s = time.monotonic() - started_s
        free_s = self._server.seconds_until_free(AT_MOST_S)
        n_left = self._others_left(self._session)
        return Found(sql, outcome, elapsed_s, free_s, self._content() != before, n_left)

    def _outcome(self, session: ServerSession, sql: str, limit_s: float) -> str:
        session.limit_time(limit_s)
        limit_memory(MEMORY_BYTES)
        self._watch.arm(session, time.monotonic() + limit_s)
        try:
            collect(session, sql, Settings(1_000, 1 << 20, MEMORY_BYTES), self._watch)
            outcome = "answered"
        except TimedOut:
            outcome = "timed_out"
        except Exception as error:
            failure = session.failure(error)
            is_late = failure.outcome == "failed" and failure.error_class in ("cancelled", "interrupted")
            outcome = "timed_out" if is_late else f"{failure.outcome}: {failure.error_class}"
        finally:
            self._watch.disarm()
            limit_memory(None)
        session.finish()
        return outcome

    def _content(self) -> list[Any]:
        files = sorted(path.name for path in self._folder.iterdir())
        return [CONTENTS[self._server.engine](self._server), files]

    def _others_left(self, session: ServerSession) -> int:
        own = set() if session.is_closed else {session.server_id}
        until_s = time.monotonic() + AT_MOST_S
        while (others := set(self._server.sessions()) - own) and time.monotonic() < until_s:
            time.sleep(LOOK_EVERY_S)
        return len(others)

    def _attend(self) -> None:
        while not self._is_over.wait(LOOK_EVERY_S):
            self._watch.look()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the statements; 1 where anything has changed or stayed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=LIVE, action="append", help="(default both)")
    parser.add_argument("--group", action="append", help="these groups alone")
    parser.add_argument("--every", action="store_true", help="a line for each statement, too")
    given = parser.parse_args(arguments)
    print("| statements | limit | ended | after at most | server free after at most | changed | left |")
    print("|---|---|---|---|---|---|---|")
    servers, is_clean = Servers(), True
    try:
        for engine in given.engine or LIVE:
            for group in GROUPS[engine]:
                if not given.group or group.name in given.group:
                    found = attacked(servers[engine], group)
                    is_clean &= not any(each.is_changed or each.n_left for each in found)
                    print_group(engine, group, found, given.every)
    finally:
        servers.drop()
    return 0 if is_clean else 1


def attacked(server: Server, group: Group) -> list[Found]:
    """What became of each statement of a group."""
    server.run(SCRIPTS[server.engine])
    with tempfile.TemporaryDirectory(prefix="evalhouse-") as folder, locked(server):
        Path(folder).chmod(0o777)  # the server may write there: that it does not is what is asked
        attacker = Attacker(server, Path(folder))
        try:
            return [attacker.run(sql, group.limit_s) for sql in group.sqls]
        finally:
            attacker.close()


@contextlib.contextmanager
def locked(server: Server) -> Iterator[None]:
    """Somebody else holds a lock that one of MariaDB's statements waits for."""
    if server.engine != "mariadb":
        yield
        return
    with pymysql.connect(host="127.0.0.1", user="root") as connection:
        connection.cursor().execute("select get_lock('evalhouse_m2', 0)")
        yield


def print_group(engine: str, group: Group, found: list[Found], is_every: bool) -> None:
    """A line for the group, and one for each of its statements."""
    ends = Counter(each.outcome.partition(":")[0] for each in found)
    cells = [
        f"{engine}: {group.name} ({len(found)})",
        f"{group.limit_s:g} s",
        ", ".join(f"{n} {outcome}" for outcome, n in ends.most_common()),
        f"{max(each.elapsed_s for each in found):.2f} s",
        f"{max(each.free_s for each in found):.2f} s",
        str(sum(each.is_changed for each in found) or "nothing"),
        str(sum(each.n_left for each in found)),
    ]
    print(f"| {' | '.join(cells)} |")
    for each in found if is_every else []:
        text = " ".join(each.sql.split())[:90].replace("|", "\\|")
        changed = "CHANGED" if each.is_changed else "nothing"
        print(
            f"| `{text}` | | {each.outcome} | {each.elapsed_s:.2f} s | {each.free_s:.2f} s"
            f" | {changed} | {each.n_left} |",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
