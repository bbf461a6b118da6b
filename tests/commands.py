"""Runs the real commands, as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


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
