"""Runs the real commands, as a person would, and reads what they built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb

from glue.build import project_directory


def glue(
    home: Path, *arguments: object, is_failure_expected: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run `glue …` on the warehouse in `home`; unless a failure is expected, it must succeed."""
    finished = subprocess.run(
        [sys.executable, "-m", "glue", *map(str, arguments)],
        env={**os.environ, "EVALHOUSE_HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=900,
    )
    said = f"glue {' '.join(map(str, arguments))}\n{finished.stdout}\n{finished.stderr}"
    assert (finished.returncode != 0) == is_failure_expected, said
    return finished


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
