"""What the commands print: reports on stdout, notes and errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glue.bank.showing import QuestionCard, ShownResult
    from glue.doctor import Finding
    from glue.importers.common import ImportReport
    from glue.run import ExecuteReport

_REPORT_WIDTH = 140
"""Characters a line of an import's report, where stdout is no terminal."""

_MARKS = {"ok": "ok", "optional": "--", "warning": "!!", "broken": "XX"}


def say(text: str) -> None:
    """A note for people, on stderr."""
    print(text, file=sys.stderr, flush=True)


def say_error(message: str, hint: str | None) -> None:
    """An error in two lines: what is wrong, and what to do."""
    say(f"error: {message}")
    if hint:
        say(f"hint: {hint}")


def print_table(names: Sequence[str], rows: Iterable[Sequence[Any]], width: int | None = None) -> None:
    """A table on stdout, as wide as the terminal; elsewhere `width`, or as wide as it takes."""
    from glue.query import render_table, terminal_width

    is_terminal = sys.stdout.isatty()
    width = terminal_width() if is_terminal else width
    sys.stdout.write(render_table(names, list(rows), width=width, is_styled=is_terminal))


def print_import(report: ImportReport) -> None:
    """What an import brought, what was refused and why."""
    name = report.prediction_set or report.benchmark
    if not report.is_new:
        print(f"{name} has been imported before from these very files; nothing to do")
        return
    counts = ", ".join(f"{n:,} {table}" for table, n in report.counts.items())
    print(f"imported {report.kind} {name}: {counts or 'nothing'}")
    for note in report.notes:
        print(f"  {note}")
    groups = report.groups()
    if not groups:
        print("nothing was refused")
        return
    n_remarks = len(report.refusals) - report.n_refused
    print(f"{report.n_refused:,} entries left out, {n_remarks:,} landed with a remark:")
    rows = [
        (
            group.n,
            "landed" if group.is_landed else "left out",
            group.reason,
            group.field or "",
            _places(group.examples, group.n),
            group.examples[0].detail,
            group.advice,
        )
        for group in groups
    ]
    print_table(["n", "", "why", "field", "where", "for example", "what to do"], rows, _REPORT_WIDTH)


def _places(examples: Sequence[Any], n: int) -> str:
    """The first places: file (its last part), record, and the question's id where one is known."""
    places = []
    for refusal in examples:
        file = refusal.file.rsplit("/", 1)[-1]
        question = f" (question {refusal.question_id})" if refusal.question_id else ""
        places.append(f"{file}, {refusal.record}{question}")
    return "; ".join(places) + (" …" if n > len(examples) else "")


def print_waves(report: ExecuteReport) -> None:
    """What `glue execute` ran, wave by wave."""
    for number, wave in enumerate(report.waves, start=1):
        outcomes = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in wave.outcomes.most_common())
        killed = f" ({wave.n_killed:,} killed)" if wave.n_killed else ""
        print(f"wave {number}: {wave.n_run:,} statements in {wave.elapsed_s:.1f} s: {outcomes}{killed}")
    n_run = sum(wave.n_run for wave in report.waves)
    what = f"{n_run:,} statements in {len(report.waves)} waves" if n_run else "nothing was pending"
    print(
        f"{what}; executing {report.execute_s:.1f} s,"
        f" refreshing the pending table {report.refresh_s:.1f} s ({report.n_refreshes} times)"
    )


def print_findings(findings: Sequence[Finding]) -> None:
    """The doctor's findings, one a line, each missing thing with what mends it."""
    part = ""
    for finding in findings:
        if finding.part != part:
            part = finding.part
            print(f"{part}")
        print(f"  {_MARKS[finding.status]}  {finding.name}: {finding.detail}")
        if finding.mend:
            print(f"        {finding.mend}")


def print_records(names: Sequence[str], rows: Sequence[Sequence[Any]], title: str) -> None:
    """A titled table; the title alone when there are no rows."""
    print(title if rows else f"{title}: none")
    if rows:
        print_table(names, rows)


_CARD_WIDTH = 110
"""Characters a line of a question's card, where stdout is no terminal."""
_CARD_ROWS = 5
"""Rows of a result that a card shows."""


def print_card(card: QuestionCard) -> None:
    """One question of the bank, to be read: text, intent, statements, D′, and where the two results part."""
    question = card.question
    marks = ", ordered" if question.is_ordered else ""
    marks += ", silent-divergence probe" if question.is_sd_probe else ""
    print(f"{question.question_id} · {question.db_id} · {question.category}, {question.difficulty}{marks}")
    _print_wrapped(question.question, "  ")
    if question.evidence:
        _print_wrapped(f"note: {question.evidence}", "  ")
    print("intent")
    for constraint in question.constraints:
        _print_wrapped(f"{constraint.kind}: {constraint.text}", "  - ")
    for role, dialects, sql in card.statements:
        print(f"{role.replace('_', ' ')}, {' and '.join(dialects)}")
        _print_wrapped(sql, "  ")
    if card.steps:
        print("D′: the base data, and")
        for step in card.steps:
            _print_wrapped(step, "  + ")
    for result in card.results:
        _print_shown_result(result)
    print()


def _print_shown_result(result: ShownResult) -> None:
    """The rows that gold and distractor do not share on one instance; gold's first rows where they agree."""
    sizes = f"gold {len(result.gold):,} rows, distractor {len(result.distractor):,}"
    verdict = "the results are equal" if result.is_equal else "the results differ"
    print(f"on {result.instance}: {sizes}; {verdict}")
    lacking = result.only_in(result.gold, result.distractor)
    surplus = result.only_in(result.distractor, result.gold)
    if result.is_equal or not (lacking or surplus):
        marked = [("both" if result.is_equal else "gold", row) for row in result.gold[:_CARD_ROWS]]
        if not result.is_equal:
            marked += [("distractor", row) for row in result.distractor[:_CARD_ROWS]]
    else:
        marked = [("gold only", row) for row in lacking[:_CARD_ROWS]]
        marked += [("distractor only", row) for row in surplus[:_CARD_ROWS]]
    print_table(["in", *result.names], [(mark, *row) for mark, row in marked], _CARD_WIDTH)


def _print_wrapped(text: str, prefix: str) -> None:
    from textwrap import fill

    from glue.query import terminal_width

    width = terminal_width() if sys.stdout.isatty() else _CARD_WIDTH
    blank = " " * len(prefix)
    print(fill(text, width=width, initial_indent=prefix, subsequent_indent=blank, break_long_words=False))
