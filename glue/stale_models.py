"""Which models a refresh has to build: those that what has landed, the project or a variable has changed.

Each model is known by a digest of all that it is made from: the project, the variables, and the landing
tables among its ancestors. One whose digest is that of its last build is as it would be built again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from glue.home import Home

KINDS = ("model", "seed")
"""What dbt calls the kinds of what a refresh builds."""


@dataclass(frozen=True)
class Inputs:
    """What a build is made from: a digest of project and variables, and one of each landing table's files."""

    project: str
    tables: Mapping[str, str]


class Models:
    """The models and seeds of a parsed project (dbt's manifest), by name."""

    def __init__(self, manifest: Any, inputs: Inputs) -> None:
        self._inputs = inputs
        nodes = {key: node for key, node in manifest.nodes.items() if node.resource_type in KINDS}
        self._names = {key: str(node.name) for key, node in nodes.items()}
        self._sources = {key: str(source.name) for key, source in manifest.sources.items()}
        self._is_seed = {node.name: node.resource_type == "seed" for node in nodes.values()}
        self._parents: dict[str, list[str]] = {
            node.name: list(getattr(node.depends_on, "nodes", ())) for node in nodes.values()
        }

    @property
    def names(self) -> list[str]:
        """All of them."""
        return list(self._parents)

    def upstream_of(self, targets: Iterable[str]) -> list[str]:
        """These models, where there are such, and all that they stand on."""
        found: dict[str, None] = {}
        waiting = [name for name in targets if name in self._parents]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                waiting += [self._names[key] for key in self._parents[name] if key in self._names]
        return list(found)

    @cached_property
    def digests(self) -> dict[str, str]:
        """Name -> digest of all that it is made from."""
        found = {}
        for name in self._parents:
            tables = {table: self._inputs.tables.get(table, "") for table in self._tables_of(name)}
            text = json.dumps([self._inputs.project, sorted(tables.items())])
            found[name] = hashlib.md5(text.encode()).hexdigest()
        return found

    def _tables_of(self, name: str) -> set[str]:
        """The landing tables among its ancestors; all of them for a model of which dbt sees no ancestor."""
        tables: set[str] = set()
        for ancestor in self.upstream_of([name]):
            parents = self._parents[ancestor]
            tables |= {self._sources[key] for key in parents if key in self._sources}
            if not parents and not self._is_seed[ancestor]:
                return set(self._inputs.tables)
        return tables


def last_built(home: Home) -> dict[str, str]:
    """Name -> digest at its last build, of the models that the warehouse holds."""
    import duckdb

    try:
        recorded = json.loads(_path(home).read_text())
    except (OSError, ValueError):
        return {}
    if not home.warehouse.exists() or not isinstance(recorded, dict):
        return {}
    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        rows = warehouse.execute("select table_name from information_schema.tables").fetchall()
    present = {name for (name,) in rows}
    return {name: digest for name, digest in recorded.items() if name in present}


def remember_built(home: Home, built: Mapping[str, str]) -> None:
    """Keep what models were built from, beside what is known of the others."""
    path = _path(home)
    try:
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        known = {}
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps({**known, **built}, indent=1))
    temporary.replace(path)


def _path(home: Home) -> Path:
    return home.exports / "built.json"
