"""Oracle's regular expressions: the rules of the SQL Language Reference on values of our own."""

from __future__ import annotations

import re

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_patterns import Flags, pattern_of
from tests.dialects.macro_helpers import refusal

LINES = "'first' || chr(10) || 'second'"

CALLS = [
    # The condition, and what its match parameter says; the last of i and c counts.
    ("ora_regexp_like('Katherine', '^(C|K)ath?[ea]rine$')", True),
    ("ora_regexp_like('katherine', '^K')", False),
    ("ora_regexp_like('katherine', '^K', 'i')", True),
    ("ora_regexp_like('katherine', '^K', 'ic')", False),
    ("ora_regexp_like('katherine', '^K', 'ci')", True),
    ("ora_regexp_like('ÉTÉ', 'été', 'i')", True),
    (f"ora_regexp_like({LINES}, 't.s')", False),
    (f"ora_regexp_like({LINES}, 't.s', 'n')", True),
    (f"ora_regexp_like({LINES}, '^second$')", False),
    (f"ora_regexp_like({LINES}, '^second$', 'm')", True),
    (f"ora_regexp_like({LINES}, '^first$', 'm')", True),
    (f"ora_regexp_like({LINES}, '\\Asecond', 'm')", False),
    ("ora_regexp_like('abc' || chr(10), 'c$')", False),
    ("ora_regexp_like('abc' || chr(10), 'c\\z')", False),
    ("ora_regexp_like('abc', 'c\\z')", True),
    ("ora_regexp_like('abc', 'a b c', 'x')", True),
    ("ora_regexp_like('abc', 'a[ ]b', 'x')", False),
    ("ora_regexp_like('abc', '', 'x')", None),
    ("ora_regexp_like('', 'a')", None),
    ("ora_regexp_like('abc', 'b', null)", True),
    # Brackets: a bracket first, a hyphen last, a backslash for itself, classes of letters anywhere.
    ("ora_regexp_like('a]b', '[]]')", True),
    ("ora_regexp_like('ab', '[^]ab]')", False),
    ("ora_regexp_like('-', '^[+-]$')", True),
    ("ora_regexp_like('5', '^[+--]$')", False),
    ("ora_regexp_like(',', '^[+--]$')", True),
    ("ora_regexp_like('\\', '^[\\.]$')", True),
    ("ora_regexp_like('x', '[\\.]')", False),
    ("ora_regexp_like('表', '^[[:alpha:]]$')", True),
    ("ora_regexp_like('é_', '^\\w\\w$')", True),
    ("ora_regexp_like('é', '^\\W$')", False),
    ("ora_regexp_like('a.b', '^a\\.b$')", True),
    ("ora_regexp_like('a&b_~', 'a&b_~')", True),
    ("ora_regexp_like('x', '[[.x.]]')", True),
    ("ora_regexp_like('aaa', '^a{2}$')", False),
    ("ora_regexp_like('aaa', '^a{2,}$')", True),
    ("ora_regexp_like('aaa', '^a{1,2}$')", False),
    # COUNT: one match does not begin within another.
    ("ora_regexp_count('banana', 'an')", 2),
    ("ora_regexp_count('banana', 'ana')", 1),
    ("ora_regexp_count('banana', 'AN', 3, 'i')", 1),
    ("ora_regexp_count('banana', 'x')", 0),
    ("ora_regexp_count('banana', 'a', 99)", 0),
    ("ora_regexp_count('', 'a')", None),
    ("ora_regexp_count('banana', '')", None),
    # SUBSTR: a match or one of its subexpressions.
    ("ora_regexp_substr('tel 030-1234 or 040-777', '[0-9]+-[0-9]+')", "030-1234"),
    ("ora_regexp_substr('tel 030-1234 or 040-777', '[0-9]+-[0-9]+', 1, 2)", "040-777"),
    ("ora_regexp_substr('tel 030-1234 or 040-777', '[0-9]+-[0-9]+', 6)", "30-1234"),
    ("ora_regexp_substr('tel 030-1234', '([0-9]+)-([0-9]+)', 1, 1, null, 2)", "1234"),
    ("ora_regexp_substr('tel 030-1234', '([0-9]+)-([0-9]+)', 1, 1, null, 3)", None),
    ("ora_regexp_substr('tel 030-1234', '(x)?[0-9]+', 1, 1, null, 1)", None),
    ("ora_regexp_substr('tel', '[0-9]')", None),
    ("ora_regexp_substr('<a><b>', '<.+?>')", "<a>"),
    ("ora_regexp_substr('<a><b>', '<.+>')", "<a><b>"),
    ("ora_regexp_substr('id: x7 or y8', '(x|y)([0-9])', 1, 2, null, 2)", "8"),
    ("ora_regexp_substr('first cat', '(cat|dog|bird)')", "cat"),
    ("ora_regexp_substr('k=v;;x', '([^;]*)(;|$)', 1, 2, null, 1)", None),
    ("ora_regexp_substr('k=v;;x', '([^;]*)(;|$)', 1, 3, null, 1)", "x"),
    ("ora_regexp_substr('k=v;;x', '([^;]*)(;|$)', 1, 4, null, 1)", None),
    ("ora_regexp_substr('abc', 'b', 9)", None),
    ("ora_regexp_substr('abc', 'b', null)", None),
    # INSTR: the place of a match, or of what follows.
    ("ora_regexp_instr('ship to 12 Elm', '[0-9]+')", 9),
    ("ora_regexp_instr('ship to 12 Elm', '[0-9]+', 1, 1, 1)", 11),
    ("ora_regexp_instr('ship to 12 Elm', '([0-9]+) (e)', 1, 1, 0, 'i', 2)", 12),
    ("ora_regexp_instr('ship to 12 Elm', '[a-z]+', 1, 3, 0)", 13),
    ("ora_regexp_instr('ship', '[0-9]')", 0),
    ("ora_regexp_instr('ship', '(x)?s', 1, 1, 0, null, 1)", 0),
    ("ora_regexp_instr('', '[0-9]')", None),
    # REPLACE: all matches or one, subexpressions by their numbers.
    ("ora_regexp_replace('a1b22', '[0-9]+')", "ab"),
    ("ora_regexp_replace('a1b22', '[0-9]+', '#')", "a#b#"),
    ("ora_regexp_replace('a1b22', '[0-9]+', '#', 3)", "a1b#"),
    ("ora_regexp_replace('a1b22', '[0-9]+', '#', 1, 2)", "a1b#"),
    ("ora_regexp_replace('a1b22', '[0-9]+', '#', 1, 3)", "a1b22"),
    ("ora_regexp_replace('Doe, Jane', '(\\w+), (\\w+)', '\\2 \\1')", "Jane Doe"),
    ("ora_regexp_replace('a.b', '\\.', '\\\\')", "a\\b"),
    ("ora_regexp_replace('ab', '(x)?b', '[\\1]')", "a[]"),
    ("ora_regexp_replace('ABC', 'b', 'x', 1, 0, 'i')", "AxC"),
    ("ora_regexp_replace('12', '[0-9]')", None),
    ("ora_regexp_replace('ab', 'x*', '-')", "-a-b-"),
    ("ora_regexp_replace('', 'a', 'b')", None),
]
REFUSED = [
    ("ora_regexp_like('abc', '(ab')", "ORA-12725"),
    ("ora_regexp_like('abc', 'ab)')", "ORA-12725"),
    ("ora_regexp_like('abc', '[ab')", "ORA-12726"),
    ("ora_regexp_like('abc', '[')", "ORA-12726"),
    ("ora_regexp_like('abc', 'a\\1')", "ORA-12727"),
    ("ora_regexp_like('abc', '[b-a]')", "ORA-12728"),
    ("ora_regexp_like('abc', '[[:letters:]]')", "ORA-12729"),
    ("ora_regexp_like('abc', 'a{3,2}')", "ORA-12732"),
    ("ora_regexp_like('abc', repeat('a', 513))", "ORA-12733"),
    ("ora_regexp_like('abc', 'a', 'q')", "ORA-01760"),
    ("ora_regexp_count('abc', 'a', 0)", "ORA-01428"),
    ("ora_regexp_substr('abc', 'a', -1)", "ORA-01428"),
    ("ora_regexp_substr('abc', 'a', 1, 0)", "ORA-01428"),
    ("ora_regexp_substr('abc', 'a', 1, 1, null, -1)", "ORA-01428"),
    ("ora_regexp_instr('abc', 'a', 1, 1, 2)", "ORA-01428"),
    ("ora_regexp_replace('abc', 'a', 'b', 1, -1)", "ORA-01428"),
]
UNSUPPORTED = [
    "ora_regexp_like('abab', '(ab)\\1')",
    "ora_regexp_like('abc', '(?:ab)c')",
    "ora_regexp_like('abc', '\\bb')",
    "ora_regexp_like('abc', 'c\\Z')",
    "ora_regexp_like('abc', '*a')",
    "ora_regexp_like('abc', 'a**')",
    "ora_regexp_like('abc', '^*')",
    "ora_regexp_like('abc', 'a{b')",
    "ora_regexp_like('abc', 'a{1001}')",
    "ora_regexp_like('abc', 'a|')",
    "ora_regexp_like('abc', '()')",
    "ora_regexp_like('abc', '[\\d]')",
    "ora_regexp_like('abc', '[a\\]]')",
    "ora_regexp_like('abc', '[[=a=]]')",
    "ora_regexp_like('abc', 'c\\')",
    "ora_regexp_instr('abc', '^b', 2)",
    "ora_regexp_count('a,b', '[^,]*')",
    "ora_regexp_substr('catalog', 'cat|catalog')",
    "ora_regexp_substr('catalog', '(catalog|cat)(alog)?', 1, 1, null, 2)",
    "ora_regexp_replace('x ab', '(a|ab)', '#')",
    "ora_regexp_replace('abc', 'b', '\\1')",
    "ora_regexp_replace('abc', 'b', '\\n')",
    "ora_regexp_replace('abc', '', 'x')",
]


