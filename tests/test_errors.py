"""Words of messages."""

from __future__ import annotations

import pytest

from glue.errors import counted


@pytest.mark.parametrize(
    ("n", "plural", "said"),
    [
        (0, "waves", "0 waves"),
        (1, "waves", "1 wave"),
        (1, "databases", "1 database"),
        (1, "history_queries", "1 history_query"),
        (2, "history_queries", "2 history_queries"),
        (1200, "questions", "1,200 questions"),
    ],
)
def test_one_is_singular(n: int, plural: str, said: str) -> None:
    assert counted(n, plural) == said
