"""What is asked of a live database's catalog: one shape that every engine's file fills with its own SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Ask = Callable[..., list[tuple[Any, ...]]]
"""`LiveDatabase.rows`: a query, and the schema where it has that parameter."""


@dataclass(frozen=True)
class LiveCatalog:
    """An engine's queries. Those of one schema have it as their only parameter; rows come in their order.

    All of them name only what the user may select from.
    """

    who: str
    """One row: the server's version, the user and the database there."""
    home_schemas: str
    """The schemas in which the connection looks for bare names, the first one first."""
    schemas: str
    """Every schema with tables that the user may read, none of the server's own, and how many it has."""
    tables: str
    """Of a schema: table, is it a view, comment, rows as the server estimates them (NULL: unknown)."""
    columns: str
    """Of a schema: table, column, type as declared, may it be NULL, comment; in order of position."""
    keys: str
    """Of a schema: table, key, is it the primary one, column; primary and unique keys, in their order."""
    foreign_keys: str
    """Of a schema: table, key, column, schema, table and column referred to; in order of position."""
    quote: str = '""'
    """What opens and closes a quoted name."""
    has_search_path: bool = False
    """Are bare names looked for in more than one schema?"""
    limit: str | None = None
    """The statement that limits the next ones to {ms} milliseconds, {s} seconds; None: the driver does it."""
    sample_text: str = "{column}"
    """A column's value as a text of at most {n} characters."""
    sample: str = "select {columns} from {table} limit {n}"
    """The first {n} rows of a table."""
    unsampled_types: tuple[str, ...] = ()
    """Beginnings of types whose values are no texts to show: bytes, shapes, documents."""
    powers: Callable[[Ask], list[str]] | None = None
    """What the user may do besides reading, for people."""

    def quoted(self, *names: str) -> str:
        """Names quoted and joined by dots."""
        opening, closing = self.quote[0], self.quote[1]
        return ".".join(f"{opening}{name.replace(closing, closing * 2)}{closing}" for name in names)
