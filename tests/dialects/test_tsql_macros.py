"""SQL Server's functions as macros: what they answer by themselves, how they refuse, and the clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

import duckdb
import pytest

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql import error_of
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_formats import moment_text, number_text
from glue.dialects.tsql_macros import install
from glue.dialects.tsql_patterns import like_expression, search_expression
from glue.dialects.tsql_sorting import in_code_page, place_of
from glue.dialects.tsql_soundex import difference, soundex

NOW = datetime(2024, 3, 15, 10, 30)


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        install(connection, NOW)
        yield connection


def answer(session: duckdb.DuckDBPyConnection, call: str) -> object:
    row = session.execute(f"select {call}").fetchone()
    assert row is not None
    return row[0]


ANSWERS: list[tuple[str, object]] = [
    ("tsql_whole(' +12 ', -99, 99, '245', '248', false)", 12),
    ("tsql_whole('', -99, 99, '245', '248', false)", 0),
    ("tsql_whole('1x', -99, 99, '245', '248', true)", None),
    ("tsql_whole(null, -99, 99, '245', '248', false)", None),
    ("tsql_bit('TRUE ', false)", 1),
    ("tsql_bit('-3', false)", 1),
    ("tsql_digits('12.', false)", "12."),
    ("tsql_money('-$1,234.5', false)", "-1234.5"),
    ("tsql_float(' 1e3', false)", "1e3"),
    ("tsql_float_text(1234567.89::double)", "1.23457e+006"),
    ("tsql_float_text(0.1::double + 0.2)", "0.3"),
    ("tsql_money_grouped(-1234.567::decimal(19, 4))", "-1,234.57"),
    ("tsql_fitting('123', 2, '', false)", "*"),
    ("tsql_quotient(1::double, 4::double)", 0.25),
    ("tsql_money_quotient(20::decimal(19, 4), 3::decimal(19, 4))", Decimal("6.6666")),
    ("tsql_charindex_from('b', 'abcabc', 3)", 5),
    ("tsql_charindex_from('b', 'abc', -9)", 2),
    ("tsql_substring('abcdef', -1, 4)", "ab"),
    ("tsql_stuff('abc', 2, 1, null)", "ac"),
    ("tsql_stuff('abc', 4, 1, 'x')", None),
    ("tsql_replace('a.B.b', 'B', '$1\\')", "a.$1\\.$1\\"),
    ("tsql_replace('abc', '', 'x')", "abc"),
    ("tsql_units('a😀')", 3),
    ("tsql_isnumeric('$')", 1),
    ("tsql_isnumeric('1-')", 0),
    ("tsql_weeks(date '2024-03-16', date '2024-03-17')", 1),
    ("tsql_weeks(date '1890-01-04', date '1890-01-05')", 1),
    ("tsql_eomonth(timestamp '2024-01-31', 1)", datetime(2024, 2, 29).date()),
    ("tsql_date_of_parts(2024, null, 1)", None),
    ("tsql_to_ticks(timestamp '2024-01-01 00:00:00.0015', false)", datetime(2024, 1, 1)),
    ("tsql_to_ticks(timestamp '2024-01-01 23:59:59.999', false)", datetime(2024, 1, 2)),
    ("tsql_moment_of_days(-1.5::double, false)", datetime(1899, 12, 30, 12)),
    ("tsql_days(timestamp '1900-01-02 12:00')", 1.5),
    (
        "tsql_bucket(timestamp '1899-12-31 12:00', timestamp '1900-01-01', 172800000000)",
        datetime(1899, 12, 30),
    ),
    ("tsql_month_bucket(timestamp '1899-12-31', 5)", datetime(1899, 8, 1)),
    ("tsql_str(-1234.56, 7, 3)", "-1234.6"),
    ("tsql_now()", NOW),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_answers(session: duckdb.DuckDBPyConnection, call: str, expected: object) -> None:
    assert answer(session, call) == expected


REFUSED: list[tuple[str, str]] = [
    ("tsql_whole('1x', -99, 99, '245', '248', false)", "245"),
    ("tsql_whole('100', -99, 99, '245', '248', false)", "248"),
    ("tsql_bit('yes', false)", "245"),
    ("tsql_digits('', false)", "8114"),
    ("tsql_money('x', false)", "235"),
    ("tsql_unique('x', false)", "8169"),
    ("tsql_narrow(300, 0, 255, '220', false)", "220"),
    ("tsql_fitting('123', 2, '8115', false)", "8115"),
    ("tsql_quotient(1::double, 0::double)", "8134"),
    ("tsql_finite(1e308::double * 10)", "8115"),
    ("tsql_sqrt(-1::double)", "3623"),
    ("tsql_log(0::double)", "3623"),
    ("tsql_length(-1, '537')", "537"),
    ("tsql_date_of_parts(2023, 2, 29)", "289"),
    ("tsql_moment('abc', 'date', 0, false)", "241"),
    ("tsql_moment('2024-02-30', 'datetime', 0, false)", "242"),
    ("tsql_row_count(-1, 0, '1014')", "1014"),
    ("1 // 0", "8134"),
    ("2147483647::integer + 1::integer", "8115"),
    ("999::decimal(3, 0)::decimal(3, 1)", "8115"),
    ("(select unnest([1, 2]))", "512"),
]


@pytest.mark.parametrize(("call", "code"), REFUSED)
def test_refusals(session: duckdb.DuckDBPyConnection, call: str, code: str) -> None:
    with pytest.raises(duckdb.Error) as raised:
        session.execute(f"select {call}").fetchall()
    meant = error_of(str(raised.value))
    assert isinstance(meant, TSQLError)
    assert meant.code == code


def test_what_is_unsupported_says_so(session: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error) as raised:
        session.execute("select tsql_place('日')").fetchall()
    assert isinstance(error_of(str(raised.value)), UnsupportedError)


def test_other_errors_mean_nothing() -> None:
    assert error_of("Binder Error: Referenced column x not found") is None


def test_a_session_is_told_the_time_again(session: duckdb.DuckDBPyConnection) -> None:
    later = datetime(2025, 1, 1)
    install(session, later)
    assert answer(session, "tsql_now()") == later
    install(session, NOW)


def test_order_of_texts() -> None:
    """VARCHAR letter by letter, signs before digits before letters; NVARCHAR without hyphens at first."""
    varchar = ["", "/", "_x", "~", "0", "a", "a b", "a-b", "a_b", "a1", "ab", "az", "áb", "b", "e", "é", "f"]
    assert sorted(set(varchar), key=lambda text: place_of(text, False)) == varchar
    national = ["", "_x", "0", "a", "a b", "a1", "ab", "a-b", "áb", "az", "coop", "co-op", "cooper"]
    assert sorted(set(national), key=lambda text: place_of(text, True)) == national
    assert place_of("Ab ", False) == place_of("aB", False)


def test_letters_that_a_code_page_lacks() -> None:
    assert in_code_page("é€日") == "é€?"
    with pytest.raises(UnsupportedError):
        in_code_page("ā")


@pytest.mark.parametrize(
    ("pattern", "escape", "text", "is_like"),
    [
        ("a[b-d]%", None, "ACe", True),
        ("a[^b-d]", None, "ab", False),
        ("[a-f]", None, "é", True),
        ("[a-e]", None, "é", False),
        ("50!%", "!", "50%", True),
        ("[-x]", None, "-", True),
        ("a.c", None, "abc", False),
        ("abc", None, "abc  ", True),
        ("abc ", None, "abc", False),
        ("a!", "!", "a", False),
    ],
)
def test_patterns(
    session: duckdb.DuckDBPyConnection, pattern: str, escape: str | None, text: str, is_like: bool
) -> None:
    expression = like_expression(pattern, escape, False, "CI_AS")
    row = session.execute("select regexp_full_match($1, $2)", [text, expression]).fetchone()
    assert row == (is_like,)


def test_patterns_that_are_searched_for(session: duckdb.DuckDBPyConnection) -> None:
    found = [
        session.execute(
            "select tsql_patindex($1, $2)", [search_expression(pattern, "CI_AS"), text]
        ).fetchone()
        for pattern, text in (("%[0-9]%", "ab12"), ("b%", "abc"), ("%C", "abc"), ("%", "abc"))
    ]
    assert found == [(3,), (0,), (3,), (1,)]


@pytest.mark.parametrize(
    ("number", "model", "is_whole", "expected"),
    [
        ("1234567.891", "N2", False, "1,234,567.89"),
        ("-1234.5", "C", False, "($1,234.50)"),
        ("0.1234", "P1", False, "12.3 %"),
        ("42", "D5", True, "00042"),
        ("4.2", "D5", False, None),
        ("1234.5", "#,##0.00", False, "1,234.50"),
        ("1.5", "0.##", False, "1.5"),
        ("0.5", "0%", False, "50%"),
        (
            "99999999999999999999999999999999999.99",
            "N1",
            False,
            "100,000,000,000,000,000,000,000,000,000,000,000.0",
        ),
    ],
)
def test_formats_of_numbers(number: str, model: str, is_whole: bool, expected: str | None) -> None:
    assert number_text(Decimal(number), model, is_whole) == expected


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("yyyy-MM-dd", "2024-03-15"),
        ("d", "3/15/2024"),
        ("D", "Friday, March 15, 2024"),
        ("hh:mm tt", "10:30 AM"),
        ("ddd d MMM yy", "Fri 15 Mar 24"),
        ("yyyy'm'MM\\d%d", "2024m03d15"),
        ("yyyy-MM-ddTHH:mm:ss.fff", "2024-03-15T10:30:00.000"),
    ],
)
def test_formats_of_moments(model: str, expected: str) -> None:
    assert moment_text(NOW, model) == expected


def test_words_that_sound_alike() -> None:
    assert [soundex(word) for word in ("Smith", "smythe", "Jackson", "")] == ["S530", "S530", "J250", "0000"]
    assert difference("Green", "Greene") == 4
    with pytest.raises(UnsupportedError):
        soundex("Ashcraft")
