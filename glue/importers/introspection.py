"""What a SQLite or DuckDB file says about itself: tables, columns, types, keys, row counts, stored types.

The file is opened read-only and its bytes stay as they are. SQLite does not hold a column to its declared
type, so one pass over each table finds which storage classes are really stored in each column.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from glue.errors import GlueError
from glue.importers.common import sha256_of, storable

if TYPE_CHECKING:
    import duckdb

SQLITE_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
DUCKDB_SUFFIXES = (".duckdb", ".ddb")

_SAMPLE_CHARACTERS = 200
_COLUMNS_PER_QUERY = 500


@dataclass(frozen=True)
class ColumnFacts:
    """One column: its 1-based position, declared type and, in SQLite, the storage classes found in it."""

    name: str
    position: int
    data_type: str | None
    is_primary_key: bool
    is_nullable: bool
    storage_classes: list[str] | None = None  # sorted, e.g. ['integer', 'null']; [] in an empty table
    sample_values: list[str] | None = None
    description: str | None = None


@dataclass(frozen=True)
class TableFacts:
    """One table or view; the rows of a view are not counted."""

    name: str
    position: int
    columns: list[ColumnFacts]
    n_rows: int | None
    is_view: bool = False
    description: str | None = None
    is_row_estimate: bool | None = None  # `n_rows` is what a server believes


@dataclass(frozen=True)
class KeyFacts:
    """One foreign key: its columns with the columns they refer to, in the key's order."""

    name: str
    table: str
    columns: list[str]
    referenced_table: str
    referenced_columns: list[str | None]  # None: SQLite's implicit primary key, which could not be told
    is_inferred: bool = False  # from names and unique keys; nobody declared it


@dataclass
class DatabaseFacts:
    """Everything a database says. `problems` are (what, code, detail) of what could not be read.

    A live database has no path and no size, but a `connection` and the schemas in which bare names are looked
    for; `notes` say what was chosen, for people.
    """

    engine: str
    path: Path | None
    snapshot_id: str
    n_bytes: int | None
    tables: list[TableFacts] = field(default_factory=list)
    keys: list[KeyFacts] = field(default_factory=list)
    problems: list[tuple[str, str, str]] = field(default_factory=list)
    connection: str | None = None
    search_path: list[str] | None = None
    notes: list[str] = field(default_factory=list)


def introspect(path: Path, n_samples: int = 0) -> DatabaseFacts:
    """Read a database file's catalog. GlueError when it is neither a SQLite nor a DuckDB file or is damaged.

    `n_samples`: that many different values of each column are kept as text, cut at 200 characters. A DuckDB
    file that was loaded for Oracle's SQL or Transact-SQL has the engine, the names and the types of that.
    """
    engine = engine_of(path)
    facts = DatabaseFacts(engine, path.resolve(), sha256_of(path), path.stat().st_size)
    if engine == "sqlite":
        _read_sqlite(facts, n_samples)
        return facts
    return _read_duckdb(facts, n_samples)


def engine_of(path: Path) -> str:
    """'sqlite' or 'duckdb', by the file's first bytes. GlueError says what else it is."""
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise GlueError(f"{path} cannot be read: {error.strerror}", "check the path") from error
    if head.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    if head[8:12] == b"DUCK":
        return "duckdb"
    if not head:
        raise GlueError(f"{path} is empty", "fetch the database file again")
    if head.startswith(b"version https://git-lfs"):
        raise GlueError(f"{path} is a Git LFS pointer, not a database", "fetch it with `git lfs pull`")
    raise GlueError(f"{path} is neither a SQLite nor a DuckDB file", "name the database file itself")


def find_database_file(folder: Path, db_id: str) -> Path | None:
    """A database's file: folder/<db>/<db>.<suffix> or folder/<db>.<suffix>, else the same in another case."""
    suffixes = (*SQLITE_SUFFIXES, *DUCKDB_SUFFIXES)
    for parent in (folder / db_id, folder):
        for suffix in suffixes:
            if (parent / f"{db_id}{suffix}").is_file():
                return parent / f"{db_id}{suffix}"
    wanted = {f"{db_id}{suffix}".lower() for suffix in suffixes}
    for parent in [entry for entry in _entries(folder) if entry.name.lower() == db_id.lower()] + [folder]:
        found = [entry for entry in _entries(parent) if entry.name.lower() in wanted and entry.is_file()]
        if found:
            return found[0]
    return None


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


# --- SQLite -------------------------------------------------------------------------------------------------


