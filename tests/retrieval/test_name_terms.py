"""Terms of names: the SQL macro against an independent reading of the same rule, letter by letter."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

MACRO = Path(__file__).resolve().parents[2] / "macros" / "name_terms.sql"


@cache
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@cache
def statement() -> str:
    """The macro's SQL over a parameter."""
    body = re.search(r"%\}\s*(.*?)\s*\{%-? endmacro", MACRO.read_text(), re.DOTALL)
    assert body is not None
    return f"select {body[1].replace('{{ text }}', '?::varchar')}"


def terms(text: str) -> list[str]:
    """What the macro gives."""
    (row,) = connection().execute(statement(), [text]).fetchall()
    found: list[str] = row[0]
    return found


def _kind(letter: str) -> str:
    category = unicodedata.category(letter)
    if "㐀" <= letter <= "鿿":
        return "chinese"
    return {"L": "letter", "M": "letter", "N": "number"}.get(category[0], "other")


def read_terms(text: str) -> list[str]:
    """The rule of docs/retrieval.md, one character after the other."""
    found: list[str] = []
    for place, letter in enumerate(text):
        kind = _kind(letter)
        if kind == "other":
            continue
        before = text[place - 1] if place else ""
        is_new = not before or _kind(before) != kind or kind == "chinese" or _opens_word(text, place)
        if is_new:
            found.append("")
        found[-1] += letter
    return [word.lower() for word in found]


def _opens_word(text: str, place: int) -> bool:
    """A capital after a small letter opens a word; so does one between a capital and a small letter."""

    def case(where: int) -> str:
        return unicodedata.category(text[where]) if 0 <= where < len(text) else ""

    if case(place) != "Lu":
        return False
    return case(place - 1) == "Ll" or (case(place - 1) == "Lu" and case(place + 1) == "Ll")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("satScores2_x", ["sat", "scores", "2", "x"]),
        ("CDSCode", ["cds", "code"]),
        ("HTTPServerURL", ["http", "server", "url"]),
        ("A11", ["a", "11"]),
        ("FirstA2B", ["first", "a", "2", "b"]),
        ("T-BIL", ["t", "bil"]),
        ("% Eligible FRPM (K-12)", ["eligible", "frpm", "k", "12"]),
        ("客户ID", ["客", "户", "id"]),
        ("Größe_mÄrz", ["größe", "m", "ärz"]),
        ("ünïcode", ["ünïcode"]),
        ("  ", []),
        ("_", []),
    ],
)
def test_names_are_split_on_case_underscores_and_digits(name: str, expected: list[str]) -> None:
    assert terms(name) == expected
    assert read_terms(name) == expected


_LETTERS = st.sampled_from([*"abcxyzABCXYZ019_ -%.", *"äÄßéÉñçØ", *"客户名称", "٣", "²", "\u0301", "ǅ", "ʰ"])


@settings(max_examples=400)
@given(st.text(_LETTERS, max_size=24))
def test_any_name_is_split_by_the_same_rule(name: str) -> None:
    assert terms(name) == read_terms(name)


@settings(max_examples=200)
@given(st.text(_LETTERS, max_size=16), st.text(_LETTERS, max_size=16))
def test_terms_of_two_names_are_the_terms_of_each(first: str, second: str) -> None:
    """A document is read as its names are read alone, whatever stands between them."""
    assert terms(f"{first}, {second}") == terms(first) + terms(second)
