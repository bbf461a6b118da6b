"""The loop: hostile statements cost themselves alone, and a killed run goes on where it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from glue import landing
from glue.divergence.outcome import VERSION
from glue.home import Home
from glue.landing import Writer, landed_keys
from tests.divergence.helpers import write_shop
from tests.divergence.loop_helpers import PENDING, pending_rows, run_wave
from tests.execution_helpers import MemoryWriter, sha256

ROOT = Path(__file__).resolve().parents[2]
GOLD = "SELECT id FROM orders WHERE total > 20"
HOSTILE = {
    "attach": "ATTACH 'stolen.db' AS x",
    "write": "DELETE FROM orders",
    "two statements": "SELECT id FROM orders; DROP TABLE orders",
    "pragma": "SELECT * FROM pragma_database_list",
    "endless": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    "much": "SELECT length(hex(zeroblob(1000000000))) FROM orders",
    "file": "SELECT readfile('/etc/passwd')",
    "honest": "SELECT id FROM orders WHERE total >= 20",
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return write_shop(tmp_path / "shop.sqlite")


def test_hostile_statements_are_contained(home: Home, database: Path) -> None:
    """As predictions they are pairs like others: what is no read fails on every instance, or is refused."""
    landing.ensure(home)
    before, files = sha256(database), sorted(home.root.rglob("*"))
    writer = MemoryWriter()
    run_wave(home, database, {name: (GOLD, sql) for name, sql in HOSTILE.items()}, writer, timeout_s=8)
    found = {row["divergence_id"]: row for row in writer.rows["divergence_checks"]}
    assert found.keys() == HOSTILE.keys()
    assert found["honest"]["outcome"] == "diverges"
    assert found["endless"]["reason"] == "prediction_times_out"
    for name in ("attach", "write", "pragma", "file", "much", "two statements"):
        assert found[name]["outcome"] in ("diverges", "not_decidable"), found[name]
        assert found[name]["kind"] in ("fails", None)
    assert sha256(database) == before
    assert not (ROOT / "stolen.db").exists() and not Path("/stolen.db").exists()
    assert [path for path in sorted(home.root.rglob("*")) if path not in files and path.suffix == ".db"] == []


def test_a_check_lands_with_its_witness(home: Home, database: Path) -> None:
    landing.ensure(home)
    writer = MemoryWriter()
    summary = run_wave(home, database, {"boundary": (GOLD, HOSTILE["honest"])}, writer)
    (row,) = writer.rows["divergence_checks"]
    assert summary.outcomes == Counter({"diverges": 1})
    assert row["checker_version"] == VERSION
    witness = json.loads(row["witness"])
    assert set(witness) == {"orders"}
    (order,) = witness["orders"]["rows"]
    assert order[witness["orders"]["columns"].index("total")] == 20
    assert json.loads(row["gold_rows"]) == []
    assert len(json.loads(row["predicted_rows"])) == 1


def test_a_changed_file_is_no_database(home: Home, database: Path) -> None:
    landing.ensure(home)
    rows = pending_rows(database, {"pair": (GOLD, HOSTILE["honest"])})
    database.write_bytes(database.read_bytes() + b"\0" * 4096)
    assert rows[0]["snapshot_id"] != sha256(database)
    from glue.divergence.command import due_checks
    from glue.divergence.wave import CheckWave
    from glue.divergence.worker import CheckSettings
    from glue.execute_landing import Summary
    from glue.execute_work import TimeLimits
    from glue.progress import Silent

    writer = MemoryWriter()
    CheckWave(
        home=home,
        statements=due_checks(home, rows),
        limits=TimeLimits(10, 10),
        settings=CheckSettings(0, 0, 512 << 20, n_instances=10),
        indexes=(),
        unions={},
        addresses={},
        writer=writer,
        progress=Silent(),
        summary=Summary(),
        stored=set(),
        unkept=set(),
        n_workers=1,
    ).run()
    (row,) = writer.rows["divergence_checks"]
    assert row["outcome"] == "failed" and row["reason"].startswith("no_database")


def test_what_has_landed_is_not_checked_again(home: Home, database: Path) -> None:
    pairs = dict(list(PENDING.items())[:3])
    with Writer(home, loop="diverge") as writer:
        first = run_wave(home, database, pairs, writer)
    with Writer(home, loop="diverge") as writer:
        second = run_wave(home, database, pairs, writer)
    assert (first.n_run, second.n_run) == (3, 0)


def test_a_killed_run_goes_on_where_it_was(home: Home, database: Path) -> None:
    landing.ensure(home)
    command = [sys.executable, "-m", "tests.divergence.loop_process", str(home.root), str(database)]
    process = subprocess.Popen(command, cwd=ROOT)
    deadline = time.monotonic() + 120
    while not _has_appended(home) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.poll() is None, "it ended before it could be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()
    with Writer(home, loop="diverge") as writer:
        before = Counter(_landed(home))
        assert before
        run_wave(home, database, PENDING, writer)
    after = Counter(_landed(home))
    assert set(after) == set(PENDING)
    assert all(after[key] == n for key, n in before.items()), "what had landed was checked again"
    columns = ["check_id", "divergence_id", "outcome"]
    for row in landed_keys(home, "divergence_checks", columns=columns).to_pylist():
        is_even = int(row["divergence_id"].removeprefix("pair-")) % 2 == 0
        assert row["outcome"] == ("diverges" if is_even else "stays_equal")


def _has_appended(home: Home) -> bool:
    """Is something in a journal?"""
    return any(path.stat().st_size > 500 for path in (home.landing / "_journals").glob("*.journal"))


def _landed(home: Home) -> list[str]:
    return landed_keys(home, "divergence_checks", columns=["check_id", "divergence_id"])[
        "divergence_id"
    ].to_pylist()
