"""The enterprise bank: databases and questions of our own, made from the manifest in seeds/bank/.

The manifest is five CSV files that dbt reads as seeds too. A column's `generator` is a DuckDB expression
over `i`, the number of the row from 1 on; `this`, the row with the columns generated before; the tables
generated before; and three macros: `draw(i, salt)`, a number in [0, 1) with 40 bits that depends on nothing
but its arguments; `pick(domain, u)`, a value of a domain by weight for such a number; and `nth(domain, k)`,
the k-th value of a domain, counted on from its start past the end. Schema and questions follow ESQ-Bench,
sections 4.4 and 4.5.
"""

from __future__ import annotations

import csv
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.errors import GlueError, nearest
from glue.home import Home

if TYPE_CHECKING:
    import duckdb

    from glue.importers.common import ImportBatch, ImportReport
    from glue.importers.introspection import TableFacts

ENGINES = {"sqlite": "enterprise", "duckdb": "enterprise_duckdb"}
"""Engine of the files to write -> benchmark that is landed."""

_N_SAMPLES = 3  # sample values of a column that no value domain lists
_SQLITE_VERSION_STAMP = (3_040_000).to_bytes(4, "big")
_SQLITE_VERSION_OFFSET = (
    96  # "SQLITE_VERSION_NUMBER of the library that last wrote the file": information only
)

_SQLITE_SETTINGS = """
PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = 0; PRAGMA foreign_keys = ON;
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
"""

_MACROS = """
create macro draw(i, salt) as
    ('0x' || substr(md5(salt || ':' || i), 1, 10))::bigint / 1099511627776;
create macro pick(domain_name, u) as (
    select d.weighted[1 + floor(u * len(d.weighted))::integer]
    from value_domains as d where d.domain = domain_name
);
create macro nth(domain_name, k) as (
    select d.plain[1 + ((k - 1) % len(d.plain))::integer] from value_domains as d where d.domain = domain_name
);
"""


@dataclass(frozen=True)
class BankColumn:
    """One column of a table of the bank, as the manifest has it."""

    name: str
    position: int  # 1-based place in the table
    generation_position: int  # 1-based place in the order in which the generators see each other
    data_type: str  # INTEGER, DECIMAL(p,s), VARCHAR(n), DATE
    is_nullable: bool
    is_primary_key: bool
    value_domain: str | None  # the domain whose values and meanings document the column
    description: str
    generator: str


@dataclass(frozen=True)
class BankKey:
    """One foreign key of a table of the bank: columns and the columns they refer to, in the key's order."""

    name: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]


@dataclass(frozen=True)
class BankTable:
    """One table of the bank."""

    name: str
    position: int  # 1-based; a table stands after those it refers to
    generation_position: int
    n_rows: int
    description: str
    columns: tuple[BankColumn, ...]  # by position
    foreign_keys: tuple[BankKey, ...]

    @property
    def primary_key(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.is_primary_key)


@dataclass(frozen=True)
class DomainValue:
    """One value of a value domain; `weight` is how often it comes, in parts of the domain's sum."""

    value: str
    weight: int
    meaning: str | None


@dataclass(frozen=True)
class BankQuestion:
    """One question of the bank with its gold in each dialect that is executed."""

    question_id: str
    db_id: str
    category_group: str
    category: str
    difficulty: str
    question: str
    evidence: str | None
    intent: str
    is_ordered: bool
    golds: dict[str, str]  # by engine


@dataclass(frozen=True)
class Manifest:
    """The bank's manifest: tables by database and position, questions in order, value domains by name."""

    folder: Path
    databases: dict[str, tuple[BankTable, ...]]
    questions: tuple[BankQuestion, ...]
    domains: dict[str, tuple[DomainValue, ...]]


@dataclass(frozen=True)
class TableRows:
    """The rows of one table, by primary key; dates as `datetime.date`, money as `decimal.Decimal`."""

    table: BankTable
    rows: list[tuple[Any, ...]] = field(repr=False)


