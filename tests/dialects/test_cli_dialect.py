"""`glue dialect`: what is printed, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from glue import cli
from tests.dialects import plain_dialect


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALHOUSE_HOME", str(tmp_path))
    monkeypatch.delenv("EVALHOUSE_SQLSERVER_DSN", raising=False)
    plain_dialect.use_as(monkeypatch, "tsql")


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["dialect", *arguments])
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def test_check_points_and_names_who_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(["check", "select a\nfrom t\tlimit 5", "--dialect", "oracle"], capsys)
    assert code == 1
    assert out == (
        "refused by Oracle 19: ORA-00933: the query has ended before '5'\n"
        "  from t\tlimit 5\n"
        "        \t      ^\n"
        "valid in PostgreSQL, MySQL, SQLite and DuckDB, not in Oracle\n"
    )
    code, out, _ = said(["check", "select MISSING from t", "--dialect", "tsql", "--format", "json"], capsys)
    assert code == 1 and json.loads(out) == {
        "dialect": "tsql",
        "verdict": "refused",
        "code": "207",
        "message": "there is no such column",
        "place": None,
        "are_names_resolved": False,
        "valid_in": [],
    }


def test_check_says_what_it_takes_and_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(["check", "select a from t", "--dialect", "oracle"], capsys)
    assert code == 0 and out == "taken by Oracle 19; names of tables and columns were not looked up\n"
    code, out, _ = said(["check", "select 1 from dual", "--dialect", "oracle", "--version", "21"], capsys)
    assert code == 0 and out == "taken by Oracle 21\n"
    code, out, _ = said(["check", "select ODD", "--dialect", "tsql"], capsys)
    assert code == 1 and out == "unsupported: odd words; what SQL Server 2022 says to it is not known here\n"
    code, _, err = said(["check", "select 1", "--dialect", "oracle", "--database", "nosuch"], capsys)
    assert code == 1 and "no database of this name has been imported" in err


def test_conformance_counts_and_tells_what_is_not_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setup = ["CREATE TABLE t (x INT)", "INSERT INTO t VALUES (1)"]
    common = {"setup": setup, "ordered": False, "why": "", "doc": ""}
    cases = [
        {"id": "a-1", "topic": "a", "sql": "select x from t", "expected": [[1]], **common},
        {"id": "a-2", "topic": "a", "sql": "select x + 1 from t", "expected": [[1]], **common},
        {"id": "b-1", "topic": "b", "sql": "select MISSING", "error": "208", **common},
        {"id": "b-2", "topic": "b", "sql": "select ODD", "error": "208", **common},
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, cases)))
    code, out, err = said(["conformance", str(file), "--dialect", "tsql"], capsys)
    assert code == 1 and err == "4 cases for SQL Server's dialect on DuckDB\n"
    lines = out.splitlines()
    assert lines[:3] == [
        "wrong  a-2: [[2]]",
        "wrong_error  b-1: 207: there is no such column",
        "unsupported  b-2: odd words",
    ]
    assert [line.split() for line in lines[-3:]] == [
        ["a", "1", "1", "0", "0"],
        ["b", "0", "0", "1", "1"],
        ["total", "1", "1", "1", "1"],
    ]
    code, out, _ = said(["conformance", str(file), "--dialect", "tsql", "--format", "json"], capsys)
    answers = [json.loads(line) for line in out.splitlines()]
    assert answers[1] == {
        "id": "a-2",
        "topic": "a",
        "outcome": "wrong",
        "rows": [[2]],
        "error": None,
        "message": None,
    }
    assert answers[2]["error"] == "207" and answers[3]["message"] == "odd words"
    assert answers[4]["counts"]["a"] == {"pass": 1, "wrong": 1, "wrong_error": 0, "unsupported": 0}
    file.write_text(json.dumps(cases[0]))
    assert said(["conformance", str(file), "--dialect", "tsql"], capsys)[0] == 0
    code, _, err = said(["conformance", str(tmp_path / "nosuch"), "--dialect", "tsql"], capsys)
    assert code == 1 and "cannot read" in err


SCRIPT = """
CREATE TABLE staff (id NUMBER(4) PRIMARY KEY, name VARCHAR2(20), boss NUMBER(4) REFERENCES staff);
INSERT INTO staff VALUES (1, 'King', NULL);
INSERT INTO staff VALUES (2, 'Blake', 1);
INSERT INTO staff VALUES (9, 'Nobody', 7);
COMMIT;
"""


def test_a_script_becomes_a_file_that_is_asked_in_its_dialect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, database = tmp_path / "staff.sql", tmp_path / "staff.duckdb"
    script.write_text(SCRIPT)
    loading = ["load", str(script), "--dialect", "oracle", "--database", str(database)]
    code, out, err = said([*loading, "--now", "2024-12-31 23:00:00"], capsys)
    assert code == 1  # one row has nobody to refer to
    assert "STAFF   2" in out and f"made {database}: 1 table" in out
    assert f"{script}:5: ORA-02291" in err
    code, _, err = said(loading, capsys)
    assert code == 1 and "is there already" in err and "hint:" in err

    asking = ["--dialect", "oracle", "--database", str(database)]
    query = "select name, count(*) over () , sysdate from staff connect by prior id = boss start with id = 1"
    code, out, _ = said(["run", query, *asking, "--format", "json"], capsys)
    assert code == 0
    assert [json.loads(line) for line in out.splitlines()] == [
        {"NAME": "King", "COUNT(*)OVER()": 2, "SYSDATE": "2024-12-31 23:00:00"},
        {"NAME": "Blake", "COUNT(*)OVER()": 2, "SYSDATE": "2024-12-31 23:00:00"},
    ]
    code, out, err = said(["run", "select name from staff order by 1", *asking, "--rows", "1"], capsys)
    assert code == 0 and "Blake" in out and "King" not in out and "more than 1 row" in err
    code, out, _ = said(["run", "select nmae from staff", *asking], capsys)
    assert code == 1 and out.startswith('refused by Oracle 19: ORA-00904: "NMAE": invalid identifier')
    code, out, _ = said(["run", "select name from staff", *asking, "--show-sql"], capsys)
    assert code == 0 and out.startswith("select t1.")


def test_no_file_is_left_where_none_can_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = [
        "load",
        str(tmp_path / "no.sql"),
        "--dialect",
        "oracle",
        "--database",
        str(tmp_path / "a.duckdb"),
    ]
    assert said(missing, capsys)[0] == 1
    script = tmp_path / "a.sql"
    script.write_text("CREATE TABLE t (a NUMBER);")
    nowhere = tmp_path / "none" / "a.duckdb"
    code, _, err = said(["load", str(script), "--dialect", "oracle", "--database", str(nowhere)], capsys)
    assert code == 1 and "cannot make" in err
    code, _, err = said(
        ["run", "select 1 from dual", "--dialect", "oracle", "--database", str(nowhere)], capsys
    )
    assert code == 1 and "there is no file" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sql"]
