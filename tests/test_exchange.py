"""What parents and workers say to one another arrives whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.exchange import Board, FrameReader, Running, encoded

_MESSAGES = st.lists(st.tuples(st.text(), st.lists(st.binary(max_size=50), max_size=3)), max_size=4)


@given(_MESSAGES, st.integers(min_value=1, max_value=40))
def test_messages_arrive_however_they_are_cut(messages: list[tuple[str, list[bytes]]], n_bytes: int) -> None:
    stream = b"".join(
        part
        for text, parts in messages
        for part in encoded({"text": text}, [memoryview(part) for part in parts])
    )
    reader = FrameReader()
    frames = [
        frame
        for start in range(0, len(stream), n_bytes)
        for frame in reader.feed(stream[start : start + n_bytes])
    ]
    assert [(frame.header["text"], [bytes(part) for part in frame.parts]) for frame in frames] == messages


@pytest.mark.parametrize("noise", [b"\xff" * 20, b"\x02\0\0\0" + b"\0" * 8 + b"no"])
def test_noise_is_no_message(noise: bytes) -> None:
    with pytest.raises(ValueError):
        list(FrameReader().feed(noise))


def test_a_board_says_what_runs() -> None:
    board = Board.create()
    assert board.read() is None
    reader = Board(board.descriptor)
    board.write(Running(0, 12.5, 30.0))
    assert reader.read() == Running(0, 12.5, 30.0)
    board.clear()
    assert reader.read() is None
    board.close()
