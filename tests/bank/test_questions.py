"""What every question of the bank must hold, and the bank as a whole: counts, distractors, second golds."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from glue import bank
from tests.bank import texts
from tests.bank.checks import (
    BASE,
    ENGINES,
    SUPPLEMENTARY,
    Bench,
    agrees,
    checks,
    is_equal,
    separated_by,
)

TRANSLATED = [q.question_id for q in bank.read_manifest().questions if q.sql("gold", "duckdb") is not None]
N_QUESTIONS = 95
GROUPS = {
    "simple_select_ordering": 25,
    "aggregation_conditional": 25,
    "multi_join_set_operations": 25,
    "nested": 10,
    "temporal": 10,
}
"""Category groups of tier 1 (ESQ-Bench, table 4)."""
LEAST_ON_D_PRIME_ALONE = 25
LEAST_AGREEMENT = 0.95


def test_ninety_five_questions_in_the_five_groups(manifest: bank.Manifest) -> None:
    assert Counter(question.category_group for question in manifest.questions) == GROUPS
    expected = [f"t1a-{n:03d}" for n in range(1, 49)] + [f"t1b-{n:03d}" for n in range(1, 48)]
    assert [question.question_id for question in manifest.questions] == expected
    databases = {"t1a": "t1_a_sales_orders", "t1b": "t1_b_university"}
    assert all(databases[q.question_id[:3]] == q.db_id for q in manifest.questions)
    categories = {question.category for question in manifest.questions}
    assert categories == {name for names in texts.CATEGORIES.values() for name in names}
    assert {question.difficulty for question in manifest.questions} == {"easy", "medium", "hard"}


def test_no_two_questions_read_the_same(manifest: bank.Manifest) -> None:
    assert len({question.question.lower() for question in manifest.questions}) == len(manifest.questions)


@pytest.mark.parametrize("question_id", TRANSLATED)
def test_a_question_holds_what_every_question_must(
    manifest: bank.Manifest, bench: Bench, question_id: str
) -> None:
    """Wording, constraints, dialects, 1 to 500 rows, engines that agree, ties, distractor, D′, Oracle."""
    question = next(q for q in manifest.questions if q.question_id == question_id)
    failed = [
        f"{found.subject}: {found.detail}" for found in checks(bench, question) if found.level == "fail"
    ]
    # How many second golds agree is a rate, below.
    assert [text for text in failed if not text.startswith("second gold")] == []


def test_distractors_that_only_d_prime_tells_from_gold(manifest: bank.Manifest, bench: Bench) -> None:
    for engine in ENGINES:
        alone = [q for q in manifest.questions if separated_by(bench, q, engine) == [SUPPLEMENTARY]]
        assert len(alone) >= LEAST_ON_D_PRIME_ALONE


def test_most_tables_and_columns_are_asked_about(manifest: bank.Manifest) -> None:
    for db_id, tables in manifest.databases.items():
        golds = " ".join(str(q.sql("gold", "duckdb")) for q in manifest.questions if q.db_id == db_id).lower()
        used = set(re.findall(r"\w+", golds))
        assert {table.name for table in tables} <= used
        columns = {column.name for table in tables for column in table.columns}
        assert len(columns & used) >= 0.8 * len(columns)


# Oracle's own means


@pytest.mark.parametrize(
    "means",
    [
        "FETCH FIRST",
        "NULLS LAST",
        r"NVL\(",
        r"DECODE\(",
        "MINUS",
        "DATE '",
        r"ADD_MONTHS\(|MONTHS_BETWEEN\(",
        r"_on - |_date - |\) - DATE|\w+_on \+ \d",
    ],
)
def test_golds_use_oracles_own_means(manifest: bank.Manifest, means: str) -> None:
    golds = texts.golds_of(manifest.questions, "oracle").values()
    assert any(re.search(means, sql) for sql in golds)


# Probes of silent divergence (ESQ-Bench, section 5.4.1)


def test_four_probes_and_the_pair_of_sums(manifest: bank.Manifest, bench: Bench) -> None:
    """SUM(x) and SUM(NVL(x, 0)) part only where all amounts of a group are NULL: only D′ has such a group."""
    probes = [question for question in manifest.questions if question.is_sd_probe]
    assert len(probes) == 4
    plain, defaulted = "SUM(total_amount)", "SUM(NVL(total_amount, 0))"
    sums = {
        text: [q for q in probes if text in re.sub(r"\b[a-z]\.", "", str(q.sql("gold", "oracle")))]
        for text in (plain, defaulted)
    }
    assert all(sums.values()), sums
    pair = [sums[plain][0], sums[defaulted][0]]
    assert pair[0] is not pair[1]
    for question in pair:
        gold, distractor = (str(question.sql(role, "duckdb")) for role in ("gold", "distractor"))
        assert ("COALESCE" in gold) != ("COALESCE" in distractor)
        assert separated_by(bench, question, "duckdb") == [SUPPLEMENTARY]
        groups = (
            "select count(*) from (select 1 from orders group by {} having count(total_amount) = 0)"
        ).format(", ".join(_group_columns(gold)))
        connection = bench.connection(question, "duckdb", SUPPLEMENTARY)
        assert connection.execute(groups).fetchone()[0] >= 1, question.question_id
        on_base = bench.connection(question, "duckdb", BASE)
        assert on_base.execute(groups).fetchone()[0] == 0, question.question_id


def _group_columns(sql: str) -> list[str]:
    tree = texts.parsed(sql, "duckdb")
    assert tree is not None
    group = tree.args["group"]
    return [column.name for column in group.find_all(texts.exp.Column)]


# Second golds (ESQ-Bench, section 4.5, step 5)


def test_every_question_has_a_second_gold(manifest: bank.Manifest) -> None:
    for question in manifest.questions:
        for engine in ENGINES:
            second = question.sql("second_gold", engine)
            assert second, (question.question_id, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_second_golds_agree(manifest: bank.Manifest, bench: Bench, engine: str) -> None:
    agreed = [q for q in manifest.questions if agrees(bench, q, engine, BASE)]
    assert len(agreed) >= LEAST_AGREEMENT * N_QUESTIONS


def test_a_first_pass_is_kept_only_where_it_was_revised(manifest: bank.Manifest) -> None:
    for question in manifest.questions:
        for statement in question.statements:
            if statement.edition == "first_pass":
                final = question.sql(statement.role, statement.dialect)
                assert final is not None and final != statement.sql, question.question_id


# The functions above


def test_results_are_compared_as_multisets_and_in_order() -> None:
    left, right = [("n:1",), ("n:2",), ("n:2",)], [("n:2",), ("n:1",), ("n:2",)]
    assert is_equal(left, right, is_ordered=False)
    assert not is_equal(left, right, is_ordered=True)
    assert not is_equal(left, [("n:1",), ("n:2",)], is_ordered=False)
