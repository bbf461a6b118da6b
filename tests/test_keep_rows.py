"""`glue execute --keep-rows`: which rows land, and what the verdicts are without them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from glue.build import refresh
from glue.cells import multiset_signature, row_digest, set_signature
from glue.connections import Connection, store
from glue.execute import Statement
from glue.handoff import pending_statements
from glue.home import Home
from glue.landing import Writer, compact
from glue.progress import Silent
from glue.run import ExecuteOptions, execute_pending
from tests.commands import rows_of
from tests.engines.servers import Server, Servers
from tests.execution_helpers import MemoryWriter, run, sha256, sqlite_database, statements
from tests.live_rows import SNAPSHOT, land_benchmark, land_predictions

SCRIPT = (
    "create table t (n integer, name varchar(9));"
    " insert into t values (1, 'a'), (2, 'b'), (3, 'c'), (3, 'c');"
)
UP, DOWN = "select n from t order by n", "select n from t order by n desc"
ONCE = "select distinct n from t order by n"
CELLS = [("n:1",), ("n:2",), ("n:3",), ("n:3",)]
SIGNATURES = (
    multiset_signature({row_digest(CELLS[0]): 1, row_digest(CELLS[1]): 1, row_digest(CELLS[2]): 2}),
    set_signature(map(row_digest, CELLS)),
)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return sqlite_database(tmp_path / "t.sqlite", SCRIPT)


@pytest.fixture
def server(servers: Servers) -> Server:
    servers["postgresql"].run(f"drop table if exists t; {SCRIPT}")
    return servers["postgresql"]


def stored(writer: MemoryWriter, key: str) -> dict[str, Any]:
    """The row of a statement's result."""
    return writer.result(writer.executions()[key]["result_id"])


def n_rows_of(writer: MemoryWriter) -> int:
    return len(writer.rows.get("result_rows", []))


# What lands


def test_none_lands_signatures_and_no_row(home: Home, database: Path) -> None:
    kept, _ = run(home, statements(database, {"up": UP}))
    writer, summary = run(home, statements(database, {"up": UP, "empty": f"{UP} limit 0"}), keep_rows="none")
    row = stored(writer, "up")
    assert (row["n_rows"], row["n_stored_rows"], row["is_cut"], row["is_kept"]) == (4, 0, False, False)
    assert (row["cut_multiset_signature"], row["cut_set_signature"]) == SIGNATURES
    assert row["result_id"] == stored(kept, "up")["result_id"]
    assert n_rows_of(writer) == 0
    assert stored(writer, "empty")["is_kept"], "there was no row to leave out"
    assert summary.n_results == 2


def test_all_lands_rows_and_no_signature(home: Home, database: Path) -> None:
    writer, _ = run(home, statements(database, {"up": UP}))
    row = stored(writer, "up")
    assert (row["n_stored_rows"], row["is_kept"], row["cut_multiset_signature"]) == (4, True, None)
    assert n_rows_of(writer) == 4


def test_a_cut_result_has_one_name_with_and_without_rows(home: Home, database: Path) -> None:
    kept, _ = run(home, statements(database, {"up": UP}), max_rows=3)
    writer, _ = run(home, statements(database, {"up": UP}), max_rows=3, keep_rows="none")
    row, of_kept = stored(writer, "up"), stored(kept, "up")
    assert (row["is_cut"], row["is_kept"], row["n_stored_rows"]) == (True, False, 0)
    assert (of_kept["is_cut"], of_kept["is_kept"], of_kept["n_stored_rows"]) == (True, True, 3)
    for column in ("result_id", "cut_multiset_signature", "cut_set_signature"):
        assert row[column] == of_kept[column]


def landed(home: Home, database: Path, key: str, keep_rows: Any) -> None:
    with Writer(home, loop="execute", command="test") as writer:
        from glue.execute import execute

        execute(home, statements(database, {key: UP}), writer=writer, workers=1, keep_rows=keep_rows)


