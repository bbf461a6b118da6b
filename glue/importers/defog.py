"""Defog's question files (sql-eval): CSV with a question, its database and golds in Defog's notation.

| column | what |
|---|---|
| `question`, `db_name` | the question and its database; required |
| `query` | the golds: `;` between alternatives, of `{a, b}` any choice of columns, `{}` means those |
| `query_category` | lands as `intent` |
| `instructions` | what a model may be told: lands as `evidence` |
| `db_type` | the golds' dialect; where there is none, the file's name or its folder's says it: …_mysql.csv |

A question's id is its file's name without the dialect and its 0-based row, `questions_gen/0`, so that one
question has one id in every dialect, and is known as one. Other columns are named in the report and left out.
A row that is wrong is refused, with its line; the others land.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from glue.errors import GlueError, nearest
from glue.importers.catalog import add_databases
from glue.importers.common import (
    ImportBatch,
    OnProgress,
    is_storable,
    known_dialect,
    listed,
    read_text,
    shown,
    text_or_none,
)
from glue.importers.questions import BENCHMARK_EDITION
from glue.stored_results import expand_gold_notation

if TYPE_CHECKING:
    from glue.importers.live_questions import LiveDatabases

EVIDENCE = "instructions"

_REQUIRED = ("question", "db_name", "query")
_READ = (*_REQUIRED, "query_category", "db_type")
_OPTION = "--questions"

Record = tuple[str, int, dict[str, str]]
"""Where a row stands in its file, its 0-based number there, and its cells by column."""


def read_defog(
    name: str,
    questions: Sequence[Path],
    databases: Path | None = None,
    dialect: str | None = None,
    evidence_column: str = EVIDENCE,
    on_progress: OnProgress | None = None,
    live: LiveDatabases | None = None,
) -> ImportBatch:
    """Read question files of one dialect or several into benchmark `name`.

    `dialect`: of all golds, whatever files and rows say. `evidence_column`: what a model may be told.
    `databases`, `live`: as for one's own questions. GlueError when no row can land.
    """
    dialect = known_dialect(dialect) if dialect else None
    options = {"name": name, "dialect": dialect, "evidence_column": evidence_column}
    batch = ImportBatch("defog", f"benchmark:{name}:defog", name, options=options)
    reader = _Reader(batch, dialect, evidence_column)
    for path in questions:
        reader.read(path)
    if not batch.rows.get("questions"):
        first = batch.refusals[0] if batch.refusals else None
        raise GlueError(
            f"{_OPTION}: no row of {listed(map(str, questions))} can land"
            + (f"; {first.record}: {first.detail}" if first else ": no rows"),
            first.advice if first else f"each row needs {', '.join(_REQUIRED)}",
        )
    if live is not None:
        live.add(batch, list(reader.db_ids))
    else:
        add_databases(batch, list(reader.db_ids), databases, "defog", on_progress=on_progress)
    return batch


class _Reader:
    """Reads files into a batch."""

    def __init__(self, batch: ImportBatch, dialect: str | None, evidence_column: str) -> None:
        self.batch = batch
        self.dialect = dialect
        self.evidence_column = evidence_column
        self.db_ids: dict[str, None] = {}
        self._n_rows = 0
        self._records: dict[str, str] = {}  # question_id -> where it stands

    def read(self, path: Path) -> None:
        """Land every row that can land."""
        prefix, of_name = _name_and_dialect(path)
        for record, number, row in self._rows(path):
            position = self._n_rows
            self._n_rows += 1
            question_id = f"{prefix}/{number}"
            if question_id in self._records:
                self._refuse(path, record, "query", "duplicate",
                             f"question {question_id} is also in {self._records[question_id]}",
                             "import another dialect's file under another --name")  # fmt: skip
                continue
            dialect = self._dialect(path, record, row, of_name)
            golds = self._golds(path, record, row)
            if dialect is None or golds is None:
                continue
            self._records[question_id] = f"{path}, {record}"
            self._add(question_id, position, row, dialect, golds)

    def _rows(self, path: Path) -> Iterator[Record]:
        """The rows of a file that have as many cells as its header. GlueError where it is no such CSV.

        A quote within a cell may stand alone, as in a published file.
        """
        csv.field_size_limit(2**31 - 1)
        rows = csv.reader(io.StringIO(read_text(path, self.batch, _OPTION), newline=""))
        line = 1
        try:
            header = next(rows, [])
            self._check_header(path, header)
            number, line = -1, rows.line_num + 1
            for cells in rows:
                record, line = f"line {line}", rows.line_num + 1
                if not cells:
                    continue
                number += 1
                if len(cells) == len(header):
                    yield record, number, dict(zip(header, cells, strict=True))
                else:  # also where a quote is never closed
                    detail = f"{len(cells)} cells under {len(header)} columns"
                    self._refuse(path, record, None, "malformed", detail, "mend the row's commas and quotes")
        except csv.Error as error:
            raise GlueError(
                f"{_OPTION}: {path}, the row of line {line}: {error}", "mend its quotes"
            ) from error

    def _check_header(self, path: Path, header: list[str]) -> None:
        for column in _REQUIRED:
            if column not in header:
                close = nearest(column, header)
                hint = f"is {close!r} meant?" if close else f"it has: {listed(header)}"
                raise GlueError(f"{_OPTION}: {path} has no column {column!r}", hint)
        if self.evidence_column not in header and self.evidence_column != EVIDENCE:
            close = nearest(self.evidence_column, header)
            hint = f"did you mean {close!r}?" if close else f"it has: {listed(header)}"
            raise GlueError(f"--evidence: {path} has no column {self.evidence_column!r}", hint)
        for column in header:
            if column not in (*_READ, self.evidence_column):
                self._refuse(path, "line 1", column, "unknown_field", f"column {column!r} is not read",
                             "nothing needs doing; --evidence reads it beside the question",
                             is_landed=True)  # fmt: skip

    def _dialect(self, path: Path, record: str, row: dict[str, str], of_name: str | None) -> str | None:
        """The golds' dialect; None where the row was refused. GlueError where nothing says it."""
        if self.dialect:
            return self.dialect
        told = row.get("db_type", "").strip()
        if told:
            try:
                return known_dialect(told)
            except GlueError as error:
                self._refuse(path, record, "db_type", "unknown_dialect", error.message, error.hint or "")
                return None
        if of_name is None:
            raise GlueError(
                f"{_OPTION}: neither {path.name} nor its folder's name says which dialect its golds are in",
                "say it: --dialect postgres",
            )
        return of_name

    def _golds(self, path: Path, record: str, row: dict[str, str]) -> list[str] | None:
        """The golds of a row; None where it was refused."""
        for column in _REQUIRED:
            if not row[column].strip() or not is_storable(row[column]):
                self._refuse(
                    path,
                    record,
                    column,
                    "missing",
                    f"{column} is {shown(row[column])!r}",
                    f"give it a {column}",
                )
                return None
        try:
            golds = expand_gold_notation(row["query"])
        except GlueError as error:
            self._refuse(path, record, "query", "malformed", error.message, error.hint or "")
            return None
        if not golds:
            self._refuse(path, record, "query", "missing", "query holds no statement", "give it a query")
        return golds or None

    def _add(
        self, question_id: str, position: int, row: dict[str, str], dialect: str, golds: list[str]
    ) -> None:
        key = {"benchmark": self.batch.benchmark, "question_id": question_id}
        db_id = row["db_name"].strip()
        self.db_ids[db_id] = None
        self.batch.add(
            "questions",
            **key,
            question_position=position,
            source_question_id=f"defog/{question_id}",
            db_id=db_id,
            question=row["question"],
            evidence=text_or_none(row.get(self.evidence_column)),
            intent=text_or_none(row.get("query_category")),
            dialect=dialect,
        )
        for number, sql in enumerate(golds, 1):
            self.batch.add(
                "golds",
                **key,
                gold_number=number,
                gold_edition=BENCHMARK_EDITION,
                gold_sql=sql,
                dialect=dialect,
            )

    def _refuse(
        self,
        path: Path,
        record: str,
        column: str | None,
        reason: str,
        detail: str,
        advice: str,
        is_landed: bool = False,
    ) -> None:
        self.batch.refuse(path, record, reason, detail, advice, field=column, is_landed=is_landed)


def _name_and_dialect(path: Path) -> tuple[str, str | None]:
    """A file's name without its dialect, and the dialect that its name ends with, else its folder's name."""
    name, _, last = path.stem.rpartition("_")
    for rest, word in ((name, last), (path.stem, path.absolute().parent.name)):
        try:
            return rest or path.stem, known_dialect(word)
        except GlueError:
            continue
    return path.stem, None
