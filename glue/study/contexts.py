"""The schemas that messages of cells name by their key, put together from their tables' texts to be sent.

A study asks thousands of prompts of hundreds of kilobytes that show the same tables: one list of small
numbers each is kept in memory, and every table's text once.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property

import pyarrow as pa

from glue.errors import GlueError
from glue.handoff import read_handoff
from glue.home import Home

SEPARATOR = "\n\n"
"""Between two tables, as in the model `cell_messages`."""


class Contexts:
    """The contexts of a warehouse's pending requests, as of the last refresh; read when first asked for."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @cached_property
    def _pieces(self) -> dict[int, str]:
        table = read_handoff(self._home, "pending_pieces")
        return dict(zip(table["piece_number"].to_pylist(), table["text"].to_pylist(), strict=True))

    @cached_property
    def _numbers(self) -> pa.ChunkedArray:
        return self._table["piece_numbers"]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self._table["context_id"].to_pylist())}

    @cached_property
    def _table(self) -> pa.Table:
        return read_handoff(self._home, "pending_contexts")

    def schema_text(self, context_id: str) -> str:
        """The schema that a key stands for. GlueError when the last refresh had none of that key."""
        row = self._rows.get(context_id)
        if row is None:
            raise GlueError(
                f"there is no context {context_id} among those that are pending",
                "the same command brings the pending table up to date and goes on",
            )
        return SEPARATOR.join(self._pieces[number] for number in self._numbers[row].as_py())

    def writer(self, messages: str, context_id: str) -> Callable[[], list[dict[str, str]]]:
        """What puts a request's messages together when it is sent."""

        def write() -> list[dict[str, str]]:
            text = self.schema_text(context_id)
            return [
                {**message, "content": message["content"].replace(context_id, text)}
                for message in json.loads(messages)
            ]

        return write
