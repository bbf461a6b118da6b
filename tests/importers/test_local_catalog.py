"""DuckDB files that were loaded for a dialect, or are to answer in one: engine, names, types and keys."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from glue.dialects.catalog import column_comment, quoted_text, table_comment
from glue.errors import GlueError
from glue.importers.database import read_database
from glue.importers.introspection import introspect


@pytest.fixture
def loaded(tmp_path: Path) -> Path:
    """Oracle's DEPT and "Emp", of which DuckDB has other spellings; and a table that came otherwise."""
    path = tmp_path / "hr.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table dept_1 (no_1 decimal(2, 0) primary key, name varchar);"
            "create table emp (id decimal(4, 0), dept decimal(2, 0) references dept_1 (no_1));"
            "create table notes (a integer);"
            "comment on column notes.a is 'as it is'"
        )
        comments = {
            "table dept_1": table_comment("oracle", "DEPT"),
            "column dept_1.no_1": column_comment("DEPTNO", "NUMBER(2)"),
            "column dept_1.name": column_comment("DNAME", "VARCHAR2(14)"),
            "table emp": table_comment("oracle", "Emp"),
            "column emp.id": column_comment("EMPNO", "NUMBER(4)"),
            "column emp.dept": column_comment("DEPTNO", "NUMBER(2)"),
        }
        for what, comment in comments.items():
            connection.execute(f"comment on {what} is {quoted_text(comment)}")
    return path


def test_a_loaded_file_has_its_dialects_engine_names_and_types(loaded: Path) -> None:
    facts = introspect(loaded)
    assert facts.engine == "oracle-local"
    tables = {
        table.name: [(c.name, c.data_type, c.description) for c in table.columns] for table in facts.tables
    }
    assert tables == {
        "DEPT": [("DEPTNO", "NUMBER(2)", None), ("DNAME", "VARCHAR2(14)", None)],
        "Emp": [("EMPNO", "NUMBER(4)", None), ("DEPTNO", "NUMBER(2)", None)],
        "notes": [("a", "INTEGER", "as it is")],
    }
    (key,) = facts.keys
    assert (key.table, key.columns) == ("Emp", ["DEPTNO"])
    assert (key.referenced_table, key.referenced_columns) == ("DEPT", ["DEPTNO"])


def test_any_duckdb_file_can_be_asked_to_answer_in_a_dialect(tmp_path: Path, loaded: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t (a integer)")
    assert read_database(path).rows["databases"][0]["engine"] == "duckdb"
    batch = read_database(path, engine="mssql-local")
    assert batch.rows["databases"][0]["engine"] == "mssql-local"
    assert read_database(loaded, engine="oracle-local").rows["databases"][0]["engine"] == "oracle-local"
    with pytest.raises(GlueError, match="was loaded for oracle-local"):
        read_database(loaded, engine="mssql-local")
