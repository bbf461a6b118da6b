"""Processes that tests of the landing zone start and kill: `python landing_processes.py <function> …`.

The script starts no thread of its own before it forks, so that every writer and compactor here is a plain
forked process, killed by SIGKILL. What survives is for the test to look at.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import duckdb  # noqa: E402, F401  (what the children need is imported before the forks: they are cheap then)
import numpy  # noqa: E402, F401
import pyarrow.parquet  # noqa: E402, F401

from glue import landing, landing_compaction  # noqa: E402, F401
from glue.home import Home  # noqa: E402
from glue.locks import LoopLock  # noqa: E402


def start(what: str, *arguments: object) -> subprocess.Popen[str]:
    """Start one of the functions below in a process of its own."""
    command = [sys.executable, __file__, what, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def run(what: str, *arguments: object) -> str:
    """Run one of the functions below to its end and give what it printed."""
    process = start(what, *arguments)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, f"{what} ended with {process.returncode}"
    return output


def execution(key: str) -> list[dict[str, Any]]:
    return [{"execution_id": key, "outcome": "answered", "result_id": key, "n_rows": 3}]


def result_rows(key: str) -> list[dict[str, Any]]:
    return [{"result_id": key, "row_number": number, "cells": [f"n:{number}"]} for number in (1, 2, 3)]


def kill_writers(root: str, n_kills: str, acknowledged: str) -> None:
    """Kill writers at random moments. `acknowledged` gets a line for every key once sync has returned."""
    for number in range(int(n_kills)):
        started_with = _size(acknowledged)
        writer = _fork(lambda: _write_for_ever(Home(Path(root)), f"writer{number}", acknowledged))  # noqa: B023
        while _size(acknowledged) == started_with:
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.06))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)


def _write_for_ever(home: Home, name: str, acknowledged: str) -> None:
    descriptor = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    number = 0
    while True:
        with landing.Writer(home, "execute", "a writer to be killed") as writer:
            for _ in range(4):
                key = f"{name}-{number}"
                number += 1
                writer.append_ipc("result_rows", landing.to_ipc("result_rows", result_rows(key)))
                writer.append("executions", execution(key))
                writer.sync()
                os.write(descriptor, f"{key}\n".encode())


def crash_everywhere(root: str, action: str, copies: str) -> None:
    """Do an action on copies of a home, killed at its first step on disk, its second, … until none is left.

    The copies are the folders 1, 2, … of `copies`; the last is that of the action that got through.
    """
    for step in range(1, 1000):
        copy = Path(copies) / str(step)
        shutil.copytree(root, copy)
        child = _fork(lambda: _crash_at(step, lambda: ACTIONS[action](Home(copy))))  # noqa: B023
        if os.waitpid(child, 0)[1] == 0:
            return


def _crash_at(crash_step: int, action: Callable[[], None]) -> None:
    n_steps = 0

    def counted(step: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal n_steps
            n_steps += 1
            if n_steps == crash_step:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*arguments, **options)

        return call

    for name in ("replace", "unlink", "fsync", "fdatasync", "writev"):
        setattr(os, name, counted(getattr(os, name)))
    action()


def _land_three_tables(home: Home) -> None:
    with landing.Writer(home, "import", "glue import") as writer:
        for number in range(2):
            key = f"question {number}"
            writer.append("questions", [{"import_id": "i", "question_id": key}])
            writer.append("golds", [{"import_id": "i", "question_id": key, "gold_number": 1}])
            (home.root / f"appended {number}").touch()
        writer.append("imports", [{"import_id": "i"}])
        (home.root / "appended import").touch()


def _compact(home: Home) -> None:
    landing.compact(home)


ACTIONS = {"land": _land_three_tables, "compact": _compact}


def ensure_at_once(root: str, n_processes: str) -> None:
    """Call ensure in several processes at the same moment."""
    gate_reader, gate_writer = os.pipe()

    def ensure_when_open() -> None:
        os.close(gate_writer)
        os.read(gate_reader, 1)  # returns when the parent closes its end
        landing.ensure(Home(Path(root)))

    children = [_fork(ensure_when_open) for _ in range(int(n_processes))]
    os.close(gate_writer)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    assert statuses == [0] * len(children), statuses


def hold_lock_with_child(root: str) -> None:
    """Take the lock of `execute`, fork a child that outlives this process, print its pid, and wait."""
    with LoopLock(Home(Path(root)), "execute", "glue execute --workers 2"):
        child = _fork(lambda: time.sleep(60))
        print(child, flush=True)
        signal.pause()


def write_in_child(root: str) -> None:
    """Use a writer in a forked child, which must be refused, then in the parent, which must not."""
    with landing.Writer(Home(Path(root)), "execute") as writer:
        writer.append("executions", execution("before"))
        _, status = os.waitpid(_fork(lambda: _append_in_child(writer)), 0)
        assert status == 0, status
        writer.append("executions", execution("after"))


def _append_in_child(writer: landing.Writer) -> None:
    try:
        writer.append("executions", execution("child"))
    except RuntimeError as error:
        writer.__exit__(RuntimeError, error, None)  # as when the error leaves the block in the child
        return
    raise AssertionError("a forked child wrote into its parent's journal")


def _fork(action: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        action()
        status = 0
    finally:
        os._exit(status)


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).exists() else 0


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
