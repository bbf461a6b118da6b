"""The history study's reports of EX, over pipelines, retrievers and settings, against plain Python.

A local server stands in for the model (tests/study/past.py). What the reports say is computed again from the
prompts that it received, the labels of the tasks, and its answers, run by sqlite3.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.commands import glue, rows_of
from tests.model_server import ModelServer, model_server
from tests.study.past import (
    ASKED,
    EXCEPTIONS,
    HISTORY,
    PAST,
    PAST_IDS,
    TASK_IDS,
    TASKS,
    UNLABELLED,
    counts,
    write_files,
)

pytestmark = pytest.mark.slow

MODEL = "openai/test"
BY_ITSELF = f"{MODEL}/zero_shot/sqlite"
STUDY = ("run", "--study", "history", "--benchmark", TASKS, "--model", MODEL)
OWN = {"dail_sql": "dail", "opensearch_sql": "mqs", "n_rep": "mqs_filter", "codes": "mqs_qs"}
LEVELS = {"q_c": "Q+C", "q": "Q", "c": "C", "none": "none", "gold": "gold"}
Floats = npt.NDArray[np.float64]


def options(name: str, *values: str) -> list[str]:
    """An option that is repeated."""
    return [word for value in values for word in (f"--{name}", value)]


COMPARED = [
    *options("pipeline", *OWN),
    *options("retriever", "mqs", "dail", "mqs_filter", "mqs_qs", "q_c_model", "evalhouse"),
    *options("threshold", "0.5", "0.8"),
    *options("max-shots", "1", "dynamic"),
]
ABLATED = [
    *options("pipeline", "opensearch_sql"),
    *options("retriever", *LEVELS),
    *options("threshold", "0.5", "0.6"),
    *options("max-shots", "1", "2", "4"),
]
UNASKED = "history/opensearch_sql/q-0.5-2-unasked"
VOTED = [
    *options("pipeline", "n_rep"),
    *options("retriever", "mqs", "mqs_filter"),
    *options("threshold", "0.5"),
    *options("max-shots", "dynamic"),
    *options("samples", "3"),
    *options("name", "thrice"),
]


# --------------------------------------------------------------------------- what the reports should say


@dataclass(frozen=True)
class Answer:
    """A question of a prediction set: the prompt that the server received, and its replies, one a sample."""

    question: str
    prompt: str
    replies: tuple[str, ...]


def rows_by(db_id: str, sql: str | None, root: Path) -> list[tuple[Any, ...]] | None:
    """What SQL returns; None where it fails or is none."""
    if sql is None:
        return None
    with closing(sqlite3.connect(root / "databases" / f"{db_id}.sqlite")) as database:
        try:
            return database.execute(sql).fetchall()
        except sqlite3.Error:
            return None


@dataclass
class Verdicts:
    """Which replies are right, by running them."""

    root: Path

    def is_scoreable(self, question: str) -> bool:
        """Whether the gold runs."""
        gold = {**PAST, **ASKED}[question]
        return rows_by(gold.db_id, gold.sql, self.root) is not None

    def of(self, question: str, reply: str) -> tuple[bool, bool]:
        """EX, and EX by sets of rows. No gold ties where it orders."""
        gold = {**PAST, **ASKED}[question]
        sql = reply.partition("```sql\n")[2].partition("\n```")[0] or None
        found, right = (rows_by(gold.db_id, each, self.root) for each in (sql, gold.sql))
        if found is None or right is None:
            return False, False
        same = found == right if gold.order else Counter(found) == Counter(right)
        return same, set(found) == set(right)

    def mean(self, answer: Answer) -> tuple[float, float]:
        """The same, as the mean of a question's samples."""
        judged = [self.of(answer.question, reply) for reply in answer.replies]
        return fmean(ex for ex, _ in judged), fmean(ex_set for _, ex_set in judged)

    def accuracy(self, answers: Iterable[Answer]) -> tuple[int, float, float]:
        """Questions that count, EX, and EX by sets of rows."""
        judged = [self.mean(answer) for answer in answers if self.is_scoreable(answer.question)]
        return len(judged), fmean(ex for ex, _ in judged), fmean(ex_set for _, ex_set in judged)


