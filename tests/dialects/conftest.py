"""A DuckDB session with Oracle's functions, for the tests of one file."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from glue.dialects.oracle_macros import install
from tests.dialects.macro_helpers import NOW


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        install(connection, NOW)
        yield connection
