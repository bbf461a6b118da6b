"""The warehouse is disposable: deleted and built again, every table is the same."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.commands import glue

pytestmark = pytest.mark.slow

NOT_ALIKE = {"build_state"}
"""When a build began differs between builds, and nothing else does."""


def contents(home: Path) -> dict[str, tuple[int, str]]:
    """Row count and an order-free digest of every table and view."""
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
        names = [
            row[0]
            for row in connection.execute("select table_name from information_schema.tables").fetchall()
        ]
        digests = {}
        for name in sorted(set(names) - NOT_ALIKE):
            row = connection.execute(
                "select count(*), coalesce(md5(string_agg(digest, '' order by digest)), '')"
                f' from (select md5(each::varchar) as digest from "{name}" as each)'
            ).fetchone()
            assert row is not None
            digests[name] = (row[0], row[1])
        return digests


def test_the_same_tables_come_back(tmp_path: Path) -> None:
    glue(tmp_path, "bank", "load", "sqlite")
    glue(
        tmp_path,
        "generate",
        "--model",
        "control/gold",
        "--model",
        "control/gold-broken",
        "--benchmark",
        "enterprise",
    )
    glue(tmp_path, "execute")
    glue(tmp_path, "build")
    before = contents(tmp_path)
    assert before["execution_match"][0] == 190
    (tmp_path / "warehouse.duckdb").unlink()
    glue(tmp_path, "build", "--force")
    assert contents(tmp_path) == before
    glue(tmp_path, "landing", "compact")
    glue(tmp_path, "build")
    assert contents(tmp_path) == before
