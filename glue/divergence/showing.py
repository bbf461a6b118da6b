"""Witnesses as text: the rows of each table, what gold gives on them, and what the prediction gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from glue.errors import GlueError
from glue.home import Home
from glue.landing import landed_keys

_COLUMNS = (
    "check_id",
    "divergence_id",
    "outcome",
    "kind",
    "assumptions",
    "gold_columns",
    "predicted_columns",
    "gold_rows",
    "predicted_rows",
    "predicted_error",
    "witness",
    "checked_at",
)
_MAX_WIDTH = 40


def witnesses(home: Home, which: str) -> list[str]:
    """The newest so many alarms, or those whose divergence_id begins with `which`. GlueError for none."""
    landed = [
        row
        for row in landed_keys(home, "divergence_checks", columns=list(_COLUMNS)).to_pylist()
        if row["witness"] is not None
    ]
    landed.sort(key=lambda row: row["checked_at"], reverse=True)
    is_number = which.isdigit() and len(which) < 4
    if is_number:
        found = [row for row in landed if row["outcome"] == "diverges"][: int(which)]
    else:
        found = [row for row in landed if row["divergence_id"].startswith(which)]
    if not found:
        what = "no alarm has landed" if is_number else f"no witness has a key that begins with {which!r}"
        raise GlueError(what, 'run `glue diverge`; `glue query "from divergence_witnesses"` has the keys')
    return [_written(row) for row in found]


def _written(row: dict[str, Any]) -> str:
    lines = [f"{row['divergence_id']}  {row['outcome']}: {row['kind']}"]
    lines += [f"  breaks: {assumption}" for assumption in row["assumptions"] or ()]
    for name, table in json.loads(row["witness"]).items():
        lines += [f"  {name}", *_grid(table["columns"], table["rows"])]
    lines += ["  gold gives", *_grid(row["gold_columns"], _plain(row["gold_rows"]))]
    if row["predicted_rows"] is None:
        lines.append(f"  the prediction fails: {row['predicted_error']}")
    else:
        lines += ["  the prediction gives", *_grid(row["predicted_columns"], _plain(row["predicted_rows"]))]
    return "\n".join([*lines, ""])


def _plain(cells: str | None) -> list[list[str | None]]:
    """Rows of canonical cells without their tags."""
    return [
        [None if cell is None else cell.partition(":")[2] for cell in row]
        for row in json.loads(cells or "[]")
    ]


def _grid(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    if not rows:
        return ["    (no rows)"]
    shown = [list(columns), *([_shown(value) for value in row] for row in rows)]
    widths = [max(len(line[place]) for line in shown) for place in range(len(shown[0]))]
    return [
        "    " + "  ".join(value.ljust(width) for value, width in zip(line, widths, strict=True)).rstrip()
        for line in shown
    ]


def _shown(value: Any) -> str:
    text = "NULL" if value is None else str(value)
    if isinstance(value, str) and value != value.strip():
        text = repr(value)
    return text if len(text) <= _MAX_WIDTH else f"{text[:_MAX_WIDTH]}…"