@dataclass(frozen=True)
class Setting:
    """What was answered with the help of past queries, by the name of its prediction set."""

    prediction_set: str

    @property
    def pipeline(self) -> str:
        return self._part(0)

    @property
    def history_setting(self) -> str:
        return self._part(1)

    @property
    def retriever(self) -> str:
        return self.history_setting.partition("-")[0]

    @property
    def threshold(self) -> float | None:
        parts = self.history_setting.removesuffix("-unasked").split("-")
        return float(parts[1]) if len(parts) > 2 else None

    @property
    def is_majority(self) -> bool:
        return self.prediction_set.endswith("/majority")

    def _part(self, place: int) -> str:
        return self.prediction_set.partition("/history/")[2].split("/")[place]


@dataclass
class World:
    """A studied warehouse, what the server saw of it, and what a person would reckon from that."""

    root: Path
    seen: list[dict[str, Any]]
    printed: str

    @cached_property
    def verdicts(self) -> Verdicts:
        return Verdicts(self.root)

    @cached_property
    def answers(self) -> dict[tuple[str, str], list[Answer]]:
        """By benchmark and prediction set. The warehouse says what is of a set, the server what came."""
        came: dict[str, list[dict[str, Any]]] = {}
        for request in self.seen:
            came.setdefault(json.dumps(request["body"]["messages"]), []).append(request)
        texts = {number: question for question, number in (PAST_IDS | TASK_IDS).items()}
        found: dict[tuple[str, str], list[Answer]] = {}
        for row in rows_of(
            self.root,
            "select benchmark, prediction_set, question_id, messages, count(*) as n_samples from requests"
            " where purpose is null or purpose in ('answer', 'preliminary_sql') group by all",
        ):
            requests = came[json.dumps(json.loads(row["messages"]))][: row["n_samples"]]
            replies = tuple(request["reply"] for request in requests)
            assert len(replies) == row["n_samples"]
            answer = Answer(texts[int(row["question_id"])], requests[0]["text"], replies)
            name = row["prediction_set"]
            found.setdefault((row["benchmark"], name), []).append(answer)
            if len(replies) > 1:
                # Where two of three say the same, it is what the first says.
                assert Counter(replies)[replies[0]] >= 2
                majority = Answer(answer.question, answer.prompt, replies[:1])
                found.setdefault((row["benchmark"], f"{name}/majority"), []).append(majority)
        return found

    @cached_property
    def settings(self) -> list[Setting]:
        """What was answered with the help of past queries."""
        return [Setting(name) for benchmark, name in self.answers if "/history/" in name]

    def of(self, setting: Setting) -> list[Answer]:
        return self.answers[TASKS, setting.prediction_set]

    def reckoned(self, setting: Setting) -> dict[str, Any]:
        """EX, and what was shown: from the prompts."""
        answers = self.of(setting)
        shown = [counts(answer.prompt, answer.question) for answer in answers]
        needed, retrieved, covered, n_shots = (sum(column) for column in zip(*shown, strict=True))
        n_questions, ex, ex_set = self.verdicts.accuracy(answers)
        return {
            "n_questions": n_questions,
            "ex": ex,
            "ex_set": ex_set,
            "mean_shots": n_shots / len(answers),
            "precision": covered / retrieved if retrieved else None,
            "recall": covered / needed,
            "f1": 2 * covered / (retrieved + needed),
        }


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with model_server("tests.study.past_server") as server:
        yield studied(tmp_path_factory.mktemp("answers"), server)


def studied(root: Path, server: ModelServer) -> World:
    """Tasks and history answered without past queries, then with them: by all pipelines, and by level."""
    for command in write_files(root):
        glue(root, *command)
    base = ("--api-base", server.url)
    for benchmark in (HISTORY, TASKS):
        glue(root, "generate", "--benchmark", benchmark, "--model", MODEL, "--setting", "zero_shot", *base)
    glue(root, *STUDY, *base, "--quality-set", BY_ITSELF, *COMPARED)
    glue(root, *STUDY, *base, *VOTED)
    glue(root, "generate", "--benchmark", TASKS, "--model", MODEL, "--setting", UNASKED, *base)
    ablated = glue(root, *STUDY, *base, *ABLATED)
    return World(root, server.seen(), ablated.stdout)


