"""What engines that stand in for a server say to statements that have no answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from glue.home import Home
from tests.execution_helpers import run, sha256, statements


def check_refusals(
    home: Home, path: Path, engine: str, refused: Mapping[str, tuple[str, str, str | None] | None]
) -> None:
    """Each has its outcome, class and code (None: any but an answer), and the file stays as it was."""
    before = sha256(path)
    writer, _ = run(home, statements(path, {sql: sql for sql in refused}, engine))
    assert sha256(path) == before
    executions = writer.executions()
    assert executions.keys() == refused.keys()
    for sql, execution in executions.items():
        found = (execution["outcome"], execution["error_class"], execution["error_code"])
        expected = refused[sql]
        assert found[0] != "answered" if expected is None else found == expected, (sql, execution)
