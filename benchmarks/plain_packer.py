"""The alternative of `benchmarks/packing.py` and the reference of tests/test_packing.py: a plain loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Packing(NamedTuple):
    """Tables that were packed, in order, and what they cost; an infeasible packing holds none."""

    tables: list[int]
    n_tokens: int
    is_infeasible: bool


def pack(order: Sequence[int], costs: Mapping[int, int], cap: int, n_required: int = 0) -> Packing:
    """Pack whole tables in `order`, each where it still fits; nothing where the first `n_required` do not."""
    tables: list[int] = []
    n_tokens = 0
    for place, table in enumerate(order):
        cost = costs[table]
        if n_tokens + cost <= cap:
            tables.append(table)
            n_tokens += cost
        elif place < n_required:
            return Packing([], 0, True)
    return Packing(tables, n_tokens, False)
