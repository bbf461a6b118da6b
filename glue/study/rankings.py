"""What is missing where a cell has no ranking to pack its contexts by, and the command that mends it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from glue.errors import GlueError
from glue.study.cells import all_cells, encoders_of


def missing_rankings(unranked: Mapping[str, int], benchmark: str, project: Path) -> GlueError:
    """The error for cells of which so many questions have no ranking, by setting."""
    cells = [cell for cell in all_cells(project) if cell.setting in unranked]
    n_questions: dict[str, int] = {}
    for cell in cells:
        n_questions[cell.ranker] = max(n_questions.get(cell.ranker, 0), unranked[cell.setting])
    told = ", ".join(f"{count:,} questions by ranker {ranker}" for ranker, count in n_questions.items())
    encoders = encoders_of(cells, project)
    if encoders:
        command = f"glue embed --encoder {next(iter(encoders))} --benchmark {benchmark}"
        hint = f"embed first: {command} (with `glue run`: --encoder), or leave the ranker out"
    else:
        hint = f'see whether the tables of {benchmark} have been imported: glue query "from pooled_tables"'
    return GlueError(f"{benchmark} has no ranking of {told}", hint)
