"""Runs the real commands, as a person would, and reads what they built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb


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


def rows_of(home: Path, sql: str) -> list[dict[str, Any]]:
    """What a query of the built warehouse in `home` gives, as dictionaries."""
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
        rows: list[dict[str, Any]] = connection.sql(sql).to_arrow_table().to_pylist()
        return rows
