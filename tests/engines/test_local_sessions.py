"""Sessions of oracle-local and mssql-local, whatever the dialect: a made-up one stands in for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from glue.cells import Cells, cells_of_rows
from glue.dialects.pinned import DEFAULT_NOW, Pinned, read_pinned, write_pinned
from glue.engines.base import Failure, Limits, Session, engine_named
from glue.engines.oracle_local import number
from tests.engines.local_stand_in import StandIn
from tests.execution_helpers import duckdb_database, sha256

SCRIPT = "create table t as select range as i from range(10)"
DIALECTS = {"oracle-local": "oracle", "mssql-local": "tsql"}

Opened = Callable[[str], Session]


@pytest.fixture(params=list(DIALECTS))
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stand_in(engine: str, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    module = StandIn(DIALECTS[engine])
    monkeypatch.setitem(sys.modules, f"glue.dialects.{DIALECTS[engine]}", module)
    return module


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return duckdb_database(tmp_path / "t.duckdb", SCRIPT)


@pytest.fixture
def session(engine: str, stand_in: StandIn, path: Path) -> Iterator[Session]:
    opened = engine_named(engine).open(path, Limits(1 << 29))
    yield opened
    opened.close()


def answer(session: Session, sql: str) -> tuple[list[str], list[Cells]]:
    names = session.execute(sql)
    rows: list[Cells] = []
    while fetched := session.fetch(3):
        rows += cells_of_rows(fetched)
    session.finish()
    return names, rows


def failure_of(session: Session, sql: str) -> Failure:
    with pytest.raises(Exception) as caught:
        answer(session, sql)
    failure = session.failure(caught.value)
    session.finish()
    return failure


def test_a_statement_is_translated_and_its_rows_are_streamed(session: Session) -> None:
    names, rows = answer(session, "select i, i * 2 as twice from t order by i")
    assert names == ["I", "TWICE"]
    assert rows[:2] == [("n:0", "n:0"), ("n:1", "n:2")]
    assert len(rows) == 10


def test_a_statement_cut_short_does_not_disturb_the_next(session: Session) -> None:
    session.execute("select a.i from t as a, t as b, t as c")
    assert len(session.fetch(2)) == 2
    session.finish()
    assert answer(session, "select count(*) as n from t") == (["N"], [("n:10",)])


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("", ("refused", "empty")),
        ("-- nothing", ("refused", "empty")),
        ("select 1; select 2", ("refused", "multiple_statements")),
        ("drop table t", ("refused", "not_a_read")),
        ("insert into t values (1)", ("refused", "not_a_read")),
        ("begin", ("refused", "not_a_read")),
        ("with a as (select 1) delete from t", ("refused", "not_a_read")),
        ("explain select 1", ("refused", "not_a_read")),
        ("values (1)", ("failed", "syntax")),
        ("Here is the query: select 1", ("failed", "syntax")),
        ("select * from nobody", ("failed", "unknown_table")),
        ("select deep", ("failed", "too_complex")),
        (f"select '{'x' * 1_000_001}'", ("failed", "too_complex")),
        ("select unsupported", ("unsupported", "unsupported")),
        ("select mistaken", ("unsupported", "unsupported")),
        ("select writing", ("unsupported", "unsupported")),
        ("select nameless", ("unsupported", "unsupported")),
        ("select cast('x' as integer) as a", ("unsupported", "unsupported")),
    ],
)
def test_what_is_no_answer_says_why(
    session: Session, path: Path, sql: str, expected: tuple[str, str]
) -> None:
    before = sha256(path)
    failure = failure_of(session, sql)
    assert (failure.outcome, failure.error_class) == expected
    assert failure.error_message
    assert sha256(path) == before
    assert answer(session, "select count(*) as n from t") == (["N"], [("n:10",)])


def test_what_takes_too_long_is_no_fault_of_the_translation(session: Session) -> None:
    failure = session.failure(duckdb.InterruptException("Interrupt Error: interrupted"))
    assert (failure.outcome, failure.error_class) == ("timed_out", "interrupted")
    failure = session.failure(duckdb.OutOfMemoryException("Out of Memory Error: no"))
    assert (failure.outcome, failure.error_class, failure.is_memory_short) == ("failed", "resource", True)


@pytest.mark.parametrize("engine", ["oracle-local"])
def test_oracles_codes_have_the_live_engines_classes(session: Session) -> None:
    for sql, error_class in (
        ("select refused", "unknown_column"),
        ("select refused_call(1)", "unknown_function"),
    ):
        failure = failure_of(session, sql)
        assert (failure.outcome, failure.error_class, failure.error_code) == (
            "failed",
            error_class,
            "ORA-00904",
        )
        assert failure.error_message.startswith('ORA-00904: "REFUSED')


@pytest.mark.parametrize("engine", ["mssql-local"])
def test_sql_servers_numbers_have_the_live_engines_classes(session: Session) -> None:
    failure = failure_of(session, "select refused102")
    assert (failure.outcome, failure.error_class, failure.error_code) == ("failed", "syntax", "102")
    assert failure_of(session, "select 1 drop table t").error_class == "multiple_statements"


def test_the_clock_stands_still(engine: str, stand_in: StandIn, path: Path) -> None:
    session = engine_named(engine).open(path, Limits(1 << 29))
    assert answer(session, "select stand_in_now() as a")[1] == [("d:2025-01-15 10:30:00",)]
    assert (stand_in.now, stand_in.version) == (DEFAULT_NOW, StandIn.DEFAULT_VERSION)
    session.close()


def test_a_database_says_what_time_it_is_and_which_version(
    engine: str, stand_in: StandIn, path: Path
) -> None:
    pinned = Pinned(datetime(2024, 2, 29, 23, 59, 58), 12)
    with duckdb.connect(str(path)) as connection:
        assert read_pinned(connection) == Pinned()
        write_pinned(connection, pinned)
        write_pinned(connection, pinned)
        assert read_pinned(connection) == pinned
    engine_named(engine).open(path, Limits(1 << 29)).close()
    assert (stand_in.now, stand_in.version) == (pinned.now, 12)


def test_unions_are_not_offered(engine: str) -> None:
    with pytest.raises(TypeError):
        engine_named(engine).open_union([], Limits(1 << 29))


@pytest.mark.parametrize("engine", ["oracle-local"])
def test_a_quotient_has_fifteen_digits_and_a_whole_number_all_of_its_own(session: Session) -> None:
    sql = (
        "select 0.1::double + 0.2::double as a, 2::double / 3 as b, 1152921504606846976::double as c,"
        " null::double as d, 1.25::decimal(9, 2) as e, timestamp '2024-01-31 00:00:00' as f, 0.1::float as g"
    )
    expected = (
        "n:0.3",
        "n:0.666666666666667",
        "n:1152921504606846976",
        None,
        "n:1.25",
        "d:2024-01-31",
        "n:0.1",
    )
    assert answer(session, sql)[1] == [expected]
    session.execute("select 2::double / 3 as b, interval 1 day as a")
    assert cells_of_rows(session.fetch(2)) == [("n:0.666666666666667", "i:0m1d0us")]


def test_numbers_that_are_none_stay() -> None:
    assert number(None) is None
    assert number(float("inf")) == float("inf")
    assert Decimal(repr(number(1e-130 / 3))) == Decimal("3.33333333333333e-131")
