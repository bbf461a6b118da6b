"""How long do the intervals take in SQL, against scipy and plain numpy on the same cells?

    python -m benchmarks.statistics ../shared/data/bird
    python -m benchmarks.statistics ../shared/data/bird --home published

Imports and executes the 42 published prediction sets (unless `--home` already holds them), builds the
statistics models from nothing, and takes their time from dbt's run results. A cell is one ratio over one
slice with an interval of its own: one set, protocol and metric on all questions, a database, a difficulty or
a hardness, or one contrast of two sets; equal cells count once. The alternatives compute the same cells with
as many replicates in the same run:

* scipy.stats.bootstrap(method="percentile"), numerators and denominators paired, on a random sample of the
  cells, scaled up to all of them by the number of questions;
* numpy by indexes, the plain way: draws once for a benchmark, then per cell numerators[draws].sum() over
  denominators[draws].sum() and np.percentile, on the same sample, scaled up in the same way;
* numpy by weights: counts of the draws once, then per cell two products of a matrix with a vector;
* numpy by weights, all cells of a slice in one matrix product, which few would write.

The alternatives get their cells ready-made: SQL's resampling (draws, ratios, intervals) is shown apart from
what makes the cells and tests the contrasts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt

from benchmarks.published_sets import import_benchmarks, import_sets, published_sets
from glue.build import project_directory, refresh
from glue.home import Home
from glue.progress import Silent
from glue.run import ExecuteOptions, execute_pending

Floats = npt.NDArray[np.float64]
N_REPLICATES = 10_000

CELLS = """
    select ratios.benchmark, ratios.unit, ratios.slice_id, numbers, numerators, denominators
    from bootstrap_ratios as ratios
    inner join (
        select distinct question_slice_id as slice_id, question_numbers as numbers from slice_positions
        union
        select distinct database_slice_id, database_numbers from slice_positions
    ) as slices using (slice_id)
    order by ratio_id
"""
RESAMPLING = ("bootstrap_weights", "bootstrap_ratios", "bootstrap_intervals")
SIZES = "select distinct benchmark, unit, n_units from bootstrap_weights"


class Cell(NamedTuple):
    """One ratio: `numbers` are the 1-based units of its slice, the others its values on them."""

    population: tuple[str, str]
    slice_id: str
    numbers: npt.NDArray[np.int64]
    numerators: Floats
    denominators: Floats


def main() -> int:
    """Run the comparison; 1 when SQL is not 5 times as fast as scipy or slower than 1.5 times plain numpy."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bird", type=Path, help="folder with BIRD's files and predictions")
    parser.add_argument("--home", type=Path, help="keep the warehouse here, and use it if it is there")
    parser.add_argument("--limit", type=float, default=5, help="seconds a statement may take (default 5)")
    parser.add_argument("--sample", type=int, default=40, help="cells for scipy and indexes (default 40)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evalhouse-") as folder:
        home = Home(arguments.home or Path(folder))
        if not home.warehouse.exists():
            prepare(home, arguments.bird, arguments.limit)
        return compare(home, arguments.sample)


def prepare(home: Home, bird: Path, limit_s: float) -> None:
    """Import, execute and build everything."""
    home.root.mkdir(parents=True, exist_ok=True)
    import_benchmarks(home, bird)
    import_sets(home, published_sets(bird))
    execute_pending(home, ExecuteOptions(timeout_s=limit_s), Silent())
    refresh(home)


def compare(home: Home, n_sampled: int) -> int:
    """All five ways on the same cells."""
    times = statistics_seconds(home)
    sql_s = sum(times.values())
    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        cells = [
            Cell((row[0], row[1]), row[2], np.array(row[3]), np.array(row[4]), np.array(row[5]))
            for row in warehouse.execute(CELLS).fetchall()
        ]
        sizes = {(row[0], row[1]): row[2] for row in warehouse.execute(SIZES).fetchall()}
        counts = "select (select count(*) from metric_slices), (select count(*) from contrast_pairs)"
        n_rates, n_contrasts = warehouse.execute(counts).fetchone() or (0, 0)
    print(f"{n_rates:,} rates and {n_contrasts:,} contrasts: {len(cells):,} different cells")
    for model, seconds in sorted(times.items(), key=lambda item: -item[1]):
        print(f"  {model:32} {seconds:8.2f} s")
    resampling_s = sum(times[model] for model in RESAMPLING)
    print(f"SQL, all statistics models         {sql_s:8.2f} s")
    print(f"SQL, resampling alone              {resampling_s:8.2f} s: {resampling_s / sql_s:.2f} times")

    sample = random.Random(0).sample(cells, min(n_sampled, len(cells)))
    share = sum(sizes[cell.population] for cell in sample) / sum(sizes[cell.population] for cell in cells)
    scipy_s = scipy_seconds(sample, sizes) / share
    indexes_s = numpy_by_indexes(sample, sizes) / share
    weights_s = numpy_by_weights(cells, sizes)
    matrices_s = numpy_by_matrices(cells, sizes)
    for name, seconds in (
        (f"scipy, from {len(sample)} cells", scipy_s),
        (f"numpy by indexes, from {len(sample)} cells", indexes_s),
        ("numpy by weights", weights_s),
        ("numpy by matrices", matrices_s),
    ):
        print(f"{name:34} {seconds:8.2f} s: {seconds / sql_s:.2f} times")
    return 0 if scipy_s >= 5 * sql_s and sql_s <= 1.5 * indexes_s else 1