def load_bank(home: Home, engine: str, command: str) -> ImportReport:
    """Write the bank's databases under bank/<engine>/ of the home and land their benchmark.

    SQLite is benchmark `enterprise`, DuckDB `enterprise_duckdb`. Loading the same bank again changes nothing
    (`is_new` is false then); a newer one takes the place of the old. GlueError for an unknown engine, a
    manifest that does not hold together, or another import under way.
    """
    from glue.importers.common import land

    return land(home, bank_batch(home, engine), replace=True, command=command)


def bank_batch(home: Home, engine: str) -> ImportBatch:
    """Write the databases of the bank for an engine and give what is to be landed of them."""
    from glue.importers.common import ImportBatch, sha256_of

    if engine not in ENGINES:
        close = nearest(engine, list(ENGINES))
        hint = f"did you mean {close!r}?" if close else f"engines: {', '.join(ENGINES)}"
        raise GlueError(f"the bank is not written for {engine!r}", hint)
    manifest = read_manifest()
    benchmark = ENGINES[engine]
    folder = home.root / "bank" / engine
    options = {"engine": engine, "folder": str(folder)}
    batch = ImportBatch("bank", f"benchmark:{benchmark}:bank", benchmark, options=options)
    batch.files = {str(path): sha256_of(path) for path in sorted(manifest.folder.glob("bank_*.csv"))}
    for db_id in manifest.databases:
        path = folder / f"{db_id}.{engine}"
        is_written = (write_sqlite if engine == "sqlite" else write_duckdb)(manifest, db_id, path)
        batch.notes.append(f"{path} {'written' if is_written else 'is up to date'}")
        _add_database(batch, manifest, db_id, path)
    for position, question in enumerate(manifest.questions):
        _add_question(batch, position, question, engine)
    return batch


def _add_database(batch: ImportBatch, manifest: Manifest, db_id: str, path: Path) -> None:
    """Land a database as the manifest describes it, with row counts and storage classes from its file."""
    from glue.importers.introspection import introspect

    facts = introspect(path, n_samples=_N_SAMPLES)
    batch.files[str(path)] = facts.snapshot_id
    of_database = {"benchmark": batch.benchmark, "db_id": db_id, "source": "bank"}
    batch.add(
        "databases",
        **of_database,
        engine=facts.engine,
        path=str(facts.path),
        snapshot_id=facts.snapshot_id,
        n_bytes=facts.n_bytes,
    )
    found = {table.name: table for table in facts.tables}
    for table in manifest.databases[db_id]:
        batch.add(
            "tables",
            **of_database,
            table_name=table.name,
            table_position=table.position,
            natural_name=table.name.replace("_", " "),
            description=table.description,
            n_rows=found[table.name].n_rows,
        )
        _add_columns(batch, manifest, table, found[table.name], of_database)
        for key in table.foreign_keys:
            _add_foreign_key(batch, table, key, of_database)


def _add_columns(
    batch: ImportBatch, manifest: Manifest, table: BankTable, facts: TableFacts, of_database: dict[str, str]
) -> None:
    found = {column.name: column for column in facts.columns}
    for column in table.columns:
        values = manifest.domains[column.value_domain] if column.value_domain else ()
        batch.add(
            "columns",
            **of_database,
            table_name=table.name,
            column_name=column.name,
            column_position=column.position,
            data_type=found[column.name].data_type,
            natural_name=column.name.replace("_", " "),
            description=column.description,
            value_description="; ".join(f"{v.value}: {v.meaning}" for v in values) or None,
            sample_values=[v.value for v in values] or found[column.name].sample_values,
            is_primary_key=column.is_primary_key,
            is_nullable=column.is_nullable,
            storage_classes=found[column.name].storage_classes,
        )


