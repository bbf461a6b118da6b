"""What `benchmarks.hostile` prints, and that it tells a change and a connection that stayed."""

from __future__ import annotations

import re

import pytest

from benchmarks import hostile
from benchmarks.hostile import Group
from tests.engines.servers import LIVE

FEW = {
    "postgresql": ["select 1", "drop table victim", "select pg_sleep(1000)"],
    "mariadb": ["select 1", "drop table t", "select sleep(600)"],
}


@pytest.mark.parametrize("engine", LIVE)
def test_each_statement_has_its_line(
    engine: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(hostile.GROUPS, engine, [Group("a few", 0.3, FEW[engine]), Group("other", 1, ["x"])])
    assert hostile.main(["--engine", engine, "--group", "a few", "--every"]) == 0
    header, _, summary, *lines = capsys.readouterr().out.splitlines()
    assert header.count("|") == summary.count("|") == lines[0].count("|")
    assert f"| {engine}: a few (3) | 0.3 s | 1 answered, 1 refused, 1 timed_out |" in summary
    ended = [line.rpartition("` | | ")[2].split(" | ") for line in lines]
    assert [cells[0] for cells in ended] == ["answered", "refused: not_a_read", "timed_out: interrupted"]
    assert 0.3 <= float(ended[2][1].removesuffix(" s")) < 5
    assert all(re.search(r"\| nothing \| 0 \|$", line) for line in lines)


def test_what_has_changed_or_stayed_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = iter([["one row"], ["two rows"]])
    monkeypatch.setitem(hostile.GROUPS, "postgresql", [Group("one", 1, ["select 1"])])
    monkeypatch.setitem(hostile.CONTENTS, "postgresql", lambda server: next(contents))
    monkeypatch.setattr(hostile, "AT_MOST_S", 0.1)
    monkeypatch.setattr(
        "tests.engines.servers.PostgreSQLServer.sessions",
        lambda server, is_busy=False: [] if is_busy else ["1", "2"],
    )
    assert hostile.main(["--engine", "postgresql", "--every"]) == 1
    summary, line = capsys.readouterr().out.splitlines()[-2:]
    assert summary.endswith("| 1 | 2 |")
    assert line.endswith("| CHANGED | 2 |")
