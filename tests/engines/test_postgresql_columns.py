"""Cells made from whole columns of PostgreSQL are the cells of the values, one by one."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from glue.cells import cell, cells_of_rows, timestamp_cell
from tests.engines.servers import LIVE, Servers

pytestmark = pytest.mark.skipif("postgresql" not in LIVE, reason="PostgreSQL is not at hand")

NUMERICS = [
    "0",
    "0.00",
    "0.000000",
    "-5",
    "5.00",
    "1200.50",
    "0.0001",
    "0.00001",
    "-0.0000001",
    "0.10",
    "123456789012345.6",
    "12345678901234567890",
    "0.1234567890123456789",
    "99999999999999.9",
    "NaN",
    "-0.5",
]
DOUBLES = [0.0, -0.0, 0.1, 5.0, 1e15, 1e16, 1.5e300, 1e-5, 0.0001, -2.5, math.inf, -math.inf, math.nan]


def column(servers: Servers, texts: list[str | None], kind: str) -> list[str | None]:
    """The cells of one column of these values, which come in one fetch."""
    rows = " union all ".join(
        f"select {place}, cast({'null' if text is None else repr(text)} as {kind})"
        for place, text in enumerate(texts)
    )
    session = servers["postgresql"].open()
    session.execute(f"select * from ({rows}) as v (place, value) order by place")
    cells = [row[1] for row in cells_of_rows(session.fetch(16))]
    session.close()
    return cells


@pytest.mark.parametrize("numbers", [NUMERICS, *([number] for number in NUMERICS)])
def test_numerics(numbers: list[str], servers: Servers) -> None:
    assert column(servers, [None, *numbers][:16], "numeric") == [
        None,
        *(cell(Decimal(number)) for number in numbers[:15]),
    ]


@pytest.mark.parametrize("numbers", [DOUBLES, DOUBLES[2:4], [-0.0], [1e15], [math.nan]])
def test_doubles(numbers: list[float], servers: Servers) -> None:
    assert column(servers, [repr(number) for number in numbers], "float8") == list(map(cell, numbers))


@pytest.mark.parametrize("kind", ["numeric", "float8", "date", "timestamp", "timestamptz"])
def test_nothing_but_nulls(kind: str, servers: Servers) -> None:
    assert column(servers, [None, None], kind) == [None, None]


def test_moments(servers: Servers) -> None:
    texts: list[str | None] = ["2024-01-31 00:00:00", "2024-01-31 10:00:00", "infinity"]
    expected = [timestamp_cell(text or "") for text in texts]
    assert column(servers, texts, "timestamp") == expected
    assert column(servers, [*texts, "2024-01-31 10:00:00.50"], "timestamp") == [
        *expected,
        "d:2024-01-31 10:00:00.5",
    ]
    assert column(servers, ["0044-03-15 BC", "0044-03-15 10:00:00.50 BC", "2024-01-31"], "timestamp") == [
        "d:0044-03-15 BC",
        "d:0044-03-15 10:00:00.5 BC",
        "d:2024-01-31",
    ]
    assert column(servers, ["0044-03-15 BC"], "date") == ["d:0044-03-15 BC"]
    assert column(servers, ["2024-01-31", None], "date") == ["d:2024-01-31", None]
    assert column(servers, ["2024-01-31 10:00:00+02"], "timestamptz") == ["d:2024-01-31 08:00:00Z"]


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("text", ["", "a", None, "it"], ["t:", "t:a", None, "t:it"]),
        ("varchar(5)", ["", "", "b"], ["t:", "t:", "t:b"]),
        ("bigint", ["-9223372036854775808", "0", None], ["n:-9223372036854775808", "n:0", None]),
        ("smallint", ["7", "-7"], ["n:7", "n:-7"]),
        ("boolean", ["t", "f", None], ["n:1", "n:0", None]),
        ("char(3)", ["a", None], ["t:a", None]),
        ("int[]", ["{1,null}", None], ['l:["n:1",null]', None]),
    ],
)
def test_texts_numbers_and_what_has_no_column_writer(
    kind: str, texts: list[str | None], expected: list[str | None], servers: Servers
) -> None:
    assert column(servers, texts, kind) == expected


def test_rows_without_columns_are_rows(servers: Servers) -> None:
    session = servers["postgresql"].open()
    assert session.execute("select from (values (1), (2)) as v") == []
    assert cells_of_rows(session.fetch(16)) == [(), ()]
    session.close()
