"""What `glue manifest` prints: the manifest, or what differs from a stored one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from glue.cli_output import print_table, say
from glue.errors import GlueError, nearest
from glue.home import Home
from glue.manifest import (
    KINDS,
    difference_rows,
    differences,
    manifest_text,
    present_entries,
    read_manifest,
)
from glue.query import output_file

_TABLE_WIDTH = 140
"""Characters a line of the table of differences, where stdout is no terminal."""


def write_manifest(home: Home, output: Path | None) -> None:
    """The manifest of now, to a file that appears once it is whole, or to stdout."""
    text = manifest_text(present_entries(home, _say_building))
    if output is None:
        sys.stdout.write(text)
        return
    with output_file(output) as out:
        out.write(text.encode("utf-8"))


def check_manifest(home: Home, stored: Path, ignored: Sequence[str] = ()) -> int:
    """Print what differs from the manifest in `stored`; 1 where anything does, else 0."""
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