def open_sqlite(path: Path) -> sqlite3.Connection:
    """A read-only connection to a file that is taken as unchanging; text that is not UTF-8 is escaped."""
    location = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(location, uri=True)
    connection.text_factory = lambda content: content.decode("utf-8", "backslashreplace")
    connection.execute("pragma trusted_schema = off")
    return connection


def _read_sqlite(facts: DatabaseFacts, n_samples: int) -> None:
    assert facts.path is not None
    log = facts.path.with_name(facts.path.name + "-wal")
    if log.is_file() and log.stat().st_size:
        facts.problems.append(
            (facts.path.name, "write_ahead_log", f"{log.name} holds changes that were not read")
        )
    try:
        with closing(open_sqlite(facts.path)) as connection:
            names = connection.execute(
                "select name, type from sqlite_schema where type in ('table', 'view') "
                "and name not like 'sqlite\\_%' escape '\\' order by rowid"
            ).fetchall()
            for name, kind in names:
                try:
                    _read_sqlite_table(facts, connection, name, kind == "view", n_samples)
                except sqlite3.Error as error:
                    facts.problems.append((f"table {name}", "unreadable_table", str(error)))
            _resolve_implicit_keys(facts)
    except sqlite3.DatabaseError as error:
        raise GlueError(f"{facts.path} is a damaged SQLite file: {error}", "fetch it again") from error


def _read_sqlite_table(
    facts: DatabaseFacts, connection: sqlite3.Connection, name: str, is_view: bool, n_samples: int
) -> None:
    information = connection.execute("select * from pragma_table_xinfo(?)", (name,)).fetchall()
    declared = [row for row in information if row[6] != 1]  # 1: a virtual table's hidden column
    n_rows: int | None = None
    classes: list[list[str] | None] = [None] * len(declared)
    if not is_view:
        n_rows = connection.execute(f"select count(*) from {quoted(name)}").fetchone()[0]
        classes = list(_storage_classes(connection, name, [row[1] for row in declared]))
    columns = [
        ColumnFacts(
            name=row[1],
            position=position,
            data_type=row[2] or None,
            is_primary_key=row[5] > 0,
            is_nullable=not row[3],
            storage_classes=classes[position - 1],
            sample_values=None if is_view else _sqlite_samples(connection, name, row[1], n_samples),
        )
        for position, row in enumerate(declared, 1)
    ]
    facts.tables.append(TableFacts(name, len(facts.tables) + 1, columns, n_rows, is_view))
    facts.keys.extend(_sqlite_keys(connection, name))


def _storage_classes(connection: sqlite3.Connection, table: str, columns: list[str]) -> list[list[str]]:
    """The storage classes found in each column, in one pass per 500 columns."""
    found: list[list[str]] = []
    for start in range(0, len(columns), _COLUMNS_PER_QUERY):
        part = columns[start : start + _COLUMNS_PER_QUERY]
        kinds = ", ".join(f"typeof({quoted(column)})" for column in part)
        combinations = connection.execute(f"select distinct {kinds} from {quoted(table)}").fetchall()
        found.extend(sorted({row[index] for row in combinations}) for index in range(len(part)))
    return found


def _sqlite_samples(
    connection: sqlite3.Connection, table: str, column: str, n_samples: int
) -> list[str] | None:
    if not n_samples:
        return None
    rows = connection.execute(
        f"select distinct {quoted(column)} from {quoted(table)} where {quoted(column)} is not null limit ?",
        (n_samples,),
    )
    return [_sample(value) for (value,) in rows]


def _sqlite_keys(connection: sqlite3.Connection, table: str) -> list[KeyFacts]:
    rows = connection.execute(
        'select id, "table", "from", "to" from pragma_foreign_key_list(?) order by id, seq', (table,)
    ).fetchall()
    parts: dict[int, list[Any]] = {}
    for row in rows:
        parts.setdefault(row[0], []).append(row)
    return [
        KeyFacts(f"{table}#{number}", table, [row[2] for row in part], part[0][1], [row[3] for row in part])
        for number, part in sorted(parts.items())
    ]


def _resolve_implicit_keys(facts: DatabaseFacts) -> None:
    """`REFERENCES other` without columns means other's primary key: fill it in where that table is known."""
    primary = {
        table.name.lower(): [column.name for column in table.columns if column.is_primary_key]
        for table in facts.tables
    }
    for index, key in enumerate(facts.keys):
        names = primary.get(key.referenced_table.lower(), [])
        if None in key.referenced_columns and len(names) == len(key.columns):
            facts.keys[index] = KeyFacts(key.name, key.table, key.columns, key.referenced_table, [*names])


