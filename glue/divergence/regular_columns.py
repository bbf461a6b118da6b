"""What holds of a column: bounds, a closed set, one spelling, no NULL, no value twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from glue.divergence.data import Data, Profile, case_of, kind_of
from glue.divergence.instances import Instance
from glue.divergence.regularity import (
    LABELLED_COLUMNS,
    MANY,
    MIN_SUPPORT,
    ORDERED_KINDS,
    Regularity,
    is_unique,
)


def of_column(data: Data, table: str, column: str, is_reference: bool) -> Iterator[Regularity]:
    """What holds of a column; `is_reference`: it refers to another table."""
    profile = data.profile(table, column)
    found = data.schema.tables[table]
    place = found.place(column)
    name = f"{table}.{column}"

    def each(kind: str, text: str, test: Callable[[Any], bool]) -> Regularity:
        def holds(instance: Instance) -> bool:
            return all(test(row.values[place]) for row in instance.of(table))

        return Regularity(kind, text, frozenset([table]), holds)

    if not profile.n_rows:
        return
    if not profile.n_null and found.columns[place].is_nullable:
        yield each("never_null", f"{name} is never NULL", lambda value: value is not None)
    if not profile.values:
        return
    is_declared = (place,) in found.key_places
    is_key = data.is_key(table, column)
    least = 2 if profile.kind == "text" else MIN_SUPPORT
    if not is_declared and (is_key or (profile.is_unique and len(profile.values) >= least)):
        kind = "unique_keys" if is_key else "no_equal_values"
        if not is_key and profile.kind == "text":
            is_label = len(profile.values) < MANY or len(found.columns) <= LABELLED_COLUMNS
            kind = "unique_labels" if is_label else "unique_names"
            kind = "unique_codes" if _are_codes(profile) else kind
        yield Regularity(kind, f"{name} is unique", frozenset([table]), is_unique((place,), table))
    if profile.is_closed and not (is_key or is_reference):
        values = profile.values
        text = f"{name} has {len(values)} values"
        yield each("closed_set", text, lambda value: value is None or value in values)
    if not (is_key or is_reference):
        yield from (each(*one) for one in _bounds(name, profile))
    if profile.kind == "text":
        if profile.is_trimmed:
            yield each(
                "trimmed_texts",
                f"{name} has no blanks at its ends",
                lambda value: not isinstance(value, str) or value == value.strip(),
            )
        if len(profile.cases) == 1 and (not profile.is_closed):
            (case,) = profile.cases
            yield each(
                "text_case",
                f"{name} is in {case} case",
                lambda value: not isinstance(value, str) or case_of(value) in ("", case),
            )
        if profile.is_closed or len(profile.values) > 1:
            spellings = {str(value).strip().lower(): value for value in profile.values}
            if len(spellings) == len(profile.values):
                yield each(
                    "one_spelling",
                    f"{name} has one spelling of each value",
                    lambda value: (
                        not isinstance(value, str) or spellings.get(value.strip().lower(), value) == value
                    ),
                )
        if "" not in profile.values:
            yield each("no_empty_texts", f"{name} is never the empty text", lambda value: value != "")
    elif profile.kind != "other":
        kinds = {"whole": ("whole",), "number": ("whole", "number")}.get(profile.kind, (profile.kind,))
        yield each(
            "one_form",
            f"{name} holds {profile.kind} values alone",
            lambda value: value is None or kind_of([value]) in kinds,
        )
    if profile.kind == "number" and all(float(value).is_integer() for value in profile.values):
        yield each(
            "whole_numbers",
            f"{name} has no fractions",
            lambda value: not isinstance(value, float) or value.is_integer(),
        )


def _bounds(name: str, profile: Profile) -> Iterator[tuple[str, str, Callable[[Any], bool]]]:
    if profile.kind not in ORDERED_KINDS or not profile.ordered:
        return
    low, high = profile.ordered[0], profile.ordered[-1]
    if profile.kind in ("whole", "number"):
        if low >= 0:
            yield (
                "no_negatives",
                f"{name} is never negative",
                lambda value: not _is_number(value) or value >= 0,
            )
        if low > 0:
            yield "never_zero", f"{name} is never 0", lambda value: not _is_number(value) or value != 0

    def within(value: Any) -> bool:
        try:
            return value is None or low <= value <= high
        except TypeError:
            return True

    yield "within_range", f"{name} lies between {low} and {high}", within


def _are_codes(profile: Profile) -> bool:
    """Are the texts made to tell rows apart: without blanks, with digits, all of a few shapes?"""
    shapes = {_DIGITS.sub("9", _LETTERS.sub("A", str(value))) for value in profile.values}
    return len(shapes) <= 3 and all("9" in shape and " " not in shape for shape in shapes)


_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or type(value).__name__ == "Decimal"
