"""What H2's answer to a conformance case is worth."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.h2_witness import finding
from glue.dialects.conformance import Answer, Case


@pytest.mark.parametrize(
    ("right", "answer", "found"),
    [
        ({"expected": ((1,),)}, Answer(rows=((1,),)), "same_rows"),
        ({"expected": ((1,),)}, Answer(rows=((2,),)), "other_rows"),
        ({"expected": ((1,),)}, Answer(failure="no such function"), "not_run"),
        ({"error": "ORA-00933"}, Answer(failure="syntax error"), "both_refuse"),
        ({"error": "ORA-00933"}, Answer(rows=((1,),)), "taken"),
    ],
)
def test_rows_testify_and_h2s_own_refusals_do_not(right: dict[str, Any], answer: Answer, found: str) -> None:
    case = Case("c-1", "t", (), "select 1", False, **{"expected": None, "error": None, **right})
    assert finding(case, answer) == found
