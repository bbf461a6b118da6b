"""Prepared copies: the snapshot's content, indexed, and the original never touched."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from pathlib import Path

import pytest

from glue.engines import engine_named
from glue.errors import GlueError
from glue.prepared import (
    DEFAULT_CACHE_BYTES,
    CopyStore,
    NotPrepared,
    SnapshotChanged,
    Snapshots,
    WantedIndex,
    cache_bytes,
    recipe_of,
)
from tests.execution_helpers import sha256, sqlite_database

SQLITE = engine_named("sqlite")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return sqlite_database(
        folder / "shop.sqlite",
        "create table shop (id integer primary key, `a ``b` text);"
        "insert into shop values (1, 'x'), (2, 'y');"
        "create table sale (shop integer, at text, primary key (shop, at));",
    )


def wanted(path: Path, *pairs: tuple[str, tuple[str, ...]]) -> list[WantedIndex]:
    return [WantedIndex(sha256(path), table, columns) for table, columns in pairs]


def indexes_of(path: Path) -> set[tuple[str, str]]:
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    rows = connection.execute(
        "select m.tbl_name, group_concat(i.name) from sqlite_master m, pragma_index_info(m.name) i "
        "where m.name like 'evalhouse%' group by m.name"
    ).fetchall()
    connection.close()
    return set(rows)


def test_a_copy_has_the_indexes_that_its_tables_can_have(database: Path, tmp_path: Path) -> None:
    before = sha256(database)
    indexes = wanted(
        database,
        ("shop", ("id",)),
        ("SHOP", ("a `b",)),
        ("sale", ("shop", "at")),
        ("sale", ("nothing",)),
        ("nobody", ("id",)),
    )
    copy = CopyStore(tmp_path / "cache", 1 << 30).obtain(database, before, indexes)
    assert (copy.n_indexes, copy.is_new) == (3, True)
    assert indexes_of(copy.path) == {("shop", "id"), ("shop", "a `b"), ("sale", "shop,at")}
    assert copy.n_bytes == copy.path.stat().st_size > 0
    assert copy.elapsed_ms > 0
    connection = sqlite3.connect(copy.path)
    assert connection.execute("select * from shop").fetchall() == [(1, "x"), (2, "y")]
    assert connection.execute("select count(*) from sqlite_stat1 where tbl = 'shop'").fetchone()[0] > 0
    connection.close()
    assert sha256(database) == before
    assert [path.name for path in database.parent.iterdir()] == ["shop.sqlite"]
    assert [path.name for path in copy.path.parent.iterdir()] == [copy.path.name]


def test_a_copy_without_indexes_has_no_statistics(database: Path, tmp_path: Path) -> None:
    """Statistics alone took a join of 0.03 s past any limit: SQLite then makes no index of its own for it."""
    copy = CopyStore(tmp_path / "cache", 1 << 30).obtain(database, sha256(database), [])
    with contextlib.closing(sqlite3.connect(copy.path)) as connection:
        names = {
            name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        }
    assert names == {"shop", "sale"}


def test_a_copy_is_made_once_per_snapshot_and_recipe(database: Path, tmp_path: Path) -> None:
    store = CopyStore(tmp_path / "cache", 1 << 30)
    first = store.obtain(database, sha256(database), [])
    again = CopyStore(tmp_path / "cache", 1 << 30).obtain(database, sha256(database), [])
    assert (again.path, again.is_new) == (first.path, False)
    other = store.obtain(database, sha256(database), wanted(database, ("shop", ("id",))))
    assert other.path != first.path


def test_a_recipe_is_its_indexes_in_any_order(database: Path) -> None:
    one, two = wanted(database, ("shop", ("id",)), ("sale", ("at",)))
    assert recipe_of([one, two]) == recipe_of([two, one, one])
    assert recipe_of([one]) != recipe_of([two])
    assert recipe_of([]).startswith("2-")


def test_a_file_in_wal_mode_is_copied_without_its_log(database: Path, tmp_path: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute("pragma journal_mode = wal")
    connection.close()
    copy = CopyStore(tmp_path / "cache", 1 << 30).obtain(database, sha256(database), [])
    assert [path.name for path in copy.path.parent.iterdir()] == [copy.path.name]
    assert copy.path.read_bytes()[18:20] == b"\x01\x01"


def test_another_content_makes_no_copy(database: Path, tmp_path: Path) -> None:
    with pytest.raises(SnapshotChanged, match="changed while it was copied"):
        CopyStore(tmp_path / "cache", 1 << 30).obtain(database, "0" * 64, [])
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_sqlite_cannot_read_makes_no_copy(tmp_path: Path) -> None:
    path = tmp_path / "broken.sqlite"
    path.write_bytes(b"SQLite format 3\0" + os.urandom(5_000))
    with pytest.raises(NotPrepared, match="no prepared copy of"):
        CopyStore(tmp_path / "cache", 1 << 30).obtain(path, sha256(path), [])
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_least_recently_used_copy_makes_room(tmp_path: Path) -> None:
    paths = [
        sqlite_database(tmp_path / f"{number}.sqlite", f"create table t{number} (a); analyze;")
        for number in range(3)
    ]
    folder = tmp_path / "cache"
    copies = []
    for age, path in enumerate(paths[:2]):
        copies.append(CopyStore(folder, 1 << 30).obtain(path, sha256(path), []).path)
        os.utime(copies[-1], (time.time() - 100 + age,) * 2)
    CopyStore(folder, 1 << 30).obtain(paths[0], sha256(paths[0]), [])  # used again: the other is older now
    n_bytes = copies[0].stat().st_size
    new = CopyStore(folder, 2 * n_bytes).obtain(paths[2], sha256(paths[2]), [])
    assert sorted(folder.iterdir()) == sorted([copies[0], new.path])


def test_copies_in_use_are_not_evicted(tmp_path: Path) -> None:
    first, second = (
        sqlite_database(tmp_path / f"{number}.sqlite", f"create table t{number} (a)") for number in range(2)
    )
    index = wanted(second, ("t1", ("a",)))
    made_bytes = CopyStore(tmp_path / "other", 1 << 30).obtain(second, sha256(second), index).n_bytes
    assert made_bytes > second.stat().st_size  # what index and statistics add
    store = CopyStore(tmp_path / "cache", 2 * made_bytes - 1)  # the second one fits until it is made
    copy = store.obtain(first, sha256(first), wanted(first, ("t0", ("a",))))
    with pytest.raises(NotPrepared, match="no room"):
        store.obtain(second, sha256(second), index)
    assert list((tmp_path / "cache").iterdir()) == [copy.path]


def test_what_a_killed_command_left_is_swept(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "half.123.part").write_text("half")
    CopyStore(folder, 1 << 30)
    assert list(folder.iterdir()) == []


def test_snapshots_are_known_by_content(database: Path, tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path / "memory.json")
    digest = hashlib.sha256(database.read_bytes()).hexdigest()
    assert snapshots.check(SQLITE, database, digest) == database
    with pytest.raises(SnapshotChanged, match=r"has changed: sha256 .* imported as 000000000000…"):
        snapshots.check(SQLITE, database, "0" * 64)
    with pytest.raises(SnapshotChanged, match="cannot be read: No such file"):
        snapshots.check(SQLITE, tmp_path / "missing", digest)
    with pytest.raises(SnapshotChanged, match="has no file"):
        snapshots.check(SQLITE, None, digest)


def test_a_file_is_read_again_only_when_it_has_changed(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = sha256(database)
    monkeypatch.setattr("glue.prepared._SETTLED_AFTER_NS", 0)
    first = Snapshots(tmp_path / "cache" / "memory.json")
    first.check(SQLITE, database, digest)
    first.save()
    second = Snapshots(tmp_path / "cache" / "memory.json")
    with monkeypatch.context() as patch:
        patch.setattr("glue.prepared.file_sha256", lambda path: pytest.fail("the file was read again"))
        second.check(SQLITE, database, digest)
    database.write_bytes(database.read_bytes() + b"\0")
    with pytest.raises(SnapshotChanged):
        second.check(SQLITE, database, digest)


def test_a_file_that_has_just_changed_is_not_remembered(database: Path, tmp_path: Path) -> None:
    database.touch()
    snapshots = Snapshots(tmp_path / "memory.json")
    snapshots.check(SQLITE, database, sha256(database))
    snapshots.save()
    assert not (tmp_path / "memory.json").exists()


def test_a_memory_that_cannot_be_read_is_forgotten(database: Path, tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text("{not json")
    Snapshots(tmp_path / "memory.json").check(SQLITE, database, sha256(database))


def test_the_cap_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALHOUSE_CACHE_BYTES", raising=False)
    assert cache_bytes() == DEFAULT_CACHE_BYTES
    monkeypatch.setenv("EVALHOUSE_CACHE_BYTES", "1000")
    assert cache_bytes() == 1_000
    monkeypatch.setenv("EVALHOUSE_CACHE_BYTES", "much")
    with pytest.raises(GlueError, match="'much', not a number of bytes"):
        cache_bytes()