def _add_foreign_key(batch: ImportBatch, table: BankTable, key: BankKey, of_database: dict[str, str]) -> None:
    for position, (name, referenced) in enumerate(zip(key.columns, key.referenced_columns, strict=True), 1):
        batch.add(
            "foreign_keys",
            **of_database,
            key_name=key.name,
            key_position=position,
            table_name=table.name,
            column_name=name,
            referenced_table=key.referenced_table,
            referenced_column=referenced,
        )


def _add_question(batch: ImportBatch, position: int, question: BankQuestion, engine: str) -> None:
    from glue.importers.questions import add_gold

    batch.add(
        "questions",
        benchmark=batch.benchmark,
        question_id=question.question_id,
        question_position=position,
        db_id=question.db_id,
        question=question.question,
        evidence=question.evidence,
        difficulty=question.difficulty,
        dialect=engine,
        is_ordered=question.is_ordered,
        intent=question.intent,
        language="en",
    )
    add_gold(batch, question.question_id, question.golds[engine], engine)


def manifest_folder() -> Path:
    """Where the manifest lies: seeds/bank of the dbt project, in the checkout or in the installed wheel."""
    from glue.build import project_directory

    return project_directory() / "seeds" / "bank"


def read_manifest(folder: Path | None = None) -> Manifest:
    """The manifest of `folder` (default: the one that comes with the program).

    GlueError when a file or a column is missing or a table refers to one that does not stand before it.
    """
    folder = folder or manifest_folder()
    keys = _foreign_keys(folder)
    columns: dict[tuple[str, str], list[BankColumn]] = {}
    for row in _records(folder, "bank_columns"):
        columns.setdefault((row["db_id"], row["table_name"]), []).append(_column(row))
    databases: dict[str, list[BankTable]] = {}
    for row in _records(folder, "bank_tables"):
        place = (row["db_id"], row["table_name"])
        databases.setdefault(row["db_id"], []).append(
            BankTable(
                name=row["table_name"],
                position=int(row["table_position"]),
                generation_position=int(row["generation_position"]),
                n_rows=int(row["n_rows"]),
                description=row["description"],
                columns=tuple(sorted(columns.get(place, []), key=lambda column: column.position)),
                foreign_keys=tuple(keys.get(place, [])),
            )
        )
    ordered = {name: tuple(sorted(tables, key=lambda t: t.position)) for name, tables in databases.items()}
    for db_id, tables in ordered.items():
        _check_references(folder, db_id, tables)
    return Manifest(folder, ordered, tuple(_questions(folder)), _domains(folder))


def generate(manifest: Manifest, db_id: str, n_threads: int | None = None) -> list[TableRows]:
    """The rows of every table of a database, tables by position, rows by primary key: always the same.

    GlueError naming table and column when a generator fails.
    """
    with _generated(manifest, db_id, n_threads) as connection:
        return [TableRows(table, _all_rows(connection, table)) for table in manifest.databases[db_id]]


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


def write_duckdb(manifest: Manifest, db_id: str, path: Path) -> bool:
    """Write a database as a DuckDB file, foreign keys enforced, descriptions as comments.

    DuckDB stamps every file with a number of its own, so two files with the same content differ in bytes:
    a file that has this content already is left alone. Whether it was written.
    """
    with _replacement(path) as temporary, _generated(manifest, db_id) as connection:
        _fill_duckdb(connection, manifest.databases[db_id], temporary)
        is_new = not _same_duckdb(connection, temporary, path)
        if is_new:
            _put_in_place(temporary, path)
    return is_new


