"""Oracle's datetime format models: the rules of the SQL Language Reference on values of our own."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_dates import DATE_MODEL, TIMESTAMP_MODEL, date_text, moment_of
from glue.dialects.oracle_errors import OracleError

NOW = datetime(2024, 6, 15, 10, 20, 30)
TUESDAY = datetime(2024, 3, 5, 15, 4, 9, 123456)
NEW_YEAR = datetime(2021, 1, 1)
LAST_CENTURY = datetime(1999, 12, 31, 23, 59, 59)

TEXTS = [
    # Punctuation and quoted text stand as they are; the case of what is quoted too.
    (TUESDAY, "YYYY/MM.DD;HH24:MI,SS", "2024/03.05;15:04,09"),
    (TUESDAY, 'YYYY"年"MM"-th of "DD', "2024年03-th of 05"),
    (TUESDAY, 'HH24"h"MI""', "15h04"),
    # Years and centuries.
    (TUESDAY, "YYYY YYY YY Y", "2024 024 24 4"),
    (TUESDAY, "RRRR RR", "2024 24"),
    (TUESDAY, "SYYYY|SCC|CC", " 2024| 21|21"),
    (TUESDAY, "fmSYYYY|SCC", "2024|21"),
    (TUESDAY, "Y,YYY", "2,024"),
    (datetime(2000, 6, 1), "CC", "20"),
    (datetime(2001, 6, 1), "CC", "21"),
    (datetime(820, 11, 23), "YYYY Y,YYY fmYYYY Y,YYY", "0820 0,820 820 820"),
    (TUESDAY, "YEAR Year year", "TWENTY TWENTY-FOUR Twenty Twenty-Four twenty twenty-four"),
    (TUESDAY, "SYEAR|fmSYEAR", " TWENTY TWENTY-FOUR|TWENTY TWENTY-FOUR"),
    (datetime(2008, 5, 1), "YEAR", "TWO THOUSAND EIGHT"),
    (datetime(7777, 5, 1), "YEAR", "SEVENTY-SEVEN SEVENTY-SEVEN"),
    (datetime(1900, 5, 1), "YEAR", "NINETEEN HUNDRED"),
    (TUESDAY, "AD BC ad A.D. b.c.", "AD AD ad A.D. a.d."),
    # Weeks: ISO's begin on Monday, Oracle's own on the first of the year and of the month.
    (TUESDAY, "IYYY IYY IY I IW WW W Q", "2024 024 24 4 10 10 1 1"),
    (NEW_YEAR, "IYYY IYY IY I IW WW W Q", "2020 020 20 0 53 01 1 1"),
    (LAST_CENTURY, "IYYY IW WW W Q", "1999 52 53 5 4"),
    # Months and days, filled to the longest name unless FM is on.
    (TUESDAY, "MONTH|Month|month|MON|Mon|mon", "MARCH    |March    |march    |MAR|Mar|mar"),
    (TUESDAY, "DAY|Day|day|DY|Dy|dy", "TUESDAY  |Tuesday  |tuesday  |TUE|Tue|tue"),
    (TUESDAY, "fmMonth|Day|DD|fmDD|Month", "March|Tuesday|5|05|March    "),
    (TUESDAY, "MM RM|rm|Rm|fmRM|", "03 III |iii |Iii |III|"),
    (datetime(2024, 8, 1), "RM", "VIII"),
    (TUESDAY, "D DD DDD J", "3 05 065 2460375"),
    (datetime(2024, 3, 10), "D", "1"),
    (datetime(2024, 12, 31), "DDD WW", "366 53"),
    # Times.
    (TUESDAY, "HH HH12 HH24 MI SS SSSSS", "03 03 15 04 09 54249"),
    (NEW_YEAR, "HH HH24 SSSSS AM", "12 00 00000 AM"),
    (datetime(2024, 1, 1, 12), "HH PM p.m. Am", "12 PM p.m. Pm"),
    (NEW_YEAR, "fmHH24:MI:SS", "0:0:0"),
    (TUESDAY, "SSXFF FF3 FF1 FF9", "09.123456 123 1 123456000"),
    # The territory's own: America's.
    (TUESDAY, "DL", "Tuesday, March 5, 2024"),
    (TUESDAY, "DS TS", "3/5/2024 3:04:09 PM"),
    (NEW_YEAR, "ts", "12:00:00 AM"),
    # Suffixes take the case of their element, and a filled number keeps its zeros.
    (TUESDAY, "DDTH DDth Ddth ddTH", "05TH 05TH 05th 05th"),
    (datetime(2024, 1, 22), "fmDDTH ddth", "22ND 22nd"),
    (datetime(2024, 1, 11), "fmddth", "11th"),
    (datetime(2024, 1, 23), "fmddth", "23rd"),
    (TUESDAY, "DDSP Ddsp ddsp MMSPTH mmthsp", "FIVE Five five THIRD third"),
    (datetime(2024, 1, 31), "Ddspth", "Thirty-First"),
    (datetime(2024, 1, 20), "DDTHSP", "TWENTIETH"),
    (datetime(2024, 1, 12), "ddspth", "twelfth"),
    (TUESDAY, "Jsp", "Two Million Four Hundred Sixty Thousand Three Hundred Seventy-Five"),
    (NEW_YEAR, "misssp", "00zero"),
    (TUESDAY, "YYYYSP", "TWO THOUSAND TWENTY-FOUR"),
    # The session's own models.
    (TUESDAY, DATE_MODEL, "05-MAR-24"),
    (TUESDAY, TIMESTAMP_MODEL, "05-MAR-24 03.04.09.123456 PM"),
    # FX has nothing to say to a text; elements may stand close together.
    (TUESDAY, "FXYYYYMMDDHH24MISS", "20240305150409"),
    # Before 15 October 1582 dates are of the Julian calendar.
    (datetime(1582, 10, 15), "J DAY", "2299161 FRIDAY   "),
    (datetime(1582, 10, 4), "J DAY", "2299160 THURSDAY "),
    (datetime(1, 1, 1), "J", "1721424"),
]

TEXTS_REFUSED = [
    ("YYYY-MM-DD H", "ORA-01821"),
    ("YYYY-MM-DDTHH24:MI:SS", "ORA-01821"),
    ("hello", "ORA-01821"),
    ("YYYY年MM", "ORA-01821"),
    ("MONSP", "ORA-01821"),
]

MOMENTS = [
    # What is left out: this year and month, the first day, midnight.
    ("2024-03-05", "YYYY-MM-DD", datetime(2024, 3, 5)),
    ("2019", "YYYY", datetime(2019, 6, 1)),
    ("11", "MM", datetime(2024, 11, 1)),
    ("17", "DD", datetime(2024, 6, 17)),
    ("13:45", "HH24:MI", datetime(2024, 6, 1, 13, 45)),
    # Times at the end of the model may be missing from the text.
    ("2024-03-05", "YYYY-MM-DD HH24:MI:SS", datetime(2024, 3, 5)),
    ("2024-03-05 07", "YYYY-MM-DD HH24:MI:SS", datetime(2024, 3, 5, 7)),
    ("15-JAN-24", TIMESTAMP_MODEL, datetime(2024, 1, 15)),
    ("2024-03-05", 'YYYY-MM-DD"T"HH24:MI', datetime(2024, 3, 5)),
    # Any punctuation for any, blanks freely, leading zeros left out.
    ("2024/3.5", "YYYY-MM-DD", datetime(2024, 3, 5)),
    ("15/ JAN /1998", "DD-MON-YYYY", datetime(1998, 1, 15)),
    ("  2024 -  03-05  ", "YYYY-MM-DD", datetime(2024, 3, 5)),
    ("02#07", "MM/YY", datetime(2007, 2, 1)),
    ("7-8-9 1:2:3", "YYYY-MM-DD HH24:MI:SS", datetime(7, 8, 9, 1, 2, 3)),
    # Punctuation left out, where the numbers are full.
    ("0207", "MM/YY", datetime(2007, 2, 1)),
    ("20240305150409", "YYYY-MM-DD HH24:MI:SS", datetime(2024, 3, 5, 15, 4, 9)),
    ("20240305 150409", "YYYYMMDD HH24MISS", datetime(2024, 3, 5, 15, 4, 9)),
    # Alternatives: MM takes a month's name, MON and MONTH each other's, YY and RR four digits.
    ("18-feb-2016", "DD/MM/YYYY", datetime(2016, 2, 18)),
    ("10AUGUST2016", "DD-MM-RR", datetime(2016, 8, 10)),
    ("10AUGUST2016", "DD-MON-RR", datetime(2016, 8, 10)),
    ("10 Aug 2016", "DD MONTH YYYY", datetime(2016, 8, 10)),
    ("15-JAN-2012", TIMESTAMP_MODEL, datetime(2012, 1, 15)),
    ("01-02-2014", "DD-MM-YY", datetime(2014, 2, 1)),
    ("20261020", "RR/MM/DD", datetime(2026, 10, 20)),
    ("990101", "YYMMDD", datetime(2099, 1, 1)),
    ("9901", "RRMM", datetime(1999, 1, 1)),
    # The year: RR by half centuries, YY in this one, YYY and Y too.
    ("49", "RR", datetime(2049, 6, 1)),
    ("50", "RR", datetime(1950, 6, 1)),
    ("98", "RRRR", datetime(1998, 6, 1)),
    ("1850", "RRRR", datetime(1850, 6, 1)),
    ("98", "YY", datetime(2098, 6, 1)),
    ("998", "YYY", datetime(2998, 6, 1)),
    ("8", "Y", datetime(2028, 6, 1)),
    ("24", "YYYY", datetime(24, 6, 1)),
    ("2,024", "Y,YYY", datetime(2024, 6, 1)),
    ("+2024", "SYYYY", datetime(2024, 6, 1)),
    ("2024 A.D.", "YYYY B.C.", datetime(2024, 6, 1)),
    # Halves of the day, seconds of the day, fractions.
    ("12:30 am", "HH:MI PM", datetime(2024, 6, 1, 0, 30)),
    ("12:30 PM", "HH12:MI AM", datetime(2024, 6, 1, 12, 30)),
    ("1:30 p.m.", "HH:MI a.m.", datetime(2024, 6, 1, 13, 30)),
    ("54249", "SSSSS", datetime(2024, 6, 1, 15, 4, 9)),
    ("15 54249", "HH24 SSSSS", datetime(2024, 6, 1, 15, 4, 9)),
    ("09.12", "SS.FF", datetime(2024, 6, 1, 0, 0, 9, 120000)),
    ("09.123456000", "SSXFF9", datetime(2024, 6, 1, 0, 0, 9, 123456)),
    ("15-JAN-24 10.20.30 PM", TIMESTAMP_MODEL, datetime(2024, 1, 15, 22, 20, 30)),
    # Days of the year, Julian days, names of days, Roman months, the territory's own.
    ("2024-065", "YYYY-DDD", datetime(2024, 3, 5)),
    ("2460375", "J", datetime(2024, 3, 5)),
    ("2299160", "J", datetime(1582, 10, 4)),
    ("Tuesday 05-03-2024", "DAY DD-MM-YYYY", datetime(2024, 3, 5)),
    ("tue 3 05-03-2024", "DY fmMM DD-\"03\"-YYYY", datetime(2024, 3, 5)),
    ("5 viii 2024", "DD RM YYYY", datetime(2024, 8, 5)),
    ("3/5/2024 3:04:09 PM", "DS TS", datetime(2024, 3, 5, 15, 4, 9)),
    ("Tuesday, March 5, 2024", "DL", datetime(2024, 3, 5)),
    # FX: exactly so, but for the case; FM frees the leading zeros.
    ("15-JAN-1998", "FXDD-MON-YYYY", datetime(1998, 1, 15)),
    ("15-jan-1998", "FXDD-MON-YYYY", datetime(1998, 1, 15)),
    ("1-JAN-1998", "FXFMDD-MON-YYYY", datetime(1998, 1, 1)),
    ("05MARCH    2024", "FXDDMONTHYYYY", datetime(2024, 3, 5)),
]  # fmt: skip

MOMENTS_REFUSED = [
    # Numbers outside their range.
    ("2024-13-01", "YYYY-MM-DD", "ORA-01843"),
    ("2024-00-01", "YYYY-MM-DD", "ORA-01843"),
    ("2024-01-32", "YYYY-MM-DD", "ORA-01847"),
    ("2024-02-30", "YYYY-MM-DD", "ORA-01839"),
    ("2023-02-29", "YYYY-MM-DD", "ORA-01839"),
    ("0000-01-01", "YYYY-MM-DD", "ORA-01841"),
    ("0000-13-01", "YYYY-MM-DD", "ORA-01843"),
    ("2023-366", "YYYY-DDD", "ORA-01848"),
    ("13 AM", "HH AM", "ORA-01849"),
    ("24:00", "HH24:MI", "ORA-01850"),
    ("23:60", "HH24:MI", "ORA-01851"),
    ("23:59:60", "HH24:MI:SS", "ORA-01852"),
    ("86400", "SSSSS", "ORA-01853"),
    ("0", "J", "ORA-01854"),
    # Too much, too little, something else.
    ("2024-03-05 10:20", "YYYY-MM-DD", "ORA-01830"),
    ("2024-03-05x", "YYYY-MM-DD", "ORA-01830"),
    ("2024-03", "YYYY-MM-DD", "ORA-01840"),
    ("802", "YYYY-MM-DD HH24:MI:SS", "ORA-01840"),
    ("STRING", "RR/MM/DD", "ORA-01841"),
    (" ", "YYYY-MM-DD", "ORA-01841"),
    ("18-02-2016", "DD/MON/YYYY", "ORA-01843"),
    ("18-foo-2016", "DD/MM/YYYY", "ORA-01858"),
    ("xx-02-2016", "DD/MM/YYYY", "ORA-01858"),
    ("Someday 5", "DAY DD", "ORA-01846"),
    ("10 xm", "HH AM", "ORA-01855"),
    ("10 am", "HH A.M.", "ORA-01855"),
    ("2024 CE", "YYYY AD", "ORA-01856"),
    (" 15! JAN % /1998", "DD-MON-YYYY", "ORA-01841"),
    # A text that leaves punctuation out must fit to the digit.
    ("1989-12-09", "DD-MON-RR", "ORA-01861"),
    ("2011-07-28T23:54:14Z", "YYYY-MM-DD HH24:MI:SS", "ORA-01861"),
    ("200802", "YYYY-MM-DD HH24:MI:SS", "ORA-01861"),
    ("00000101", "YYYY-MM-DD", "ORA-01861"),
    ("2024035", "YYYY-MM-DD", "ORA-01861"),
    ("20240305", "DD-MM-RRRR", "ORA-01843"),
    ("2024x03", 'YYYY"-"MM', "ORA-01861"),
    # FX.
    ("15/JAN/1998", "FXDD-MON-YYYY", "ORA-01861"),
    ("0207", "fxmm/yy", "ORA-01861"),
    ("1-JAN-1998", "FXDD-MON-YYYY", "ORA-01862"),
    ("18/february/2016", "FXDD/MM/YYYY", "ORA-01858"),
    ("15-JAN-98", "FXDD-MON-YYYY", "ORA-01862"),
    ("15-JAN-1998 ", "FXDD-MON-YYYY", "ORA-01830"),
    ("15-JAN-1998", "FXDD-MON-YYYY HH24", "ORA-01840"),
    # Contradictions.
    ("Monday 05-03-2024", "DAY DD-MM-YYYY", "ORA-01835"),
    ("2460375 2023", "J YYYY", "ORA-01831"),
    ("065 04 2024", "DDD MM YYYY", "ORA-01833"),
    ("065 06 2024", "DDD DD YYYY", "ORA-01834"),
    ("14 54249", "HH24 SSSSS", "ORA-01836"),
    ("05 54249", "MI SSSSS", "ORA-01837"),
    ("08 54249", "SS SSSSS", "ORA-01838"),
    # Models that cannot be read by.
    ("2024-03-05 10:20", "YYYY-MM-DD HH24:MM", "ORA-01810"),
    ("2460375 065", "J DDD", "ORA-01811"),
    ("2024 24", "YYYY RR", "ORA-01812"),
    ("10 10", "HH HH24", "ORA-01813"),
    ("03 MAR", "MM MON", "ORA-01816"),
    ("3 TUE", "D DY", "ORA-01817"),
    ("10 AM", "HH24 AM", "ORA-01818"),
    ("2024 AD", "SYYYY AD", "ORA-01819"),
    ("10", "IW", "ORA-01820"),
    ("1", "Q", "ORA-01820"),
    ("5TH", "DDTH", "ORA-01820"),
    ("2024", "HELLO", "ORA-01821"),
]


@pytest.mark.parametrize(("moment", "model", "expected"), TEXTS)
def test_a_moment_is_written_by_its_model(moment: datetime, model: str, expected: str) -> None:
    assert date_text(moment, model) == expected


@pytest.mark.parametrize(("model", "code"), TEXTS_REFUSED)
def test_what_is_no_element_is_refused(model: str, code: str) -> None:
    with pytest.raises(OracleError) as refusal:
        date_text(TUESDAY, model)
    assert refusal.value.code == code


@pytest.mark.parametrize(("text", "model", "expected"), MOMENTS)
def test_a_text_is_read_by_its_model(text: str, model: str, expected: datetime) -> None:
    assert moment_of(text, model, NOW) == expected


@pytest.mark.parametrize(("text", "model", "code"), MOMENTS_REFUSED)
def test_a_text_that_does_not_fit_is_refused_with_the_code_of_its_fault(
    text: str, model: str, code: str
) -> None:
    with pytest.raises(OracleError) as refusal:
        moment_of(text, model, NOW)
    assert refusal.value.code == code


def test_the_century_of_two_digits_turns_with_the_session_s_half_century() -> None:
    in_1999 = datetime(1999, 6, 15)
    assert moment_of("17", "RR", in_1999).year == 2017
    assert moment_of("98", "RR", in_1999).year == 1998
    assert moment_of("17", "YY", in_1999).year == 1917
    assert moment_of("49", "RR", datetime(1950, 1, 1)).year == 2049
    assert moment_of("50", "RR", datetime(2049, 1, 1)).year == 1950


def test_a_date_has_no_fractions() -> None:
    with pytest.raises(OracleError) as refusal:
        date_text(TUESDAY, "SS.FF3", of_timestamp=False)
    assert refusal.value.code == "ORA-01821"
    with pytest.raises(OracleError) as refusal:
        moment_of("09.5", "SS.FF", NOW, of_timestamp=False)
    assert refusal.value.code == "ORA-01821"


def test_zero_has_no_ordinal_in_digits() -> None:
    with pytest.raises(OracleError) as refusal:
        date_text(NEW_YEAR, "ssTH")
    assert refusal.value.code == "ORA-01877"


@pytest.mark.parametrize("model", ["HH24:MI TZR", "TZH:TZM", "E YYYY", "DS HH24", "FF9SP"])
def test_what_is_not_done_here_is_said_so(model: str) -> None:
    with pytest.raises(UnsupportedError):
        date_text(TUESDAY, model)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("-44", "SYYYY"),
        ("44 BC", "YYYY BC"),
        ("0.1234567", "SS.FF"),
        ("29-02-1500", "DD-MM-YYYY"),
        ("1", "J"),
    ],
)
def test_moments_that_cannot_be_held_are_said_so(text: str, model: str) -> None:
    with pytest.raises(UnsupportedError):
        moment_of(text, model, NOW)


TO_THE_SECOND = [
    "YYYY-MM-DD HH24:MI:SS",
    "YYYYMMDDHH24MISS",
    "DD-Mon-YYYY HH:MI:SS AM",
    "fmDD/MM/YYYY HH24:MI:SS",
    "J SSSSS",
    "YYYY DDD SSSSS",
    "Day, DDMonthYYYY HH24MISS",
    "FXDay, DDMonthYYYY HH24MISS",
    "FXRM/DD/YYYY HH24:MI:SS",
    "RM DD SYYYY HH12.MI.SS p.m.",
    'Y,YYY "month" MM "day" DD HH24:MI:SS',
    "DL TS",
    "DS TS",
]


@given(st.datetimes(min_value=datetime(1583, 1, 1)), st.sampled_from(TO_THE_SECOND), st.datetimes())
def test_the_text_of_a_moment_reads_back_by_its_model(moment: datetime, model: str, now: datetime) -> None:
    written = date_text(moment, model)
    assert moment_of(written, model, now) == moment.replace(microsecond=0), written


@given(st.datetimes(min_value=datetime(1, 3, 1)), st.integers(min_value=6, max_value=9))
def test_fractions_and_years_of_the_julian_calendar_read_back(moment: datetime, digits: int) -> None:
    model = f"YYYY-MM-DD J HH24:MI:SS.FF{digits}"
    if datetime(1582, 10, 5) <= moment < datetime(1582, 10, 15):
        return
    assert moment_of(date_text(moment, model), model, NOW) == moment


@given(st.text(max_size=12), st.text(alphabet="YMDHISAP0-/: \"'.FXJQWR", max_size=12))
def test_any_text_by_any_model_is_read_or_refused(text: str, model: str) -> None:
    try:
        moment_of(text, model, NOW)
        date_text(TUESDAY, model)
    except (OracleError, UnsupportedError):
        pass
