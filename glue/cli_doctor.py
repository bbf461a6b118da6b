"""`glue doctor`: says what is installed and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from glue.home import Home

if TYPE_CHECKING:
    from glue.doctor import Finding

_MARKS = {"ok": "ok", "optional": "--", "warning": "!!", "broken": "XX"}


@click.command(
    short_help="Say what is installed and what is missing.",
    epilog="""\b
Example:
  glue doctor""",
)
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Say what is installed, reachable and missing, with the command that mends it.

    Fails (exit code 1) only when importing, executing, building or querying cannot work.
    """
    from glue.doctor import examine, is_broken

    findings = examine(Home.current())
    _print_findings(findings)
    ctx.exit(1 if is_broken(findings) else 0)


def _print_findings(findings: Sequence[Finding]) -> None:
    """The doctor's findings, one a line, each missing thing with what mends it."""
    part = ""
    for finding in findings:
        if finding.part != part:
            part = finding.part
            print(f"{part}")
        print(f"  {_MARKS[finding.status]}  {finding.name}: {finding.detail}")
        if finding.mend:
            print(f"        {finding.mend}")
