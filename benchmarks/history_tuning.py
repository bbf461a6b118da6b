"""Which weights does the retriever `evalhouse` get, and what is each ingredient worth?

    python -m benchmarks.history_tuning HOME bird_dev/history
    python -m benchmarks.history_tuning HOME bird_dev/history --write seeds/evalhouse_weights.csv

HOME is built, its benchmark is under the study `history` and its texts are embedded. The models' own SQL
is run with other weights. Each database is left out in turn, and the weights are tuned on the others:
from a plain start one weight is changed at a time, and the change that raises F1 most is kept, until none
does. F1 is micro, over the items that are likelier than the chance that serves those databases best,
before scripts are chosen to bring them. Prints what is chosen without each database, F1 on the databases
left out, and F1 without each ingredient. `--write` writes the seed: a row for each database left out, and
one tuned on all.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

from glue.build import project_directory
from glue.home import Home

Floats = npt.NDArray[np.float64]
Mix = tuple[float, float, float, float]

MODELS = ("evalhouse_settings", "script_votes", "item_chances")
OF_TASK_SET = ("script_similarities", "history_tasks", "history_task_items")
OF_HISTORY = ("history_queries", "script_components")
N_LEAST, N_MOST = 10, 50
CHANCES = np.arange(N_LEAST, N_MOST + 1) / 100

MIXES: dict[bool, tuple[Mix, ...]] = {
    True: ((0.5, 0.25, 0.25, 0), (0.6, 0.25, 0.15, 0), (0.4, 0.3, 0.3, 0), (0.4, 0.2, 0.4, 0)),
    False: ((0, 0, 0.8, 0.2), (0, 0, 0.9, 0.1), (0, 0, 0.7, 0.3)),
}
"""Shares of the similarities of questions, masked questions, descriptions and masked descriptions."""


@dataclass(frozen=True)
class Weights:
    """A point of the search: columns of seed `evalhouse_weights`."""

    mix: Mix
    sharpness: float = 10
    n_voters: int = 20
    agreement_weight: float = 0.5
    generic_discount: float = 0.4


STEPS: dict[str, tuple[float, ...]] = {
    "sharpness": (6, 8, 10, 12),
    "n_voters": (12, 16, 20, 25),
    "agreement_weight": (0.25, 0.5, 1),
    "generic_discount": (0.2, 0.4, 0.6),
}


class Sums:
    """For each database and least chance, how many items are retrieved and covered with some weights."""

    def __init__(self, warehouse: Path, task_set: str) -> None:
        self._connection = duckdb.connect()
        self._connection.execute(f"attach '{warehouse}' as built (read_only)")
        for table in OF_TASK_SET:
            self._connection.execute(
                f"create table {table} as select * from built.main.{table} where task_set = ?", [task_set]
            )
        for table in OF_HISTORY:
            self._connection.execute(f"create view {table} as select * from built.main.{table}")
        folder = project_directory() / "models" / "retrieval"
        self._models = {
            name: re.sub(
                r"\{\{ ref\('(\w+)'\) \}\}", r"\1", (folder / f"{name}.sql").read_text(encoding="utf-8")
            )
            for name in MODELS
        }
        required = self._connection.execute(
            "select tasks.db_id, count(*) from history_tasks as tasks"
            " inner join history_task_items as items using (task_set, question_id) group by 1 order by 1"
        ).fetchall()
        self.databases = [str(db_id) for db_id, _ in required]
        self.required = np.array([count for _, count in required], dtype=np.float64)
        self._known: dict[tuple[bool, Weights], tuple[Floats, Floats]] = {}

    def of(self, uses_questions: bool, weights: Weights) -> tuple[Floats, Floats]:
        """Retrieved and covered: databases down, least chances across."""
        key = (uses_questions, weights)
        if key not in self._known:
            self._run(uses_questions, weights)
            retrieved = np.zeros((len(self.databases), len(CHANCES)))
            covered = np.zeros_like(retrieved)
            for db_id, place, n_retrieved, n_covered in self._connection.execute(COUNTS).fetchall():
                row = self.databases.index(db_id)
                retrieved[row, : place + 1] += n_retrieved
                covered[row, : place + 1] += n_covered
            self._known[key] = (retrieved, covered)
        return self._known[key]

    def _run(self, uses_questions: bool, weights: Weights) -> None:
        values = [uses_questions, None, *weights.mix, *astuple(weights)[1:], 0.25]
        self._connection.execute(
            "create or replace table evalhouse_weights as select * from (values (?::boolean, ?::varchar,"
            f" {', '.join(['?::double'] * 5)}, ?::integer, ?::double, ?::double, ?::double))"
            f" as weights({', '.join(COLUMNS)})",
            values,
        )
        for name, sql in self._models.items():
            self._connection.execute(f"create or replace table {name} as {sql}")


COLUMNS = (
    *("uses_questions", "tuned_without_db_id"),
    *("question_weight", "masked_question_weight", "description_weight", "masked_description_weight"),
    *(field.name for field in fields(Weights)[1:]),
    "break_even_chance",
)

COUNTS = f"""
    select
        chances.db_id,
        least(floor(100 * (chances.chance + 1e-9))::integer, {N_MOST}) - {N_LEAST},
        count(*),
        count(items.item_id)
    from item_chances as chances
    left join history_task_items as items using (task_set, question_id, item_id)
    where 100 * (chances.chance + 1e-9) >= {N_LEAST}
    group by 1, 2
