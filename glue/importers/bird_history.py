"""BIRD-History's tasks: questions labelled with the past queries that know what they need (appendix A.1).

    [{"question_id", "db_id", "question", "SQL", "history_knowledge": {"piece of SQL": [ids]}}]

The keys of `history_knowledge` are pieces of SQL with their values masked as <val>; the ids are those of
another benchmark's questions, whose golds are the history. The tasks land as a benchmark of their own, on the
history's schemas and database files as they stand at the moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.home import Home
from glue.importers.common import (
    ImportBatch,
    JsonObject,
    Row,
    id_text,
    is_storable,
    kind_of,
    landed_rows,
    shown,
)
from glue.importers.landed import LandedBenchmark, landed_benchmark
from glue.importers.questions import BIRD_FIELDS, add_questions, read_entries
from glue.importers.records import told_first
from glue.landing_tables import TABLES

KNOWLEDGE = "history_knowledge"

_CATALOG = ("databases", "tables", "columns", "foreign_keys")


def read_bird_history(home: Home, name: str, path: Path, history: str) -> ImportBatch:
    """Read tasks into benchmark `name`; their labels name the questions of benchmark `history`.

    Single bad entries, keys and ids are refused by record and field, and the rest lands. GlueError when the
    history has not landed, the file cannot be read, or no label can land.
    """
    landed = landed_benchmark(home, history)
    if name == history:
        raise GlueError(
            f"{name!r} is the history itself: its questions cannot be imported under the same name",
            "give the tasks another name with --benchmark",
        )
    # The schemas are copied: tasks on the schemas of other imports are other tasks.
    options = {"name": name, "history": history, "schemas": landed.import_ids}
    batch = ImportBatch("bird_history", f"benchmark:{name}:bird_history", name, options=options)
    dialect = next((question.dialect for question in landed.questions if question.dialect), "sqlite")
    db_ids = add_questions(batch, path, BIRD_FIELDS, dialect, "FILE")
    _add_labels(batch, path, landed)
    _add_catalog(home, batch, path, landed, db_ids)
    batch.notes.append(f"past queries, schemas and database files: those of {history}")
    return batch


# --- Labels -------------------------------------------------------------------------------------------------


def _add_labels(batch: ImportBatch, path: Path, landed: LandedBenchmark) -> None:
    entries = read_entries(path, batch, "FILE")
    places = {question.question_id: question.db_id for question in landed.questions}
    for question in batch.rows["questions"]:
        position = question["question_position"]
        reader = _Labels(batch, path, f"entry {position + 1}", question, landed.name, places)
        reader.add(entries[position].get(KNOWLEDGE))
    if not batch.rows.get("history_labels"):
        raise GlueError(
            f"no entry of {path} has a label that can land{told_first(batch)}",
            f"{KNOWLEDGE} maps pieces of SQL to lists of question ids of {landed.name}",
        )


class _Labels:
    """Reads the labels of one entry."""

    def __init__(
        self, batch: ImportBatch, path: Path, record: str, question: Row, history: str, places: dict[str, str]
    ) -> None:
        self.batch, self.path, self.record = batch, path, record
        self.question, self.history, self.places = question, history, places
        self.n = 0

    def add(self, knowledge: Any) -> None:
        """Land every key that names a past query."""
        if isinstance(knowledge, dict) and knowledge:
            if isinstance(knowledge, JsonObject):
                for key in knowledge.repeated:
                    self._refuse(
                        "duplicate",
                        "it comes more than once",
                        "the last counts; join them",
                        key,
                        is_landed=True,
                    )
            for key, query_ids in knowledge.items():
                self._add_key(key, query_ids)
            return
        reason = "missing" if knowledge is None else "empty" if knowledge == {} else "not_an_object"
        detail = f"{KNOWLEDGE} is {'empty' if knowledge == {} else kind_of(knowledge)}"
        self._refuse(reason, detail, "it landed without labels: it is no published task", is_landed=True)

    def _add_key(self, key: str, query_ids: Any) -> None:
        if not key.strip() or not is_storable(key):
            self._refuse("malformed", f"the key {shown(key)!r} is no text", "remove it", key)
            return
        if not isinstance(query_ids, list):
            detail = f"{kind_of(query_ids)}: {shown(query_ids)}"
            self._refuse("not_a_list", detail, "make it a list of question ids", key)
            return
        known = list(dict.fromkeys(filter(None, (self._query_id(key, given) for given in query_ids))))
        if not known:
            detail = f"it names no question of {self.history}"
            self._refuse("no_queries", detail, "name the past queries that hold it, or remove it", key)
            return
        self.n += 1
        self.batch.add(
            "history_labels",
            benchmark=self.batch.benchmark,
            question_id=self.question["question_id"],
            history=self.history,
            label_number=self.n,
            knowledge_key=key,
            history_query_ids=known,
        )

    def _query_id(self, key: str, given: Any) -> str | None:
        """A past query's id; None, and refused, where there is no such query."""
        query_id = id_text(given)
        if query_id is None:
            self._refuse("malformed", f"{kind_of(given)} is no id: {shown(given)}", "remove it", key, given)
        elif query_id not in self.places:
            detail = f"{self.history} has no question {query_id}"
            self._refuse("unknown_query", detail, "is this the right --history?", key, given)
            return None
        elif self.places[query_id] != self.question["db_id"]:
            detail = f"question {query_id} asks {self.places[query_id]}, not {self.question['db_id']}"
            advice = "it landed, but nothing is retrieved from another database's queries"
            self._refuse("other_database", detail, advice, key, given, is_landed=True)
        return query_id

    def _refuse(
        self,
        reason: str,
        detail: str,
        advice: str,
        key: str | None = None,
        given: Any = None,
        is_landed: bool = False,
    ) -> None:
        record = self.record
        if key is not None:
            record += f", key {shown(key, 120)!r}"
        if given is not None:
            record += f", id {shown(given, 20)}"
        self.batch.refuse(
            self.path,
            record,
            reason,
            detail,
            advice,
            field=KNOWLEDGE,
            question_id=self.question["question_id"],
            is_landed=is_landed,
        )


