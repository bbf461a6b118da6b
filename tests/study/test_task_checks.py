"""What each check says of drafts that break one rule of construction, against literal past queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.commands import rows_of, run_dbt
from tests.sql.test_task_shape import OUTLINE

pytestmark = pytest.mark.slow

JOINED = "FROM atom AS T1 INNER JOIN molecule AS T2 ON T1.molecule_id = T2.molecule_id"
ORIGINALS = {
    "1": f"SELECT COUNT(DISTINCT T2.molecule_id) {JOINED} WHERE T1.element = 'cl' AND T2.label = '+'",
    "2": "SELECT SUM(CASE WHEN element = 'c' THEN atom_id ELSE 0 END) FROM atom WHERE atom_id > 7",
    "3": f"SELECT COUNT(DISTINCT T2.molecule_id) {JOINED} WHERE T1.element = 'o' AND T2.label = '-'",
    "4": "SELECT bond_type FROM bond WHERE bond_id = 3",
    "5": f"SELECT ROW_NUMBER() OVER (ORDER BY T2.made) {JOINED} WHERE T1.element = 'h'",
}
SOUND = """
    SELECT made, COUNT(DISTINCT T2.molecule_id) AS n_molecules, MIN(T1.atom_id) AS first_atom,
        MAX(T1.atom_id) AS last_atom, SUM(T1.atom_id) * 1.0 / COUNT(*) AS mean_atom
    FROM atom AS T1 INNER JOIN molecule AS T2 ON T1.molecule_id = T2.molecule_id
    WHERE T1.element = 'br' AND T2.label = '+' AND T1.atom_id > 12 AND T2.made > 0
    GROUP BY made
    HAVING COUNT(*) > 0"""
QUESTION = "How many molecules were made, and which is their mean atom?"
"""SQL that reuses queries 1 and 2 and breaks no rule."""


def changed(old: str, new: str) -> str:
    assert old in SOUND
    return SOUND.replace(old, new)


DRAFTS: dict[str, tuple[str, list[str], str, set[str]]] = {
    # name: SQL, past queries taken, question, the checks that fail
    "sound": (SOUND, ["1", "2"], QUESTION, set()),
    "no sql": ("SELEC made FRO molecule", ["1", "2"], QUESTION, {"one_read"}),
    "two statements": (f"{SOUND}; SELECT 1", ["1", "2"], QUESTION, {"one_read"}),
    "a write": ("DELETE FROM atom", ["1", "2"], QUESTION, {"one_read"}),
    "one original": (SOUND, ["1"], QUESTION, {"originals_taken"}),
    "originals alike": (SOUND, ["1", "2", "3"], QUESTION, {"originals_dissimilar"}),
    "an original that is not used": (SOUND, ["1", "2", "4"], QUESTION, {"originals_used"}),
    "nothing new": (
        ORIGINALS["1"].replace("cl", "br"),
        ["1", "2"],
        QUESTION,
        {"new_logic", "originals_used", "long_enough"},
    ),
    "no value changed": (
        changed("'br'", "'cl'").replace("> 12", "> 7"),
        ["1", "2"],
        QUESTION,
        {"literals_tweaked"},
    ),
    "too short": (
        "SELECT COUNT(DISTINCT T2.molecule_id) * 2"
        f" {JOINED} WHERE T1.element = 'br' AND T1.atom_id > 12 AND T2.label = '+'",
        ["1", "2"],
        QUESTION,
        {"long_enough"},
    ),
    "too long": (
        changed("AND T2.made > 0", " ".join(f"AND T2.made <> {number}" for number in range(20))),
        ["1", "2"],
        QUESTION,
        {"short_enough"},
    ),
    "more tables": (
        changed(
            "    WHERE",
            "    INNER JOIN bond AS b ON b.molecule_id = T2.molecule_id\n    WHERE b.bond_id > 1 AND",
        ),
        ["1", "2"],
        QUESTION,
        {"joined_tables"},
    ),
    "a chain of joins": (
        changed(
            "    WHERE",
            " ".join(
                f"INNER JOIN (SELECT molecule_id AS m FROM bond) AS b{number} ON b{number}.m = T2.molecule_id"
                for number in range(3)
            )
            + "\n    WHERE b0.m + b1.m + b2.m > 0 AND",
        ),
        ["1", "2"],
        QUESTION,
        {"join_chain", "short_enough"},
    ),
    "another kind of join": (changed("INNER JOIN", "LEFT JOIN"), ["1", "2"], QUESTION, {"join_modes"}),
    "another result of CASE": (
        changed("SUM(T1.atom_id)", "SUM(CASE WHEN T1.element = 'n' THEN 1 ELSE 0 END)"),
        ["1", "2"],
        QUESTION,
        {"case_kept"},
    ),
    "the same result of CASE": (
        changed("SUM(T1.atom_id)", "SUM(CASE WHEN T1.element = 'n' THEN T1.atom_id ELSE 1 END)"),
        ["1", "2"],
        QUESTION,
        set(),
    ),
    "DISTINCT lost": (
        changed("COUNT(DISTINCT T2.molecule_id)", "COUNT(T2.molecule_id)"),
        ["1", "2"],
        QUESTION,
        {"distinct_kept"},
    ),
    "AND turned into OR": (
        changed("T1.element = 'br' AND T2.label = '+'", "(T1.element = 'br' OR T2.label = '+')"),
        ["1", "2"],
        QUESTION,
        {"and_kept"},
    ),
    "OR that was asked for": (
        changed("T1.element = 'br' AND T2.label = '+'", "(T1.element = 'br' OR T2.label = '+')"),
        ["1", "2"],
        "How many molecules are carcinogenic or hold bromine?",
        set(),
    ),
    "a new kind of function": (
        changed("made,", "UPPER(made) AS made_as,"),
        ["1", "2"],
        QUESTION,
        {"function_categories"},
    ),
    "a window": (
        changed("made,", "RANK() OVER (ORDER BY made) AS place,"),
        ["1", "2"],
        QUESTION,
        {"windows"},
    ),
    "a window of an original": (
        changed("made,", "ROW_NUMBER() OVER (ORDER BY made) AS place,"),
        ["1", "5"],
        QUESTION,
        set(),
    ),
    "another window than of the originals": (
        changed("made,", "LAG(made) OVER (ORDER BY made) AS before,"),
        ["1", "5"],
        QUESTION,
        {"windows"},
    ),
    "a window that was asked for": (
        changed("made,", "RANK() OVER (ORDER BY made) AS place,"),
        ["1", "2"],
        "Rank the molecules by when they were made.",
        set(),
    ),
    "an order": (f"{SOUND} ORDER BY made", ["1", "2"], QUESTION, {"order_asked"}),
    "an order with a limit": (f"{SOUND} ORDER BY made LIMIT 3", ["1", "2"], QUESTION, set()),
    "an order that was asked for": (
        f"{SOUND} ORDER BY made",
        ["1", "2"],
        "List the molecules sorted by date.",
        set(),
    ),
    "an unused table": (
        changed("made, ", "")
        .replace("T2.molecule_id) AS", "T1.molecule_id) AS")
        .replace(" AND T2.label = '+'", "")
        .replace(" AND T2.made > 0", "")
        .replace("GROUP BY made", "GROUP BY T1.molecule_id"),
        ["1", "2"],
        QUESTION,
        {"nothing_unused", "long_enough"},
    ),
}
RESULTS: dict[str, tuple[str, int | None, int | None, int | None, int | None, set[str]]] = {
    # name: outcome, rows, stored rows, cells, filled cells, the checks that fail
    "failed": ("failed", None, None, None, None, {"runs"}),
    "timed out": ("timed_out", None, None, None, None, {"runs"}),
    "empty": ("answered", 0, None, None, None, {"rows_returned"}),
    "all zero": ("answered", 5, 5, 10, 0, {"not_all_empty"}),
    "one zero": ("answered", 5, 5, 10, 9, set()),
    "one row with a zero": ("answered", 1, 1, 2, 1, {"single_row_filled"}),
}
TABLES = """
    create table task_drafts (
        task_run_id varchar, benchmark varchar, draft_number integer, revision integer, history varchar,
        schema_benchmark varchar, db_id varchar, dialect varchar, history_query_ids varchar[],
        is_read boolean,
        used_numbers bigint[], used_query_ids varchar[], question varchar, evidence varchar, sql varchar,
        sql_id varchar, statement_id varchar
    );
    create table history_queries (
        history varchar, history_query_id varchar, schema_benchmark varchar, db_id varchar, dialect varchar,
        sql varchar
    );
    create table schema_outlines (
        benchmark varchar, db_id varchar, outline_id varchar, outline varchar
    );
    create table draft_results (
        statement_id varchar, outcome varchar, n_rows bigint, n_read_rows bigint, n_cells bigint,
        n_filled_cells bigint, feedback varchar
    );
