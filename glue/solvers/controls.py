"""Controls: answers whose worth is known beforehand, so that they test the evaluation and not a model.

`gold` and `gold-rewritten` must match on every scoreable question, `gold-broken` should match on none,
`nearest-history` is a floor that any model should pass. Where a benchmark's authors wrote them, `distractor`
is the likeliest wrong query, which matches only where the data cannot tell it from gold, and `second-gold`
what a second author wrote from question and intent alone. In the cells of the budget study `memorizer` must
match on every scoreable question, whatever the context holds, and `visible-gold` exactly where it holds every
table that gold needs. They need no model and cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from glue.errors import GlueError, nearest

CONTROLS = {
    "gold": "the gold SQL itself: must match everywhere",
    "gold-rewritten": "gold in other words (new aliases, a derived table where legal): must match everywhere",
    "gold-broken": "gold with one literal, operator or join changed: should match nowhere",
    "nearest-history": "the gold SQL of the most similar other question of the database: an honest floor",
    "distractor": "the likeliest wrong query, as its authors wrote it: matches where data hides the mistake",
    "second-gold": "a second author's query, written from question and intent alone: should match everywhere",
    "visible-gold": "in a cell: gold, where the context holds every table it needs: the ceiling of coverage",
    "memorizer": "in a cell: gold, whatever the context holds: must match everywhere",
}
"""Name after `control/` -> what it answers with."""

CELL_CONTROLS = ("visible-gold", "memorizer")
"""Controls that answer in cells of the budget study, with gold in the names of the cell, and nowhere else."""


class ControlAnswer(NamedTuple):
    """What a control says. `error` is why it has no SQL to give; the text then says so in a sentence."""

    text: str
    error: str | None

    @property
    def outcome(self) -> str:
        """'answered' or 'failed'."""
        return "answered" if self.error is None else "failed"


def solve_control(name: str, request: Mapping[str, Any]) -> ControlAnswer:
    """The answer of control `name` ('gold', …) to one request.

    Of the request it reads `dialect` and `gold_sql` or, for those of `_WITHOUT_CONTROL_SQL`, `control_sql`;
    each may be missing or None. That a control has nothing to say is an answer with an
    `error`; only a name that is no control raises GlueError. The same request always gets the same answer.
    """
    if name not in CONTROLS:
        close = nearest(name, list(CONTROLS))
        hint = f"did you mean control/{close}?" if close else f"controls: {', '.join(CONTROLS)}"
        raise GlueError(f"there is no control/{name}", hint)
    sql = request.get("control_sql" if name in _WITHOUT_CONTROL_SQL else "gold_sql")
    if sql is None or not str(sql).strip():
        return _refusal(_WITHOUT_CONTROL_SQL.get(name, "the question has no gold SQL"))
    dialect = str(request.get("dialect") or "")
    if name == "gold-rewritten":
        return _rewritten(sql, dialect)
    if name == "gold-broken":
        return _broken(sql, dialect)
    return ControlAnswer(sql, None)


_WITHOUT_CONTROL_SQL = {
    "nearest-history": "no other question of this database has gold SQL",
    "distractor": "the question has no distractor",
    "second-gold": "the question has no second gold",
    "visible-gold": "a table that the gold needs is not in the context, or the gold has no form in its names",
    "memorizer": "the question has no gold that can be written in the names of the cell",
}
"""Controls that answer with the request's `control_sql`, and what they say without."""


def _rewritten(gold_sql: str, dialect: str) -> ControlAnswer:
    from glue.sql.rewrite import rewrite

    text = rewrite(gold_sql, dialect)
    return _refusal(_NOT_WRITTEN) if text is None else ControlAnswer(text, None)


def _broken(gold_sql: str, dialect: str) -> ControlAnswer:
    from glue.sql.mutate import mutate

    broken = mutate(gold_sql, dialect)
    return _refusal(_NOT_WRITTEN) if broken is None else ControlAnswer(broken[0], None)


_NOT_WRITTEN = "the gold SQL cannot be parsed and written back as one query of its dialect"


def _refusal(error: str) -> ControlAnswer:
    return ControlAnswer(f"No SQL from this control: {error}.", error)
