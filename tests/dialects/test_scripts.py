"""Scripts are cut into the statements that the dialect's own client would send."""

from __future__ import annotations

from pathlib import Path

import pytest

from glue.dialects.scripts import Statement, statements_in, statements_of, statements_of_block


def texts(script: str, dialect: str) -> list[str]:
    return [statement.text for statement in statements_in(script, dialect) if not statement.is_command]


def test_lines_of_sqlplus_are_commands_and_statements_know_their_lines() -> None:
    script = "REM x; y\nPROMPT it's here\nset echo off\n\n-- a; b\nCREATE TABLE t\n (a NUMBER);\nCOMMIT;\n"
    found = list(statements_in(script, "oracle", Path("s.sql")))
    assert found == [
        Statement("REM x; y", "s.sql", 1, True),
        Statement("PROMPT it's here", "s.sql", 2, True),
        Statement("set echo off", "s.sql", 3, True),
        Statement("CREATE TABLE t\n (a NUMBER)", "s.sql", 6),
        Statement("COMMIT", "s.sql", 8),
    ]


def test_signs_in_texts_names_and_comments_end_nothing() -> None:
    script = (
        "INSERT INTO t VALUES ('a;''b', q'[it's; so]', \"c;d\") /* ; */ -- ;\n;SET TRANSACTION READ ONLY;"
    )
    assert [text[:3] for text in texts(script, "oracle")] == ["INS", "SET"]


def test_a_slash_ends_plsql_and_runs_nothing_twice() -> None:
    block = "BEGIN\n  INSERT INTO t VALUES (1);\nEND;"
    trigger = "CREATE OR REPLACE TRIGGER x BEFORE INSERT ON t\nBEGIN\n  NULL;\nEND;"
    script = f"{block}\n/\n{trigger}\n/\nSELECT 1 / 2 FROM dual;\nSELECT 1\n/\n/\n"
    assert texts(script, "oracle") == [block, trigger, "SELECT 1 / 2 FROM dual", "SELECT 1"]


def test_scripts_run_scripts_and_not_themselves(tmp_path: Path) -> None:
    (tmp_path / "main.sql").write_text("@@part\n@main.sql\n@missing.sql\nCOMMIT;\n")
    (tmp_path / "part.sql").write_text("SELECT 1 FROM dual;\n")
    found = list(statements_of(tmp_path / "main.sql", "oracle"))
    assert [(Path(one.path).name, one.line, one.text) for one in found] == [
        ("part.sql", 1, "SELECT 1 FROM dual"),
        ("main.sql", 2, "@main.sql"),
        ("main.sql", 3, "@missing.sql"),
        ("main.sql", 4, "COMMIT"),
    ]


def test_what_a_block_does() -> None:
    block = Statement(
        "DECLARE\n  v VARCHAR2(9) := 'a;b';\nBEGIN\n  v := 'c';\n  DELETE FROM t;\nEND;", "s", 10
    )
    assert statements_of_block(block) == [
        Statement("v VARCHAR2(9) := 'a;b'", "s", 11),
        Statement("v := 'c'", "s", 13),
        Statement("DELETE FROM t", "s", 14),
    ]
    assert statements_of_block(Statement("CREATE TABLE t", "s", 1)) is None


@pytest.mark.parametrize(
    "script",
    [
        "create table a (x int)\ninsert into a values (1)\ninsert into a\nselect 1\ndelete from a",
        "create table a (x int);insert into a values (1);insert into a\nselect 1;delete from a;",
        "create table a (x int)\nGO\ninsert into a values (1)\n"
        "go 2\ninsert into a\nselect 1\ndelete from a\nGO",
        "set nocount on\ncreate table a (x int)\nUSE b\ninsert into a values (1)\nset dateformat mdy\n"
        "insert into a\nselect 1\n;delete from a",
    ],
)
def test_statements_of_sql_server_need_no_sign(script: str) -> None:
    expected = [
        "create table a (x int)",
        "insert into a values (1)",
        "insert into a\nselect 1",
        "delete from a",
    ]
    assert texts(script, "tsql") == expected


def test_lines_within_a_statement_of_sql_server_begin_no_other() -> None:
    update = "update a\nset x = 1\nwhere x in (\nselect 1)"
    table = "create table b (x int references a on\ndelete cascade,\n[go;] int default ('go'))"
    union = "with w as (\nselect 1)\ninsert into a\nselect 1\nunion all\nselect 2"
    assert texts(f"{update}\n{table};\n{union}", "tsql") == [update, table, union]
