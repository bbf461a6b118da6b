"""docs/local-engines.md, walked: each command, what it prints, and whether it fails where it should."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.walked_pages import pattern, printed, steps

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "local-engines.md"
SCRIPT = re.compile(r"^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
CASE = {
    "id": "nulls-01",
    "topic": "nulls",
    "setup": [],
    "sql": "SELECT NVL('', 1) FROM dual",
    "ordered": True,
    "expected": [["1"]],
}


@pytest.mark.slow
def test_the_page_walks(tmp_path: Path) -> None:
    script = SCRIPT.search(PAGE.read_text(encoding="utf-8"))
    assert script
    (tmp_path / "staff.sql").write_text(script[1])
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE))
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "glue"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m glue "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVALHOUSE_", "DBT_"))}
    path = os.pathsep.join([str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**kept, "PATH": path, "PYTHONPATH": str(ROOT), "EVALHOUSE_HOME": str(tmp_path)}
    n_shown = 0
    for step in steps(PAGE):
        finished = subprocess.run(
            step.command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        is_refused = bool(step.shown) and step.shown[0].startswith("refused by")
        one_row_is_bad = step.command.startswith("glue dialect load")
        said = f"{step.command}\n{finished.stdout}\n{finished.stderr}"
        assert finished.returncode == int(is_refused or one_row_is_bad), said
        if one_row_is_bad:
            assert "ORA-01400" in finished.stderr
        if step.shown:
            n_shown += 1
            assert pattern(step.shown).match(printed(finished.stdout)), said
    assert n_shown >= 3
