"""Every change of the list, once each, and none that no data could show."""

from __future__ import annotations

import duckdb
import pytest

from glue.sql.mutations import Schema, mutations

SCHEMA = Schema(
    not_null=frozenset({("o", "id"), ("o", "c_id"), ("c", "id")}),
    foreign_keys=frozenset({("o", "c_id", "c", "id")}),
)


def changed(sql: str, dialect: str = "duckdb", schema: Schema | None = None) -> list[tuple[str, str]]:
    return [(found.name, found.sql) for found in mutations(sql, dialect, schema)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT x FROM t WHERE a = 1 AND (b = 2 OR c = 3)",
            [
                ("where_dropped", "SELECT x FROM t WHERE (b = 2 OR c = 3)"),
                ("where_dropped", "SELECT x FROM t WHERE a = 1"),
            ],
        ),
        ("SELECT x FROM t WHERE a = 1", [("where_dropped", "SELECT x FROM t")]),
        (
            "SELECT x FROM t GROUP BY x HAVING COUNT(*) >= 2 AND SUM(y) < 3",
            [
                ("boundary", "SELECT x FROM t GROUP BY x HAVING COUNT(*) > 2 AND SUM(y) < 3"),
                ("boundary", "SELECT x FROM t GROUP BY x HAVING COUNT(*) >= 2 AND SUM(y) <= 3"),
            ],
        ),
        (
            "SELECT CASE WHEN a > 1 THEN 1 WHEN a <= 0 THEN 2 END FROM t",
            [
                ("boundary", "SELECT CASE WHEN a >= 1 THEN 1 WHEN a <= 0 THEN 2 END FROM t"),
                ("boundary", "SELECT CASE WHEN a > 1 THEN 1 WHEN a < 0 THEN 2 END FROM t"),
            ],
        ),
        (
            "SELECT SUM(CASE WHEN a BETWEEN 1 AND 2 THEN 1 END) FROM t",
            [
                ("boundary", "SELECT SUM(CASE WHEN (a > 1 AND a <= 2) THEN 1 END) FROM t"),
                ("boundary", "SELECT SUM(CASE WHEN (a >= 1 AND a < 2) THEN 1 END) FROM t"),
            ],
        ),
        (
            "SELECT t.x FROM t INNER JOIN u ON t.i = u.i",
            [("inner_to_left", "SELECT t.x FROM t LEFT JOIN u ON t.i = u.i")],
        ),
        (
            "SELECT t.x FROM t LEFT JOIN u ON t.i = u.i",
            [("left_to_inner", "SELECT t.x FROM t JOIN u ON t.i = u.i")],
        ),
        ("SELECT DISTINCT x FROM t", [("distinct_dropped", "SELECT x FROM t")]),
        ("SELECT COUNT(DISTINCT x) FROM t", [("distinct_dropped", "SELECT COUNT(x) FROM t")]),
        ("SELECT SUM(COALESCE(x, 0)) FROM t", [("null_default_dropped", "SELECT SUM(x) FROM t")]),
        (
            "SELECT x FROM t UNION SELECT x FROM u",
            [("union_to_all", "SELECT x FROM t UNION ALL SELECT x FROM u")],
        ),
        (
            "SELECT x FROM t UNION ALL SELECT x FROM u",
            [("all_to_union", "SELECT x FROM t UNION SELECT x FROM u")],
        ),
        ("SELECT x FROM t, u", []),
        ("SELECT x FROM t CROSS JOIN u", []),
        ("SELECT x FROM t EXCEPT SELECT x FROM u", []),
        ("DELETE FROM t WHERE a = 1", []),
        ("SELECT FROM WHERE", []),
        ("", []),
    ],
)
def test_every_change_of_the_list(sql: str, expected: list[tuple[str, str]]) -> None:
    assert changed(sql) == expected


def test_changes_reach_into_subqueries_and_with() -> None:
    sql = "WITH a AS (SELECT x FROM t WHERE y > 1) SELECT x FROM a WHERE x IN (SELECT z FROM u WHERE w = 1)"
    assert {found.what for found in mutations(sql, "duckdb")} == {
        "without y > 1",
        "y > 1 -> y >= 1",
        "without x IN (SELECT z FROM u WHERE w = 1)",
        "without w = 1",
    }