@pytest.mark.parametrize(("call", "expected"), CALLS)
def test_an_expression_matches_as_the_manual_says(
    session: duckdb.DuckDBPyConnection, call: str, expected: object
) -> None:
    assert session.execute(f"select {call}").fetchall() == [(expected,)]


@pytest.mark.parametrize(("call", "code"), REFUSED)
def test_a_refusal_keeps_oracles_code(session: duckdb.DuckDBPyConnection, call: str, code: str) -> None:
    error = refusal(session, call)
    assert isinstance(error, OracleError)
    assert error.code == code


@pytest.mark.parametrize("call", UNSUPPORTED)
def test_what_may_mean_something_else_in_oracle_is_unsupported(
    session: duckdb.DuckDBPyConnection, call: str
) -> None:
    assert isinstance(refusal(session, call), UnsupportedError)


PIECES = [
    "a",
    "b",
    "[ab]",
    "[^a]",
    "[[:alpha:]]",
    "[[:space:]-]",
    ".",
    "\\d",
    "\\w",
    "\\S",
    "(ab|b)",
    "^",
    "$",
    "\\.",
]
PATTERNS = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from(["", "*", "+", "?", "{2}", "*?"])),
    min_size=1,
    max_size=5,
)


@given(
    pieces=PATTERNS,
    text=st.text("ab1 .é表\n-", min_size=1, max_size=8),
    flags=st.builds(Flags, st.booleans(), st.booleans(), st.booleans(), st.booleans()),
)
def test_re2_and_python_find_alike(
    session: duckdb.DuckDBPyConnection, pieces: list[tuple[str, str]], text: str, flags: Flags
) -> None:
    pattern = "".join(piece + ("" if piece in "^$" else count) for piece, count in pieces)
    row = session.execute(
        "select regexp_extract(?, ?)", [text, pattern_of(pattern, flags, is_re2=True).text]
    ).fetchone()
    found = re.search(pattern_of(pattern, flags, is_re2=False).text, text)
    assert row == (found[0] if found else "",)
