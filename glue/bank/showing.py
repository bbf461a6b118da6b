"""One question of the bank as a person reads it: text, intent, statements, and where the results part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glue.bank.generation import generated
from glue.bank.instances import apply_steps, render_step
from glue.bank.manifest import DIALECTS, ROLES, BankQuestion, Manifest
from glue.errors import GlueError, nearest

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class ShownResult:
    """What gold and distractor give on one instance, run on DuckDB."""

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
    for name in question_ids:
        yield _card(manifest, questions[name])


def _card(manifest: Manifest, question: BankQuestion) -> QuestionCard:
    tables = manifest.databases[question.db_id]
    by_name = {table.name: table for table in tables}
    steps = manifest.instances.get(question.question_id, ())
    results = []
    with generated(manifest, question.db_id) as connection:
        results.append(_result(connection, question, "D"))
        if steps:
            apply_steps(connection, tables, steps, "duckdb")
            results.append(_result(connection, question, "D′"))
    statements: dict[tuple[str, str], list[str]] = {}
    for role in ROLES:
        for dialect in DIALECTS:
            if (sql := question.sql(role, dialect)) is not None:
                statements.setdefault((role, sql), []).append(dialect)
    texts = [(role, dialects, sql) for (role, sql), dialects in statements.items()]
    rendered = [render_step(step, by_name[step.table_name], "duckdb") for step in steps]
    return QuestionCard(question, texts, rendered, results)


def _result(connection: Any, question: BankQuestion, instance: str) -> ShownResult:
    gold, distractor = (question.sql(role, "duckdb") for role in ("gold", "distractor"))
    cursor = connection.execute(gold)
    names = [column[0] for column in cursor.description]
    gold_rows = cursor.fetchall()
    distractor_rows = connection.execute(distractor).fetchall() if distractor else []
    return ShownResult(instance, names, gold_rows, distractor_rows, question.is_ordered)
