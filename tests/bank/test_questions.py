"""What every question of the bank must hold, and the bank as a whole: counts, distractors, second golds."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from glue import bank
from glue.bank.manifest import BankQuestion
from tests.bank import oracle_checks, texts
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
from tests.bank.oracle_bench import OracleBench

_ALL = bank.read_manifest().questions
QUESTIONS = [q.question_id for q in _ALL]
TRANSLATED = [q.question_id for q in _ALL if q.sql("gold", "duckdb") is not None]
GROUPS = {
    "simple_select_ordering": (25, 38, 24),
    "aggregation_conditional": (25, 44, 36),
    "multi_join_set_operations": (25, 50, 34),
    "nested": (10, 28, 20),
    "temporal": (10, 16, 14),
    "analytic": (0, 20, 12),
    "hierarchical": (0, 20, 36),
    "enterprise_traps": (0, 12, 51),
}
"""Questions of each category group in tiers 1 to 3 (ESQ-Bench, table 4)."""
SIZES = {"t1a": 48, "t1b": 47, "t2a": 114, "t2b": 114, "t3a": 114, "t3b": 113}
"""Questions of each schema (ESQ-Bench, sections 6.3 and 6.4)."""
IN_WORK = {"t3a", "t3b"}
"""Schemas whose questions are still being written: they have at most as many."""
LEAST_SILENT_SHARE = 0.25
LEAST_AGREEMENT = 0.95


def _ids(prefix: str) -> list[str]:
    return [name for name in QUESTIONS if name.startswith(prefix)]


@pytest.mark.parametrize("prefix", SIZES)
def test_the_questions_of_a_schema_are_numbered(prefix: str) -> None:
    expected = [f"{prefix}-{n:03d}" for n in range(1, SIZES[prefix] + 1)]
    if prefix in IN_WORK:
        assert set(_ids(prefix)) <= set(expected)
    else:
        assert _ids(prefix) == expected


@pytest.mark.parametrize("tier", [1, 2, 3])
def test_the_groups_of_a_tier_are_the_papers(manifest: bank.Manifest, tier: int) -> None:
    wanted = {group: counts[tier - 1] for group, counts in GROUPS.items() if counts[tier - 1]}
    asked = [q for q in manifest.questions if manifest.about[q.db_id].tier == tier]
    found = Counter(question.category_group for question in asked)
    if any(name.startswith(f"t{tier}") for name in IN_WORK):
        assert all(found[group] <= wanted.get(group, 0) for group in found)
    else:
        assert found == wanted
    assert {question.difficulty for question in asked} <= {"easy", "medium", "hard"}


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


@pytest.mark.parametrize("question_id", QUESTIONS)
def test_a_question_holds_in_oracles_dialect(
    manifest: bank.Manifest, oracle_bench: OracleBench, question_id: str
) -> None:
    """Wording, constraints, 1 to 500 rows, no ties, a distractor that D′ tells from gold, constructs."""
    question = next(q for q in manifest.questions if q.question_id == question_id)
    found = oracle_checks.findings(oracle_bench, question)
    failed = [f"{one.subject}: {one.detail}" for one in found if one.level == "fail"]
    # How many second golds agree is a rate, below.
    assert [text for text in failed if not text.startswith("second gold")] == []


def test_many_distractors_are_silent(manifest: bank.Manifest, oracle_bench: OracleBench) -> None:
    """Only D′ tells them from gold: in every category group, and a quarter of each tier's."""
    alone = [
        question
        for question in manifest.questions
        if oracle_checks.separated_by(oracle_bench, question) == [SUPPLEMENTARY]
    ]
    assert {q.category_group for q in alone} == {q.category_group for q in manifest.questions}
    for tier in (1, 2, 3):
        of_tier = [q for q in manifest.questions if manifest.about[q.db_id].tier == tier]
        silent = [q for q in alone if manifest.about[q.db_id].tier == tier]
        assert len(silent) >= LEAST_SILENT_SHARE * len(of_tier)


def test_the_dialects_agree_on_which_distractors_are_silent(
    translated: tuple[BankQuestion, ...], bench: Bench, oracle_bench: OracleBench
) -> None:
    for question in translated:
        wanted = oracle_checks.separated_by(oracle_bench, question)
        for engine in ENGINES:
            assert separated_by(bench, question, engine) == wanted, question.question_id


def test_most_tables_and_columns_are_asked_about(manifest: bank.Manifest) -> None:
    """Tier 1."""
    for db_id, tables in manifest.databases.items():
        if manifest.about[db_id].tier > 1:
            continue
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


def test_every_question_has_a_second_gold(translated: tuple[BankQuestion, ...]) -> None:
    for question in translated:
        for engine in ENGINES:
            second = question.sql("second_gold", engine)
            assert second, (question.question_id, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_second_golds_agree(translated: tuple[BankQuestion, ...], bench: Bench, engine: str) -> None:
    agreed = [q for q in translated if agrees(bench, q, engine, BASE)]
    assert len(agreed) >= LEAST_AGREEMENT * len(translated)


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


def test_an_order_that_does_not_matter_is_never_activated(
    manifest: bank.Manifest, oracle_bench: OracleBench
) -> None:
    """Nor one that D′ cannot show, because its result has no two rows."""
    for question in manifest.questions:
        for constraint in question.constraints:
            if constraint.kind == "ordering" and constraint.is_activated:
                rows = oracle_bench.rows(question, SUPPLEMENTARY, question.sql("gold", "oracle") or "")
                assert question.is_ordered and len(rows) > 1, question.question_id
