"""What servers' drivers leave to do before a value is a cell: floats of single width, cells past the cap."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from datetime import date, time
from decimal import Decimal
from typing import Any

from glue.cells import ReadyCell, json_text
from glue.engines.base import Row, TooLarge

_SINGLE = struct.Struct("<f")


def single(value: float) -> float:
    """The double of the shortest text that gives a single-width float back: 0.1, not 0.10000000149011612."""
    packed = _packed(value)
    if packed is None:
        return value
    for n_digits in range(6, 10):  # nine digits tell every single from its neighbours
        shorter = float(f"{value:.{n_digits}g}")
        if _packed(shorter) == packed:
            return shorter
    return value


def _packed(value: float) -> bytes | None:
    try:
        return _SINGLE.pack(value)
    except OverflowError:
        return None


def check_sizes(rows: Iterable[Row], max_value_bytes: int) -> None:
    """Raise TooLarge for a text of more characters, or bytes of more bytes, than a value may have."""
    for row in rows:
        for value in row:
            if isinstance(value, str | bytes | bytearray) and _length(value) > max_value_bytes:
                raise TooLarge(f"a cell has more than {max_value_bytes:,} characters or bytes")


def _length(value: str | bytes | bytearray) -> int:
    """In characters or bytes; a cell's is that of the value it was made of."""
    if not isinstance(value, ReadyCell):
        return len(value)
    return (len(value) - 2) // (2 if value.startswith("b:") else 1)


def json_of(document: Any) -> str:
    """A JSON document that a driver has parsed, as a text again: see cells.json_text."""
    return json_text(_json(document))


def _json(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{','.join(f'{json.dumps(str(key))}:{_json(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_json, value))}]"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, float) and value.is_integer():
        return f"{int(value)}"
    if value is None or isinstance(value, bool | int | float | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, date | time):
        return json.dumps(value.isoformat())
    if isinstance(value, bytes | bytearray):
        return json.dumps(value.hex())
    return json.dumps(str(value), ensure_ascii=False)
