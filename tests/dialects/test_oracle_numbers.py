"""Oracle's number format models: the rules of the SQL Language Reference on values of our own."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_numbers import default_number_text, number_of, number_of_text, number_text

TEXTS = [
    # A place for the sign, leading nines as blanks, leading zeros from the first 0 on.
    ("42", "9999", "   42"),
    ("-42", "9999", "  -42"),
    ("42", "0999", " 0042"),
    ("42", "9099", "  042"),
    ("0", "9999", "    0"),
    ("0", "99.99", "   .00"),
    ("0.5", "99.99", "   .50"),
    ("-0.2", "90.99", " -0.20"),
    ("0", "90.99", "  0.00"),
    # Rounding, half away from zero; a sign that rounding does not take away.
    ("2.5", "9", " 3"),
    ("-2.5", "9", "-3"),
    ("1.005", "9.99", " 1.01"),
    ("9.995", "9.99", "#####"),
    ("-0.4", "0000", "-0000"),
    ("0.4", "9999", "    0"),
    # Too large: as many # as there are places.
    ("12345", "9999", "#####"),
    ("12345", "FM9999", "#####"),
    ("12345", "9,999.99", "#########"),
    ("12345", "$999", "#####"),
    ("12345", "999PR", "#####"),
    # Commas and group separators, decimal characters.
    ("1234567.891", "9,999,999.99", " 1,234,567.89"),
    ("1234.5", "9G999D99", " 1,234.50"),
    ("12", "9,999", "    12"),
    ("12", "0,000", " 0,012"),
    ("12345", "999,99", " 123,45"),
    # FM: neither blanks nor zeros that a 9 would write behind the point.
    ("1234.5", "FM9,999.99", "1,234.5"),
    ("123.456", "FM999.009", "123.456"),
    ("123.45", "FM999.009", "123.45"),
    ("123", "FM999.009", "123.00"),
    ("5", "FM990.99", "5."),
    ("0", "FM990.99", "0."),
    ("0", "FM999", "0"),
    ("-7", "fm999", "-7"),
    # Blanks for a whole part of zero.
    ("0", "B9999", "     "),
    ("0", "B90.99", "      "),
    ("7", "B9999", "    7"),
    ("0", "FMB9999", ""),
    # Signs.
    ("42", "S999", " +42"),
    ("-42", "S999", " -42"),
    ("42", "999S", " 42+"),
    ("-42", "999s", " 42-"),
    ("42", "999MI", " 42 "),
    ("-42", "999MI", " 42-"),
    ("42", "FM999MI", "42"),
    ("42", "999PR", "  42 "),
    ("-42", "999PR", " <42>"),
    ("42", "FM999PR", "42"),
    ("-42", "fm999pr", "<42>"),
    # Currencies: the dollar sign takes one place, L and U ten, C seven.
    ("1234.5", "$9,999.99", " $1,234.50"),
    ("12", "$9,999", "    $12"),
    ("12", "999$", "  $12"),
    ("-5", "$99.9", " -$5.0"),
    ("123.45", "L999.99", "          $123.45"),
    ("-123.45", "L999.99", "         -$123.45"),
    ("123.45", "FML999.99", "$123.45"),
    ("12", "U99", "          $12"),
    ("123.45", "C999.99", "     USD123.45"),
    ("12", "99C", "     12USD"),
    ("23.5", "FM99L99", "23$5"),
    # Powers of ten.
    ("123.456", "9.9EEEE", "  1.2E+02"),
    ("1E+123", "9.9EEEE", " 1.0E+123"),
    ("0.00123", "9.99EEEE", "  1.23E-03"),
    ("-9.96", "9.9EEEE", " -1.0E+01"),
    ("123.456", "FM999.9eeee", "1.2E+02"),
    ("0", "9.9EEEE", "   .0E+00"),
    ("5", "S9EEEE", " +5E+00"),
    # V multiplies.
    ("12.345", "99V9", " 123"),
    ("1.25", "9V9", " 13"),
    ("123", "999V99", " 12300"),
    # Hexadecimal, Roman, and the least text.
    ("255", "XXXX", "   FF"),
    ("255", "xxxx", "   ff"),
    ("255", "0xxx", " 00ff"),
    ("255", "FMXXXX", "FF"),
    ("254.5", "XX", " FF"),
    ("256", "XX", "###"),
    ("-1", "XX", "###"),
    ("0", "X", " 0"),
    ("2024", "RN", "         MMXXIV"),
    ("2024", "rn", "         mmxxiv"),
    ("3888", "RN", "MMMDCCCLXXXVIII"),
    ("4", "FMRN", "IV"),
    ("0", "RN", "#" * 15),
    ("4000", "RN", "#" * 15),
    ("1234.50", "TM", "1234.5"),
    ("-0.5", "TM9", "-.5"),
    ("1E+63", "TM", "1" + "0" * 63),
    ("1E+64", "tm9", "1E+64"),
    ("1230", "TME", "1.23E+03"),
    ("0.00045", "tme", "4.5E-04"),
]

MODELS_REFUSED = [
    "",
    "FM",
    "999q",
    "9 9",
    ",999",
    "9.9.9",
    "9D9.9",
    "9,9D9",
    "99.9,9",
    "9S9",
    "S9S",
    "MI99",
    "99PR9",
    "$9$",
    "$L9",
    "TM9e",
    "9TM",
    "RN9",
    "9XX",
    "$XX",
    "9V9.9",
    "9V9V9",
    "9EEEE9",
    "EEEE",
    "9,9EEEE",
    "9FM",
]

NUMBERS = [
    ("1,234.50", "9,999.99", "1234.5"),
    ("234.5", "9,999.99", "234.5"),
    ("   42", "9999", "42"),
    ("-42", "999", "-42"),
    ("42", "9.99EEEE", None),
    ("4.2E+01", "9.9EEEE", "42"),
    (".5", "9.9", "0.5"),
    ("5", "9.9", "5"),
    ("5.", "9", "5"),
    ("0042", "0999", "42"),
    ("42", "0999", None),
    ("123", "99", None),
    ("1.234", "9.99", None),
    ("1234", "9,999", None),
    ("1,23", "9,999", None),
    ("1,234", "9999", "1234"),
    ("$12", "$99", "12"),
    ("-$12", "$99", "-12"),
    ("12", "$99", None),
    ("$1,234.56", "L9,999.99", "1234.56"),
    ("USD12", "C99", "12"),
    ("+42", "S99", "42"),
    ("42", "S99", None),
    ("42-", "99S", "-42"),
    ("42-", "99MI", "-42"),
    ("42 ", "99MI", "42"),
    ("<42>", "99PR", "-42"),
    (" 42 ", "99PR", "42"),
    ("<42", "99PR", None),
    ("  ", "B9", "0"),
    ("FF", "XXXX", "255"),
    ("ff", "XX", "255"),
    ("FG", "XX", None),
    ("FFF", "XX", None),
    ("12x", "999", None),
    ("", "999", None),
    ("-", "9", None),
    ("IV", "RN", None),
    ("42", "99V9", None),
]

IMPLICIT = [
    ("42", "42"),
    ("  42  ", "42"),
    ("1e3", "1000"),
    ("1.5E-2", "0.015"),
    (".5", "0.5"),
    ("5.", "5"),
    ("+5", "5"),
    ("-.5", "-0.5"),
    ("1E-140", "0"),
    ("", None),
    (" ", None),
    (".", None),
    ("1,000", None),
    ("- 5", None),
    ("1e", None),
    ("$5", None),
    ("0x1F", None),
    ("٣", None),
]

DEFAULTS = [
    ("0", "0"),
    ("-0.0", "0"),
    ("42", "42"),
    ("42.50", "42.5"),
    ("100", "100"),
    ("1E+2", "100"),
    ("0.5", ".5"),
    ("-0.5", "-.5"),
    ("1E-10", ".0000000001"),
    ("1E+39", "1" + "0" * 39),
    ("1E+40", "1." + "0" * 34 + "E+40"),
    ("-1E+40", "-1." + "0" * 33 + "E+40"),
    ("1E+125", "1." + "0" * 33 + "E+125"),
    ("1E-40", "1." + "0" * 34 + "E-40"),
    ("0." + "3" * 40, "." + "3" * 39),
    ("0." + "6" * 40, "." + "6" * 38 + "7"),
    ("66666." + "6" * 35, "66666." + "6" * 33 + "7"),
    ("0.0000000000" + "3" * 40, "3." + "3" * 34 + "E-11"),
]


@pytest.mark.parametrize(("value", "model", "expected"), TEXTS)
def test_a_number_is_written_by_its_model(value: str, model: str, expected: str) -> None:
    assert number_text(Decimal(value), model) == expected


@pytest.mark.parametrize("model", MODELS_REFUSED)
def test_what_is_no_number_format_is_refused(model: str) -> None:
    for use in (lambda: number_text(Decimal(1), model), lambda: number_of("1", model)):
        with pytest.raises(OracleError) as refusal:
            use()
        assert refusal.value.code == "ORA-01481"


@pytest.mark.parametrize(("text", "model", "expected"), NUMBERS)
def test_a_text_is_read_by_its_model_or_refused(text: str, model: str, expected: str | None) -> None:
    if expected is not None:
        assert number_of(text, model) == Decimal(expected)
        return
    with pytest.raises(OracleError) as refusal:
        number_of(text, model)
    assert refusal.value.code == "ORA-01722"


@pytest.mark.parametrize(("text", "expected"), IMPLICIT)
def test_a_text_is_taken_for_a_number_or_refused(text: str, expected: str | None) -> None:
    if expected is not None:
        assert number_of_text(text) == number_of(text) == Decimal(expected)
        return
    with pytest.raises(OracleError) as refusal:
        number_of_text(text)
    assert refusal.value.code == "ORA-01722"


def test_a_number_beyond_oracle_s_reach_overflows() -> None:
    assert number_of_text("9e125") == Decimal("9e125")
    with pytest.raises(OracleError) as refusal:
        number_of_text("1e126")
    assert refusal.value.code == "ORA-01426"


@pytest.mark.parametrize(("value", "expected"), DEFAULTS)
def test_a_number_without_a_model_takes_forty_characters(value: str, expected: str) -> None:
    assert default_number_text(Decimal(value)) == expected
    assert len(expected) <= 40


DECIMALS = st.decimals(min_value=-(10**9), max_value=10**9, places=4, allow_nan=False)


@given(DECIMALS)
def test_a_number_s_default_text_is_taken_for_it(value: Decimal) -> None:
    assert number_of_text(default_number_text(value)) == value


@given(
    DECIMALS,
    st.sampled_from(
        [
            "9999999999.9999",
            "FM9999999999.9999",
            "0000000000.0000",
            "9,999,999,990.0000",
            "S9999999999.9999",
            "9999999999.9999MI",
            "FM9999999999D9999PR",
            "$9G999G999G999D9999",
            "L9999999999.9999",
            "9999999999.9999C",
        ]
    ),
)
def test_the_text_of_a_number_reads_back_by_its_model(value: Decimal, model: str) -> None:
    written = number_text(value, model)
    assert number_of(written, model) == value, written


@given(DECIMALS, st.text(alphabet="09,.$SLMIPRBGDVEXTFC", max_size=10))
def test_any_model_writes_its_width_or_is_refused(value: Decimal, model: str) -> None:
    try:
        written = number_text(value, model)
    except OracleError as error:
        assert error.code == "ORA-01481"
        return
    if "FM" not in model and "TM" not in model:
        assert len(written) == len(number_text(Decimal(1), model))
