"""Runs of `glue generate`: what a prediction set is called, what belongs to it, and its row in landing."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.errors import GlueError, nearest
from glue.home import Home
from glue.landing import Writer, landed_keys
from glue.study.shots import checked_setting, is_of_history

if TYPE_CHECKING:
    from glue.importers.landed import LandedBenchmark

CONTROL_PREFIX = "control/"
DEFAULT_SETTING = "schema_linked"
PRELIMINARY = "preliminary_sql"
"""Purpose of answers that retrieval looks at; they make a prediction set."""
HISTORY_PURPOSES = ("describe_history", "extract_keywords", "filter_rerank")
"""Purposes of what serves retrieval over past queries (docs/history.md); no answer to a question."""


@dataclass(frozen=True)
class Run:
    """One prediction set to be generated: everything that its answers depend on."""

    prediction_set: str
    benchmark: str
    model: str
    gold_edition: str = "benchmark"
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting: str | None = None  # of the prompt, or a cell; None for controls that answer in no cell
    dialect: str | None = None  # asked for; None: the question's own
    question_ids: tuple[str, ...] | None = None  # None: all of the benchmark
    n_samples: int = 1
    purpose: str | None = None  # what is asked for; None: answers
    may_have_more: bool = field(default=False, compare=False)  # questions, where it has begun with others

    @property
    def is_control(self) -> bool:
        return self.model.startswith(CONTROL_PREFIX)

    @property
    def wants_json(self) -> bool:
        """Its answers are JSON, not SQL."""
        return self.purpose not in (None, PRELIMINARY)

    @property
    def is_of_history(self) -> bool:
        """Its requests are those of the history study."""
        return is_of_history(self.setting) or self.purpose in HISTORY_PURPOSES

    @property
    def settings_json(self) -> str:
        """Settings in their one spelling, which is part of what requests are keyed by."""
        return json.dumps(dict(self.settings), sort_keys=True)

    @property
    def run_id(self) -> str:
        parts: list[Any] = [
            self.prediction_set,
            self.model,
            self.benchmark,
            self.gold_edition,
            dict(self.settings),
        ]
        further = [self.setting, self.dialect, self.question_ids, self.n_samples]
        if further != [None, None, None, 1]:
            parts += further
        if self.purpose is not None:
            parts.append(self.purpose)
        return hashlib.md5(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def row(self, is_planned: bool) -> dict[str, Any]:
        """Its row of landing table `runs`."""
        return {
            "run_id": self.run_id,
            "prediction_set": self.prediction_set,
            "benchmark": self.benchmark,
            "model": self.model,
            "settings": self.settings_json,
            "setting": self.setting,
            "dialect": self.dialect,
            "question_ids": None if self.question_ids is None else list(self.question_ids),
            "gold_edition": self.gold_edition,
            "n_samples": self.n_samples,
            "is_planned": is_planned,
            "purpose": self.purpose,
            "started_at": datetime.now(UTC),
        }


def default_name(*parts: str | None) -> str:
    """The name of a set that was given none, of what there is: model, prompt setting, dialect, …"""
    return "/".join(part for part in parts if part)


def the_dialect(benchmark: LandedBenchmark) -> str | None:
    """The dialect that all questions of a benchmark are in; None where they are in several, or do not say."""
    dialects = {question.dialect for question in benchmark.questions}
    return dialects.pop() if len(dialects) == 1 else None


def chosen_settings(texts: Sequence[str], project: Path) -> tuple[str, ...]:
    """The prompt settings and cells that texts name, each once: names, or patterns such as lexical-raw-*.

    GlueError, with the nearest name, for one that is neither a row of seeds/prompt_settings.csv nor a cell,
    nor a setting of the history study, such as history/dail_sql/mqs-0.6-4.
    """
    from glue.study.cells import all_cells, is_pattern, matching

    with (project / "seeds" / "prompt_settings.csv").open(encoding="utf-8", newline="") as file:
        settings = [row["setting"] for row in csv.DictReader(file)]
    cells = [cell.setting for cell in all_cells(project)]
    known = [*settings, *cells]
    chosen: list[str] = []
    for text in texts:
        if is_of_history(text):
            chosen.append(checked_setting(text, project))
            continue
        found = matching(text, known)
        if not found:
            close = nearest(text, known)
            cell = f"or a cell such as {cells[0]}" if cells else ""
            hint = f"did you mean {close}?" if close else f"settings: {', '.join(settings)}, {cell}"
            what = "no prompt setting fits" if is_pattern(text) else "there is no prompt setting"
            raise GlueError(f"{what} {text!r}", hint)
        chosen += found
    return tuple(dict.fromkeys(chosen))


def is_cell(setting: str | None, project: Path) -> bool:
    """Whether a setting is a cell of the budget study."""
    from glue.study.cells import all_cells

    return setting is not None and setting in {cell.setting for cell in all_cells(project)}


def check_dialect(name: str, project: Path) -> None:
    """GlueError when `name` is no dialect of sqlglot's, or none that prompts have a name for."""
    with (project / "seeds" / "dialects.csv").open(encoding="utf-8", newline="") as file:
        known = [row["dialect"] for row in csv.DictReader(file)]
    if name not in known:
        close = nearest(name, known)
        hint = f"did you mean {close}?" if close else f"dialects: {', '.join(known)}"
        raise GlueError(f"there is no dialect {name!r}", hint)


