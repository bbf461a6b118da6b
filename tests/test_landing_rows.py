"""What is appended is checked: an error names the table, the row, the field and what was wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy
import pyarrow as pa
import pytest

from glue import landing_rows
from glue.errors import GlueError
from glue.landing_rows import IpcSchemas, append_schema, to_batches, to_ipc
from glue.landing_tables import TABLES

WRONG_VALUES = [
    ("questions", "question_id", 7, "expected a text, got 7 (int)"),
    ("questions", "question_id", b"q", "expected a text, got b'q' (bytes)"),
    ("questions", "question", "lone \ud800", "lone surrogate at position 5"),
    ("questions", "question_position", "3", "expected a whole number, got '3' (str)"),
    ("questions", "question_position", 3.0, "expected a whole number, got 3.0 (float)"),
    ("questions", "question_position", True, "expected a whole number, got True (bool)"),
    ("questions", "question_position", 2**63, "9223372036854775808 (int) does not fit"),
    ("questions", "is_ordered", 1, "expected true or false, got 1 (int)"),
    ("questions", "document_ids", "one", "expected a list of texts, got 'one' (str)"),
    ("questions", "document_ids", ["one", 2], "expected a list of texts, got ['one', 2] (list)"),
    ("executions", "elapsed_ms", "1.5", "expected a number, got '1.5' (str)"),
    ("executions", "elapsed_ms", True, "expected a number, got True (bool)"),
    ("executions", "executed_at", datetime(2024, 1, 31), "expected a datetime with a time zone"),
    ("executions", "executed_at", 5, "expected a datetime with a time zone, got 5 (int)"),
]


@pytest.mark.parametrize(("table", "field", "value", "problem"), WRONG_VALUES)
def test_a_wrong_value_is_named_with_its_place(table: str, field: str, value: Any, problem: str) -> None:
    rows: list[dict[str, Any]] = [{}, {field: None}, {field: value}, {}]
    with pytest.raises(GlueError) as caught:
        to_batches(table, rows)
    assert caught.value.message.startswith(f"{table}, row 3: field {field!r}: ")
    assert problem in caught.value.message


def test_the_row_is_counted_over_all_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landing_rows, "_CHUNK_ROWS", 2)
    with pytest.raises(GlueError, match="runs, row 5: field 'model'"):
        to_batches("runs", [{"run_id": "r"}] * 4 + [{"model": 1}])


def test_an_unknown_field_names_the_nearest() -> None:
    with pytest.raises(GlueError, match="questions, row 2: unknown field 'db'") as caught:
        to_batches("questions", [{"db_id": "a"}, {"db": "a"}])
    assert caught.value.hint == "did you mean 'db_id'?"


def test_an_unknown_table_names_the_nearest() -> None:
    with pytest.raises(GlueError, match="no landing table 'question'") as caught:
        to_batches("question", [{}])
    assert caught.value.hint == "did you mean 'questions'?"


def test_landed_at_is_the_writers() -> None:
    with pytest.raises(GlueError, match="imports, row 1: field 'landed_at' is filled by the writer"):
        to_batches("imports", [{"landed_at": None}])


def test_a_row_must_be_a_mapping() -> None:
    with pytest.raises(GlueError, match="runs, row 1: expected a mapping"):
        to_batches("runs", ["run_id"])


def test_missing_keys_are_null_and_moments_become_utc() -> None:
    east = timezone(timedelta(hours=2))
    (batch,) = to_batches(
        "executions",
        [
            {"execution_id": "a", "executed_at": datetime(2024, 1, 31, 1, tzinfo=east), "elapsed_ms": 2},
            {"execution_id": "b", "column_names": ("x", None), "n_rows": numpy.int64(4)},
        ],
    )
    assert batch.schema.equals(append_schema("executions"))
    first, second = batch.to_pylist()
    assert first["executed_at"] == datetime(2024, 1, 30, 23, tzinfo=UTC)
    assert first["elapsed_ms"] == 2.0
    assert first["n_rows"] is None
    assert (second["column_names"], second["n_rows"], second["executed_at"]) == (["x", None], 4, None)


def test_arrow_columns_may_be_in_any_order_missing_or_all_null() -> None:
    rows = pa.table({"n_rows": pa.array([1, 2]), "result_id": ["a", "b"], "is_cut": pa.nulls(2)})
    (batch,) = to_batches("results", rows)
    assert batch.schema.equals(append_schema("results"))
    assert batch.to_pylist()[1]["result_id"] == "b"
    assert batch.to_pylist()[1]["is_cut"] is None
    assert to_batches("results", rows.to_batches()[0])[0].equals(batch)


def test_a_wrong_arrow_type_is_named() -> None:
    with pytest.raises(GlueError, match="results: field 'n_rows' is string, expected int64"):
        to_batches("results", pa.table({"n_rows": ["1"]}))


def test_an_unknown_or_repeated_arrow_column_is_named() -> None:
    with pytest.raises(GlueError, match="results: unknown field 'rows'"):
        to_batches("results", pa.table({"rows": [1]}))
    with pytest.raises(GlueError, match="results: field 'n_rows' comes twice"):
        to_batches("results", pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["n_rows", "n_rows"]))


def test_arrow_text_that_is_not_utf8_is_refused() -> None:
    text = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    with pytest.raises(GlueError, match=r"results: .*UTF8"):
        to_batches("results", pa.table({"result_id": text}))


def test_a_large_batch_is_sliced_without_losing_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landing_rows, "_FRAME_BYTES", 1000)
    batches = to_batches("runs", [{"run_id": f"{number:0100d}"} for number in range(100)])
    assert len(batches) > 4
    assert [row["run_id"] for batch in batches for row in batch.to_pylist()] == [
        f"{n:0100d}" for n in range(100)
    ]


def test_text_too_large_for_one_batch_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    real_array = pa.array

    def small_arrays(values: Any, kind: Any = None) -> Any:  # as Arrow does beyond 2 GB, only sooner
        texts = chain.from_iterable(row.values() if isinstance(row, dict) else [row] for row in values)
        if sum(len(text) for text in texts if isinstance(text, str)) > 25:
            return pa.chunked_array([real_array(values, kind)])
        return real_array(values, kind)

    monkeypatch.setattr(pa, "array", small_arrays)
    batches = to_batches("runs", [{"run_id": "0123456789"}] * 5)
    assert [batch.num_rows for batch in batches] == [2, 1, 2]
    with pytest.raises(GlueError, match="runs, row 2: the row holds more than the 2 GB"):
        to_batches("runs", [{"run_id": "a"}, {"run_id": "b" * 26}])


def test_rows_in_one_conversion_are_those_column_by_column() -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    rows: list[dict[str, Any]] = [
        {
            "request_id": "a",
            "n_prompt_tokens": 2**53 + 1,
            "cost_usd": 1,
            "is_permanent": True,
            "responded_at": moment,
        },
        {"request_id": "ß", "cost_usd": 0.1, "response_text": ""},
        {},
    ]
    together = to_batches("responses", rows)
    apart = to_batches("responses", [MappingProxyType(row) for row in rows])  # no dict: column by column
    assert together == apart
    assert together[0].to_pylist()[0]["n_prompt_tokens"] == 2**53 + 1


def test_every_table_takes_a_row_of_nulls_and_no_rows() -> None:
    for table in TABLES:
        assert to_batches(table, [{}])[0].num_rows == 1
        assert to_batches(table, []) == []
        assert pa.ipc.open_stream(to_ipc(table, [])).schema.equals(append_schema(table))


def test_an_ipc_stream_is_checked_by_its_schema() -> None:
    schemas = IpcSchemas()
    good = memoryview(to_ipc("runs", [{"run_id": "a"}])).cast("B")
    for _ in range(2):  # the second time from memory
        schemas.check("runs", good)
    with pytest.raises(GlueError, match="results: field 'result_id' is missing"):
        schemas.check("results", good)
    with pytest.raises(GlueError, match="runs: not an Arrow IPC stream"):
        schemas.check("runs", memoryview(b"nothing of the kind"))
    with pytest.raises(GlueError, match="runs: not an Arrow IPC stream"):
        schemas.check("runs", memoryview(b""))


def test_an_ipc_stream_of_another_type_order_or_column_is_named() -> None:
    expected = append_schema("results")
    wrong_type = expected.set(1, pa.field("n_rows", pa.int32()))
    another_order = pa.schema([expected.field(1), expected.field(0), *list(expected)[2:]])
    another_column = expected.append(pa.field("extra", pa.int64()))
    for schema, problem in [
        (wrong_type, "field 'n_rows' is int32, expected int64"),
        (another_order, "not in the declared order"),
        (another_column, "field 'extra' is unknown"),
    ]:
        stream = memoryview(landing_rows.serialise(schema, [])).cast("B")
        with pytest.raises(GlueError, match=problem):
            IpcSchemas().check("results", stream)
