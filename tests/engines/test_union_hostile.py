"""What hostile statements cannot do in a union, run by worker processes, and what becomes of odd unions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glue.engines.base import MAX_MEMBERS
from glue.execute import Statement
from glue.home import Home
from glue.unions import UnionMember
from tests.engines.test_hostile import ENDLESS, LIMITED, MAKERS, REFUSED, SCRIPT, SLACK_MS, STUBBORN
from tests.execution_helpers import MEBIBYTE, run, sha256, sqlite_database
from tests.sql.renaming import renamed


def union_of(paths: dict[str, Path], *absent: str) -> tuple[UnionMember, ...]:
    """The union of some files, each with its table `t`, and of databases without a file."""
    members = [
        UnionMember(name, sha256(path), str(path), (("t", f"{name}__t"),)) for name, path in paths.items()
    ]
    return (*members, *(UnionMember(name, None, None, (("t", f"{name}__t"),)) for name in absent))


class Attack:
    """Runs hostile statements on a union of two files, a harmless one after each; no file may change."""

    def __init__(self, engine: str, folder: Path, home: Home) -> None:
        self.engine = engine
        self.folder = folder
        self.home = home
        self.paths = {name: MAKERS[engine](folder / f"{name}.{engine}", SCRIPT) for name in ("x", "y")}

    def executions(self, sqls: list[str], **options: Any) -> list[dict[str, Any]]:
        texts = {}
        for number, sql in enumerate(sqls):
            texts[f"hostile {number}"] = sql.replace("{folder}", str(self.folder).replace("'", "''"))
            texts[f"next {number}"] = f"select count(*) + {number} from x__t"
        engine = f"{self.engine}_union"
        pending = [Statement(key, engine, "u", None, "untouched", sql) for key, sql in texts.items()]
        before = self._state()
        writer, _ = run(self.home, pending, unions={"u": union_of(self.paths)}, **options)
        assert self._state() == before
        executions = writer.executions()
        for number in range(len(sqls)):
            following = executions[f"next {number}"]
            assert following["outcome"] == "answered", (sqls[number], following)
            assert writer.cells(following["result_id"]) == [[f"n:{10 + number}"]]
        return [executions[f"hostile {number}"] for number in range(len(sqls))]

    def on_the_union(self, sqls: dict[str, list[str]]) -> list[str]:
        """Statements on the table `t`, as statements on the union."""
        return [renamed(sql, {"t": "x__t"}, self.engine) for sql in sqls[self.engine]]

    def _state(self) -> tuple[list[str], list[Path]]:
        folders = [self.folder, Path.cwd(), Path("/")]
        files = sorted(path for folder in folders for path in folder.iterdir() if path.name != "__pycache__")
        return [sha256(path) for path in self.paths.values()], files


@pytest.fixture(params=["sqlite", "duckdb"])
def attack(request: pytest.FixtureRequest, tmp_path: Path, home: Home) -> Attack:
    folder = tmp_path / "it's"
    folder.mkdir()
    return Attack(str(request.param), folder, home)


def test_what_is_no_read_does_nothing(attack: Attack) -> None:
    sqls = REFUSED[attack.engine]
    sqls = [*sqls, *(sql.replace(" t", " x__t") for sql in sqls)]
    for sql, execution in zip(sqls, attack.executions(sqls), strict=True):
        assert execution["outcome"] in ("refused", "failed"), (sql, execution)
        assert execution["error_message"], sql
        assert not execution["is_killed"], sql
    assert not Path("/tmp/evalhouse-copied.csv").exists()


def test_what_is_too_large_fails(attack: Attack) -> None:
    sqls = attack.on_the_union(LIMITED)
    for sql, execution in zip(sqls, attack.executions(sqls, timeout_s=20.0), strict=True):
        assert execution["outcome"] == "failed", (sql[:80], execution)
        assert execution["error_class"] in ("too_complex", "resource"), (sql[:80], execution)


def test_what_would_not_end_is_interrupted(attack: Attack) -> None:
    sqls = attack.on_the_union(ENDLESS)
    for sql, execution in zip(sqls, attack.executions(sqls, timeout_s=0.5), strict=True):
        assert (execution["outcome"], execution["is_killed"]) == ("timed_out", False), (sql[:80], execution)
        assert 400 < execution["elapsed_ms"] < 500 + SLACK_MS, (sql[:80], execution)


@pytest.mark.slow
def test_what_does_not_hear_is_killed(attack: Attack) -> None:
    options: dict[str, Any] = {"timeout_s": 1.0, "max_memory_bytes": 4096 * MEBIBYTE}
    sqls = STUBBORN[attack.engine]
    for sql, execution in zip(sqls, attack.executions(sqls, **options), strict=True):
        assert (execution["outcome"], execution["is_killed"]) == ("timed_out", True), (sql[:80], execution)
        assert 1_900 < execution["elapsed_ms"] < 1_000 + SLACK_MS, (sql[:80], execution)


# --- As `glue execute` runs them ----------------------------------------------------------------------------


def test_copies_are_made_of_each_member_once(tmp_path: Path, home: Home) -> None:
    paths = {
        name: sqlite_database(tmp_path / f"{name}.sqlite", SCRIPT + f"insert into t values (0, '{name}');")
        for name in ("x", "y")
    }
    unions = {
        "both": union_of(paths),
        "x alone": union_of({"x": paths["x"]}),
        "y alone": union_of({"y": paths["y"]}, "z"),
    }
    pending = [
        Statement("1", "sqlite_union", "both", None, "prepared", "select count(*) from x__t, y__t"),
        Statement("2", "sqlite_union", "x alone", None, "prepared", "select count(*) from x__t"),
        Statement("3", "sqlite_union", "x alone", None, "prepared", "select count(*) from y__t"),
        Statement("4", "sqlite_union", "y alone", None, "prepared", "select count(*) from y__t"),
        Statement("5", "sqlite_union", "y alone", None, "prepared", "select count(*) from z__t"),
        Statement("6", "sqlite_union", "nobody's", None, "prepared", "select 1"),
    ]
    writer, summary = run(home, pending, unions=unions, workers=2)
    found = {key: (row["outcome"], row.get("error_class")) for key, row in writer.executions().items()}
    assert found == {
        "1": ("answered", None),
        "2": ("answered", None),
        "3": ("failed", "unknown_table"),
        "4": ("answered", None),
        "5": ("failed", "no_data"),
        "6": ("no_database", "connection"),
    }
    assert {row["snapshot_id"] for row in writer.rows["prepared_copies"]} == {
        sha256(path) for path in paths.values()
    }
    assert summary.n_copies_made == len(list((home.cache / "prepared").glob("*.sqlite"))) == 2
    assert {row["engine"] for row in writer.executions().values()} == {"sqlite_union"}


def test_a_member_that_has_changed_is_not_run(tmp_path: Path, home: Home) -> None:
    path = sqlite_database(tmp_path / "x.sqlite", SCRIPT)
    unions = {"u": (UnionMember("x", "0" * 64, str(path), (("t", "x__t"),)),)}
    pending = [Statement("1", "sqlite_union", "u", None, "untouched", "select count(*) from x__t")]
    writer, summary = run(home, pending, unions=unions)
    assert writer.executions()["1"]["outcome"] == "no_database"
    assert "has changed" in summary.warnings[0]


def test_too_many_databases_is_an_outcome_of_the_statement(tmp_path: Path, home: Home) -> None:
    path = sqlite_database(tmp_path / "x.sqlite", SCRIPT)
    unions = {"u": union_of({f"m{number:02}": path for number in range(MAX_MEMBERS + 1)})}
    pending = [Statement("1", "sqlite_union", "u", None, "untouched", "select count(*) from m00__t")]
    writer, _ = run(home, pending, unions=unions)
    execution = writer.executions()["1"]
    assert (execution["outcome"], execution["error_class"]) == ("failed", "too_many_databases")
