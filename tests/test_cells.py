"""Canonical cells: equal values are equal texts, different values different ones."""

from __future__ import annotations

import hashlib
import json
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.cells import (
    CellColumns,
    RawText,
    ReadyCell,
    ResultDigest,
    RowCounter,
    cell,
    cells_of_rows,
    interval_cell,
    multiset_signature,
    row_digest,
    rows_json,
    set_signature,
)
from glue.engines.base import TooLarge
from glue.engines.values import check_sizes


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (5, "n:5"),
        (5.0, "n:5"),
        (Decimal("5.00"), "n:5"),
        (True, "n:1"),
        (False, "n:0"),
        (-0.0, "n:0"),
        (Decimal("-0.0"), "n:0"),
        (0.1, "n:0.1"),
        (Decimal("0.10"), "n:0.1"),
        (Decimal("0.1000000000000000000001"), "n:0.1000000000000000000001"),
        (1e-7, "n:1e-07"),
        (Decimal("0.0000001"), "n:1e-07"),
        (1e16, "n:10000000000000000"),
        (1e22, "n:10000000000000000000000"),
        (10**22, "n:10000000000000000000000"),
        (Decimal("1e22"), "n:10000000000000000000000"),
        (Decimal("1e5000"), f"n:1{'0' * 5000}"),
        (Decimal(f"-1{'0' * 5000}.50"), f"n:-1{'0' * 5000}.5"),
        (Decimal(f"0.{'3' * 250}0"), f"n:0.{'3' * 250}"),
        (2.0**70, f"n:{2**70}"),
        (0.1 + 0.2, "n:0.30000000000000004"),
        (-1.5, "n:-1.5"),
        (math.nan, "n:nan"),
        (math.inf, "n:inf"),
        (-math.inf, "n:-inf"),
        ("", "t:"),
        ("名称 😀", "t:名称 😀"),
        ("a\0b", "t:a\0b"),
        (RawText(b"Alb\xe9"), "r:416c62e9"),
        (RawText("Albé".encode()), "t:Albé"),
        (b"\x00\xff", "b:00ff"),
        (bytearray(b"a"), "b:61"),
        (memoryview(b"a"), "b:61"),
        (date(2024, 1, 31), "d:2024-01-31"),
        (date(33, 1, 1), "d:0033-01-01"),
        (datetime(2024, 1, 31), "d:2024-01-31"),
        (datetime(2024, 1, 31, 10), "d:2024-01-31 10:00:00"),
        (datetime(2024, 1, 31, 10, 0, 0, 500_000), "d:2024-01-31 10:00:00.5"),
        (datetime(2024, 1, 31, 0, 0, 0, 10), "d:2024-01-31 00:00:00.00001"),
        (datetime(2024, 1, 31, 10, tzinfo=UTC), "d:2024-01-31 10:00:00Z"),
        (datetime(2024, 1, 31, 1, tzinfo=timezone(timedelta(hours=2))), "d:2024-01-30 23:00:00Z"),
        (time(10), "h:10:00:00"),
        (time(10, 0, 0, 250_000), "h:10:00:00.25"),
        (time(10, tzinfo=timezone(timedelta(hours=2))), "h:10:00:00+02:00"),
        (timedelta(days=1, seconds=2), "i:0m1d2000000us"),
        (interval_cell(1, 2, 3), "i:1m2d3us"),
        (UUID(int=1), "t:00000000-0000-0000-0000-000000000001"),
        ([1, None, "a"], 'l:["n:1",null,"t:a"]'),
        ((1.0, [2]), 'l:["n:1",["n:2"]]'),
        ({"a": 1, "b": {"c": b"\x01"}}, 'l:{"a":"n:1","b":{"c":"b:01"}}'),
        ({1: 2, 3: None}, 'l:[["n:1","n:2"],["n:3",null]]'),
    ],
)
def test_each_kind_of_value_has_its_cell(value: object, expected: str | None) -> None:
    assert cell(value) == expected


