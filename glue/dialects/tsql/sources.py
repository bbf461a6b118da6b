"""What stands in FROM of a query for SQL Server, in DuckDB's SQL: tables, queries, VALUES, functions."""

from __future__ import annotations

from abc import abstractmethod

from glue.dialects import nodes
from glue.dialects.catalog import StoredTable, quoted
from glue.dialects.errors import UnsupportedError
from glue.dialects.scopes import Field, Output, Relation, Scope
from glue.dialects.tsql.choices import of_one_type
from glue.dialects.tsql.collations import one_collation
from glue.dialects.tsql.conversions import as_text, implicit
from glue.dialects.tsql.names import OWN_SCHEMA, folded
from glue.dialects.tsql.types import (
    BIGINT,
    EXACT,
    INT,
    NATIONAL,
    column_value,
    text_type,
    type_of,
    united,
)
from glue.dialects.tsql.windows import Windows
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_SYSTEM_SCHEMAS = frozenset({"SYS", "INFORMATION_SCHEMA"})
_Found = tuple[str, list[Relation]]


class Sources(Windows):
    """A translation as far as it knows tables."""

    @abstractmethod
    def pivoted(self, pivot: nodes.Pivot | nodes.Unpivot, text: str, relations: list[Relation]) -> Relation:
        """What PIVOT or UNPIVOT makes of tables; its `alias` is then that of the text in brackets."""

    def from_clause(self, sources: list[nodes.Source], scope: Scope) -> str:
        """What DuckDB has after FROM; `scope` gets the tables. Raises 1011 and 1013 for equal names."""
        texts = []
        for source in sources:
            text, relations = self.source(source, None)
            scope.relations.extend(relations)
            texts.append(text)
        _check_names(scope.relations)
        return ", ".join(texts)

    def source(self, node: nodes.Source, applied_to: list[Relation] | None) -> _Found:
        """One of FROM, and its tables; behind APPLY it sees those to its left, which are `applied_to`."""
        if isinstance(node, nodes.Join):
            return self._join(node, applied_to)
        if isinstance(node, nodes.Pivoted):
            text, relations = self.source(node.source, applied_to)
            relation = self.pivoted(node.pivot, text, relations)
            relation.name = folded(node.alias) if node.alias else None
            return relation.text, [relation]
        if isinstance(node, nodes.Table):
            return self._with_pivot(node, *self._table(node))
        if isinstance(node, nodes.Derived):
            return self._with_pivot(node, *self._derived(node, applied_to))
        with self.within(self._seen(applied_to)), self.in_clause("FROM"):
            if isinstance(node, nodes.ValueRows):
                text, relation = self._value_rows(node)
            elif isinstance(node, nodes.TableCall):
                text, relation = self._table_call(node)
            else:
                raise UnsupportedError(f"{type(node).__name__} in FROM")
        return text, [relation]

    def _seen(self, applied_to: list[Relation] | None) -> Scope:
        """The tables that a derived table sees: those around the block, behind APPLY those to its left."""
        if applied_to is None:
            return self.scope.outer or Scope()
        return Scope(self.scope.outer, list(applied_to))

    def _with_pivot(self, node: nodes.Table | nodes.Derived, text: str, relation: Relation) -> _Found:
        if node.pivot is not None:
            relation = self.pivoted(node.pivot, text, [relation])
            text = relation.text
            relation.name = folded(node.pivot_alias) if node.pivot_alias else None
        return text, [relation]

    # Tables

    def _table(self, node: nodes.Table) -> tuple[str, Relation]:
        names = [folded(part) for part in node.parts]
        alias = self.alias()
        name = folded(node.alias) if node.alias else names[-1]
        if len(names) == 1 and names[0] in self.named_queries:
            stored, outputs = self.named_queries[names[0]]
            return f"{stored} as {alias}", Relation(name, alias, fields_of(alias, outputs), text=stored)
        table = self._stored_table(names, node)
        fields = [
            _field(column.name, alias, column_value(column), column.stored_name) for column in table.columns
        ]
        is_stored = node.alias is None
        return f"{quoted(table.stored_name)} as {alias}", Relation(name, alias, fields, is_stored)

    def _stored_table(self, names: list[str], node: nodes.Table) -> StoredTable:
        written = ".".join(part.text for part in node.parts)
        if len(names) > 2:
            raise UnsupportedError(f"a table with the name of its database: {written}")
        if len(names) == 2 and names[0] in _SYSTEM_SCHEMAS:
            raise UnsupportedError(f"the server's own table {written}")
        table = self.tables.get(names[-1]) if names[:-1] in ([], [OWN_SCHEMA]) else None
        if table is None:
            raise TSQLError("208", f"there is no table {written}")
        return table

    def _derived(self, node: nodes.Derived, applied_to: list[Relation] | None) -> tuple[str, Relation]:
        alias = self.alias()
        with self.within(self._seen(applied_to)):
            text, outputs = self.subquery(node.query)
        name = folded(node.alias) if node.alias else None
        outputs = named_columns(outputs, node.columns, node.alias)
        lateral = "lateral " * (applied_to is not None)
        return f"{lateral}({text}) as {alias}", Relation(name, alias, fields_of(alias, outputs))

    def _value_rows(self, node: nodes.ValueRows) -> tuple[str, Relation]:
        """(VALUES …): each column has the strongest of its values' types."""
        alias = self.alias()
        rows = [[self.value(value) for value in row] for row in node.rows]
        columns = [_of_one_type(list(column)) for column in zip(*rows, strict=True)]
        listed = ", ".join(
            f"({', '.join(value.text for value in row)})" for row in zip(*columns, strict=True)
        )
        outputs = [
            Output(None, one[0].kind, one[0].precision, one[0].scale, collation=one_collation(one))
            for one in columns
        ]
        outputs = named_columns(outputs, node.columns, node.alias)
        names = ", ".join(f"c{place}" for place in range(1, len(outputs) + 1))
        name = folded(node.alias) if node.alias else None
        lateral = "lateral " * bool(self.scope.relations)
        return f"{lateral}(values {listed}) as {alias}({names})", Relation(
            name, alias, fields_of(alias, outputs)
        )

    # Functions

    def _table_call(self, node: nodes.TableCall) -> tuple[str, Relation]:
        name = node.call.name
        if len(node.call.parts) == 1 and name == "STRING_SPLIT":
            query, outputs = self._string_split(node.call.arguments)
        elif len(node.call.parts) == 1 and name == "GENERATE_SERIES":
            query, outputs = self._series(node.call.arguments)
        else:
            raise TSQLError("208", f"there is no table {name}")
        alias = self.alias()
        outputs = named_columns(outputs, node.columns, node.alias)
        relation = Relation(folded(node.alias) if node.alias else name, alias, fields_of(alias, outputs))
        return f"lateral ({query}) as {alias}", relation

    def _string_split(self, arguments: list[nodes.Value]) -> tuple[str, list[Output]]:
        if not 2 <= len(arguments) <= 3:
            raise TSQLError("174", "STRING_SPLIT takes 2 or 3 arguments")
        text, separator = (as_text(self.value(argument)) for argument in arguments[:2])
        if not isinstance(separator.constant, str):
            raise UnsupportedError("STRING_SPLIT by what is no literal")
        if len(separator.constant) != 1:
            raise TSQLError("214", "STRING_SPLIT takes a separator of one letter")
        if separator.constant.lower() != separator.constant.upper():
            raise UnsupportedError("STRING_SPLIT by a letter")
        is_ordered = self._is_ordered(arguments)
        parts = f"string_split({text.text}, {separator.text})"
        kind = "nvarchar" if {text.kind, separator.kind} & NATIONAL else "varchar"
        of = text_type(kind, text.precision)
        outputs = [Output("value", of.kind, of.precision, collation=text.collation)]
        query = f"select unnest({parts}) as c1"
        if is_ordered:
            query += f", generate_subscripts({parts}, 1) as c2"
            outputs.append(Output("ordinal", BIGINT.kind))
        return query, outputs

    def _is_ordered(self, arguments: list[nodes.Value]) -> bool:
        if len(arguments) < 3:
            return False
        asked = self.value(arguments[2])
        if asked.kind == "null":
            return False
        constant = implicit(asked, INT).constant
        if constant not in (0, 1):
            raise UnsupportedError("STRING_SPLIT with a third argument that is neither 0 nor 1")
        return constant == 1

    def _series(self, arguments: list[nodes.Value]) -> tuple[str, list[Output]]:
        if not 2 <= len(arguments) <= 3:
            raise TSQLError("174", "GENERATE_SERIES takes 2 or 3 arguments")
        values = [self.value(argument) for argument in arguments]
        of = united([type_of(value) for value in values])
        if any(value.kind not in EXACT - {"bit", "money", "smallmoney"} for value in values):
            raise TSQLError("5373", "GENERATE_SERIES takes whole numbers and decimals")
        if len({value.kind for value in values}) > 1:
            raise TSQLError("5373", "all arguments of GENERATE_SERIES are of one type")
        if of.kind == "decimal":
            raise UnsupportedError("GENERATE_SERIES of decimals")
        start, stop, *steps = (implicit(value, of).text for value in values)
        step = steps[0] if steps else f"tsql_direction({start}, {stop})"
        query = f"select unnest(tsql_series({start}, {stop}, {step}))::{of.stored} as c1"
        return query, [Output("value", of.kind)]

    # Joins

    def _join(self, node: nodes.Join, applied_to: list[Relation] | None) -> _Found:
        left, left_relations = self.source(node.left, applied_to)
        is_apply = node.kind.endswith("APPLY")
        seen = [*(applied_to or []), *left_relations] if is_apply else applied_to
        right, right_relations = self.source(node.right, seen)
        relations = [*left_relations, *right_relations]
        if isinstance(node.right, nodes.Join):
            right = f"({right})"
        if node.kind in ("CROSS", "CROSS APPLY"):
            return f"{left} cross join {right}", relations
        if node.kind == "OUTER APPLY":
            return f"{left} left join {right} on true", relations
        if node.on is None:
            raise AssertionError("a join without ON")
        outer = self.scope.outer
        if applied_to:
            outer = Scope(outer, list(applied_to))
        with self.within(Scope(outer, relations)), self.in_clause("ON"):
            condition = self.value(node.on).text
        return f"{left} {node.kind.lower()} join {right} on {condition}", relations


