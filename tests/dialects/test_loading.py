"""Oracle's scripts make local databases: their tables, rows, comments and views."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from glue.dialects.loading import LoadReport, load_script, load_statements
from glue.dialects.local import LocalSession

NOW = datetime(2024, 6, 15, 10, 20, 30)


@pytest.fixture
def session() -> Iterator[LocalSession]:
    with duckdb.connect() as connection:
        yield LocalSession(connection, "oracle", now=NOW)


def rows(session: LocalSession, sql: str) -> list[tuple[Any, ...]]:
    return session.connection.execute(sql).fetchall()


def codes(report: LoadReport) -> list[tuple[int, str | None]]:
    return [(failure.line, failure.code) for failure in report.failures]


def test_tables_have_the_names_and_types_that_were_declared(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            'CREATE TABLE shop.emp (id NUMBER(4), name VARCHAR2(10 CHAR), hired DATE, "Pay" NUMBER(8,2),'
            " n NUMBER, flag CHAR(3), at TIMESTAMP(3) WITH TIME ZONE)",
            'CREATE TABLE emp (id NUMBER(4), name VARCHAR2(10 CHAR), hired DATE, "Pay" NUMBER(8,2),'
            " n NUMBER)",
            'CREATE TABLE "emp" (a INTEGER, "a" FLOAT)',
        ],
    )
    assert codes(report) == [(1, None)]
    tables = rows(session, "select table_name, comment from duckdb_tables()")
    assert sorted(tables) == [("EMP", 'oracle "EMP"'), ("emp_2", 'oracle "emp"')]
    columns = rows(
        session, "select column_name, comment, data_type from duckdb_columns() where comment <> ''"
    )
    assert columns == [
        ("ID", '"ID" NUMBER(4)', "DECIMAL(4,0)"),
        ("NAME", '"NAME" VARCHAR2(10 CHAR)', "VARCHAR"),
        ("HIRED", '"HIRED" DATE', "TIMESTAMP"),
        ("Pay", '"Pay" NUMBER(8,2)', "DECIMAL(8,2)"),
        ("N", '"N" NUMBER', "DECIMAL(28,10)"),
        ("A", '"A" INTEGER', "BIGINT"),
        ("a_2", '"a" FLOAT', "DOUBLE"),
    ]
    session.connection.execute('insert into "emp_2" values (1, 0.5)')
    assert session.query('SELECT a, "a" FROM "emp"') == (["A", "a"], [(1, 0.5)])


def test_values_are_those_of_the_dialect(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE t (id INTEGER, v VARCHAR2(20) DEFAULT 'none', d DATE DEFAULT SYSDATE, c CHAR(3),"
            " n NUMERIC(5,2))",
            "INSERT INTO t VALUES (1, '', DATE '2024-01-31', 'a', 1.005)",
            "INSERT INTO t (c, id) VALUES (NULL, 1.5)",
            "INSERT INTO t VALUES (3, 'it''s', TO_DATE('01-02-2023', 'DD-MM-YYYY'), DEFAULT, '7')",
            "INSERT INTO t VALUES (-4, q'[q's]', '05-MAR-24', UPPER('x'), LENGTH('four'))",
            "INSERT INTO t (id, v, d) SELECT id + 10, v, d FROM t WHERE id = 3",
        ],
    )
    assert not report.failures and report.n_rows == {"T": 5}
    assert rows(session, "select * from t") == [
        (1, None, datetime(2024, 1, 31), "a  ", Decimal("1.01")),
        (2, "none", NOW, None, None),
        (3, "it's", datetime(2023, 2, 1), None, Decimal("7.00")),
        (-4, "q's", datetime(2024, 3, 5), "X  ", Decimal("4.00")),
        (13, "it's", datetime(2023, 2, 1), None, None),
    ]


@pytest.mark.parametrize(
    ("values", "code", "message"),
    [
        ("(1, 'abcdef', 1, 1)", "ORA-12899", '"T"."V" holds 5 and not 6'),
        ("(1, 'äöü', 1, 1)", "ORA-12899", '"T"."V" holds 5 and not 6'),
        ("(1, 'a', 1000, 1)", "ORA-01438", '"T"."N"'),
        ("(1, 'a', 999.999, 1)", "ORA-01438", '"T"."N"'),
        ("('x', 'a', 1, 1)", "ORA-01722", ""),
        ("(1, 'a', 1)", "ORA-00947", ""),
        ("(1, 'a', 1, 1, 1)", "ORA-00913", ""),
        ("(1, 'a', 1, 1) 2", "ORA-00933", ""),
        ("(1, 'a', 1, 0.12345678901)", None, "10"),
        ("(1, 'a', TO_DATE('x', 'YYYY'), 1)", "ORA-01841", ""),
        ("(1, nosuch, 1, 1)", "ORA-00904", ""),
    ],
)
def test_what_a_column_cannot_hold_is_refused(
    session: LocalSession, values: str, code: str | None, message: str
) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE t (id INTEGER, v VARCHAR2(5), n NUMBER(5,2), x NUMBER)",
            f"INSERT INTO t VALUES {values}",
        ],
    )
    if code == "ORA-01841":
        assert report.failures[0].code in ("ORA-01841", "ORA-01858")
    else:
        assert codes(report) == [(2, code)]
    assert message in report.failures[0].message and rows(session, "from t") == []


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("INSERT INTO nosuch VALUES (1)", "ORA-00942"),
        ("INSERT INTO t (b) VALUES (1)", "ORA-00904"),
        ("INSERT t VALUES (1)", "ORA-00925"),
        ("CREATE TABLE t (b INTEGER)", "ORA-00955"),
        ("CREATE TABLE u (b INTEGER, B INTEGER)", "ORA-00957"),
        ("CREATE TABLE u (v VARCHAR2)", "ORA-00906"),
        ("CREATE TABLE select (b INTEGER)", "ORA-00903"),
        ("CREATE TABLE u (date DATE)", "ORA-00904"),
        ("DROP TABLE nosuch", "ORA-00942"),
        ("CREATE TABLE u (x XMLTYPE)", None),
        ("CREATE TABLE u AS SELECT * FROM t", None),
        ("MERGE INTO t USING u ON (1 = 1) WHEN MATCHED THEN DELETE", None),
        ("ROLLBACK", None),
    ],
)
def test_statements_that_are_refused_or_unsupported(
    session: LocalSession, statement: str, code: str | None
) -> None:
    report = load_statements(session, ["CREATE TABLE t (a INTEGER)", statement, "INSERT INTO t VALUES (1)"])
    assert codes(report) == [(2, code)] and report.n_rows == {"T": 1}


def test_constraints_are_kept_and_told_by_oracles_codes(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE dept (id NUMBER(4) CONSTRAINT pk PRIMARY KEY USING INDEX, v VARCHAR2(3) UNIQUE)",
            "CREATE TABLE emp (id NUMBER(4), boss NUMBER(4), dept NUMBER(4) NOT NULL ENABLE,"
            " pay NUMBER CHECK (pay BETWEEN 0 AND 9), kind VARCHAR2(1) CHECK (kind IN ('a', 'b')))",
            "ALTER TABLE emp ADD (CONSTRAINT emp_pk PRIMARY KEY (id), FOREIGN KEY (dept) REFERENCES dept"
            " ON DELETE CASCADE)",
            "ALTER TABLE emp ADD FOREIGN KEY (boss) REFERENCES emp (id) NOT DEFERRABLE",
            "INSERT INTO dept VALUES (1, '')",
            "INSERT INTO dept VALUES (2, NULL)",
            "INSERT INTO dept VALUES (2, 'x')",
            "INSERT INTO emp VALUES (1, 2, 1, 5, 'a'), (2, NULL, 1, 5, 'a')",
            "INSERT INTO emp VALUES (3, 9, 1, 5, 'a')",
            "INSERT INTO emp VALUES (3, NULL, 7, 5, 'a')",
            "INSERT INTO emp VALUES (3, NULL, NULL, 5, 'a')",
            "INSERT INTO emp VALUES (3, NULL, 1, 10, 'a')",
            "INSERT INTO emp VALUES (3, NULL, 1, 9, 'c')",
            "INSERT INTO emp VALUES (3, NULL, 1, NULL, '')",
        ],
    )
    assert codes(report) == [
        (7, "ORA-00001"),
        (9, "ORA-02291"),
        (10, "ORA-02291"),
        (11, "ORA-01400"),
        (12, "ORA-02290"),
        (13, "ORA-02290"),
    ]
    assert report.n_rows == {"DEPT": 2, "EMP": 3} and not report.not_kept


def test_what_duckdb_cannot_hold_is_told(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER, j VARCHAR2(9) CHECK (LENGTH(j) > 1))",
            "CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a, n NUMBER(5) REFERENCES a)",
            "ALTER TABLE a ADD CONSTRAINT circle FOREIGN KEY (b) REFERENCES b",
            "ALTER TABLE b ADD CONSTRAINT off CHECK (id > 0) DISABLE",
            "INSERT INTO a VALUES (1, NULL, NULL)",
            "ALTER TABLE a ADD CONSTRAINT late CHECK (id > 0)",
            "ALTER TABLE a ADD UNIQUE (b)",
        ],
    )
    assert not report.failures
    assert report.not_kept == [
        "B: foreign key: it closes a circle",
        "B: foreign key: it closes a circle",
        "B: check OFF: it is disabled",
        "A: check: it is more than comparisons",
        "A: check LATE: the table has rows",
    ]


def test_rows_are_changed_and_taken_away(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v VARCHAR2(3) NOT NULL, n NUMBER(3))",
            "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)",
            "UPDATE t SET n = n * 10, v = UPPER(v) WHERE id > 1",
            "UPDATE t x SET x.n = 1000",
            "UPDATE t SET v = '' WHERE id = 1",
            "UPDATE t SET v = NULL WHERE id = 99",
            "DELETE FROM t WHERE id = 2",
            "UPDATE t SET (v, n) = (SELECT 'a', 1 FROM dual)",
        ],
    )
    assert codes(report) == [(4, "ORA-01438"), (5, "ORA-01407"), (8, None)]
    assert rows(session, "from t") == [(1, "a", Decimal(1)), (3, "C", Decimal(30))]


def test_identities_and_sequences_count(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE SEQUENCE s START WITH 10 INCREMENT BY 5 NOCACHE",
            "CREATE TABLE t (id INTEGER GENERATED BY DEFAULT ON NULL AS IDENTITY (START WITH 7),"
            " n NUMBER(3))",
            "INSERT INTO t (n) VALUES (s.NEXTVAL)",
            "INSERT INTO t VALUES (NULL, s.nextval)",
            "INSERT INTO t VALUES (100, s.CURRVAL)",
        ],
    )
    assert not report.failures
    assert rows(session, "from t") == [(7, 10), (8, 15), (100, 15)]


def test_blocks_of_inserts_are_obeyed_and_others_skipped(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE t (id INTEGER, v VARCHAR2(30), b BLOB)",
            "DECLARE\n  v VARCHAR2(99) := 'long ';\n  n NUMBER;\nBEGIN\n  v := 'two ' || 'parts';\n"
            "  n := 3 + 4;\n  INSERT INTO t VALUES (n, v, UTL_RAW.CAST_TO_RAW(v));\n  COMMIT;\nEND;",
            "BEGIN\n  IF 1 = 1 THEN\n    DELETE FROM t;\n  END IF;\nEND;",
            "BEGIN INSERT INTO t VALUES (1, nosuch, NULL); END;",
        ],
    )
    assert report.n_skipped == {"PL/SQL BLOCK": 1} and codes(report) == [(4, "ORA-00904")]
    assert rows(session, "from t") == [(7, "two parts", b"two parts")]


def test_views_are_made_last_and_descriptions_kept(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE t (id INTEGER, v VARCHAR2(3))",
            "CREATE OR REPLACE VIEW big (n, m) AS SELECT id, NVL(v, 'none') FROM t WITH READ ONLY",
            "CREATE VIEW biggest AS SELECT MAX(n) AS n FROM big",
            "CREATE VIEW broken AS SELECT nosuch FROM t",
            "COMMENT ON TABLE t IS 'All of it. It''s small.'",
            "COMMENT ON COLUMN t.v IS 'what'",
            "COMMENT ON COLUMN big.n IS 'not kept'",
            "INSERT INTO t SELECT LEVEL, '' FROM dual CONNECT BY LEVEL <= 3",
        ],
    )
    assert codes(report) == [(4, "ORA-00904")] and report.views == ["BIG", "BIGGEST"]
    assert session.query("SELECT m FROM big WHERE n = (SELECT n FROM biggest)") == (["M"], [("none",)])
    comment = rows(session, "select comment from duckdb_columns() where column_name = 'V'")
    assert comment == [('"V" VARCHAR2(3)\nwhat',)]
    assert session.query("SELECT v FROM t WHERE ROWNUM = 1")[1] == [(None,)]


def test_a_view_keeps_what_its_values_are(session: LocalSession) -> None:
    report = load_statements(
        session,
        [
            "CREATE TABLE t (d DATE, c CHAR(3))",
            "INSERT INTO t VALUES (DATE '2024-01-31', 'a')",
            "CREATE VIEW v AS SELECT d, c FROM t",
        ],
    )
    assert not report.failures
    answer = session.query("SELECT d - DATE '2024-01-01', CASE WHEN c = 'a' THEN 1 END FROM v")
    assert answer[1] == [(30, 1)]


def test_a_database_that_was_loaded_takes_more(tmp_path: Path) -> None:
    file = tmp_path / "d.duckdb"
    with duckdb.connect(str(file)) as connection:
        session = LocalSession(connection, "oracle", now=NOW)
        tables = [
            "CREATE TABLE t (id NUMBER(3), v CHAR(4), d DATE DEFAULT DATE '2024-01-31')",
            "CREATE TABLE u (id NUMBER(3), d DATE DEFAULT SYSDATE)",
        ]
        assert not load_statements(session, tables).failures
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table foreign_one (a integer)")
        session = LocalSession(connection, "oracle", now=NOW)
        report = load_statements(
            session,
            [
                "INSERT INTO t (id, v) VALUES (1, 'ab')",
                "INSERT INTO t (id, v) VALUES (1000, 'ab')",
                "INSERT INTO foreign_one VALUES (1)",
                "CREATE TABLE t (x INTEGER)",
                "INSERT INTO u (id) VALUES (1)",
                "INSERT INTO u VALUES (2, NULL)",
            ],
        )
        assert codes(report) == [(2, "ORA-01438"), (3, None), (4, "ORA-00955"), (5, None)]
        assert "the default of D is that of its script" in report.failures[3].message
        assert rows(session, 'from "U"') == [(Decimal(2), None)]
        assert rows(session, 'from "T"') == [(Decimal(1), "ab  ", datetime(2024, 1, 31))]


def test_failures_name_their_file_and_line(session: LocalSession, tmp_path: Path) -> None:
    (tmp_path / "install.sql").write_text("PROMPT tables\n@@tables\nINSERT INTO t VALUES ('long');\n")
    (tmp_path / "tables.sql").write_text(
        "CREATE TABLE t (v VARCHAR2(3));\nBEGIN\n  DELETE FROM u;\nEND;\n/\n"
    )
    report = load_script(session, tmp_path / "install.sql")
    places = [(Path(failure.path).name, failure.line, failure.code) for failure in report.failures]
    assert places == [("install.sql", 3, "ORA-12899"), ("tables.sql", 3, "ORA-00942")]
    assert report.n_skipped == {"PROMPT": 1}


def test_oracles_samples_load(session: LocalSession, shared_data: Path) -> None:
    report = load_script(session, shared_data / "oracle_samples/human_resources/hr_install.sql")
    assert not report.failures and report.views == ["EMP_DETAILS_VIEW"]
    assert report.n_rows == {
        "REGIONS": 5,
        "COUNTRIES": 25,
        "LOCATIONS": 23,
        "DEPARTMENTS": 27,
        "JOBS": 19,
        "EMPLOYEES": 107,
        "JOB_HISTORY": 10,
    }
    assert report.not_kept == ["DEPARTMENTS: foreign key DEPT_MGR_FK: it is disabled"]
    assert session.query("SELECT COUNT(*) FROM emp_details_view")[1] == [(106,)]
    hired = session.query("SELECT hire_date FROM employees WHERE employee_id = 100")[1]
    assert hired == [(datetime(2013, 6, 17),)]


def test_tens_of_thousands_of_rows_load_in_seconds(session: LocalSession) -> None:
    inserts = [f"INSERT INTO t VALUES ({n}, 'name {n}', {n}.5, {n // 10 or 'NULL'})" for n in range(20_000)]
    report = load_statements(
        session,
        [
            "CREATE TABLE t (id NUMBER(8) PRIMARY KEY, v VARCHAR2(20), n NUMBER(8,1),"
            " boss NUMBER(8) REFERENCES t)",
            *inserts,
        ],
    )
    assert not report.failures and report.n_rows == {"T": 20_000}
