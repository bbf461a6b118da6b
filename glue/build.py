"""Runs dbt in this process: the whole project, or just what a pending table stands on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from glue.dbt_session import DbtError, dbt_session
from glue.errors import GlueError
from glue.handoff import export_path
from glue.home import Home
from glue.landing import ensure, table_fingerprints
from glue.locks import LoopLock
from glue.stale_models import KINDS, Inputs, Models, last_built, remember_built
from glue.tokens import vocabularies
from glue.warehouse import ensure_writable, explained, lock_holder

_PROJECT_PARTS = ("dbt_project.yml", "profiles.yml", "models", "macros", "seeds")
_COMPANIONS = {
    "pending_statements": ("prepared_indexes", "union_members"),
    "pending_task_requests": ("task_progress",),
    "pending_requests": ("request_counts", "pending_contexts", "pending_pieces"),
}
"""What a refresh of a pending table builds beside it: handoff tables that the same command reads."""

_LIBRARIES = ("dbt-core", "dbt-duckdb", "duckdb", "sqlglot", "tiktoken")
_STALE = "stale"
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

    `target` is a pending table's name or None for everything. Unless `is_forced`, a model is built again only
    if a landing table among its ancestors, the project or `variables` have changed since it was built last.
    `on_start` is called when there is something to build, `on_node` with each model as it is done. GlueError
    with dbt's first error when one fails, or naming the process that holds the warehouse.
    """
    project = project or project_directory()
    variables = dict(variables or {})
    ensure(home)
    home.exports.mkdir(parents=True, exist_ok=True)
    inputs = _inputs(home, project, variables)
    seen = hashlib.md5(json.dumps([inputs.project, sorted(inputs.tables.items())]).encode()).hexdigest()
    name = target or "all"
    product = export_path(home, target) if target else home.warehouse
    if not is_forced and product.exists() and _last_states(home).get(name) == seen:
        return BuildReport(name, True, 0, 0.0)
    if on_start:
        on_start()
    started = time.monotonic()
    with LoopLock(home, "build", "glue build"):
        ensure_writable(home)
        n_built = _run_dbt(home, project, target, variables, inputs, is_forced, on_node)
    pending = ["pending_embeddings", "pending_requests", "pending_statements"]
    _remember(home, [target] if target else ["all", *pending], seen)
    return BuildReport(name, False, n_built, time.monotonic() - started)


def _run_dbt(
    home: Home,
    project: Path,
    target: str | None,
    variables: dict[str, Any],
    inputs: Inputs,
    is_forced: bool,
    on_node: Callable[[str], None] | None,
) -> int:
    """The number of models and seeds built."""
    callbacks = [_node_listener(on_node)] if on_node else []
    log = home.target / "logs" / "dbt.log"
    try:
        with dbt_session(home, project, variables, inputs.project) as session:
            models = Models(session.manifest, inputs)
            if target is not None and target not in models.names:
                raise GlueError(
                    f"the dbt project at {project} has no model {target}", "check dbt_project.yml and models/"
                )
            names = _to_build(home, models, target, is_forced)
            if not names:
                return 0
            _tag(session.manifest, names)
            outcome = session.build(f"tag:{_STALE}", callbacks=callbacks)
    except DbtError as error:
        raise _dbt_error(str(error), home, log) from error
    results = list(getattr(outcome.result, "results", None) or [])
    built = [result.node.name for result in results if str(result.status) == "success"]
    remember_built(home, {name: models.digests[name] for name in built})
    for result in results:
        if str(result.status) in _BROKEN:
            raise _node_error(result, home, log)
    if not outcome.success:
        raise _dbt_error(str(outcome.exception or "dbt stopped without a word"), home, log)
    return len(results)


def _tag(manifest: Any, names: list[str]) -> None:
    """Mark these models, and no others, as stale: dbt finds one tag sooner than many names."""
    stale = set(names)
    for node in manifest.nodes.values():
        others = [tag for tag in node.tags if tag != _STALE]
        node.tags = [*others, _STALE] if node.name in stale and node.resource_type in KINDS else others


def _to_build(home: Home, models: Models, target: str | None, is_forced: bool) -> list[str]:
    """The models that a refresh has to build. What says when a build began is part of each whole one."""
    products = [target, *_COMPANIONS.get(target, ())] if target else []
    wanted = models.upstream_of(products) if target else models.names
    if is_forced:
        return wanted
    lost = {name for name in products if not export_path(home, name).exists()} if target else {"build_state"}
    built = last_built(home)
    return [name for name in wanted if name in lost or built.get(name) != models.digests[name]]


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


def _inputs(home: Home, project: Path, variables: dict[str, Any]) -> Inputs:
    """Everything a refresh depends on: what has landed, the project's files, the variables, the software."""
    return Inputs(project_state(project, variables), table_fingerprints(home))


def project_state(project: Path, variables: Mapping[str, Any] | None = None) -> str:
    """A digest of the project's files, of the variables and of the software."""
    package = Path(__file__).parent
    files = [(project, path) for path in _project_files(project)]
    # Models call functions of this package, and what those give hangs on the libraries they call.
    files += [(package, path) for path in sorted(package.rglob("*.py"))]
    parts = [json.dumps(dict(variables or {}), sort_keys=True), *_versions(), *vocabularies()]
    for folder, path in files:
        status = path.stat()
        parts.append(f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}")
    return hashlib.md5("\n".join(parts).encode()).hexdigest()


def _versions() -> list[str]:
    """The libraries whose version can show in what is built, each with its version."""
    found = []
    for library in _LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            found.append(f"{library} {metadata.version(library)}")
    return found


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
