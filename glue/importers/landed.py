"""A benchmark as it has landed: what predictions are paired with."""

from __future__ import annotations

from dataclasses import dataclass

from glue.errors import GlueError, nearest
from glue.home import Home
from glue.importers.common import Row, landed_rows, newest_imports

_OF_OTHERS = ("predictions", "history", "reviews")
"""Kinds of imports that name a benchmark and bring nothing of it."""


@dataclass(frozen=True)
class LandedQuestion:
    """One question with the SQL texts its benchmark accepts."""

    question_id: str
    position: int  # 0-based place in the benchmark's file
    db_id: str
    question: str
    dialect: str | None
    golds: tuple[str, ...] = ()


@dataclass(frozen=True)
class LandedBenchmark:
    """A benchmark's questions by position, and the imports they come from.

    Positions may have gaps, where an entry of the file was refused: predictions in the file's order do not
    shift.
    """

    name: str
    questions: list[LandedQuestion]
    import_ids: list[str]

    @property
    def n_positions(self) -> int:
        """How many entries a file in the benchmark's order has."""
        return max((question.position for question in self.questions), default=-1) + 1


def landed_benchmark(home: Home, name: str) -> LandedBenchmark:
    """The questions and golds of the newest finished imports of a benchmark.

    GlueError, with the nearest benchmark that has landed, when there is none or it has no questions.
    """
    imports = [row for row in newest_imports(home).values() if row["kind"] not in _OF_OTHERS]
    import_ids = sorted(row["import_id"] for row in imports if row["benchmark"] == name)
    if not import_ids:
        raise _unknown(name, sorted({row["benchmark"] for row in imports if row["benchmark"]}))
    golds: dict[str, dict[int, str]] = {}
    for row in _of_imports(
        home, "golds", import_ids, ["question_id", "gold_edition", "gold_number", "gold_sql"]
    ):
        if row["gold_edition"] == "benchmark" and row["gold_sql"] is not None:
            golds.setdefault(row["question_id"], {})[row["gold_number"]] = row["gold_sql"]
    columns = ["question_id", "question_position", "db_id", "question", "dialect"]
    questions = {
        row["question_id"]: LandedQuestion(
            question_id=row["question_id"],
            position=row["question_position"],
            db_id=row["db_id"],
            question=row["question"],
            dialect=row["dialect"],
            golds=tuple(text for _, text in sorted(golds.get(row["question_id"], {}).items())),
        )
        for row in _of_imports(home, "questions", import_ids, columns)
    }
    if not questions:
        raise GlueError(
            f"benchmark {name!r} has a catalog but no questions",
            "import its questions (glue import bird, jsonl, …)",
        )
    return LandedBenchmark(name, sorted(questions.values(), key=_place), import_ids)


def _place(question: LandedQuestion) -> tuple[int, str]:
    return question.position, question.question_id


def _of_imports(home: Home, table: str, import_ids: list[str], columns: list[str]) -> list[Row]:
    """The rows of some imports, those that landed last at the end."""
    rows = landed_rows(home, table, ["import_id", "landed_at", *columns])
    wanted = set(import_ids)
    return sorted((row for row in rows if row["import_id"] in wanted), key=lambda row: row["landed_at"])


def _unknown(name: str, known: list[str]) -> GlueError:
    close = nearest(name, known)
    if close:
        return GlueError(f"there is no benchmark {name!r}", f"did you mean {close!r}?")
    if known:
        return GlueError(f"there is no benchmark {name!r}", f"imported so far: {', '.join(known)}")
    return GlueError(
        f"there is no benchmark {name!r}: nothing has been imported yet",
        f"import its questions first, e.g. glue import bird --name {name} --questions dev.json …",
    )
