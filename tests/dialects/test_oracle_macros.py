"""Oracle's functions as macros: the rules of the SQL Language Reference on values of our own."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import duckdb
import pytest

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from tests.dialects.macro_helpers import answer, refusal

TEXTS: list[tuple[str, object]] = [
    # SUBSTR counts from either end; 0 is 1, a fraction is cut off, and beyond the text there is nothing.
    ("ora_substr('warehouse', 4)", "ehouse"),
    ("ora_substr('warehouse', 0, 4)", "ware"),
    ("ora_substr('warehouse', -5, 3)", "hou"),
    ("ora_substr('warehouse', -9)", "warehouse"),
    ("ora_substr('warehouse', -10)", None),
    ("ora_substr('warehouse', -10, 3)", None),
    ("ora_substr('warehouse', 10)", None),
    ("ora_substr('warehouse', 3, 99)", "rehouse"),
    ("ora_substr('warehouse', 3, 0)", None),
    ("ora_substr('warehouse', 3, -2)", None),
    ("ora_substr('warehouse', 2.9, 2.9)", "ar"),
    ("ora_substr('数据仓库', 2, 2)", "据仓"),
    ("ora_substr('warehouse', null)", None),
    ("ora_substr('warehouse', 2, null)", None),
    ("ora_substr('', 1)", None),
    # INSTR: from a place on, or back from one; occurrences may overlap.
    ("ora_instr('mississippi', 'ss')", 3),
    ("ora_instr('mississippi', 'SS')", 0),
    ("ora_instr('mississippi', 'ss', 4)", 6),
    ("ora_instr('mississippi', 'issi', 1, 2)", 5),
    ("ora_instr('mississippi', 'issi', 1, 3)", 0),
    ("ora_instr('mississippi', 'pi', 3)", 10),
    ("ora_instr('mississippi', 'ss', -1)", 6),
    ("ora_instr('mississippi', 'ss', -6)", 6),
    ("ora_instr('mississippi', 'ss', -7)", 3),
    ("ora_instr('mississippi', 'i', -1, 3)", 5),
    ("ora_instr('mississippi', 'pi', -1)", 10),
    ("ora_instr('mississippi', 'm', -99)", 0),
    ("ora_instr('mississippi', 'i', 99)", 0),
    ("ora_instr('mississippi', 'i', 0)", 0),
    ("ora_instr('mi', 'mississippi', 1)", 0),
    ("ora_instr('mississippi', '')", None),
    ("ora_instr('', 'm')", None),
    ("ora_instr('mississippi', 'i', null)", None),
    ("ora_instr('mississippi', 'i', 1, null)", None),
    # LPAD and RPAD fill or cut to a width.
    ("ora_lpad('42', 5, '0')", "00042"),
    ("ora_lpad('42', 5)", "   42"),
    ("ora_lpad('42', 7, 'abc')", "abcab42"),
    ("ora_lpad('12345', 3, '0')", "123"),
    ("ora_rpad('12345', 3)", "123"),
    ("ora_rpad('42', 7, 'abc')", "42abcab"),
    ("ora_rpad('été', 5, '.')", "été.."),
    ("ora_lpad('42', 0)", None),
    ("ora_rpad('42', -1)", None),
    ("ora_lpad('42', 5, '')", None),
    ("ora_rpad('', 5, '*')", None),
    ("ora_lpad('42', null)", None),
    ("length(ora_rpad('x', 9999))", 4000),
    # TRIM takes blanks or one letter away, LTRIM and RTRIM any of a set.
    ("ora_trim('  two words ')", "two words"),
    ("ora_trim(chr(9) || 'tab ')", "\ttab"),
    ("ora_trim('--a-b--', '-')", "a-b"),
    ("ora_trim_leading('--a--', '-')", "a--"),
    ("ora_trim_trailing('--a--', '-')", "--a"),
    ("ora_trim_leading('  a ')", "a "),
    ("ora_trim_trailing('  a ')", "  a"),
    ("ora_trim('---', '-')", None),
    ("ora_trim('a', '')", None),
    ("ora_ltrim('  a ')", "a "),
    ("ora_ltrim('0x00ff', '0x')", "ff"),
    ("ora_rtrim('12.5000', '0')", "12.5"),
    ("ora_rtrim('  ')", None),
    ("ora_ltrim('aa', 'a')", None),
    ("ora_rtrim('aa', '')", None),
    # TRANSLATE letter by letter: those without a partner go; to nothing is NULL.
    ("ora_translate('2024-03-05', '-0', '/o')", "2o24/o3/o5"),
    ("ora_translate('a-b_c', '-_', '+')", "a+bc"),
    ("ora_translate('abc', 'abc', '')", None),
    ("ora_translate('abc', '', 'x')", None),
    ("ora_translate('xx', 'yx', 'y')", None),
    # REPLACE: NULL for the replacement takes away, NULL searched for leaves the text alone.
    ("ora_replace('black and blue', 'bl', 'j')", "jack and jue"),
    ("ora_replace('a,b,c', ',')", "abc"),
    ("ora_replace('a,b,c', ',', null)", "abc"),
    ("ora_replace('a,b,c', ',', '')", "abc"),
    ("ora_replace('a,b,c', '', 'x')", "a,b,c"),
    ("ora_replace('a,b,c', null, 'x')", "a,b,c"),
    ("ora_replace(',,', ',')", None),
    ("ora_replace('', 'a', 'b')", None),
    # INITCAP: what is neither letter nor digit parts words.
    ("ora_initcap('the SOAP')", "The Soap"),
    ("ora_initcap('o''brien-smith, 2nd_class ÉTÉ')", "O'Brien-Smith, 2nd_Class Été"),
    ("ora_initcap('')", None),
    ("ora_upper('mixed é')", "MIXED É"),
    ("ora_lower('MIXED É')", "mixed é"),
    ("ora_upper('')", None),
    ("ora_length('数据 ')", 3),
    ("ora_length('')", None),
    # CONCAT takes NULL for nothing.
    ("ora_concat('a', 'b')", "ab"),
    ("ora_concat('a', null)", "a"),
    ("ora_concat('', 'b')", "b"),
    ("ora_concat(null, '')", None),
    ("ora_ascii('A')", 65),
    ("ora_ascii('é')", 0xC3A9),
    ("ora_ascii('')", None),
    ("ora_chr(74)", "J"),
    ("ora_chr(74.9)", "J"),
    ("ora_chr(null)", None),
    ("ora_reverse('stressed')", "desserts"),
    ("ora_reverse('')", None),
]
NUMBERS: list[tuple[str, object]] = [
    # MOD has the dividend's sign, and by 0 it is the dividend.
    ("ora_mod(14, 4)", 2),
    ("ora_mod(-14, 4)", -2),
    ("ora_mod(14, -4)", 2),
    ("ora_mod(14, 0)", 14),
    ("ora_mod(5.75, 0.5)", Decimal("0.25")),
    ("ora_mod(null, 4)", None),
    ("ora_mod(14, null)", None),
    ("ora_mod_double(0.9::double, 0.3::double)", 0.0),
    # REMAINDER takes the nearest multiple, the even one of two.
    ("ora_remainder(18, 7)", -3),
    ("ora_remainder(-18, 7)", 3),
    ("ora_remainder(15, 6)", 3),
    ("ora_remainder(9, 6)", -3),
    ("ora_remainder(-9, 6)", 3),
    ("ora_remainder(2.5, 1)", Decimal("0.5")),
    ("ora_remainder(3.5, -1)", Decimal("-0.5")),
    ("ora_remainder_double(11.6::double, 2.1::double)", -1.0),
    # ROUND goes away from zero at a half, TRUNC towards it.
    ("ora_round(3.5)", 4),
    ("ora_round(-3.5)", -4),
    ("ora_round(4.5)", 5),
    ("ora_round(2.345, 2)", Decimal("2.35")),
    ("ora_round(-2.345, 2)", Decimal("-2.35")),
    ("ora_round(2.345, 1.9)", Decimal("2.3")),
    ("ora_round(1250, -2)", 1300),
    ("ora_round(1249.99, -2)", 1200),
    ("ora_round(50, -2)", 100),
    ("ora_round(49, -2)", 0),
    ("ora_round(null, 2)", None),
    ("ora_round(2.5, null)", None),
    ("ora_round_double(8.325::double, 2)", 8.33),
    ("ora_round_double(-8.325::double, 2)", -8.33),
    ("ora_round_double(2.5::double)", 3.0),
    ("ora_round_double(1e20::double, 2)", 1e20),
    ("ora_round_double(null, 2)", None),
    ("ora_trunc(17.89)", 17),
    ("ora_trunc(-17.89, 1)", Decimal("-17.8")),
    ("ora_trunc(1789, -2)", 1700),
    ("ora_trunc_double(8.33::double, 2)", 8.33),
    ("ora_trunc_double(-0.29::double * 100)", -29.0),
    ("ora_ceil(-2.5)", -2),
    ("ora_ceil(2.01)", 3),
    ("ora_floor(-2.5)", -3),
    ("ora_ceil_double(0.1::double * 30)", 3.0),
    ("ora_floor_double(0.29::double * 100)", 29.0),
    ("ora_abs(-2.50)", Decimal("2.50")),
    ("ora_sign(-0.01)", -1),
    ("ora_sign(0)", 0),
    ("ora_sign(null)", None),
    # Roots, powers and logarithms; the base comes first.
    ("ora_power(3, 4)", 81.0),
    ("ora_power(-3, 3)", -27.0),
    ("ora_power(4, -0.5)", 0.5),
    ("ora_power(0, 0)", 1.0),
    ("ora_power(null, 2)", None),
    ("ora_sqrt(6.25)", 2.5),
    ("ora_exp(0)", 1.0),
    ("ora_ln(1)", 0.0),
    ("ora_log(2, 8)", 3.0),
    ("ora_log(10, 1000)", 3.0),
    ("ora_log(0.5, 8)", -3.0),
    ("trunc(ora_log(10, 1000))", 3.0),
    ("ora_log(10, null)", None),
    ("ora_bitand(12, 10)", 8),
    ("ora_bitand(-1, 255)", 255),
    ("ora_bitand(12.9, 10)", 8),
    ("ora_bitand(null, 10)", None),
    # Buckets from the low end up to, and without, the high end.
    ("ora_width_bucket(13, 0, 20, 4)", 3),
    ("ora_width_bucket(-5, 0, 20, 4)", 0),
    ("ora_width_bucket(0, 0, 20, 4)", 1),
    ("ora_width_bucket(15, 0, 20, 4)", 4),
    ("ora_width_bucket(20, 0, 20, 4)", 5),
    ("ora_width_bucket(0.3, 0, 1, 10)", 4),
    ("ora_width_bucket(null, 0, 20, 4)", None),
    ("ora_nanvl('nan'::double, 7)", 7.0),
    ("ora_nanvl(3.5, 7)", Decimal("3.5")),
    ("ora_nanvl(null, 7)", None),
    # Texts of numbers.
    ("ora_to_number('-12.50')", Decimal("-12.5")),
    ("ora_to_number(' 1E3')", Decimal("1000")),
    ("ora_to_number('1,234.5', '9,999.9')", Decimal("1234.5")),
    ("ora_to_number('')", None),
    ("ora_to_number('5', null)", None),
    ("ora_to_char_number(0.25)", ".25"),
    ("ora_to_char_number(-1200.00)", "-1200"),
    ("ora_to_char_number(12345678901234567890)", "12345678901234567890"),
    ("ora_to_char_number(2.5::double)", "2.5"),
    ("ora_to_char_number(0.7::double * 3)", "2.1"),
    ("ora_to_char_number(2.0::double / 3, '0.99')", " 0.67"),
    ("ora_to_char_number(0.1::double * 3 + 0.025, '0.99')", " 0.33"),
    ("ora_to_char_number(1234.5, '$9,999.00')", " $1,234.50"),
    ("ora_to_char_number(1234.5, '')", None),
    ("ora_to_char_number(null, '999')", None),
    ("ora_to_char_text('')", None),
]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text)


DATES: list[tuple[str, object]] = [
    # ADD_MONTHS: the last day of a month stays the last; other days stay where the month has them.
    ("ora_add_months(timestamp '2023-04-30', 1)", day("2023-05-31")),
    ("ora_add_months(timestamp '2023-01-30', 1)", day("2023-02-28")),
    ("ora_add_months(timestamp '2024-02-28 08:30:00', -12)", day("2023-02-28 08:30:00")),
    ("ora_add_months(timestamp '2023-02-28', 12)", day("2024-02-29")),
    ("ora_add_months(timestamp '2023-06-15', 1.9)", day("2023-07-15")),
    ("ora_add_months(timestamp '2023-06-15 01:02:03.9', 0)", day("2023-06-15 01:02:03")),
    ("ora_add_months(null, 1)", None),
    ("ora_add_months(timestamp '2023-06-15', null)", None),
    # MONTHS_BETWEEN: whole on equal days, whatever the time, and on last days; else a 31st of a month a day.
    ("ora_months_between(timestamp '2023-06-15 23:00:00', timestamp '2023-05-15')", 1.0),
    ("ora_months_between(timestamp '2023-06-30', timestamp '2023-02-28')", 4.0),
    ("ora_months_between(timestamp '2023-06-01', timestamp '2023-06-11')", -10 / 31),
    ("ora_months_between(timestamp '2023-03-01 12:00:00', timestamp '2023-02-28')", 1 + (-27 + 0.5) / 31),
    ("ora_months_between(timestamp '2023-03-01', null)", None),
    ("ora_last_day(timestamp '2100-02-03 04:05:06')", day("2100-02-28 04:05:06")),
    ("ora_last_day(timestamp '2024-12-31')", day("2024-12-31")),
    ("ora_next_day(timestamp '2024-06-15 10:00:00', 'SATURDAY')", day("2024-06-22 10:00:00")),
    ("ora_next_day(timestamp '2024-06-15', 'sun')", day("2024-06-16")),
    ("ora_next_day(timestamp '2024-06-15', 'Friendly')", day("2024-06-21")),
    ("ora_next_day(timestamp '2024-06-15', '')", None),
    # TO_DATE fills what is missing from the session's date.
    ("ora_to_date('05-MAR-24')", day("2024-03-05")),
    ("ora_to_date('2023/11', 'YYYY/MM')", day("2023-11-01")),
    ("ora_to_date('11:45', 'HH24:MI')", day("2024-06-01 11:45")),
    ("ora_to_date('', 'YYYY')", None),
    ("ora_to_date('2023', null)", None),
    ("ora_to_timestamp('05-MAR-24 03.04.05.25 PM')", day("2024-03-05 15:04:05.250")),
    ("ora_to_timestamp('2024-03-05 1:02', 'YYYY-MM-DD HH24:MI')", day("2024-03-05 01:02")),
    ("ora_to_char_date(timestamp '2024-03-05 15:04:05')", "05-MAR-24"),
    ("ora_to_char_date(timestamp '2024-03-05 15:04:05', 'fmDay DD, HH24:MI')", "Tuesday 5, 15:4"),
    ("ora_to_char_date(timestamp '2024-03-05', '')", None),
    ("ora_to_char_date(null)", None),
    ("ora_to_char_timestamp(timestamp '2024-03-05 15:04:05.25', 'SS.FF2')", "05.25"),
    # Spans.
    ("ora_numtodsinterval(90, 'minute')", timedelta(minutes=90)),
    ("ora_numtodsinterval(1.5, 'DAY')", timedelta(days=1, hours=12)),
    ("ora_numtodsinterval(-0.5, 'Second')", timedelta(milliseconds=-500)),
    ("ora_numtodsinterval(null, 'DAY')", None),
    ("timestamp '2024-01-31' + ora_numtoyminterval(1.5, 'YEAR')", day("2025-07-31")),
    ("ora_numtoyminterval(null, 'YEAR')", None),
    ("ora_extract_year(timestamp '2024-03-05')", 2024),
    ("ora_extract_month(timestamp '2024-03-05')", 3),
    ("ora_extract_day(timestamp '2024-03-05')", 5),
    ("ora_extract_hour(timestamp '2024-03-05 15:04:05.25')", 15),
    ("ora_extract_minute(timestamp '2024-03-05 15:04:05.25')", 4),
    ("ora_extract_second(timestamp '2024-03-05 15:04:05.25')", Decimal("5.25")),
    ("ora_extract_day_span(ora_numtodsinterval(49.5, 'HOUR'))", 2),
    ("ora_extract_hour_span(ora_numtodsinterval(49.5, 'HOUR'))", 1),
    ("ora_extract_minute_span(ora_numtodsinterval(-49.5, 'HOUR'))", -30),
    ("ora_extract_day_span(timestamp '2024-01-01' - timestamp '2024-01-03 02:00:00')", -2),
    ("ora_extract_second_span(ora_numtodsinterval(61.5, 'SECOND'))", Decimal("1.5")),
    ("ora_extract_year_span(ora_numtoyminterval(-30, 'MONTH'))", -2),
    ("ora_extract_month_span(ora_numtoyminterval(-30, 'MONTH'))", -6),
]
# Each unit by all its names: a moment, and what TRUNC and ROUND make of it.
UNITS = [
    ("CC SCC", "2000-12-31", "1901-01-01", "2001-01-01"),
    ("CC", "2049-12-31", "2001-01-01", "2001-01-01"),
    ("SYYYY YYYY YEAR SYEAR YYY YY Y year", "2023-06-30 23:59", "2023-01-01", "2023-01-01"),
    ("YYYY", "2023-07-01", "2023-01-01", "2024-01-01"),
    ("IYYY IYY IY I", "2021-01-03", "2019-12-30", None),
    ("Q", "2023-11-15 23:00", "2023-10-01", "2023-10-01"),
    ("Q", "2023-11-16", "2023-10-01", "2024-01-01"),
    ("Q", "2023-02-16", "2023-01-01", "2023-04-01"),
    ("MONTH MON MM RM", "2023-12-15 23:00", "2023-12-01", "2023-12-01"),
    ("MM", "2023-12-16", "2023-12-01", "2024-01-01"),
    # 2023 began on a Sunday, and so did October.
    ("WW", "2023-06-07 11:59", "2023-06-04", "2023-06-04"),
    ("WW", "2023-06-07 12:00", "2023-06-04", "2023-06-11"),
    ("WW", "2023-12-31 18:00", "2023-12-31", "2023-12-31"),
    ("W", "2023-10-12", "2023-10-08", "2023-10-15"),
    ("W", "2023-10-31 23:00", "2023-10-29", "2023-10-29"),
    # 13 September 2023 was a Wednesday.
    ("IW", "2023-09-13", "2023-09-11", "2023-09-11"),
    ("IW", "2023-09-14 12:00", "2023-09-11", "2023-09-18"),
    ("DAY DY D day", "2023-09-13 11:59", "2023-09-10", "2023-09-10"),
    ("DAY", "2023-09-13 12:00", "2023-09-10", "2023-09-17"),
    ("DDD DD J", "2023-09-13 12:00", "2023-09-13", "2023-09-14"),
    ("HH HH12 HH24", "2023-09-13 23:29:59", "2023-09-13 23:00", "2023-09-13 23:00"),
    ("HH", "2023-09-13 23:30", "2023-09-13 23:00", "2023-09-14"),
    ("MI", "2023-09-13 23:30:30", "2023-09-13 23:30", "2023-09-13 23:31"),
]
REFUSED = [
    ("ora_instr('abc', 'b', 1, 0)", "ORA-01428"),
    ("ora_trim('abc', 'ab')", "ORA-30001"),
    ("ora_trim_leading('abc', 'ab')", "ORA-30001"),
    ("ora_chr(-1)", "ORA-01428"),
    ("ora_remainder(1, 0)", "ORA-01428"),
    ("ora_power(-2, 0.5)", "ORA-01428"),
    ("ora_power(10, 200)", "ORA-01426"),
    ("ora_exp(1000)", "ORA-01426"),
    ("ora_sqrt(-1)", "ORA-01428"),
    ("ora_ln(0)", "ORA-01428"),
    ("ora_log(1, 5)", "ORA-01428"),
    ("ora_log(0, 5)", "ORA-01428"),
    ("ora_log(10, 0)", "ORA-01428"),
    ("ora_width_bucket(5, 0, 10, 0)", "ORA-30494"),
    ("ora_width_bucket(5, null, 10, 4)", "ORA-30494"),
    ("ora_to_number('12a')", "ORA-01722"),
    ("ora_to_number('12', 'abc')", "ORA-01481"),
    ("ora_to_char_number(12, 'abc')", "ORA-01481"),
    ("ora_to_date('32-JAN-24')", "ORA-01847"),
    ("ora_to_date('2024', 'JJJJ')", "ORA-01810"),
    ("ora_to_char_date(timestamp '2024-01-01', 'FF3')", "ORA-01821"),
    ("ora_next_day(timestamp '2024-06-15', 'Someday')", "ORA-01846"),
    ("ora_add_months(timestamp '9999-06-15', 12)", "ORA-01841"),
    ("ora_next_day(timestamp '9999-12-31', 'MON')", "ORA-01841"),
    ("ora_round_date(timestamp '9999-12-31 12:00:00')", "ORA-01841"),
    ("ora_trunc_date(timestamp '2024-06-15', 'YYYY-MM')", "ORA-01898"),
    ("ora_round_date(timestamp '2024-06-15', 'SS')", "ORA-01899"),
    ("ora_trunc_date(timestamp '2024-06-15', 'FOO')", "ORA-01821"),
    ("ora_numtodsinterval(1, 'MONTH')", "ORA-01760"),
    ("ora_numtoyminterval(1, 'DAY')", "ORA-01760"),
]
UNSUPPORTED = [
    "ora_lpad('数据', 6)",
    "ora_chr(233)",
    "ora_reverse('été')",
    "ora_power(0, -1)",
    "ora_width_bucket(5, 10, 0, 4)",
    "ora_mod_double(1e18::double, 7)",
    "ora_to_number('0.12345678901')",
    "ora_to_char_number(2.0::double / 3)",
    "ora_to_char_number('nan'::double)",
    "ora_to_char_timestamp(timestamp '2024-01-01', 'TZH')",
    "ora_next_day(timestamp '2024-06-15', '2')",
    "ora_last_day(timestamp '1500-02-03')",
    "ora_trunc_date(timestamp '1500-02-03', 'DAY')",
    "ora_round_date(timestamp '1950-06-15', 'CC')",
    "ora_round_date(timestamp '2024-06-15', 'IYYY')",
    "ora_round_date(timestamp '2023-12-30', 'IW')",
    "ora_numtoyminterval(1.5, 'MONTH')",
]


@pytest.mark.parametrize(("call", "expected"), TEXTS + NUMBERS + DATES)
def test_a_macro_answers_as_the_manual_says(
    session: duckdb.DuckDBPyConnection, call: str, expected: object
) -> None:
    given = answer(session, call)
    assert given == (pytest.approx(expected, rel=1e-14) if isinstance(expected, float) else expected)


@pytest.mark.parametrize(("names", "moment", "truncated", "rounded"), UNITS)
def test_every_name_of_a_unit_truncates_and_rounds(
    session: duckdb.DuckDBPyConnection, names: str, moment: str, truncated: str, rounded: str | None
) -> None:
    for name in names.split():
        assert answer(session, f"ora_trunc_date(timestamp '{moment}', '{name}')") == day(truncated)
        if rounded:
            assert answer(session, f"ora_round_date(timestamp '{moment}', '{name}')") == day(rounded)


def test_without_a_unit_days_are_truncated_and_rounded(session: duckdb.DuckDBPyConnection) -> None:
    assert answer(session, "ora_trunc_date(timestamp '2024-06-15 12:00:00')") == day("2024-06-15")
    assert answer(session, "ora_round_date(timestamp '2024-06-15 11:59:59')") == day("2024-06-15")
    assert answer(session, "ora_round_date(timestamp '2024-06-15 12:00:00')") == day("2024-06-16")


@pytest.mark.parametrize(("call", "code"), REFUSED)
def test_a_refusal_keeps_oracles_code(session: duckdb.DuckDBPyConnection, call: str, code: str) -> None:
    error = refusal(session, call)
    assert isinstance(error, OracleError)
    assert error.code == code


@pytest.mark.parametrize("call", UNSUPPORTED)
def test_what_is_not_known_is_unsupported(session: duckdb.DuckDBPyConnection, call: str) -> None:
    assert isinstance(refusal(session, call), UnsupportedError)
