"""Questions as BIRD and Spider publish them: a JSON list of objects with question, database and gold SQL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.importers.common import (
    ImportBatch,
    Row,
    id_text,
    is_storable,
    kind_of,
    listed,
    read_json,
    shown,
    storable,
    text_or_none,
)

BENCHMARK_EDITION = "benchmark"


@dataclass(frozen=True)
class QuestionFields:
    """How a benchmark names a question's id and gold."""

    question_id: str | None
    gold: tuple[str, ...]


BIRD_FIELDS = QuestionFields("question_id", ("SQL", "query"))
SPIDER_FIELDS = QuestionFields(None, ("query", "SQL"))


def add_questions(
    batch: ImportBatch, path: Path, fields: QuestionFields, dialect: str, option: str = "--questions"
) -> list[str]:
    """Land a file's questions and golds; gives the databases they name, in order of appearance.

    Ids are the file's where it has any, else the 0-based positions. GlueError, naming the option that gave
    the file, when no question can land.
    """
    return add_entries(batch, path, read_entries(path, batch, option), fields, dialect, option)


def add_entries(
    batch: ImportBatch,
    path: Path,
    entries: list[Any],
    fields: QuestionFields,
    dialect: str,
    option: str,
    id_prefix: str = "",
    first_position: int = 0,
) -> list[str]:
    """Land the entries of a file as `add_questions` does.

    Of a benchmark in several files each has an `id_prefix` of its own, and its questions stand at
    `first_position` and after.
    """
    has_ids = fields.question_id is not None and any(
        isinstance(entry, dict) and fields.question_id in entry for entry in entries
    )
    seen: set[str] = set()
    databases: dict[str, None] = {}
    for position, entry in enumerate(entries):
        found_id = _checked_id(batch, path, position, entry, fields.question_id if has_ids else None, seen)
        if found_id is None:
            continue
        seen.add(found_id)
        question_id = f"{id_prefix}{found_id}"
        databases[entry["db_id"].strip()] = None
        batch.add(
            "questions",
            benchmark=batch.benchmark,
            question_id=question_id,
            question_position=first_position + position,
            db_id=entry["db_id"].strip(),
            question=storable(entry["question"]),
            evidence=text_or_none(entry.get("evidence")),
            difficulty=text_or_none(entry.get("difficulty")),
            dialect=dialect,
        )
        _add_gold(batch, path, position, question_id, entry, fields, dialect)
    if not seen:
        raise GlueError(
            f"{option}: none of the {len(entries)} entries of {path} is a question"
            + (
                f" (the first has the fields {listed(entries[0])})"
                if entries and isinstance(entries[0], dict)
                else ""
            ),
            f"each needs db_id, question and {fields.gold[0]}",
        )
    return list(databases)


def read_entries(path: Path, batch: ImportBatch, option: str) -> list[Any]:
    """A JSON file that must hold a list."""
    content = read_json(path, batch, option)
    if not isinstance(content, list):
        raise GlueError(
            f"{option}: {path} holds {kind_of(content)}, not a list", "give the file of the questions"
        )
    return content


def _checked_id(
    batch: ImportBatch, path: Path, position: int, entry: Any, id_field: str | None, seen: set[str]
) -> str | None:
    """The id of an entry that may land; None when it was refused."""
    record = f"entry {position + 1}"

    def refuse(reason: str, detail: str, advice: str, name: str | None = None) -> None:
        batch.refuse(path, record, reason, detail, advice, field=name)

    if not isinstance(entry, dict):
        refuse("not_an_object", f"{kind_of(entry)}: {shown(entry)}", "make it an object or remove it")
        return None
    question_id = str(position) if id_field is None else id_text(entry.get(id_field))
    if question_id is None:
        refuse("missing", f"no {id_field}, although others have one", "give it one", id_field)
        return None
    for name in ("db_id", "question"):
        value = entry.get(name)
        if not isinstance(value, str) or not value.strip() or not (name == "question" or is_storable(value)):
            refuse(
                "missing" if value is None else "not_text",
                f"{name}: {kind_of(value)}",
                f"give it a {name}",
                name,
            )
            return None
    if question_id in seen:
        refuse(
            "duplicate", f"question_id {question_id} again", "the first counts; give it another id", id_field
        )
        return None
    return question_id


def _add_gold(
    batch: ImportBatch,
    path: Path,
    position: int,
    question_id: str,
    entry: Row,
    fields: QuestionFields,
    dialect: str,
) -> None:
    name = next((name for name in fields.gold if name in entry), fields.gold[0])
    gold = entry.get(name)
    if isinstance(gold, str) and gold.strip() and is_storable(gold):
        add_gold(batch, question_id, gold, dialect)
        return
    batch.refuse(
        path,
        f"entry {position + 1}",
        "no_gold",
        f"question {question_id}: gold {name} is {'empty' if isinstance(gold, str) else kind_of(gold)}",
        "it landed without a gold and cannot be scored",
        field=name,
        question_id=question_id,
        is_landed=True,
    )


def add_gold(batch: ImportBatch, question_id: str, sql: str, dialect: str, number: int = 1) -> None:
    """Land an accepted SQL of a question in the benchmark's own edition; `number` counts alternatives."""
    batch.add(
        "golds",
        benchmark=batch.benchmark,
        question_id=question_id,
        gold_edition=BENCHMARK_EDITION,
        gold_number=number,
        dialect=dialect,
        gold_sql=sql,
    )
