"""`glue query`: formats, escapes, notes and errors, on a warehouse of a few literal rows."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow.parquet as parquet
import pytest

from glue.errors import GlueError
from glue.home import Home
from glue.query import output_file, query, render_table, visible

NASTY = "[red]not markup[/red] \x1b[31m\r\n\u202e中文 👩\u200d🔬 \x00"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A warehouse with one table of three rows, built just now."""
    with duckdb.connect(str(tmp_path / "warehouse.duckdb")) as connection:
        connection.execute("create table leaderboard (prediction_set varchar, value double, note varchar)")
        connection.execute(
            "insert into leaderboard values ('alpha', 0.5, ?), ('beta', 0.25, ''), ('gamma', null, null)",
            [NASTY],
        )
        connection.execute("create table build_state as select now() as build_started_at")
    return Home(tmp_path)


def ran(home: Home, sql: str, format_name: str = "table", **options: int | bool) -> tuple[str, list[str]]:
    out = io.BytesIO()
    notes = query(home, sql, format_name, out, **options)  # type: ignore[arg-type]
    return out.getvalue().decode(), notes


def test_table_shows_every_row_and_no_row_is_markup(home: Home) -> None:
    text, notes = ran(home, "select * from leaderboard order by prediction_set")
    assert notes == []
    assert "[red]not markup[/red]" in text
    assert "\\x1b[31m\\r\\n\\u202e中文 👩\u200d🔬 \\x00" in text
    assert [line.split()[0] for line in text.splitlines()[2:]] == ["alpha", "beta", "gamma"]
    assert text.splitlines()[-1].split() == ["gamma", "NULL", "NULL"]
    assert "\x1b" not in text


def test_table_keeps_to_the_terminal(home: Home) -> None:
    text, _ = ran(home, "select repeat('ab ', 60) as long, 7 as number", width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert text.count("ab") == 60


def test_more_columns_than_fit_become_records(home: Home) -> None:
    text, _ = ran(home, "select " + ", ".join(f"{n} as column_{n}" for n in range(500)), width=80)
    lines = text.splitlines()
    assert lines[0] == "row 1"
    assert lines[500].split() == ["column_499", "499"]


def test_long_cells_are_cut_only_in_the_table(home: Home) -> None:
    text, _ = ran(home, "select repeat('x', 10000000) as cell")
    assert len(text) < 3000 and "(10,000,000 characters)" in text
    text, _ = ran(home, "select repeat('x', 10000000) as cell", "csv")
    assert len(text) == 10_000_000 + len("cell\n\n")


def test_rows_past_the_table_limit_are_announced(home: Home) -> None:
    text, notes = ran(home, "select * from range(1001)")
    assert len(text.splitlines()) == 1002
    assert notes == ["1 more rows are not shown (hint: --format csv shows all)"]


def test_csv_tells_null_from_empty_and_keeps_every_byte(home: Home) -> None:
    text, _ = ran(home, "select prediction_set, note from leaderboard order by 1", "csv")
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["prediction_set", "note"],
        ["alpha", NASTY],
        ["beta", ""],
        ["gamma", ""],
    ]
    assert text.endswith('beta,""\ngamma,\n')


def test_csv_writes_values_as_duckdb_would(home: Home) -> None:
    text, _ = ran(
        home,
        "select true, date '2024-01-31', timestamp '2024-01-31 10:00:00', 1.50::decimal(5,2), [1, 2], "
        "'\\xAB'::blob",
        "csv",
    )
    assert text.splitlines()[1] == 'true,2024-01-31,2024-01-31 10:00:00,1.50,"[1, 2]",\\xab'


def test_json_is_one_array_of_objects(home: Home) -> None:
    text, _ = ran(home, "select *, 'nan'::double as odd from leaderboard order by 1", "json")
    rows = json.loads(text)
    assert rows[0] == {"prediction_set": "alpha", "value": 0.5, "note": NASTY, "odd": "nan"}
    assert rows[2] == {"prediction_set": "gamma", "value": None, "note": None, "odd": "nan"}
    assert ran(home, "select 1 where false", "json")[0] == "[]\n"


def test_json_keeps_columns_of_one_name_and_large_numbers(home: Home) -> None:
    text, _ = ran(
        home, "select 1 as a, 2 as a, 9007199254740993 as whole, {'k': [1.25, null]} as nested", "json"
    )
    assert json.loads(text) == [{"a": 1, "a_1": 2, "whole": 9007199254740993, "nested": {"k": [1.25, None]}}]


