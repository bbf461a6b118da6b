"""From rows to the Arrow batches that land: every value checked against the table's declared schema.

The errors name the table, the row (1-based, within what was handed over), the field and what was wrong.
"""

from __future__ import annotations

import numbers
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import chain, islice
from typing import Any, TypeAlias

import pyarrow as pa

from glue.errors import GlueError, nearest
from glue.landing_tables import FLAG, FLOATS, HALVES, INT, MOMENT, STEPS, TABLES, TEXT, TEXTS, LandingTable

Rows: TypeAlias = Iterable[Mapping[str, Any]] | pa.RecordBatch | pa.Table

_CHUNK_ROWS = 8192
_FRAME_BYTES = 32 << 20  # larger batches are sliced, so that a fold never holds much more
_LONGEST_OPENING = 1 << 16
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"
_FILLED_BY_WRITER = "landed_at"
_TOO_LARGE = "the row holds more than the 2 GB of text that one Arrow batch can"

_EXPECTED = {
    TEXT: "a text",
    INT: "a whole number",
    FLAG: "true or false",
    MOMENT: "a datetime with a time zone",
    TEXTS: "a list of texts",
    FLOATS: "a list of finite numbers in single precision",
    HALVES: "a list of finite numbers in half precision",
    STEPS: "a list of whole numbers from -511 to 511",
    pa.float64(): "a number",
}
_PLAIN_TYPES: dict[pa.DataType, set[type]] = {
    TEXT: {str, type(None)},
    INT: {int, type(None)},
    FLAG: {bool, type(None)},
    MOMENT: {datetime, type(None)},
    TEXTS: {list, tuple, type(None)},
    FLOATS: {list, tuple, type(None)},
    HALVES: {list, tuple, type(None)},
    STEPS: {list, tuple, type(None)},
    pa.float64(): {float, int, type(None)},
}
_LARGEST: dict[pa.DataType, float] = {FLOATS: 3.4028234663852886e38, HALVES: 65504.0, STEPS: 511}
"""Of each precision: Arrow would make infinity of what is larger."""


class NotArrow(GlueError):
    """What was to be appended as an Arrow IPC stream of a table is none."""


def landing_table(name: str) -> LandingTable:
    """The declaration of a landing table. GlueError names the nearest one when there is no such table."""
    if name not in TABLES:
        close = nearest(name, list(TABLES))
        hint = f"did you mean {close!r}?" if close else f"landing tables: {', '.join(TABLES)}"
        raise GlueError(f"there is no landing table {name!r}", hint)
    return TABLES[name]


@cache
def append_schema(table: str) -> pa.Schema:
    """The schema of what is appended to a table: all its columns but landed_at, which the writer fills."""
    schema = landing_table(table).schema
    return schema.remove(schema.get_field_index(_FILLED_BY_WRITER))


def to_batches(table: str, rows: Rows) -> list[pa.RecordBatch]:
    """Check rows against a table and give them as batches of `append_schema(table)`, none without rows.

    Rows are mappings (a missing key is NULL, an unknown one an error), or an Arrow batch or table (columns in
    any order, a missing one is NULL). GlueError names table, row, field and what was wrong.
    """
    if isinstance(rows, pa.Table):
        batches = [conform(table, batch) for batch in rows.to_batches()]
    elif isinstance(rows, pa.RecordBatch):
        batches = [conform(table, rows)]
    else:
        batches = list(_from_mappings(table, rows))
    return [part for batch in batches for part in _sliced(batch)]


def to_ipc(table: str, rows: Rows) -> pa.Buffer:
    """Rows as one Arrow IPC stream for `Writer.append_ipc`: what a worker sends its parent.

    Rows and errors as of `to_batches`.
    """
    return serialise(append_schema(table), to_batches(table, rows))