def test_the_numbers_that_must_be_told_apart() -> None:
    assert cell(9007199254740993) != cell(9007199254740992.0)
    assert cell(9007199254740992) == cell(9007199254740992.0)
    assert cell(1) == cell(1.0) == cell(True) == cell(Decimal("1.00"))
    assert cell(-0.0) == cell(0) == cell(Decimal("-0"))
    assert cell("1") != cell(1)
    assert cell(b"1") != cell("1")
    assert cell(None) is None
    assert cell("") is not None


def test_an_unknown_type_is_an_error() -> None:
    with pytest.raises(TypeError, match="no canonical cell for a value of type object"):
        cell(object())


def test_a_subclass_is_written_as_its_base() -> None:
    class Whole(int):
        pass

    assert cell(Whole(3)) == "n:3"


def test_ready_cells_become_plain_text() -> None:
    assert type(cell(ReadyCell("i:1m0d0us"))) is str


_NUMBERS = st.one_of(
    st.integers(),
    st.integers(min_value=2**53 - 3, max_value=2**53 + 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.1, 1e22, 1e16, 5e-324, 2.0**53, -0.0, 1.0]),
    st.booleans(),
    st.integers(min_value=-(2**60), max_value=2**60).map(float),
)


@given(_NUMBERS, _NUMBERS)
def test_numbers_are_equal_exactly_when_their_cells_are(first: float, second: float) -> None:
    assert (cell(first) == cell(second)) == (Fraction(first) == Fraction(second))


_DECIMALS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12),
    st.decimals(allow_nan=False, allow_infinity=False, places=25, min_value=-10, max_value=10),
    st.integers(min_value=-(10**38), max_value=10**38).map(Decimal),
)


@given(_DECIMALS, _DECIMALS)
def test_decimals_are_equal_exactly_when_their_cells_are(first: Decimal, second: Decimal) -> None:
    assert (cell(first) == cell(second)) == (first == second)


@given(_DECIMALS, st.floats(allow_nan=False, allow_infinity=False))
def test_a_decimal_equals_the_double_that_prints_like_it(number: Decimal, other: float) -> None:
    is_whole = other.is_integer()
    as_printed = Decimal(int(other)) if is_whole else Decimal(repr(other))
    assert (cell(number) == cell(other)) == (number == as_printed)
    assert cell(as_printed) == cell(other)


_VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.floats(),
    st.text(st.characters(codec="utf-8")),
    st.binary().map(RawText),
    st.binary(),
    st.dates(),
    st.datetimes(),
    st.booleans(),
)


@given(_VALUES, _VALUES)
def test_values_of_different_kinds_never_share_a_cell(first: object, second: object) -> None:
    if cell(first) == cell(second):
        assert _kind(first) == _kind(second)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, RawText):
        try:
            value.decode()
        except UnicodeDecodeError:
            return "raw text"
        return "text"
    for kinds, name in (((bytes,), "bytes"), ((str,), "text"), ((date,), "moment"), ((int, float), "number")):
        if isinstance(value, kinds):
            return name
    raise AssertionError(value)


@given(st.lists(st.tuples(_VALUES, _VALUES, _VALUES), max_size=30))
def test_columns_at_once_give_the_cells_of_each_value(rows: list[tuple[object, ...]]) -> None:
    assert cells_of_rows(rows) == [tuple(map(cell, row)) for row in rows]


