"""What every question of the bank is held to in Oracle's dialect, the bank's own.

`findings(bench, question)` lists it for one question; `mutation_outcomes` says which small changes of the
gold show on the base data or on D′. `python -m tests.bank.check_questions` prints both while one writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from glue.bank.manifest import BankQuestion
from glue.cells import Cells
from glue.errors import GlueError
from glue.sql.analysis import sql_analysis
from glue.sql.constructs import construct_patterns, used_constructs
from glue.sql.mutations import mutations
from tests.bank.checks import Finding, MutationOutcome, difference, is_equal, schema_of
from tests.bank.oracle_bench import BASE, SUPPLEMENTARY, DoesNotRun, OracleBench
from tests.bank.texts import text_findings


def instances_of(bench: OracleBench, question: BankQuestion) -> list[str]:
    """Base, and D′ where the question has one."""
    return [BASE, SUPPLEMENTARY] if question.question_id in bench.manifest.instances else [BASE]


def findings(bench: OracleBench, question: BankQuestion) -> Iterator[Finding]:
    """Texts, gold, ties, distractor, second gold and constructs of one question."""
    yield from text_findings(bench.manifest, question, ("oracle",))
    yield from _construct_findings(question)
    try:
        yield from _gold_findings(bench, question)
        yield from _distractor_findings(bench, question)
        yield from _second_gold_findings(bench, question)
    except GlueError as error:
        yield Finding("fail", "D′", f"{error} ({error.hint})")


def _construct_findings(question: BankQuestion) -> Iterator[Finding]:
    gold = question.sql("gold", "oracle") or ""
    for construct in question.constructs:
        if construct not in construct_patterns("oracle"):
            yield Finding("fail", "constructs", f"{construct} is not in seeds/constructs.csv")
        elif construct not in used_constructs(gold, "oracle"):
            yield Finding("fail", "constructs", f"gold does not use {construct}")


def _gold_findings(bench: OracleBench, question: BankQuestion) -> Iterator[Finding]:
    gold = question.sql("gold", "oracle")
    if gold is None:
        return
    for instance in instances_of(bench, question):
        try:
            rows = bench.rows(question, instance, gold)
        except DoesNotRun as failure:
            yield Finding("fail", "gold", f"does not run on {instance}: {failure}")
            continue
        if instance == BASE:
            yield from size_findings(rows)
        if question.is_ordered:
            yield from _tie_findings(bench, question, instance, gold, rows)


def size_findings(rows: list[Cells]) -> Iterator[Finding]:
    """One to five hundred rows that say something."""
    if not 1 <= len(rows) <= 500:
        yield Finding("fail", "gold", f"{len(rows)} rows on base, not 1 to 500")
    elif len(rows) == 1 and all(value in (None, "n:0") for value in rows[0]):
        yield Finding("fail", "gold", f"trivial on base: {rows[0]}")
    else:
        yield Finding("ok", "gold", f"{len(rows)} rows on base, first {rows[0]}")


def _tie_findings(
    bench: OracleBench, question: BankQuestion, instance: str, gold: str, rows: list[Cells]
) -> Iterator[Finding]:
    """The keys of an ordered gold tell rows that differ apart, also at the edge of a limit."""
    analysis = sql_analysis(gold, "oracle")
    probe = analysis.get("order_probe_sql")
    if not probe:
        problem = analysis.get("order_probe_problem") or "no order"
        yield Finding("warn", "order", f"ties cannot be looked for: {problem}")
        return
    if not rows:
        return
    try:
        shown = {(row[-1], row[: len(rows[0])]) for row in bench.rows(question, instance, str(probe))}
    except DoesNotRun as failure:
        yield Finding("warn", "order", f"ties cannot be looked for: {failure}")
        return
    n_tied = sum(n for n in Counter(place for place, _ in shown).values() if n > 1)
    if n_tied:
        yield Finding("fail", "order", f"{n_tied} rows of gold are tied on {instance}: no total order")


def _distractor_findings(bench: OracleBench, question: BankQuestion) -> Iterator[Finding]:
    gold, distractor = question.sql("gold", "oracle"), question.sql("distractor", "oracle")
    if gold is None or distractor is None:
        return
    differs = []
    for instance in instances_of(bench, question):
        right, wrong = bench.results(question, instance, [gold, distractor])
        for role, found in (("gold", right), ("distractor", wrong)):
            if isinstance(found, DoesNotRun):
                yield Finding("fail", role, f"on {instance}: {found}")
                return
        if not is_equal(right, wrong, question.is_ordered):
            differs.append(instance)
            yield Finding("ok", "distractor", f"on {instance}: {difference(right, wrong)}")
    if SUPPLEMENTARY not in differs:
        yield Finding("fail", "distractor", "equals gold on D′: D′ must tell them apart")
    if differs == [SUPPLEMENTARY]:
        yield Finding("ok", "distractor", "silent: equals gold on the base data")


def separated_by(bench: OracleBench, question: BankQuestion) -> list[str]:
    """The instances on which the distractor's result differs from gold's."""
    statements = [question.sql(role, "oracle") or "" for role in ("gold", "distractor")]
    found = []
    for instance in instances_of(bench, question):
        right, wrong = bench.results(question, instance, statements)
        if isinstance(right, DoesNotRun) or isinstance(wrong, DoesNotRun):
            continue
        if not is_equal(right, wrong, question.is_ordered):
            found.append(instance)
    return found


def agrees(bench: OracleBench, question: BankQuestion, instance: str, edition: str = "final") -> bool:
    """Whether the second gold gives the gold's result; it does not when one of them does not run."""
    gold = question.sql("gold", "oracle", edition)
    second = question.sql("second_gold", "oracle", edition)
    if gold is None or second is None:
        return False
    right, other = bench.results(question, instance, [gold, second])
    if isinstance(right, DoesNotRun) or isinstance(other, DoesNotRun):
        return False
    return is_equal(right, other, question.is_ordered)


