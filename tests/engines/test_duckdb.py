"""What only DuckDB does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from glue.cells import cells_of_rows
from glue.engines.base import Limits, Session, engine_named
from glue.engines.duckdb import configuration
from tests.execution_helpers import duckdb_database


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = duckdb_database(tmp_path / "t.duckdb", "create table t as select 1 as a; create sequence numbers")
    session = engine_named("duckdb").open(path, Limits(1 << 29))
    yield session
    session.close()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1::hugeint << 100", f"n:{2**100}"),
        ("12.50::decimal(9, 2)", "n:12.5"),
        ("1.00::decimal(9, 2)", "n:1"),
        ("6.9::double", "n:6.9"),
        ("123456789012345678901234567890::bignum", "n:123456789012345678901234567890"),
        ("'nan'::double", "n:nan"),
        ("true", "n:1"),
        ("'\\x00\\xFF'::blob", "b:00ff"),
        ("uuid '00000000-0000-0000-0000-000000000001'", "t:00000000-0000-0000-0000-000000000001"),
        ("'x'::enum('x', 'y')", "t:x"),
        ("date '2024-01-31'", "d:2024-01-31"),
        ("timestamp '2024-01-31 00:00:00'", "d:2024-01-31"),
        ("timestamp '2024-01-31 10:00:00.5'", "d:2024-01-31 10:00:00.5"),
        ("timestamptz '2024-01-31 10:00:00+02'", "d:2024-01-31 08:00:00Z"),
        ("timestamp_ns '2024-01-31 10:00:00.123456789'", "d:2024-01-31 10:00:00.123456789"),
        ("timestamp_ns '1969-12-31 23:59:59.9'", "d:1969-12-31 23:59:59.9"),
        ("date '290000-01-01'", "d:290000-01-01"),
        ("time '10:00:00.5'", "h:10:00:00.5"),
        ("time_ns '10:00:00.123456789'", "h:10:00:00.123456789"),
        ("interval '1 month 3 days 4 hours'", "i:1m3d14400000000us"),
        ("timestamp '2024-01-03' - timestamp '2024-01-01'", "i:0m2d0us"),
        ("[1, null]", 'l:["n:1",null]'),
        ("{'a': 1, 'b': 'x'}", 'l:{"a":"n:1","b":"t:x"}'),
        ("map {1: 'x'}", 'l:[["n:1","t:x"]]'),
        ("[interval 1 day]", 'l:["i:0m1d0us"]'),
    ],
)
def test_each_type_has_its_cell(session: Session, expression: str, expected: str) -> None:
    session.execute(f"select {expression}")
    assert cells_of_rows(session.fetch(10)) == [(expected,)]
    assert not session.fetch(10)


def test_a_month_is_not_thirty_days(session: Session) -> None:
    session.execute("select interval 1 month, interval 30 days")
    ((month, days),) = cells_of_rows(session.fetch(1))
    assert month != days


def test_intervals_are_streamed_in_chunks(session: Session) -> None:
    session.execute("select range, interval 1 day from range(3000000000)")
    assert len(session.fetch(1500)) == 1500
    assert session.fetch(1)[0][0] == 1500
    session.finish()
    session.execute("select 1")
    assert session.fetch(1) == [(1,)]


@pytest.mark.parametrize(
    "sql",
    [
        "select nextval('numbers')",
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/hostname')",
        "select * from glob('/*')",
        "select * from duckdb_secrets()",
        "select * from enable_logging()",
        "select * from enable_profiling(save_location := '/tmp/p.json')",
    ],
)
def test_forbidden_functions(session: Session, sql: str) -> None:
    with pytest.raises(duckdb.Error) as caught:
        session.execute(sql)
    failure = session.failure(caught.value)
    assert (failure.outcome, failure.error_class) == ("refused", "forbidden"), failure


def test_no_variable_of_python_can_be_read(session: Session) -> None:
    secrets = {"a": [1]}
    assert secrets
    for sql in ("select * from secrets", "select * from configuration"):
        with pytest.raises(duckdb.CatalogException):
            session.execute(sql)


@pytest.mark.parametrize(
    "kind", ["read_text('/etc/hostname')", "'/etc/hostname'", "'https://example.org/x.csv'"]
)
def test_no_file_can_be_read(session: Session, kind: str) -> None:
    with pytest.raises(duckdb.Error):
        session.execute(f"select * from {kind}")


def test_the_configuration_is_as_designed() -> None:
    settings = configuration(Limits(4_000_000_000))
    assert settings["memory_limit"] == "3000000000B"
    assert {
        settings[name] for name in settings if name.startswith(("auto", "allow", "python", "enable"))
    } == {"false"}
    assert settings["temp_directory"] == ""
    assert settings["threads"] == "1"
    assert list(settings)[-1] == "lock_configuration"
