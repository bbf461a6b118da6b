"""`glue manifest`: says what the numbers rest on, or what differs from a stored manifest."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from glue.cli_output import print_table, say
from glue.cli_parts import FILE
from glue.errors import GlueError, nearest
from glue.home import Home

_TABLE_WIDTH = 140
"""Characters a line of the table of differences, where stdout is no terminal."""


@click.command(
    short_help="Say what the numbers rest on.",
    epilog="""\b
Examples:
  glue manifest --output manifest.json
  glue manifest --check manifest.json
  glue manifest --check manifest.json --ignore version --ignore source""",
)
@click.option("--output", type=FILE, metavar="FILE", help="Write to this file instead of stdout.")
@click.option("--check", type=FILE, metavar="FILE", help="Say what differs from this stored manifest.")
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="KIND",
    help="With --check: leave entries of this kind out; may be repeated.",
)
@click.pass_context
def manifest(ctx: click.Context, output: Path | None, check: Path | None, ignored: tuple[str, ...]) -> None:
    """Say what the numbers rest on, as JSON: digests of inputs, versions, settings, seeds.

    With --check, what was added, removed or changed since; then the exit code is 1 where anything differs.
    Kinds of entries: see docs/manifest.md.
    """
    if check is None:
        if ignored:
            raise click.UsageError("--ignore is for --check", ctx)
        _write(Home.current(), output)
        return
    if output is not None:
        raise click.UsageError("--check and --output are one too many", ctx)
    ctx.exit(_check(Home.current(), check, ignored))


def _write(home: Home, output: Path | None) -> None:
    """The manifest of now, to a file that appears once it is whole, or to stdout."""
    from glue.manifest import manifest_text, present_entries
    from glue.query import output_file

    text = manifest_text(present_entries(home, _say_building))
    if output is None:
        sys.stdout.write(text)
        return
    with output_file(output) as out:
        out.write(text.encode("utf-8"))


def _check(home: Home, stored: Path, ignored: Sequence[str]) -> int:
    """Print what differs from the manifest in `stored`; 1 where anything does, else 0."""
    from glue.manifest import KINDS, difference_rows, differences, present_entries, read_manifest

    for kind in ignored:
        if kind not in KINDS:
            close = nearest(kind, list(KINDS))
            hint = f"did you mean {close}?" if close else f"kinds: {', '.join(KINDS)}"
            raise GlueError(f"--ignore: a manifest has no entries of kind {kind!r}", hint)
    before = read_manifest(stored)
    found = differences(before, present_entries(home, _say_building), ignored)
    if not found:
        print(f"nothing differs from {stored.name}")
        return 0
    print_table(["", "kind", "name", "stored", "now"], difference_rows(found), _TABLE_WIDTH)
    counts = {change: sum(it.change == change for it in found) for change in ("added", "removed", "changed")}
    say(", ".join(f"{n:,} {change}" for change, n in counts.items() if n))
    return 1


def _say_building() -> None:
    say("building the warehouse …")