def _of_one_type(values: list[Sql]) -> list[Sql]:
    if all(value.kind == "null" for value in values):
        return [implicit(value, INT) for value in values]
    return of_one_type(values, "")


def _field(name: str, alias: str, value: Sql, stored_name: str) -> Field:
    """A column of a stored table; `value` holds its type, and its text what the column is put into."""
    return Field(
        name.upper(),
        alias,
        quoted(stored_name),
        value.kind,
        value.precision,
        value.scale,
        value.text,
        label=name,
    )


def fields_of(alias: str, outputs: list[Output]) -> list[Field]:
    """The columns of a query in FROM, which are c1, c2, … in DuckDB."""
    return [
        Field(
            None if output.name is None else output.name.upper(),
            alias,
            f"c{place}",
            output.kind,
            output.precision,
            output.scale,
            may_fail=output.may_fail,
            collation=output.collation,
            label=output.name,
        )
        for place, output in enumerate(outputs, 1)
    ]


def named_columns(
    outputs: list[Output], names: list[nodes.Identifier], of: nodes.Identifier | None
) -> list[Output]:
    """The columns of a derived table or one of WITH, by the names behind its own.

    Raises 8155 where one has none, 8156 where two have the same, 8158 and 8159 where the names miscount.
    """
    where = "" if of is None else f" of {of.text}"
    if names:
        if len(names) != len(outputs):
            code = "8158" if len(names) < len(outputs) else "8159"
            raise TSQLError(code, f"the columns{where} are not as many as their names")
        outputs = [
            Output(name.text, one.kind, one.precision, one.scale, one.may_fail, one.collation)
            for name, one in zip(names, outputs, strict=True)
        ]
    found: set[str] = set()
    for place, output in enumerate(outputs, 1):
        if output.name is None:
            raise TSQLError("8155", f"column {place}{where} has no name")
        if output.name.upper() in found:
            raise TSQLError("8156", f"the column {output.name}{where} comes twice")
        found.add(output.name.upper())
    return outputs


def _check_names(relations: list[Relation]) -> None:
    names: dict[str, bool] = {}
    for relation in relations:
        if relation.name is None:
            continue
        if relation.name in names:
            code = "1013" if relation.is_stored and names[relation.name] else "1011"
            raise TSQLError(code, f"{relation.name} comes twice in FROM")
        names[relation.name] = relation.is_stored


def output_of(name: str | None, value: Sql) -> Output:
    """What a query gives in a column."""
    return Output(name, value.kind, value.precision, value.scale, value.may_fail, value.collation)