@pytest.mark.parametrize(("first", "second"), [("all", "none"), ("none", "all")])
def test_rows_that_landed_once_stay(home: Home, database: Path, first: str, second: str) -> None:
    """Whichever way round, also after compaction, in which the newest row of a key counts."""
    import duckdb

    landed(home, database, "first", first)
    landed(home, database, "second", second)
    compact(home)
    with duckdb.connect() as connection:
        files = f"'{home.landing}/results/compact*.parquet'"
        found = connection.sql(f"select is_kept, n_stored_rows from {files}").fetchall()
        n_rows = connection.sql(f"from '{home.landing}/result_rows/*.parquet'").count("*").fetchall()
    assert found == [(True, 4)]
    assert n_rows == [(4,)]


def test_on_a_file_mismatches_keeps_what_it_cannot_compare(home: Home, database: Path) -> None:
    writer, _ = run(home, statements(database, {"up": UP, "down": DOWN}), keep_rows="mismatches")
    assert stored(writer, "up")["is_kept"] and stored(writer, "down")["is_kept"]


# What equals its golds, on a server


def live(server: Server, sqls: Mapping[str, tuple[str, tuple[str, ...]]]) -> list[Statement]:
    """Statements with what needs them; those whose key begins with 'gold' are golds."""
    return [
        Statement(
            key, server.engine, SNAPSHOT, None, "untouched", sql, is_gold=key.startswith("gold"),
            connection="here", search_path=server.search_path, needed_by=needed_by,
        )
        for key, (sql, needed_by) in sqls.items()
    ]  # fmt: skip


def kept_of(home: Home, server: Server, sqls: Mapping[str, tuple[str, tuple[str, ...]]]) -> dict[str, bool]:
    """By statement, whether its result landed with its rows."""
    addresses = {("here", server.search_path): server.address}
    writer, _ = run(home, live(server, sqls), addresses=addresses, workers=2, keep_rows="mismatches")
    results = {row["result_id"]: row for row in writer.rows["results"]}
    assert len(results) == len(writer.rows["results"])
    for key, row in results.items():
        assert len(writer.cells(key)) == (row["n_rows"] if row["is_kept"] else 0)
    return {row["statement_id"]: results[row["result_id"]]["is_kept"]
            for row in writer.rows["executions"] if row["outcome"] == "answered"}  # fmt: skip


def test_mismatches_lands_golds_and_what_differs(home: Home, server: Server) -> None:
    kept = kept_of(
        home,
        server,
        {
            "gold": (UP, ("same", "reordered", "once")),
            "same": (f"/* same */ {UP}", ()),
            "reordered": (DOWN, ()),
            "once": (ONCE, ()),
            "nobody's": ("select 1", ()),
        },
    )
    # What is the gold's own result is stored as the gold's.
    assert kept == {"gold": True, "same": True, "reordered": False, "once": True, "nobody's": True}


def test_mismatches_lands_what_differs_from_one_of_its_golds(home: Home, server: Server) -> None:
    """One text may answer two questions; where an order is asked for, the probe of its ties is a gold too."""
    sqls = {"gold one": (UP, ("p",)), "gold two": (ONCE, ("p",)), "p": (DOWN, ())}
    assert kept_of(home, server, sqls)["p"]


def test_mismatches_lands_what_has_a_gold_that_failed(home: Home, server: Server) -> None:
    assert kept_of(home, server, {"gold": ("select nothing from t", ("p",)), "p": (DOWN, ())})["p"]


# Verdicts

GOLDS = {
    "same": "select n from t where n < 2",
    "shuffled": "select n, 1 from t",
    "ordered": "select n, 2 from t order by n desc",
    "duplicates": "select n, 3 from t",
    "other columns": "select n, name from t",
    "no rows": "select n from t where n > 9",
}
ANSWERS = {
    "same": "select n from t where n = 1",
    "shuffled": "select n, 1 from t order by n desc",
    "ordered": "select n, 2 from t order by n",
    "duplicates": "select distinct n, 3 from t order by n",
    "other columns": "select name, n from t",
    "no rows": "select n from t where n > 8",
}
VERDICTS = ("ex", "ex_set", "ex_multiset", "ex_strict", "ex_permuted", "ex_projection", "ex_tolerant")
OF_SIGNATURES = ("ex_set", "ex_multiset")


