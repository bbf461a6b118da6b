"""Column meanings: what columns mean in prose, one JSON object, {"database|table|column": "text"}."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.importers.catalog import KnownNames
from glue.importers.common import ImportBatch, Row, kind_of, read_json, shown, storable

SOURCE = "column_meaning"


def add_meanings(batch: ImportBatch, path: Path, db_ids: Collection[str]) -> None:
    """Land what the file says of columns that `batch` describes; keys of other databases are refused by name.

    GlueError when the file is not there or holds no object.
    """
    content = read_json(path, batch, "--column-meaning")
    if not isinstance(content, dict):
        raise GlueError(
            f"--column-meaning: {path} holds {kind_of(content)}, not an object",
            'its keys are "database|table|column"',
        )
    known = KnownNames.of(batch)
    for key, text in content.items():
        place = _meaning_place(batch, known, path, key, db_ids)
        meaning = _meaning(text)
        if place is None:
            continue
        if meaning is None:
            batch.refuse(path, f'key "{key}"', "not_text", shown(text), "give it a text")
            continue
        row: Row = {"db_id": place[0], "table_name": place[1], "column_name": place[2]}
        batch.add("columns", benchmark=batch.benchmark, source=SOURCE, description=meaning, **row)


def _meaning_place(
    batch: ImportBatch, known: KnownNames, path: Path, key: str, db_ids: Collection[str]
) -> tuple[str, str, str] | None:
    """The database, table and column of a key, as the catalog spells them; None when it was refused."""

    def refuse(reason: str, detail: str, advice: str) -> None:
        batch.refuse(path, f'key "{key}"', reason, detail, advice)

    parts = key.split("|", 2)
    if len(parts) != 3:
        refuse("malformed", f"{shown(key)} is not database|table|column", "mend the key")
        return None
    db_id = parts[0].strip()
    if db_id not in db_ids:
        refuse(
            "unknown_database",
            f"database {db_id} is not of this benchmark",
            "nothing, if the file covers more",
        )
        return None
    table = known.table(db_id, parts[1])
    if table is None:
        close = known.nearest_table(db_id, parts[1])
        refuse(
            "unknown_table",
            f"{db_id} has no table {parts[1]!r}",
            f"did you mean {close!r}?" if close else "remove it",
        )
        return None
    column = known.column(db_id, table, parts[2])
    if column is None:
        close = known.nearest_column(db_id, table, parts[2])
        detail = f"{db_id}.{table} has no column {parts[2]!r}"
        refuse("unknown_column", detail, f"did you mean {close!r}?" if close else "remove it")
        return None
    return db_id, table, column


def _meaning(text: Any) -> str | None:
    """A meaning without the '#' and the quotes that the published files put around it."""
    if not isinstance(text, str):
        return None
    meaning = text.strip().lstrip("#").strip()
    if len(meaning) > 1 and meaning[0] == meaning[-1] == '"':
        meaning = meaning[1:-1].strip()
    return storable(meaning) or None
