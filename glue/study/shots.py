"""Settings of the history study: what of the past is shown with a question, and in which pipeline's manner.

A setting of retrieval is `<retriever>-<threshold>-<shots>`, such as mqs-0.6-4 or evalhouse-0.5-dynamic, with
`-unasked` at its end where the history's questions are not used. `history/<pipeline>/<setting>` is a prompt
setting.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from glue.errors import GlueError, nearest

PREFIX = "history/"
UNASKED = "-unasked"
_SHAPE = re.compile(
    r"(?P<retriever>[a-z_]+)(-(?P<threshold>\d+\.\d+))?(-(?P<shots>0|[1-9]\d*|dynamic))?(?P<unasked>-unasked)?"
)


@dataclass(frozen=True)
class Retrieval:
    """A setting of retrieval. `threshold` None: any score will do; `shots` None or dynamic: all that pass."""

    retriever: str
    threshold: float | None = None
    shots: str | None = None
    uses_questions: bool = True

    @property
    def setting(self) -> str:
        """Its one spelling."""
        parts = [self.retriever]
        parts += [] if self.threshold is None else [str(self.threshold)]
        parts += [] if self.shots is None else [self.shots]
        return "-".join(parts) + ("" if self.uses_questions else UNASKED)


def is_of_history(setting: str | None) -> bool:
    """Whether a prompt setting shows past queries."""
    return setting is not None and setting.startswith(PREFIX)


def retrieval_of(text: str, project: Path) -> Retrieval:
    """The setting of retrieval that a text names, without what its retriever does not have.

    GlueError for none, with the nearest retriever, and for one that is not measured.
    """
    found = _SHAPE.fullmatch(text)
    if found is None or found["shots"] == "0":
        raise GlueError(
            f"there is no setting of retrieval {text!r}",
            "write retriever, threshold and shots, such as mqs-0.6-4 or q_c-0.5-dynamic-unasked",
        )
    threshold = None if found["threshold"] is None else float(found["threshold"])
    return _fitted(found["retriever"], threshold, found["shots"], not found["unasked"], project)


def checked_setting(text: str, project: Path) -> str:
    """A prompt setting that shows past queries, in its one spelling. GlueError for one that is none."""
    pipeline, _, retrieval = text.removeprefix(PREFIX).partition("/")
    check_pipeline(pipeline, project)
    return f"{PREFIX}{pipeline}/{retrieval_of(retrieval, project).setting}"


def new_retrieval(text: str, threshold: float, shots: str, project: Path) -> Retrieval:
    """A setting of the retriever that a text names, as retriever or retriever-unasked.

    It is without what the retriever does not have. GlueError as `retrieval_of`.
    """
    is_unasked = text.endswith(UNASKED)
    return _fitted(text.removesuffix(UNASKED), threshold, shots, not is_unasked, project)


def _fitted(
    retriever: str, threshold: float | None, shots: str | None, uses_questions: bool, project: Path
) -> Retrieval:
    row = _retriever(retriever, project)
    _check_grid(threshold, shots, project)
    if row["n_most"] == "0":
        return Retrieval(retriever)
    return Retrieval(retriever, threshold if row["uses_threshold"] == "true" else None, shots, uses_questions)


def reranked_retriever(text: str, project: Path) -> str | None:
    """Whose candidates a model chooses among, of a retriever or setting of it; None where no model does."""
    return _retriever(text.partition("-")[0], project)["reranks"] or None


def check_pipeline(name: str, project: Path) -> None:
    """GlueError, with the nearest, when there is no such pipeline."""
    _check("pipeline", name, [row["pipeline"] for row in _rows(project, "pipelines")])


def own_retriever(pipeline: str, project: Path) -> str:
    """The retriever that is a pipeline's own. GlueError for a pipeline that is none."""
    check_pipeline(pipeline, project)
    return next(row["retriever"] for row in _rows(project, "pipelines") if row["pipeline"] == pipeline)


def _retriever(name: str, project: Path) -> dict[str, str]:
    """A retriever's row of the seed. GlueError, with the nearest, when there is no such retriever."""
    rows = {row["retriever"]: row for row in _rows(project, "retrievers")}
    _check("retriever", name, list(rows))
    return rows[name]


def _check_grid(threshold: float | None, shots: str | None, project: Path) -> None:
    """GlueError off the grid: nothing is retrieved below it, nor measured between its points."""
    thresholds = [float(row["threshold"]) for row in _rows(project, "history_thresholds")]
    limits = [row["shots"] for row in _rows(project, "shot_limits")]
    for what, value, known in (("threshold", threshold, thresholds), ("number of shots", shots, limits)):
        if value is not None and value not in known:
            raise GlueError(
                f"retrieval is not measured at the {what} {value}",
                f"{what}: {', '.join(map(str, known))} (seeds/history_thresholds.csv, seeds/shot_limits.csv)",
            )


def _check(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        close = nearest(name, known)
        hint = f"did you mean {close}?" if close else f"{what}s: {', '.join(known)}"
        raise GlueError(f"there is no {what} {name!r}", hint)


def _rows(project: Path, seed: str) -> list[dict[str, str]]:
    with (project / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
