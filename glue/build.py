"""Runs dbt in this process: the whole project, or just what a pending table stands on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.handoff import export_path
from glue.home import Home
from glue.landing import ensure, fingerprint
from glue.locks import LoopLock
from glue.warehouse import ensure_writable, explained, lock_holder

_PROJECT_PARTS = ("dbt_project.yml", "profiles.yml", "models", "macros", "seeds")
_COMPANIONS = {"pending_statements": ("prepared_indexes",)}
"""What a refresh of a pending table builds beside it: handoff tables that the same command reads."""

_BROKEN = ("error", "fail", "runtime error")


@dataclass(frozen=True)
class BuildReport:
    """What one refresh did.

    `target` is a pending table's name or 'all'; `is_skipped` means that nothing has landed since the last
    one; `n_built` counts models and seeds.
    """

    target: str
    is_skipped: bool
    n_built: int
    elapsed_seconds: float


def project_directory() -> Path:
    """The dbt project: the checkout this package lies in, or the copy that the installed wheel carries."""
    package = Path(__file__).resolve().parent
    for candidate in (package.parent, package / "_dbt"):
        if (candidate / "dbt_project.yml").is_file():
            return candidate
    raise GlueError(
        f"no dbt project beside or inside {package}", "install evalhouse again: pip install evalhouse"
    )


def refresh(
    home: Home,
    target: str | None = None,
    variables: Mapping[str, Any] | None = None,
    *,
    is_forced: bool = False,
    project: Path | None = None,
    on_start: Callable[[], None] | None = None,
    on_node: Callable[[str], None] | None = None,
) -> BuildReport:
    """Build models and seeds, without tests: all of them, or what `target` stands on.

    `target` is 'pending_statements', 'pending_requests' or None for everything. Unless `is_forced`, nothing
    is built again while neither the landing zone, the project nor `variables` have changed since the last
    refresh of that target. `on_start` is called when there is something to build, `on_node` with each model
    as it is done. GlueError with dbt's first error when one fails, or naming the process that holds the
    warehouse.
    """
    project = project or project_directory()
    variables = dict(variables or {})
    ensure(home)
    home.exports.mkdir(parents=True, exist_ok=True)
    seen = _state(home, project, variables)
    name = target or "all"
    product = export_path(home, target) if target else home.warehouse
    if not is_forced and product.exists() and _last_states(home).get(name) == seen:
        return BuildReport(name, True, 0, 0.0)
    if on_start:
        on_start()
    started = time.monotonic()
    with LoopLock(home, "build", "glue build"):
        ensure_writable(home)
        n_built = _run_dbt(home, project, target, variables, on_node)
    _remember(home, [target] if target else ["all", "pending_statements", "pending_requests"], seen)
    return BuildReport(name, False, n_built, time.monotonic() - started)


def _run_dbt(
    home: Home,
    project: Path,
    target: str | None,
    variables: dict[str, Any],
    on_node: Callable[[str], None] | None,
) -> int:
    """The number of models and seeds built."""
    from dbt.cli.main import dbtRunner

    from glue import plugin

    arguments = [
        "--quiet",
        "--log-level=none",
        "--log-level-file=info",
        "--no-write-json",
        "--no-send-anonymous-usage-stats",
        "build",
        f"--project-dir={project}",
        f"--profiles-dir={project}",
        f"--target-path={home.target}",
        f"--log-path={home.target / 'logs'}",
        f"--vars={json.dumps(variables)}",
        *("--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"),
    ]
    if target is not None:
        arguments += ["--select", *(f"+{name}" for name in (target, *_COMPANIONS.get(target, ())))]
    callbacks = [_node_listener(on_node)] if on_node else []
    with _environment(home):
        try:
            outcome = dbtRunner(callbacks=callbacks).invoke(arguments)
        finally:
            plugin.release()
    log = home.target / "logs" / "dbt.log"
    results = list(getattr(outcome.result, "results", None) or [])
    for result in results:
        if str(result.status) in _BROKEN:
            raise _node_error(result, home, log)
    if not outcome.success:
        raise _dbt_error(str(outcome.exception or "dbt stopped without a word"), home, log)
    if target is not None and not results:
        raise GlueError(
            f"the dbt project at {project} has no model {target}", "check dbt_project.yml and models/"
        )
    return len(results)


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


def _node_listener(on_node: Callable[[str], None]) -> Callable[[Any], None]:
    def listen(event: Any) -> None:
        if event.info.name == "NodeFinished":
            on_node(event.data.node_info.node_name)

    return listen


def _node_error(result: Any, home: Home, log: Path) -> GlueError:
    message = str(result.message or "it failed without a message")
    if lock_holder(message):
        return explained(RuntimeError(message), home)
    lines = [line.strip() for line in message.splitlines()]
    told = [line for line in lines if line and not line.startswith(("Runtime Error in", "compiled code at"))]
    place = f"{result.node.name} ({result.node.original_file_path})"
    return GlueError(f"the build failed at {place}: {' / '.join(told[:4])}", f"the whole story is in {log}")


def _dbt_error(message: str, home: Home, log: Path) -> GlueError:
    if lock_holder(message):
        return explained(RuntimeError(message), home)
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return GlueError(
        f"dbt could not start the build: {' / '.join(lines[:4])}", f"the whole story is in {log}"
    )


def _state(home: Home, project: Path, variables: dict[str, Any]) -> str:
    """Everything a refresh depends on, in one md5: what has landed, the project's files, the variables."""
    from glue import __version__

    parts = [__version__, fingerprint(home), json.dumps(variables, sort_keys=True)]
    for path in _project_files(project):
        status = path.stat()
        parts.append(f"{path.relative_to(project)} {status.st_size} {status.st_mtime_ns}")
    return hashlib.md5("\n".join(parts).encode()).hexdigest()


def _project_files(project: Path) -> list[Path]:
    files: list[Path] = []
    for part in _PROJECT_PARTS:
        path = project / part
        files += [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return files


def _states_path(home: Home) -> Path:
    return home.exports / "refreshed.json"


def _last_states(home: Home) -> dict[str, str]:
    try:
        states = json.loads(_states_path(home).read_text())
    except (OSError, ValueError):
        return {}
    return states if isinstance(states, dict) else {}


def _remember(home: Home, targets: list[str], state: str) -> None:
    path = _states_path(home)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps({**_last_states(home), **dict.fromkeys(targets, state)}, indent=1))
    temporary.replace(path)
