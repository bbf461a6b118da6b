"""Moments as texts by CONVERT's styles, in DuckDB's SQL. By CAST and CONVERT (Transact-SQL)."""

from __future__ import annotations

from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.values import Sql

_DAYS = {
    1: "%m/%d/%y", 101: "%m/%d/%Y", 2: "%y.%m.%d", 102: "%Y.%m.%d", 3: "%d/%m/%y", 103: "%d/%m/%Y",
    4: "%d.%m.%y", 104: "%d.%m.%Y", 5: "%d-%m-%y", 105: "%d-%m-%Y", 6: "%d %b %y", 106: "%d %b %Y",
    7: "%b %d, %y", 107: "%b %d, %Y", 10: "%m-%d-%y", 110: "%m-%d-%Y", 11: "%y/%m/%d", 111: "%Y/%m/%d",
    12: "%y%m%d", 112: "%Y%m%d", 23: "%Y-%m-%d",
}  # fmt: skip
"""Styles that say the day alone."""
_CLOCKS = frozenset({8, 24, 108, 14, 114})
_WHOLE = {
    **dict.fromkeys((0, 100), "%b {day} %Y {half}"),
    **dict.fromkeys((9, 109), "%b {day} %Y {hour}:%M:%S{colon}%p"),
    **dict.fromkeys((13, 113), "%d %b %Y %H:%M:%S{colon}"),
    **dict.fromkeys((20, 120), "%Y-%m-%d %H:%M:%S"),
    **dict.fromkeys((21, 25, 121), "%Y-%m-%d %H:%M:%S{point}"),
    126: "%Y-%m-%dT%H:%M:%S{rest}",
    127: "%Y-%m-%dT%H:%M:%S{rest}",
    22: "%m/%d/%y {hour}:%M:%S %p",
}
_DATE_PARTS = {
    **dict.fromkeys((0, 100, 9, 109), "%b {day} %Y"),
    **dict.fromkeys((13, 113), "%d %b %Y"),
    **dict.fromkeys((20, 21, 25, 120, 121, 126, 127), "%Y-%m-%d"),
}
_TIME_PARTS = {
    **dict.fromkeys((0, 100), "{half}"),
    **dict.fromkeys((8, 24, 108, 20, 120), "%H:%M:%S"),
    **dict.fromkeys((14, 114, 21, 25, 121, 126), "%H:%M:%S{point}"),
}
_ISO = 121
_COUNTED = frozenset({"datetime", "smalldatetime"})
_MILLISECONDS = 3


def text_of_moment(value: Sql, style: int | None) -> str:
    """The moment by this style; by its type's own where there is none. UnsupportedError for one not known."""
    if style is None:
        style = 0 if value.kind in _COUNTED else _ISO
    model = _model(value.kind, style)
    if model is None:
        raise UnsupportedError(f"{value.kind} as a text by style {style}")
    moment = f"(date '1900-01-01' + {value.text})" if value.kind == "time" else value.text
    parts = []
    for place, part in enumerate(model.replace("}", "{").split("{")):
        if place % 2 == 0:
            parts += [f"strftime({moment}, {quoted_text(part)})"] if part else []
        else:
            parts.append(_special(part, moment, value))
    return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"


def _model(kind: str, style: int) -> str | None:
    if kind == "date":
        return _DAYS.get(style) or _DATE_PARTS.get(style)
    if kind == "time":
        return _TIME_PARTS.get(style)
    if style in _CLOCKS:
        return "%H:%M:%S" + "{colon}" * (style in (14, 114))
    return _DAYS.get(style) or _WHOLE.get(style)


def _special(part: str, moment: str, value: Sql) -> str:
    """What strftime does not write: numbers with a blank before them, and a fraction of a second."""
    if part == "day":
        return f"lpad(strftime({moment}, '%-d'), 2, ' ')"
    if part == "hour":
        return f"lpad(strftime({moment}, '%-I'), 2, ' ')"
    if part == "half":
        return f"lpad(strftime({moment}, '%-I:%M%p'), 7, ' ')"
    n_digits = value.scale if value.kind in ("datetime2", "time") else _MILLISECONDS
    fraction = f"left(strftime({moment}, '%f') || '0', {n_digits})"
    if part == "rest":
        is_counted = str(value.kind in _COUNTED).lower()
        return f"tsql_iso_fraction({fraction}, {is_counted})" if n_digits else "''"
    sign = ":" if part == "colon" and value.kind in _COUNTED else "."
    return f"('{sign}' || {fraction})" if n_digits else "''"
