"""Predictions: reads a file of any kind in use and pairs every entry with its question, or says why not.

Nothing is shifted onto a neighbour: an entry is paired by id, by position or by its question's text. What the
file says of an entry's database, question or gold must agree with the benchmark, or the import stops and
shows the first three that do not. A missing, extra, unsplittable or non-text entry is named and counted. What
`issue` may hold:

    missing         the file has no entry for the question (a partial import leaves these out)
    no_field        the entry has no such field
    null            null
    not_text        a number, a list, … (its JSON is kept in raw_text), or text that UTF-8 cannot hold
    not_utf8        a line that is not UTF-8
    empty           nothing but white space
    unsplittable    no separator where the file's other entries have one
    no_sql          a text without SQL
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.extraction import extract_sql
from glue.importers.common import ImportBatch, Row, is_storable, known_dialect, shown, squeezed, storable
from glue.importers.landed import LandedBenchmark, LandedQuestion
from glue.importers.prediction_files import Entry, FileOptions, PredictionFile, read_prediction_file
from glue.importers.questions import BENCHMARK_EDITION

PAIRINGS = ("id", "position", "question")
NAMESPACES = ("prefixed", "bare")

_ADVICE = {
    "missing": "counts as wrong; --partial when only the questions in the file were asked",
    "no_field": "counts as wrong; check the entry, or name the field with --sql-field",
    "null": "counts as wrong; nothing, if the model gave no answer",
    "not_text": "counts as wrong; nothing, if the model gave no answer",
    "not_utf8": "counts as wrong; save the file as UTF-8",
    "empty": "counts as wrong; nothing, if the model gave no answer",
    "unsplittable": "counts as wrong; mend the entry: the separator is missing",
    "no_sql": "counts as wrong; nothing, if the model gave no SQL",
}


@dataclass(frozen=True)
class PredictionOptions:
    """How a file is read and paired; None is found out and said in the report's notes."""

    file: FileOptions = field(default_factory=FileOptions)
    pair: str | None = None  # id, position, question
    gold_edition: str | None = (
        None  # name of the edition that `file.gold_field` makes; default: the set's name
    )
    is_partial: bool = False
    ignore_gold: bool = False
    ignore_question: bool = False
    dialect: str | None = None  # default: each question's
    namespace: str | None = None  # prefixed, bare: names of the pooled catalog; default: each database's own


def read_predictions(
    path: Path, benchmark: LandedBenchmark, name: str, options: PredictionOptions | None = None
) -> ImportBatch:
    """Read a prediction file into prediction set `name` of a benchmark.

    GlueError when the file cannot be read, does not pair, or contradicts the benchmark.
    """
    options = options or PredictionOptions()
    _check(options)
    identity = {**asdict(options), "name": name, "benchmark_imports": benchmark.import_ids}
    if options.namespace is None:
        del identity["namespace"]  # what was imported before there were any is the same import
    batch = ImportBatch(
        kind="predictions",
        scope=f"predictions:{name}",
        benchmark=benchmark.name,
        options=identity,
        is_partial=options.is_partial,
        prediction_set=name,
    )
    db_ids = {question.db_id for question in benchmark.questions}
    question_ids = {question.question_id for question in benchmark.questions}
    file = read_prediction_file(path, batch, options.file, db_ids, question_ids)
    batch.notes.extend(file.notes)
    pairing = _paired(file, path, benchmark, options, batch)
    _check_agreement(pairing, file, path, options, batch)
    _add_predictions(batch, pairing, path, benchmark, options)
    return batch


def _check(options: PredictionOptions) -> None:
    if options.pair is not None and options.pair not in PAIRINGS:
        raise GlueError(f"--pair: {options.pair!r} is unknown", f"choose one of {', '.join(PAIRINGS)}")
    if options.gold_edition is not None and options.file.gold_field is None:
        raise GlueError("--gold-edition names the edition that --gold-field makes", "say --gold-field too")
    if options.gold_edition == BENCHMARK_EDITION:
        raise GlueError(
            f"--gold-edition: {BENCHMARK_EDITION!r} is the benchmark's own edition", "choose another name"
        )
    if options.dialect is not None:
        known_dialect(options.dialect)
    if options.namespace not in (None, *NAMESPACES):
        raise GlueError(
            f"--namespace: {options.namespace!r} is unknown", f"choose one of {', '.join(NAMESPACES)}"
        )