@dataclass
class Judged:
    """Verdicts by question, and how many rows landed."""

    matches: dict[str, dict[str, Any]]
    n_rows: int
    n_pending: int

    def of(self, name: str, *columns: str) -> tuple[Any, ...]:
        """Some columns of a question's answer."""
        return tuple(self.matches[name][column] for column in columns)


def judged(home: Home, keep_rows: Any) -> Judged:
    land_predictions(home, "alpha", ANSWERS)
    execute_pending(home, ExecuteOptions(workers=2, keep_rows=keep_rows), Silent())
    refresh(home, "execution_match")
    refresh(home, "pending_statements")
    matches = rows_of(home.root, "select * from execution_match where prediction_set = 'alpha'")
    ((count,),) = [tuple(row.values()) for row in rows_of(home.root, "select count(*) from stg_result_rows")]
    return Judged({row["question_id"]: row for row in matches}, count, len(pending_statements(home)))


def on_file(root: Path, keep_rows: str) -> Judged:
    home = Home(root)
    path = sqlite_database(root / "t.sqlite", SCRIPT)
    file = {"engine": "sqlite", "snapshot_id": sha256(path), "path": str(path)}
    land_benchmark(home, GOLDS, file)
    return judged(home, keep_rows)


def on_server(root: Path, server: Server, keep_rows: str) -> Judged:
    home = Home(root)
    address = server.address
    store(
        home, Connection("here", address.engine, address.host, address.port, address.database, address.user)
    )
    land_benchmark(home, GOLDS)
    return judged(home, keep_rows)


def check_none(with_rows: Judged, without: Judged) -> None:
    """Signatures say the same with and without rows; all else is what they say, or NULL with its reason."""
    assert with_rows.n_rows > 0
    assert without.n_rows == 0
    assert (with_rows.n_pending, without.n_pending) == (0, 0)
    for name in GOLDS:
        assert without.of(name, *OF_SIGNATURES) == with_rows.of(name, *OF_SIGNATURES), name
        for verdict in VERDICTS:
            assert without.matches[name][verdict] in (None, with_rows.matches[name][verdict]), (name, verdict)
        if None in without.of(name, "ex"):
            assert without.of(name, "outcome", "reason") == ("cut", "rows_not_kept")
    assert without.of("same", "outcome", "ex") == ("match", True)
    assert without.of("no rows", "outcome", "reason", "ex") == ("match", "match_empty", True)
    assert without.of("shuffled", "ex", *OF_SIGNATURES) == (True, True, True)
    assert with_rows.of("ordered", "outcome", "reason", "ex_multiset") == ("mismatch", "order", True)
    assert without.of("ordered", "outcome", "reason", "ex") == ("cut", "rows_not_kept", None)
    assert without.of("duplicates", "ex", *OF_SIGNATURES) == (False, True, False)
    assert with_rows.of("other columns", "ex", "ex_permuted") == (False, True)
    assert without.of("other columns", "ex", "ex_permuted", "reason") == (False, None, "rows_not_kept")


@pytest.mark.slow
def test_verdicts_of_a_file_without_rows(tmp_path_factory: pytest.TempPathFactory) -> None:
    kept, unkept = (on_file(tmp_path_factory.mktemp(name), name) for name in ("all", "none"))
    check_none(kept, unkept)


@pytest.mark.slow
def test_verdicts_of_a_server_without_rows(
    tmp_path_factory: pytest.TempPathFactory, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "EVALHOUSE_HERE_PASSWORD", server.password)
    kept, unkept, mismatches = (
        on_server(tmp_path_factory.mktemp(name), server, name) for name in ("all", "none", "mismatches")
    )
    check_none(kept, unkept)
    assert 0 < mismatches.n_rows < kept.n_rows
    for name in GOLDS:
        columns = ("outcome", "reason", "ex", *OF_SIGNATURES)
        assert mismatches.of(name, *columns) == kept.of(name, *columns), name
