"""`glue manifest`: what the numbers of a warehouse rest on, written to be kept and to be compared later.

SQL says what has landed (model `manifest_entries`); `glue.manifest_software` adds what is installed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.home import Home

FORMAT = 1
"""Raise it when a manifest of before can no longer be compared."""

KINDS = (
    "import",
    "file",
    "rows",
    "database",
    "study",
    "run",
    "model",
    "responses",
    "embeddings",
    "executions",
    "limit",
    "draws",
    "variable",
    "version",
    "source",
    "seed",
)
"""What an entry can be, in the order in which differences are told: from what came in to what it ran on."""

_HINT = "write one with `glue manifest --output FILE`"
_DIGEST_SHOWN = 12
_VALUE_SHOWN = 60


@dataclass(frozen=True)
class Entry:
    """One thing that numbers rest on: a digest or a short value, and how many rows are behind it."""

    kind: str
    name: str
    value: str
    n_rows: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name

    @property
    def shown(self) -> str:
        """The value for people: a digest by its beginning, with its rows."""
        is_digest = len(self.value) in (32, 64) and not self.value.strip("0123456789abcdef")
        most = _DIGEST_SHOWN if is_digest else _VALUE_SHOWN
        text = self.value if len(self.value) <= most else f"{self.value[:most]}…"
        return text if self.n_rows is None else f"{text} ({self.n_rows:,} rows)"


@dataclass(frozen=True)
class Difference:
    """An entry that was added, removed or changed since the stored manifest was written."""

    change: str  # added, removed, changed
    kind: str
    name: str
    stored: Entry | None
    present: Entry | None


def present_entries(home: Home, on_start: Callable[[], None] | None = None) -> list[Entry]:
    """What the warehouse in `home` rests on now, brought up to date first. `on_start`: before it is built.

    GlueError when it cannot be built or another process holds it.
    """
    from glue.build import project_directory, refresh
    from glue.manifest_software import software_entries
    from glue.warehouse import open_read_only

    refresh(home, on_start=on_start)
    with open_read_only(home) as connection:
        rows = connection.execute("select kind, name, value, n_rows from manifest_entries").fetchall()
    return _sorted([*(Entry(*row) for row in rows), *software_entries(project_directory())])


def manifest_text(entries: Iterable[Entry]) -> str:
    """A manifest as JSON: one entry a line, sorted, so that people and diff can compare two."""
    lines = [_line(entry) for entry in _sorted(entries)]
    body = ",\n".join(f"    {line}" for line in lines)
    return f'{{\n  "manifest": {FORMAT},\n  "digest": "{_digest(lines)}",\n  "entries": [\n{body}\n  ]\n}}\n'


def read_manifest(path: Path) -> list[Entry]:
    """The entries of a stored manifest. GlueError when it is none, of another format, or was changed."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GlueError(f"cannot read the manifest {path}: {error}", _HINT) from error
    except (ValueError, RecursionError) as error:
        raise GlueError(f"{path} is no manifest: it is not JSON ({error})", _HINT) from error
    if not isinstance(stored, dict) or "manifest" not in stored:
        raise GlueError(f"{path} is no manifest: it has no field 'manifest'", _HINT)
    if stored["manifest"] != FORMAT:
        told = f"{path} is a manifest of format {stored['manifest']!r}, and this is glue for format {FORMAT}"
        raise GlueError(told, "write it anew, or compare with the version of glue that wrote it")
    entries = [_entry(path, number, found) for number, found in enumerate(_listed(path, stored), 1)]
    lines = [_line(entry) for entry in _sorted(entries)]
    if len({entry.key for entry in entries}) < len(entries) or _digest(lines) != stored.get("digest"):
        told = f"{path} was changed after it was written: its entries do not give its digest"
        raise GlueError(told, f"take an unchanged copy, or {_HINT}")
    return entries


def differences(
    stored: Iterable[Entry], present: Iterable[Entry], ignored: Collection[str] = ()
) -> list[Difference]:
    """What differs, entry by entry, in the order of KINDS and names; `ignored` kinds are left out."""
    before = {entry.key: entry for entry in stored if entry.kind not in ignored}
    now = {entry.key: entry for entry in present if entry.kind not in ignored}
    found = []
    for key in before.keys() | now.keys():
        old, new = before.get(key), now.get(key)
        if old != new:
            change = "added" if old is None else "removed" if new is None else "changed"
            found.append(Difference(change, *key, old, new))
    return sorted(found, key=lambda it: (_rank(it.kind), it.name))


def difference_rows(found: Sequence[Difference]) -> list[tuple[str, str, str, str, str]]:
    """Rows for a table: change, kind, name, stored, now."""
    return [
        (
            it.change,
            it.kind,
            it.name,
            it.stored.shown if it.stored else "",
            it.present.shown if it.present else "",
        )
        for it in found
    ]


def _sorted(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (_rank(entry.kind), entry.name))


def _rank(kind: str) -> tuple[int, str]:
    return (KINDS.index(kind) if kind in KINDS else len(KINDS)), kind


def _line(entry: Entry) -> str:
    fields: dict[str, Any] = {"kind": entry.kind, "name": entry.name, "value": entry.value}
    if entry.n_rows is not None:
        fields["n_rows"] = entry.n_rows
    return json.dumps(fields, ensure_ascii=False)


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _listed(path: Path, stored: dict[str, Any]) -> list[Any]:
    entries = stored.get("entries")
    if not isinstance(entries, list):
        raise GlueError(f"{path} is no manifest: its field 'entries' is no list", _HINT)
    return entries


def _entry(path: Path, number: int, found: Any) -> Entry:
    fields = found if isinstance(found, dict) else {}
    n_rows = fields.get("n_rows")
    texts = [fields.get(name) for name in ("kind", "name", "value")]
    is_whole = n_rows is None or (isinstance(n_rows, int) and not isinstance(n_rows, bool))
    if not all(isinstance(text, str) for text in texts) or not is_whole:
        raise GlueError(f"{path}: entry {number} has no kind, name and value", _HINT)
    return Entry(str(texts[0]), str(texts[1]), str(texts[2]), n_rows)
