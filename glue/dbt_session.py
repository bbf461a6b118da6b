"""dbt in this process: the project is parsed once, then built as often as it is asked, in any home.

Reading the project takes dbt longer than building a few models. What it read is kept as long as the project
stays as it is; all that differs from home to home is where the landing zone lies, which is put right when
another home is built. The tests of the project are left out: nothing that glue builds runs them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glue.home import Home

_FLAGS = (
    *("--quiet", "--log-level=none", "--log-level-file=info"),
    *("--no-write-json", "--no-send-anonymous-usage-stats"),
)
_parsed: dict[str, tuple[Path, Any]] = {}
"""Digest of the project -> the home that its sources name, and dbt's manifest; of the project built last."""


class DbtError(Exception):
    """dbt could not read the project, in its own words."""


@dataclass(frozen=True)
class Session:
    """dbt on one home; `manifest` is the project without its tests."""

    manifest: Any
    _arguments: tuple[str, ...]

    def build(self, *selected: str, callbacks: list[Callable[[Any], None]] | None = None) -> Any:
        """Build the selected models and seeds; gives dbt's result."""
        from dbt.cli.main import dbtRunner

        runner = dbtRunner(manifest=self.manifest, callbacks=callbacks or [])
        return runner.invoke([*_FLAGS, "build", *self._arguments, "--select", *selected])


@contextmanager
def dbt_session(home: Home, project: Path, variables: Mapping[str, Any], digest: str) -> Iterator[Session]:
    """dbt on `home`, with the project in its present state (`digest`, of its files and of `variables`).

    DbtError when dbt cannot read it. The warehouse is open until the end.
    """
    from glue import plugin

    arguments = (
        f"--project-dir={project}",
        f"--profiles-dir={project}",
        f"--target-path={home.target}",
        f"--log-path={home.target / 'logs'}",
        f"--vars={json.dumps(variables)}",
    )
    with _environment(home):
        try:
            if digest not in _parsed:
                _parse(home, digest, arguments)
            yield Session(_placed(home, digest), arguments)
        finally:
            plugin.release()


def _parse(home: Home, digest: str, arguments: tuple[str, ...]) -> None:
    from dbt.cli.main import dbtRunner

    parsed = dbtRunner().invoke([*_FLAGS, "parse", *arguments])
    if not parsed.success:
        raise DbtError(str(parsed.exception or "dbt stopped without a word"))
    manifest: Any = parsed.result
    manifest.nodes = {key: node for key, node in manifest.nodes.items() if node.resource_type != "test"}
    manifest.unit_tests = {}
    _parsed.clear()
    _parsed[digest] = (home.root, manifest)


def _placed(home: Home, digest: str) -> Any:
    """The manifest, its sources in the landing zone of `home`."""
    before, manifest = _parsed[digest]
    if before != home.root:
        for source in manifest.sources.values():
            for known in (source.meta, source.config.meta, source.config.extra):
                for key, value in known.items():
                    if isinstance(value, str):
                        known[key] = value.replace(f"{before}{os.sep}", f"{home.root}{os.sep}")
        _parsed[digest] = (home.root, manifest)
    return manifest


@contextmanager
def _environment(home: Home) -> Iterator[None]:
    """EVALHOUSE_HOME as dbt and its plugin must see it (absolute: dbt changes folder), then as it was."""
    before = os.environ.get("EVALHOUSE_HOME")
    folder = Path.cwd()
    os.environ["EVALHOUSE_HOME"] = str(home.root)
    try:
        yield
    finally:
        os.chdir(folder)
        if before is None:
            del os.environ["EVALHOUSE_HOME"]
        else:
            os.environ["EVALHOUSE_HOME"] = before