def read_question_ids(file: Path, benchmark: LandedBenchmark) -> tuple[str, ...]:
    """The questions that a file names, one a line, in the benchmark's order. GlueError naming the line."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise GlueError(f"--questions: cannot read {file}: {error}", "give a file of question ids") from error
    known = [question.question_id for question in benchmark.questions]
    wanted: set[str] = set()
    for number, line in enumerate(lines, 1):
        question_id = line.strip()
        if not question_id:
            continue
        if question_id not in known:
            close = nearest(question_id, known)
            hint = f"did you mean {close!r}?" if close else f"ids are like {known[0]!r}"
            raise GlueError(f"{file}, line {number}: {benchmark.name} has no question {question_id!r}", hint)
        wanted.add(question_id)
    if not wanted:
        raise GlueError(f"{file} names no question", "write one question id a line")
    return tuple(question_id for question_id in known if question_id in wanted)


_RUN_COLUMNS = [
    *("run_id", "prediction_set", "benchmark", "model", "gold_edition", "settings", "setting", "dialect"),
    *("question_ids", "n_samples", "purpose", "is_planned", "landed_at"),
]


def as_begun(home: Home, runs: Sequence[Run]) -> list[Run]:
    """The runs, each with the questions that its set has once it goes on: those it has begun with stay in it.

    GlueError when a name stands for something else: an imported set, a run that started otherwise, or one
    with questions that this run, which is to have only its own, does not have.
    """
    from glue.importers.common import newest_imports

    imported = {row["prediction_set"] for row in newest_imports(home).values()}
    landed = landed_keys(home, "runs", columns=_RUN_COLUMNS).to_pylist()
    landed.sort(key=lambda row: row["landed_at"])
    begun = {(row["prediction_set"], row["benchmark"]): row for row in landed if not row["is_planned"]}
    settled: list[Run] = []
    for run in runs:
        if run.prediction_set in imported:
            raise GlueError(f"prediction set {run.prediction_set!r} was imported", "choose another --name")
        row = begun.get((run.prediction_set, run.benchmark))
        settled.append(run if row is None or row["run_id"] == run.run_id else _going_on(run, row))
    return settled


def _going_on(run: Run, row: Mapping[str, Any]) -> Run:
    """A run as it goes on where another one of its name, which landed as `row`, has begun."""
    begun = replace(
        run,
        model=row["model"],
        gold_edition=row["gold_edition"],
        settings=json.loads(row["settings"] or "{}"),
        setting=row["setting"],
        dialect=row["dialect"],
        n_samples=row["n_samples"] or 1,
        purpose=row["purpose"],
    )
    if begun != run:
        is_serving = run.purpose is not None and run.purpose == begun.purpose
        hint = "ask with the same options of the model" if is_serving else "choose another --name"
        raise GlueError(_taken(begun), hint)
    ids = row["question_ids"]
    if run.question_ids is None or (ids is not None and set(ids) < set(run.question_ids)):
        return run
    has_further = ids is None or not set(ids) <= set(run.question_ids)
    if has_further and not run.may_have_more:
        raise GlueError(
            f"prediction set {run.prediction_set!r} of {run.benchmark} has begun with further questions",
            "name those too, or choose another --name",
        )
    return replace(run, question_ids=None if ids is None else tuple(dict.fromkeys([*ids, *run.question_ids])))


def _taken(begun: Run) -> str:
    told = f"prediction set {begun.prediction_set!r} of {begun.benchmark} was generated by {begun.model}"
    if begun.setting is None and begun.purpose is None:
        return f"{told} with golds of edition {begun.gold_edition!r}"
    if begun.wants_json:
        setting = f", setting {begun.setting}" if begun.setting else ""
        return f"{told} otherwise: for {begun.purpose}{setting}, {begun.settings_json}"
    dialect = f" in {begun.dialect}" if begun.dialect else ""
    samples = f"{begun.n_samples} answers to each question" if begun.n_samples > 1 else "one answer to each"
    setting = f"setting {begun.setting}{dialect}, " if begun.setting else ""
    return f"{told} otherwise: {setting}{begun.settings_json}, {samples}"


def check_not_generated(home: Home, prediction_set: str) -> None:
    """GlueError when a set of this name was generated: an import must not mix with it."""
    for run in landed_keys(home, "runs", columns=["prediction_set", "model", "is_planned"]).to_pylist():
        if run["prediction_set"] == prediction_set and not run["is_planned"]:
            raise GlueError(
                f"prediction set {prediction_set!r} was generated by {run['model']}", "choose another --name"
            )


def land_planned(writer: Writer, runs: Sequence[Run]) -> None:
    """Land the rows of runs that have not started, as planned: now their requests can be looked at.

    A run that is the one planned last under its name is planned already.
    """
    started = _started(writer.home)
    columns = ["run_id", "prediction_set", "benchmark", "landed_at"]
    landed = landed_keys(writer.home, "runs", columns=columns).to_pylist()
    landed.sort(key=lambda row: row["landed_at"])
    newest = {(row["prediction_set"], row["benchmark"]): row["run_id"] for row in landed}
    rows = [
        run.row(is_planned=True)
        for run in runs
        if run.run_id not in started and newest.get((run.prediction_set, run.benchmark)) != run.run_id
    ]
    if rows:
        writer.append("runs", rows)
        writer.fold()


def land_started(writer: Writer, runs: Sequence[Run]) -> None:
    """Land the rows of runs as started, each once."""
    started = _started(writer.home)
    rows = [run.row(is_planned=False) for run in runs if run.run_id not in started]
    if rows:
        writer.append("runs", rows)
        writer.fold()


def _started(home: Home) -> set[str]:
    landed = landed_keys(home, "runs", columns=["run_id", "is_planned"]).to_pylist()
    return {row["run_id"] for row in landed if not row["is_planned"]}