# --- The history's schemas ----------------------------------------------------------------------------------


def _add_catalog(
    home: Home, batch: ImportBatch, path: Path, landed: LandedBenchmark, db_ids: Iterable[str]
) -> None:
    """Copy what is known of the databases that are asked; of several imports the newest counts."""
    wanted = set(db_ids)
    for table in _CATALOG:
        for row in _newest_first(home, table, landed.import_ids):
            if row["db_id"] in wanted:
                batch.add(table, **{**row, "benchmark": batch.benchmark})
    _keep_first(batch)
    described = {row["db_id"] for row in batch.rows.get("databases", [])}
    for db_id in sorted(wanted - described):
        batch.add("databases", benchmark=batch.benchmark, db_id=db_id, source="bird_history")
        batch.refuse(
            path,
            f"database {db_id}",
            "unknown_database",
            f"{landed.name} has no database {db_id}: its tasks have no past queries and cannot be scored",
            "is this the right --history?",
            field="db_id",
            is_landed=True,
        )


def _newest_first(home: Home, table: str, import_ids: list[str]) -> list[Row]:
    """A table's rows of some imports, without what landing adds; databases with a file before others."""
    when = {
        row["import_id"]: row["imported_at"]
        for row in landed_rows(home, "imports", ["import_id", "imported_at"])
    }
    columns = [name for name in TABLES[table].schema.names if name != "landed_at"]
    rows = [row for row in landed_rows(home, table, columns) if row["import_id"] in import_ids]
    rows.sort(key=lambda row: when[row["import_id"]], reverse=True)
    if table == "databases":
        rows.sort(key=lambda row: row["snapshot_id"] is None)
    return [{name: value for name, value in row.items() if name != "import_id"} for row in rows]


def _keep_first(batch: ImportBatch) -> None:
    """One row per key: what an older import says of the same is left out."""
    for table in _CATALOG:
        key = [name for name in TABLES[table].key if name != "import_id"]
        first: dict[tuple[Any, ...], Row] = {}
        for row in batch.rows.get(table, []):
            first.setdefault(tuple(row[name] for name in key), row)
        if first:
            batch.rows[table] = list(first.values())
