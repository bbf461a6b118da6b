"""Which constructs of its dialect a SQL text uses, by the patterns of seeds/constructs.csv.

Models say the same in SQL with the macro `uses_construct`: lower case, texts and remarks emptied.
"""

from __future__ import annotations

import csv
import re
from functools import cache

_REMARKS_AND_TEXTS = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)


@cache
def construct_patterns(dialect: str) -> dict[str, re.Pattern[str]]:
    """The dialect's constructs and how each is told."""
    from glue.build import project_directory

    with (project_directory() / "seeds" / "constructs.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["dialect"] == dialect]
    return {row["construct"]: re.compile(row["pattern"]) for row in rows}


def used_constructs(sql: str, dialect: str) -> set[str]:
    """The constructs that a text uses."""
    text = plain_text(sql)
    return {name for name, pattern in construct_patterns(dialect).items() if pattern.search(text)}


def plain_text(sql: str) -> str:
    """The text in lower case, with texts in quotes and remarks emptied."""
    return _REMARKS_AND_TEXTS.sub("''", sql).lower()