@given(st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8"))), min_size=1, max_size=5))
def test_row_json_is_what_duckdb_writes(texts: list[str | None]) -> None:
    _check_against_duckdb(tuple(None if text is None else f"t:{text}" for text in texts))


@given(st.lists(st.tuples(_VALUES, _VALUES), max_size=8))
def test_row_json_is_the_encoder_s(rows: list[tuple[object, object]]) -> None:
    cells = cells_of_rows(rows)
    assert (
        rows_json(cells).decode().lower()
        == json.dumps(cells, ensure_ascii=False, separators=(",", ":"))[1:-1].lower()
    )


def test_control_characters_are_escaped_as_duckdb_does() -> None:
    _check_against_duckdb(tuple(f"t:{chr(number)}" for number in range(1, 0x20)))
    _check_against_duckdb(("t:\0", 't:"', "t:\\", "t:\\u001f", "t:\\\\u001f\x1f", "t:\x7f\u2028/"))


def _check_against_duckdb(row: tuple[str | None, ...]) -> None:
    text, digest = duckdb.execute(
        "select to_json(cells), md5(to_json(cells)) from (select ?::varchar[] as cells)", [list(row)]
    ).fetchall()[0]
    assert rows_json([row]).decode() == text
    assert row_digest(row) == digest
    assert tuple(json.loads(text)) == row


def test_a_result_is_its_columns_count_and_rows_in_order() -> None:
    digest = ResultDigest(2)
    digest.add(rows_json([("n:1", "t:a"), ("n:2", None)]))
    assert digest.result_id() == hashlib.md5(b'2|["n:1","t:a"],["n:2",null]').hexdigest()
    assert digest.result_id(cut_at=1) == hashlib.md5(b'2|["n:1","t:a"],["n:2",null]|cut@1').hexdigest()
    assert ResultDigest(2).result_id() == hashlib.md5(b"2|").hexdigest() != ResultDigest(1).result_id()


@given(st.lists(st.lists(st.tuples(st.integers()), max_size=4), max_size=6))
def test_how_rows_were_chunked_makes_no_difference(chunks: list[list[tuple[int]]]) -> None:
    whole, chunked = ResultDigest(1), ResultDigest(1)
    whole.add(rows_json(cells_of_rows([row for chunk in chunks for row in chunk])))
    for chunk in chunks:
        chunked.add(rows_json(cells_of_rows(chunk)))
    assert whole.result_id() == chunked.result_id()


def test_signatures_forget_order_and_the_second_counts() -> None:
    rows = [("n:2",), ("n:1",), ("n:2",)]
    counter = RowCounter(max_distinct=10)
    counter.add(rows)
    one, two = row_digest(("n:1",)), row_digest(("n:2",))
    text = "".join(f"{digest}:{n}," for digest, n in sorted([(one, 1), (two, 2)]))
    assert counter.signatures() == (hashlib.md5(text.encode()).hexdigest(), set_signature([two, one, one]))
    assert multiset_signature({one: 1, two: 1}) == set_signature([one, two])


def test_signatures_end_where_memory_would() -> None:
    counter = RowCounter(max_distinct=2)
    counter.add([("n:1",), ("n:2",), ("n:1",)])
    assert counter.signatures() != (None, None)
    counter.add([("n:3",)])
    assert counter.signatures() == (None, None)
    counter.add([("n:3",)])
    assert counter.signatures() == (None, None)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=None) | st.decimals(-1000, 1000, places=6))
def test_digits_tell_a_decimal_s_cell_or_nothing(value: Decimal) -> None:
    """Where they tell, it is the cell by way of the double."""
    from glue.cells import _any_decimal, plain_number_cell

    assert plain_number_cell(str(value)) in (None, _any_decimal(value))


def test_columns_of_cells_are_rows_of_ready_cells() -> None:
    columns = CellColumns([["n:1", None, "n:3"], ["t:a", "t:", "t:n:1"]])
    rows = [("n:1", "t:a"), (None, "t:"), ("n:3", "t:n:1")]
    assert cells_of_rows(columns) == rows
    assert cells_of_rows(list(columns)) == rows
    assert cells_of_rows(columns[1:]) == rows[1:]
    assert len(columns) == 3


@pytest.mark.parametrize(
    "value", ["é" * 10, b"0123456789", ReadyCell("t:0123456789"), ReadyCell("b:" + "00" * 10)]
)
def test_a_value_is_as_long_whether_it_is_a_cell_already_or_not(value: str | bytes) -> None:
    check_sizes([(None, value)], 10)
    with pytest.raises(TooLarge):
        check_sizes([(None, value)], 9)
