"""The suite's table: every engine has every mark, each its reason or test; docs/engines.md shows it."""

from __future__ import annotations

import ast
import csv
import importlib.util
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def rows_of(seed: str) -> list[dict[str, str]]:
    with (ROOT / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROWS = rows_of("engine_capabilities")


@cache
def found_in(path: str) -> dict[str, str]:
    """The tests of a file, each with its decorators."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: " ".join(map(ast.unparse, node.decorator_list)) for node in functions}


def test_every_engine_has_every_mark_once() -> None:
    engines = {row["engine"] for row in rows_of("engines")} - {"sqlite_union", "duckdb_union"}
    wanted = {(engine, row["capability"]) for engine in engines for row in rows_of("capabilities")}
    found = [(row["engine"], row["capability"]) for row in ROWS]
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['engine']}-{row['capability']}")
def test_a_mark_has_its_test_or_its_reason(row: dict[str, str]) -> None:
    assert row["reason"] or row["mark"] == "implemented"
    assert row["shown_by"] or row["mark"] in ("notyet", "never")
    if row["shown_by"]:
        path, _, name = row["shown_by"].partition("::")
        assert name.startswith("test_") and name in found_in(path), row["shown_by"]
        assert "skip" not in found_in(path)[name]


@pytest.mark.parametrize("engine", ["mysql", "oracle", "sqlserver"])
def test_nothing_ran_on_servers_that_cannot_be_had(engine: str) -> None:
    assert not [row for row in ROWS if row["engine"] == engine and row["mark"] == "implemented"]


def test_the_page_of_engines_shows_the_table() -> None:
    spec = importlib.util.spec_from_file_location("write_engines", ROOT / "docs" / "write_engines.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    assert page == module.text(), "run python docs/write_engines.py"
    assert page.count("| real |") + page.count("| stand-in |") > 20
