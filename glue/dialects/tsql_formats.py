"""FORMAT's texts: .NET's formats of numbers and moments, in American English.

By FORMAT (Transact-SQL), and .NET's pages of standard and custom format strings. A format that is none gives
NULL, as FORMAT does; one that is not read here is unsupported.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_moments import DAYS, MONTHS

_CULTURE = "en-us"
_STANDARD_NUMBER = re.compile(r"([A-Za-z])(\d{0,2})")
_CUSTOM_NUMBER = re.compile(r"""(?P<before>[^#0.,%;'"\\E]*)(?P<digits>[#0.,]+)(?P<after>[^#0.,;'"\\E]*)""")
_STANDARD_MOMENTS = {
    "d": "M/d/yyyy",
    "D": "dddd, MMMM d, yyyy",
    "t": "h:mm tt",
    "T": "h:mm:ss tt",
    "f": "dddd, MMMM d, yyyy h:mm tt",
    "F": "dddd, MMMM d, yyyy h:mm:ss tt",
    "g": "M/d/yyyy h:mm tt",
    "G": "M/d/yyyy h:mm:ss tt",
    "M": "MMMM d",
    "m": "MMMM d",
    "Y": "MMMM yyyy",
    "y": "MMMM yyyy",
    "s": "yyyy'-'MM'-'dd'T'HH':'mm':'ss",
    "u": "yyyy'-'MM'-'dd HH':'mm':'ss'Z'",
}
_PART = re.compile(r"""'([^']*)'|"([^"]*)"|\\(.)|%(?=[A-Za-z])|([A-Za-z])\4*|(.)""", re.DOTALL)
_DEFAULT_DIGITS = {"N": 2, "C": 2, "F": 2, "P": 2}


def check_culture(culture: str) -> None:
    """Raises UnsupportedError for any but American English."""
    if culture.lower() != _CULTURE:
        raise UnsupportedError(f"FORMAT in the culture {culture!r}")


def number_text(number: Decimal, model: str, is_whole: bool) -> str | None:
    """A number by a .NET format."""
    standard = _STANDARD_NUMBER.fullmatch(model)
    if standard:
        return _standard_number(number, standard[1].upper(), standard[2], is_whole)
    return _custom_number(number, model)


def _standard_number(number: Decimal, letter: str, digits: str, is_whole: bool) -> str | None:
    if letter == "D":
        if not is_whole:
            return None
        return "-" * (number < 0) + str(abs(int(number))).rjust(int(digits or 0), "0")
    if letter not in _DEFAULT_DIGITS:
        raise UnsupportedError(f"FORMAT of a number by {letter}{digits}")
    n_digits = int(digits) if digits else _DEFAULT_DIGITS[letter]
    scaled = _rounded(number * 100 if letter == "P" else number, n_digits)
    text = f"{abs(scaled):.{n_digits}f}" if letter == "F" else f"{abs(scaled):,.{n_digits}f}"
    if letter == "C":
        return f"(${text})" if scaled < 0 else f"${text}"
    return "-" * (scaled < 0) + text + " %" * (letter == "P")


def _rounded(number: Decimal, n_digits: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-n_digits), ROUND_HALF_UP)


def _custom_number(number: Decimal, model: str) -> str | None:
    said = _CUSTOM_NUMBER.fullmatch(model)
    if said is None or said["digits"].count(".") > 1:
        raise UnsupportedError(f"FORMAT of a number by {model!r}")
    whole, _, fraction = said["digits"].partition(".")
    is_grouped = "," in whole.strip(",")
    if whole.endswith(",") or "," in fraction or whole.startswith(","):
        raise UnsupportedError(f"FORMAT of a number by {model!r}")
    n_percents = model.count("%")
    scaled = _rounded(number * 100**n_percents, len(fraction))
    whole = whole.replace(",", "")
    n_least = len(whole) - whole.index("0") if "0" in whole else 0
    n_kept = fraction.rfind("0") + 1
    digits, _, rest = f"{abs(scaled):.{len(fraction)}f}".partition(".")
    digits = digits.lstrip("0").rjust(n_least, "0")
    if is_grouped:
        digits = re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", digits)
    rest = rest[:n_kept] + rest[n_kept:].rstrip("0")
    text = f"{digits}.{rest}" if rest else digits
    return "-" * (scaled < 0) + said["before"] + text + said["after"]


def moment_text(moment: datetime, model: str) -> str | None:
    """A moment by a .NET format."""
    if len(model) == 1:
        if model not in _STANDARD_MOMENTS:
            raise UnsupportedError(f"FORMAT of a moment by {model!r}")
        model = _STANDARD_MOMENTS[model]
    written = []
    for part in _PART.finditer(model):
        if part[4] is not None:
            written.append(_moment_part(moment, part[0]))
        elif part[0] != "%":
            written.append(next((one for one in (part[1], part[2], part[3], part[5]) if one is not None), ""))
    return "".join(written)


def _moment_part(moment: datetime, part: str) -> str:
    letter, size = part[0], len(part)
    if letter == "y" and size > 2:
        return str(moment.year).rjust(size, "0")
    if letter == "M" and size > 2:
        return MONTHS[moment.month - 1] if size > 3 else MONTHS[moment.month - 1][:3]
    if letter == "d" and size > 2:
        return DAYS[moment.weekday()] if size > 3 else DAYS[moment.weekday()][:3]
    if letter == "t":
        return ("PM" if moment.hour > 11 else "AM")[:size]
    if letter in "fF" and size < 8:
        fraction = f"{moment.microsecond:06d}0"[:size]
        return fraction if letter == "f" else fraction.rstrip("0")
    numbers = {
        "y": moment.year % 100,
        "M": moment.month,
        "d": moment.day,
        "H": moment.hour,
        "h": moment.hour % 12 or 12,
        "m": moment.minute,
        "s": moment.second,
    }
    if letter in "gKz" or letter in "fF":
        raise UnsupportedError(f"the part {part} in FORMAT")
    if letter not in numbers:
        return part
    return str(numbers[letter]).rjust(min(size, 2), "0")
