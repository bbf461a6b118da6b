"""A datetime format model taken apart, to write by and to read by (SQL Language Reference, Format Models)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError

MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

# Where one element begins another, the longer stands first.
_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)"
    | (?P<modifier> FM | FX)
    | (?P<element>
        A\.D\. | B\.C\. | A\.M\. | P\.M\. | AD | BC | AM | PM
        | SYYYY | SYEAR | YEAR | Y,YYY | YYYY | YYY | YY | Y | RRRR | RR | IYYY | IYY | IY | SCC | CC | Q
        | MONTH | MON | MM | RM | IW | I | WW | W | DDD | DD | DAY | DY | DL | DS | D | J
        | HH24 | HH12 | HH | MI | SSSSS | SS | FF[1-9]? | TS | TZD | TZH | TZM | TZR | X | EE | E
      )(?P<suffix> SPTH | THSP | SP | TH)?
    | (?P<mark> [!\#-/:-@\[-`{-~\s])
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_TERRITORIAL = {"DL": "FMDay, Month DD, YYYY", "DS": "FMMM/DD/RRRR", "TS": "FMHH:FMMI:SS AM"}
_NOT_HERE = frozenset({"TZD", "TZH", "TZM", "TZR", "E", "EE"})


@dataclass(frozen=True)
class Part:
    """One piece of a model: an element by its name in capitals, or text to stand as it is."""

    element: str
    text: str = ""
    suffix: str = ""
    style: Callable[[str], str] = str.upper
    is_filled: bool = True
    is_exact: bool = False


def _style(written: str) -> Callable[[str], str]:
    """How the element is written decides how its word is: DAY, Day, day."""
    letters = [letter for letter in written if letter.isalpha()]
    if letters[0].islower():
        return str.lower
    return str.title if letters[1:2] and letters[1].islower() else str.upper


def _pieces(model: str) -> Iterator[Part]:
    """The parts, with FM and FX toggled from each place where they stand."""
    is_filled, is_exact = True, False
    position = 0
    while position < len(model):
        token = _TOKEN.match(model, position)
        if token is None:
            raise OracleError("ORA-01821", f"no element of a date format begins at {model[position:]!r}")
        position = token.end()
        if token["modifier"]:
            is_filled ^= token["modifier"].upper() == "FM"
            is_exact ^= token["modifier"].upper() == "FX"
        elif token["element"]:
            part = Part(
                element=token["element"].upper(),
                suffix=(token["suffix"] or "").upper(),
                style=_style(token["element"] + (token["suffix"] or "")),
                is_filled=is_filled,
                is_exact=is_exact,
            )
            yield part
        elif token["mark"]:
            yield Part("mark", token["mark"], is_exact=is_exact)
        else:
            yield Part("quoted", token["quoted"], is_exact=is_exact)


@cache
def parts_of(model: str, of_timestamp: bool) -> tuple[Part, ...]:
    """The model's parts, DL, DS and TS spelled out for America; a date has neither fraction nor zone."""
    pieces = list(_pieces(model))
    elements = {part.element for part in pieces} - {"mark", "quoted"}
    if not of_timestamp and any(element.startswith(("FF", "TZ")) for element in elements):
        raise OracleError("ORA-01821", f"{model!r} asks a date for what only a timestamp has")
    if elements & _NOT_HERE:
        raise UnsupportedError(f"time zones and eras in the date format {model!r}")
    if elements & _TERRITORIAL.keys() and elements - _TERRITORIAL.keys():
        raise UnsupportedError(f"{model!r}: DL, DS and TS stand only beside one another")
    parts: list[Part] = []
    for part in pieces:
        if part.element in _TERRITORIAL:
            spelled = _pieces(_TERRITORIAL[part.element])
            parts += [replace(piece, is_exact=part.is_exact) for piece in spelled]
        else:
            parts.append(part)
    return tuple(parts)
