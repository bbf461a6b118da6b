"""Golds given as results: CSV and JSON to canonical cells, and Defog's notation to statements."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from glue.errors import GlueError
from glue.stored_results import (
    StoredResult,
    expand_gold_notation,
    read_stored_result,
    stored_result_of_rows,
    stored_result_rows,
)


def of_csv(text: str, **options: object) -> StoredResult:
    return read_stored_result(Path("gold.csv"), text.encode(), **options)  # type: ignore[arg-type]


def of_json(value: object, **options: object) -> StoredResult:
    return read_stored_result(Path("gold.json"), json.dumps(value).encode(), **options)  # type: ignore[arg-type]


def test_a_csv_column_of_numbers_holds_numbers_and_an_empty_cell_is_null() -> None:
    result = of_csv("n,city,code,x\n5,Oslo,007,1.50\n,Lima,012,2e3\n")
    assert result.column_names == ["n", "city", "code", "x"]
    assert [list(row) for row in result.rows] == [
        ["n:5", "t:Oslo", "t:007", "n:1.5"],
        [None, "t:Lima", "t:012", "n:2000"],
    ]


def test_one_word_makes_a_csv_column_text() -> None:
    assert [row[0] for row in of_csv("a\n1\nNone\n").rows] == ["t:1", "t:None"]


def test_an_empty_line_is_a_null_of_a_single_column() -> None:
    assert [list(row) for row in of_csv("a\n1\n\n2\n").rows] == [["n:1"], [None], ["n:2"]]


def test_only_the_columns_that_count_are_kept_in_the_order_given() -> None:
    result = of_csv("a,b,c\n1,2,3\n", columns=["c", 0])
    assert (result.column_names, list(result.rows[0])) == (["c", "a"], ["n:3", "n:1"])
    assert of_csv("a,b\n1,2\n", columns=[]).column_names == ["a", "b"]
    assert of_csv("City ,b\nx,2\n", columns=["city"]).column_names == ["City "]


def test_types_say_what_a_csv_cannot() -> None:
    result = of_csv("day,code\n2024-01-31,7\n", types={"day": "date", "code": "text"})
    assert list(result.rows[0]) == ["d:2024-01-31", "t:7"]
    with pytest.raises(GlueError, match=r"row 1, column 'a': x is no number"):
        of_csv("a\nx\n", types={"a": "number"})
    with pytest.raises(GlueError, match="unknown type 'int'"):
        of_csv("a\n1\n", types={"a": "int"})


def test_json_rows_as_lists_objects_and_columns_are_one_result() -> None:
    rows = [["Oslo", 3], ["Lima", None]]
    results = [
        of_json(rows),
        of_json([{"city": "Oslo", "n": 3}, {"city": "Lima"}]),
        of_json({"columns": ["city", "n"], "rows": rows}),
        of_json({"city": ["Oslo", "Lima"], "n": [3, None]}),
        stored_result_of_rows(rows, names=["city", "n"]),
    ]
    assert len({result.result_id for result in results}) == 1
    assert [list(row) for row in results[0].rows] == [["t:Oslo", "n:3"], ["t:Lima", None]]
    assert results[1].column_names == ["city", "n"]


def test_json_keeps_its_types() -> None:
    assert list(of_json([["5", 5, 5.0, True]]).rows[0]) == ["t:5", "n:5", "n:5", "n:1"]


def test_the_result_id_is_the_md5_of_the_rows() -> None:
    expected = hashlib.md5(b'2|["n:1","t:a"],["n:2",null]').hexdigest()
    assert of_json([[1, "a"], [2, None]]).result_id == expected


def test_a_stored_result_lands_as_an_execution_without_a_statement() -> None:
    rows: dict[str, list[dict[str, object]]] = {}
    for table, row in stored_result_rows(of_csv("a,b\n1,x\n2,y\n")):
        rows.setdefault(table, []).append(row)
    assert [row["cells"] for row in rows["result_rows"]] == [["n:1", "t:x"], ["n:2", "t:y"]]
    assert [row["row_number"] for row in rows["result_rows"]] == [1, 2]
    (execution,), (result,) = rows["executions"], rows["results"]
    assert execution.get("statement_id") is None
    assert (execution["variant"], execution["outcome"], execution["n_rows"]) == ("stored", "answered", 2)
    assert (result["n_columns"], result["n_stored_rows"], result["is_cut"]) == (2, 2, False)
    assert execution["result_id"] == result["result_id"] == rows["result_rows"][0]["result_id"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.csv", b"a,b\n1\n", "row 2: 1 cells under 2 columns"),
        ("g.csv", b"", "is empty"),
        ("g.csv", b"a\n\xff\n", "line 2: byte 0xff is not UTF-8"),
        ("g.json", b"[[1,2],[3]]", "row 2: 1 values, the first row has 2"),
        ("g.json", b'{"a": [1], "b": []}', "differ in length"),
        ("g.json", b"3", "is a number, not a list"),
        ("g.json", b"[[1,]]", "line 1, column 5"),
    ],
)
def test_errors_name_the_place(name: str, content: bytes, message: str) -> None:
    with pytest.raises(GlueError, match=message):
        read_stored_result(Path(name), content)


def test_a_column_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(GlueError, match="no column 'citty'") as error:
        of_csv("city,n\nx,1\n", columns=["citty"])
    assert error.value.hint == "did you mean 'city'?"
    with pytest.raises(GlueError, match="no column 2"):
        of_csv("city,n\nx,1\n", columns=[2])


def test_defog_alternatives_and_column_choices() -> None:
    assert expand_gold_notation("SELECT a FROM t; SELECT b FROM t;") == ["SELECT a FROM t", "SELECT b FROM t"]
    assert expand_gold_notation("SELECT {a, b}, count(*) FROM t GROUP BY {}") == [
        "SELECT a, count(*) FROM t GROUP BY a",
        "SELECT b, count(*) FROM t GROUP BY b",
        "SELECT a, b, count(*) FROM t GROUP BY a, b",
    ]


def test_defog_braces_and_semicolons_in_quotes_are_text() -> None:
    sql = "SELECT a FROM t WHERE b = '{x,y};'"
    assert expand_gold_notation(sql) == [sql]


def test_defog_expressions_with_commas_and_aliases() -> None:
    found = expand_gold_notation("SELECT {coalesce(a, b) AS c, d} FROM t GROUP BY {}")
    assert found[0] == "SELECT coalesce(a, b) AS c FROM t GROUP BY coalesce(a, b)"
    assert len(found) == 3


def test_defog_choices_are_bounded() -> None:
    with pytest.raises(GlueError, match="511 statements"):
        expand_gold_notation("SELECT {a, b, c, d, e, f, g, h, i} FROM t")


def test_every_published_defog_gold_expands(shared_data: Path) -> None:
    import csv

    n_statements = 0
    for path in sorted((shared_data / "defog" / "data").glob("*_postgres.csv")):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                found = expand_gold_notation(row["query"])
                assert found and not any("{" in sql for sql in found)
                n_statements += len(found)
    assert n_statements > 314  # 210 + 40 + 64 questions, some with alternatives
