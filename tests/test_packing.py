"""Contexts under a budget: packing against a plain loop; pool, texts and audit of BIRD's 80 databases."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.packing import BENCHMARK, Inputs, Key, import_pool, packings_of, rendered, run_dbt
from benchmarks.plain_packer import Packing, pack
from glue.home import Home
from glue.landing import Writer
from glue.tokens import count_tokens
from tests.commands import rows_of

GREEDY = "models/contexts/greedy_packings.sql"
SKIPS = "dbt_project/tests/assert_skipped_tables_did_not_fit.sql"

INPUTS = """
    create or replace table packing_orders (
        order_number integer, benchmark varchar, question_id varchar, ranker varchar, packing_order varchar,
        n_required integer, table_numbers integer[]
    );
    create or replace table budget_caps (benchmark varchar, budget varchar, cap_tokens integer);
    create or replace table pooled_tables (
        benchmark varchar, db_id varchar, table_key varchar, table_number integer
    );
    create or replace table table_texts (
        benchmark varchar, db_id varchar, table_key varchar, representation varchar, naming varchar,
        n_tokens integer
    );
    create or replace table removal_texts (
        benchmark varchar, question_id varchar, db_id varchar, table_key varchar, representation varchar,
        naming varchar, n_tokens integer
    );
"""


@st.composite
def pools(draw: st.DrawFn) -> dict[str, list[tuple[Any, ...]]]:
    """The inputs of `greedy_packings`: small costs and caps, so that ties and exact fits are common."""
    n_tables = draw(st.integers(1, 9))
    numbers = list(range(1, n_tables + 1))
    costs = st.lists(st.integers(1, 6), min_size=n_tables, max_size=n_tables)
    own = {representation: draw(costs) for representation in ("raw", "enriched")}
    caps = draw(st.lists(st.integers(0, 30), min_size=1, max_size=3, unique=True))
    orders, changed = [], []
    for question in range(draw(st.integers(1, 2))):
        ranking = draw(st.permutations(numbers))
        required = set(draw(st.lists(st.sampled_from(numbers), unique=True)))
        first = [number for number in ranking if number in required]
        rest = [number for number in ranking if number not in required]
        for name, n_required, order in (
            ("ranked", 0, ranking),
            ("required_first", len(first), first + rest),
            ("required_removed", 0, rest),
        ):
            orders.append((len(orders), "b", f"q{question}", "lexical", name, n_required, list(order)))
        for representation, tokens in own.items():
            for number in draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []:
                less = draw(st.integers(0, tokens[number - 1]))
                changed.append(("b", f"q{question}", "d", f"t{number}", representation, "prefixed", less))
    return {
        "packing_orders": orders,
        "budget_caps": [("b", f"cap {cap}", cap) for cap in caps],
        "pooled_tables": [("b", "d", f"t{number}", number) for number in numbers],
        "table_texts": [
            ("b", "d", f"t{number}", representation, "prefixed", tokens[number - 1])
            for representation, tokens in own.items()
            for number in numbers
        ],
        "removal_texts": changed,
    }


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def packed_in_sql(
    connection: duckdb.DuckDBPyConnection, pool: dict[str, list[tuple[Any, ...]]]
) -> dict[Key, Packing]:
    """What the model makes of a pool, left in the table `greedy_packings`."""
    connection.execute(INPUTS)
    for table, rows in pool.items():
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"insert into {table} values ({marks})", rows)
    connection.execute(f"create or replace table greedy_packings as {rendered(GREEDY)}")
    return packings_of(connection)


@settings(max_examples=60)
@given(pool=pools())
def test_packing_is_what_a_plain_loop_makes(
    connection: duckdb.DuckDBPyConnection, pool: dict[str, list[tuple[Any, ...]]]
) -> None:
    packed = packed_in_sql(connection, pool)
    assert packed == Inputs(connection).packings()
    assert connection.execute(rendered(SKIPS)).fetchall() == []


def test_the_plain_loop_by_hand() -> None:
    costs = {1: 5, 2: 4, 3: 3, 4: 2}
    assert pack([1, 2, 3, 4], costs, 8) == Packing([1, 3], 8, False)
    assert pack([1, 2, 3, 4], costs, 1) == Packing([], 0, False)
    assert pack([2, 4, 1], costs, 5, n_required=2) == Packing([], 0, True)
    assert pack([2, 4, 1], costs, 6, n_required=2) == Packing([2, 4], 6, False)


POOL: dict[str, list[tuple[Any, ...]]] = {
    "packing_orders": [(1, "b", "q", "lexical", "ranked", 0, [1, 2, 3, 4])],
    "budget_caps": [("b", "cap", 10)],
    "pooled_tables": [("b", "d", f"t{number}", number) for number in (1, 2, 3, 4)],
    "table_texts": [
        ("b", "d", f"t{number}", "raw", "prefixed", cost) for number, cost in ((1, 5), (2, 6), (3, 4), (4, 1))
    ],
    "removal_texts": [],
}


@pytest.mark.parametrize(
    "tampered", ["[1, 4]", "[1]", "[]", "[3, 1, 4]", "[1, 4, 3]", "[1, 2]", "[2, 3]"], ids=str
)
def test_a_packing_that_is_not_greedy_is_found(connection: duckdb.DuckDBPyConnection, tampered: str) -> None:
    assert packed_in_sql(connection, POOL)[1, "raw", "cap"] == Packing([1, 3, 4], 10, False)
    assert connection.execute(rendered(SKIPS)).fetchall() == []
    connection.execute(f"update greedy_packings set table_numbers = {tampered}")
    assert connection.execute(rendered(SKIPS)).fetchall() != []


# --- BIRD ---------------------------------------------------------------------------------------------------

CONTEXTS = """
    select
        question_id, setting, representation, condition, naming, schema_text, is_infeasible, cap_tokens,
        packings.n_tables, packings.n_tokens as n_packed_tokens, contexts.n_tokens
    from cell_questions as asked
    inner join packings using (benchmark, question_id, ranker, representation, budget, condition)
    left join cell_contexts as contexts using (benchmark, question_id, setting)
    left join cell_messages using (benchmark, question_id, setting)
