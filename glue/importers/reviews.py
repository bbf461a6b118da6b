"""Human reviews of drafted tasks: one decision a record, as CSV, TSV, JSON lines or a JSON list.

| field | also read under | what |
|---|---|---|
| `task_id` | `question_id`, `id` | the task |
| `round` | `review_round` | 1: each annotator alone; 2: of what the first round left open |
| `role` | | annotator (default), discussion (what all agreed on after talking), senior (the last word) |
| `reviewer` | `annotator`, `name` | who decided; needed of annotators |
| `decision` | `verdict`, `label` | what was decided: valid, invalid, revise, or words of your own |
| `reason` | `comment`, `note` | why |

The discussion and the senior decide in round 2 where no round is said.
"""

from __future__ import annotations

from pathlib import Path

from glue.errors import GlueError
from glue.home import Home
from glue.importers.common import ImportBatch, id_text, kind_of, shown, storable
from glue.importers.landed import landed_benchmark
from glue.importers.records import Record, read_records, told_first

FIELDS: dict[str, tuple[str, ...]] = {
    "task_id": ("task_id", "question_id", "id", "task"),
    "round": ("round", "review_round"),
    "role": ("role",),
    "reviewer": ("reviewer", "annotator", "name"),
    "decision": ("decision", "verdict", "label"),
    "reason": ("reason", "comment", "note", "comments"),
}
"""The names under which each field is found; of several that are filled in, the first counts."""

ROLES = {"annotator": "annotator", "reviewer": "annotator", "discussion": "discussion", "senior": "senior"}
ROLES |= {"expert": "senior", "senior expert": "senior", "consensus": "discussion"}


def read_reviews(home: Home, path: Path, benchmark: str) -> ImportBatch:
    """Read the reviews of a benchmark's tasks; a newer file takes the place of an older one.

    GlueError when the benchmark has not landed, the file cannot be read, or no record can land.
    """
    landed_benchmark(home, benchmark)
    batch = ImportBatch("reviews", f"reviews:{benchmark}", benchmark, options={"benchmark": benchmark})
    batch.title = f"a file of reviews of {benchmark!r}"
    seen: dict[tuple[str, int, str, str | None], str] = {}
    for record in read_records(path, batch, "FILE", FIELDS, "decision"):
        _add(batch, path, record, seen)
    if not batch.rows.get("task_reviews"):
        raise GlueError(
            f"no record of {path} can land{told_first(batch)}",
            "each needs task_id, round, role, reviewer and decision",
        )
    return batch


def _add(
    batch: ImportBatch, path: Path, record: Record, seen: dict[tuple[str, int, str, str | None], str]
) -> None:
    def refuse(field: str, reason: str, detail: str, advice: str) -> None:
        batch.refuse(path, record.place, reason, detail, advice, field=field, question_id=task_id)

    given = record.first(FIELDS["task_id"])
    task_id = id_text(given)
    if task_id is None:
        refuse("task_id", "missing" if given is None else "malformed", kind_of(given), "name the task")
        return
    said = {name: record.first(FIELDS[name]) for name in ("role", "reviewer", "decision", "reason")}
    for name, value in said.items():
        if value is not None and not isinstance(value, str):
            refuse(name, "not_text", f"{kind_of(value)}: {shown(value)}", "make it a text")
            return
    role = ROLES.get(" ".join((said["role"] or "annotator").lower().replace("_", " ").split()))
    if role is None:
        refuse("role", "unknown_role", shown(said["role"]), "roles: annotator, discussion, senior")
        return
    if said["decision"] is None:
        refuse("decision", "missing", "no decision", "say what was decided, or remove the record")
        return
    if role == "annotator" and said["reviewer"] is None:
        refuse("reviewer", "missing", "an annotator without a name", "name who decided")
        return
    number = _round(record, role)
    if number is None:
        refuse("round", "malformed", shown(record.first(FIELDS["round"])), "rounds are 1 and 2")
        return
    reviewer = storable(said["reviewer"].strip()) if said["reviewer"] else None
    key = (task_id, number, role, reviewer)
    if key in seen:
        refuse("reviewer", "duplicate", f"decided already in {seen[key]}", "the first counts; remove one")
        return
    seen[key] = record.place
    batch.add(
        "task_reviews",
        benchmark=batch.benchmark,
        task_id=task_id,
        review_round=number,
        reviewer=reviewer,
        role=role,
        decision=storable(said["decision"].strip().lower()),
        reason=storable(said["reason"]) if said["reason"] else None,
    )


def _round(record: Record, role: str) -> int | None:
    """The round of a record: what it says, else 1 for annotators and 2 for the others."""
    given = record.first(FIELDS["round"])
    if given is None:
        return 1 if role == "annotator" else 2
    return {"1": 1, "2": 2}.get(id_text(given) or "")