# --- Pairing ------------------------------------------------------------------------------------------------


@dataclass
class _Pairing:
    """One way to pair entries with questions."""

    mode: str
    pairs: list[tuple[Entry, LandedQuestion | None]]
    ambiguous: set[int] = field(default_factory=set)  # positions of entries whose text fits several questions

    @property
    def matched(self) -> list[tuple[Entry, LandedQuestion]]:
        return [(entry, question) for entry, question in self.pairs if question is not None]

    @property
    def assignment(self) -> list[str | None]:
        return [question.question_id if question else None for _, question in self.pairs]

    def is_complete(self, benchmark: LandedBenchmark) -> bool:
        """Does every entry have a question, and every question an entry?"""
        found = {question.question_id for _, question in self.matched}
        return len(self.matched) == len(self.pairs) and len(found) == len(benchmark.questions)

    def conflicts(
        self, differ: Callable[[Entry, LandedQuestion], bool]
    ) -> list[tuple[Entry, LandedQuestion]]:
        """The pairs in which file and benchmark differ."""
        return [(entry, question) for entry, question in self.matched if differ(entry, question)]

    def fits(self, options: PredictionOptions) -> bool:
        """Paired at all, every named database is the question's, and most texts are: question, else gold."""
        matched = self.matched
        if not matched or self.conflicts(_other_database):
            return False
        if not options.ignore_question and any(entry.question is not None for entry, _ in matched):
            return len(self.conflicts(_other_question)) * 2 < len(matched)
        is_gold_evidence = not (options.ignore_gold or options.file.gold_field)
        if is_gold_evidence and all(entry.db_id is None for entry, _ in matched):
            return len(self.conflicts(_other_gold)) * 2 < len(matched)
        return True


def _other_database(entry: Entry, question: LandedQuestion) -> bool:
    return entry.db_id is not None and entry.db_id != question.db_id


def _other_question(entry: Entry, question: LandedQuestion) -> bool:
    return entry.question is not None and squeezed(entry.question) != squeezed(question.question)


def _other_gold(entry: Entry, question: LandedQuestion) -> bool:
    if entry.gold is None or not question.golds:
        return False
    return squeezed(entry.gold) not in {squeezed(gold) for gold in question.golds}


def _paired(
    file: PredictionFile,
    path: Path,
    benchmark: LandedBenchmark,
    options: PredictionOptions,
    batch: ImportBatch,
) -> _Pairing:
    """The pairing asked for, or the one that fits; GlueError when none does or two do."""
    if options.pair is not None:
        pairing = _try(options.pair, file, path, benchmark)
        if not pairing.matched:
            raise _does_not_pair([pairing], path, benchmark)
    else:
        pairing = _fitting(file, path, benchmark, options)
    how = {"id": f"by id ({file.id_source})", "position": "by position", "question": "by the question's text"}
    batch.notes.append(f"paired {how[pairing.mode]}: {len(pairing.matched)} of {len(pairing.pairs)} entries")
    return pairing


def _fitting(
    file: PredictionFile, path: Path, benchmark: LandedBenchmark, options: PredictionOptions
) -> _Pairing:
    tried: list[_Pairing] = []
    problem: GlueError | None = None
    for mode in _modes(file):
        try:
            tried.append(_try(mode, file, path, benchmark))
        except GlueError as error:
            problem = problem or error
    fitting = [pairing for pairing in tried if pairing.fits(options)]
    if not fitting:
        if problem is not None and file.id_source is None and not any(pairing.matched for pairing in tried):
            raise problem
        raise _does_not_pair(tried, path, benchmark)
    if not file.is_numbered:
        most_paired = [pairing for pairing in fitting if 2 * len(pairing.matched) >= len(pairing.pairs)]
        return (most_paired or fitting)[0]
    complete = [pairing for pairing in fitting if pairing.is_complete(benchmark)] or fitting
    most = max(len(pairing.matched) for pairing in complete)
    best = [pairing for pairing in complete if len(pairing.matched) == most]
    if len({tuple(pairing.assignment) for pairing in best}) > 1:
        raise GlueError(
            f"{path.name}: its keys fit both as ids and as positions of the questions of {benchmark.name!r}",
            "say which: --pair id or --pair position",
        )
    return best[0]


