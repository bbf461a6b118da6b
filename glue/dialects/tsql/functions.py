"""Which functions of SQL Server make one value of many rows, and which need a window."""

from __future__ import annotations

OF_GROUPS = frozenset({"GROUPING", "GROUPING_ID"})
"""Functions that tell of the groups themselves."""

_AGGREGATES = """
    APPROX_COUNT_DISTINCT AVG CHECKSUM_AGG COUNT COUNT_BIG MAX MIN STDEV STDEVP STRING_AGG SUM VAR VARP
"""
AGGREGATES = frozenset({*_AGGREGATES.split(), *OF_GROUPS})

RANKS = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE"})
SHARES = frozenset({"PERCENT_RANK", "CUME_DIST"})
OFFSETS = frozenset({"LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"})
PERCENTILES = frozenset({"PERCENTILE_CONT", "PERCENTILE_DISC"})
"""Functions of windows alone."""

DATE_PART_CALLS = frozenset(
    {"DATEADD", "DATEDIFF", "DATEDIFF_BIG", "DATENAME", "DATEPART", "DATETRUNC", "DATE_BUCKET"}
)
"""Functions whose first argument is a part of a date, and no column."""
