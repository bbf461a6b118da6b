"""PIVOT and UNPIVOT in DuckDB's SQL: filtered aggregates, and a row for each of several columns.

By the SQL Language Reference 19c, SELECT: the columns that PIVOT does not mention are what it groups by.
"""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.groups import Aggregation
from glue.dialects.oracle.hierarchies import Hierarchies
from glue.dialects.oracle.kinds import MOMENTS, NUMBERS, TEXTS, for_comparison, number_kind
from glue.dialects.oracle.names import folded
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Field, Output, Relation, Scope, fields_of
from glue.dialects.values import Sql


class Pivots(Hierarchies):
    """A translation as far as it knows pivots."""

    def pivoted(self, pivot: nodes.Pivot | nodes.Unpivot, text: str, relation: Relation) -> Relation:
        """What PIVOT or UNPIVOT makes of a table: its text in brackets with an alias, and its columns."""
        with self.within(Scope(self.scope.outer, [relation])) as scope:
            if isinstance(pivot, nodes.Pivot):
                query, outputs = self._pivot(pivot, text, scope)
            else:
                query, outputs = self._unpivot(pivot, text, scope)
        alias = self.alias()
        return Relation(None, alias, fields_of(alias, outputs), text=f"({query}) as {alias}")

    def _pivot(self, pivot: nodes.Pivot, text: str, scope: Scope) -> tuple[str, list[Output]]:
        used = self._used_fields([*pivot.aggregates, *pivot.columns], scope)
        kept = [one for one in scope.relations[0].shown() if not any(one is other for other in used)]
        outputs = [Output(one.name, one.kind, one.precision, one.scale) for one in kept]
        columns = [one.sql().text for one in kept]
        keys = [self.value(column) for column in pivot.columns]
        for asked in pivot.values:
            match = self._match(keys, asked)
            for item in pivot.aggregates:
                made = self._pivoted_aggregate(item)
                calls = [f"{call} filter (where {match})" for call in made.calls]
                columns.append(made.template.format(*calls))
                outputs.append(Output(_pivot_name(asked, item), made.kind, made.precision, made.scale))
        named = ", ".join(f"{column} as c{place}" for place, column in enumerate(columns, 1))
        grouped = f" group by {', '.join(columns[: len(kept)])}" if kept else ""
        return f"select {named} from {text}{grouped}", outputs

    def _pivoted_aggregate(self, item: nodes.Item) -> Aggregation:
        if not isinstance(item.value, nodes.Call) or item.value.over is not None:
            raise OracleError("ORA-56902", "expect aggregate function inside pivot operation")
        return self._aggregation(item.value, [])

    def _used_fields(self, parts: list[nodes.Item | nodes.Name], scope: Scope) -> list[Field]:
        found = []
        for one in (one for part in parts for one in nodes.parts_within(part)):
            if isinstance(one, nodes.Name):
                column, owner = self.field(self.parts(one), one)
                if owner is scope:
                    found.append(column)
        return found

    def _match(self, keys: list[Sql], asked: nodes.PivotValue) -> str:
        values = asked.value.values if isinstance(asked.value, nodes.Row) else [asked.value]
        if len(values) != len(keys):
            raise OracleError("ORA-00947", "not enough values in the list of PIVOT")
        pairs = [for_comparison(key, self.value(value)) for key, value in zip(keys, values, strict=True)]
        return " and ".join(f"{one.text} = {other.text}" for one, other in pairs)

    def _unpivot(self, pivot: nodes.Unpivot, text: str, scope: Scope) -> tuple[str, list[Output]]:
        sets = [[self.field(self.parts(name), name)[0] for name in columns] for columns, _ in pivot.columns]
        used = [one for columns in sets for one in columns]
        kept = [one for one in scope.relations[0].shown() if not any(one is other for other in used)]
        rows = []
        for columns, (names, label) in zip(sets, pivot.columns, strict=True):
            labels = self._labels(names, label, len(pivot.labels))
            rows.append(f"({', '.join([one.text for one in labels] + [one.sql().text for one in columns])})")
        outputs = [Output(one.name, one.kind, one.precision, one.scale) for one in kept]
        first_labels = self._labels(*pivot.columns[0], len(pivot.labels))
        outputs += [
            Output(folded(name), "text" if one.kind == "char" else one.kind, one.precision, one.scale)
            for name, one in zip(pivot.labels, first_labels, strict=True)
        ]
        for place, name in enumerate(pivot.values):
            kind, precision, scale = _one_kind([columns[place] for columns in sets])
            outputs.append(Output(folded(name), kind, precision, scale))
        alias = self.alias("u")
        n_told = len(pivot.labels) + len(pivot.values)
        told = [f"v{place}" for place in range(1, n_told + 1)]
        columns_text = [one.sql().text for one in kept] + [f"{alias}.{name}" for name in told]
        named = ", ".join(f"{column} as c{place}" for place, column in enumerate(columns_text, 1))
        measures = told[len(pivot.labels) :]
        there = " or ".join(f"{alias}.{name} is not null" for name in measures)
        where = "" if pivot.has_nulls else f" where {there}"
        values = f"lateral (values {', '.join(rows)}) as {alias}({', '.join(told)})"
        return f"select {named} from {text}, {values}{where}", outputs

    def _labels(self, names: list[nodes.Name], label: nodes.Value | None, n_labels: int) -> list[Sql]:
        if label is None:
            name = "_".join(folded(one.parts[-1]) for one in names)
            return [Sql(quoted_text(name), "text")] * n_labels
        values = label.values if isinstance(label, nodes.Row) else [label]
        return [self.value(value) for value in values]


def _pivot_name(asked: nodes.PivotValue, item: nodes.Item) -> str:
    """The column's name: the value or its alias, and the aggregate's alias behind it."""
    if asked.alias is not None:
        name = folded(asked.alias)
    else:
        values = asked.value.values if isinstance(asked.value, nodes.Row) else [asked.value]
        name = "_".join(_value_name(value) for value in values)
    return f"{name}_{folded(item.alias)}" if item.alias is not None else name


def _value_name(value: nodes.Value) -> str:
    if isinstance(value, nodes.Text):
        return f"'{value.text}'"
    if isinstance(value, nodes.Number):
        return value.text
    raise UnsupportedError("PIVOT of a value without an alias that is no literal")


def _one_kind(columns: list[Field]) -> tuple[str, int, int]:
    kinds = {column.kind for column in columns}
    for family, widest in ((TEXTS, "text"), (NUMBERS, number_kind(kinds)), (MOMENTS, "timestamp")):
        if kinds <= family:
            kind = columns[0].kind if len(kinds) == 1 else widest
            scale = max(column.scale for column in columns)
            whole = max(column.precision - column.scale for column in columns)
            return kind, min(38, whole + scale), scale
    if len(kinds) == 1:
        return columns[0].kind, 0, 0
    raise OracleError("ORA-01790", "expression must have same datatype as corresponding expression")
