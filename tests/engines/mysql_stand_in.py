"""A stand-in for MySQL, of which no server can be had: it speaks the protocol and notes what it is told."""

from __future__ import annotations

import socket
import struct
import threading
from typing import Any

from pymysql.constants import CLIENT, FIELD_TYPE

Column = tuple[str, int, int]  # name, type, character set
UTF8MB4, BINARY = 255, 63


class MySQLStandIn:
    """Answers any password, a statement as `answers` says for what begins it, and every other with OK."""

    def __init__(self, version: str = "8.0.36") -> None:
        self.version = version
        self.heard: list[str] = []
        self.answers: dict[str, Any] = {
            "SELECT @@global.sql_mode": (
                [("m", FIELD_TYPE.VAR_STRING, UTF8MB4)],
                [[b"ANSI_QUOTES,ONLY_FULL_GROUP_BY,NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES"]],
            )
        }
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._n_links = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            self._n_links += 1
            threading.Thread(target=_Link(self, link, self._n_links).serve, daemon=True).start()


class _Link:
    """One connection to the stand-in."""

    def __init__(self, server: MySQLStandIn, link: socket.socket, number: int) -> None:
        self._server = server
        self._link = link
        self._number = number
        self._sequence = 0

    def serve(self) -> None:
        """Until the other side goes."""
        try:
            self._greet()
            while True:
                command = self._read()
                if command[:1] == b"\x01":
                    return
                self._answer(command)
        except (OSError, EOFError):
            return
        finally:
            self._link.close()

    def _answer(self, command: bytes) -> None:
        text = "reset" if command[:1] == b"\x1f" else command[1:].decode()
        self._server.heard.append(text)
        found = next((give for start, give in self._server.answers.items() if text.startswith(start)), None)
        if isinstance(found, int):
            self._send(b"\xff" + struct.pack("<H", found) + b"#HY000told to fail")
        elif found is None:
            self._ok()
        else:
            self._rows(*found)

    def _greet(self) -> None:
        flags = CLIENT.CAPABILITIES | CLIENT.CONNECT_WITH_DB
        self._send(
            b"\x0a"
            + self._server.version.encode()
            + b"\x00"
            + struct.pack("<I", self._number)
            + b"abcdefgh\x00"
            + struct.pack("<HBHHB", flags & 0xFFFF, UTF8MB4, 2, flags >> 16, 21)
            + bytes(10)
            + b"ijklmnopqrst\x00mysql_native_password\x00"
        )
        self._read()
        self._ok()

    def _rows(self, columns: list[Column], rows: list[list[bytes | None]]) -> None:
        self._send(bytes([len(columns)]))
        for name, kind, charset in columns:
            texts = b"".join(_counted(text.encode()) for text in ("def", "", "", "", name, name))
            self._send(texts + b"\x0c" + struct.pack("<HIBHBxx", charset, 1024, kind, 0, 0))
        self._send(b"\xfe\x00\x00\x02\x00")
        for row in rows:
            self._send(b"".join(b"\xfb" if value is None else _counted(value) for value in row))
        self._send(b"\xfe\x00\x00\x02\x00")

    def _ok(self) -> None:
        self._send(b"\x00\x00\x00\x02\x00\x00\x00")

    def _send(self, payload: bytes) -> None:
        self._link.sendall(struct.pack("<I", len(payload))[:3] + bytes([self._sequence]) + payload)
        self._sequence = (self._sequence + 1) % 256

    def _read(self) -> bytes:
        header = self._exactly(4)
        self._sequence = (header[3] + 1) % 256
        return self._exactly(int.from_bytes(header[:3], "little"))

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._link.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data


def _counted(value: bytes) -> bytes:
    assert len(value) < 251
    return bytes([len(value)]) + value
