"""What models know of the checker is what the checker knows."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from glue.divergence import changes, check, pair_check, values
from glue.divergence.assumptions import assumption_classes, is_alarm, rank
from glue.divergence.outcome import VERSION

ROOT = Path(__file__).resolve().parents[2]


def rows_of(seed: str) -> list[dict[str, str]]:
    with (ROOT / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_seed_has_every_assumption_as_the_checker_has_it() -> None:
    seeded = {row["assumption"]: row["is_alarm"] == "true" for row in rows_of("divergence_assumptions")}
    assert seeded == {name: is_alarm([name]) for name in assumption_classes()}


def test_every_regularity_has_a_class() -> None:
    found = set()
    for path in (ROOT / "glue" / "divergence").glob("regular*.py"):
        found |= set(re.findall(r'(?:Regularity|each|yield)\(?\s*"(\w+)"', path.read_text()))
    assert found - {"is"} <= set(assumption_classes())


def test_the_seed_has_every_kind_of_change() -> None:
    text = "".join(Path(module.__file__).read_text() for module in (changes, values, pair_check))
    words = set(re.findall(r'"(\w+)"', text))
    kinds = {row["kind"] for row in rows_of("divergence_kinds_of_change")}
    assert kinds <= words
    assert check.DEFAULT_INSTANCES > 0


def test_models_count_the_present_version() -> None:
    variables = yaml.safe_load((ROOT / "dbt_project.yml").read_text())["vars"]
    assert variables["divergence_checker_version"] == VERSION


def test_what_breaks_nothing_comes_first() -> None:
    assert rank([]) < rank(["within_range"]) < rank(["never_null"])
    assert rank(["dependency", "closed_set"]) < rank(["unique_keys"])
