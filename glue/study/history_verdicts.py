"""Notes what prediction sets answered, and whether they were right, for the retrievers that lean on them.

`mqs_filter` retrieves only past queries that a set got right, `dail` looks at a set's answers. Verdicts are
made from answers, and answers may be made from what is retrieved: so what is retrieved reads verdicts that
have landed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import UTC, datetime

from glue.errors import GlueError, nearest
from glue.home import Home
from glue.landing import Writer, landed_keys
from glue.warehouse import open_read_only

_ANSWERS = """
    select matched.question_id, predictions.predicted_sql as sql, matched.ex_set as is_right
    from execution_match as matched
    inner join predictions on matched.prediction_id = predictions.prediction_id
    where matched.benchmark = ? and matched.prediction_set = ? and matched.sample = 1
    order by matched.question_id
"""


def note_verdicts(
    home: Home,
    benchmark: str,
    sets: Iterable[str],
    *,
    may_lack: Container[str | None] = (),
    command: str | None = None,
) -> int:
    """Land what the sets answered to a benchmark, as the warehouse has it; how many answers are new or other.

    The warehouse must be up to date. GlueError where it is missing or in use, for a set without an answer to
    the benchmark unless it is in `may_lack`, and while an import is at work.
    """
    found = [
        row for name in dict.fromkeys(sets) for row in _answers(home, benchmark, name, name not in may_lack)
    ]
    known = _landed(home, benchmark)
    fresh = [row for row in found if known.get((row["prediction_set"], row["question_id"])) != _said(row)]
    if fresh:
        now = datetime.now(UTC)
        with Writer(home, loop="import", command=command) as writer:
            writer.append("history_verdicts", [{**row, "noted_at": now} for row in fresh])
    return len(fresh)


def _answers(home: Home, benchmark: str, prediction_set: str, is_required: bool) -> list[dict[str, object]]:
    with open_read_only(home) as warehouse:
        rows = warehouse.execute(_ANSWERS, [benchmark, prediction_set]).fetchall()
        known = warehouse.execute(
            "select distinct prediction_set from predictions where benchmark = ? order by all", [benchmark]
        ).fetchall()
    if not rows and is_required:
        close = nearest(prediction_set, [name for (name,) in known])
        raise GlueError(
            f"prediction set {prediction_set!r} has no answer to {benchmark}",
            f"did you mean {close!r}?" if close else "glue import predictions FILE --benchmark BENCHMARK",
        )
    shared = {"benchmark": benchmark, "prediction_set": prediction_set}
    return [{**shared, "question_id": each[0], "sql": each[1], "is_right": each[2]} for each in rows]


def _landed(home: Home, benchmark: str) -> dict[tuple[object, object], tuple[object, object]]:
    columns = ["benchmark", "prediction_set", "question_id", "sql", "is_right", "noted_at"]
    rows = landed_keys(home, "history_verdicts", columns=columns).to_pylist()
    mine = sorted((row for row in rows if row["benchmark"] == benchmark), key=lambda row: row["noted_at"])
    return {(row["prediction_set"], row["question_id"]): _said(row) for row in mine}


def _said(row: dict[str, object]) -> tuple[object, object]:
    return row["sql"], row["is_right"]
