"""PIVOT and UNPIVOT in DuckDB's SQL. By FROM - Using PIVOT and UNPIVOT (Transact-SQL).

The columns that PIVOT does not mention are what it groups by; its values are names, read as the column's
type.
"""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.catalog import quoted_text
from glue.dialects.errors import UnsupportedError
from glue.dialects.groups import Aggregation
from glue.dialects.scopes import Output, Relation, Scope
from glue.dialects.tsql.collations import same_key
from glue.dialects.tsql.conditions import compared_texts, for_comparison
from glue.dialects.tsql.names import columns_within
from glue.dialects.tsql.sources import Sources, fields_of, output_of
from glue.dialects.tsql.types import TEXTS, text_type, typed
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_LABEL_LENGTH = 128


class Pivots(Sources):
    """A translation as far as it knows pivots."""

    def pivoted(self, pivot: nodes.Pivot | nodes.Unpivot, text: str, relations: list[Relation]) -> Relation:
        """What PIVOT or UNPIVOT makes of tables: its text in brackets with the new alias, and its columns."""
        with self.within(Scope(self.scope.outer, relations)) as scope, self.in_clause("PIVOT"):
            if isinstance(pivot, nodes.Pivot):
                query, outputs = self._pivot(pivot, text, scope)
            else:
                query, outputs = self._unpivot(pivot, text, scope)
        alias = self.alias()
        return Relation(None, alias, fields_of(alias, outputs), text=f"({query}) as {alias}")

    def _pivot(self, pivot: nodes.Pivot, text: str, scope: Scope) -> tuple[str, list[Output]]:
        parts: list[nodes.Item | nodes.Name] = [*pivot.aggregates, *pivot.columns]
        used = [self.field(one)[0] for part in parts for one in columns_within(part)]
        kept = [one for one in scope.every_field() if not any(one is other for other in used)]
        keys = [one.sql() for one in kept]
        columns = [f"any_value({key.text})" if key.kind in TEXTS else key.text for key in keys]
        outputs = [output_of(one.label, key) for one, key in zip(kept, keys, strict=True)]
        asked_for = self.value(pivot.columns[0])
        for asked in pivot.values:
            name = _written_name(asked.value)
            match = _match(asked_for, name)
            made = self._pivoted_aggregate(pivot.aggregates[0])
            columns.append(made.template.format(*(f"{call} filter (where {match})" for call in made.calls)))
            outputs.append(Output(name, made.kind, made.precision, made.scale, collation=made.collation))
        _check_names(outputs)
        named = ", ".join(f"{column} as c{place}" for place, column in enumerate(columns, 1))
        grouped = f" group by {', '.join(same_key(key) for key in keys)}" if keys else ""
        return f"select {named} from {text}{grouped}", outputs

    def _pivoted_aggregate(self, item: nodes.Item) -> Aggregation:
        if not isinstance(item.value, nodes.Call):
            raise TSQLError("102", "PIVOT needs an aggregate")
        if item.value.name not in (
            "SUM",
            "AVG",
            "MIN",
            "MAX",
            "COUNT",
            "COUNT_BIG",
            "STDEV",
            "STDEVP",
            "VAR",
            "VARP",
        ):
            raise UnsupportedError(f"{item.value.name} in PIVOT")
        return self.aggregation(item.value)

    def _unpivot(self, pivot: nodes.Unpivot, text: str, scope: Scope) -> tuple[str, list[Output]]:
        names = [columns[0] for columns, _ in pivot.columns]
        used = [self.field(name)[0] for name in names]
        types = {(one.kind, one.precision, one.scale) for one in used}
        if len(types) > 1:
            raise TSQLError("8167", "the columns of UNPIVOT differ in type")
        kept = [one for one in scope.every_field() if not any(one is other for other in used)]
        rows = ", ".join(
            f"({quoted_text(name.parts[-1].text)}, {one.sql().text})"
            for name, one in zip(names, used, strict=True)
        )
        alias = self.alias("u")
        label = text_type("nvarchar", _LABEL_LENGTH)
        outputs = [output_of(one.label, one.sql()) for one in kept]
        outputs.append(output_of(pivot.values[0].text, used[0].sql()))
        outputs.append(Output(pivot.labels[0].text, label.kind, label.precision))
        _check_names(outputs)
        columns = [*(one.sql().text for one in kept), f"{alias}.v2", f"{alias}.v1"]
        named = ", ".join(f"{column} as c{place}" for place, column in enumerate(columns, 1))
        values = f"lateral (values {rows}) as {alias}(v1, v2)"
        return f"select {named} from {text}, {values} where {alias}.v2 is not null", outputs


def _written_name(value: nodes.Value) -> str:
    if not isinstance(value, nodes.Name) or len(value.parts) != 1:
        raise UnsupportedError("a value of PIVOT that is no name")
    return value.parts[0].text


def _match(column: Sql, name: str) -> str:
    asked = typed(quoted_text(name), text_type("nvarchar", len(name)))
    asked.constant = name
    one, other = compared_texts("=", *for_comparison(column, asked))
    return f"{one} = {other}"


def _check_names(outputs: list[Output]) -> None:
    found: set[str] = set()
    for output in outputs:
        name = (output.name or "").upper()
        if name in found:
            raise TSQLError("265", f"the column {output.name} is there already")
        found.add(name)
