"""Every schema of the bank: names, keys, domains, what its data is held to, and ESQ-Bench's sizes."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest

from glue import bank
from glue.bank.generation import generated
from tests.bank.schema_checks import data_problems, n_dangling, schema_problems

N_TABLES = {
    "t1_a_sales_orders": 10,
    "t1_b_university": 10,
    "t2_a_portfolio_management": 48,
    "t2_b_healthcare_operations": 52,
    "t3_a_core_banking": 177,
    "t3_b_insurance": 168,
}
"""ESQ-Bench, section 4.4."""
COVERAGE = {1: (1.0, 1.0), 2: (0.6, 0.85), 3: (0.40, 0.43)}
"""Share of references that are enforced, by tier: all, some, 40 to 43% (section 4.4)."""
DATABASES = list(bank.read_manifest().databases)


def test_the_schemas_are_the_papers(manifest: bank.Manifest) -> None:
    assert {db_id: len(tables) for db_id, tables in manifest.databases.items()}.items() <= N_TABLES.items()
    for db_id, about in manifest.about.items():
        assert about.schema_id == db_id[:4].upper().replace("_", "-")
        assert about.tier == int(db_id[1]) and about.question_prefix == db_id[:4].replace("_", "")


@pytest.mark.parametrize("db_id", DATABASES)
def test_a_schema_holds_together(manifest: bank.Manifest, db_id: str) -> None:
    assert list(schema_problems(manifest, db_id)) == []
    keys = [key for table in manifest.databases[db_id] for key in table.foreign_keys]
    low, high = COVERAGE[manifest.about[db_id].tier]
    assert low <= sum(key.is_enforced for key in keys) / len(keys) <= high


@pytest.mark.parametrize("db_id", DATABASES)
def test_its_data_is_what_the_manifest_says(manifest: bank.Manifest, db_id: str) -> None:
    """No empty table, no NULL, text or code where none may be, keys that hold, and every fact."""
    with generated(manifest, db_id) as rows:
        for table in manifest.databases[db_id]:
            assert rows.execute(f'select count(*) from "{table.name}"').fetchone() == (table.n_rows,)
        assert list(data_problems(manifest, db_id, rows)) == []
        if manifest.about[db_id].tier > 1:
            assert len(manifest.facts[db_id]) >= 100
            assert _n_orphaned(manifest, db_id, rows) >= 20


def _n_orphaned(manifest: bank.Manifest, db_id: str, rows: duckdb.DuckDBPyConnection) -> int:
    pairs = [(table, key) for table in manifest.databases[db_id] for key in table.foreign_keys]
    return sum(n_dangling(rows, table, key) > 0 for table, key in pairs if not key.is_enforced)


@pytest.mark.parametrize("db_id", [name for name in DATABASES if not name.startswith("t1")])
def test_a_status_has_other_values_in_every_table(manifest: bank.Manifest, db_id: str) -> None:
    name = "status" if db_id.startswith("t2") else "sts_cd"
    domains = Counter(
        column.value_domain
        for table in manifest.databases[db_id]
        for column in table.columns
        if column.name == name
    )
    assert len(domains) >= 7