def _second_gold_findings(bench: OracleBench, question: BankQuestion) -> Iterator[Finding]:
    gold, second = question.sql("gold", "oracle"), question.sql("second_gold", "oracle")
    if gold is None or second is None:
        yield Finding("warn", "second gold", "none yet")
        return
    for instance in instances_of(bench, question):
        right, other = bench.results(question, instance, [gold, second])
        if isinstance(right, DoesNotRun) or isinstance(other, DoesNotRun):
            yield Finding(
                "fail", "second gold", f"on {instance}: {right if isinstance(right, DoesNotRun) else other}"
            )
        elif is_equal(right, other, question.is_ordered):
            yield Finding("ok", "second gold", f"agrees on {instance}")
        else:
            yield Finding("fail", "second gold", f"on {instance}: {difference(right, other)}")


def mutation_outcomes(bench: OracleBench, question: BankQuestion) -> list[MutationOutcome]:
    """Each applicable change of the Oracle gold, and where its result differs from gold's."""
    gold = question.sql("gold", "oracle")
    if gold is None:
        return []
    changes = mutations(gold, "oracle", schema_of(bench.manifest, question.db_id))
    outcomes: dict[int, MutationOutcome] = {}
    for instance in instances_of(bench, question):
        right, *changed = bench.results(question, instance, [gold, *(change.sql for change in changes)])
        for place, (change, found) in enumerate(zip(changes, changed, strict=True)):
            if place in outcomes or isinstance(right, DoesNotRun):
                continue
            if isinstance(found, DoesNotRun):
                outcomes[place] = MutationOutcome(change, "does not run", str(found))
            elif not is_equal(right, found, question.is_ordered):
                outcomes[place] = MutationOutcome(change, instance)
    return [outcomes.get(n, MutationOutcome(change, "survives")) for n, change in enumerate(changes)]
