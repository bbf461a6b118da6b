"""Precision, recall and F1 of retrieval from past queries, through the real models, against Python sets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.commands import rows_of, run_dbt
from tests.statistics_helpers import LOWER_TABLES, one

pytestmark = pytest.mark.slow

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
SHOTS: dict[str, int | None] = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "dynamic": None}
TYPES = ("calculation", "condition", "relation", "dimension", "output", "full_sql")
N_MOST = 6
SEEDS = tuple(
    f"path:seeds/{name}.csv"
    for name in (
        "metrics",
        "protocols",
        "protocol_metrics",
        "contrasts",
        "slices",
        "history_thresholds",
        "shot_limits",
    )
)
MODELS = (
    *("history_settings", "score_history_retrieval", "history_choices", "history_sets", "history_set_scores"),
    *("question_slices", "slice_positions", "bootstrap_weights", "question_scores", "metric_slices"),
    *("unpaired_questions", "contrast_pairs", "dialect_pairs", "bootstrap_ratios"),
    *("bootstrap_intervals", "contrast_tests"),
    *("metric_intervals", "metric_contrasts", "history_sums", "history_intervals", "history_rates"),
    *("history_retrieval", "history_by_type", "history_best_settings", "answered_settings"),
    *("history_shots", "history_threshold", "history_ablation"),
)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """A past query that was found: `whole_score` brings all of it, `items` come one by one, by score."""

    script: str
    score: float
    whole_score: float | None
    items: dict[str, float]


@dataclass(frozen=True)
class Task:
    """What a task needs, as labels: the scripts of each item; and what each retriever found, in order."""

    question_id: str
    db_id: str
    needed: dict[str, tuple[str, ...]]
    found: dict[str, tuple[Found, ...]]


def type_of(item: str) -> str:
    """Knowledge type of an item: its name begins with its number."""
    return TYPES[int(item.split("x")[0])]


def counts(
    task: Task, retriever: str, threshold: float, shots: str, knowledge_type: str = "all"
) -> tuple[int, int, int, int]:
    """Items needed, retrieved and covered, and scripts shown, from sets."""
    passed = [found for found in task.found.get(retriever, ()) if found.score >= threshold][:N_MOST]
    shown = passed[: SHOTS[shots]]
    retrieved: set[str] = set()
    covered: set[str] = set()
    for found in shown:
        brought = {item for item, score in found.items.items() if score >= threshold}
        if found.whole_score is not None and found.whole_score >= threshold:
            brought |= {item for item, scripts in task.needed.items() if found.script in scripts}
        retrieved |= brought
        covered |= {item for item in brought if found.script in task.needed.get(item, ())}
    needed = set(task.needed)
    if knowledge_type != "all":
        needed, retrieved, covered = (
            {item for item in items if type_of(item) == knowledge_type}
            for items in (needed, retrieved, covered)
        )
    return len(needed), len(retrieved), len(covered), len(shown)


TABLES = {
    "history_candidates": "task_set varchar, question_id varchar, encoder varchar, retriever varchar,"
    " uses_questions boolean, history_query_id varchar, score double, rank integer, whole_score double,"
    " item_ids varchar[], item_scores double[]",
    "history_task_items": "task_set varchar, question_id varchar, item_id varchar, knowledge_type varchar,"
    " history_query_ids varchar[]",
    "history_tasks": "task_set varchar, benchmark varchar, question_id varchar, question_position bigint,"
    " db_id varchar",
    "knowledge_items": "item_id varchar, knowledge_type varchar",
    "history_accuracy": "task_set varchar, encoder varchar, history_setting varchar, pipeline varchar,"
    " model varchar, prediction_set varchar, ex double, ex_low double, ex_high double, ex_set double",
    "retrievers": "retriever varchar, level varchar, reranks varchar, is_paper boolean,"
    " uses_threshold boolean, n_most integer",
}
"""The tables below the scores."""


def write(warehouse: duckdb.DuckDBPyConnection, tasks: list[Task]) -> None:
    """Put the lower tables into the database `warehouse`."""
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLES}
    items: set[str] = set()
    for position, task in enumerate(tasks):
        key = ("b/history", task.question_id)
        rows["history_tasks"].append(("b/history", "b", task.question_id, position, task.db_id))
        for item, scripts in task.needed.items():
            items.add(item)
            rows["history_task_items"].append((*key, item, type_of(item), list(scripts)))
        for retriever, ranking in task.found.items():
            for rank, found in enumerate(ranking, start=1):
                items.update(found.items)
                brought = (list(found.items), list(found.items.values()))
                search = ("e", retriever, True)
                rows["history_candidates"].append(
                    (*key, *search, found.script, found.score, rank, found.whole_score, *brought)
                )
    rows["knowledge_items"] = [(item, type_of(item)) for item in sorted(items)]
    retrievers = sorted({retriever for task in tasks for retriever in task.found})
    rows["retrievers"] = [(name, "query", None, True, True, N_MOST) for name in retrievers]
    rows["retrievers"].append(("none", "none", None, True, False, 0))
    rows["history_accuracy"] = [
        ("b/history", "e", setting, "codes", model, f"{model} {setting}", 0.5, 0.4, 0.6, 0.7)
        for setting in ("q_c-0.8-1", "q_c-0.8-3", "q_c-0.7-1", "q_c-0.5-3", "none")
        for model in ("m", "n")
    ]
    for name, columns in TABLES.items():
        warehouse.execute(f"create or replace table warehouse.main.{name} ({columns})")
        if rows[name]:
            places = ", ".join("?" for _ in rows[name][0])
            warehouse.executemany(f"insert into warehouse.main.{name} values ({places})", rows[name])


def build(home: Path, tasks: list[Task]) -> Path:
    """Build everything from the scores to the reports over these tasks; gives `home`."""
    home.mkdir(exist_ok=True)
    with duckdb.connect(str(home / "warehouse.duckdb")) as warehouse:
        for statement in LOWER_TABLES.split(";"):
            if statement.strip() and "table history_" not in statement:
                warehouse.execute(statement)
        write(warehouse, tasks)
    run_dbt(home, *SEEDS, *MODELS)
    return home


def made_up_tasks() -> list[Task]:
    """Twelve databases of six tasks, and three retrievers of which one is better: the same every time."""
    rng = np.random.default_rng(3)
    tasks = []
    for database in range(12):
        holds = {
            f"s{database}-{n}": {f"{rng.integers(6)}x{rng.integers(5)}" for _ in range(4)} for n in range(15)
        }
        for number in range(6):
            items = sorted(set().union(*holds.values()))
            wanted = [
                items[int(i)] for i in rng.choice(len(items), size=int(rng.integers(1, 5)), replace=False)
            ]
            needed = {item: tuple(s for s in sorted(holds) if item in holds[s]) for item in wanted}
            found = {}
            for retriever, sense in (("mqs", 0.02), ("q_c", 0.05), ("evalhouse", 0.09)):
                ease = sense * (1 + (database % 3) / 3)
                scores = {
                    s: round(float(rng.uniform(0.4, 0.8) + ease * len(holds[s] & set(wanted))), 6)
                    for s in sorted(holds)
                }
                ranking = sorted(scores, key=lambda s: (-scores[s], s))[:8]
                found[retriever] = tuple(
                    Found(s, scores[s], scores[s], dict.fromkeys(sorted(holds[s]), scores[s]))
                    for s in ranking
                    if scores[s] >= THRESHOLDS[0]
                )
            tasks.append(Task(f"q{database:02}-{number}", f"d{database:02}", needed, found))
    return tasks


WORKED_EXAMPLE = Task(
    "0",
    "california_schools",
    {
        "2x join": ("12", "87"),
        "1x county": ("87",),
        "1x charter": ("60", "61", "62", "63", "65"),
        "1x funding": ("28",),
    },
    {
        "q": (
            Found("65", 0.9, 0.9, {"1x charter": 0.9}),
            Found("87", 0.8, 0.8, {"2x join": 0.8, "1x county": 0.8}),
        )
    },
)
"""Appendix A.1: two scripts are retrieved, and bring three of the four items."""


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return made_up_tasks()


@pytest.fixture(scope="module")
def home(tasks: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("history") / "home", tasks)


class ScoreModels:
    """The models that scores are, as dbt compiled them, in a database of their own."""

    def __init__(self, home: Path) -> None:
        compiled = {path.stem: path.read_text() for path in (home / "target" / "compiled").rglob("*.sql")}
        self._models = {name: compiled[name] for name in ("history_settings", "score_history_retrieval")}
        self._database = duckdb.connect(":memory:", config={"threads": 1})
        self._database.execute("attach ':memory:' as warehouse")
        for name, column, values in (
            ("history_thresholds", "threshold", [f"({t}::double)" for t in THRESHOLDS]),
            ("shot_limits", "shots, n_most", [f"('{s}', {n or 'null'}::integer)" for s, n in SHOTS.items()]),
        ):
            self._database.execute(
                f"create table warehouse.main.{name} as"
                f" select * from (values {', '.join(values)}) as t ({column})"
            )

    def counts(self, tasks: list[Task]) -> dict[tuple[str, str, str], tuple[int, int, int, int]]:
        """Counts by question, setting and type."""
        write(self._database, tasks)
        for name, sql in self._models.items():
            self._database.execute(f"create or replace table warehouse.main.{name} as {sql}")
        rows = self._database.execute(
            "select question_id, history_setting, knowledge_type, n_required, n_retrieved, n_covered, n_shots"
            " from warehouse.main.score_history_retrieval"
        ).fetchall()
        return {row[:3]: row[3:] for row in rows}


@pytest.fixture(scope="module")
def models(home: Path) -> ScoreModels:
    return ScoreModels(home)


def test_the_worked_example_has_a_recall_of_three_quarters(models: ScoreModels) -> None:
    found = models.counts([WORKED_EXAMPLE])
    n_required, _, n_covered, n_shots = found["0", "q-0.5-2", "all"]
    assert (n_covered / n_required, n_shots) == (0.75, 2)
    assert found["0", "q-0.5-1", "all"] == (4, 1, 1, 1)
    assert found["0", "q-0.9-dynamic", "all"] == (4, 1, 1, 1)


ITEMS = st.sampled_from([f"{number}x{letter}" for number in range(6) for letter in "ab"])
SCRIPTS = ("1", "2", "3", "4", "5", "6", "7", "8")
LEVELS = st.sampled_from([0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0])


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Found, ...]:
    """Scripts with scores that never rise, their items no higher; some brought as a whole."""
    scripts = draw(st.lists(st.sampled_from(SCRIPTS), unique=True, max_size=8))
    scores = sorted((draw(LEVELS) for _ in scripts), reverse=True)
    found = []
    for script, score in zip(scripts, scores, strict=True):
        items = draw(st.dictionaries(ITEMS, LEVELS, max_size=4))
        whole = draw(st.one_of(st.none(), LEVELS))
        found.append(
            Found(
                script,
                score,
                None if whole is None else min(whole, score),
                {item: min(level, score) for item, level in items.items()},
            )
        )
    return tuple(found)


@st.composite
def universes(draw: st.DrawFn) -> list[Task]:
    """Tasks with labels that need not say what was read off the scripts."""
    labels = st.dictionaries(
        ITEMS, st.lists(st.sampled_from(SCRIPTS), unique=True, max_size=4).map(tuple), min_size=1, max_size=4
    )
    return [
        Task(f"q{number}", "d", draw(labels), {"mqs": draw(rankings()), "c": draw(rankings())})
        for number in range(draw(st.integers(1, 4)))
    ]


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(universe=universes())
def test_random_tasks_count_as_sets_do(models: ScoreModels, universe: list[Task]) -> None:
    found = models.counts(universe)
    searched = {retriever for task in universe for retriever, ranking in task.found.items() if ranking}
    expected = {}
    for task in universe:
        for retriever in searched:
            for threshold in THRESHOLDS:
                for shots in SHOTS:
                    for knowledge_type in ("all", *TYPES):
                        counted = counts(task, retriever, threshold, shots, knowledge_type)
                        if knowledge_type == "all" or counted[0] or counted[1]:
                            key = (task.question_id, f"{retriever}-{threshold}-{shots}", knowledge_type)
                            expected[key] = counted
    assert {key: value for key, value in found.items() if key[1] != "none"} == expected
    assert all(value[1:] == (0, 0, 0) for key, value in found.items() if key[1] == "none")


def rates(sums: list[tuple[int, int, int]]) -> dict[str, float | None]:
    """Micro and macro precision, recall and F1 of (needed, retrieved, covered) per task."""
    needed, retrieved, covered = (sum(column) for column in zip(*sums, strict=True))
    precisions = [c / r for _, r, c in sums if r]
    return {
        "precision": covered / retrieved if retrieved else None,
        "recall": covered / needed,
        "f1": 2 * covered / (retrieved + needed),
        "macro_precision": fmean(precisions) if precisions else None,
        "macro_recall": fmean(c / n for n, _, c in sums),
        "macro_f1": fmean(2 * c / (r + n) for n, r, c in sums),
    }


def test_the_grid_holds_micro_and_macro_rates(tasks: list[Task], home: Path) -> None:
    rows = rows_of(home, "select * from history_retrieval where retriever <> 'none'")
    assert len(rows) == 3 * len(THRESHOLDS) * len(SHOTS)
    for row in rows:
        counted = [counts(task, row["retriever"], row["threshold"], row["shots"]) for task in tasks]
        expected = rates([(n, r, c) for n, r, c, _ in counted])
        assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-11)
        assert row["mean_shots"] == pytest.approx(fmean(shown for *_, shown in counted))
        assert row["n_tasks_with_precision"] == sum(r > 0 for _, r, _, _ in counted)


@pytest.mark.parametrize("report", ["history_shots", "history_threshold"])
def test_one_choice_is_varied_and_the_other_stays_the_best(
    tasks: list[Task], home: Path, report: str
) -> None:
    """Tables 5 and 6: each setting once, or once for each set that answers in it; and all else answered."""
    answered = rows_of(home, "from history_accuracy")
    n_answered = 0
    for retriever in ("mqs", "q_c", "evalhouse"):
        best = chosen(tasks, retriever)
        if report == "history_shots":
            varied = [(best[0], shots) for shots in SHOTS]
        else:
            varied = [(threshold, best[1]) for threshold in THRESHOLDS]
        settings = [row["history_setting"].split("-") for row in answered]
        elsewhere = [(float(setting[1]), setting[2]) for setting in settings if setting[0] == retriever]
        expected: dict[tuple[float, str, str | None], tuple[float | None, ...]] = {}
        for threshold, shots in dict.fromkeys(varied + elsewhere):
            found = rates([counts(task, retriever, threshold, shots)[:3] for task in tasks])
            setting = f"{retriever}-{threshold}-{shots}"
            sets = [row["prediction_set"] for row in answered if row["history_setting"] == setting] or [None]
            expected |= {
                (threshold, shots, name): (found["precision"], found["recall"], found["f1"]) for name in sets
            }
        rows = rows_of(home, f"select * from {report} where retriever = '{retriever}'")
        assert len(rows) == len(expected)
        for row in rows:
            values = (row["precision"], row["recall"], row["f1"])
            key = (row["threshold"], row["shots"], row["prediction_set"])
            assert values == pytest.approx(expected[key], abs=1e-11)
            assert row["is_best"] == (key[:2] == best)
            assert row["ex"] == (None if row["prediction_set"] is None else 0.5)
            n_answered += row["ex"] is not None
    assert n_answered == sum(row["history_setting"] != "none" for row in answered) > 0


def weights_of(home: Path, unit: str) -> Floats:
    """Draws by replicate and unit."""
    rows = rows_of(
        home,
        "select weights from bootstrap_weights"
        f" where benchmark = 'b/history' and unit = '{unit}' order by replicate",
    )
    return np.array([list(row["weights"]) for row in rows], dtype=float)


def by_unit(tasks: list[Task], values: list[int], unit: str) -> Floats:
    """Values by task, or summed by database."""
    if unit == "question":
        return np.array(values, dtype=float)
    sums: dict[str, int] = defaultdict(int)
    for task, value in zip(tasks, values, strict=True):
        sums[task.db_id] += value
    return np.array([sums[name] for name in sorted(sums)], dtype=float)


@pytest.mark.parametrize(("unit", "suffix"), [("question", ""), ("database", "_clustered")])
def test_intervals_are_percentiles_of_the_common_draws(
    tasks: list[Task], home: Path, unit: str, suffix: str
) -> None:
    weights = weights_of(home, unit)
    for setting in ("mqs-0.6-2", "evalhouse-0.9-dynamic", "q_c-0.5-5"):
        (row,) = rows_of(home, f"select * from history_retrieval where history_setting = '{setting}'")
        counted = [counts(task, row["retriever"], row["threshold"], row["shots"]) for task in tasks]
        needed, retrieved, covered, _ = (
            weights @ by_unit(tasks, list(values), unit) for values in zip(*counted, strict=True)
        )
        for metric, values in (
            ("precision", covered / retrieved),
            ("recall", covered / needed),
            ("f1", 2 * covered / (retrieved + needed)),
        ):
            low, high = np.quantile(values, [0.025, 0.975])
            assert (row[f"{metric}_low{suffix}"], row[f"{metric}_high{suffix}"]) == pytest.approx(
                (low, high), abs=2e-9
            )


def chosen(tasks: list[Task], retriever: str, shots: str | None = None) -> tuple[float, str]:
    """The best F1's threshold and number of shots; of equals the fewest shots, then the highest threshold."""
    best = min(
        ((threshold, name) for threshold in THRESHOLDS for name in SHOTS if shots in (None, name)),
        key=lambda choice: (
            -round(rates([counts(task, retriever, *choice)[:3] for task in tasks])["f1"] or 0, 12),
            SHOTS[choice[1]] or N_MOST,
            -choice[0],
        ),
    )
    return best


