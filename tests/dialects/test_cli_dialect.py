"""`glue dialect`: what is printed, and how it exits."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from glue import cli
from glue.dialects.pinned import Pinned, read_pinned
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


def test_load_tells_what_came_of_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "s.sql"
    script.write_text(
        "PROMPT tables\nCREATE TABLE t (x NUMBER(2), d DATE DEFAULT SYSDATE, CHECK (x <> LENGTH('a')));\n"
        "INSERT INTO t (x) VALUES (1);\nINSERT INTO t (x) VALUES (100);\nCREATE VIEW v AS SELECT x FROM t;\n"
    )
    file = tmp_path / "d.duckdb"
    load = ["load", str(script), "--dialect", "oracle", "--database", str(file)]
    code, out, _ = said([*load, "--now", "2024-03-15 10:30:00", "--version", "21"], capsys)
    assert code == 1
    assert out.splitlines()[-4:] == [
        "views: V",
        "not kept: T: check: it is more than comparisons",
        "skipped: 1 PROMPT",
        f'failed: {script}, line 4: ORA-01438: "T"."X" is NUMBER(2) and does not hold 100',
    ]
    with duckdb.connect(str(file)) as connection:
        assert connection.execute("from t").fetchall() == [(1, datetime(2024, 3, 15, 10, 30))]
        assert read_pinned(connection) == Pinned(datetime(2024, 3, 15, 10, 30), 21)
    script.write_text("INSERT INTO t VALUES (2, NULL);")
    assert said(load, capsys)[0] == 0
    script.write_text("INSERT INTO t (x) VALUES (2);")
    code, out, _ = said(load, capsys)
    assert code == 1 and "the default of D is that of its script" in out
    code, _, err = said(["load", "nosuch.sql", "--dialect", "oracle", "--database", str(file)], capsys)
    assert code == 1 and "there is no script nosuch.sql" in err
    script_as_database = ["load", str(script), "--dialect", "oracle", "--database", str(script)]
    code, _, err = said(script_as_database, capsys)
    assert code == 1 and "cannot be written" in err