def statistics_seconds(home: Home) -> dict[str, float]:
    """Seconds by model of a build of the statistics from nothing, as dbt counts them."""
    project = str(project_directory())
    subprocess.run(
        [
            *(sys.executable, "-W", "ignore", "-m", "dbt.cli.main", "--quiet", "run", "--full-refresh"),
            *("--select", "path:models/statistics", "--project-dir", project, "--profiles-dir", project),
            *("--target-path", str(home.target), "--log-path", str(home.target / "logs")),
        ],
        env={**os.environ, "EVALHOUSE_HOME": str(home.root), "PYTHONPATH": project},
        check=True,
    )
    results = json.loads((home.target / "run_results.json").read_text())["results"]
    return {result["unique_id"].split(".")[-1]: result["execution_time"] for result in results}


def padded(cell: Cell, n_units: int) -> tuple[Floats, Floats]:
    """Numerators and denominators over the whole benchmark, 0 outside the slice."""
    numerators, denominators = np.zeros(n_units), np.zeros(n_units)
    numerators[cell.numbers - 1] = cell.numerators
    denominators[cell.numbers - 1] = cell.denominators
    return numerators, denominators


def ratio(numerators: Floats, denominators: Floats, axis: int = -1) -> Floats:
    """Sums over sums, NaN where the denominator is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        divided: Floats = numerators.sum(axis=axis) / denominators.sum(axis=axis)
    return divided


def scipy_seconds(cells: list[Cell], sizes: dict[tuple[str, str], int]) -> float:
    """Seconds that scipy takes for these cells."""
    from scipy import stats

    started_s = time.perf_counter()
    for cell in cells:
        stats.bootstrap(
            padded(cell, sizes[cell.population]),
            ratio,
            paired=True,
            n_resamples=N_REPLICATES,
            method="percentile",
            rng=np.random.default_rng(0),
        )
    return time.perf_counter() - started_s


def draws_of(n_units: int) -> npt.NDArray[np.int64]:
    """Indexes drawn with replacement, one row per replicate."""
    return np.random.default_rng(0).integers(0, n_units, (N_REPLICATES, n_units))


def weights_of(n_units: int) -> Floats:
    """How often each unit was drawn, one row per replicate."""
    draws = draws_of(n_units) + np.arange(N_REPLICATES)[:, None] * n_units
    counts = np.bincount(draws.ravel(), minlength=N_REPLICATES * n_units)
    return counts.reshape(N_REPLICATES, n_units).astype(float)


def numpy_by_indexes(cells: list[Cell], sizes: dict[tuple[str, str], int]) -> float:
    """Seconds to take the drawn values of these cells and sum them."""
    started_s = time.perf_counter()
    draws = {population: draws_of(n_units) for population, n_units in sizes.items()}
    for cell in cells:
        numerators, denominators = padded(cell, sizes[cell.population])
        drawn = draws[cell.population]
        np.nanpercentile(ratio(numerators[drawn], denominators[drawn]), [2.5, 97.5])
    return time.perf_counter() - started_s


def by_slice(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Cells of each slice."""
    found: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        found[cell.slice_id].append(cell)
    return found


def numpy_by_weights(cells: list[Cell], sizes: dict[tuple[str, str], int]) -> float:
    """Seconds to multiply the weights of its slice with each cell's vectors."""
    started_s = time.perf_counter()
    weights = {population: weights_of(n_units) for population, n_units in sizes.items()}
    for members in by_slice(cells).values():
        inside = weights[members[0].population][:, members[0].numbers - 1]
        for cell in members:
            with np.errstate(invalid="ignore", divide="ignore"):
                values = (inside @ cell.numerators) / (inside @ cell.denominators)
            np.nanpercentile(values, [2.5, 97.5])
    return time.perf_counter() - started_s


def numpy_by_matrices(cells: list[Cell], sizes: dict[tuple[str, str], int]) -> float:
    """Seconds to multiply the weights of a slice with all of its cells' vectors at once."""
    started_s = time.perf_counter()
    weights = {population: weights_of(n_units) for population, n_units in sizes.items()}
    for members in by_slice(cells).values():
        inside = weights[members[0].population][:, members[0].numbers - 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            values = (inside @ np.array([cell.numerators for cell in members]).T) / (
                inside @ np.array([cell.denominators for cell in members]).T
            )
        np.nanpercentile(values, [2.5, 97.5], axis=0)
    return time.perf_counter() - started_s


if __name__ == "__main__":
    sys.exit(main())
