"""FORMAT's texts: .NET's formats of numbers and moments, in American English.

By FORMAT (Transact-SQL), and .NET's pages of standard and custom format strings. A format that is none gives
NULL, as FORMAT does; one that is not read here is unsupported.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

from glue.dialects.errors import UnsupportedError
from glue.dialects.stored_types import EXACT, rounded
from glue.dialects.tsql_moments import DAYS, MONTHS

_CULTURE = "en-us"
_STANDARD_NUMBER = re.compile(r"([A-Za-z])(\d{0,2})")
_PICTURE = re.compile(r"""([0#.,%;E‰])|'([^']*)'|"([^"]*)"|\\(.)|(.)""", re.DOTALL)
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
    scaled = rounded(EXACT.scaleb(number, 2) if letter == "P" else number, n_digits)
    text = f"{abs(scaled):.{n_digits}f}" if letter == "F" else f"{abs(scaled):,.{n_digits}f}"
    if letter == "C":
        return f"(${text})" if scaled < 0 else f"${text}"
    return "-" * (scaled < 0) + text + " %" * (letter == "P")


def _custom_number(number: Decimal, model: str) -> str:
    """A number by a picture of its digits; other letters stand for themselves."""
    parts = [
        (part[1] or "", next((one for one in part.groups()[1:] if one is not None), ""))
        for part in _PICTURE.finditer(model)
    ]
    signs = "".join(sign or "_" for sign, _ in parts)
    whole, _, fraction = signs.partition(".")
    places = [at for at, sign in enumerate(whole) if sign in "0#"]
    commas = [at for at, sign in enumerate(whole) if sign == ","]
    is_odd = signs.count(".") > 1 or set(signs) & set(";E‰") or "," in fraction or not places
    if is_odd or any(not places[0] < at < places[-1] for at in commas):
        raise UnsupportedError(f"FORMAT of a number by {model!r}")
    behind = [sign for sign in fraction if sign in "0#"]
    scaled = rounded(EXACT.scaleb(number, 2 * signs.count("%")), len(behind))
    digits, _, rest = f"{abs(scaled):.{len(behind)}f}".partition(".")
    n_kept = "".join(behind).rfind("0") + 1
    rest = rest[:n_kept] + rest[n_kept:].rstrip("0")
    found = _in_places(digits.lstrip("0"), [whole[at] for at in places], is_grouped=bool(commas))
    found += [f".{digit}" if at == 0 else digit for at, digit in enumerate(rest)]
    found += [""] * (len(behind) - len(rest))
    pieces = iter(found)
    written = [next(pieces) if sign in ("0", "#") else sign.strip(".,") or letter for sign, letter in parts]
    return "-" * (scaled < 0) + "".join(written)


def _in_places(digits: str, places: list[str], is_grouped: bool) -> list[str]:
    """The digits before the point for each place of a picture; the first gets those that are too many."""
    n_least = len(places) - places.index("0") if "0" in places else 0
    digits = digits.rjust(n_least, "0")
    if is_grouped:
        digits = re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", digits)
    found: list[str] = []
    for _ in places[1:]:
        size = 2 if digits[-2:-1] == "," else 1
        found.insert(0, digits[-size:])
        digits = digits[: -size if digits else None]
    return [digits, *found]


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
