"""The queries over Oracle's sample schemas are well-formed: thirty, over HR and CO, with small answers."""

from __future__ import annotations

import re

from tests.dialects.test_conformance_cases import cases

FIELDS = {"id", "topic", "sql", "ordered", "expected", "why", "checked_by"}
MOST_ROWS = 20
_SCHEMA = re.compile(r"(hr|co)-\d\d")


def test_there_are_thirty_over_both_schemas() -> None:
    ids = [query["id"] for query in cases("oracle_samples.jsonl")]
    assert len(ids) == len(set(ids)) == 30
    assert {found[1] for name in ids if (found := _SCHEMA.fullmatch(name))} == {"hr", "co"}


def test_each_says_what_comes_of_it_and_how_that_is_known() -> None:
    for query in cases("oracle_samples.jsonl"):
        assert set(query) == FIELDS, query["id"]
        assert isinstance(query["ordered"], bool) and query["why"] and query["checked_by"], query["id"]
        assert re.match("SELECT|WITH", query["sql"]) and not query["sql"].endswith(";"), query["id"]
        assert 0 < len(query["expected"]) <= MOST_ROWS, query["id"]
        assert len({len(row) for row in query["expected"]}) == 1, query["id"]
        cells = [cell for row in query["expected"] for cell in row]
        assert all(cell is None or type(cell) in (int, float, str) for cell in cells), query["id"]
        assert "" not in cells, f"{query['id']}: '' is NULL"
