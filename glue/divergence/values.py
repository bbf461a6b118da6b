"""Values that may tell two statements apart where a column holds them, each with its kind of change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from glue.divergence.data import Profile, case_of
from glue.divergence.instances import Value

MAX_OTHER_VALUES = 6

_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_MONTH = re.compile(r"((?:1[5-9]|20|21)\d\d)-(\d\d)")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_WILDCARDS = re.compile(r"[%_]+")


def candidates(profile: Profile, literals: Sequence[Any], is_nullable: bool) -> Iterator[tuple[str, Value]]:
    """Kinds of change and values, each value once, the most telling first."""
    seen: set[tuple[type, Any]] = set()
    for kind, value in _all(profile, literals, is_nullable):
        key = (type(value), value)
        if key not in seen:
            seen.add(key)
            yield kind, value


def _all(profile: Profile, literals: Sequence[Any], is_nullable: bool) -> Iterator[tuple[str, Value]]:
    fitting = [value for literal in literals for value in fitting_values(profile, literal)]
    yield from (("boundary", value) for value in fitting)
    for value in fitting:
        yield from (("boundary", near) for near in _neighbours(profile, value))
    yield from (("other_value", value) for value in _others(profile))
    if is_nullable:
        yield "null", None
    texts = [value for value in [*fitting, *_others(profile)[:2]] if isinstance(value, str)]
    if profile.kind == "text":
        for text in texts:
            yield from (("letter_case", other) for other in (text.lower(), text.upper()) if other != text)
        yield from (("blanks", f"{text} ") for text in texts[:2])
        yield "empty_text", ""
        yield from (("extreme", f"{text}x") for text in texts[:2])
    yield from (("extreme", value) for value in _extremes(profile))


def _others(profile: Profile) -> list[Value]:
    """Values of the data: all of a few, else those at the ends and the most frequent."""
    by_count = [value for value, _ in profile.values.most_common(MAX_OTHER_VALUES)]
    ordered = profile.ordered
    if len(profile.values) <= MAX_OTHER_VALUES or not ordered:
        return by_count
    ends = [ordered[0], ordered[-1], ordered[len(ordered) // 2]]
    return list(dict.fromkeys([*ends, *by_count]))[:MAX_OTHER_VALUES]


# --------------------------------------------------------------------------- literals as values of a column


def fitting_values(profile: Profile, literal: Any) -> Iterator[Value]:
    """What a literal is as a value of the column; of part of a date, the days at its ends."""
    if profile.kind in ("whole", "number"):
        yield from _numbers(profile, literal)
    elif profile.kind in ("date", "moment"):
        yield from (_dated(profile, day) for day in _days(profile, literal))
    elif profile.kind == "text":
        if isinstance(literal, str):
            yield from _texts(literal)
        else:
            yield str(literal)


def _numbers(profile: Profile, literal: Any) -> Iterator[Value]:
    try:
        number = float(literal)
    except ValueError:
        return
    if number != number or abs(number) > 1e15:
        return
    yield as_number(profile, number)


def as_number(profile: Profile, number: float) -> Value:
    sample = next(iter(profile.values))
    if isinstance(sample, Decimal):
        return Decimal(repr(round(number, 6)))
    if profile.kind == "whole":
        return round(number)
    return number


def _texts(literal: str) -> Iterator[str]:
    if "%" not in literal and "_" not in literal:
        yield literal
        return
    bare = _WILDCARDS.sub("", literal)
    yield bare
    yield f"x{bare}"
    yield f"{bare}x"
    yield f"x{bare}x"
    yield _WILDCARDS.sub("x", literal)


def _days(profile: Profile, literal: Any) -> Iterator[date]:
    text = str(literal)
    try:
        if found := _DAY.match(text):
            yield date(*map(int, found.groups()))
        elif found := _MONTH.fullmatch(text.rstrip("-%")):
            first = date(int(found[1]), int(found[2]), 1)
            after = (first + timedelta(days=32)).replace(day=1)
            yield from (first, after - timedelta(days=1), after)
        elif _YEAR.fullmatch(text.rstrip("-%")):
            year = int(text[:4])
            yield from (date(year, 1, 1), date(year, 12, 31), date(year + 1, 1, 1))
        elif text.lstrip("0").isdigit() and int(text) <= 31 and profile.values:
            sample = _day_of(next(iter(profile.values)))
            if int(text) <= 12:
                yield sample.replace(month=int(text), day=1)
            yield sample.replace(month=1, day=int(text) or 1)
    except ValueError:
        return


def _day_of(value: Value) -> date:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(str(value)[:10])


def _dated(profile: Profile, day: date, clock: str = "00:00:00") -> Value:
    """A day as a value of the column."""
    sample = next(iter(profile.values))
    if isinstance(sample, str):
        if profile.kind == "date":
            return day.isoformat()
        return f"{day.isoformat()}{sample[10]}{clock}"[: len(sample)].ljust(len(sample), "0")
    if isinstance(sample, datetime):
        return datetime.fromisoformat(f"{day.isoformat()} {clock}")
    return day


def shifted(profile: Profile, value: Value, number: int, unit: str) -> Iterator[Value]:
    """A day so many days, months or years before and after another one, and the days around those."""
    day = _day_of(value)
    for sign in (1, -1):
        try:
            if unit == "day":
                there = day + timedelta(days=sign * number)
            else:
                months = day.year * 12 + day.month - 1 + sign * number * (12 if unit == "year" else 1)
                there = _in_month(months // 12, months % 12 + 1, day.day)
            for days in (0, 1, -1):
                yield _dated(profile, there + timedelta(days=days))
        except (OverflowError, ValueError):
            continue


def _in_month(year: int, month: int, day: int) -> date:
    """That day of a month, or its last one."""
    first_after = date(year + month // 12, month % 12 + 1, 1)
    return min(date(year, month, 1) + timedelta(days=day - 1), first_after - timedelta(days=1))


def proportions(ratio: float) -> Iterator[tuple[float, float]]:
    """Pairs of numbers of which a quotient, share or difference is a ratio."""
    for part in (ratio, 1 - ratio, 1 + ratio):
        for whole in (100.0, 1_000.0):
            yield round(whole * part, 6), whole
            yield whole, round(whole * part, 6)


# --------------------------------------------------------------------------- neighbours and extremes


def _neighbours(profile: Profile, value: Value) -> Iterator[Value]:
    if profile.kind in ("whole", "number"):
        yield from (value + 1, value - 1)
        if profile.kind == "number":
            step = _step(profile)
            yield from (type(value)(value + step), type(value)(value - step))
    elif profile.kind in ("date", "moment"):
        day = _day_of(value)
        for days in (1, -1):
            try:
                yield _dated(profile, day + timedelta(days=days))
            except OverflowError:
                continue
        if profile.kind == "moment":
            yield _dated(profile, day, "13:45:10")
            yield _dated(profile, day, "23:59:59")


def _step(profile: Profile) -> Any:
    sample = next(iter(profile.values))
    if isinstance(sample, Decimal):
        exponent = sample.as_tuple().exponent
        return Decimal(1).scaleb(exponent if isinstance(exponent, int) else -2)
    return 0.01


def _extremes(profile: Profile) -> Iterator[Value]:
    if not profile.values or not profile.ordered:
        return
    low, high = profile.ordered[0], profile.ordered[-1]
    if profile.kind in ("whole", "number"):
        yield from (as_number(profile, 0), as_number(profile, -1), high + 1, low - 1)
        if profile.kind == "number" and not isinstance(high, Decimal):
            yield as_number(profile, float(high) / 3)
    elif profile.kind in ("date", "moment"):
        for day in (_day_of(high), _day_of(low)):
            for days in (400, -400):
                try:
                    yield _dated(profile, day + timedelta(days=days), "09:30:00")
                except (OverflowError, ValueError):
                    continue


# --------------------------------------------------------------------------- values that are not there yet


def fresh(profile: Profile, taken: Iterable[Value]) -> Value | None:
    """A value that is neither in the data nor in `taken`, of the same look; None where there is none."""
    used = set(taken) | set(profile.values)
    if not profile.ordered:
        return None
    low, high = profile.ordered[0], profile.ordered[-1]
    for value in _between(profile, low, high):
        if value not in used:
            return value
    for number in range(1, 200):
        if profile.kind == "whole":
            value = high + number
        elif profile.kind == "number":
            value = type(high)(int(high) + number)
        elif profile.kind in ("date", "moment"):
            try:
                value = _dated(profile, _day_of(high) + timedelta(days=number))
            except OverflowError:
                return None
        elif profile.kind == "text":
            value = _numbered(str(high), number)
        else:
            return None
        if value not in used:
            return value
    return None


def _between(profile: Profile, low: Value, high: Value) -> Iterator[Value]:
    """Some values within the range of those of the data."""
    if profile.kind == "number":
        span = float(high) - float(low)
        for number in range(1, 40):
            found = as_number(profile, round(float(low) + span * number / 41, 2))
            if low <= found <= high:
                yield found
    elif profile.kind in ("date", "moment"):
        days = (_day_of(high) - _day_of(low)).days
        for number in range(1, 40):
            yield _dated(profile, _day_of(low) + timedelta(days=days * number // 41))


def _numbered(text: str, number: int) -> str:
    """A text of the same length and case with another number in it."""
    if found := re.search(r"\d+(?=\D*\Z)", text):
        digits = str(int(found[0]) + number).zfill(len(found[0]))[-len(found[0]) :]
        return text[: found.start()] + digits + text[found.end() :]
    letters = "".join(chr(ord("a") + (number // 26**place) % 26) for place in range(2))
    return text + (letters.upper() if case_of(text) == "upper" else letters)