"""
SETTINGS = [
    f"lexical-{representation}-{budget}-{condition}{suffix}"
    for representation in ("raw", "enriched", "hybrid")
    for budget in ("tiny", "small")
    for condition in ("end_to_end", "frozen_gold", "remove_gold", "fixed_tables")
    for suffix in ("", "-bare")
]
ASKED = [str(number) for number in range(0, 1534, 31)]


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """BIRD's 80 schemas, packed, and 50 of its questions asked in 48 cells."""
    home = Home(tmp_path_factory.mktemp("pool"))
    import_pool(home, shared_data / "bird")
    run = {
        "benchmark": BENCHMARK,
        "model": "some/model",
        "settings": "{}",
        "gold_edition": "benchmark",
        "n_samples": 1,
        "is_planned": True,
        "question_ids": ASKED,
        "started_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    with Writer(home, "import") as writer:
        writer.append(
            "runs", [{**run, "run_id": name, "prediction_set": name, "setting": name} for name in SETTINGS]
        )
    run_dbt(home, "+cell_messages", "+leak_audit", "+lexical_leaks", "name_collisions")
    return home.root


@pytest.fixture(scope="module")
def contexts(pool: Path) -> list[dict[str, Any]]:
    return rows_of(pool, CONTEXTS)


@pytest.mark.slow
def test_the_pool_is_the_papers(pool: Path) -> None:
    (counted,) = rows_of(
        pool,
        "select count(distinct db_id) as n_databases, count(*) as n_tables, sum(n_columns)::int as n_columns,"
        " count(*) filter (is_colliding) as n_colliding, count(distinct lower(bare_name)) as n_bare_names,"
        " max(table_number) as last_number from pooled_tables",
    )
    assert counted == {
        "n_databases": 80,
        "n_tables": 597,
        "n_columns": 4337,
        "n_colliding": 146,
        "n_bare_names": 597,
        "last_number": 597,
    }
    assert rows_of(pool, "select sum(n_tables)::int as n from name_collisions") == [{"n": 146}]
    splits = rows_of(pool, "select split, count(*)::int as n from question_splits group by all order by all")
    assert [tuple(row.values()) for row in splits] == [("calibration", 255), ("held_out", 1279)]


@pytest.mark.slow
def test_every_cell_is_packed_as_a_plain_loop_packs_it(pool: Path) -> None:
    with duckdb.connect(str(pool / "warehouse.duckdb"), read_only=True) as warehouse:
        packed = packings_of(warehouse)
        assert packed == Inputs(warehouse).packings()
        assert warehouse.execute(rendered(SKIPS)).fetchall() == []
        row = warehouse.execute(
            "select count(*), count(distinct (ranker, representation, budget, condition)) from packings"
        ).fetchone()
    assert row == (2 * 48 * 1534, 2 * 48)  # the two lexical rankers: nobody has embedded anything


@pytest.mark.slow
def test_the_control_shows_the_same_tables_in_every_representation(pool: Path) -> None:
    (row,) = rows_of(
        pool,
        "select count(distinct table_numbers)::int as n_sets, max(n_forms)::int as n_forms from ("
        "  select question_id, ranker, budget, any_value(table_numbers) as table_numbers,"
        "    count(distinct table_numbers) as n_forms from packings where condition = 'fixed_tables'"
        "  group by all)",
    )
    assert row["n_forms"] == 1 < row["n_sets"]
    same = rows_of(
        pool,
        "select count(*)::int as n from packings as fixed inner join packings as plain"
        " using (question_id, ranker, representation, budget) where fixed.condition = 'fixed_tables'"
        " and plain.condition = 'end_to_end' and representation = 'enriched'"
        " and fixed.table_numbers = plain.table_numbers",
    )
    assert same == [{"n": 2 * 4 * 1534}]


@pytest.mark.slow
def test_the_tokens_of_a_context_are_those_of_its_text(contexts: list[dict[str, Any]]) -> None:
    """Packing adds up lines; tiktoken counts the text as it is sent, with the blank line at its end."""
    assert len(contexts) == len(SETTINGS) * len(ASKED)
    shown = [row for row in contexts if row["n_tables"]]
    counted = count_tokens([f"{row['schema_text']}\n\n" for row in shown], "o200k_base")
    assert [row["n_tokens"] for row in shown] == counted
    for row in shown:
        if row["naming"] == "prefixed":
            assert row["n_tokens"] == row["n_packed_tokens"] <= row["cap_tokens"]
    assert all((row["schema_text"] is None) == row["is_infeasible"] for row in contexts)


@pytest.mark.slow
def test_bare_contexts_show_the_same_tables_without_their_databases(
    pool: Path, contexts: list[dict[str, Any]]
) -> None:
    names = {row["prefixed_name"]: row["bare_name"] for row in rows_of(pool, "select * from pooled_tables")}
    texts = {(row["question_id"], row["setting"]): row["schema_text"] for row in contexts}
    n_compared = 0
    for (question_id, setting), text in texts.items():
        if setting.endswith("-bare") or not text:
            continue
        bare = texts[question_id, f"{setting}-bare"]
        assert [names[name] for name in created(text)] == created(bare)
        assert not set(names) & set(re.findall(r"\w+", bare))
        n_compared += 1
    assert n_compared > 1000


def created(text: str) -> list[str]:
    """Tables of a context, in order."""
    return [name.strip('"') for name in re.findall(r'^CREATE TABLE ("[^"]+"|\w+) \(', text, re.MULTILINE)]


@pytest.mark.slow
def test_nothing_leads_to_a_removed_table(pool: Path, contexts: list[dict[str, Any]]) -> None:
    required: dict[str, set[tuple[str, str, str]]] = {}
    for row in rows_of(
        pool, "select * from required_tables inner join pooled_tables using (benchmark, db_id, table_key)"
    ):
        names = (row["prefixed_name"], row["bare_name"], row["table_key"])
        required.setdefault(row["question_id"], set()).add(names)
    seen: Counter[str] = Counter()
    for row in contexts:
        text = row["schema_text"] or ""
        for prefixed, bare, table in required[row["question_id"]]:
            name = prefixed if row["naming"] == "prefixed" else bare
            leads = {
                "named": re.search(rf"(?<!\w){re.escape(prefixed)}(?!\w)", text, re.IGNORECASE) is not None,
                "shown": name in created(text),
                "key": re.search(rf'REFERENCES "?{re.escape(name)}"?[ ,]', text) is not None,
            }
            if row["condition"] == "remove_gold":
                assert not any(leads.values()), (row["question_id"], row["setting"], table, leads)
            seen.update(kind for kind, is_there in leads.items() if is_there)
    assert min(seen["named"], seen["shown"], seen["key"]) > 100  # elsewhere they are there to be found
    (audit,) = rows_of(
        pool,
        "select count(*)::int as n, bool_and(is_clean) as is_clean from leak_audit"
        " where n_removed_tables > 0",
    )
    assert audit["is_clean"] and audit["n"] == 2 * 12 * 1534


@pytest.mark.slow
def test_infeasible_cells_are_those_whose_required_tables_exceed_the_cap(pool: Path) -> None:
    rows = rows_of(
        pool,
        "select representation, budget, count(*)::int as n from packings where is_infeasible group by all",
    )
    expected: Counter[tuple[str, str]] = Counter()
    needed = rows_of(
        pool,
        "select question_id, representation, sum(n_tokens)::int as n_tokens from required_tables"
        " inner join table_texts using (benchmark, db_id, table_key) where naming = 'prefixed' group by all",
    )
    caps = {row["budget"]: row["cap_tokens"] for row in rows_of(pool, "select * from budget_caps")}
    for row in needed:
        for budget, cap in caps.items():
            expected[row["representation"], budget] += 2 * (row["n_tokens"] > cap)
    assert {(row["representation"], row["budget"]): row["n"] for row in rows} == {
        key: n for key, n in expected.items() if n
    }
    assert sum(expected.values()) > 0


@pytest.mark.slow
def test_leaks_of_words_are_counted(pool: Path, contexts: list[dict[str, Any]], shared_data: Path) -> None:
    """By hand, from the text that is shown: comments that hold a removed table's name as a word."""
    required: dict[str, set[str]] = {}
    for row in rows_of(pool, "select * from required_tables"):
        required.setdefault(row["question_id"], set()).add(row["table_key"])
    counted = {
        (row["question_id"], f"lexical-{row['representation']}-{row['budget']}-remove_gold"): row[
            "n_lexical_leaks"
        ]
        for row in rows_of(pool, "select * from lexical_leaks where ranker = 'lexical'")
    }
    questions = json.loads((shared_data / "bird" / "meta" / "dev.json").read_text())
    assert len(counted) == 12 * len(questions)
    found = {}
    for row in contexts:
        if row["condition"] == "remove_gold" and row["naming"] == "prefixed":
            words = [set(re.findall(r"\w+", line.lower())) for line in comments(row["schema_text"])]
            found[row["question_id"], row["setting"]] = sum(
                bool(line & required[row["question_id"]]) for line in words
            )
    assert found == {key: counted[key] for key in found}
    assert sum(found.values()) > 0


def comments(text: str) -> list[str]:
    """Comments of a context, one a line."""
    return [line.partition("  -- ")[2] for line in text.splitlines() if "  -- " in line]
