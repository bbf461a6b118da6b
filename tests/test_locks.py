"""One command per loop: the second is told who holds the lock, and no lock outlives its process."""

from __future__ import annotations

import fcntl
import os
import re
import signal
from pathlib import Path

import pytest

from glue import locks
from glue.errors import GlueError
from glue.home import Home
from glue.locks import LOOPS, LoopLock, hold_all, holder_of, lock_file
from tests import landing_processes


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE_S", 0.03)


def test_the_second_command_is_told_who_holds_the_lock(home: Home) -> None:
    with LoopLock(home, "execute", "glue execute --workers 2"), pytest.raises(GlueError) as caught:
        LoopLock(home, "execute").acquire()
    assert re.fullmatch(
        rf"glue execute is already running \(process {os.getpid()}, "
        r"started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, command `glue execute --workers 2`\)",
        caught.value.message,
    )
    assert caught.value.hint is not None
    assert f"kill {os.getpid()}" in caught.value.hint


def test_another_process_is_told_too(home: Home) -> None:
    process = landing_processes.start("hold_lock_with_child", home.root)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    try:
        with pytest.raises(GlueError, match=rf"process {process.pid}, .*`glue execute --workers 2`"):
            LoopLock(home, "execute").acquire()
        process.kill()
        process.wait()
        os.kill(child, 0)  # its child still lives …
        with LoopLock(home, "execute"):  # … and holds nothing
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        process.kill()
        process.stdout.close()


def test_different_loops_do_not_meet(home: Home) -> None:
    with LoopLock(home, "import"), LoopLock(home, "execute"), LoopLock(home, "build"):
        pass


def test_a_lock_can_be_taken_again_after_an_error(home: Home) -> None:
    with pytest.raises(ZeroDivisionError), LoopLock(home, "import"):
        raise ZeroDivisionError
    with LoopLock(home, "import"):
        pass


def test_holder_of_names_the_holder_only_while_it_holds(home: Home) -> None:
    assert holder_of(home, "import") is None
    with LoopLock(home, "import", "glue import bird"):
        holder = holder_of(home, "import")
        assert holder is not None
        assert (holder.pid, holder.command) == (os.getpid(), "glue import bird")
    assert holder_of(home, "import") is None


def test_a_lock_file_left_by_a_killed_process_names_nobody(home: Home) -> None:
    path = home.landing / "_locks" / "import.lock"
    path.parent.mkdir(parents=True)
    path.write_text('{"pid": 1, "program": "glue import", "command": "x", "started_at": "long ago"}')
    assert holder_of(home, "import") is None
    with LoopLock(home, "import"):
        pass


@pytest.mark.parametrize("loop", list(LOOPS))
def test_holding_all_locks_meets_every_loop(home: Home, loop: str) -> None:
    refused = pytest.raises(GlueError, match=f"{LOOPS[loop]} is already running")
    with LoopLock(home, loop), refused, hold_all(home):
        pass


def test_while_all_are_held_a_loop_is_told_of_the_compaction(home: Home) -> None:
    with hold_all(home), pytest.raises(GlueError, match="glue landing compact is already running"):
        LoopLock(home, "import").acquire()


def test_an_unknown_loop_names_the_nearest(home: Home) -> None:
    with pytest.raises(GlueError, match="'exectue'") as caught:
        LoopLock(home, "exectue")
    assert caught.value.hint == "did you mean 'execute'?"


def test_a_file_removed_while_we_waited_for_its_lock_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    real_flock = fcntl.flock
    waits: list[int] = []

    def flock_of_a_removed_file(descriptor: int, operation: int) -> None:
        waits.append(descriptor)
        if len(waits) == 1:
            path.unlink()  # by whoever held the lock until now
        real_flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock_of_a_removed_file)
    file = lock_file(path, create=True, wait=True)
    assert file is not None
    assert len(waits) == 2
    assert os.path.samestat(path.stat(), os.fstat(file.descriptor))
    waits.clear()
    file.close()
    assert lock_file(path) is None  # gone for good: nothing to lock
