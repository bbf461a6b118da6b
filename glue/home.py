"""Where a warehouse lives: EVALHOUSE_HOME, or the current folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Home:
    """The folders of one warehouse. `landing` and `exports` are the two hand-over folders of the design."""

    root: Path

    @classmethod
    def current(cls) -> Home:
        return cls(Path(os.environ.get("EVALHOUSE_HOME") or ".").expanduser().resolve())

    @property
    def landing(self) -> Path:
        """What glue writes and dbt reads."""
        return self.root / "landing"

    @property
    def exports(self) -> Path:
        """What dbt writes and glue reads."""
        return self.root / "exports"

    @property
    def warehouse(self) -> Path:
        """The DuckDB file that dbt alone writes. Disposable: delete it and build again."""
        return self.root / "warehouse.duckdb"

    @property
    def cache(self) -> Path:
        """Prepared copies of database files. Disposable."""
        return self.root / "cache"

    @property
    def connections(self) -> Path:
        """Where live databases are and who asks, a file each; no passwords."""
        return self.root / "connections"

    @property
    def target(self) -> Path:
        """dbt's own working files for this warehouse."""
        return self.root / "target"
