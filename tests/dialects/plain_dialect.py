"""A dialect for tests of what stands around the translators: a few of its own words, all else DuckDB's."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from datetime import datetime

import duckdb
import pytest

from glue.dialects.catalog import StoredTable
from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.local import Settings, Translation

DEFAULT_VERSION = 2022


def use_as(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make it the dialect of this name."""
    monkeypatch.setitem(sys.modules, f"glue.dialects.{name}", sys.modules[__name__])


def install(connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """`today()` is the moment that its clock says."""
    connection.execute(f"create or replace temp macro clock() as timestamp '{now}'")


def add_macros(connection: duckdb.DuckDBPyConnection, text: str, present: set[str]) -> None:
    """There are no others."""


def translator(tables: Sequence[StoredTable], settings: Settings) -> Callable[[str], Translation]:
    """MISSING is refused with 207, ODD is unsupported, BROKEN is nothing that DuckDB can read."""

    def translate(sql: str) -> Translation:
        if "MISSING" in sql:
            raise DialectError("207", "there is no such column")
        if "ODD" in sql:
            raise UnsupportedError("odd words")
        return Translation(re.sub(r"\bVERSION\b", str(settings.version), sql), ("x",))

    return translate


def error_of(message: str) -> DialectError | None:
    """Only what could not be converted means anything."""
    return DialectError("245", "it is no number") if "Could not convert" in message else None
