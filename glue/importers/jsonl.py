"""One's own questions: a plain format, one JSON object a line (UTF-8).

| field | what |
|---|---|
| `question` | the question; required |
| `db_id` | the database it asks; required |
| `question_id` | text or whole number, unique; where no line has one, the 0-based position is the id |
| `golds` | the accepted answers: a list, or one SQL text; several are alternatives |
| `source_question_id` | a text, the same wherever the same question is asked in another dialect |
| `dialect` | of the golds: sqlite, duckdb, postgres, mysql, oracle, tsql, …; default: the database's engine |
| `is_ordered` | does the order of rows count? default: where gold's outermost ORDER BY asks for one |
| `evidence` | what the model may be told beside the question |
| `intent`, `difficulty`, `domain`, `subdomain`, `language` | texts of your choice, to group results by |
| `document_ids` | a list of texts: the documents that the question rests on |

A gold is one of

* a SQL text: `"SELECT …"`
* a SQL text in a dialect of its own: `{"sql": "SELECT …", "dialect": "postgres"}`
* a stored result in a file beside the questions: `{"file": "answers/q7.csv", "columns": ["city", "n"],
  "is_ordered": true}`; CSV, TSV or JSON
* a stored result in place: `{"rows": [["Oslo", 3], ["Lima", null]], "names": ["city", "n"]}`, or objects

Of a stored result only `columns` count (names or 0-based positions, in this order; default: all).
`is_ordered` says whether the order of its rows counts (default: no). In a CSV a column of numbers holds
numbers, an empty cell is NULL and all else is text; `"types": {"day": "date", "code": "text"}` says
otherwise, and `"is_untyped": true` has the texts of a JSON read as a CSV's. With gold notation `defog`, a SQL
text may hold several alternatives: `;` separates them, and of `{a, b}` any choice of columns will do.

Fields of other names are named in the report and left out. A line that is wrong is refused, with its number;
the others land.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.errors import GlueError, nearest
from glue.importers.catalog import add_databases
from glue.importers.common import (
    ImportBatch,
    OnProgress,
    Row,
    id_text,
    is_storable,
    kind_of,
    known_dialect,
    parse_json,
    read_bytes,
    read_text,
    shown,
)
from glue.importers.questions import BENCHMARK_EDITION
from glue.stored_results import (
    StoredResult,
    expand_gold_notation,
    read_stored_result,
    stored_result_of_rows,
    stored_result_rows,
)

if TYPE_CHECKING:
    from glue.importers.live_questions import LiveDatabases

GOLD_NOTATIONS = ("plain", "defog")

_TEXT_FIELDS = ("source_question_id", "evidence", "intent", "difficulty", "domain", "subdomain", "language")
_FIELDS = (
    "question",
    "db_id",
    "question_id",
    "golds",
    "dialect",
    "is_ordered",
    *_TEXT_FIELDS,
    "document_ids",
)
_SQL_GOLD_FIELDS = ("sql", "dialect")
_RESULT_GOLD_FIELDS = ("file", "rows", "names", "columns", "is_ordered", "types", "is_untyped")


_REFUSED = object()


class _Wrong(Exception):
    """Why a line is refused."""

    def __init__(self, field: str, reason: str, detail: str, advice: str) -> None:
        super().__init__(detail)
        self.field, self.reason, self.detail, self.advice = field, reason, detail, advice


def read_jsonl(
    name: str,
    questions: Path,
    databases: Path | None = None,
    dialect: str | None = None,
    gold_notation: str = "plain",
    on_progress: OnProgress | None = None,
    live: LiveDatabases | None = None,
) -> ImportBatch:
    """Read one's own questions into benchmark `name`.

    `databases`: DIR/<db_id>.sqlite, DIR/<db_id>/<db_id>.duckdb and so on. `dialect`: of golds that name none.
    `gold_notation`: plain or defog. `live`: where the databases are if not in files. GlueError when no line
    can land.
    """
    if gold_notation not in GOLD_NOTATIONS:
        raise GlueError(
            f"unknown gold notation {gold_notation!r}", f"choose one of {', '.join(GOLD_NOTATIONS)}"
        )
    dialect = known_dialect(dialect) if dialect else None
    options = {"name": name, "dialect": dialect, "gold_notation": gold_notation}
    batch = ImportBatch("jsonl", f"benchmark:{name}:jsonl", name, options=options)
    reader = _Reader(batch, questions, dialect, gold_notation == "defog")
    db_ids = reader.read()
    if live is not None:
        live.add(batch, db_ids)
    else:
        add_databases(batch, db_ids, databases, "jsonl", on_progress=on_progress)
    return batch


@dataclass
class _Reader:
    """Reads the lines of one file into a batch."""

    batch: ImportBatch
    path: Path
    dialect: str | None
    is_defog: bool

    def read(self) -> list[str]:
        """Land every line that can land; gives the databases they ask."""
        entries = self._entries(read_text(self.path, self.batch, "--questions"))
        has_ids = any("question_id" in entry for _, _, entry in entries)
        seen: dict[str, str] = {}
        versions: dict[tuple[str, str | None], str] = {}
        unknown: dict[str, str] = {}
        databases: dict[str, None] = {}
        for record, position, entry in entries:
            try:
                question_id = self._question_id(entry, position, has_ids, seen)
                question, golds, results = self._question(entry, question_id, position)
                _check_version(question, record, versions)
            except _Wrong as wrong:
                self.batch.refuse(
                    self.path, record, wrong.reason, wrong.detail, wrong.advice, field=wrong.field
                )
                continue
            seen[question_id] = record
            databases[question["db_id"]] = None
            for field in entry:
                if field not in _FIELDS:
                    unknown.setdefault(field, record)
            self._add(question, golds, results)
            if not golds:
                detail = f"question {question_id} has no golds"
                advice = "it landed without a gold and cannot be scored"
                self.batch.refuse(
                    self.path,
                    record,
                    "no_gold",
                    detail,
                    advice,
                    field="golds",
                    question_id=question_id,
                    is_landed=True,
                )
        for field, record in unknown.items():
            close = nearest(field, list(_FIELDS))
            advice = f"did you mean {close!r}?" if close else f"fields: {', '.join(_FIELDS)}"
            self.batch.refuse(
                self.path,
                record,
                "unknown_field",
                f"field {field!r} is not read",
                advice,
                field=field,
                is_landed=True,
            )
        if not seen:
            first = self.batch.refusals[0] if self.batch.refusals else None
            raise GlueError(
                f"--questions: no line of {self.path} can land"
                + (f"; {first.record}: {first.detail}" if first else ": it is empty"),
                first.advice if first else "each line is a JSON object with question, db_id and golds",
            )
        return list(databases)

    def _entries(self, text: str) -> list[tuple[str, int, Row]]:
        """The objects with record and 0-based position, refused ones counted; one JSON list will do, too."""
        if text.lstrip().startswith("["):
            content = parse_json(text, self.path, "--questions")
            numbered = [(f"entry {number}", value) for number, value in enumerate(content, 1)]
        else:
            numbered = []
            for number, line in enumerate(text.split("\n"), 1):
                if line.strip():
                    numbered.append((f"line {number}", self._parsed(line, number)))
        entries = []
        for position, (record, value) in enumerate(numbered):
            if isinstance(value, dict):
                entries.append((record, position, value))
            elif value is not _REFUSED:
                advice = "make it an object with question, db_id and golds"
                self.batch.refuse(
                    self.path, record, "not_an_object", f"{kind_of(value)}: {shown(value)}", advice
                )
        return entries

    def _parsed(self, line: str, number: int) -> Any:
        try:
            return json.loads(line)
        except json.JSONDecodeError as error:
            detail = (
                f"column {error.colno}: {error.msg}: {shown(line[max(error.pos - 20, 0) : error.pos + 20])}"
            )
        except RecursionError:
            detail = "nested too deep to be read"
        self.batch.refuse(self.path, f"line {number}", "not_json", detail, "mend the line")
        return _REFUSED

    def _question_id(self, entry: Row, position: int, has_ids: bool, seen: dict[str, str]) -> str:
        question_id = id_text(entry.get("question_id")) if has_ids else str(position)
        if question_id is None:
            found = entry.get("question_id")
            detail = (
                f"question_id is {kind_of(found)}"
                if "question_id" in entry
                else "no question_id, others have one"
            )
            raise _Wrong("question_id", "missing", detail, "give it a text or a whole number")
        if question_id in seen:
            detail = f"question_id {question_id} is that of {seen[question_id]}"
            raise _Wrong("question_id", "duplicate", detail, "give it another id")
        return question_id

    def _question(
        self, entry: Row, question_id: str, position: int
    ) -> tuple[Row, list[Row], list[StoredResult]]:
        question = {
            "benchmark": self.batch.benchmark,
            "question_id": question_id,
            "question_position": position,
            "db_id": _required(entry, "db_id"),
            "question": _required(entry, "question"),
            "dialect": self._dialect(entry, "dialect") or self.dialect,
            "is_ordered": _optional(entry, "is_ordered", _is_flag, "true or false"),
            "document_ids": _optional(entry, "document_ids", _are_texts, "a list of texts"),
            **{name: _optional(entry, name, _is_text, "a text") for name in _TEXT_FIELDS},
        }
        golds: list[Row] = []
        results: list[StoredResult] = []
        given = entry.get("golds")
        if given is not None and not isinstance(given, str | list):
            raise _Wrong("golds", "not_a_list", f"golds is {kind_of(given)}", "make it a list")
        for gold in [given] if isinstance(given, str) else given or []:
            for row in self._golds(gold, results):
                number = len(golds) + 1
                golds.append({"dialect": question["dialect"], **row, "gold_number": number})
        return question, golds, results

    def _golds(self, gold: Any, results: list[StoredResult]) -> list[Row]:
        """The gold rows of one entry of `golds`; stored results are put aside in `results`."""
        if isinstance(gold, str):
            return [{"gold_sql": sql} for sql in self._alternatives(gold)]
        if not isinstance(gold, dict):
            raise _Wrong("golds", "not_text", f"a gold is {kind_of(gold)}", "make it a SQL text or an object")
        if "sql" in gold:
            _only(gold, _SQL_GOLD_FIELDS)
            dialect = self._dialect(gold, "dialect")
            own = {"dialect": dialect} if dialect else {}
            return [{"gold_sql": sql, **own} for sql in self._alternatives(gold["sql"])]
        if "file" in gold or "rows" in gold:
            _only(gold, _RESULT_GOLD_FIELDS)
            result = self._result(gold)
            results.append(result)
            is_ordered = _optional(gold, "is_ordered", _is_flag, "true or false") or False
            return [{"result_id": result.result_id, "is_ordered": is_ordered, "dialect": None}]
        raise _Wrong(
            "golds", "malformed", f"a gold has the fields {shown(list(gold))}", "it needs sql, file or rows"
        )

    def _alternatives(self, sql: Any) -> list[str]:
        if not _is_text(sql) or not sql.strip():
            raise _Wrong(
                "golds",
                "not_text",
                f"a gold's SQL is {'empty' if sql == '' else kind_of(sql)}",
                "give a SQL text",
            )
        if not self.is_defog:
            return [sql]
        try:
            return expand_gold_notation(sql)
        except GlueError as error:
            raise _Wrong("golds", "malformed", error.message, error.hint or "") from error

    def _result(self, gold: Row) -> StoredResult:
        try:
            columns = _optional(gold, "columns", _are_columns, "a list of names or positions")
            types = _optional(gold, "types", _is_mapping, "an object from column to type")
            is_untyped = _optional(gold, "is_untyped", _is_flag, "true or false") or False
            if "file" not in gold:
                names = _optional(gold, "names", _are_texts, "a list of texts")
                return stored_result_of_rows(gold["rows"], names, columns, types, is_untyped)
            path = self.path.parent / _required(gold, "file")
            content = read_bytes(path, self.batch, "stored result")
            return read_stored_result(path, content, columns, types, is_untyped)
        except GlueError as error:
            raise _Wrong("golds", "bad_result", error.message, error.hint or "") from error

    def _dialect(self, entry: Row, field: str) -> str | None:
        name = _optional(entry, field, _is_text, "a text")
        try:
            return known_dialect(name) if name else None
        except GlueError as error:
            raise _Wrong(field, "unknown_dialect", error.message, error.hint or "") from error

    def _add(self, question: Row, golds: list[Row], results: list[StoredResult]) -> None:
        self.batch.add("questions", **question)
        for gold in golds:
            self.batch.add(
                "golds",
                benchmark=self.batch.benchmark,
                question_id=question["question_id"],
                gold_edition=BENCHMARK_EDITION,
                **gold,
            )
        for result in results:
            for table, row in stored_result_rows(result):
                self.batch.add(table, **row)


def _check_version(question: Row, record: str, versions: dict[tuple[str, str | None], str]) -> None:
    """A question is asked once in a dialect, so that its versions pair one to one."""
    source = question["source_question_id"]
    if source is None:
        return
    first = versions.setdefault((source, question["dialect"]), record)
    if first != record:
        detail = f"{source!r} is the source of {first} in the same dialect"
        raise _Wrong("source_question_id", "duplicate", detail, "give one of them another, or a dialect")


def _required(entry: Row, field: str) -> str:
    value = entry.get(field)
    if isinstance(value, str) and value.strip() and is_storable(value):
        return value
    reason = "missing" if value is None or value == "" else "not_text"
    raise _Wrong(
        field, reason, f"{field} is {'empty' if value == '' else kind_of(value)}", f"give it a {field}"
    )


def _optional(entry: Row, field: str, fits: Callable[[Any], bool], expected: str) -> Any:
    value = entry.get(field)
    if value is None or value == "":
        return None
    if not fits(value):
        raise _Wrong(
            field, "wrong_type", f"{field} is {kind_of(value)}: {shown(value)}", f"make it {expected}"
        )
    return value


def _only(gold: Row, fields: tuple[str, ...]) -> None:
    for name in gold:
        if name not in fields:
            close = nearest(name, list(fields))
            advice = f"did you mean {close!r}?" if close else f"fields of such a gold: {', '.join(fields)}"
            raise _Wrong("golds", "unknown_field", f"a gold has a field {name!r}", advice)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and is_storable(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(_is_text(member) for member in value)


def _are_columns(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(member, str | int) and not isinstance(member, bool) for member in value
    )


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(member, str) for member in value.values())
