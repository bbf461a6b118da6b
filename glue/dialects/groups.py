"""The groups of a block of a query, and what its expressions may be made of once its rows are grouped."""

from __future__ import annotations

from dataclasses import dataclass, field

from glue.dialects.scopes import Grouped
from glue.dialects.values import Sql


@dataclass(slots=True)
class Aggregation:
    """What a function of many rows is made of: calls of DuckDB's aggregates, and what they are put into."""

    template: str
    calls: list[str]
    kind: str
    precision: int = 0
    scale: int = 0
    collation: str = ""

    def finished(self, columns: list[str]) -> Sql:
        """Its value, the calls standing in these columns."""
        text = self.template.format(*columns)
        return Sql(text, self.kind, self.precision, self.scale, collation=self.collation)


@dataclass(slots=True)
class GroupLayer:
    """The groups of a block: what its columns are made of, by the names they have above it."""

    alias: str
    columns: dict[str, str] = field(default_factory=dict)
    """By what a column is made of: its name."""

    def column(self, text: str) -> str:
        """The name of the column that is made of this, a new one where there is none."""
        name = self.columns.setdefault(text, f"a{len(self.columns) + 1}")
        return f"{self.alias}.{name}"


@dataclass(slots=True)
class Key:
    """What is grouped by: DuckDB's term of GROUP BY, and the column that its value is above the groups."""

    term: str
    value: str
    name: str


@dataclass(slots=True)
class Level(Grouped):
    """What the expressions of a grouped block may be made of. `terms` are its keys by their text."""

    layer: GroupLayer = field(default_factory=lambda: GroupLayer(""))
    terms: dict[str, Key] = field(default_factory=dict)


@dataclass(slots=True)
class Selected:
    """A column of the select list, and the name by which ORDER BY may mean it."""

    value: Sql
    name: str | None
