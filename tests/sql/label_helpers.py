"""What the tests of relevance labels share: a small catalog, and labels written shortly."""

from __future__ import annotations

import json

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
OUTLINE = json.dumps([{"table_key": table, "columns": columns} for table, columns in CATALOG.items()])

Labels = dict[str, str]


def read(sql: str, dialect: str = "sqlite") -> tuple[list[str], Labels]:
    """Tables, and by `table.column` the roles in alphabetical order; every name must have been resolved."""
    found = sql_labels(sql, dialect, OUTLINE)
    assert (found["parse_outcome"], found["reason"], found["detail"]) == ("parsed", None, None)
    by_column: dict[str, list[str]] = {}
    for column in found["columns"]:
        assert column["column_key"] in CATALOG[column["table_key"]]
        assert column["table_key"] in found["tables"]
        by_column.setdefault(f"{column['table_key']}.{column['column_key']}", []).append(column["role"])
    return found["tables"], {name: " ".join(sorted(each)) for name, each in by_column.items()}


def check(sql: str, expected: Labels, dialect: str = "sqlite") -> None:
    tables, columns = read(sql, dialect)
    assert columns == expected
    assert set(tables) >= {name.split(".")[0] for name in expected}
