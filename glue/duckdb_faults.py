"""Faults of the DuckDB version that is pinned, and what keeps them out of answers.

2.0.1's optimizer `common_subplan` loses rows of a UNION ALL of joins of one table with itself at several
depths, joined to another table, and says nothing (tests/engines/test_duckdb_faults.py). Sessions that run
statements of others go without it.
"""

from __future__ import annotations

RIGHT_ANSWERS = {"disabled_optimizers": "common_subplan"}
"""Settings to connect with."""