def test_not_exists_becomes_not_in_and_back() -> None:
    exists = "SELECT x FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.i = t.i AND u.k = 3)"
    assert ("exists_to_in", "SELECT x FROM t WHERE NOT t.i IN (SELECT u.i FROM u WHERE u.k = 3)") in changed(
        exists
    )
    not_in = "SELECT x FROM t WHERE i NOT IN (SELECT u.i FROM u)"
    assert (
        "in_to_exists",
        "SELECT x FROM t WHERE NOT EXISTS(SELECT 1 FROM (SELECT u.i AS mutated_key FROM u) AS mutated "
        "WHERE mutated.mutated_key = i)",
    ) in changed(not_in)


def test_not_in_and_not_exists_part_where_there_is_a_null() -> None:
    with duckdb.connect() as connection:
        connection.execute("create table t as select unnest([1, 2]) as i")
        connection.execute("create table u as select unnest([1, null]) as i")
        for sql, own, other in (
            ("SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.i = t.i)", [(2,)], []),
            ("SELECT i FROM t WHERE i NOT IN (SELECT u.i FROM u)", [], [(2,)]),
        ):
            (text,) = [text for name, text in changed(sql) if name in ("exists_to_in", "in_to_exists")]
            assert connection.execute(sql).fetchall() == own
            assert connection.execute(text).fetchall() == other


@pytest.mark.parametrize(
    "sql",
    [
        # along a foreign key, from a column that is never NULL
        "SELECT o.id FROM o INNER JOIN c ON o.c_id = c.id",
        "SELECT o.id FROM o INNER JOIN c ON c.id = o.c_id",
        # a condition further on wants a partner
        "SELECT c.id FROM c INNER JOIN o ON o.c_id = c.id WHERE o.x = 1",
        "SELECT c.id FROM c INNER JOIN o ON o.c_id = c.id WHERE o.x IS NOT NULL",
        "SELECT c.id FROM c INNER JOIN o ON o.c_id = c.id INNER JOIN p ON p.o_id = o.id WHERE p.y > 0",
        # neither side is ever NULL, or NULL is kept out
        "SELECT c.id FROM c WHERE NOT EXISTS (SELECT 1 FROM o WHERE o.c_id = c.id)",
        "SELECT c.id FROM c WHERE c.id NOT IN (SELECT o.c_id FROM o)",
        "SELECT c.id FROM c WHERE id NOT IN (SELECT x FROM p WHERE NOT x IS NULL)",
    ],
)
def test_what_no_data_can_show_is_left_out(sql: str) -> None:
    names = {name for name, _ in changed(sql, schema=SCHEMA)}
    assert not names & {"inner_to_left", "exists_to_in", "in_to_exists"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c.id FROM c INNER JOIN o ON o.c_id = c.id",  # a customer without orders
        "SELECT o.id FROM o INNER JOIN c ON o.c_id = c.id AND c.x = 1",  # a partner must also have x = 1
        # o.c_id may be NULL here
        "SELECT o.id FROM p LEFT JOIN o ON o.p_id = p.id INNER JOIN c ON o.c_id = c.id",
        "SELECT c.id FROM c INNER JOIN o ON o.c_id = c.id WHERE COALESCE(o.x, 1) = 1",
        "SELECT c.id FROM c INNER JOIN o ON o.c_id = c.id WHERE o.x = 1 OR c.y = 1 AND c.z = 2",
    ],
)
def test_what_some_data_can_show_stays(sql: str) -> None:
    assert "inner_to_left" in {name for name, _ in changed(sql, schema=SCHEMA)}


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        (
            "oracle",
            "SELECT NVL(x, 0) FROM t c FETCH FIRST 2 ROWS ONLY",
            "SELECT x FROM t c FETCH FIRST 2 ROWS ONLY",
        ),
        ("sqlite", "SELECT IFNULL(x, 0) FROM t LIMIT 2", "SELECT x FROM t LIMIT 2"),
    ],
)
def test_other_dialects(dialect: str, sql: str, expected: str) -> None:
    assert changed(sql, dialect) == [("null_default_dropped", expected)]
