"""`glue query`: one statement on the warehouse, read-only, as a table, CSV, JSON or Parquet."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from glue.errors import GlueError
from glue.home import Home
from glue.warehouse import explained, is_stale, lock_holder, open_read_only

if TYPE_CHECKING:
    import duckdb

FORMATS = ("table", "csv", "json", "parquet")

TABLE_ROWS = 1000
"""Most rows that the table format shows; the others know no limit."""

CELL_CHARACTERS = 500
"""Longest cell that the table format shows whole."""

_NARROWEST_COLUMN = 7  # characters, below which rows are shown as records instead
_BATCH_ROWS = 2048
_JOINERS = "\u200c\u200d"  # they shape emoji and scripts; every other invisible character is escaped


def query(
    home: Home,
    sql: str,
    format_name: str,
    out: IO[bytes],
    *,
    width: int | None = None,
    is_styled: bool = False,
) -> list[str]:
    """Run one statement on the warehouse and write its rows to `out`.

    `width` is the terminal's, in characters (None: as wide as it takes); `is_styled` allows colours. Returns
    notes for stderr. GlueError when there is no warehouse, another process writes it, or the statement fails.
    """
    connection = open_read_only(home)
    is_old = False
    try:
        notes = []
        is_old = is_stale(home, connection)
        if is_old:
            notes.append("the warehouse is older than what has landed (hint: `glue build`, or `dbt build`)")
        if format_name == "parquet":
            _write_parquet(connection, _one_statement(connection, sql), out)
            return notes
        result = _execute(connection, sql, home)
        if format_name == "csv":
            _write_lines(_csv_lines(_names(result), _rows(result)), out)
        elif format_name == "json":
            _write_lines(_json_lines(_names(result), _rows(result)), out)
        else:
            notes += _write_table(result, out, width, is_styled)
        return notes
    except GlueError as error:
        # A table that no build has made yet is no misspelling.
        if is_old and "Table with name" in error.message:
            raise GlueError(error.message, f"`glue build` may make it; {error.hint}") from error
        raise
    finally:
        connection.close()


@contextmanager
def output_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that appears under `path` only once it is whole."""
    if path.is_dir():
        raise GlueError(f"cannot write {path}: it is a folder", "name a file in it with --output")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as out:
            yield out
        temporary.replace(path)
    except OSError as error:
        raise GlueError(
            f"cannot write {path}: {error.strerror or error}", "choose another --output"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _explained_errors(home: Home | None = None) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        if home is not None and lock_holder(str(error)):
            raise explained(error, home) from error
        raise _statement_error(str(error)) from error


def _one_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    with _explained_errors():
        statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise GlueError(
            f"expected one statement, found {len(statements)}",
            'one statement a call: glue query "select …"',
        )
    return statements[0]


def _execute(connection: duckdb.DuckDBPyConnection, sql: str, home: Home) -> duckdb.DuckDBPyConnection:
    statement = _one_statement(connection, sql)
    with _explained_errors(home):
        return connection.execute(statement)


def _statement_error(message: str) -> GlueError:
    """DuckDB's error in one line, its suggestion as the hint."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    suggestions = [line for line in lines if line.startswith(("Did you mean", "Candidate bindings"))]
    place = [line for line in lines if line.startswith("LINE ")]
    hint = suggestions[0] if suggestions else None
    if hint is None and "does not exist" in message:
        hint = 'see what there is: glue query "show tables"'
    if "read-only" in message:
        hint = "`glue query` only reads; the warehouse is written by `dbt build` alone"
    return GlueError(" — ".join([lines[0], *place[:1]]), hint)


def _names(result: duckdb.DuckDBPyConnection) -> list[str]:
    """Column names, repeated ones numbered, so that no JSON key or Parquet column is lost."""
    return _distinct([column[0] for column in result.description or []])


def _distinct(given: Iterable[str]) -> list[str]:
    names: list[str] = []
    for first in given:
        name, number = first, 1
        while name in names:
            name, number = f"{first}_{number}", number + 1
        names.append(name)
    return names


def _rows(result: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    with _explained_errors():
        while batch := result.fetchmany(_BATCH_ROWS):
            yield from batch


def _write_lines(lines: Iterable[str], out: IO[bytes]) -> None:
    for line in lines:
        out.write(line.encode("utf-8", "replace"))
    out.flush()


# --------------------------------------------------------------------------- CSV and JSON


def _csv_lines(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """RFC 4180 with plain newlines; NULL is nothing between the commas, an empty text is `""`."""
    yield ",".join(_csv_cell(name) for name in names) + "\n"
    for row in rows:
        yield ",".join(_csv_cell(_text(value)) for value in row) + "\n"


def _csv_cell(text: str | None) -> str:
    if text is None:
        return ""
    if text == "" or any(mark in text for mark in ',"\n\r') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _json_lines(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """One array with one object a line."""
    separator = "[\n"
    for row in rows:
        yield separator + json.dumps(dict(zip(names, map(_json_value, row), strict=True)), ensure_ascii=False)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _json_value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)  # JSON has no NaN or infinity
    if isinstance(value, Decimal):
        number = float(value)
        return number if Decimal(repr(number)) == value else str(value)
    if isinstance(value, dict):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    return _text(value)


def _text(value: Any) -> str | None:
    """A value as text, as CSV and the table show it; None for NULL."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return "\\x" + bytes(value).hex()
    if isinstance(value, dict | list | tuple):
        return json.dumps(_json_value(value), ensure_ascii=False)
    return str(value)


# --------------------------------------------------------------------------- Parquet


def _write_parquet(
    connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement, out: IO[bytes]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    with _explained_errors():
        relation = connection.sql(statement)
        if relation is None:
            raise GlueError("the statement gives no rows to write", "write a select")
        reader = relation.to_arrow_reader(_BATCH_ROWS * 32)
        names = _distinct(reader.schema.names)
        schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])
        with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
            for batch in reader:
                writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))


