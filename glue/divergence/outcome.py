"""What is checked, what became of it, and how its witness is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from glue.cells import Cells
from glue.divergence.instances import ForeignKey, Instance
from glue.divergence.reading import Reading

VERSION = "1"
"""Of the checker: what another one has checked is checked again (`divergence_checker_version` in dbt)."""


@dataclass(frozen=True)
class Pair:
    """Gold and a prediction over one database. `dialect` is sqlglot's name of theirs."""

    gold_sql: str
    predicted_sql: str
    is_ordered: bool
    dialect: str


@dataclass
class Check:
    """What became of a pair: diverges, diverges_beyond_data, stays_equal, not_decidable or failed.

    `assumptions` are the regularities of the data that the witness breaks, as (class, in words).
    """

    outcome: str
    reason: str | None = None
    kind: str | None = None
    assumptions: tuple[tuple[str, str], ...] = ()
    n_instances: int = 0
    elapsed_ms: float = 0.0
    witness: dict[str, Any] | None = None
    gold_columns: tuple[str, ...] = ()
    predicted_columns: tuple[str, ...] = ()
    gold_rows: list[Cells] | None = None
    predicted_rows: list[Cells] | None = None
    predicted_error: str | None = None


def shown(witness: Instance, reading: Reading, keys: Sequence[ForeignKey]) -> dict[str, Any]:
    """The rows of each table that is read, of its columns those that are mentioned or in keys.

    Rows that others only refer to, in tables that neither statement reads, are left out.
    """
    found: dict[str, Any] = {}
    for name in reading.tables:
        table = reading.schema.tables[name]
        names = {*reading.of_table(name)}
        names |= {column.lower() for columns in table.unique[:1] for column in columns}
        for key in keys:
            if key.table == name:
                names |= {column.lower() for column in key.columns}
        places = [place for place, column in enumerate(table.columns) if column.name.lower() in names]
        found[table.name] = {
            "columns": [table.columns[place].name for place in places],
            "rows": [[row.values[place] for place in places] for row in witness.of(name)],
        }
    return found