def serialise(schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> pa.Buffer:
    """Batches as one Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return sink.getvalue()


def conform(table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
    """An Arrow batch in the table's declared column order, missing columns filled with NULL.

    GlueError on an unknown or repeated column, another type, or text that is not UTF-8.
    """
    schema = append_schema(table)
    conformed = batch
    if not batch.schema.equals(schema):
        _check_names(table, batch.schema.names, schema)
        columns = [_conformed_column(table, field, batch) for field in schema]
        conformed = pa.RecordBatch.from_arrays(columns, schema=schema)
    return _validated(table, conformed)


def _validated(table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        raise GlueError(f"{table}: {error}", "store bytes that are no UTF-8 as a hexadecimal text") from error
    return batch


def from_ipc(table: str, data: bytes) -> list[pa.RecordBatch]:
    """The batches of an IPC stream as of `conform`; a stream of the table's schema of today costs a third.

    Errors as of `conform`; pa.ArrowException, OSError or EOFError when it is no such stream.
    """
    schema, opening = _opening(table)
    if not data.startswith(opening):
        return [conform(table, batch) for batch in pa.ipc.open_stream(data)]
    reader = pa.BufferReader(data)
    reader.seek(len(opening))
    batches = []
    while len(data) - reader.tell() > len(_END_OF_STREAM):
        batch = pa.ipc.read_record_batch(pa.ipc.read_message(reader), schema)
        batches.append(_validated(table, batch))
    return batches


@cache
def _opening(table: str) -> tuple[pa.Schema, bytes]:
    """The schema that is appended, and the bytes with which its streams begin."""
    schema = append_schema(table)
    stream = memoryview(serialise(schema, []))
    return schema, bytes(stream[: _opening_bytes(stream)])


class IpcSchemas:
    """Checks the schema of IPC streams without decoding them: a stream's first bytes are its schema."""

    def __init__(self) -> None:
        self._known: set[tuple[str, bytes]] = set()

    def check(self, table: str, data: memoryview) -> None:
        """NotArrow when `data` is not an IPC stream of `append_schema(table)`."""
        opening = bytes(data[: _opening_bytes(data)])
        if (table, opening) in self._known:
            return
        expected = append_schema(table)
        try:
            found = pa.ipc.open_stream(data).schema
        except (pa.ArrowException, OSError, EOFError) as error:
            raise NotArrow(
                f"{table}: not an Arrow IPC stream ({error})", "make it with landing.to_ipc"
            ) from error
        if not found.equals(expected):
            raise NotArrow(f"{table}: {_difference(found, expected)}", "make it with landing.to_ipc")
        if len(opening) <= _LONGEST_OPENING:
            self._known.add((table, opening))


def _opening_bytes(data: memoryview) -> int:
    """The length of a stream's schema message: a marker, the length of the metadata, the metadata."""
    if len(data) < 8:
        return len(data)
    _, n_metadata_bytes = struct.unpack_from("<Ii", data)
    return 8 + max(n_metadata_bytes, 0)


def _difference(found: pa.Schema, expected: pa.Schema) -> str:
    for field in expected:
        index = found.get_field_index(field.name)
        if index < 0:
            return f"field {field.name!r} is missing"
        if found.field(index).type != field.type:
            return f"field {field.name!r} is {found.field(index).type}, expected {field.type}"
    extra = [name for name in found.names if name not in expected.names]
    return f"field {extra[0]!r} is unknown" if extra else "the fields are not in the declared order"


def _check_names(table: str, names: Iterable[str], schema: pa.Schema, row: int | None = None) -> None:
    seen: set[str] = set()
    for name in names:
        place = table if row is None else f"{table}, row {row}"
        if name == _FILLED_BY_WRITER:
            raise GlueError(f"{place}: field {name!r} is filled by the writer", "leave it out")
        if name in seen:
            raise GlueError(f"{place}: field {name!r} comes twice", "leave one out")
        if name not in schema.names:
            close = nearest(str(name), schema.names)
            hint = f"did you mean {close!r}?" if close else f"fields: {', '.join(schema.names)}"
            raise GlueError(f"{place}: unknown field {name!r}", hint)
        seen.add(name)


def _conformed_column(table: str, field: pa.Field, batch: pa.RecordBatch) -> pa.Array:
    index = batch.schema.get_field_index(field.name)
    if index < 0 or pa.types.is_null(batch.schema.field(index).type):
        return pa.nulls(batch.num_rows, field.type)
    column = batch.column(index)
    if column.type != field.type:
        raise GlueError(
            f"{table}: field {field.name!r} is {column.type}, expected {field.type}",
            f"cast the column, or build the batch with landing.append_schema({table!r})",
        )
    return column


def _from_mappings(table: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[pa.RecordBatch]:
    schema = append_schema(table)
    remaining = iter(rows)
    first_row = 1
    while chunk := list(islice(remaining, _CHUNK_ROWS)):
        _check_mappings(table, chunk, schema, first_row)
        yield from _chunk_batches(table, chunk, schema, first_row)
        first_row += len(chunk)


def _check_mappings(table: str, chunk: list[Mapping[str, Any]], schema: pa.Schema, first_row: int) -> None:
    known = set(schema.names)
    for number, row in enumerate(chunk, first_row):
        if not isinstance(row, Mapping):
            raise GlueError(f"{table}, row {number}: expected a mapping of fields, got {_shown(row)}")
        if not row.keys() <= known:
            _check_names(table, row, schema, number)


def _chunk_batches(
    table: str, chunk: list[Mapping[str, Any]], schema: pa.Schema, first_row: int
) -> Iterator[pa.RecordBatch]:
    """One batch, or several where its text would not fit into one."""
    batch = _plain_batch(table, chunk)
    if batch is not None:
        yield batch
        return
    columns = [_column(table, field, [row.get(field.name) for row in chunk], first_row) for field in schema]
    if all(isinstance(column, pa.Array) for column in columns):
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
        return
    if len(chunk) == 1:
        raise GlueError(f"{table}, row {first_row}: {_TOO_LARGE}")
    middle = len(chunk) // 2
    yield from _chunk_batches(table, chunk[:middle], schema, first_row)
    yield from _chunk_batches(table, chunk[middle:], schema, first_row + middle)


def _plain_batch(table: str, chunk: list[Mapping[str, Any]]) -> pa.RecordBatch | None:
    """The rows in one conversion, which for one row is five times as fast as column by column.

    None where a value is not of exactly the Python type that its column holds or does not fit.
    """
    struct, kinds, looked_into = _plain_struct(table)
    for row in chunk:
        if type(row) is not dict or not all(type(value) in kinds[name] for name, value in row.items()):
            return None
    for name, kind in looked_into:
        if not _is_plain(kind, [row.get(name) for row in chunk]):
            return None
    try:
        array = pa.array(chunk, struct)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None
    return pa.RecordBatch.from_struct_array(array) if isinstance(array, pa.Array) else None


@cache
def _plain_struct(
    table: str,
) -> tuple[pa.StructType, dict[str, set[type]], list[tuple[str, pa.DataType]]]:
    """An appended row as one Arrow type, its fields' Python types, and the fields whose values have parts."""
    schema = append_schema(table)
    kinds = {field.name: _PLAIN_TYPES[field.type] for field in schema}
    looked_into = [(field.name, field.type) for field in schema if field.type in (TEXTS, MOMENT, *_LARGEST)]
    return pa.struct(list(schema)), kinds, looked_into


def _column(table: str, field: pa.Field, values: list[Any], first_row: int) -> pa.Array | None:
    """The values as an array; None when they are too large for one."""
    try:
        if _is_plain(field.type, values):
            array = pa.array(values, field.type)
            return array if isinstance(array, pa.Array) else None
    except pa.ArrowCapacityError:
        return None
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        pass  # the search below says which value it was
    for number, value in enumerate(values, first_row):
        problem = _problem(field.type, value)
        if problem:
            raise GlueError(f"{table}, row {number}: field {field.name!r}: {problem}")
    array = pa.array(values, field.type)
    return array if isinstance(array, pa.Array) else None


def _is_plain(kind: pa.DataType, values: list[Any]) -> bool:
    """Are the values of exactly the Python types that the column holds? Arrow alone would let others pass."""
    if not set(map(type, values)) <= _PLAIN_TYPES[kind]:
        return False
    if kind == TEXTS:
        return set(map(type, chain.from_iterable(filter(None, values)))) <= _PLAIN_TYPES[TEXT]
    if kind in _LARGEST:
        return all(_are_numbers(value, kind) for value in values if value is not None)
    if kind == MOMENT:
        return all(value is None or value.tzinfo is not None for value in values)
    return True


def _are_numbers(value: Any, kind: pa.DataType) -> bool:
    """Is this a list of numbers that a precision holds? NULL, NaN and infinity are none."""
    allowed: set[type] = {int} if kind == STEPS else {float, int}
    if not isinstance(value, list | tuple) or not set(map(type, value)) <= allowed:
        return False
    return all(-_LARGEST[kind] <= number <= _LARGEST[kind] for number in value)


def _problem(kind: pa.DataType, value: Any) -> str | None:
    """What is wrong with one value for a column, or None."""
    if value is None:
        return None
    if not _is_of(kind, value):
        return f"expected {_EXPECTED[kind]}, got {_shown(value)}"
    try:
        pa.array([value], kind)
    except UnicodeEncodeError as error:
        return f"the text has a lone surrogate at position {error.start}, which UTF-8 cannot hold"
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        return f"{_shown(value)} does not fit ({error})"
    return None


def _is_of(kind: pa.DataType, value: Any) -> bool:
    if kind == TEXT:
        return isinstance(value, str)
    if kind == INT:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == MOMENT:
        return isinstance(value, datetime) and value.tzinfo is not None
    if kind == TEXTS:
        return isinstance(value, list | tuple) and all(
            item is None or isinstance(item, str) for item in value
        )
    if kind in _LARGEST:
        return _are_numbers(value, kind)
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '…'} ({type(value).__name__})"


def _sliced(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    if not batch.num_rows:
        return
    if batch.num_rows == 1 or batch.nbytes <= _FRAME_BYTES:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _sliced(batch.slice(0, middle))
    yield from _sliced(batch.slice(middle))
