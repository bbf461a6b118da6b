"""Moments of Transact-SQL by the rules of its reference: styles, parts, boundaries, and types less exact."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time

import duckdb
import pytest

from glue.dialects.errors import UnsupportedError
from glue.dialects.local import LocalSession
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_moments import moment_of


@pytest.fixture(scope="module")
def server() -> Iterator[LocalSession]:
    with duckdb.connect() as connection:
        yield LocalSession(connection, "tsql", now=datetime(2024, 3, 15, 10, 30))


def answer(server: LocalSession, expression: str) -> object:
    return server.query(f"SELECT {expression}")[1][0][0]


MOMENTS: list[tuple[str, object]] = [
    ("CAST(0.5 AS VARCHAR(10))", "0.5"),
    ("CONCAT(-0.5,'')", "-0.5"),
    ("CAST(CAST(-0.5 AS DECIMAL(38,38)) AS VARCHAR(50))", "-0.50000000000000000000000000000000000000"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),0)", "Mar 15 2024 10:30AM"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),1)", "03/15/24"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),9)", "Mar 15 2024 10:30:45:123AM"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),13)", "15 Mar 2024 10:30:45:123"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),20)", "2024-03-15 10:30:45"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),21)", "2024-03-15 10:30:45.123"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),106)", "15 Mar 2024"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),107)", "Mar 15, 2024"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),108)", "10:30:45"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),110)", "03-15-2024"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),111)", "2024/03/15"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),114)", "10:30:45:123"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),126)", "2024-03-15T10:30:45.123"),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.123' AS DATETIME),12)", "240315"),
    (
        "CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.1234560' AS DATETIME2),121)",
        "2024-03-15 10:30:45.1234560",
    ),
    ("CONVERT(VARCHAR(30),CAST('2024-03-15T10:30:45.1234560' AS DATETIME2),120)", "2024-03-15 10:30:45"),
    ("CAST(CAST('2024-03-15T10:30:45.1234560' AS DATETIME2) AS VARCHAR(30))", "2024-03-15 10:30:45.1234560"),
    ("CAST(CAST('2024-03-15T10:30:45.1234560' AS DATETIME2) AS VARCHAR(10))", "2024-03-15"),
    (
        "CAST(CAST(CAST('2024-03-15T10:30:45.1234560' AS DATETIME2) AS DATETIME2(0)) AS VARCHAR(30))",
        "2024-03-15 10:30:45",
    ),
    (
        "CAST(CAST(CAST('2024-03-15T10:30:45.1234560' AS DATETIME2) AS DATETIME2(3)) AS VARCHAR(30))",
        "2024-03-15 10:30:45.123",
    ),
    ("CAST(CAST('10:30:45' AS TIME) AS VARCHAR(20))", "10:30:45.0000000"),
    ("CAST(CAST(CAST('10:30:45' AS TIME) AS TIME(0)) AS VARCHAR(20))", "10:30:45"),
    ("CONVERT(VARCHAR(8),CAST('10:30:45' AS TIME),108)", "10:30:45"),
    ("CONVERT(VARCHAR(20),CAST('10:30:45' AS TIME),100)", "10:30AM"),
    ("CAST(CAST('2024-03-15' AS DATE) AS DATETIME)", datetime(2024, 3, 15)),
    ("CAST(CAST('2024-03-15T10:30:45.123' AS DATETIME) AS DATE)", date(2024, 3, 15)),
    ("CAST(CAST('2024-03-15T10:30:45.123' AS DATETIME) AS SMALLDATETIME)", datetime(2024, 3, 15, 10, 31)),
    ("CAST(CAST('2024-03-15T10:30:45.123' AS DATETIME) AS INT)", 45364),
    ("CAST(CAST('2024-03-15T10:30:45.123' AS DATETIME) AS FLOAT)", 45364.438022256945),
    ("CAST(45364 AS DATETIME)", datetime(2024, 3, 15)),
    ("CAST(0.5 AS DATETIME)", datetime(1900, 1, 1, 12)),
    ("DATEADD(day,1,CAST('2024-03-15' AS DATE))", date(2024, 3, 16)),
    ("DATEADD(dd,-15,CAST('2024-03-15' AS DATE))", date(2024, 2, 29)),
    ("DATEADD(mm,11,CAST('2024-03-15' AS DATE))", date(2025, 2, 15)),
    ("DATEADD(month,1,'2024-01-31')", datetime(2024, 2, 29)),
    (
        "DATEADD(hour,14,CAST('2024-03-15T10:30:45.123' AS DATETIME))",
        datetime(2024, 3, 16, 0, 30, 45, 123000),
    ),
    ("DATEADD(minute,30,CAST('10:30:45' AS TIME))", time(11, 0, 45)),
    ("DATEADD(ms,1,CAST('2024-03-15T10:30:45.123' AS DATETIME))", datetime(2024, 3, 15, 10, 30, 45, 123000)),
    ("DATEADD(ms,2,CAST('2024-03-15T10:30:45.123' AS DATETIME))", datetime(2024, 3, 15, 10, 30, 45, 127000)),
    ("DATEADD(year,1,'2024-02-29')", datetime(2025, 2, 28)),
    ("DATEADD(day,NULL,GETDATE())", None),
    ("DATEADD(week,2,CAST('2024-03-15' AS DATE))", date(2024, 3, 29)),
    ("DATEADD(weekday,2,CAST('2024-03-15' AS DATE))", date(2024, 3, 17)),
    ("DATEDIFF(day,'2024-01-01','2024-12-31')", 365),
    ("DATEDIFF(month,'2024-12-31','2025-01-01')", 1),
    ("DATEDIFF(year,'2024-12-31','2025-01-01')", 1),
    ("DATEDIFF(hour,'2024-01-01T10:59:59','2024-01-01T11:00:00')", 1),
    ("DATEDIFF(minute,'10:00','11:30')", 90),
    ("DATEDIFF(second,'2024-01-01','2024-01-02')", 86400),
    ("DATEDIFF_BIG(second,'1900-01-01','2024-01-01')", 3913056000),
    ("DATEDIFF(week,'2024-03-16','2024-03-18')", 1),
    ("DATEDIFF(week,'2024-03-17','2024-03-23')", 0),
    ("DATEDIFF(quarter,'2024-01-01','2024-12-31')", 3),
    ("DATEDIFF(day,0,'1900-01-02')", 1),
    ("DATEDIFF(day,NULL,'1900-01-02')", None),
    ("DATEDIFF(dw,'2024-03-16','2024-03-18')", 2),
    ("DATEDIFF(year,'1899-12-31','1900-01-01')", 1),
    ("DATEDIFF(week,'1899-12-30','1900-01-01')", 1),
    ("DATEPART(year,CAST('2024-03-15' AS DATE))", 2024),
    ("DATEPART(qq,CAST('2024-03-15' AS DATE))", 1),
    ("DATEPART(dy,CAST('2024-03-15' AS DATE))", 75),
    ("DATEPART(wk,CAST('2024-03-15' AS DATE))", 11),
    ("DATEPART(dw,CAST('2024-03-15' AS DATE))", 6),
    ("DATEPART(isowk,CAST('2024-03-15' AS DATE))", 11),
    ("DATEPART(hh,CAST('2024-03-15T10:30:45.123' AS DATETIME))", 10),
    ("DATEPART(ms,CAST('2024-03-15T10:30:45.123' AS DATETIME))", 123),
    ("DATEPART(mcs,CAST('2024-03-15T10:30:45.1234560' AS DATETIME2))", 123456),
    ("DATEPART(ns,CAST('2024-03-15T10:30:45.1234560' AS DATETIME2))", 123456000),
    ("DATEPART(hour,'10:30')", 10),
    ("DATEPART(year,0)", 1900),
    ("DATENAME(month,CAST('2024-03-15' AS DATE))", "March"),
    ("DATENAME(dw,CAST('2024-03-15' AS DATE))", "Friday"),
    ("DATENAME(dd,CAST('2024-03-15' AS DATE))", "15"),
    ("DATENAME(hh,CAST('2024-03-15T10:30:45.123' AS DATETIME))", "10"),
    ("EOMONTH('2024-02-10')", date(2024, 2, 29)),
    ("EOMONTH('2024-01-31',1)", date(2024, 2, 29)),
    ("EOMONTH('2024-01-31',-13)", date(2022, 12, 31)),
    ("EOMONTH(NULL)", None),
    ("DATEFROMPARTS(2024,12,31)", date(2024, 12, 31)),
    ("DATETIMEFROMPARTS(2024,3,15,10,30,45,123)", datetime(2024, 3, 15, 10, 30, 45, 123000)),
    ("DATETIME2FROMPARTS(2024,3,15,10,30,45,5,1)", datetime(2024, 3, 15, 10, 30, 45, 500000)),
    ("TIMEFROMPARTS(10,30,45,0,0)", time(10, 30, 45)),
    ("SMALLDATETIMEFROMPARTS(2024,3,15,10,30)", datetime(2024, 3, 15, 10, 30)),
    ("DATETRUNC(month,CAST('2024-03-15' AS DATE))", date(2024, 3, 1)),
    ("DATETRUNC(year,CAST('2024-03-15T10:30:45.123' AS DATETIME))", datetime(2024, 1, 1)),
    ("DATETRUNC(day,CAST('2024-03-15T10:30:45.1234560' AS DATETIME2))", datetime(2024, 3, 15)),
    ("DATETRUNC(week,CAST('2024-03-15' AS DATE))", date(2024, 3, 10)),
    ("DATETRUNC(minute,'2024-03-15T10:30:45')", datetime(2024, 3, 15, 10, 30)),
    ("ISDATE('2024-03-15')", 1),
    ("ISDATE('2024-02-30')", 0),
    ("ISDATE('abc')", 0),
    ("ISDATE('')", 0),
    ("GETDATE()", datetime(2024, 3, 15, 10, 30)),
    ("CURRENT_TIMESTAMP", datetime(2024, 3, 15, 10, 30)),
    ("SYSDATETIME()", datetime(2024, 3, 15, 10, 30)),
    ("CAST(GETDATE() AS DATE)", date(2024, 3, 15)),
    ("YEAR(GETDATE())", 2024),
    ("DAY('2024-03-05')", 5),
    ("MONTH(0)", 1),
    ("CAST('2024-03-15T10:30:45.123' AS DATETIME)+1", datetime(2024, 3, 16, 10, 30, 45, 123000)),
    (
        "CAST('2024-03-15T10:30:45.123' AS DATETIME)-CAST('2024-03-15T10:30:45.123' AS DATETIME)",
        datetime(1900, 1, 1),
    ),
    ("1+CAST('2024-03-15T10:30:45.123' AS DATETIME)", datetime(2024, 3, 16, 10, 30, 45, 123000)),
    ("CAST('2024-03-15T10:30:45.123' AS DATETIME)-'2024-03-15'", datetime(1900, 1, 1, 10, 30, 45, 123000)),
    (
        "CAST(CAST('2024-03-15' AS DATE) AS DATETIME)+CAST(CAST('10:30:45' AS TIME) AS DATETIME)",
        datetime(2024, 3, 15, 10, 30, 45),
    ),
    ("IIF(CAST('2024-03-15' AS DATE)='2024-03-15',1,0)", 1),
    ("IIF(CAST('2024-03-15' AS DATE)=CAST('2024-03-15T10:30:45.123' AS DATETIME),1,0)", 0),
    ("IIF(CAST('2024-03-15T10:30:45.123' AS DATETIME)>CAST('2024-03-15' AS DATE),1,0)", 1),
    ("IIF(CAST('2024-03-15T10:30:45.123' AS DATETIME)>1,1,0)", 1),
    ("IIF(CAST('2024-03-15' AS DATE)='15 March 2024',1,0)", 1),
    ("IIF(CAST('2024-03-15' AS DATE)='20240315',1,0)", 1),
    ("IIF(CAST('10:30:45' AS TIME)>'10:00',1,0)", 1),
    ("CONVERT(DATE,'15/03/2024',103)", date(2024, 3, 15)),
    ("CONVERT(DATE,'15.03.2024',104)", date(2024, 3, 15)),
    ("CONVERT(DATETIME,'2024-03-15 10:30',120)", datetime(2024, 3, 15, 10, 30)),
    ("CONVERT(DATE,'20240315',112)", date(2024, 3, 15)),
    ("CONVERT(DATE,'Mar 15 2024')", date(2024, 3, 15)),
    ("CAST('10:30 PM' AS TIME)", time(22, 30)),
    ("CAST('12:00 AM' AS TIME)", time(0)),
    ("CAST('2024-03-15 10:30:00.5' AS DATETIME)", datetime(2024, 3, 15, 10, 30, 0, 500000)),
    ("CAST('1752-12-31' AS DATE)", date(1752, 12, 31)),
    ("CAST('2024-3-5' AS DATE)", date(2024, 3, 5)),
    ("CAST('3/5/24' AS DATE)", date(2024, 3, 5)),
    ("CAST('2024' AS DATE)", date(2024, 1, 1)),
    ("FORMAT(GETDATE(),'yyyy-MM-dd HH:mm')", "2024-03-15 10:30"),
    ("FORMAT(GETDATE(),'hh:mm tt')", "10:30 AM"),
    ("PARSE('Friday, 15 March 2024' AS DATETIME2 USING 'en-US')", datetime(2024, 3, 15)),
    ("PARSE('3/15/2024' AS DATE)", date(2024, 3, 15)),
    ("TRY_PARSE('15/3/2024' AS DATE USING 'en-US')", None),
    ("COALESCE(NULL,GETDATE(),0)", datetime(2024, 3, 15, 10, 30)),
    ("CONVERT(VARCHAR(7),CAST('2024-03-15' AS DATE),126)", "2024-03"),
    ("CONVERT(CHAR(8),CAST('2024-03-15' AS DATE),112)+'x'", "20240315x"),
    ("CONVERT(NVARCHAR(20),CAST('2024-03-15' AS DATE),101)", "03/15/2024"),
]


@pytest.mark.parametrize(("expression", "expected"), MOMENTS)
def test_moments(server: LocalSession, expression: str, expected: object) -> None:
    found = answer(server, expression)
    assert found == (pytest.approx(expected) if isinstance(expected, float) else expected)


READ: list[tuple[str, str, int, datetime]] = [
    ("", "date", 0, datetime(1900, 1, 1)),
    ("03/04/2024", "date", 0, datetime(2024, 3, 4)),
    ("03/04/2024", "date", 103, datetime(2024, 4, 3)),
    ("4 Mar 2024 13:05", "datetime2", 0, datetime(2024, 3, 4, 13, 5)),
    ("March 4, 2024", "date", 0, datetime(2024, 3, 4)),
    ("Mar 2024", "date", 0, datetime(2024, 3, 1)),
    ("240304", "date", 0, datetime(2024, 3, 4)),
    ("12/31/49", "date", 0, datetime(2049, 12, 31)),
    ("12/31/50", "date", 0, datetime(1950, 12, 31)),
    ("24.03.15", "date", 2, datetime(2024, 3, 15)),
    ("2 PM", "time", 0, datetime(1900, 1, 1, 14)),
    ("12:30 AM", "time", 0, datetime(1900, 1, 1, 0, 30)),
    ("2024-03-15T23:59:59.999", "datetime", 0, datetime(2024, 3, 16)),
    ("2024-03-15 10:30:00.004", "datetime", 0, datetime(2024, 3, 15, 10, 30, 0, 3000)),
    ("2024-03-15 10:30:29.999", "smalldatetime", 0, datetime(2024, 3, 15, 10, 31)),
]


@pytest.mark.parametrize(("text", "kind", "style", "expected"), READ)
def test_moments_are_read(text: str, kind: str, style: int, expected: datetime) -> None:
    assert moment_of(text, kind, style) == expected


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("2024-02-30", "date", "241"),
        ("2024-02-30", "datetime", "242"),
        ("15/03/2024", "datetime", "242"),
        ("1752-12-31", "datetime", "242"),
        ("25:00", "time", "241"),
        ("abc", "date", "241"),
        ("abc", "smalldatetime", "295"),
        ("10:30:00.1234", "datetime", "241"),
    ],
)
def test_what_is_no_moment(text: str, kind: str, code: str) -> None:
    with pytest.raises(TSQLError) as refused:
        moment_of(text, kind)
    assert refused.value.code == code


@pytest.mark.parametrize("text", ["2024-03-15T10:30:00Z", "10:30:00.1234567", "3/4", "13:00 PM"])
def test_moments_that_are_not_read(text: str) -> None:
    with pytest.raises(UnsupportedError):
        moment_of(text, "datetime2")