"""


def f1_of(
    sums: Sums, uses_questions: bool, weights: Weights, kept: npt.NDArray[np.bool_]
) -> tuple[float, int]:
    """The best micro F1 over some databases, and the place of the least chance that gives it."""
    retrieved, covered = sums.of(uses_questions, weights)
    needed = sums.required[kept].sum()
    f1 = 2 * covered[kept].sum(axis=0) / (retrieved[kept].sum(axis=0) + needed)
    place = int(f1.argmax())
    return float(f1[place]), place


def tuned(sums: Sums, uses_questions: bool, kept: npt.NDArray[np.bool_]) -> Weights:
    """One weight changed at a time, the best change kept, until none raises F1."""
    best = Weights(MIXES[uses_questions][0])
    best_f1, _ = f1_of(sums, uses_questions, best, kept)
    while True:
        tries = [replace(best, mix=mix) for mix in MIXES[uses_questions]]
        for name, values in STEPS.items():
            tries += [replace(best, **{name: value}) for value in values]  # type: ignore[arg-type]
        f1, place = max(
            (f1_of(sums, uses_questions, each, kept)[0], -number) for number, each in enumerate(tries)
        )
        if f1 <= best_f1 + 1e-4:
            return best
        best, best_f1 = tries[-place], f1


def row_of(uses_questions: bool, db_id: str, weights: Weights, chance: float) -> list[object]:
    """A row of the seed."""
    return [str(uses_questions).lower(), db_id, *weights.mix, *astuple(weights)[1:], f"{chance:g}"]


def tune(sums: Sums, uses_questions: bool) -> tuple[list[list[object]], Weights]:
    """Rows of the seed, and the weights tuned on all databases; prints what is chosen without each."""
    rows = []
    retrieved = covered = 0.0
    for number, db_id in enumerate(sums.databases):
        kept = np.arange(len(sums.databases)) != number
        weights = tuned(sums, uses_questions, kept)
        f1, place = f1_of(sums, uses_questions, weights, kept)
        of_left_out = [counts[number, place] for counts in sums.of(uses_questions, weights)]
        retrieved, covered = retrieved + of_left_out[0], covered + of_left_out[1]
        own_f1 = 2 * of_left_out[1] / (of_left_out[0] + sums.required[number])
        print(
            f"  without {db_id}: {weights}, chance {CHANCES[place]:g}, F1 {f1:.4f}, on it {own_f1:.4f}",
            flush=True,
        )
        rows.append(row_of(uses_questions, db_id, weights, CHANCES[place]))
    needed = sums.required.sum()
    print(
        f"  on databases left out: F1 {2 * covered / (retrieved + needed):.4f},"
        f" precision {covered / retrieved:.4f}, recall {covered / needed:.4f}"
    )
    everything = np.ones(len(sums.databases), dtype=bool)
    weights = tuned(sums, uses_questions, everything)
    f1, place = f1_of(sums, uses_questions, weights, everything)
    print(f"  tuned on all: {weights}, chance {CHANCES[place]:g}, F1 {f1:.4f}")
    return [row_of(uses_questions, "", weights, CHANCES[place]), *rows], weights


def show_worth(sums: Sums, uses_questions: bool, weights: Weights) -> None:
    """F1 without each ingredient, each time with the chance that serves best."""
    everything = np.ones(len(sums.databases), dtype=bool)
    without = {
        "as tuned": weights,
        "one voter": replace(weights, n_voters=1),
        "votes of equal weight": replace(weights, sharpness=0),
        "all scripts vote": replace(weights, n_voters=1_000_000),
        "no agreement": replace(weights, agreement_weight=0),
        "no generic discount": replace(weights, generic_discount=0),
        "neither of the two": replace(weights, agreement_weight=0, generic_discount=0),
    }
    names = ("questions", "masked questions", "descriptions", "masked descriptions")
    for number, name in enumerate(names):
        mix = [0 if each == number else share for each, share in enumerate(weights.mix)]
        if 0 < sum(mix) < sum(weights.mix):
            without[f"no {name}"] = replace(weights, mix=tuple(mix))  # type: ignore[arg-type]
    for name, changed in without.items():
        f1, place = f1_of(sums, uses_questions, changed, everything)
        print(f"  {name}: F1 {f1:.4f} at chance {CHANCES[place]:g}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("home", type=Path)
    parser.add_argument("task_set")
    parser.add_argument("--write", type=Path, help="where the seed is written")
    options = parser.parse_args(arguments)
    sums = Sums(Home(options.home).warehouse, options.task_set)
    rows: list[list[object]] = []
    for uses_questions in (True, False):
        print("with the history's questions" if uses_questions else "without them", flush=True)
        found, weights = tune(sums, uses_questions)
        show_worth(sums, uses_questions, weights)
        rows += found
    if options.write:
        with options.write.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