def left_out(tasks: list[Task], retriever: str, shots: str | None = None) -> list[tuple[int, int, int]]:
    """Counts of each task in the setting that was chosen on all other databases."""
    choices = {
        name: chosen([task for task in tasks if task.db_id != name], retriever, shots)
        for name in {task.db_id for task in tasks}
    }
    return [counts(task, retriever, *choices[task.db_id])[:3] for task in tasks]


def test_a_set_is_judged_where_it_was_not_chosen(tasks: list[Task], home: Path) -> None:
    rows = rows_of(home, "select * from metric_intervals where protocol = 'bird_history'")
    for retriever in ("mqs", "q_c", "evalhouse"):
        expected = rates(left_out(tasks, retriever))
        for metric in ("precision", "recall", "f1"):
            row = one(rows, prediction_set=f"{retriever}/lodo@e", metric=f"history_{metric}")
            assert row["value"] == pytest.approx(expected[metric], abs=1e-11)
            assert (row["slice_by"], row["wilson_low"]) == ("all", None)
            macro = one(rows, prediction_set=f"{retriever}/lodo@e", metric=f"history_{metric}_macro")
            assert macro["value"] == pytest.approx(expected[f"macro_{metric}"], abs=1e-11)
        at_two = one(rows, prediction_set=f"{retriever}/lodo-2@e", metric="history_recall")
        assert at_two["value"] == pytest.approx(rates(left_out(tasks, retriever, "2"))["recall"], abs=1e-11)
    best = {row["retriever"]: row for row in rows_of(home, "select * from history_retrieval where is_best")}
    for retriever in ("mqs", "q_c", "evalhouse"):
        assert (best[retriever]["threshold"], best[retriever]["shots"]) == chosen(tasks, retriever)


