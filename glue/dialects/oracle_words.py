"""Numbers as Oracle spells them: English words, ordinals and Roman numerals."""

from __future__ import annotations

import re

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError

_BELOW_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
    """.split()  # noqa: SIM905 - a text is easier to read
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = ((1_000_000, "million"), (1_000, "thousand"), (100, "hundred"))
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
    "zero": "zeroeth",
}
_ROMANS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def cardinal(number: int) -> str:
    """Four thousand three hundred twenty-one, in small letters and without "and"."""
    if number < 20:
        return _BELOW_TWENTY[number]
    for scale, name in _SCALES:
        if number >= scale:
            whole, rest = divmod(number, scale)
            return f"{cardinal(whole)} {name}" + (f" {cardinal(rest)}" if rest else "")
    tens, rest = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_BELOW_TWENTY[rest]}" if rest else "")


def ordinal(number: int) -> str:
    """The cardinal with its last word made an ordinal: twenty-first, one hundredth."""
    words = cardinal(number)
    start = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[start:]
    if last in _ORDINALS:
        return words[:start] + _ORDINALS[last]
    return words[:start] + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def ordinal_ending(number: int) -> str:
    """The st, nd, rd or th that follows the digits."""
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def year_in_words(year: int) -> str:
    """The year as it is spoken: nineteen ninety-nine, nineteen hundred, two thousand eight.

    Raises UnsupportedError where neither the manual nor a published result says how (820, 1905).
    """
    hundreds, rest = divmod(year, 100)
    if year >= 1000 and hundreds % 10 == 0 and rest < 10:
        return cardinal(year)
    if year >= 1000 and (rest == 0 or rest >= 10):
        return f"{cardinal(hundreds)} {cardinal(rest) if rest else 'hundred'}"
    raise UnsupportedError(f"the year {year} spelled out")


def roman(number: int) -> str:
    """1 to 3999 in Roman capitals."""
    digits = ""
    for worth, letters in _ROMANS:
        count, number = divmod(number, worth)
        digits += letters * count
    return digits


_MODEL = re.compile(r"(?:FM)?J(?P<suffix>SP|SPTH|THSP)", re.IGNORECASE)
_LAST_JULIAN_DAY = 5_373_484


def is_spelling(model: str) -> bool:
    """Is it a model that spells a Julian day, by which any number is spelled?"""
    return _MODEL.fullmatch(model) is not None


def spelled(number: int, model: str) -> str:
    """TO_CHAR(TO_DATE(number, 'J'), 'JSP'): the number in words, in capitals as the model has them.

    Raises OracleError for what is no Julian day.
    """
    if not 1 <= number <= _LAST_JULIAN_DAY:
        raise OracleError("ORA-01854", f"{number} is no Julian day between 1 and {_LAST_JULIAN_DAY}")
    match = _MODEL.fullmatch(model)
    words = ordinal if match and len(match["suffix"]) > 2 else cardinal
    letters = model[-len(match["suffix"]) - 1 :] if match else model
    if letters.isupper() or letters[:2].isupper():
        return words(number).upper()
    return words(number).title() if letters[0].isupper() else words(number)
