"""A dialect's functions as macros of DuckDB, each given to a session when a statement first mentions it.

All of them together take a tenth of a second, and a statement has few.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_BEGINNING = "create or replace temp macro"
_MACRO = re.compile(rf"^{_BEGINNING} ", re.MULTILINE)


class Macros:
    """The macros of some scripts, whose names all begin with `prefix`."""

    def __init__(self, scripts: Sequence[str], prefix: str) -> None:
        self._scripts = scripts
        self._name = re.compile(rf"\b{prefix}\w+")

    @cached_property
    def text(self) -> str:
        """What makes all of them."""
        folder = files("glue.dialects")
        return "\n".join(folder.joinpath(script).read_text(encoding="utf-8") for script in self._scripts)

    @cached_property
    def _statements(self) -> dict[str, str]:
        parts = _MACRO.split(self.text)[1:]
        return {self._name.findall(part)[0]: f"{_BEGINNING} {part}" for part in parts}

    def add(self, connection: duckdb.DuckDBPyConnection, text: str, present: set[str]) -> None:
        """Give a session the macros that a text mentions, and those that they stand on.

        `present` are those that it has, and then has.
        """
        found: list[str] = []
        self._collect(text, present, found)
        if found:
            connection.execute("\n".join(found))

    def _collect(self, text: str, present: set[str], found: list[str]) -> None:
        """What makes the missing macros of a text: those that others stand on before these."""
        for name in self._name.findall(text):
            if name in self._statements and name not in present:
                present.add(name)
                self._collect(self._statements[name], present, found)
                found.append(self._statements[name])