def test_both_ways_to_resample_agree(home: Path) -> None:
    """The grid has an arithmetic of its own; chosen settings go through the common statistics too."""
    rows = rows_of(
        home,
        "select common.metric, common.ci_low, common.ci_high, common.ci_low_clustered,"
        " common.ci_high_clustered, rates.* from metric_intervals as common inner join history_rates as rates"
        " on common.benchmark = rates.task_set and common.prediction_set = rates.prediction_set"
        " where rates.knowledge_type = 'all' and common.metric in"
        " ('history_precision', 'history_recall', 'history_f1') and rates.n_retrieved > 0",
    )
    assert len(rows) > 20
    for row in rows:
        metric = row["metric"].removeprefix("history_")
        for suffix in ("", "_clustered"):
            ends = tuple(row[f"{metric}_{end}{suffix}"] for end in ("low", "high"))
            assert (row[f"ci_low{suffix}"], row[f"ci_high{suffix}"]) == pytest.approx(ends, abs=2e-9)


def test_contrasts_are_paired_differences_of_ratios(tasks: list[Task], home: Path) -> None:
    rows = rows_of(home, "select * from metric_contrasts where contrast_family = 'history_f1'")
    assert {(row["set_a"], row["set_b"]) for row in rows} == {
        ("evalhouse/lodo@e", "mqs/lodo@e"),
        ("evalhouse/lodo@e", "q_c/lodo@e"),
    }
    for row in rows:
        sides = [left_out(tasks, row[name].split("/")[0]) for name in ("set_a", "set_b")]
        values = [rates(side)["f1"] or 0 for side in sides]
        assert row["difference"] == pytest.approx(values[0] - values[1], abs=1e-11)
        assert (row["n_questions"], row["p_mcnemar"], row["mcnemar_reason"]) == (
            len(tasks),
            None,
            "not_a_share",
        )
        for unit, suffix in (("question", ""), ("database", "_clustered")):
            weights = weights_of(home, unit)
            replicates = []
            for side in sides:
                needed, retrieved, covered = (
                    weights @ by_unit(tasks, list(column), unit) for column in zip(*side, strict=True)
                )
                replicates.append(2 * covered / (retrieved + needed))
            low, high = np.quantile(replicates[0] - replicates[1], [0.025, 0.975])
            assert (row[f"ci_low{suffix}"], row[f"ci_high{suffix}"]) == pytest.approx((low, high), abs=2e-9)
        # The linear part of the difference varies as its replicates do.
        standard_error = row["smallest_detectable_difference"] / 2.8015852181130554
        weights = weights_of(home, "question")
        spread = np.std(_differences(weights, tasks, sides), ddof=1)
        assert standard_error == pytest.approx(spread, rel=0.05)