def alike(row: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a row says what is expected of it."""
    found = {name: row[name] for name in expected if name in row}
    return bool({name: expected[name] for name in found} == pytest.approx(found, abs=1e-11))


# --------------------------------------------------------------------------- the tests


def test_the_rule_leaves_something_to_tell_apart(world: World) -> None:
    """Right answers without all that is needed, wrong ones with it, and EX that is unlike."""
    kinds = set()
    for setting in world.settings:
        for answer in world.of(setting):
            n_needed, _, n_covered, _ = counts(answer.prompt, answer.question)
            kinds.add((n_needed == n_covered, world.verdicts.mean(answer)[0]))
    assert kinds >= {(True, 1), (True, 2 / 3), (True, 0), (False, 1), (False, 0)}
    reckoned = [world.reckoned(setting) for setting in world.settings]
    assert len({row["ex"] for row in reckoned}) > 6 and any(row["ex"] != row["ex_set"] for row in reckoned)
    assert len(world.settings) == 4 * (5 * 4 + 2) + 2 * 2 + 1 + 3 * 6 + 3 + 1
    assert set(EXCEPTIONS) < set(ASKED)


def test_accuracy_stands_beside_what_the_prompts_show(world: World) -> None:
    rows = {row["prediction_set"]: row for row in rows_of(world.root, "from history_accuracy")}
    assert set(rows) == {setting.prediction_set for setting in world.settings}
    for setting in world.settings:
        row = rows[setting.prediction_set]
        assert alike(row, world.reckoned(setting)), (row, world.reckoned(setting))
        names = ("pipeline", "retriever", "threshold", "is_majority")
        assert {name: row[name] for name in names} == {name: getattr(setting, name) for name in names}


def replicates(world: World, setting: Setting) -> Floats:
    """EX over the common draws of questions."""
    numbers = {
        row["question_id"]: row["question_number"]
        for row in rows_of(
            world.root,
            f"select * from question_slices where benchmark = '{TASKS}' and slice_by = 'all'"
            " order by question_number",
        )
    }
    places = {question_id: place for place, question_id in enumerate(numbers)}
    right, counted = np.zeros(len(places)), np.zeros(len(places))
    for answer in world.of(setting):
        if world.verdicts.is_scoreable(answer.question):
            place = places[str(TASK_IDS[answer.question])]
            counted[place], right[place] = 1, world.verdicts.mean(answer)[0]
    drawn = rows_of(
        world.root,
        f"select weights from bootstrap_weights where benchmark = '{TASKS}' and unit = 'question'"
        " order by replicate",
    )
    weights = np.array([list(row["weights"]) for row in drawn], dtype=float)
    return np.asarray((weights @ right) / (weights @ counted))


def test_pipelines_gain_over_the_best_of_their_own_retriever(world: World) -> None:
    rows = {row["prediction_set"]: row for row in rows_of(world.root, "from history_pipelines")}
    assert set(rows) == {setting.prediction_set for setting in world.settings}
    drawn = {setting: replicates(world, setting) for setting in world.settings}
    ex = {setting: world.reckoned(setting)["ex"] for setting in world.settings}
    for pipeline, retriever, is_majority in [
        *((*each, False) for each in OWN.items()),
        ("n_rep", OWN["n_rep"], True),
    ]:
        mine = [it for it in world.settings if (it.pipeline, it.is_majority) == (pipeline, is_majority)]
        own = [setting for setting in mine if setting.retriever == retriever]
        best = max(own, key=lambda setting: (ex[setting], setting.prediction_set))
        for setting in mine:
            row = rows[setting.prediction_set]
            assert row["is_own_retriever"] == (setting in own)
            assert alike(row, world.reckoned(setting))
            low, high = np.quantile(drawn[setting], [0.025, 0.975])
            assert (row["ex_low"], row["ex_high"]) == pytest.approx((low, high), abs=2e-9)
            if setting == best:
                assert (row["gain"], row["gain_low"], row["gain_high"]) == (None, None, None)
                continue
            assert row["gain"] == pytest.approx(ex[setting] - ex[best], abs=1e-11)
            low, high = np.quantile(drawn[setting] - drawn[best], [0.025, 0.975])
            assert (row["gain_low"], row["gain_high"]) == pytest.approx((low, high), abs=2e-9)


def answered_rows(world: World, report: str) -> dict[str, dict[str, Any]]:
    """The rows of a report that somebody answered, each set once."""
    rows = rows_of(world.root, f"from {report} where prediction_set is not null")
    found = {row["prediction_set"]: row for row in rows}
    assert len(found) == len(rows)
    return found


def check_answered(world: World, report: str, settings: Iterable[Setting]) -> None:
    """That a report has just these sets, with what the prompts and answers say."""
    rows = answered_rows(world, report)
    expected = {setting.prediction_set: setting for setting in settings}
    assert set(rows) == set(expected)
    for name, setting in expected.items():
        assert alike(rows[name], world.reckoned(setting)), (report, rows[name], world.reckoned(setting))
        assert (rows[name]["model"], rows[name]["pipeline"]) == (MODEL, setting.pipeline)


@pytest.mark.parametrize(
    ("report", "fixed"), [("history_shots", "threshold"), ("history_threshold", "shots")]
)
def test_every_answer_stands_by_its_number_of_shots_and_threshold(
    world: World, report: str, fixed: str
) -> None:
    has_any = {
        "history_shots": lambda it: it.retriever != "none",
        "history_threshold": lambda it: it.threshold,
    }
    check_answered(world, report, filter(has_any[report], world.settings))
    rows = rows_of(world.root, f"from {report}")
    for best in rows_of(world.root, "from history_retrieval where is_best and level <> 'none'"):
        names = ("encoder", "retriever", "uses_questions")
        like = [row for row in rows if all(row[name] == best[name] for name in names)]
        line = {row["history_setting"] for row in like if row[fixed] == best[fixed]}
        if report == "history_shots":
            assert len(line) == 6
        else:
            assert len(line) == (0 if best["threshold"] is None else 5)
        assert all(row["is_best"] == (row["history_setting"] == best["history_setting"]) for row in like)
        assert all(row[fixed] == best[fixed] or row["prediction_set"] for row in like)


def test_the_ablation_has_each_level_as_it_was_answered(world: World) -> None:
    """What a model chooses among a level's finds is of that level."""
    searching = {f"{name}{suffix}": name for name in LEVELS for suffix in ("", "_model")}
    check_answered(world, "history_ablation", [it for it in world.settings if it.retriever in searching])
    rows = rows_of(world.root, "from history_ablation where uses_questions")
    assert {row["level"] for row in rows if row["is_best"]} == set(LEVELS.values())
    assert any(row["is_reranked"] for row in rows)
    for row in rows:
        retriever = row["history_setting"].partition("-")[0]
        assert row["level"] == LEVELS[searching[retriever]]
        assert row["is_reranked"] == (retriever not in LEVELS)
        assert row["is_best"] or row["prediction_set"]


def test_one_solver_is_held_against_itself_on_the_history(world: World) -> None:
    rows = {row["metric"]: row for row in rows_of(world.root, "from history_vs_dev")}
    assert len(rows) == 2
    on_tasks = [it for it in world.answers[TASKS, BY_ITSELF] if it.question != UNLABELLED]
    n_tasks, *on_tasks_values = world.verdicts.accuracy(on_tasks)
    n_dev, *on_dev_values = world.verdicts.accuracy(world.answers[HISTORY, BY_ITSELF])
    assert (n_tasks, n_dev) == (len(ASKED) - 2, len(PAST) - 1)
    for metric, tasks, dev in zip(("ex", "ex_set"), on_tasks_values, on_dev_values, strict=True):
        expected = {
            "task_prediction_set": BY_ITSELF,
            "dev_prediction_set": BY_ITSELF,
            "model": MODEL,
            "setting": "zero_shot",
            "n_tasks": n_tasks,
            "n_dev_questions": n_dev,
        }
        assert {name: rows[metric][name] for name in expected} == expected
        values = [rows[metric][name] for name in ("value_on_tasks", "value_on_dev", "difference")]
        assert values == pytest.approx([tasks, dev, tasks - dev], abs=1e-11)


def test_misses_of_full_recall_are_all_listed(world: World) -> None:
    expected: Counter[tuple[Any, ...]] = Counter()
    for setting in world.settings:
        for answer in world.of(setting):
            n_needed, n_retrieved, n_covered, n_shots = counts(answer.prompt, answer.question)
            if n_covered == n_needed and world.verdicts.is_scoreable(answer.question):
                shown = (n_shots, n_needed, n_retrieved, round(n_covered / n_retrieved, 12))
                rights = [world.verdicts.of(answer.question, reply)[0] for reply in answer.replies]
                expected[setting.prediction_set, str(TASK_IDS[answer.question]), *shown] += rights.count(
                    False
                )
    rows = rows_of(world.root, "from history_full_recall_misses")
    names = ("prediction_set", "question_id", "n_shots", "n_required", "n_retrieved", "precision")
    assert len(rows) > 50 and Counter(tuple(row[name] for name in names) for row in rows) == +expected
    assert {row["reason"] for row in rows} >= {"no_sql", "unknown_column", "duplicate_count", "order"}


def test_what_is_printed_is_what_the_tables_say(world: World) -> None:
    _, retrieval, pipelines = world.printed.split(":\n")[-3:]
    retrieval = retrieval.partition("\n\n")[0]
    found = {row["setting"]: row for row in printed_rows(retrieval)}
    rows = {
        row["history_setting"]: row for row in rows_of(world.root, "from history_retrieval where is_best")
    }
    assert set(found) == set(rows)
    for setting, row in rows.items():
        assert float(found[setting]["shots"]) == pytest.approx(row["mean_shots"], abs=0.0051)
        for name in ("precision", "recall", "f1"):
            assert found[setting][name] == told(row, name, "{:.3f}")
    best: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows_of(world.root, "from history_pipelines order by ex desc nulls last, prediction_set desc"):
        key = (row["prediction_set"].partition("/history/")[0], row["pipeline_label"], row["is_majority"])
        best.setdefault((*key, row["retriever"], row["history_setting"].endswith("-unasked")), row)
    table = printed_rows(pipelines)
    assert len(table) == len(best)
    for (model, label, is_majority, *_), row in best.items():
        name = f"{label} (majority)" if is_majority else label
        wanted = (model, name, row["history_setting"])
        (line,) = [line for line in table if (line["model"], line["pipeline"], line["setting"]) == wanted]
        assert line["ex"] == told(row, "ex", "{:.3f}") and int(line["questions"]) == row["n_questions"]
        assert line["gain"] == ("its own" if row["gain"] is None else told(row, "gain", "{:+.3f}"))
        numbers = {
            each: "NULL" if row[each] is None else f"{row[each]:.3f}" for each in ("precision", "recall")
        }
        assert numbers.items() <= line.items()


def printed_rows(table: str) -> list[dict[str, str]]:
    """The rows of a printed table: columns stand at least two spaces apart."""
    names, _, *lines = [line for line in table.splitlines() if line.strip()]
    return [
        dict(zip(re.split(r" {2,}", names.strip()), re.split(r" {2,}", line.strip()), strict=True))
        for line in lines
    ]


def told(row: dict[str, Any], name: str, form: str) -> str:
    """A number with its interval, as it is printed."""
    if row[name] is None:
        return "NULL"
    value, low, high = (form.format(row[each]) for each in (name, f"{name}_low", f"{name}_high"))
    return f"{value} [{low}, {high}]".replace("-0.000", "+0.000")
