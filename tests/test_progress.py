"""Progress on a terminal and elsewhere."""

from __future__ import annotations

import io

import pytest

from glue.progress import Bar, Lines, Silent, duration, progress_on


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_say_how_far_how_fast_and_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("glue.progress.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    lines = Lines(stream, every_s=5.0)
    lines.start("statements", 1_000)
    now[0] += 2
    lines.advance(100, 1)
    assert stream.getvalue() == ""
    now[0] += 3
    lines.advance(400, 2)
    lines.note("a remark")
    lines.tell("$0.10")
    now[0] += 5
    lines.advance(500, 0)
    lines.finish()
    assert stream.getvalue().splitlines() == [
        "statements: 500 of 1,000, 3 failed, 100/s, about 5 s left",
        "a remark",
        "statements: 1,000 of 1,000, 3 failed, 100/s, $0.10",
        "statements: 1,000 of 1,000, 3 failed, 100/s, $0.10",
    ]


def test_a_bar_ends_with_everything_counted() -> None:
    stream = Terminal()
    bar = Bar(stream)
    bar.start("statements", 10)
    bar.advance(6, 1)
    bar.tell("$0.10")
    bar.note("a [remark]")
    bar.advance(4, 1)
    bar.finish()
    text = stream.getvalue()
    assert "a [remark]" in text
    assert "10/10" in text
    assert "2 failed" in text
    assert "$0.10" in text


def test_a_terminal_gets_a_bar_and_a_pipe_lines() -> None:
    assert isinstance(progress_on(Terminal()), Bar)
    assert isinstance(progress_on(io.StringIO()), Lines)


def test_silence() -> None:
    silent = Silent()
    silent.start("statements", 1)
    silent.advance(1, 0)
    silent.tell("nothing")
    silent.note("nothing")
    silent.finish()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (42, "42 s"), (180, "3 min"), (7_500, "2 h 5 min")]
)
def test_durations_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text
