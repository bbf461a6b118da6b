"""oracle-local with its own dialect: in workers, under limits, with golds' ties, refusing by its codes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from glue import bank
from glue.cells import Cells, cells_of_rows
from glue.engines.base import Limits, Session, engine_named
from glue.home import Home
from glue.sql.analysis import sql_analysis
from tests.engines.local_refusals import check_refusals
from tests.execution_helpers import duckdb_database, run_one

ENGINE = "oracle-local"
SCRIPT = """
create table t (i integer, s varchar, d date);
insert into t values (1, 'a', '2024-01-31'), (2, '', '2024-02-29'), (3, 'c', null);
insert into t select i + 3, s, d from t;
create macro evalhouse_now() as timestamp '2024-03-15 10:30:00';
"""
TENFOLD = ", ".join(f"t t{number}" for number in range(16))  # more rows than anybody waits for


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
        "SELECT i, s, d, d + 0.5 AS later, i / 3 AS third, SYSDATE AS now, NULL AS nothing,"
        " 'x' || s AS joined, 'padded  ' AS padded FROM t WHERE i IN (1, 2) ORDER BY i"
    )
    execution = run_one(home, path, sql, ENGINE)
    assert execution["cells"] == [
        [
            *("n:1", "t:a", "d:2024-01-31", "d:2024-01-31 12:00:00", "n:0.333333333333333"),
            *("d:2024-03-15 10:30:00", None, "t:xa", "t:padded"),
        ],
        [
            *("n:2", None, "d:2024-02-29", "d:2024-02-29 12:00:00", "n:0.666666666666667"),
            *("d:2024-03-15 10:30:00", None, "t:x", "t:padded"),
        ],
    ]
    assert execution["column_names"] == [
        "I",
        "S",
        "D",
        "LATER",
        "THIRD",
        "NOW",
        "NOTHING",
        "JOINED",
        "PADDED",
    ]


REFUSED = {
    "SELECT i FROM t LIMIT 1": ("failed", "syntax", "ORA-00933"),
    "SELECT i FROM t AS x": ("failed", "syntax", "ORA-00933"),
    "SELECT j FROM t": ("failed", "unknown_column", "ORA-00904"),
    "SELECT nonsense(i) FROM t": ("failed", "unknown_function", "ORA-00904"),
    "SELECT i FROM nobody": ("failed", "unknown_table", "ORA-00942"),
    "SELECT i FROM t, t u": ("failed", "ambiguous", "ORA-00918"),
    "SELECT i, COUNT(*) FROM t": ("failed", "aggregate_misuse", "ORA-00937"),
    "SELECT 1 / (i - 1) FROM t": ("failed", "division", "ORA-01476"),
    "SELECT TO_NUMBER(s) FROM t": ("failed", "type", "ORA-01722"),
    "DROP TABLE t": ("refused", "not_a_read", None),
    "BEGIN": ("refused", "not_a_read", None),
    "BEGIN DELETE FROM t; END;": ("refused", "multiple_statements", None),
    "SELECT 1 FROM dual; DELETE FROM t": ("refused", "multiple_statements", None),
    "SELECT * FROM read_csv('/etc/passwd')": None,
    "SELECT read_text('/etc/passwd') FROM dual": ("failed", "unknown_function", "ORA-00904"),
}


def test_what_is_no_answer_says_why_in_oracles_words(home: Home, path: Path) -> None:
    check_refusals(home, path, ENGINE, REFUSED)


def test_what_is_not_known_is_unsupported_and_asked_again_only_when_told(home: Home, path: Path) -> None:
    sql = 'SELECT XMLELEMENT("a", i) FROM t'
    execution = run_one(home, path, sql, ENGINE)
    assert (execution["outcome"], execution["error_class"]) == ("unsupported", "unsupported")


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT SUM(t0.i * t1.i + t2.i) FROM {TENFOLD}",
        f"SELECT t0.i FROM {TENFOLD} WHERE MOD(t0.i * t11.i, 7) = 9",
        "SELECT COUNT(*) FROM t CONNECT BY LEVEL < 40",
    ],
)
def test_what_would_not_end_is_interrupted(home: Home, path: Path, sql: str) -> None:
    # A fast machine fills the memory that it may have in half a second.
    execution = run_one(home, path, sql, ENGINE, timeout_s=0.25)
    assert execution["outcome"] == "timed_out", execution


def test_a_result_of_any_size_is_streamed_and_capped(home: Home, path: Path) -> None:
    sql = "SELECT t0.i, RPAD('x', 100, 'x') AS s FROM t t0, t t1, t t2, t t3, t t4, t t5, t t6"
    execution = run_one(home, path, sql, ENGINE, max_rows=1_000, timeout_s=60.0)
    assert (execution["n_rows"], execution["is_cut"], len(execution["cells"])) == (6**7, True, 1_000)


def test_golds_rows_stand_where_the_probe_puts_them(tmp_path: Path) -> None:
    """Of every gold of the bank with an order."""
    manifest = bank.read_manifest()
    n_probed = 0
    for db_id in manifest.databases:
        path = tmp_path / f"{db_id}.duckdb"
        bank.write_duckdb(manifest, db_id, path, ENGINE)
        session = engine_named(ENGINE).open(path, Limits(1 << 30))
        for question in manifest.questions:
            sql = question.sql("gold", "oracle")
            assert sql is not None
            analysis = sql_analysis(sql, "oracle")
            if question.db_id != db_id or analysis["order_probe_sql"] is None:
                continue
            n_probed += 1
            gold = rows_of(session, sql)
            probed = [
                (row[: len(gold[0])], str(row[-1])) for row in rows_of(session, analysis["order_probe_sql"])
            ]
            n_skipped = analysis["offset_rows"] or 0
            ranks = Counter(int(rank.removeprefix("n:")) for _, rank in probed)
            places = [f"n:{rank}" for rank, n in sorted(ranks.items()) for _ in range(n)]
            shown = places[n_skipped : n_skipped + len(gold)]
            assert not Counter(zip(gold, shown, strict=True)) - Counter(probed), question.question_id
        session.close()
    assert n_probed > 40
