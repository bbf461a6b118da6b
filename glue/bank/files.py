"""The bank's databases and instances as files of SQLite and DuckDB, keys enforced.

A local engine's files are DuckDB's: names and types that its dialect knows are in their comments.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.bank.ddl import create_statement, declared_type, name_list, own_name, quoted_name
from glue.bank.generation import TableRows, generate, generated
from glue.bank.instances import apply_steps, quoted
from glue.bank.manifest import DIALECT_OF, BankTable, InstanceStep, Manifest
from glue.dialects.catalog import column_comment, table_comment
from glue.dialects.pinned import Pinned, write_pinned
from glue.errors import GlueError

if TYPE_CHECKING:
    import duckdb

_SQLITE_VERSION_STAMP = (3_040_000).to_bytes(4, "big")
_SQLITE_VERSION_OFFSET = 96  # "SQLITE_VERSION_NUMBER of the library that last wrote it": information only

TODAY = datetime(2025, 6, 30, 12)
"""What clocks say in the bank: nothing in its data is booked later."""
PINNED = {"oracle-local": Pinned(TODAY, 21), "mssql-local": Pinned(TODAY)}
"""What a local engine's server says of itself: Oracle 21c (ESQ-Bench, section 8.3)."""

_DUCKDB_BLOCK_BYTES = 16_384  # the smallest: every column starts a block of its own
_SQLITE_SETTINGS = """
PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = 0; PRAGMA foreign_keys = ON;
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
"""


def write_sqlite(manifest: Manifest, db_id: str, path: Path) -> bool:
    """Write a database as a SQLite file, foreign keys enforced, always with the same bytes.

    Dates are ISO text and money is REAL, so that dividing it never divides integers. The file appears under
    its name when it is whole; one with these bytes already is left alone. Whether it was written.
    """
    with _replacement(path) as temporary:
        _fill_sqlite(generate(manifest, db_id), temporary)
        is_new = not path.exists() or path.read_bytes() != temporary.read_bytes()
        if is_new:
            _put_in_place(temporary, path)
    return is_new


def write_duckdb(manifest: Manifest, db_id: str, path: Path, engine: str = "duckdb") -> bool:
    """Write a database as a DuckDB file, foreign keys enforced, descriptions as comments.

    `engine` may be a local one instead; then the comments say what its dialect knows of names and types.

    DuckDB stamps every file with a number of its own, so two files with the same content differ in bytes:
    a file that has this content already is left alone. Whether it was written.
    """
    with _replacement(path) as temporary, generated(manifest, db_id) as connection:
        _fill_duckdb(connection, manifest.databases[db_id], temporary, engine)
        is_new = not _same_duckdb(connection, temporary, path)
        if is_new:
            _put_in_place(temporary, path)
    return is_new


def write_instance(manifest: Manifest, instance: str, engine: str, base: Path, path: Path) -> bool:
    """Write a supplementary instance: the database of `base`, a file of the same engine, after the steps.

    GlueError naming instance and step when a step fails, touches no row, or leaves a key broken. Whether the
    file was written: one with this content already is left alone.
    """
    with _replacement(path) as temporary:
        if engine == "sqlite":
            return _write_sqlite_instance(manifest, instance, base, temporary, path)
        return _write_duckdb_instance(manifest, instance, engine, base, temporary, path)


def _write_sqlite_instance(
    manifest: Manifest, instance: str, base: Path, temporary: Path, path: Path
) -> bool:
    steps = manifest.instances[instance]
    temporary.write_bytes(base.read_bytes())
    with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
        connection.executescript(_SQLITE_SETTINGS)
        connection.execute("BEGIN")
        apply_steps(connection, manifest.databases[steps[0].db_id], steps, "sqlite")
        connection.execute("COMMIT")
    _stamp(temporary)
    is_new = not path.exists() or path.read_bytes() != temporary.read_bytes()
    if is_new:
        _put_in_place(temporary, path)
    return is_new


def _write_duckdb_instance(
    manifest: Manifest, instance: str, engine: str, base: Path, temporary: Path, path: Path
) -> bool:
    """A copy of the file takes the steps where DuckDB can; else the file is written anew from changed rows.

    DuckDB changes a key by deleting and inserting, so it refuses to where other rows refer to the row.
    """
    import duckdb

    steps = manifest.instances[instance]
    tables = manifest.databases[steps[0].db_id]
    with duckdb.connect(":memory:") as connection:
        try:
            _copy_and_change(connection, base, temporary, tables, steps)
        except GlueError as error:
            if not isinstance(error.__cause__, duckdb.ConstraintException):
                raise
            _change_and_fill(connection, base, temporary, tables, steps, engine)
        is_new = not _same_duckdb(connection, temporary, path)
    if is_new:
        _put_in_place(temporary, path)
    return is_new


def _copy_and_change(
    connection: duckdb.DuckDBPyConnection,
    base: Path,
    temporary: Path,
    tables: Sequence[BankTable],
    steps: Sequence[InstanceStep],
) -> None:
    temporary.write_bytes(base.read_bytes())
    connection.execute(f"attach {quoted(str(temporary))} as instance")
    connection.execute("use instance")
    connection.execute("begin")
    try:
        apply_steps(connection, tables, steps, "duckdb")
        connection.execute("commit")
        connection.execute("checkpoint instance")
    except GlueError:
        connection.execute("rollback")
        raise
    finally:
        connection.execute("use memory")
        connection.execute("detach instance")


