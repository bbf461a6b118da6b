"""The journal: whole frames are read back, and nothing after the first byte that is missing or wrong."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from glue.journal import Frame, Journal, journals_in

FRAMES = [Frame("runs", 1, b"first"), Frame("runs", 2, b""), Frame("executions", 3, b"the third\x00" * 5)]


def written(folder: Path) -> Path:
    journal = Journal.create(folder, "batch")
    for frame in FRAMES:
        journal.append(frame.table, frame.landed_at_us, frame.payload)
    journal.sync()
    journal.close()
    return journal.path


def frames_of(path: Path) -> list[Frame]:
    journal = Journal.adopt(path)
    assert journal is not None
    try:
        return list(journal.frames())
    finally:
        journal.close()


def test_frames_come_back_in_order(tmp_path: Path) -> None:
    assert frames_of(written(tmp_path)) == FRAMES


def test_a_tail_torn_at_any_byte_costs_the_torn_frame_alone(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    ends = [0]
    for frame in FRAMES:
        ends.append(ends[-1] + 8 + 18 + len(frame.table) + len(frame.payload))
    assert ends[-1] == len(whole)
    for n_bytes in range(len(whole) + 1):
        path.write_bytes(whole[:n_bytes])
        n_whole_frames = sum(end <= n_bytes for end in ends[1:])
        assert frames_of(path) == FRAMES[:n_whole_frames], n_bytes


def test_any_changed_byte_of_the_last_frame_drops_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    last = len(whole) - (8 + 18 + len("executions") + len(FRAMES[2].payload))
    for position in range(last, len(whole)):
        changed = bytearray(whole)
        changed[position] ^= 0x41
        path.write_bytes(changed)
        assert frames_of(path) == FRAMES[:2], position


RUBBISH = {"zeros": b"\x00" * 4096, "huge": b"EVJ1" + b"\xff" * 30, "short": b"EVJ1"}


@pytest.mark.parametrize("tail", RUBBISH.values(), ids=RUBBISH)
def test_a_tail_of_rubbish_is_dropped_and_logged(
    tmp_path: Path, tail: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes() + tail)
    assert frames_of(path) == FRAMES
    assert f"dropped {len(tail)} bytes" in caplog.text


def test_a_write_that_fails_half_way_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.create(tmp_path, "batch")
    journal.append("runs", 1, b"first")
    real_writev = os.writev
    calls: list[int] = []

    def full_disk(descriptor: int, parts: Any) -> int:
        calls.append(len(parts))
        if len(calls) == 1:
            return os.write(descriptor, bytes(parts[0])[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "writev", full_disk)
    with pytest.raises(OSError, match="No space left"):
        journal.append("runs", 2, b"second")
    assert len(calls) == 2
    monkeypatch.setattr(os, "writev", real_writev)
    journal.append("runs", 3, b"third")
    assert [frame.payload for frame in journal.frames()] == [b"first", b"third"]


def test_a_write_in_small_pieces_is_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.create(tmp_path, "batch")
    monkeypatch.setattr(os, "writev", lambda descriptor, parts: os.write(descriptor, bytes(parts[0])[:7]))
    journal.append("executions", 9, b"0123456789" * 3)
    assert list(journal.frames()) == [Frame("executions", 9, b"0123456789" * 3)]


def test_a_journal_in_use_cannot_be_adopted(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, "batch")
    assert Journal.adopt(journal.path) is None
    journal.close()
    adopted = Journal.adopt(journal.path)
    assert adopted is not None
    adopted.remove()
    assert Journal.adopt(journal.path) is None
    assert journals_in(tmp_path) == []