# --- DuckDB -------------------------------------------------------------------------------------------------


def _read_duckdb(facts: DatabaseFacts, n_samples: int) -> DatabaseFacts:
    import duckdb

    from glue.importers.local_catalog import as_loaded

    settings: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "lock_configuration": "true",
        "memory_limit": "2GB",
    }
    try:
        with duckdb.connect(str(facts.path), read_only=True, config=settings) as connection:
            keys = _duckdb_keys(connection)
            primary = {(row[0], row[1]): set(row[2]) for row in keys if row[3] == "PRIMARY KEY"}
            for schema, name, is_view, comment in _duckdb_tables(connection):
                columns = _duckdb_columns(
                    connection, schema, name, primary.get((schema, name), set()), n_samples
                )
                location = f"{quoted(schema)}.{quoted(name)}"
                n_rows = None if is_view else _only_value(connection, f"select count(*) from {location}")
                shown = _duckdb_name(schema, name)
                facts.tables.append(
                    TableFacts(shown, len(facts.tables) + 1, columns, n_rows, is_view, comment)
                )
            for number, (schema, name, columns_of_key, kind, referenced, referenced_columns) in enumerate(
                keys
            ):
                if kind == "FOREIGN KEY":
                    table = _duckdb_name(schema, name)
                    other = _duckdb_name(schema, referenced)
                    facts.keys.append(
                        KeyFacts(f"{table}#{number}", table, [*columns_of_key], other, [*referenced_columns])
                    )
            return as_loaded(facts, connection)
    except duckdb.Error as error:
        raise GlueError(
            f"{facts.path} cannot be opened by DuckDB: {str(error).splitlines()[0]}",
            "close the program that writes it, or write it with this version of DuckDB",
        ) from error


def _duckdb_tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str, bool, str | None]]:
    return connection.execute(
        "select schema_name, table_name, false, comment from duckdb_tables() "
        "where not internal and database_name = current_database() "
        "union all select schema_name, view_name, true, comment from duckdb_views() "
        "where not internal and database_name = current_database() order by 3, 1, 2"
    ).fetchall()


def _duckdb_columns(
    connection: duckdb.DuckDBPyConnection, schema: str, table: str, primary: set[str], n_samples: int
) -> list[ColumnFacts]:
    rows = connection.execute(
        "select column_name, data_type, is_nullable, comment from duckdb_columns() "
        "where database_name = current_database() and schema_name = ? and table_name = ? "
        "order by column_index",
        [schema, table],
    ).fetchall()
    return [
        ColumnFacts(
            name=name,
            position=position,
            data_type=data_type,
            is_primary_key=name in primary,
            is_nullable=is_nullable,
            sample_values=_duckdb_samples(connection, schema, table, name, n_samples),
            description=comment,
        )
        for position, (name, data_type, is_nullable, comment) in enumerate(rows, 1)
    ]


def _duckdb_samples(
    connection: duckdb.DuckDBPyConnection, schema: str, table: str, column: str, n_samples: int
) -> list[str] | None:
    if not n_samples:
        return None
    import duckdb

    try:
        rows = connection.execute(
            f"select distinct {quoted(column)}::varchar as value from {quoted(schema)}.{quoted(table)} "
            f"where {quoted(column)} is not null order by value limit {n_samples:d}"
        ).fetchall()
    except duckdb.CatalogException:  # a view with functions of a dialect, which only its engine has
        return None
    return [_sample(value) for (value,) in rows]


def _duckdb_keys(connection: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "select schema_name, table_name, constraint_column_names, constraint_type, referenced_table, "
        "referenced_column_names from duckdb_constraints() "
        "where database_name = current_database() and constraint_type in ('PRIMARY KEY', 'FOREIGN KEY') "
        "order by schema_name, table_name, constraint_index"
    ).fetchall()


def _only_value(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = connection.execute(sql).fetchone()
    assert row is not None
    return int(row[0])


def _duckdb_name(schema: str, name: str) -> str:
    return name if schema == "main" else f"{schema}.{name}"


def quoted(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _sample(value: Any) -> str:
    text = "0x" + value[:_SAMPLE_CHARACTERS].hex() if isinstance(value, bytes) else str(value)
    return storable(text[:_SAMPLE_CHARACTERS])