def _change_and_fill(
    connection: duckdb.DuckDBPyConnection,
    base: Path,
    temporary: Path,
    tables: Sequence[BankTable],
    steps: Sequence[InstanceStep],
    engine: str,
) -> None:
    """The steps run on tables without keys; the file that is filled from them holds to the keys."""
    import duckdb

    temporary.unlink()
    connection.execute(f"attach {quoted(str(base))} as base (read_only)")
    for table in tables:
        connection.execute(f'create table "{table.name}" as from base."{table.name}"')
    apply_steps(connection, tables, steps, "duckdb")
    try:
        _fill_duckdb(connection, tables, temporary, engine)
    except duckdb.Error as error:
        raise GlueError(
            f"instance {steps[0].instance} breaks a key: {str(error).splitlines()[0]}",
            "mend its steps in instances.csv",
        ) from error


@contextmanager
def _replacement(path: Path) -> Iterator[Path]:
    """A name beside `path` to write under; whatever is left of it afterwards is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.tmp-{os.getpid()}")
    leftovers = (temporary, temporary.with_name(f"{temporary.name}.wal"))
    for leftover in leftovers:
        leftover.unlink(missing_ok=True)
    try:
        yield temporary
    finally:
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)


def _put_in_place(temporary: Path, path: Path) -> None:
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)


def _fill_sqlite(tables: Sequence[TableRows], path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    with closing(connection):
        connection.executescript(_SQLITE_SETTINGS)
        connection.execute("BEGIN")
        for table, rows in ((entry.table, entry.rows) for entry in tables):
            connection.execute(create_statement(table, "sqlite"))
            marks = ", ".join("?" * len(table.columns))
            connection.executemany(
                f'INSERT INTO "{table.name}" VALUES ({marks})',
                (tuple(map(_sqlite_value, row)) for row in rows),
            )
        connection.execute("COMMIT")
    _stamp(path)


def _stamp(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(_SQLITE_VERSION_OFFSET)
        file.write(_SQLITE_VERSION_STAMP)


def _sqlite_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, date):
        return value.isoformat()
    return value


def _fill_duckdb(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[BankTable], path: Path, engine: str
) -> None:
    connection.execute(f"attach {quoted(str(path))} as bank (block_size {_DUCKDB_BLOCK_BYTES})")
    connection.execute("use bank")
    connection.execute("begin")
    for table in tables:
        connection.execute(create_statement(table, engine))
        _insert_rows(connection, table, engine)
        _comment(connection, table, engine)
    if engine in PINNED:
        write_pinned(connection, PINNED[engine])
    connection.execute("commit")
    connection.execute("checkpoint bank")
    connection.execute("use memory")
    connection.execute("detach bank")


def _insert_rows(connection: duckdb.DuckDBPyConnection, table: BankTable, engine: str) -> None:
    """By primary key; where rows refer to rows of their own table, those referred to in a statement before.

    DuckDB checks a key against what stood in the table when the statement began.
    """
    name = quoted_name(table.name, engine)
    order = name_list(table.primary_key, engine) or "all"
    own = [k for k in table.foreign_keys if k.is_enforced and k.referenced_table == table.name]
    if not own:
        connection.execute(f'insert into {name} select * from memory."{table.name}" order by {order}')
        return
    (key,) = table.primary_key
    inside = f'(select t."{key}" from {name} as t)'
    rest = f'insert into {name} select r.* from memory."{table.name}" as r where r."{key}" not in {inside}'
    ready = "".join(
        f' and (r."{column}" is null or r."{column}" = r."{key}" or r."{column}" in {inside})'
        for column in (reference.columns[0] for reference in own)
    )
    while (inserted := connection.execute(f"{rest}{ready} order by {order}").fetchone()) and inserted[0]:
        pass
    connection.execute(f"{rest} order by {order}")


def _comment(connection: duckdb.DuckDBPyConnection, table: BankTable, engine: str) -> None:
    """The descriptions; for a local engine what its dialect knows of names and types."""
    name, dialect = quoted_name(table.name, engine), DIALECT_OF[engine]
    is_local = engine != dialect
    said = table.description
    if is_local:
        said = table_comment(dialect, own_name(table.name, engine), table.description)
    connection.execute(f"comment on table {name} is {quoted(said)}")
    for column in table.columns:
        shown = column.description
        if is_local:
            declared = declared_type(column.data_type, engine)
            shown = column_comment(own_name(column.name, engine), declared, column.description)
        if shown is not None:
            place = f"{name}.{quoted_name(column.name, engine)}"
            connection.execute(f"comment on column {place} is {quoted(shown)}")


def _same_duckdb(connection: duckdb.DuckDBPyConnection, left: Path, right: Path) -> bool:
    """Whether two DuckDB files hold the same tables, comments and rows; false when `right` cannot be read."""
    import duckdb

    if not right.exists():
        return False
    try:
        connection.execute(f"attach {quoted(str(left))} as left_file (read_only)")
        connection.execute(f"attach {quoted(str(right))} as right_file (read_only)")
        return _content(connection, "left_file") == _content(connection, "right_file")
    except duckdb.Error:
        return False


def _content(connection: duckdb.DuckDBPyConnection, catalog: str) -> list[Any]:
    tables = connection.execute(
        "select table_name, sql, comment from duckdb_tables() where database_name = ? order by table_name",
        [catalog],
    ).fetchall()
    comments = connection.execute(
        "select table_name, column_name, comment from duckdb_columns() where database_name = ? order by all",
        [catalog],
    ).fetchall()
    macros = connection.execute(
        "select function_name, macro_definition from duckdb_functions() where database_name = ? order by all",
        [catalog],
    ).fetchall()
    rows = [connection.execute(f'select * from {catalog}."{name}"').fetchall() for name, _, _ in tables]
    return [tables, comments, macros, rows]
