"""The bank's manifest and its databases as files of both engines, made once for the tests of a process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing

import duckdb
import pytest

from glue import bank
from glue.bank.manifest import BankQuestion
from tests.bank.checks import Bench
from tests.bank.oracle_bench import OracleBench
from tests.bank.tiers import tier_1_of


@pytest.fixture(scope="session")
def manifest() -> bank.Manifest:
    return bank.read_manifest()


@pytest.fixture(scope="session")
def tier_1(manifest: bank.Manifest) -> bank.Manifest:
    return tier_1_of(manifest)


@pytest.fixture(scope="session")
def bench(manifest: bank.Manifest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(manifest, tmp_path_factory.mktemp("bank"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def translated(manifest: bank.Manifest) -> tuple[BankQuestion, ...]:
    """The questions whose golds have been put into the other dialects."""
    return tuple(question for question in manifest.questions if question.sql("gold", "duckdb") is not None)


@pytest.fixture(scope="session")
def oracle_bench(manifest: bank.Manifest) -> Iterator[OracleBench]:
    made = OracleBench(manifest)
    yield made
    made.close()


@pytest.fixture(scope="session")
def in_sqlite(tier_1: bank.Manifest, bench: Bench) -> Iterator[dict[str, sqlite3.Connection]]:
    """The base data of the two small databases."""
    with ExitStack() as stack:
        yield {
            db_id: stack.enter_context(
                closing(sqlite3.connect(f"file:{bench.base_file(db_id, 'sqlite')}?mode=ro", uri=True))
            )
            for db_id in tier_1.databases
        }


@pytest.fixture(scope="session")
def in_duckdb(tier_1: bank.Manifest, bench: Bench) -> Iterator[dict[str, duckdb.DuckDBPyConnection]]:
    """The base data of the two small databases."""
    with ExitStack() as stack:
        yield {
            db_id: stack.enter_context(duckdb.connect(str(bench.base_file(db_id, "duckdb")), read_only=True))
            for db_id in tier_1.databases
        }