def _differences(weights: Floats, tasks: list[Task], sides: list[list[tuple[int, int, int]]]) -> Floats:
    replicates = []
    for side in sides:
        needed, retrieved, covered = (
            weights @ by_unit(tasks, list(column), "question") for column in zip(*side, strict=True)
        )
        replicates.append(2 * covered / (retrieved + needed))
    return np.asarray(replicates[0] - replicates[1])


def test_recall_is_held_against_the_same_number_of_shots(tasks: list[Task], home: Path) -> None:
    for shots in SHOTS:
        (row,) = rows_of(
            home, f"select * from metric_contrasts where contrast_family = 'history_recall_at_{shots}'"
        )
        assert (row["set_a"], row["set_b"]) == (f"evalhouse/lodo-{shots}@e", f"q_c/lodo-{shots}@e")
        values = [rates(left_out(tasks, name, shots))["recall"] or 0 for name in ("evalhouse", "q_c")]
        assert row["difference"] == pytest.approx(values[0] - values[1], abs=1e-11)


def test_types_add_up(tasks: list[Task], home: Path) -> None:
    rows = rows_of(home, "select * from history_by_type where choice = 'best' and retriever = 'q_c'")
    assert {row["knowledge_type"] for row in rows} == set(TYPES)
    threshold, shots = chosen(tasks, "q_c")
    for row in rows:
        counted = [counts(task, "q_c", threshold, shots, row["knowledge_type"]) for task in tasks]
        assert (row["n_required"], row["n_retrieved"], row["n_covered"]) == tuple(
            sum(column[i] for column in counted) for i in range(3)
        )
        assert row["n_tasks"] == sum(n > 0 or r > 0 for n, r, _, _ in counted)
    (whole,) = rows_of(home, "select * from history_retrieval where is_best and retriever = 'q_c'")
    for name in ("n_required", "n_retrieved", "n_covered"):
        assert whole[name] == sum(row[name] for row in rows)
