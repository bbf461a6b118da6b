"""From what a model says to the SQL that is run: what is cut, what stays, and what is no SQL at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.extraction import extract_sql, is_prose, is_sql, mask, split_bird_suffix

PLAIN = [
    "SELECT 1",
    "  select count(*) from t ; ",
    "-- all values\nSELECT a\nFROM x",
    "/* first */ SELECT 1 -- last",
    "SELECT a FROM t; SELECT 99;",
    "SELECT 1; DROP TABLE m",
    "WITH x AS (SELECT 1) DELETE FROM m",
    "WITH\n  -- the years that count\n  y AS (\n SELECT 1\n ),\n\n  -- this is the result of them\n  z AS (\n"
    "    SELECT 2\n  )\nSELECT * FROM y",
    "WITH a AS (SELECT 1),\n\nresult_of_this_query AS (SELECT 2)\nSELECT * FROM a",
    "(SELECT 1) UNION (SELECT 2)",
    "SELECT a FROM t WHERE b = 'it is ```sql fenced``` ; This is the note of an author'",
    "SELECT a FROM t WHERE b = 'one\n\nThis is the text that we will keep'",
    "SELECT a FROM t WHERE b = '<think>no</think>'",
    "SELECT the, to FROM t",
    "VALUES (1, 2)",
    "PRAGMA writable_schema = 1",
    "DELETE FROM t RETURNING *",
    "ATTACH 'x.db' AS x",
    "COPY t TO '/tmp/x.csv'",
    "INSERT ALL\n into t (a) values (1)\nselect * from dual",
    "insert into t values ('a:b')\nselect 1",
    "FROM t SELECT a",
    "SELECT T1.姓名 FROM 金球奖 AS T1",
    "SELECT a FROM t\n\nWHERE a = 1\n\nORDER BY a",
    "WITH\n  # the first of the two steps\n  t AS (SELECT 1)\nSELECT * FROM t",
]


@pytest.mark.parametrize("sql", PLAIN)
def test_plain_sql_stays_byte_for_byte(sql: str) -> None:
    found = extract_sql(sql)
    assert (found.sql, found.steps, found.cut_away) == (sql, [], None)


CASES = [
    ("Here is the query:\n```sql\nSELECT a FROM t;\n```\nIt lists all.", "SELECT a FROM t;", ["fence"]),
    ("```sql\nSELECT 1\n```\nor better\n```sql\nSELECT 2\n```", "SELECT 2", ["fence"]),
    ("```SQLite\nSELECT 1 FROM t", "SELECT 1 FROM t", ["fence"]),
    ("~~~\nSELECT 1\n~~~", "SELECT 1", ["fence"]),
    ("SELECT a FROM t\n```", "SELECT a FROM t", ["fence"]),
    ("SELECT a FROM t;\n```\n```", "SELECT a FROM t;", ["fence"]),
    ("SELECT a FROM t;\n```sql\n\nThis query lists all of them.\n```", "SELECT a FROM t;", ["fence"]),
    ("SELECT I'll write the SQL: ```sql SELECT a FROM t; ```", "SELECT a FROM t;", ["fence"]),
    ("```python\nprint(1)\n```\n```sql\nSELECT 1\n```\n```text\na | b\n```", "SELECT 1", ["fence"]),
    ("<think>SELECT 0 is wrong</think>\nSELECT 1", "SELECT 1", ["think_block"]),
    ("SELECT 0 is wrong</think>SELECT 1", "SELECT 1", ["think_block"]),
    ("SELECT 1\n<think>is that right", "SELECT 1", ["think_block"]),
    ("<think>a</think><think>b</think>```sql\nSELECT 1\n```", "SELECT 1", ["think_block", "fence"]),
    ("SELECT 1;<|im_end|>", "SELECT 1;", ["stop_token"]),
    ("SELECT 1 </s></s>\n", "SELECT 1", ["stop_token"]),
    ("SELECT a FROM t\t----- bird -----\tshop", "SELECT a FROM t", ["bird_suffix"]),
    ("```sql\nSELECT 1\n```\t----- bird -----\tshop", "SELECT 1", ["bird_suffix", "fence"]),
    ('{"reasoning": "easy", "sql": "SELECT \\"a\\" FROM t"}', 'SELECT "a" FROM t', ["json"]),
    ('```json\n{"SQL": "SELECT 1"}\n```', "SELECT 1", ["fence", "json"]),
    ('{"sql": "```sql\\nSELECT 1\\n```"}', "SELECT 1", ["json", "fence"]),
    ("SQL: SELECT 1", "SELECT 1", ["label"]),
    ("Question: what?\nSQLQuery: SELECT a FROM t\nSQLResult: 3\nAnswer: 3", "SELECT a FROM t", ["label"]),
    ("sql\nSELECT 1", "SELECT 1", ["label"]),
    ("**SQL Query:** SELECT 1", "SELECT 1", ["label"]),
    ("Sure! You want the names.\nSELECT name FROM t", "SELECT name FROM t", ["prose_before"]),
    ("The answer is: SELECT name FROM t", "SELECT name FROM t", ["prose_before"]),
    ("以下是查询：\nSELECT 姓名 FROM t", "SELECT 姓名 FROM t", ["prose_before"]),
    ("The query is `SELECT count(*) FROM t`.", "SELECT count(*) FROM t", ["prose_before"]),
    ("SELECT a FROM t;\n\nThis query returns the names of all.", "SELECT a FROM t;", ["prose_after"]),
    ("SELECT a FROM t\n\nThis query returns the names of all.", "SELECT a FROM t", ["prose_after"]),
    ("SELECT a FROM t;\n\nExplanation:\n\n1. We read t.", "SELECT a FROM t;", ["prose_after"]),
    ("SELECT a FROM t;\n\n(Note: the value of b's a placeholder.)", "SELECT a FROM t;", ["prose_after"]),
    ("SELECT a FROM t; 该查询返回所有名字，按字母排序。", "SELECT a FROM t;", ["prose_after"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sql", "steps"), CASES)
def test_sql_is_taken_out_and_the_steps_are_named(text: str, sql: str, steps: list[str]) -> None:
    found = extract_sql(text)
    assert found.sql == sql
    assert found.steps == steps
    assert found.cut_away or steps == ["fence"]  # a fence alone leaves nothing but marks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "sql placeholder",
        "I cannot answer this question with the given tables.",
        "SELECT I'm sorry, but the tables are empty.",
        "SELECT To answer the question, we need to find the names.",
        "Select the rows of the table that you like",
        "<think>SELECT 1, or rather",
        "<think>SELECT 1</think>",
        "SELECT",
        " SELECT\n",
        "T2.name FROM member AS T1",
        "-- only a comment SELECT 1",
        '{"answer": 42}',
        "```python\nprint(1)\n```",
        "upsert\n into t values (1)\nselect * from dual",
    ],
)
def test_a_text_without_sql_gives_none(text: str) -> None:
    assert extract_sql(text).sql is None


def test_what_was_cut_is_kept_in_order() -> None:
    found = extract_sql("<think>hm</think>Here it is:\n```sql\nSELECT 1\n```\nDone.")
    assert found.cut_away == "<think>hm</think>\n…\nHere it is:\n```sql\n…\n```\nDone."


def test_the_bird_suffix_names_the_database_and_nothing_else_is_touched() -> None:
    assert split_bird_suffix("SELECT 1\n\t----- bird -----\tshop") == ("SELECT 1\n", "shop")
    assert split_bird_suffix("SELECT 1") == ("SELECT 1", None)
    assert split_bird_suffix("SELECT '\t----- bird -----\tx' \t----- bird -----\ty")[1] == "y"
    assert split_bird_suffix("SELECT 1 ----- bird -----\nFROM t")[1] is None


def test_masking_keeps_places() -> None:
    sql = "SELECT ';' -- ;\n, \"a;\" /* ; */ ;"
    assert len(mask(sql)) == len(sql)
    assert mask(sql).count(";") == 1


def test_prose_and_sql_are_told_apart() -> None:
    assert is_prose("This query returns the names.")
    assert not is_prose("FROM the_table WHERE this = that")
    assert not is_prose("-- this is the comment")
    assert is_sql("(((SELECT 1)))")
    assert not is_sql("Show me the names that you have")


@given(st.text(alphabet="SELECT select ;`~'\"\\-/*#<>{}():\nabthe.\t", max_size=200))
def test_any_text_gives_an_extraction(text: str) -> None:
    found = extract_sql(text)
    assert found.sql is None or found.sql.strip()
    if found.sql is not None and "json" not in found.steps:
        assert found.sql in text


@pytest.mark.parametrize(
    "text",
    [
        " " * 300_000,
        "SELECT 1" + ";" * 300_000,
        "SELECT " + "'\\" * 150_000,
        "SELECT " + "/*" * 150_000,
        "SELECT 1" + "</s>" * 75_000,
        "SELECT (a)" + "\n\n" * 150_000,
        "```\n" * 75_000,
        "SQL: \n" * 50_000,
        "SQL" + " " * 300_000,
        ": SELECT the of " * 20_000,
    ],
    ids=[
        "space",
        "semicolons",
        "quotes",
        "comments",
        "stops",
        "blank",
        "fences",
        "labels",
        "label",
        "colons",
    ],
)
def test_hostile_texts_take_no_longer_than_their_length(text: str) -> None:
    started = time.process_time()
    extract_sql(text)
    assert time.process_time() - started < 3
