"""What the tests of relevance labels share: a small catalog, and labels written shortly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from glue.sql.labels import sql_labels

CATALOG = {
    "person": ["id", "name", "age", "city_id", "boss_id"],
    "city": ["id", "city_name", "country", "size"],
    "visit": ["person_id", "city_id", "day", "cost"],
    "ids": ["id"],
    "frpm": ["cdscode", "free meal count (k-12)", "a-b", "order", "姓名"],
    "two words": ["x y"],
    "docs": ["doc_id", "tags"],
    "bare": [],
}
Labels = dict[str, str]
"""By `table.column` the roles, in alphabetical order."""


def as_outline(catalog: Mapping[str, Sequence[str]]) -> str:
    """Tables and their columns as `sql_labels` takes them."""
    return json.dumps([{"table_key": table, "columns": columns} for table, columns in catalog.items()])


OUTLINE = as_outline(CATALOG)


def each(statements: Mapping[str, tuple[str, Labels]]) -> pytest.MarkDecorator:
    """One test for each statement (`sql`) and its labels (`expected`), by name."""
    return pytest.mark.parametrize(("sql", "expected"), statements.values(), ids=statements)


def check(sql: str, expected: Labels, dialect: str = "sqlite") -> None:
    """A statement over CATALOG has these labels, reads their tables, and every name in it was resolved."""
    found = sql_labels(sql, dialect, OUTLINE)
    assert (found["parse_outcome"], found["reason"], found["detail"]) == ("parsed", None, None)
    by_column: dict[str, list[str]] = {}
    for column in found["columns"]:
        assert column["column_key"] in CATALOG[column["table_key"]]
        assert column["table_key"] in found["tables"]
        by_column.setdefault(f"{column['table_key']}.{column['column_key']}", []).append(column["role"])
    assert {name: " ".join(sorted(roles)) for name, roles in by_column.items()} == expected
    assert set(found["tables"]) >= {name.split(".")[0] for name in expected}
