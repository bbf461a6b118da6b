"""The published prediction sets of BIRD that lie beside the checkout, and how each is imported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.common import land
from glue.importers.landed import landed_benchmark
from glue.importers.prediction_files import FileOptions
from glue.importers.predictions import PredictionOptions, read_predictions

DEV, MINI_DEV = "bird_dev", "bird_mini_dev"


class PublishedSet(NamedTuple):
    """One file of predictions, the benchmark it answers and the options it needs."""

    name: str
    path: Path
    benchmark: str
    options: PredictionOptions


def import_benchmarks(home: Home, bird: Path) -> None:
    """BIRD dev and mini-dev, with the databases at hand."""
    databases = bird / "databases"
    tables = bird / "meta" / "dev_tables.json"
    land(home, read_bird(DEV, bird / "meta" / "dev.json", tables, databases))
    land(home, read_bird(MINI_DEV, bird / "mini_dev" / "mini_dev_sqlite.json", tables, databases))


def published_sets(bird: Path) -> Iterator[PublishedSet]:
    """The 42 sets for SQLite: 29 over dev, 13 over mini-dev."""
    predictions = bird / "predictions"
    for path in sorted((predictions / "sqlexam_dev").glob("*.json")):
        # Their golds differ from dev.json's in 41 rows, three of their questions in a word.
        options = PredictionOptions(ignore_gold=True, ignore_question=True)
        yield PublishedSet(f"sqlexam/{path.stem.removesuffix('-result')}", path, DEV, options)
    for path in sorted((predictions / "original_repos").iterdir()):
        yield PublishedSet(f"original/{path.stem}", path, DEV, PredictionOptions())
    for path in sorted((predictions / "bird_climb").glob("*_detailed.json")):
        if path.stem != "test_10_detailed":
            options = PredictionOptions(ignore_gold=True, ignore_question=True)
            yield PublishedSet(f"climb/{path.stem.removesuffix('_detailed')}", path, DEV, options)
    for path in sorted((predictions / "mini_dev_official").glob("*.json")):
        if path.stem.lower().endswith("sqlite"):
            yield PublishedSet(f"mini_dev/{path.stem}", path, MINI_DEV, PredictionOptions())


def labelled_sets(bird: Path) -> Iterator[PublishedSet]:
    """The 14 sets with published labels per question: with the golds they were made with, and with dev's."""
    for path in sorted((bird / "predictions" / "sqlexam_minidev_ex").glob("*.json")):
        own_golds = PredictionOptions(
            file=FileOptions(gold_field="gold_sql"),
            gold_edition=f"labels/{path.stem}",
            is_partial=True,
            ignore_question=True,
        )
        yield PublishedSet(f"labels/{path.stem}", path, DEV, own_golds)
        dev_golds = PredictionOptions(is_partial=True, ignore_gold=True, ignore_question=True)
        yield PublishedSet(f"labels_dev_gold/{path.stem}", path, DEV, dev_golds)


def import_sets(home: Home, sets: Iterator[PublishedSet]) -> int:
    """Land the sets; how many."""
    n_sets = 0
    for published in sets:
        benchmark = landed_benchmark(home, published.benchmark)
        land(home, read_predictions(published.path, benchmark, published.name, published.options))
        n_sets += 1
    return n_sets
