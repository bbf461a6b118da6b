"""Documentation density: how many of a database's columns carry their description, by a share that is a knob.

ESQ-Bench (section 7.2) could not estimate it, for none of its columns had one. Here every column has a
description in the manifest, and the share of each database, or another one asked for, says how many are shown
to models and written as comments. Which ones is drawn once, by name: a larger share holds the smaller one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from glue.bank.manifest import BankColumn, BankTable, Manifest


def documented(manifest: Manifest, share: float | None = None) -> Manifest:
    """The manifest with the descriptions of so many columns of each database; None: its own share."""
    databases = {
        db_id: tuple(_tables(tables, _share(manifest, db_id, share)))
        for db_id, tables in manifest.databases.items()
    }
    return replace(manifest, databases=databases)


def _share(manifest: Manifest, db_id: str, share: float | None) -> float:
    if share is not None:
        return share
    about = manifest.about.get(db_id)
    return 1.0 if about is None else about.documented_share


def _tables(tables: tuple[BankTable, ...], share: float) -> Iterator[BankTable]:
    places = sorted(
        (hashlib.md5(f"{table.name}.{column.name}".encode()).hexdigest(), table.name, column.name)
        for table in tables
        for column in table.columns
    )
    shown = {place[1:] for place in places[: round(share * len(places))]}
    for table in tables:
        columns = tuple(_shown(column, (table.name, column.name) in shown) for column in table.columns)
        yield replace(table, columns=columns)


def _shown(column: BankColumn, is_shown: bool) -> BankColumn:
    return column if is_shown else replace(column, description=None, value_domain=None)
