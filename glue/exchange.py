"""What a parent and its worker processes say to one another: frames over a socket, a board in shared memory.

Headers are JSON and tables Arrow IPC, never pickles: a worker runs hostile SQL, so its parent takes nothing
from it that could run.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_LENGTHS = struct.Struct("<IQ")
_BOARD = struct.Struct("<qdd")
_BOARD_BYTES = mmap.PAGESIZE
_MAX_HEADER_BYTES = 256 << 20
_MAX_BODY_BYTES = 16 << 30


@dataclass(frozen=True)
class Frame:
    """One message: a JSON header and byte strings that go with it."""

    header: dict[str, Any]
    parts: list[memoryview]


def encoded(header: dict[str, Any], parts: Sequence[memoryview] = ()) -> list[memoryview]:
    """A message as the byte strings to send one after another."""
    text = json.dumps({**header, "sizes": [part.nbytes for part in parts]}).encode()
    lengths = _LENGTHS.pack(len(text), sum(part.nbytes for part in parts))
    return [memoryview(lengths + text), *parts]


class FrameReader:
    """Puts messages together from bytes as they arrive."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The messages that `data` completes. ValueError when the bytes are no messages."""
        self._buffer += data
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        if len(self._buffer) < _LENGTHS.size:
            return None
        n_header, n_body = _LENGTHS.unpack_from(self._buffer)
        if n_header > _MAX_HEADER_BYTES or n_body > _MAX_BODY_BYTES:
            raise ValueError("not a frame")
        body_start = _LENGTHS.size + n_header
        end = body_start + n_body
        if len(self._buffer) < end:
            return None
        header = json.loads(self._buffer[_LENGTHS.size : body_start])
        body = memoryview(bytes(self._buffer[body_start:end]))
        del self._buffer[:end]
        return Frame(header, list(_split(body, header.pop("sizes"))))


def _split(body: memoryview, sizes: list[int]) -> Iterator[memoryview]:
    start = 0
    for size in sizes:
        yield body[start : start + size]
        start += size
    if start != len(body):
        raise ValueError("not a frame")


@dataclass(frozen=True)
class Running:
    """The statement a worker is at: its place in the parent's list, when it began, how long it may take."""

    position: int
    started_s: float
    limit_s: float


class Board:
    """Where a worker writes what it runs, readable by its parent even while the worker cannot answer.

    Times are those of time.monotonic(), one clock for all processes of a machine.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._memory = mmap.mmap(descriptor, _BOARD_BYTES)

    @classmethod
    def create(cls) -> Board:
        """A blank board; a child process attaches to it through its descriptor."""
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("evalhouse-board")
        else:
            with tempfile.TemporaryFile() as file:
                descriptor = os.dup(file.fileno())
        os.ftruncate(descriptor, _BOARD_BYTES)
        board = cls(descriptor)
        board.clear()
        return board

    def write(self, running: Running) -> None:
        """Say what runs from now on. The position comes last: a reader sees it with its own times."""
        struct.pack_into("<dd", self._memory, 8, running.started_s, running.limit_s)
        struct.pack_into("<q", self._memory, 0, running.position)

    def clear(self) -> None:
        """Say that nothing runs."""
        struct.pack_into("<q", self._memory, 0, -1)

    def read(self) -> Running | None:
        """What runs, or None. Between two statements, one's position may be seen with the other's times."""
        running = Running(*_BOARD.unpack_from(self._memory, 0))
        return None if running.position < 0 else running

    def close(self) -> None:
        """Let go of the shared memory."""
        self._memory.close()
        os.close(self.descriptor)