"""


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("checks")
    cases = [(name, *case, "good") for name, case in DRAFTS.items()]
    cases += [(name, SOUND, ["1", "2"], QUESTION, set(), name) for name in RESULTS]
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        connection.execute(TABLES)
        for name, sql, used, question, _, result in cases:
            connection.execute(
                "insert into task_drafts values"
                " (?, 'b', 1, 0, 'past', 'b', 'toxicology', 'sqlite', ?, true, ?, ?, ?, null, ?, ?, ?)",
                [name, list(ORIGINALS), [int(each) for each in used], used, question, sql, name, result],
            )
        for name, sql in ORIGINALS.items():
            connection.execute(
                "insert into history_queries values ('past', ?, 'b', 'toxicology', 'sqlite', ?)", [name, sql]
            )
        connection.execute("insert into schema_outlines values ('b', 'toxicology', 'o', ?)", [OUTLINE])
        results: list[list[Any]] = [["good", "answered", 5, 5, 10, 10, "ok"]]
        results += [[name, *found[:-1], "so"] for name, found in RESULTS.items()]
        connection.executemany("insert into draft_results values (?, ?, ?, ?, ?, ?, ?)", results)
    seeds = ("path:seeds/task_rules.csv", "path:seeds/function_categories.csv")
    run_dbt(home, *seeds, "task_shape_inputs", "task_shapes", "task_checks")
    return home


def failing(warehouse: Path, name: str) -> set[str]:
    rows = rows_of(
        warehouse,
        f"select check_name, finding from task_checks where task_run_id = '{name}' and not is_passed",
    )
    assert all(row["finding"] for row in rows), "what fails is told in words"
    return {row["check_name"] for row in rows}


@pytest.mark.parametrize("name", DRAFTS)
def test_a_draft_fails_the_check_whose_rule_it_breaks(warehouse: Path, name: str) -> None:
    assert failing(warehouse, name) == DRAFTS[name][-1]


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_fails_the_check_whose_rule_it_breaks(warehouse: Path, name: str) -> None:
    assert failing(warehouse, name) == RESULTS[name][-1]


def test_every_check_is_failed_by_some_draft_and_looked_at_in_every_one(warehouse: Path) -> None:
    rows = rows_of(warehouse, "select check_name, count(*) as n from task_checks group by check_name")
    rules = {row["check_name"] for row in rows_of(warehouse, "select check_name from task_rules")}
    assert {row["check_name"]: row["n"] for row in rows} == dict.fromkeys(rules, len(DRAFTS) + len(RESULTS))
    broken = [case[-1] for case in (*DRAFTS.values(), *RESULTS.values())]
    assert set().union(*broken) == rules


def test_what_cannot_be_looked_at_neither_passes_nor_fails(warehouse: Path) -> None:
    rows = rows_of(
        warehouse, "select check_name from task_checks where task_run_id = 'no sql' and is_passed is null"
    )
    unknown = {row["check_name"] for row in rows}
    assert {"joined_tables", "and_kept", "order_asked"} <= unknown
    assert unknown.isdisjoint({"one_read", "originals_taken", "runs"})