def _modes(file: PredictionFile) -> list[str]:
    """The ways to try, the surest first."""
    has_ids = file.id_source is not None
    modes = ["id"] if has_ids else []
    if any(entry.question is not None for entry in file.entries):
        modes += ["question"] if has_ids else ["position", "question"]
    return modes if "position" in modes else [*modes, "position"]


def _try(mode: str, file: PredictionFile, path: Path, benchmark: LandedBenchmark) -> _Pairing:
    """Pair in one way, fit or not. GlueError without ids, questions or the right number of entries."""
    if mode == "id":
        return _by_id(file, path, benchmark)
    if mode == "question":
        return _by_question(file, path, benchmark)
    return _by_position(file, path, benchmark)


def _by_id(file: PredictionFile, path: Path, benchmark: LandedBenchmark) -> _Pairing:
    if file.id_source is None:
        raise GlueError(
            f"--pair id: the entries of {path.name} have no id", "name it with --id-field, or --pair position"
        )
    by_id = {question.question_id: question for question in benchmark.questions}
    return _Pairing("id", [(entry, by_id.get(entry.key or "")) for entry in file.entries])


def _by_position(file: PredictionFile, path: Path, benchmark: LandedBenchmark) -> _Pairing:
    """Numbered keys are positions, however they are ordered; other entries stand in the questions' order."""
    by_position = {question.position: question for question in benchmark.questions}
    if file.is_numbered:
        places = [int(entry.key or "") for entry in file.entries]
        if max(places) < benchmark.n_positions:
            return _Pairing("position", list(zip(file.entries, map(by_position.get, places), strict=True)))
        raise _wrong_number(path, benchmark, f"keys up to {max(places)}")
    entries = list(file.entries)
    while len(entries) > benchmark.n_positions and _is_blank(entries[-1]):
        entries.pop()
    if len(entries) != benchmark.n_positions:
        blank = [entry.record for entry in entries if _is_blank(entry)]
        more = f" ({len(blank)} of them blank: {', '.join(blank[:5])})" if blank else ""
        raise _wrong_number(path, benchmark, f"{len(entries)} entries{more}")
    pairs = [(entry, by_position.get(place)) for place, entry in enumerate(entries)]
    return _Pairing("position", pairs)


def _is_blank(entry: Entry) -> bool:
    return isinstance(entry.value, str) and not entry.value.strip()


def _wrong_number(path: Path, benchmark: LandedBenchmark, found: str) -> GlueError:
    return GlueError(
        f"{path.name} does not pair by position: expected {benchmark.n_positions} entries, one per question "
        f"of {benchmark.name!r}, found {found}",
        "check --benchmark; a file with fewer entries needs ids (--pair id)",
    )


def _by_question(file: PredictionFile, path: Path, benchmark: LandedBenchmark) -> _Pairing:
    if all(entry.question is None for entry in file.entries):
        raise GlueError(
            f"--pair question: the entries of {path.name} name no question", "use --pair id or position"
        )
    places: dict[tuple[str, str | None], list[LandedQuestion]] = {}
    for question in benchmark.questions:
        for db_id in (question.db_id, None):
            places.setdefault((squeezed(question.question), db_id), []).append(question)
    pairing = _Pairing("question", [])
    for entry in file.entries:
        found = places.get((squeezed(entry.question or ""), entry.db_id), [])
        if len(found) > 1:
            pairing.ambiguous.add(entry.position)
        pairing.pairs.append((entry, found[0] if len(found) == 1 else None))
    return pairing


def _does_not_pair(tried: list[_Pairing], path: Path, benchmark: LandedBenchmark) -> GlueError:
    """What speaks against the pairing that comes nearest: the first three entries that contradict it."""
    matched = [pairing for pairing in tried if pairing.matched]
    if not matched:
        entry = tried[0].pairs[0][0]
        named = f"id {entry.key!r}" if entry.key is not None else f"question {shown(entry.question)!r}"
        known = benchmark.questions[0]
        named_there = repr(known.question_id) if entry.key is not None else repr(shown(known.question))
        return GlueError(
            f"{path.name}: not one entry is of a question of {benchmark.name!r}: its first is of {named}, "
            f"the benchmark's first is {named_there}",
            "check --benchmark, or say --pair position when the file is in the questions' order",
        )
    best = min(matched, key=lambda pairing: len(pairing.conflicts(_other_database)))
    for role, differ in (("database", _other_database), ("question", _other_question), ("gold", _other_gold)):
        conflicts = best.conflicts(differ)
        if conflicts:
            problem = (_disagreement(role, conflicts, best), "check --benchmark and --pair")
            return _contradicts(path, best, benchmark.name, [problem])
    raise AssertionError("a pairing without conflicts fits")


