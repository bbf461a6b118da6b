"""mssql-local with its own dialect: in workers, refusing by SQL Server's numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from glue.cells import Cells, cells_of_rows
from glue.engines.base import Session
from glue.home import Home
from tests.engines.local_refusals import check_refusals
from tests.execution_helpers import duckdb_database, run_one

ENGINE = "mssql-local"
SCRIPT = """
create table t (i integer, s varchar, d date);
insert into t values (1, 'a', '2024-01-31'), (2, '', '2024-02-29'), (3, 'c', null);
insert into t select i + 3, s, d from t;
create macro evalhouse_now() as timestamp '2024-03-15 10:30:00';
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return duckdb_database(tmp_path / "t.duckdb", SCRIPT)


def rows_of(session: Session, sql: str) -> list[Cells]:
    session.execute(sql)
    rows: list[Cells] = []
    while fetched := session.fetch(500):
        rows += cells_of_rows(fetched)
    session.finish()
    return rows


def test_values_are_cells_as_the_live_engine_gives_them(home: Home, path: Path) -> None:
    sql = (
        "SELECT i, s, d, DATEADD(hour, 12, CAST(d AS DATETIME2)) AS later, i / 3 AS whole, i / 3.0 AS third,"
        " GETDATE() AS now, NULL AS nothing, 'x' + s AS joined, CAST(1 AS BIT) AS flag,"
        " CAST(2.5 AS MONEY) AS price"
        " FROM t WHERE i IN (1, 2) ORDER BY i"
    )
    execution = run_one(home, path, sql, ENGINE)
    assert execution["cells"] == [
        [
            *("n:1", "t:a", "d:2024-01-31", "d:2024-01-31 12:00:00", "n:0", "n:0.333333"),
            *("d:2024-03-15 10:30:00", None, "t:xa", "n:1", "n:2.5"),
        ],
        [
            *("n:2", "t:", "d:2024-02-29", "d:2024-02-29 12:00:00", "n:0", "n:0.666666"),
            *("d:2024-03-15 10:30:00", None, "t:x", "n:1", "n:2.5"),
        ],
    ]
    assert execution["column_names"][:4] == ["i", "s", "d", "later"]


REFUSED = {
    "SELECT i FROM t LIMIT 1": ("failed", "syntax", "102"),
    "SELECT i || s FROM t": ("failed", "syntax", "102"),
    "SELECT j FROM t": ("failed", "unknown_column", "207"),
    "SELECT nonsense(i) FROM t": ("failed", "unknown_function", "195"),
    "SELECT i FROM nobody": ("failed", "unknown_table", "208"),
    "SELECT i FROM t, t u": ("failed", "ambiguous", "209"),
    "SELECT i, COUNT(*) FROM t": ("failed", "aggregate_misuse", "8120"),
    "SELECT 1 / (i - 1) FROM t": ("failed", "division", "8134"),
    "SELECT CAST(s AS INT) FROM t": ("failed", "type", "245"),
    "DROP TABLE t": ("refused", "not_a_read", None),
    "SELECT 1; DELETE FROM t": ("refused", "multiple_statements", None),
    "SELECT * FROM OPENROWSET(BULK '/etc/passwd', SINGLE_CLOB) AS x": None,
    "SELECT read_text('/etc/passwd')": ("failed", "unknown_function", "195"),
}


def test_what_is_no_answer_says_why_in_sql_servers_words(home: Home, path: Path) -> None:
    check_refusals(home, path, ENGINE, REFUSED)
