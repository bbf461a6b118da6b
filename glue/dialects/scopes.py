"""Which columns a name may mean: the tables of a block of a query, and those of the blocks around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from glue.dialects.values import Sql


@dataclass(slots=True)
class Field:
    """A column of a table in FROM. `name` is the dialect's, folded; None where it cannot be named."""

    name: str | None
    relation: str
    """DuckDB's alias of the table it comes from."""
    column: str
    """DuckDB's name of it, quoted where needed."""
    kind: str
    precision: int = 0
    scale: int = 0
    wrapping: str = "{}"
    """What DuckDB's column is put into to be the dialect's value."""

    may_fail: bool = False
    is_hidden: bool = False
    """Is it left out of `*`?"""
    collation: str = ""
    label: str | None = None
    """Its name as it was given, where that is told by more than `name`."""

    def sql(self, relation: str | None = None) -> Sql:
        """Its value, in `relation` where that is another one than its own."""
        text = self.wrapping.replace("{}", f"{relation or self.relation}.{self.column}")
        return Sql(
            text, self.kind, self.precision, self.scale, may_fail=self.may_fail, collation=self.collation
        )

    def becomes(self, relation: str, column: str) -> None:
        """From now on it is a column of another table of DuckDB's, that holds the dialect's value."""
        self.relation, self.column, self.wrapping = relation, column, "{}"


@dataclass(slots=True)
class Relation:
    """A table of FROM: its alias as the dialect has it, folded, and its columns."""

    name: str | None
    alias: str
    fields: list[Field]
    is_stored: bool = False
    text: str = ""
    """What DuckDB has after FROM, where that is not said elsewhere."""

    def shown(self) -> list[Field]:
        """The columns that `*` stands for."""
        return [column for column in self.fields if not column.is_hidden]


@dataclass(slots=True)
class Grouped:
    """What a grouped block has for its expressions: its keys by their text, and its aggregates."""

    keys: dict[str, Sql] = field(default_factory=dict)
    has_keys: bool = True


@dataclass(slots=True)
class Output:
    """A column that a query gives: its name folded, None where it has none that can be written."""

    name: str | None
    kind: str
    precision: int = 0
    scale: int = 0
    may_fail: bool = False
    collation: str = ""


@dataclass(slots=True)
class Scope:
    """The tables of a block; `outer` are those around it."""

    outer: Scope | None = None
    relations: list[Relation] = field(default_factory=list)
    merged: dict[str, list[Field]] = field(default_factory=dict)
    """Columns that a join has made one of two, by name: the first is what the name alone means."""
    naturally_merged: set[str] = field(default_factory=set)
    """Those of them that NATURAL JOIN has found, and nobody has named."""
    pseudo: dict[str, Sql] = field(default_factory=dict)
    """Words that have a value in this block: ROWNUM, LEVEL."""
    grouped: Grouped | None = None
    """What its expressions may be made of, once its rows are grouped."""

    def named(self, name: str) -> list[Field]:
        """The columns of this block alone that the name means; those made one of two count once."""
        found = [column for relation in self.relations for column in relation.fields if column.name == name]
        merged = self.merged.get(name)
        if merged:
            rest = [column for column in found if not any(column is one for one in merged)]
            return [merged[0], *rest]
        return found

    def every_field(self) -> list[Field]:
        """The columns of this block, in the order of `*`: first those that a join has made one of two."""
        merged = list(self.merged.values())
        own = [column for relation in self.relations for column in relation.shown()]
        rest = [column for column in own if not any(column is one for group in merged for one in group)]
        return [*(group[0] for group in merged), *rest]

    def relation(self, name: str) -> list[Relation]:
        """The tables of this block alone that have this alias."""
        return [relation for relation in self.relations if relation.name == name]


def fields_of(alias: str, outputs: list[Output]) -> list[Field]:
    """The columns of a query in FROM, which are c1, c2, … in DuckDB."""
    return [
        Field(
            output.name,
            alias,
            f"c{place}",
            output.kind,
            output.precision,
            output.scale,
            may_fail=output.may_fail,
            collation=output.collation,
        )
        for place, output in enumerate(outputs, 1)
    ]