def test_parquet_keeps_types(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    with output_file(path) as out:
        query(
            home, "select prediction_set, value, value as value from leaderboard order by 1", "parquet", out
        )
    table = parquet.read_table(path)
    assert table.column_names == ["prediction_set", "value", "value_1"]
    assert table["value"].to_pylist() == [0.5, 0.25, None]
    assert [entry.name for entry in tmp_path.iterdir() if "out" in entry.name] == ["out.parquet"]


def test_a_failed_statement_leaves_no_file(home: Home, tmp_path: Path) -> None:
    with pytest.raises(GlueError), output_file(tmp_path / "out.csv") as out:
        query(home, "select nonsense", "csv", out)
    assert not list(tmp_path.glob("*out.csv*"))


@pytest.mark.parametrize("name", [".", "folder"])
def test_a_folder_is_no_file_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(GlueError, match="it is a folder"), output_file(Path(name)):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_an_unknown_table_names_the_nearest(home: Home) -> None:
    with pytest.raises(GlueError) as caught:
        ran(home, "select * from leaderbord")
    assert "leaderbord does not exist" in caught.value.message
    assert "leaderboard" in (caught.value.hint or "")


@pytest.mark.parametrize("sql", ["", "select 1; select 2", "-- nothing"])
def test_one_statement_only(home: Home, sql: str) -> None:
    with pytest.raises(GlueError, match="expected one statement"):
        ran(home, sql)


def test_nothing_is_written(home: Home) -> None:
    with pytest.raises(GlueError) as caught:
        ran(home, "delete from leaderboard")
    assert caught.value.hint == "`glue query` only reads; the warehouse is written by `dbt build` alone"
    assert "3" in ran(home, "select count(*) from leaderboard")[0]


def test_no_warehouse_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(GlueError) as caught:
        ran(Home(tmp_path), "select 1")
    assert "there is no warehouse at" in caught.value.message
    assert "glue build" in (caught.value.hint or "")


def test_a_locked_warehouse_names_the_process(home: Home) -> None:
    code = "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(home.warehouse)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(GlueError) as caught:
            ran(home, "select 1")
        assert f"process {holder.pid}" in caught.value.message
        assert "import sys, duckdb" in caught.value.message
        assert f"kill {holder.pid}" in (caught.value.hint or "")
    finally:
        holder.communicate()


def test_what_landed_since_the_last_whole_build_is_announced(home: Home) -> None:
    from glue.landing import Writer

    assert ran(home, "select 1")[1] == []
    time.sleep(0.05)  # file times are coarser than the clock
    with Writer(home, loop="generate") as writer:
        writer.append("runs", [{"run_id": "r", "started_at": datetime.now(UTC)}])
    assert ran(home, "select 1")[1] == [
        "the warehouse is older than what has landed (hint: `glue build`, or `dbt build`)"
    ]
    with duckdb.connect(str(home.warehouse)) as connection:
        connection.execute(
            "update build_state set build_started_at = ?", [datetime.now(UTC) + timedelta(seconds=1)]
        )
    assert ran(home, "select 1")[1] == []


def test_a_table_that_is_not_built_yet_is_no_misspelling(home: Home) -> None:
    from glue.landing import Writer

    time.sleep(0.05)  # file times are coarser than the clock
    with Writer(home, loop="generate") as writer:
        writer.append("runs", [{"run_id": "r", "started_at": datetime.now(UTC)}])
    with pytest.raises(GlueError, match="Table with name leaderbord") as caught:
        ran(home, "from leaderbord")
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("`glue build` may make it; Did you mean")


def test_visible_keeps_what_people_read() -> None:
    assert visible("naïve 中文 👩\u200d🔬") == "naïve 中文 👩\u200d🔬"
    assert visible("a\tb\u2028c\x7f") == "a\\tb\\u2028c\\x7f"


def test_a_table_without_rows_still_names_its_columns() -> None:
    assert render_table(["a", "b"], []).split()[:2] == ["a", "b"]


def test_only_the_table_rounds(home: Home) -> None:
    assert ran(home, "select 2/3 as share, 438.0::double as n")[0].split()[-2:] == ["0.666667", "438.0"]
    assert ran(home, "select 2/3 as share", "csv")[0] == "share\n0.6666666666666666\n"
