"""The conformance cases of dialects are well-formed; in a file of its own what another hand wrote."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parents[1] / "fixtures" / "dialects"
FILES = {
    "oracle.jsonl": ("oracle", re.compile(r"ORA-\d{5}")),
    "oracle_second_hand.jsonl": ("oracle-other", re.compile(r"ORA-\d{5}")),
    "tsql.jsonl": ("tsql", re.compile(r"\d{3,5}")),
    "tsql_second_hand.jsonl": ("tsql-other", re.compile(r"\d{3,5}")),
}
WANTED = {"oracle": 300, "tsql": 120}
_FIELDS = {"id", "topic", "setup", "sql", "ordered", "why", "doc"}
_SETUP = re.compile(r"(CREATE|INSERT|UPDATE|DELETE) ", re.IGNORECASE)

_WRITE = re.compile(r"\s*(INSERT|UPDATE|DELETE|MERGE)\b", re.IGNORECASE)


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text().splitlines()]


@pytest.mark.parametrize("name", FILES)
def test_each_case_says_what_is_run_and_what_comes_of_it(name: str) -> None:
    prefix, code = FILES[name]
    for case in cases(name):
        found = set(case) - {"settings"}
        assert found in (_FIELDS | {"expected"}, _FIELDS | {"error"}), case["id"]
        assert re.fullmatch(rf"{prefix}-{case['topic']}-\d\d+", case["id"])
        assert set(case.get("settings", {})) <= {"now", "version"}, case["id"]
        assert all(_SETUP.match(statement) for statement in case["setup"]), case["id"]
        assert not _WRITE.match(case["sql"]), case["id"]
        assert isinstance(case["ordered"], bool) and case["why"] and case["doc"], case["id"]
        if "error" in case:
            assert code.fullmatch(case["error"]), case["id"]
        else:
            assert len({len(row) for row in case["expected"]}) <= 1, case["id"]
            cells = [cell for row in case["expected"] for cell in row]
            assert all(cell is None or type(cell) in (int, float, str) for cell in cells), case["id"]
            if prefix.startswith("oracle"):
                assert "" not in cells, f"{case['id']}: '' is NULL"


def test_no_case_is_written_twice() -> None:
    every = [case for name in FILES for case in cases(name)]
    assert not [key for key, n in Counter(case["id"] for case in every).items() if n > 1]
    asked = Counter(json.dumps([case["setup"], case["sql"], case.get("settings")]) for case in every)
    assert not [text for text, n in asked.items() if n > 1]


@pytest.mark.parametrize("dialect", WANTED)
def test_there_are_enough_and_a_third_are_by_another_hand(dialect: str) -> None:
    n_first, n_second = (len(cases(f"{dialect}{kind}.jsonl")) for kind in ("", "_second_hand"))
    assert n_first + n_second >= WANTED[dialect]
    assert n_second >= (n_first + n_second) / 3
