"""What older versions landed, with fewer columns, is read by dbt's sources and by glue."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
import yaml  # type: ignore[import-untyped]

from glue import landing
from glue.home import Home
from glue.landing_tables import TABLES

_SOURCES = Path(__file__).resolve().parents[1] / "models" / "landing" / "_landing.yml"


@pytest.mark.parametrize("name", TABLES)
def test_a_batch_with_fewer_columns_is_read(home: Home, name: str) -> None:
    landing.ensure(home)
    table = TABLES[name]
    older = pa.schema([table.schema.field(column) for column in (*table.key, "landed_at")])
    row = pa.Table.from_pylist([{}], schema=older)
    parquet.write_table(row, home.landing / name / "older.parquet")
    (source,) = yaml.safe_load(_SOURCES.read_text())["sources"]
    location = source["config"]["meta"]["external_location"]
    files = location.replace('{{ env_var("EVALHOUSE_HOME", ".") }}', str(home.root)).format(name=name)
    found = duckdb.sql(f"from {files}")
    assert found.columns == table.schema.names
    assert found.fetchall() == [(None,) * len(table.schema)]
    assert landing.landed_keys(home, name).num_rows == 1
