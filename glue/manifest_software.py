"""What a manifest says of software: versions, Evalhouse's own sources and seeds, lists in packages."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from glue.manifest import Entry

PACKAGES = (
    "click",
    "dbt-core",
    "dbt-duckdb",
    "duckdb",
    "litellm",
    "numpy",
    "pyarrow",
    "sentence-transformers",
    "sqlglot",
    "sqlglotc",
    "tiktoken",
    "torch",
)
"""Packages that a number can depend on."""

ABSENT = "not installed"

_PRICES = ("litellm cost map", "model_prices_and_context_window_backup.json")
_VOCABULARIES = ("tiktoken vocabularies", "litellm_core_utils/tokenizers/*")
_SOURCES = {"macros": "*.sql", "models": "*.sql"}
_FILES = ("dbt_project.yml",)


def software_entries(project: Path) -> list[Entry]:
    """Entries of the kinds version, source and seed; `project` is the dbt project's folder. No network."""
    return [*_versions(), *_carried_lists(), *_sources(project), *_seeds(project)]


def _versions() -> Iterator[Entry]:
    from glue import __version__

    yield Entry("version", "evalhouse", __version__)
    yield Entry("version", "python", platform.python_version())
    yield Entry("version", "platform", f"{sys.platform} {platform.machine()}")
    yield Entry("version", "sqlite library", sqlite3.sqlite_version)
    for name in PACKAGES:
        try:
            yield Entry("version", name, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Entry("version", name, ABSENT)


def _carried_lists() -> Iterator[Entry]:
    """Digests of what litellm carries and glue reads: the price list, and the vocabularies of tokens."""
    spec = importlib.util.find_spec("litellm")
    folder = Path(spec.origin).parent if spec is not None and spec.origin is not None else None
    for name, pattern in (_PRICES, _VOCABULARIES):
        files = sorted(path for path in folder.glob(pattern) if path.is_file()) if folder else []
        value = digest_of(folder, files) if folder and files else ABSENT
        yield Entry("version", name, value)


def _sources(project: Path) -> Iterator[Entry]:
    """One entry per folder of the package and of the dbt project: where a number's computation changed."""
    package = Path(__file__).resolve().parent
    by_folder: dict[str, list[tuple[Path, Path]]] = {}
    for path in package.rglob("*.py"):
        place = Path("glue") / path.relative_to(package)
        if "_dbt" not in place.parts:  # an installed wheel carries the dbt project in there
            by_folder.setdefault(place.parent.as_posix(), []).append((package, path))
    for part, pattern in _SOURCES.items():
        for path in (project / part).rglob(pattern):
            place = path.relative_to(project)
            by_folder.setdefault(place.parent.as_posix(), []).append((project, path))
    for name, found in by_folder.items():
        yield Entry("source", name, digest_of(found[0][0], (path for _, path in found)))
    for file in _FILES:
        yield Entry("source", file, digest_of(project, [project / file]))


def _seeds(project: Path) -> Iterator[Entry]:
    folder = project / "seeds"
    for path in folder.rglob("*.csv"):
        yield Entry("seed", path.relative_to(folder).with_suffix("").as_posix(), _file_digest(path))


def digest_of(root: Path, files: Iterable[Path]) -> str:
    """One sha256 of several files: their places below `root` and their bytes, in the order of the places."""
    lines = sorted(f"{path.relative_to(root).as_posix()} {_file_digest(path)}" for path in files)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
