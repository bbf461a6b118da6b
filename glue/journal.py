"""The journal of one writer: frames appended to one file, safe against a kill at any byte.

A frame is a header (magic, crc32 of all that follows, payload length, moment in microseconds since 1970
UTC, length of the table's name), the table's name, and the payload: an Arrow IPC stream. Reading stops at the
first frame that is not whole: a torn tail is what was in flight. The writer holds an flock on its journal, so
a journal that can be locked has no living writer.
"""

from __future__ import annotations

import logging
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glue.locks import LockedFile, lock_file

_MAGIC = b"EVJ1"
_HEAD = struct.Struct("<4sI")
_BODY = struct.Struct("<QqH")
_SUFFIX = ".journal"
_READ_AHEAD_BYTES = 1 << 20

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Frame:
    """What was appended at once: rows of one table as an Arrow IPC stream."""

    table: str
    landed_at_us: int  # microseconds since 1970, UTC
    payload: bytes


class Journal:
    """One journal, open and locked by this process."""

    def __init__(self, file: LockedFile) -> None:
        self._file = file
        self._n_bytes = os.fstat(file.descriptor).st_size
        self._n_synced_bytes = 0

    @classmethod
    def create(cls, folder: Path, batch: str) -> Journal:
        """Start an empty journal for a new batch. OSError when the folder cannot be written."""
        file = lock_file(folder / f"{batch}{_SUFFIX}", create=True, wait=True)
        assert file is not None  # with create and wait it is locked or an error
        sync_folder(folder)
        return cls(file)

    @classmethod
    def adopt(cls, path: Path) -> Journal | None:
        """Take over the journal of a dead writer; None while it lives or once another has folded it."""
        file = lock_file(path)
        return None if file is None else cls(file)

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def batch(self) -> str:
        """The name of the batch, which the folded files bear."""
        return self.path.name.removesuffix(_SUFFIX)

    def append(self, table: str, landed_at_us: int, payload: bytes | memoryview) -> None:
        """Hand one frame to the kernel: it survives the death of this process, and after `sync` any other.

        OSError when it could not be written; nothing of the frame is then left in the journal.
        """
        name = table.encode()
        body = _BODY.pack(len(payload), landed_at_us, len(name)) + name
        crc = zlib.crc32(payload, zlib.crc32(body))
        try:
            _write_all(self._file.descriptor, (_HEAD.pack(_MAGIC, crc) + body, payload))
        except BaseException:
            os.ftruncate(self._file.descriptor, self._n_bytes)
            raise
        self._n_bytes += _HEAD.size + len(body) + len(payload)

    def sync(self) -> None:
        """Have everything appended on disk; nothing to do is free."""
        if self._n_synced_bytes != self._n_bytes:
            os.fdatasync(self._file.descriptor)
            self._n_synced_bytes = self._n_bytes

    def frames(self) -> Iterator[Frame]:
        """Every whole frame in the order of appending; a torn tail is dropped with a warning in the log."""
        n_good_bytes = 0
        with self.path.open("rb", buffering=_READ_AHEAD_BYTES) as stream:
            while found := _read_frame(stream.read, self._n_bytes - n_good_bytes):
                frame, n_bytes = found
                n_good_bytes += n_bytes
                yield frame
        if n_good_bytes != self._n_bytes:
            torn = self._n_bytes - n_good_bytes
            logger.warning("%s: dropped %d bytes that were in flight when its writer died", self.path, torn)

    def close(self) -> None:
        """Unlock the journal and leave it to the next command to fold."""
        self._file.close()

    def remove(self) -> None:
        """Delete the journal, whose rows have been folded."""
        self.path.unlink(missing_ok=True)
        sync_folder(self.path.parent)
        self.close()


def journals_in(folder: Path) -> list[Path]:
    """The journals of a folder, oldest first; none when there is no such folder."""
    return sorted(folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []


def sync_folder(folder: Path) -> None:
    """Have a folder's entries (creations, renames, removals) on disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_frame(read: Callable[[int], bytes], n_bytes_left: int) -> tuple[Frame, int] | None:
    n_head_bytes = _HEAD.size + _BODY.size
    if n_bytes_left < n_head_bytes:
        return None
    head, body = read(_HEAD.size), read(_BODY.size)
    magic, crc = _HEAD.unpack(head)
    n_payload_bytes, landed_at_us, n_name_bytes = _BODY.unpack(body)
    n_bytes = n_head_bytes + n_name_bytes + n_payload_bytes
    if magic != _MAGIC or n_bytes > n_bytes_left:
        return None
    name, payload = read(n_name_bytes), read(n_payload_bytes)
    if zlib.crc32(payload, zlib.crc32(body + name)) != crc:
        return None
    return Frame(name.decode(), landed_at_us, payload), n_bytes


def _write_all(descriptor: int, parts: Sequence[bytes | memoryview]) -> None:
    views = [memoryview(part) for part in parts]
    while views:
        n_written = os.writev(descriptor, views)
        while views and n_written >= len(views[0]):
            n_written -= len(views.pop(0))
        if views:
            views[0] = views[0][n_written:]
