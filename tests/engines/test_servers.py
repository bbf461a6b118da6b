"""Servers of the tests are started once, however many processes of them want one."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.engines.servers import PostgreSQLServer


def test_one_of_many_starts_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "starts"

    class Slow(PostgreSQLServer):
        engine = f"test-{tmp_path.name}"
        needs = "sh"
        start_command = f"sleep 0.3; echo started >> {log}"

        def _answers(self) -> bool:
            return log.exists()

    monkeypatch.setattr("os.geteuid", lambda: 0)
    wanting = [threading.Thread(target=Slow.__new__(Slow)._find_or_start) for _ in range(4)]
    for thread in wanting:
        thread.start()
    for thread in wanting:
        thread.join()
    assert log.read_text() == "started\n"


def test_where_none_can_be_started_the_tests_skip_and_in_ci_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing(PostgreSQLServer):
        needs = "no-such-program-of-a-server"

        def _answers(self) -> bool:
            return False

    server = Missing.__new__(Missing)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="cannot be started"):
        server._find_or_start()
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="cannot be started"):
        server._find_or_start()
