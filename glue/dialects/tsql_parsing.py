"""PARSE: texts as .NET reads them by a culture. By PARSE and TRY_PARSE (Transact-SQL)."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_moments import DAYS, moment_of

_STYLES = {"en-us": 101, "en-gb": 103, "en-au": 103, "en-nz": 103}
"""CONVERT's style whose order a culture's dates have."""
_NUMBER = re.compile(r"\s*(?P<sign>[-+]?)\$?(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?P<fraction>\.\d*)?\s*")
_WEEKDAY = re.compile(rf"\s*(?:{'|'.join(DAYS)}),?\s+", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d.*")
_NAMED = re.compile(r".*[A-Za-z]{3}.*")


def _failure(text: str, kind: str) -> TSQLError:
    return TSQLError("9819", f"{text!r} is no {kind}")


def parsed_moment(text: str, kind: str, culture: str) -> datetime:
    """A moment by a culture. Raises 9819."""
    style = _STYLES.get(culture.lower())
    if style is None:
        raise UnsupportedError(f"PARSE by the culture {culture!r}")
    day = _WEEKDAY.sub("", text)
    if not day.strip():
        raise _failure(text, kind)
    is_ordered_by_itself = _ISO.fullmatch(day.strip()) or _NAMED.fullmatch(day)
    try:
        return moment_of(day, kind, 0 if is_ordered_by_itself else style)
    except DialectError:
        raise _failure(text, kind) from None


def parsed_number(text: str, kind: str, culture: str) -> str:
    """The digits of a number by a culture. Raises 9819."""
    if culture.lower() not in _STYLES:
        raise UnsupportedError(f"PARSE by the culture {culture!r}")
    said = _NUMBER.fullmatch(text)
    if said is None:
        if re.search(r"\d", text):
            raise UnsupportedError(f"PARSE of {text!r}")
        raise _failure(text, kind)
    number = Decimal(said["sign"] + said["whole"].replace(",", "") + (said["fraction"] or "").rstrip("."))
    if "$" in text and kind not in ("money", "smallmoney"):
        raise _failure(text, kind)
    return f"{number:f}"
