"""Runs the real commands, as a person would, and reads what they built.

Commands run in the tests' own process. A process of its own would pay anew, each time, for what costs more
than most commands do: to import glue and dbt (about two seconds), and to have dbt read the project (about
six). Here both happen once in a test process: `glue.dbt_session` keeps the project as dbt read it and moves
it from one throw-away warehouse to the next. What a command leaves in the process is put back: the folder,
the environment, the warehouse's file, which is closed.

What is about processes starts one: `glue(…, in_own_process=True)`, `dbt(…)`, which is `dbt` as its users call
it, and the tests that kill a command, that interrupt one or that go through a page of the docs.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb

from glue import cli
from glue.build import project_directory, project_state
from glue.dbt_session import dbt_session
from glue.home import Home


def glue(
    home: Path, *arguments: object, is_failure_expected: bool = False, in_own_process: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run `glue …` on the warehouse in `home`; unless a failure is expected, it must succeed."""
    words = [str(argument) for argument in arguments]
    environment = {**os.environ, "EVALHOUSE_HOME": str(home)}
    finished = (_in_own_process if in_own_process else in_this_process)(words, home, environment)
    said = f"glue {' '.join(words)}\n{finished.stdout}\n{finished.stderr}"
    assert (finished.returncode != 0) == is_failure_expected, said
    return finished


def _in_own_process(
    words: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "glue", *words],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
    )


def in_this_process(
    words: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run `glue …` as if it were started in a folder with an environment, and say how it ended."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = 0
    with _as_started_in(folder, environment), redirect_stdout(out), redirect_stderr(err):
        try:
            cli.main(words)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    said, complained = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(["glue", *words], code, said, complained)


@contextmanager
def _as_started_in(folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """The folder and the environment of a command, then those of before."""
    before = Path.cwd()
    with mock.patch.dict(os.environ, environment, clear=True):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run_dbt(home: Path, *nodes: str) -> None:
    """Build these seeds and models, without their tests, with `home` as the warehouse; it must succeed."""
    place, project = Home(home), project_directory()
    with dbt_session(place, project, {}, project_state(project)) as dbt_here:
        outcome = dbt_here.build(*nodes)
    results = getattr(outcome.result, "results", None) or []
    failed = [(result.node.name, result.message) for result in results if str(result.status) != "success"]
    assert outcome.success and not failed, (failed, outcome.exception)


def dbt(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `dbt …` of this project on the warehouse in `home`, and say how it ended."""
    project = str(project_directory())
    return subprocess.run(
        [
            *(sys.executable, "-W", "ignore", "-m", "dbt.cli.main", *arguments),
            *("--project-dir", project, "--profiles-dir", project),
            *("--target-path", str(home / "target"), "--log-path", str(home / "logs")),
        ],
        env={**os.environ, "EVALHOUSE_HOME": str(home), "PYTHONPATH": project},
        capture_output=True,
        text=True,
        timeout=300,
    )


def rows_of(home: Path, sql: str) -> list[dict[str, Any]]:
    """What a query of the built warehouse in `home` gives, as dictionaries."""
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
        rows: list[dict[str, Any]] = connection.sql(sql).to_arrow_table().to_pylist()
        return rows