@contextmanager
def _generated(
    manifest: Manifest, db_id: str, n_threads: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB connection whose catalog `memory` holds the generated tables of a database, without keys."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        if n_threads is not None:
            connection.execute(f"set threads = {n_threads:d}")
        _define_macros(connection, manifest)
        for table in sorted(manifest.databases[db_id], key=lambda table: table.generation_position):
            _generate_table(connection, db_id, table)
        yield connection


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


def _create_statement(table: BankTable, engine: str) -> str:
    """The CREATE TABLE statement of `table` with its keys, in the words of `engine`."""
    parts = [
        f'"{column.name}" {_data_type(column.data_type, engine)}{"" if column.is_nullable else " NOT NULL"}'
        for column in table.columns
    ]
    if table.primary_key:
        parts.append(f"PRIMARY KEY ({_name_list(table.primary_key)})")
    parts += [
        f'CONSTRAINT "{key.name}" FOREIGN KEY ({_name_list(key.columns)}) '
        f'REFERENCES "{key.referenced_table}" ({_name_list(key.referenced_columns)})'
        for key in table.foreign_keys
    ]
    return f'CREATE TABLE "{table.name}" (\n    ' + ",\n    ".join(parts) + "\n)"


def _data_type(data_type: str, engine: str) -> str:
    return "REAL" if engine == "sqlite" and data_type.startswith("DECIMAL") else data_type


def _name_list(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _fill_sqlite(tables: Sequence[TableRows], path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    with closing(connection):
        connection.executescript(_SQLITE_SETTINGS)
        connection.execute("BEGIN")
        for table, rows in ((entry.table, entry.rows) for entry in tables):
            connection.execute(_create_statement(table, "sqlite"))
            marks = ", ".join("?" * len(table.columns))
            connection.executemany(
                f'INSERT INTO "{table.name}" VALUES ({marks})',
                (tuple(map(_sqlite_value, row)) for row in rows),
            )
        connection.execute("COMMIT")
    with path.open("r+b") as file:
        file.seek(_SQLITE_VERSION_OFFSET)
        file.write(_SQLITE_VERSION_STAMP)


def _sqlite_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, date):
        return value.isoformat()
    return value


def _fill_duckdb(connection: duckdb.DuckDBPyConnection, tables: Sequence[BankTable], path: Path) -> None:
    connection.execute(f"attach {_quoted(str(path))} as bank")
    connection.execute("use bank")
    connection.execute("begin")
    for table in tables:
        connection.execute(_create_statement(table, "duckdb"))
        order = _name_list(table.primary_key) or "all"
        connection.execute(f'insert into "{table.name}" select * from memory."{table.name}" order by {order}')
        connection.execute(f'comment on table "{table.name}" is {_quoted(table.description)}')
        for column in table.columns:
            connection.execute(
                f'comment on column "{table.name}"."{column.name}" is {_quoted(column.description)}'
            )
    connection.execute("commit")
    connection.execute("checkpoint bank")
    connection.execute("use memory")
    connection.execute("detach bank")


def _same_duckdb(connection: duckdb.DuckDBPyConnection, left: Path, right: Path) -> bool:
    """Whether two DuckDB files hold the same tables, comments and rows; false when `right` cannot be read."""
    import duckdb

    if not right.exists():
        return False
    try:
        connection.execute(f"attach {_quoted(str(left))} as left_file (read_only)")
        connection.execute(f"attach {_quoted(str(right))} as right_file (read_only)")
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
    rows = [connection.execute(f'select * from {catalog}."{name}"').fetchall() for name, _, _ in tables]
    return [tables, comments, rows]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _records(folder: Path, name: str) -> Iterator[dict[str, str]]:
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise GlueError(f"the bank's manifest lacks {path}", "install evalhouse again, or restore the file")
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _column(row: dict[str, str]) -> BankColumn:
    return BankColumn(
        name=row["column_name"],
        position=int(row["column_position"]),
        generation_position=int(row["generation_position"]),
        data_type=row["data_type"],
        is_nullable=row["is_nullable"] == "true",
        is_primary_key=row["is_primary_key"] == "true",
        value_domain=row["value_domain"] or None,
        description=row["description"],
        generator=row["generator"],
    )


def _foreign_keys(folder: Path) -> dict[tuple[str, str], list[BankKey]]:
    parts: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in _records(folder, "bank_foreign_keys"):
        parts.setdefault((row["db_id"], row["table_name"], row["key_name"]), []).append(row)
    keys: dict[tuple[str, str], list[BankKey]] = {}
    for (db_id, table_name, key_name), rows in parts.items():
        rows.sort(key=lambda row: int(row["key_position"]))
        key = BankKey(
            key_name,
            tuple(row["column_name"] for row in rows),
            rows[0]["referenced_table"],
            tuple(row["referenced_column"] for row in rows),
        )
        keys.setdefault((db_id, table_name), []).append(key)
    return keys


def _domains(folder: Path) -> dict[str, tuple[DomainValue, ...]]:
    rows = sorted(_records(folder, "bank_value_domains"), key=lambda row: int(row["value_position"]))
    domains: dict[str, list[DomainValue]] = {}
    for row in rows:
        value = DomainValue(row["value"], int(row["weight"]), row["meaning"] or None)
        domains.setdefault(row["domain"], []).append(value)
    return {name: tuple(values) for name, values in domains.items()}


def _questions(folder: Path) -> Iterator[BankQuestion]:
    for row in _records(folder, "bank_questions"):
        yield BankQuestion(
            question_id=row["question_id"],
            db_id=row["db_id"],
            category_group=row["category_group"],
            category=row["category"],
            difficulty=row["difficulty"],
            question=row["question"],
            evidence=row["evidence"] or None,
            intent=row["intent"],
            is_ordered=row["is_ordered"] == "true",
            golds={engine: row[f"gold_{engine}"] for engine in ENGINES},
        )


def _check_references(folder: Path, db_id: str, tables: Sequence[BankTable]) -> None:
    seen: set[str] = set()
    for table in tables:
        seen.add(table.name)
        for key in table.foreign_keys:
            if key.referenced_table not in seen:
                raise GlueError(
                    f"{folder / 'bank_foreign_keys.csv'}: {db_id}.{table.name} refers to "
                    f"{key.referenced_table}, which does not stand before it",
                    "change table_position in bank_tables.csv",
                )


def _define_macros(connection: duckdb.DuckDBPyConnection, manifest: Manifest) -> None:
    connection.execute("create table value_domains (domain varchar, plain varchar[], weighted varchar[])")
    rows = [
        (name, [v.value for v in values], [v.value for v in values for _ in range(v.weight)])
        for name, values in manifest.domains.items()
    ]
    if rows:
        connection.executemany("insert into value_domains values (?, ?, ?)", rows)
    connection.execute(_MACROS)


def _generate_table(connection: duckdb.DuckDBPyConnection, db_id: str, table: BankTable) -> None:
    """Create `table` in `connection`: its columns one after the other, each seeing those before it."""
    import duckdb

    connection.execute(
        f"create temp table step_0 as select unnest(range(1, {table.n_rows + 1:d}))::integer as i",
    )
    columns = sorted(table.columns, key=lambda column: column.generation_position)
    for step, column in enumerate(columns):
        try:
            connection.execute(
                f"create temp table step_{step + 1} as "
                f'select this.*, cast(({column.generator}) as {column.data_type}) as "{column.name}" '
                f"from step_{step} as this"
            )
        except duckdb.Error as error:
            raise GlueError(
                f"the generator of {db_id}.{table.name}.{column.name} fails: {str(error).splitlines()[0]}",
                "mend it in seeds/bank/bank_columns.csv",
            ) from error
        connection.execute(f"drop table step_{step}")
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    connection.execute(f'create table "{table.name}" as select {names} from step_{len(columns)}')
    connection.execute(f"drop table step_{len(columns)}")


def _all_rows(connection: duckdb.DuckDBPyConnection, table: BankTable) -> list[tuple[Any, ...]]:
    order = ", ".join(f'"{name}"' for name in table.primary_key) or "all"
    return connection.execute(f'select * from "{table.name}" order by {order}').fetchall()
