"""Which column of a query a term of the ORDER BY after it means, where it stands for one as a whole.

After a set operation only its own columns can be ordered by. A term means the one that it names, or that a
branch gives by the very same expression: branch by branch, from the left, as SQLite and DuckDB do it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from glue.sql.names import Names
from glue.sql.scopes import Block, Query, Source, children, column_name
from glue.sql.shown_columns import Computed, Giver, Shown


@dataclass(slots=True)
class _Places:
    """The 0-based place of each column of a block, by the name that its SELECT gives it and by what it is."""

    by_name: dict[str | None, int] = field(default_factory=dict)
    by_text: dict[str, int] = field(default_factory=dict)


class OrderTerms:
    """The terms of one statement."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.shown = names.shown
        self._of_block: dict[int, _Places] = {}

    def place(self, term: exp.Expr, query: Query) -> int | None:
        """The 0-based place of the column that a term means; None where it is none as a whole."""
        if query.block is not None:
            return self._place_in(term, query.block)
        for branch, goes_to in zip(query.branches, self.shown.branch_places(query), strict=False):
            found = self.place(term, branch)
            if found is not None and found < len(goes_to):
                return goes_to[found]
        return None

    def _place_in(self, term: exp.Expr, block: Block) -> int | None:
        places = self._places(block)
        if isinstance(term, exp.Column) and term.args.get("table") is None:
            found = places.by_name.get(column_name(term, self.names.dialect).lower())
            if found is not None:
                return found
        text = self._text(term, block)
        return places.by_text.get(text) if text is not None else None

    def _places(self, block: Block) -> _Places:
        found = self._of_block.get(id(block))
        if found is None:
            found = self._of_block[id(block)] = _Places()
            for place, column in enumerate(self.shown.block_outputs(block).shown):
                if column.is_named:
                    found.by_name.setdefault(column.name, place)
                text = self._text_of_giver(column)
                if text is not None:
                    found.by_text.setdefault(text, place)
        return found

    def _text_of_giver(self, column: Shown) -> str | None:
        giver = column.givers[0]
        if isinstance(giver, Computed):
            return self._text(giver.expression, giver.block)
        return _text_of_column((giver,))

    def _text(self, root: exp.Expr, block: Block | None) -> str | None:
        """The same text for the same expression, with every name resolved; None where one cannot be."""
        parts: list[str] = []
        waiting: list[exp.Expr | str] = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                parts.append(node)
            elif isinstance(node, exp.Paren):
                waiting.append(node.this)
            elif isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
                meaning = self.names.meaning(node, block)
                if meaning.problem is not None:
                    return None
                origins = meaning.givers or meaning.sources  # of a row id only the source; a text has neither
                parts.append(_text_of_column(origins) if origins else node.name)
            elif isinstance(node, exp.Query):
                return None
            else:
                parts.append(_own_text(node))
                waiting += [")", *reversed(list(children(node))), "("]
        return " ".join(parts)


def _text_of_column(origins: tuple[Giver | Source, ...]) -> str:
    """Of the objects that live as long as the statement: a name means the same one wherever it is written."""
    return "#" + "+".join(str(id(one.expression if isinstance(one, Computed) else one)) for one in origins)


def _own_text(node: exp.Expr) -> str:
    """A node without those below it."""
    texts = []
    for key, value in node.args.items():
        if isinstance(value, (list, exp.Expr)):
            texts.append(f"{key}:{len(value) if isinstance(value, list) else 1}")
        elif value:
            texts.append(f"{key}={value if isinstance(node, exp.Literal) else str(value).lower()!r}")
    return f"{type(node).__name__}[{' '.join(texts)}]"