# --- Agreement ----------------------------------------------------------------------------------------------


def _check_agreement(
    pairing: _Pairing, file: PredictionFile, path: Path, options: PredictionOptions, batch: ImportBatch
) -> None:
    """Stop where file and benchmark differ, or note it where the user said to go on."""
    is_gold_own = options.file.gold_field is not None
    gold_hint = (
        f"--gold-field {file.gold_field} imports the file's golds as an edition of their own (named with "
        "--gold-edition), --ignore-gold scores against the benchmark's"
    )
    checks = [
        ("database", _other_database, False, "check --benchmark and --pair"),
        ("question", _other_question, options.ignore_question, "--ignore-question pairs them all the same"),
        ("gold", _other_gold, options.ignore_gold, gold_hint),
    ]
    problems = []
    for role, differ, is_ignored, hint in checks[: 2 if is_gold_own else 3]:
        conflicts = pairing.conflicts(differ)
        if conflicts and not is_ignored:
            problems.append((_disagreement(role, conflicts, pairing), hint))
        for entry, question in conflicts:
            batch.refuse(
                path,
                entry.record,
                f"{role}_differs",
                _difference(role, entry, question),
                "the benchmark's counts",
                field=role,
                question_id=question.question_id,
                is_landed=True,
            )
    if problems:
        raise _contradicts(path, pairing, batch.benchmark, problems)


def _contradicts(path: Path, pairing: _Pairing, benchmark: str, problems: list[tuple[str, str]]) -> GlueError:
    texts, hints = zip(*problems, strict=True)
    return GlueError(
        f"{path.name}, paired by {pairing.mode}, contradicts benchmark {benchmark!r}:\n" + "\n".join(texts),
        "; ".join(hints),
    )


def _disagreement(role: str, conflicts: list[tuple[Entry, LandedQuestion]], pairing: _Pairing) -> str:
    """How many entries name another database, question or gold, and the first three."""
    lines = [f"    {entry.record}: {_difference(role, entry, question)}" for entry, question in conflicts[:3]]
    first = "the first three" if len(conflicts) > 3 else "namely"
    head = f"  {len(conflicts)} of {len(pairing.matched)} entries have another {role}; {first}:"
    return "\n".join([head, *lines])


def _difference(role: str, entry: Entry, question: LandedQuestion) -> str:
    pairs = {
        "database": (entry.db_id, question.db_id),
        "question": (entry.question, question.question),
        "gold": (entry.gold, question.golds[0] if question.golds else None),
    }
    said, known = (shown(text or "", 160) for text in pairs[role])
    return f"the file has {said!r}, question {question.question_id} of the benchmark {known!r}"


# --- Rows ---------------------------------------------------------------------------------------------------


def _add_predictions(
    batch: ImportBatch, pairing: _Pairing, path: Path, benchmark: LandedBenchmark, options: PredictionOptions
) -> None:
    edition = (options.gold_edition or batch.prediction_set) if options.file.gold_field else BENCHMARK_EDITION
    dialect = known_dialect(options.dialect) if options.dialect else None
    seen: set[tuple[str, int]] = set()
    for entry, question in pairing.pairs:
        if question is None:
            _refuse_unpaired(batch, pairing, path, entry)
        elif (question.question_id, entry.sample) in seen:
            batch.refuse(
                path,
                entry.record,
                "duplicate",
                f"question {question.question_id} again",
                "the first entry counts; several samples need --sample-field",
                question_id=question.question_id,
            )
        else:
            seen.add((question.question_id, entry.sample))
            _add_prediction(batch, path, entry, question, edition, dialect)
    answered = {question_id for question_id, _ in seen}
    for question in benchmark.questions:
        if question.question_id not in answered and not options.is_partial:
            _add_row(batch, question, 1, edition, dialect, {"issue": "missing"})
            _remark(batch, path, "file", "missing", f"no entry for question {question.question_id}", question)


