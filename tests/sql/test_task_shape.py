"""What the rules of construction are told of small statements, by hand; and of any text whatever."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glue.sql.task_shape import LISTS, MAX_PAIRS, NUMBERS, task_shape
from glue.udfs import shape_row

OUTLINE = json.dumps(
    [
        {"table_key": "atom", "columns": ["atom_id", "molecule_id", "element"]},
        {"table_key": "bond", "columns": ["bond_id", "molecule_id", "bond_type"]},
        {"table_key": "molecule", "columns": ["molecule_id", "label", "made"]},
    ]
)


def shape(sql: str, dialect: str = "sqlite") -> dict[str, Any]:
    return task_shape(sql, dialect, OUTLINE)


JOINED = "FROM atom AS a INNER JOIN molecule AS m ON a.molecule_id = m.molecule_id"

JOINS = {
    f"SELECT a.element, m.label {JOINED}": [("atom ~ molecule", "inner")],
    "SELECT element, label FROM atom LEFT JOIN molecule ON atom.molecule_id = molecule.molecule_id": [
        ("atom ~ molecule", "outer")
    ],
    "SELECT element, label FROM molecule m RIGHT JOIN atom a ON m.molecule_id = a.molecule_id": [
        ("atom ~ molecule", "outer")
    ],
    "SELECT element, label FROM atom, molecule WHERE atom.molecule_id = molecule.molecule_id": [
        ("atom ~ molecule", "inner")
    ],
    "SELECT element, label FROM atom JOIN molecule USING (molecule_id)": [("atom ~ molecule", "inner")],
    "SELECT a.element, b.element FROM atom a JOIN atom b ON a.molecule_id = b.molecule_id": [
        ("atom ~ atom", "inner")
    ],
    "WITH x AS (SELECT molecule_id AS i FROM atom) SELECT * FROM x JOIN molecule m ON x.i = m.molecule_id": [
        ("atom ~ molecule", "inner")
    ],
}


@pytest.mark.parametrize("sql", JOINS)
def test_a_join_is_a_pair_of_stored_tables_and_a_mode(sql: str) -> None:
    assert [(join["pair"], join["mode"]) for join in shape(sql)["joins"]] == JOINS[sql]


def test_joined_tables_are_those_of_one_from_and_ctes_are_none() -> None:
    found = shape(
        f"WITH x AS (SELECT m.label {JOINED}), y AS (SELECT bond_id FROM bond)"
        " SELECT x.label FROM x JOIN y ON 1 = 1 JOIN bond ON 1 = 1 JOIN bond AS b ON 1 = 1"
    )
    assert (found["n_joined_tables"], found["longest_join_chain"]) == (2, 3)
    assert found["tables"] == ["atom", "bond", "molecule"]


FUNCTIONS = {
    "SELECT COUNT(*), STRFTIME('%Y', made), element || 'x' FROM atom, molecule": [
        "concat",
        "count",
        "time_to_str",
    ],
    "SELECT SUM(CASE WHEN element = 'c' THEN 1 END) FROM atom": ["case", "sum"],
    "SELECT IIF(element = 'c', 1, 0), IFNULL(element, 'x'), CAST(element AS REAL) FROM atom": [
        "cast",
        "coalesce",
        "if",
    ],
    "SELECT element FROM atom WHERE NOT (element = 'c' AND atom_id = 1 OR EXISTS (SELECT 1))": [],
    "SELECT RANK() OVER (ORDER BY element), SUM(atom_id) OVER () FROM atom": ["over", "rank", "sum"],
    "SELECT my_own(element), JULIANDAY(made) FROM atom, molecule": ["julianday", "my_own"],
}


@pytest.mark.parametrize("sql", FUNCTIONS)
def test_functions_have_one_name_each(sql: str) -> None:
    assert shape(sql)["functions"] == FUNCTIONS[sql]


def test_windows_are_functions_with_over() -> None:
    assert shape("SELECT RANK() OVER (ORDER BY element), SUM(atom_id) FROM atom")["windows"] == ["rank"]


def test_a_branch_of_case_keeps_what_it_returns() -> None:
    found = shape(
        "SELECT COUNT(CASE WHEN a.element = 'cl' THEN a.atom_id ELSE NULL END),"
        f" SUM(IIF(m.label = '+', 1, 0)), CASE m.label WHEN '-' THEN 'no' END {JOINED}"
    )
    assert [(case["condition"], case["result"]) for case in found["cases"]] == [
        ("atom.element = <val>", "atom.atom_id"),
        ("molecule.label = <val>", "'no'"),
        ("molecule.label = <val>", "1"),
    ]


def test_two_conditions_are_connected_where_they_meet() -> None:
    found = shape(
        f"SELECT 1 {JOINED} WHERE (a.element = 'c' OR m.label = '+') AND a.atom_id > 5 AND NOT m.made = 1"
    )
    assert {(pair["first"], pair["connective"], pair["second"]) for pair in found["connected"]} == {
        ("atom.element = <val>", "or", "molecule.label = <val>"),
        ("atom.atom_id > <val>", "and", "atom.element = <val>"),
        ("atom.atom_id > <val>", "and", "molecule.label = <val>"),
        ("atom.element = <val>", "and", "not molecule.made = <val>"),
        ("molecule.label = <val>", "and", "not molecule.made = <val>"),
        ("atom.atom_id > <val>", "and", "not molecule.made = <val>"),
    }


def test_conditions_are_connected_in_their_own_query_alone() -> None:
    inner = "SELECT molecule_id FROM molecule WHERE label = '+' AND molecule_id > 3"
    found = shape(f"SELECT element FROM atom WHERE molecule_id IN ({inner})")
    assert [(pair["first"], pair["connective"], pair["second"]) for pair in found["connected"]] == [
        ("molecule.label = <val>", "and", "molecule.molecule_id > <val>")
    ]


def test_an_aggregate_knows_its_distinct() -> None:
    found = shape("SELECT COUNT(DISTINCT element), COUNT(element), COUNT(*) FROM atom")
    assert [(each["name"], each["argument"], each["is_distinct"]) for each in found["aggregates"]] == [
        ("count", "*", False),
        ("count", "atom.element", False),
        ("count", "atom.element", True),
    ]


def test_a_condition_is_told_with_its_values() -> None:
    found = shape("SELECT 1 FROM atom WHERE element IN ('c', 'h') AND atom_id BETWEEN 1 AND 5")
    assert [(each["skeleton"], each["condition_values"]) for each in found["conditions"]] == [
        ("atom.atom_id between <val> and <val>", "1, 5"),
        ("atom.element in <val>", "'c', 'h'"),
    ]


ORDERS = {
    "SELECT element FROM atom ORDER BY element": ["outermost"],
    "SELECT element FROM atom ORDER BY element LIMIT 1": [],
    "SELECT element FROM (SELECT element FROM atom ORDER BY element)": ["inner"],
    "SELECT element FROM atom UNION SELECT label FROM molecule ORDER BY 1": ["outermost"],
    "SELECT RANK() OVER (ORDER BY element) FROM atom": [],
}


@pytest.mark.parametrize("sql", ORDERS)
def test_an_order_without_a_limit_is_told_by_its_place(sql: str) -> None:
    assert shape(sql)["unlimited_orders"] == ORDERS[sql]


UNUSED = {
    f"SELECT a.element {JOINED}": ["m"],
    f"SELECT a.element {JOINED} WHERE m.label = '+'": [],
    f"SELECT * {JOINED}": [],
    f"SELECT a.element {JOINED} JOIN bond b ON b.molecule_id = m.molecule_id WHERE b.bond_type = '='": [],
    f"SELECT a.element {JOINED} WHERE EXISTS (SELECT 1 FROM bond WHERE bond.molecule_id = m.molecule_id)": [],
    f"SELECT element, label {JOINED}": [],
}


@pytest.mark.parametrize("sql", UNUSED)
def test_a_join_of_which_nothing_is_read_is_unused(sql: str) -> None:
    assert shape(sql)["unused_joins"] == UNUSED[sql]


def test_a_cte_that_nothing_reads_is_unused() -> None:
    found = shape("WITH x AS (SELECT 1 AS n), y AS (SELECT n FROM x), z AS (SELECT 2 AS n) SELECT n FROM y")
    assert found["unused_ctes"] == ["z"]


def test_lines_are_those_of_a_text_that_is_laid_out() -> None:
    assert shape("SELECT element FROM atom WHERE atom_id = 1")["n_lines"] == 5


UNREAD = {
    "SELEC element FRO atom WHERE": "does_not_parse",
    "SELECT 1; SELECT 2": "several_statements",
    "DELETE FROM atom": "not_a_query",
    "": "empty",
    "(" * 300 + "SELECT 1" + ")" * 300: "too_deep",
    "SELECT " + "1, " * 60_000 + "1": "too_large",
}


@pytest.mark.parametrize("sql", UNREAD, ids=UNREAD.values())
def test_a_text_that_cannot_be_read_says_why(sql: str) -> None:
    found = shape(sql)
    assert found["reason"] == UNREAD[sql]
    assert all(found[name] == [] for name in LISTS) and all(found[name] is None for name in NUMBERS)


WORDS = list("(),=*.1")
WORDS += ["SELECT", "FROM", "WHERE", "atom", "element", "'x'", "AND", "OR", "JOIN", "ON", "a", "WITH", "AS"]


@given(st.lists(st.sampled_from(WORDS)))
@settings(max_examples=300)
def test_nothing_raises(words: list[str]) -> None:
    found = shape_row(" ".join(words), "sqlite", OUTLINE)
    assert {*LISTS, *NUMBERS, "parse_outcome", "reason", "detail"} == found.keys()


def test_pairs_of_a_long_condition_are_counted_out_in_little_time() -> None:
    parts = (" OR ".join(f"c{part}x{place} = 1" for place in range(60)) for part in range(60))
    started = time.process_time()
    found = shape(f"SELECT element FROM atom WHERE {' AND '.join(f'({part})' for part in parts)}")
    assert len(found["connected"]) == MAX_PAIRS
    assert time.process_time() - started < 10
