"""May a model be let at a schema? The checks of ESQ-Bench, section 7.4, for one imported database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from glue.errors import GlueError, nearest
from glue.home import Home

_COLUMNS = "benchmark, db_id, label, status, measure, threshold, detail, advice, n_passed, n_measured"


@dataclass(frozen=True)
class Check:
    """One check: `status` is passes, fails or not_measured; `advice` stands where it fails."""

    label: str
    status: str
    measure: float | None
    threshold: float
    detail: str | None
    advice: str | None


@dataclass(frozen=True)
class Card:
    """A database's checks in the paper's order, and how many of those measured it passes."""

    benchmark: str
    db_id: str
    checks: tuple[Check, ...]
    n_passed: int
    n_measured: int


def deployability(home: Home, database: str, benchmark: str | None = None) -> list[Card]:
    """The cards of a database, one to each benchmark that has it, or of the one named.

    GlueError for a database that no catalog was imported of, naming the nearest.
    """
    from glue.warehouse import open_read_only

    with open_read_only(home) as connection:
        rows = connection.execute(
            f"select {_COLUMNS} from deployability order by benchmark, db_id, position"
        ).fetchall()
    known = sorted({str(row[1]) for row in rows})
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for row in rows:
        if row[1] == database and benchmark in (None, row[0]):
            found.setdefault((str(row[0]), str(row[1])), []).append(row)
    if not found:
        close = nearest(database, known)
        hint = f"did you mean {close!r}?" if close else "glue import database FILE, then glue build"
        raise GlueError(f"no catalog of database {database!r} has been imported and built", hint)
    return [_card(name, rows_of_database) for name, rows_of_database in found.items()]


def _card(name: tuple[str, str], rows: list[tuple[Any, ...]]) -> Card:
    checks = tuple(Check(*row[2:8]) for row in rows)
    return Card(*name, checks, n_passed=rows[0][8], n_measured=rows[0][9])
