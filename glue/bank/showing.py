"""One question of the bank as a person reads it: text, intent, statements, and where the results part."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glue.bank.instances import render_step
from glue.bank.manifest import DIALECTS, ROLES, BankQuestion, Manifest
from glue.bank.oracle import BASE, SUPPLEMENTARY, Answer, OracleBank
from glue.errors import GlueError, nearest

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class ShownResult:
    """What gold and distractor give on one instance, in Oracle's dialect."""

    instance: str  # D, or D′ of the question
    names: list[str]
    gold: Rows
    distractor: Rows
    is_ordered: bool

    @property
    def is_equal(self) -> bool:
        """Whether the two results are equal as `ex` has it: as multisets, in order where order counts."""
        if self.is_ordered:
            return self.gold == self.distractor
        return sorted(map(repr, self.gold)) == sorted(map(repr, self.distractor))

    def only_in(self, rows: Rows, others: Rows) -> Rows:
        """The rows of the one that the other lacks, each as often as it lacks it."""
        left = list(others)
        missing = []
        for row in rows:
            if row in left:
                left.remove(row)
            else:
                missing.append(row)
        return missing


@dataclass(frozen=True)
class QuestionCard:
    """A question with what `glue bank show` prints of it."""

    question: BankQuestion
    statements: list[tuple[str, list[str], str]]  # role, the dialects that share the text, SQL
    steps: list[str]  # of D′, in DuckDB's words
    results: list[ShownResult]


def question_cards(manifest: Manifest, question_ids: Sequence[str]) -> Iterator[QuestionCard]:
    """A card for each question named, in the order given; GlueError for one that is not there."""
    questions = {question.question_id: question for question in manifest.questions}
    for name in question_ids:
        if name not in questions:
            close = nearest(name, list(questions))
            raise GlueError(
                f"the bank has no question {name!r}",
                f"did you mean {close!r}?" if close else "glue bank show --all lists them",
            )
    bank = OracleBank(manifest)
    try:
        for name in question_ids:
            yield _card(bank, questions[name])
    finally:
        bank.close()


def spread_over_schemas(manifest: Manifest, n_per_schema: int) -> list[str]:
    """So many questions of each database: of every category group in turn, and within it evenly spread."""
    chosen = []
    for db_id in manifest.databases:
        groups: dict[str, list[str]] = {}
        for question in manifest.questions:
            if question.db_id == db_id:
                groups.setdefault(question.category_group, []).append(question.question_id)
        turns = [_evenly(names) for _, names in sorted(groups.items())]
        places = [names[turn] for turn in range(n_per_schema) for names in turns if turn < len(names)]
        chosen += sorted(places[:n_per_schema])
    return chosen


def _evenly(names: list[str]) -> list[str]:
    """The names so that any number of the first of them lies spread over the whole."""
    return sorted(names, key=lambda name: hashlib.md5(name.encode()).hexdigest())


def _card(bank: OracleBank, question: BankQuestion) -> QuestionCard:
    by_name = {table.name: table for table in bank.manifest.databases[question.db_id]}
    steps = bank.manifest.instances.get(question.question_id, ())
    results = [_result(bank, question, instance) for instance in (BASE, *([SUPPLEMENTARY] if steps else []))]
    statements: dict[tuple[str, str], list[str]] = {}
    for role in ROLES:
        for dialect in DIALECTS:
            if (sql := question.sql(role, dialect)) is not None:
                statements.setdefault((role, sql), []).append(dialect)
    texts = [(role, dialects, sql) for (role, sql), dialects in statements.items()]
    rendered = [render_step(step, by_name[step.table_name], "duckdb") for step in steps]
    return QuestionCard(question, texts, rendered, results)


def _result(bank: OracleBank, question: BankQuestion, instance: str) -> ShownResult:
    texts = [sql for role in ("gold", "distractor") if (sql := question.sql(role, "oracle")) is not None]
    answers = bank.ask(question, instance, texts)
    for answer in answers:
        if answer.error is not None:
            raise GlueError(
                f"{question.question_id} does not run on {instance}: {answer.error}", "mend statements.csv"
            )
    gold, distractor = (*answers, Answer())[:2]
    return ShownResult(instance, gold.names, gold.rows, distractor.rows, question.is_ordered)
