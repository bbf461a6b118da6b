"""How several commands print: tables and imports on stdout, notes and errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from glue.errors import counted

if TYPE_CHECKING:
    from glue.importers.common import ImportReport

_REPORT_WIDTH = 140
"""Characters a line of an import's report, where stdout is no terminal."""


def say(text: str) -> None:
    """A note for people, on stderr."""
    print(text, file=sys.stderr, flush=True)


def say_error(message: str, hint: str | None) -> None:
    """An error in two lines: what is wrong, and what to do. The password of a mistyped URL is not shown."""
    from glue.connection_urls import without_passwords

    say(f"error: {without_passwords(message)}")
    if hint:
        say(f"hint: {without_passwords(hint)}")


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
        print(f"{report.title or name} has been imported before from these very files; nothing to do")
        return
    counts = ", ".join(counted(n, table) for table, n in report.counts.items())
    print(f"imported {report.title or f'{report.kind} {name}'}: {counts or 'nothing'}")
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
