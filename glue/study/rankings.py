"""What is missing where a cell has no ranking to pack its contexts by, and the command that mends it.

The cells are given by setting, each with the number of its questions that have no ranking.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from glue.errors import GlueError
from glue.study.cells import all_cells, encoders_of


def missing_rankings(unranked: Mapping[str, int], benchmark: str, project: Path) -> GlueError:
    """The error for cells that are to be asked."""
    told, encoders = _missing(unranked, project)
    if encoders:
        command = f"glue embed --encoder {encoders[0]} --benchmark {benchmark}"
        hint = f"embed first: {command} (with `glue run`: --encoder), or leave the ranker out"
    else:
        hint = _imported(benchmark)
    return GlueError(f"{benchmark} has no ranking of {told}", hint)


def told_unranked(unranked: Mapping[str, int], benchmark: str, project: Path) -> str:
    """What a plan says of such cells, in a line."""
    told, encoders = _missing(unranked, project)
    mends = f"--encoder {encoders[0]} embeds first, or `glue embed`" if encoders else _imported(benchmark)
    return f"not ranked yet: {told} ({mends})"


def _missing(unranked: Mapping[str, int], project: Path) -> tuple[str, list[str]]:
    """The questions by ranker, and the encoders that the rankers need."""
    cells = [cell for cell in all_cells(project) if cell.setting in unranked]
    n_questions: dict[str, int] = {}
    for cell in cells:
        n_questions[cell.ranker] = max(n_questions.get(cell.ranker, 0), unranked[cell.setting])
    told = ", ".join(f"{count:,} questions by ranker {ranker}" for ranker, count in n_questions.items())
    return told, list(encoders_of(cells, project))


def _imported(benchmark: str) -> str:
    return f'see whether the tables of {benchmark} have been imported: glue query "from pooled_tables"'
