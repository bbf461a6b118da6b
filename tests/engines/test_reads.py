"""The short cut to `one_read` gives what the scan gives, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.engines import reads
from glue.engines.base import NotSQL, Refused
from glue.engines.reads import MYSQL, ORACLE, POSTGRESQL, SQL_SERVER, Lexis, one_read, scanned_read

LEXES = (POSTGRESQL, MYSQL, ORACLE, SQL_SERVER)
_CHARACTERS = list(" \n'\"`()-/*#$\\[];\0é\u0085\u00a0ab1")
PIECES = st.sampled_from(
    [*_CHARACTERS, "SELECT", "select", "\u017felect", "--", "/*", "*/", "E'", "q'[", "$$"]
)
TEXTS = st.lists(PIECES, max_size=9).map("".join)


def outcome(read: object, sql: str, lexis: Lexis) -> tuple[str, str]:
    assert callable(read)
    try:
        return "read", read(sql, lexis)
    except Refused as error:
        return "refused", error.error_class
    except NotSQL:
        return "no SQL", ""


@given(st.sampled_from(["", "SELECT ", "select"]), TEXTS, st.sampled_from(LEXES))
def test_the_short_cut_is_the_scan(opening: str, rest: str, lexis: Lexis) -> None:
    sql = opening + rest
    assert outcome(one_read, sql, lexis) == outcome(scanned_read, sql, lexis)


@pytest.mark.parametrize("sql", ["select 'a;b', (1) from t ; ", 'SELECT "x" - 1 / 2 FROM `t`'])
def test_plain_texts_take_it(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "scanned_read", lambda *_: pytest.fail("it was scanned"))
    assert one_read(sql, POSTGRESQL) == sql.rstrip("; ")


@pytest.mark.parametrize(
    "sql",
    [
        "select (1;",
        "select 1; select 2",
        "select 1 -- ;",
        "select 'it\\'s'",
        "select $1",
        "with a as (select 1)",
    ],
)
def test_others_are_scanned(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "scanned_read", lambda *_: "scanned")
    assert one_read(sql, MYSQL) == "scanned"
