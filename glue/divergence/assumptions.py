"""Which regularities of the data an alarm may break: undeclared facts, each with a rank.

A witness that breaks none is the strongest. Which of the others count was decided by measurement
(docs/divergence.md): the rest is reported as diverges_beyond_data.
"""

from __future__ import annotations

from collections.abc import Iterable

_RANKS: dict[str, tuple[int, bool]] = {
    # class: (rank, is it an alarm?)
    "within_range": (1, True),
    "no_equal_values": (1, True),
    "one_child": (1, True),
    "hierarchy_depth": (1, True),
    "never_zero": (1, True),
    "whole_numbers": (1, True),
    "every_parent_has_children": (2, True),
    "no_negatives": (2, True),
    "closed_set": (2, True),
    "unique_names": (2, True),
    "unique_together": (2, True),
    "null_pattern": (2, True),
    "dependency": (2, True),
    "never_null": (2, False),
    "table_not_empty": (2, False),
    "some_row_counts": (2, False),
    "no_cut_ties": (2, False),
    "unique_labels": (3, False),
    "unique_codes": (3, False),
    "unique_links": (3, False),
    "unique_keys": (4, False),
    "no_dangling_keys": (3, False),
    "reference_rows": (3, False),
    "dates_in_order": (3, False),
    "numbers_in_order": (3, False),
    "copied_values": (3, False),
    "sum_of_parts": (3, False),
    "one_spelling": (3, False),
    "text_case": (3, False),
    "trimmed_texts": (3, False),
    "no_empty_texts": (3, False),
    "one_form": (4, False),
    "mirrored_rows": (3, False),
    "pairs_of_children": (3, False),
}


def rank(kinds: Iterable[str]) -> int:
    """How late an instance is tried that breaks regularities of these classes: 0 where there are none."""
    found = list(kinds)
    alarms = 0 if is_alarm(found) else 100
    return alarms + sum(_RANKS[kind][0] for kind in set(found)) * 2 + (1 if len(found) > 2 else 0)


def is_alarm(kinds: Iterable[str]) -> bool:
    """Does a witness that breaks these count?"""
    return all(_RANKS[kind][1] for kind in kinds)


def assumption_classes() -> list[str]:
    """Every class there is."""
    return list(_RANKS)
