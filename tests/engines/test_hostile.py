"""Hostile statements: nothing is written, nothing hangs, and the worker answers the next statement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glue.home import Home
from tests.execution_helpers import MEBIBYTE, duckdb_database, run, sha256, sqlite_database, statements

SCRIPT = """
create table t (i integer, s varchar);
insert into t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
insert into t select i + 5, s from t;
"""
TENFOLD = ", ".join(f"t as t{number}" for number in range(12))  # 10^12 rows

REFUSED = {
    "sqlite": [
        "drop table t",
        "delete from t returning *",
        "with x as (select 1) delete from t",
        "insert into t values (1, 'x') returning *",
        "update t set s = 'x'",
        "replace into t values (1, 'x')",
        "attach '{folder}/attached.db' as other",
        "vacuum into '{folder}/vacuumed.db'",
        "vacuum",
        "reindex",
        "analyze",
        "pragma writable_schema = 1",
        "pragma journal_mode = wal",
        "pragma user_version = 7",
        "pragma query_only = off",
        "select * from pragma_table_info('t')",
        "select * from pragma_query_only('off')",
        "select load_extension('{folder}/x.so')",
        "select load_extension('{folder}/x.so', 'entry')",
        "select writefile('{folder}/written', 'x')",
        "select readfile('/etc/hostname')",
        "create temp table x as select 1",
        "create virtual table x using fts5(y)",
        "begin exclusive",
        "savepoint x",
        "select 1; drop table t",
        "select 1;\n--\n; attach '{folder}/attached.db' as other",
        "explain delete from t",
        "copy t to '{folder}/copied'",
        "install json",
        "set x = 1",
        "prepare x as select 1",
        "execute x",
        "select * from read_csv('/etc/passwd')",
    ],
    "duckdb": [
        "drop table t",
        "delete from t returning *",
        "with x as (select 1) delete from t",
        "insert into t values (1, 'x') returning *",
        "update t set s = 'x'",
        "attach '{folder}/attached.db' as other",
        "vacuum",
        "checkpoint",
        "pragma disable_checkpoint_on_shutdown",
        "pragma enable_profiling",
        "select * from force_checkpoint()",
        "select * from read_csv('/etc/passwd')",
        "select * from read_blob('/etc/hostname')",
        "select * from '/etc/passwd'",
        "copy t to '{folder}/copied.csv'",
        "copy (select 1) to '/tmp/evalhouse-copied.csv'",
        "export database '{folder}/exported'",
        "import database '{folder}/exported'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set memory_limit = '100GB'",
        "reset lock_configuration",
        "prepare x as select 1",
        "execute x",
        "create temp table x as select 1",
        "create secret x (type s3)",
        "call enable_logging('QueryLog', storage = 'file', storage_path = '{folder}/log')",
        "select * from enable_profiling(save_location := '{folder}/profile.json')",
        "select 1; drop table t",
        "begin",
        "use memory",
        "explain analyze select 1",
    ],
}

LIMITED = {
    "sqlite": [
        f"select {'(' * 5000}1{')' * 5000}",
        f"select {'+'.join(['1'] * 5000)}",
        f"select '{'x' * 1_000_000}'",
        f"select 1 {'union select 1 ' * 2_000}",
        "select replace(hex(zeroblob(4e8)), '0', 'xx')",
        "select zeroblob(1000000000)",
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) "
        "select group_concat(hex(zeroblob(1000000))) from n",
        "select hex(randomblob(900000000))",
        "select zeroblob(30000000 + t.i * u.i) as b from t, t as u order by b",
    ],
    "duckdb": [
        f"select {'(' * 5000}1{')' * 5000}",
        f"select '{'x' * 1_000_000}'",
        "select range(3000000000)",
        "select * from range(3000000000) order by random()",
        "select count(distinct range) from range(3000000000)",
    ],
}

ENDLESS = {
    "sqlite": [
        f"select count(*) from {TENFOLD}",
        f"select * from {TENFOLD}",
        f"select t0.i from {TENFOLD} order by random()",
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
        "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n",
    ],
    "duckdb": [
        f"select sum(t0.i * t1.i + t2.i * random()) from {TENFOLD}",
        f"select t0.i from {TENFOLD} where t0.i + t11.i < random()",
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
    ],
}

STUBBORN = {
    "sqlite": [
        "with x as (select replace(hex(zeroblob(1000000)), '0', 'a') as s) "
        "select instr(s, substr(s, 1, 500000) || 'b') from x"
    ],
    "duckdb": [
        "select list_sum(list_transform(range(30000000), lambda x: sqrt(x)))",
        "select length(repeat('x', 1000000000))",
    ],
}

SLACK_MS = 11_000
"""What a statement may take beyond its limit: the second before it is killed, and ten for a busy machine."""

MAKERS = {"sqlite": sqlite_database, "duckdb": duckdb_database}


@pytest.fixture(params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Attack:
    """Runs hostile statements, a harmless one after each, and sees that nothing on disk has changed."""

    def __init__(self, engine: str, folder: Path, home: Home) -> None:
        self.engine = engine
        self.folder = folder
        self.home = home
        self.path = MAKERS[engine](folder / f"victim.{engine}", SCRIPT)

    def executions(self, sqls: list[str], **options: Any) -> list[dict[str, Any]]:
        before = (sha256(self.path), self._files())
        texts = {}
        for number, sql in enumerate(sqls):
            texts[f"hostile {number}"] = sql.replace("{folder}", str(self.folder))
            texts[f"next {number}"] = f"select count(*) + {number} from t"
        writer, _ = run(self.home, statements(self.path, texts, self.engine), **options)
        assert (sha256(self.path), self._files()) == before
        executions = writer.executions()
        for number in range(len(sqls)):
            following = executions[f"next {number}"]
            assert following["outcome"] == "answered", (sqls[number], following)
            assert writer.cells(following["result_id"]) == [[f"n:{10 + number}"]]
        return [executions[f"hostile {number}"] for number in range(len(sqls))]

    def _files(self) -> list[Path]:
        folders = [self.folder, Path.cwd(), Path("/")]
        return sorted(path for folder in folders for path in folder.iterdir() if path.name != "__pycache__")


@pytest.fixture
def attack(engine: str, tmp_path: Path, home: Home) -> Attack:
    folder = tmp_path / "data"
    folder.mkdir()
    return Attack(engine, folder, home)


def test_what_is_no_read_does_nothing(attack: Attack) -> None:
    sqls = REFUSED[attack.engine]
    for sql, execution in zip(sqls, attack.executions(sqls), strict=True):
        assert execution["outcome"] in ("refused", "failed"), (sql, execution)
        assert execution["error_message"], sql
        assert not execution["is_killed"], sql
    assert not Path("/tmp/evalhouse-copied.csv").exists()


def test_what_is_too_large_fails(attack: Attack) -> None:
    sqls = LIMITED[attack.engine]
    for sql, execution in zip(sqls, attack.executions(sqls, timeout_s=20.0), strict=True):
        assert execution["outcome"] == "failed", (sql[:80], execution)
        assert execution["error_class"] in ("too_complex", "resource"), (sql[:80], execution)


def test_what_would_not_end_is_interrupted(attack: Attack) -> None:
    sqls = ENDLESS[attack.engine]
    for sql, execution in zip(sqls, attack.executions(sqls, timeout_s=0.5), strict=True):
        assert (execution["outcome"], execution["is_killed"]) == ("timed_out", False), (sql[:80], execution)
        assert 400 < execution["elapsed_ms"] < 500 + SLACK_MS, (sql[:80], execution)


@pytest.mark.slow
def test_what_does_not_hear_is_killed(attack: Attack) -> None:
    sqls = STUBBORN[attack.engine]
    options: dict[str, Any] = {"timeout_s": 0.5, "max_memory_bytes": 4096 * MEBIBYTE}
    for sql, execution in zip(sqls, attack.executions(sqls, **options), strict=True):
        assert (execution["outcome"], execution["is_killed"]) == ("timed_out", True), (sql[:80], execution)
        assert 1_400 < execution["elapsed_ms"] < 500 + SLACK_MS, (sql[:80], execution)
