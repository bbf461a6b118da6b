"""SQLite and DuckDB files introspected into the catalog."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from glue.errors import GlueError
from glue.importers.database import read_database
from glue.importers.introspection import find_database_file, introspect


def sqlite_file(path: Path, script: str) -> Path:
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    connection.close()
    return path


def test_sqlite_tables_views_types_and_keys(tmp_path: Path) -> None:
    path = sqlite_file(
        tmp_path / "odd name #1?.sqlite",
        """
        create table "Percent (%)" ("order" integer primary key, "a""b" varchar(10) not null);
        create table pair (x integer, y integer, sum integer generated always as (x + y), primary key (x, y));
        create table child (p integer references "Percent (%)", x int, y int,
                            foreign key (x, y) references pair (x, y));
        create view seen as select "order" from "Percent (%)";
        create view broken as select * from nowhere;
        create table 金球奖 (姓名 text);
        insert into "Percent (%)" values (1, 'one'), (2, 'two');
        insert into pair (x, y) values (1, 2), (3, 4.5);
        """,
    )
    batch = read_database(path, name="odd", db_id="odd")
    counts = {row["table_name"]: row["n_rows"] for row in batch.rows["tables"]}
    assert counts == {"Percent (%)": 2, "pair": 2, "child": 0, "seen": None, "金球奖": 0}
    columns = {(row["table_name"], row["column_name"]): row for row in batch.rows["columns"]}
    assert columns["Percent (%)", 'a"b']["data_type"] == "varchar(10)"
    assert columns["Percent (%)", 'a"b']["is_nullable"] is False
    assert [name for (table, name), row in columns.items() if row["is_primary_key"]] == ["order", "x", "y"]
    assert columns["pair", "y"]["storage_classes"] == ["integer", "real"]
    assert columns["pair", "sum"]["storage_classes"] == ["integer", "real"]
    assert columns["child", "p"]["storage_classes"] == []
    assert columns["seen", "order"]["storage_classes"] is None
    keys = [
        (
            row["table_name"],
            row["column_name"],
            row["referenced_table"],
            row["referenced_column"],
            row["key_position"],
        )
        for row in batch.rows["foreign_keys"]
    ]
    assert sorted(keys) == [
        ("child", "p", "Percent (%)", "order", 1),
        ("child", "x", "pair", "x", 1),
        ("child", "y", "pair", "y", 2),
    ]
    assert len({row["key_name"] for row in batch.rows["foreign_keys"]}) == 2
    assert [(refusal.record, refusal.reason) for refusal in batch.refusals] == [
        ("table broken", "unreadable_table")
    ]
    assert batch.scope == "benchmark:odd:database:odd"


def test_sqlite_storage_classes_and_samples_of_odd_values(tmp_path: Path) -> None:
    path = sqlite_file(
        tmp_path / "values.sqlite",
        "create table t (a);"
        "insert into t values (1), (1), (null), (x'00ff'), (cast(x'416ce9' as text)), (2.5);",
    )
    batch = read_database(path, n_samples=9)
    (column,) = batch.rows["columns"]
    assert column["storage_classes"] == ["blob", "integer", "null", "real", "text"]
    assert column["sample_values"] == ["1", "0x00ff", "Al\\xe9", "2.5"]
    assert read_database(path).rows["columns"][0]["sample_values"] is None
    assert batch.rows["databases"][0]["db_id"] == batch.benchmark == "values"


def test_more_columns_than_one_query_asks_for(tmp_path: Path) -> None:
    names = ", ".join(f"c{i}" for i in range(1200))
    path = sqlite_file(
        tmp_path / "wide.sqlite", f"create table t ({names}); insert into t (c0, c1199) values (1, 'x');"
    )
    columns = read_database(path).rows["columns"]
    assert len(columns) == 1200
    assert (columns[0]["storage_classes"], columns[1199]["storage_classes"]) == (["integer"], ["text"])


def test_a_write_ahead_log_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wal.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("pragma journal_mode = wal; create table t (a);")
    batch = read_database(path)
    assert "write_ahead_log" in {refusal.reason for refusal in batch.refusals}
    connection.close()


def test_duckdb_tables_views_comments_and_keys(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table a (id integer primary key, price decimal(10, 2) not null)")
        connection.execute("create table b (a_id integer references a (id), tags varchar[])")
        connection.execute("create schema side; create table side.c (x date)")
        connection.execute("create view v as select id from a")
        connection.execute("comment on table a is 'what is sold'; comment on column a.price is 'in euro'")
        connection.execute("insert into a values (1, 2.50), (2, 3)")
    before = path.read_bytes()
    batch = read_database(path, n_samples=1)
    tables = {row["table_name"]: row for row in batch.rows["tables"]}
    assert {name: row["n_rows"] for name, row in tables.items()} == {"a": 2, "b": 0, "side.c": 0, "v": None}
    assert tables["a"]["description"] == "what is sold"
    columns = {(row["table_name"], row["column_name"]): row for row in batch.rows["columns"]}
    price = columns["a", "price"]
    assert (price["data_type"], price["description"], price["is_nullable"]) == (
        "DECIMAL(10,2)",
        "in euro",
        False,
    )
    assert price["sample_values"] == ["2.50"]
    assert columns["a", "id"]["is_primary_key"] is True
    assert columns["b", "tags"]["data_type"] == "VARCHAR[]"
    (key,) = batch.rows["foreign_keys"]
    assert (key["table_name"], key["column_name"], key["referenced_table"]) == ("b", "a_id", "a")
    assert batch.rows["databases"][0]["engine"] == "duckdb"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n", "neither a SQLite nor a DuckDB file"),
        (b"SQLite format 3\x00" + b"\x10\x00\x01\x01" + b"x" * 200, "damaged SQLite file"),
        (b"\x00" * 8 + b"DUCK" + b"\xff" * 100, "cannot be opened by DuckDB"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    ],
)
def test_what_is_no_database_stops(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(GlueError, match=message) as error:
        read_database(path)
    assert error.value.hint


def test_a_folder_or_a_missing_file_stops(tmp_path: Path) -> None:
    with pytest.raises(GlueError, match="is a folder"):
        read_database(tmp_path)
    sqlite_file(tmp_path / "shop.sqlite", "create table t (a);")
    with pytest.raises(GlueError, match="there is no") as error:
        read_database(tmp_path / "shopp.sqlite")
    assert "shop.sqlite" in (error.value.hint or "")


def test_an_empty_database_is_a_remark(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path / "none.sqlite", "create table t (a); drop table t;")
    batch = read_database(path)
    assert [(refusal.reason, refusal.is_landed) for refusal in batch.refusals] == [("empty", True)]


def test_database_files_are_found_in_every_layout(tmp_path: Path) -> None:
    for place in ("a/a.sqlite", "b.db", "C/C.duckdb", "d/other.sqlite"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).touch()
    found = {name: find_database_file(tmp_path, name) for name in ("a", "b", "c", "d")}
    assert found == {
        "a": tmp_path / "a/a.sqlite",
        "b": tmp_path / "b.db",
        "c": tmp_path / "C/C.duckdb",
        "d": None,
    }


def test_published_databases_are_read_whole(shared_data: Path) -> None:
    facts = introspect(shared_data / "bird" / "databases" / "superhero" / "superhero.sqlite")
    assert len(facts.tables) == 10
    assert sum(table.n_rows or 0 for table in facts.tables) == 10_614
    assert facts.problems == []
    chinook = next((shared_data / "chinook").rglob("*.sqlite"))
    facts = introspect(chinook, n_samples=2)
    assert len(facts.tables) == 11
    assert {key.referenced_table for key in facts.keys if key.table == "Track"} == {
        "Album",
        "Genre",
        "MediaType",
    }