# --------------------------------------------------------------------------- table


def _write_table(
    result: duckdb.DuckDBPyConnection, out: IO[bytes], width: int | None, is_styled: bool
) -> list[str]:
    names = _names(result)
    rows: list[tuple[Any, ...]] = []
    n_more = 0
    for row in _rows(result):
        if len(rows) < TABLE_ROWS:
            rows.append(row)
        else:
            n_more += 1
    if not names:
        return ["the statement gave no rows"]
    text = render_table(names, rows, width=width, is_styled=is_styled)
    out.write(text.encode("utf-8", "replace"))
    out.flush()
    if n_more:
        return [f"{n_more:,} more rows are not shown (hint: --format csv shows all)"]
    return []


def render_table(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    width: int | None = None,
    is_styled: bool = False,
) -> str:
    """Rows as a table that fits `width` characters, or as one record after another where it cannot.

    No cell is taken for markup, and control and other invisible characters are escaped.
    """
    from io import StringIO

    from rich.console import Console

    is_narrow = width is not None and len(names) * _NARROWEST_COLUMN > width
    content = _records(names, rows) if is_narrow else _grid(names, rows)
    buffer = StringIO()
    console = Console(
        file=buffer,
        width=width or 1_000_000,
        force_terminal=is_styled,
        no_color=not is_styled,
        color_system="standard" if is_styled else None,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(content)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _grid(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for position, name in enumerate(names):
        is_number = any(_is_number(row[position]) for row in rows)
        table.add_column(_cell(name), justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    return table


def _records(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    for number, row in enumerate(rows, start=1):
        record = Table.grid(padding=(0, 2))
        for name, value in zip(names, row, strict=True):
            record.add_row(_cell(name), _cell(value))
        parts += [Text(f"row {number}", style="bold"), record]
    return Group(*parts) if parts else _grid(names, rows)


def _cell(value: Any) -> Any:
    from rich.text import Text

    text = _text(_rounded(value))
    return Text("NULL", style="dim") if text is None else Text(visible(text))


def _rounded(value: Any) -> Any:
    """A fraction to six digits, for reading; the other formats keep every digit."""
    is_long = isinstance(value, float) and abs(value) < 1e6 and not value.is_integer()
    return float(f"{value:.6g}") if is_long else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def visible(text: str) -> str:
    """The text on one line: control and other invisible characters escaped, cut where it is very long."""
    cut = text[:CELL_CHARACTERS]
    if not cut.isprintable():
        cut = "".join(character if _is_shown(character) else _escaped(character) for character in cut)
    return cut if len(text) <= CELL_CHARACTERS else f"{cut}… ({len(text):,} characters)"


def _is_shown(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def terminal_width() -> int:
    """The width of the terminal, in characters."""
    return shutil.get_terminal_size((100, 24)).columns
