"""SQL Server's scripts make local databases: what needs no translator."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from glue.dialects.loading import LoadReport, load_script, load_statements
from glue.dialects.local import LocalSession
from tests.dialects import plain_dialect


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalSession]:
    plain_dialect.use_as(monkeypatch, "tsql")
    with duckdb.connect() as connection:
        yield LocalSession(connection, "tsql", now=datetime(2024, 6, 15))


def rows(session: LocalSession, sql: str) -> list[tuple[Any, ...]]:
    return session.connection.execute(sql).fetchall()


def codes(report: LoadReport) -> list[tuple[int, str | None]]:
    return [(failure.line, failure.code) for failure in report.failures]


def test_names_are_kept_as_written_and_types_as_declared(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE [dbo].[Order Details] ([Order ID] int NOT NULL, Qty smallint, Price money,"
            " Sent datetime2(3), Note nvarchar(max), Flag bit, Part decimal(9,3), Kind char(4), T time)",
            "create table DBO.B (a tinyint, b bigint, c real, d float(53), e date, f uniqueidentifier,"
            " g text)",
        ],
    )
    assert not report.failures
    assert rows(session, "select table_name, comment from duckdb_tables() order by 1 desc") == [
        ("Order Details", 'tsql "Order Details"'),
        ("B", 'tsql "B"'),
    ]
    columns = rows(
        session,
        "select comment, data_type from duckdb_columns() where comment <> ''"
        " order by table_name desc, column_index",
    )
    assert columns == [
        ('"Order ID" INT', "INTEGER"),
        ('"Qty" SMALLINT', "SMALLINT"),
        ('"Price" MONEY', "DECIMAL(19,4)"),
        ('"Sent" DATETIME2(3)', "TIMESTAMP"),
        ('"Note" NVARCHAR(MAX)', "VARCHAR"),
        ('"Flag" BIT', "UTINYINT"),
        ('"Part" DECIMAL(9,3)', "DECIMAL(9,3)"),
        ('"Kind" CHAR(4)', "VARCHAR"),
        ('"T" TIME', "TIME"),
        ('"a" TINYINT', "UTINYINT"),
        ('"b" BIGINT', "BIGINT"),
        ('"c" REAL', "FLOAT"),
        ('"d" FLOAT(53)', "DOUBLE"),
        ('"e" DATE', "DATE"),
        ('"f" UNIQUEIDENTIFIER', "VARCHAR"),
        ('"g" TEXT', "VARCHAR"),
    ]


@pytest.mark.parametrize(
    ("declared", "written", "stored"),
    [
        ("INT", "2.9", 2),
        ("INT", "-2.9", -2),
        ("INT", "' 12 '", 12),
        ("NUMERIC(4,1)", "2.25", Decimal("2.3")),
        ("DECIMAL(5)", "-0.5", Decimal(-1)),
        ("MONEY", "$12.34", Decimal("12.3400")),
        ("FLOAT", "1e3", 1000.0),
        ("BIT", "7", 1),
        ("BIT", "'False'", 0),
        ("VARCHAR(3)", "'abc  '", "abc"),
        ("VARCHAR(3)", "''", ""),
        ("NVARCHAR(3)", "N'ä''o'", "ä'o"),
        ("VARCHAR(5)", "12.50", "12.50"),
        ("CHAR(3)", "'a'", "a  "),
        ("CHAR", "'a'", "a"),
        ("DATE", "'2024-01-31'", date(2024, 1, 31)),
        ("DATE", "'20240131'", date(2024, 1, 31)),
        ("DATETIME", "'2024-01-31T23:59:59.999'", datetime(2024, 2, 1)),
        ("DATETIME", "'2024-01-31 10:30:00.004'", datetime(2024, 1, 31, 10, 30, 0, 3000)),
        ("DATETIME2(0)", "'2024-01-31T10:30:00.5'", datetime(2024, 1, 31, 10, 30, 1)),
        ("DATETIME2", "'2024-01-31T10:30:00.1234560'", datetime(2024, 1, 31, 10, 30, 0, 123456)),
        ("SMALLDATETIME", "'2024-01-31 10:30:30'", datetime(2024, 1, 31, 10, 31)),
        ("TIME", "'10:30'", time(10, 30)),
        ("VARBINARY(4)", "0x0AFF", b"\x0a\xff"),
        (
            "UNIQUEIDENTIFIER",
            "'6f9619ff-8b86-d011-b42d-00c04fc964ff'",
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        ("INT DEFAULT (5)", "DEFAULT", 5),
        ("INT", "NULL", None),
    ],
)
def test_values_are_those_of_the_dialect(
    session: LocalSession, declared: str, written: str, stored: object
) -> None:
    report = load_statements(session, [f"CREATE TABLE t (x {declared})", f"INSERT t VALUES ({written})"])
    assert not report.failures and rows(session, "from t") == [(stored,)]


@pytest.mark.parametrize(
    ("declared", "written", "code"),
    [
        ("INT", "3000000000", "8115"),
        ("TINYINT", "256", "220"),
        ("SMALLINT", "-40000", "220"),
        ("INT", "'x'", "245"),
        ("INT", "'2.5'", "245"),
        ("NUMERIC(4,1)", "999.95", "8115"),
        ("NUMERIC(4,1)", "'x'", "8114"),
        ("VARCHAR(3)", "'abcd'", "2628"),
        ("VARCHAR(3)", "1234", "8115"),
        ("DATE", "'2024-02-30'", "241"),
        ("DATETIME", "'2024-02-30'", "242"),
        ("DATE", "5", "206"),
        ("DATE", "'1/2/2024'", None),
        ("BIT", "'yes'", "245"),
        ("UNIQUEIDENTIFIER", "'x'", "8169"),
        ("XML", "'x'", None),
        ("INT", "MISSING", "207"),
        ("INT", "ODD", None),
        ("INT NOT NULL", "NULL", "515"),
        ("INT CHECK (x > 0)", "-1", "547"),
        ("INT", "1, 2", "213"),
    ],
)
def test_what_a_column_cannot_hold_is_refused(
    session: LocalSession, declared: str, written: str, code: str | None
) -> None:
    report = load_statements(session, [f"CREATE TABLE t (x {declared})", f"INSERT t VALUES ({written})"])
    assert report.failures[0].code == code


def test_a_script_with_batches(session: LocalSession, tmp_path: Path) -> None:
    script = """
        SET NOCOUNT ON
        USE shop
        GO
        CREATE TABLE a (id INT IDENTITY(10, 5) PRIMARY KEY CLUSTERED, v VARCHAR(5) NULL)
        CREATE TABLE b (id INT CONSTRAINT pk PRIMARY KEY, a INT, n INT CONSTRAINT df DEFAULT 3)
        ALTER TABLE b WITH CHECK ADD CONSTRAINT fk FOREIGN KEY (a) REFERENCES dbo.a (id)
        ALTER TABLE b CHECK CONSTRAINT fk
        ALTER TABLE b ADD CONSTRAINT d DEFAULT (7) FOR a
        CREATE INDEX i ON b (a)
        GO
        INSERT INTO a VALUES ('x'), ('y')
        INSERT INTO a (v) SELECT 'z'
        INSERT INTO A DEFAULT VALUES
        INSERT INTO b (id, a) VALUES (1, 10)
        INSERT INTO b (id, a) VALUES (2, 11)
        INSERT INTO b (id, a) VALUES (1, 15)
        INSERT INTO b (id, n) VALUES (1)
        INSERT INTO b (id) VALUES (1, 2)
        DELETE FROM b
        GO
    """
    (tmp_path / "s.sql").write_text(script)
    report = load_script(session, tmp_path / "s.sql")
    assert codes(report) == [(16, "547"), (17, "2627"), (18, "109"), (19, "110"), (20, None)]
    assert rows(session, "from a") == [(10, "x"), (15, "y"), (20, "z"), (25, None)]
    assert rows(session, "from b") == [(1, 10, 3)]
    assert report.n_skipped == {"SET": 1, "USE": 1, "CREATE INDEX": 1}
    assert report.not_kept == []