def _refuse_unpaired(batch: ImportBatch, pairing: _Pairing, path: Path, entry: Entry) -> None:
    if entry.position in pairing.ambiguous:
        detail = f"several questions read {shown(entry.question)!r}"
        batch.refuse(path, entry.record, "ambiguous_question", detail, "give the entries ids")
    elif entry.problem == "unsplittable":
        batch.refuse(
            path, entry.record, "unsplittable", shown(entry.value), "mend the entry: it names no question"
        )
    elif pairing.mode == "id" and entry.key is None:
        batch.refuse(
            path, entry.record, "missing", "the entry has no id", "give it the question's id", field="id"
        )
    else:
        named = {"id": f"id {entry.key!r}", "question": f"question {shown(entry.question)!r}"}
        detail = f"the benchmark has no {named.get(pairing.mode, f'question at position {entry.position}')}"
        advice = "nothing, if the file covers more than the benchmark"
        batch.refuse(path, entry.record, "extra", detail, advice, question_id=entry.key)


def _add_prediction(
    batch: ImportBatch,
    path: Path,
    entry: Entry,
    question: LandedQuestion,
    edition: str | None,
    dialect: str | None,
) -> None:
    row = {**_prediction(entry), "record": entry.record}
    _add_row(batch, question, entry.sample, edition, dialect, row)
    if row["issue"] is not None:
        detail = f"question {question.question_id}: {shown(row['raw_text'] or '')}"
        _remark(batch, path, entry.record, row["issue"], detail, question)
    if edition == BENCHMARK_EDITION:
        return
    if entry.gold is None:
        detail = f"question {question.question_id} has no gold in edition {edition!r}"
        advice = "it cannot be scored in this edition"
        batch.refuse(
            path, entry.record, "no_gold", detail, advice, question_id=question.question_id, is_landed=True
        )
    elif entry.sample == 1:
        batch.add(
            "golds",
            benchmark=batch.benchmark,
            question_id=question.question_id,
            gold_edition=edition,
            gold_number=1,
            dialect=question.dialect,
            gold_sql=entry.gold,
        )


def _add_row(
    batch: ImportBatch,
    question: LandedQuestion,
    sample: int,
    edition: str | None,
    dialect: str | None,
    row: Row,
) -> None:
    batch.add(
        "predictions",
        prediction_set=batch.prediction_set,
        benchmark=batch.benchmark,
        question_id=question.question_id,
        sample=sample,
        gold_edition=edition,
        dialect=dialect or question.dialect,
        **row,
    )


def _remark(
    batch: ImportBatch, path: Path, record: str, issue: str, detail: str, question: LandedQuestion
) -> None:
    batch.refuse(
        path, record, issue, detail, _ADVICE[issue], question_id=question.question_id, is_landed=True
    )  # fmt: skip


def _prediction(entry: Entry) -> Row:
    """What lands of an entry's value: raw_text, predicted_sql, extraction, cut_away, issue."""
    if entry.problem is not None:
        return {"raw_text": _raw_text(entry), "issue": entry.problem}
    if entry.value is None:
        return {"raw_text": "null", "issue": "null"}
    if not isinstance(entry.value, str) or not is_storable(entry.value):
        return {"raw_text": _raw_text(entry), "issue": "not_text"}
    raw_text = entry.raw if entry.raw is not None else entry.value
    if not entry.value.strip():
        return {"raw_text": raw_text, "issue": "empty"}
    found = extract_sql(entry.value)
    is_empty = found.sql is not None and not found.sql.strip()
    return {
        "raw_text": raw_text,
        "predicted_sql": None if is_empty else found.sql,
        "extraction": [*entry.steps, *found.steps],
        "cut_away": found.cut_away,
        "issue": "empty" if is_empty else "no_sql" if found.sql is None else None,
    }


def _raw_text(entry: Entry) -> str | None:
    """The entry as it came: a text, or the JSON of what is none."""
    if entry.problem == "no_field":
        return None
    value: Any = entry.raw if entry.raw is not None else entry.value
    return storable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
