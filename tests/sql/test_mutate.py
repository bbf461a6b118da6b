"""A broken gold differs in one place, always in the same, and still runs."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from glue.sql.mutate import mutate


def all_changes(sql: str, dialect: str = "sqlite") -> dict[str, str]:
    """What a hundred seeds do to a statement: change -> text."""
    found = {}
    for seed in range(100):
        broken = mutate(sql, dialect, seed)
        assert broken is not None
        found[broken[1]] = broken[0]
    return found


def test_one_literal_or_operator_changes() -> None:
    assert all_changes("SELECT a FROM t WHERE b > 5 AND c = 'x'") == {
        "literal 5 -> 11": "SELECT a FROM t WHERE b > 11 AND c = 'x'",
        "literal 'x' -> 'xx'": "SELECT a FROM t WHERE b > 5 AND c = 'xx'",
        "operator b > 5 -> b <= 5": "SELECT a FROM t WHERE b <= 5 AND c = 'x'",
        "operator c = 'x' -> c <> 'x'": "SELECT a FROM t WHERE b > 5 AND c <> 'x'",
        "operator b > 5 AND c = 'x' -> b > 5 OR c = 'x'": "SELECT a FROM t WHERE b > 5 OR c = 'x'",
    }


def test_not_comes_and_goes() -> None:
    changes = all_changes("SELECT a FROM t WHERE b IS NOT NULL AND c LIKE d")
    assert set(changes.values()) == {
        "SELECT a FROM t WHERE b IS NULL AND c LIKE d",
        "SELECT a FROM t WHERE NOT b IS NULL AND NOT c LIKE d",
        "SELECT a FROM t WHERE NOT b IS NULL OR c LIKE d",
    }


def test_a_join_looks_for_its_partner_one_key_away() -> None:
    sql = "SELECT t.a FROM t JOIN u ON t.id = u.t_id"
    assert all_changes(sql) == {
        "join t.id = u.t_id -> t.id = u.t_id + 1": "SELECT t.a FROM t JOIN u ON t.id = u.t_id + 1"
    }
    assert all_changes(sql, "postgres") == {
        "join INNER -> LEFT": "SELECT t.a FROM t LEFT JOIN u ON t.id = u.t_id"
    }
    assert all_changes("SELECT t.a FROM t LEFT OUTER JOIN u ON t.id = u.t_id", "postgres") == {
        "join LEFT -> INNER": "SELECT t.a FROM t JOIN u ON t.id = u.t_id"
    }


def test_tables_joined_by_where_stay_joined() -> None:
    changes = all_changes("SELECT t.a FROM t, u WHERE t.id = u.t_id AND t.b = 1")
    assert set(changes.values()) == {
        "SELECT t.a FROM t, u WHERE t.id = u.t_id AND t.b = 3",
        "SELECT t.a FROM t, u WHERE t.id = u.t_id AND t.b <> 1",
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2013", "2014"),
        ("2013-12-31", "2014-12-31"),
        ("2024-02-29 10:00:00", "2025-02-28 10:00:00"),
        ("9999", "0000"),
        ("007", "008"),
        ("Ann", "Annx"),
        ("", "x"),
        ("%o''k%", "%o''k%x"),
    ],
)
def test_texts_stay_texts_of_their_kind(old: str, new: str) -> None:
    changes = all_changes(f"SELECT a FROM t WHERE b = '{old}'")
    assert f"SELECT a FROM t WHERE b = '{new}'" in changes.values()


def test_what_must_stay_valid_is_left_alone() -> None:
    """An ordinal, the format of a date, the size of a type."""
    changes = all_changes("SELECT STRFTIME('%Y', d), CAST(b AS VARCHAR(3)) FROM t ORDER BY 1")
    assert set(changes) == {"order ASC -> DESC"}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT MAX(a) FROM t", ("SELECT MIN(a) FROM t", "aggregate MAX(a) -> MIN(a)")),
        ("SELECT DISTINCT a FROM t", ("SELECT a FROM t", "DISTINCT dropped")),
        ("SELECT a FROM t ORDER BY b DESC", ("SELECT a FROM t ORDER BY b ASC", "order DESC -> ASC")),
        ("SELECT COUNT(*) FROM t", ("SELECT COUNT(*) FROM t WHERE 1 = 0", "condition 1 = 0 added")),
        ("SELECT a FROM t UNION SELECT b FROM u", ("SELECT a FROM t INTERSECT SELECT b FROM u", "UNION")),
        (
            "SELECT a FROM t INTERSECT SELECT b FROM u",
            ("SELECT a FROM t EXCEPT SELECT b FROM u", "INTERSECT"),
        ),
        ("SELECT a FROM t UNION ALL SELECT b FROM u", ("SELECT a FROM t UNION SELECT b FROM u", "UNION ALL")),
        (
            "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT i FROM r",
            (
                "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5)"
                " SELECT i FROM r WHERE 1 = 0",
                "condition 1 = 0 added",
            ),
        ),
    ],
)
def test_where_there_is_one_thing_to_change(sql: str, expected: tuple[str, str]) -> None:
    broken = mutate(sql, "sqlite", 0)
    assert broken is not None
    assert broken[0] == expected[0]
    assert expected[1] in broken[1]


@pytest.mark.parametrize("sql", ["", "DROP TABLE t", "SELECT 1; SELECT 2", "no SQL", "SELECT a", None])
def test_what_cannot_be_broken(sql: str) -> None:
    assert mutate(sql, "sqlite", 0) is None


def test_a_long_statement_is_broken_quickly() -> None:
    sql = "SELECT a FROM t WHERE " + " OR ".join(["b = 1"] * 2_000)
    broken = mutate(sql, "sqlite", 0)
    assert broken is not None and broken[0] != sql


@pytest.mark.slow
def test_every_gold_of_bird_breaks_and_runs(shared_data: Path) -> None:
    """Nearly all of them then give other rows; how many do not is what the control measures."""
    outcomes: Counter[str] = Counter()
    for question in json.loads((shared_data / "bird/meta/dev.json").read_text(encoding="utf-8")):
        path = shared_data / "bird/databases" / question["db_id"] / f"{question['db_id']}.sqlite"
        if not path.exists():
            continue
        broken = mutate(question["SQL"], "sqlite", 0)
        assert broken is not None and broken == mutate(question["SQL"], "sqlite", 0)
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        gold = Counter(connection.execute(question["SQL"]).fetchall())
        is_same = Counter(connection.execute(broken[0]).fetchall()) == gold
        outcomes["same" if is_same else "other"] += 1
        connection.close()
    assert outcomes.total() == 595
    assert outcomes["same"] < 40
