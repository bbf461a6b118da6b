"""One shop a test run: checks read it and change copies in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from glue.divergence.check import Checker
from tests.divergence.helpers import checker_of, write_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    path = write_shop(tmp_path_factory.mktemp("shop") / "shop.sqlite")
    with checker_of(path) as checker:
        yield checker


@pytest.fixture(scope="session")
def duckdb_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    path = write_shop(tmp_path_factory.mktemp("shop") / "shop.duckdb", "duckdb")
    with checker_of(path, "duckdb") as checker:
        yield checker
