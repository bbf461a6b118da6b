"""Transact-SQL's grammar of FROM: tables, derived tables, functions, joins, APPLY, PIVOT and hints."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_functions import Functions
from glue.dialects.tsql_reading import SYNTAX

_OUTER_SIDES = frozenset({"LEFT", "RIGHT", "FULL"})
_JOINS = _OUTER_SIDES | {"INNER", "JOIN"}
_JOIN_HINTS = frozenset({"LOOP", "HASH", "MERGE", "REMOTE"})
_HINTS_WORDS = """
    FORCESCAN FORCESEEK HOLDLOCK INDEX NOEXPAND NOLOCK NOWAIT PAGLOCK READCOMMITTED READCOMMITTEDLOCK
    READPAST READUNCOMMITTED REPEATABLEREAD ROWLOCK SERIALIZABLE SNAPSHOT SPATIAL_WINDOW_MAX_CELLS
    TABLOCK TABLOCKX UPDLOCK XLOCK
"""
_HINTS = frozenset(_HINTS_WORDS.split())
_UNREAD_WORDS = """
    CHANGETABLE CONTAINSTABLE FREETEXTTABLE OPENDATASOURCE OPENJSON OPENQUERY OPENROWSET OPENXML PREDICT
    SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE SEMANTICSIMILARITYTABLE
"""
_UNREAD = frozenset(_UNREAD_WORDS.split())


class Tables(Functions):
    """What stands after FROM."""

    def search_condition(self, where: str) -> nodes.Value:
        """Read the condition of WHERE, HAVING or ON, in which no window may stand."""
        before = self.n_read.copy()
        condition = self.condition()
        if self.n_read["window"] > before["window"]:
            self.note("4108", f"a window stands in {where}")
        if self.n_read["aggregate"] > before["aggregate"] and where != "HAVING" and self.depth == 0:
            self.note("147" if where == "WHERE" else "1015", f"an aggregate stands in {where}")
        return condition

    def tables(self) -> list[nodes.Source]:
        """Read the tables between commas."""
        sources = [self._joined(self._table())]
        while self.take(","):
            sources.append(self._joined(self._table()))
        return sources

    def _joined(self, source: nodes.Source) -> nodes.Source:
        """Read all that is joined to the table, and what turns it."""
        while True:
            if self.comes("CROSS", "APPLY") or self.comes("OUTER", "APPLY"):
                kind = f"{self.token.upper} APPLY"
                self.place += 2
                source = nodes.Join(kind, source, self._table(), place=source.place)
            elif self.take("CROSS"):
                self.want("JOIN")
                source = nodes.Join("CROSS", source, self._table(), place=source.place)
            elif self.comes_any(_JOINS):
                source = self._join(source)
            elif self.comes("PIVOT") or self.comes("UNPIVOT"):
                source = self._pivoted(source)
            else:
                return source

    def _join(self, left: nodes.Source) -> nodes.Join:
        """One join with its condition; joins that stand between its table and its condition come first."""
        kind = "INNER"
        if not self.comes("JOIN"):
            kind = self.token.upper
            self.place += 1
            if kind in _OUTER_SIDES:
                self.take("OUTER")
            self.place += self.comes_any(_JOIN_HINTS)
        self.want("JOIN")
        right = self._table()
        while self.comes_any(_JOINS):
            right = self._join(right)
        self.want("ON")
        return nodes.Join(kind, left, right, self.search_condition("ON"), place=left.place)

    def _table(self) -> nodes.Source:
        token = self.token
        if self.begins_query_in_bracket():
            self.take("(")
            query = self.query()
            self.want(")")
            alias, columns = self._alias_with_columns()
            return nodes.Derived(query, alias, columns, place=token.start)
        if self.take("(", "VALUES"):
            return self._value_rows(token.start)
        if self.take("("):
            source = self._table()
            start = self.place
            source = self._joined(source)
            if self.place == start:
                raise self.refused(SYNTAX, "a join is missing")
            self.want(")")
            return source
        if token.kind == "bind":
            self.note("1087", f"the table {token.text} was not declared")
            parts = (self.identifier(),)
            return nodes.Table(parts, self._alias_and_hints(), place=token.start)
        if (self.comes_any(_UNREAD) and self.comes("(", ahead=1)) or self.comes("{"):
            raise UnsupportedError(f"{token.upper} in FROM")
        return self._named_table()

    def _value_rows(self, place: int) -> nodes.ValueRows:
        """Read the rows behind VALUES, and the names of their columns."""
        rows = [self._row()]
        while self.take(","):
            rows.append(self._row())
            if len(rows[-1]) != len(rows[0]):
                self.note("10709", "the rows of VALUES differ in length")
        self.want(")")
        alias, columns = self._alias_with_columns()
        if len(columns) < len(rows[0]):
            self.note("8159" if columns else "8155", "columns of VALUES have no names")
        elif len(columns) > len(rows[0]):
            self.note("8158", "VALUES has fewer columns than names")
        return nodes.ValueRows(rows, alias, columns, place=place)

    def _row(self) -> list[nodes.Value]:
        self.want("(")
        row = self.values()
        self.want(")")
        return row

    def _named_table(self) -> nodes.Table | nodes.TableCall:
        """Read a table by its name, or a function's call in its place."""
        start = self.token.start
        parts = self.path()
        if self.comes("FOR", "SYSTEM_TIME") or self.comes("TABLESAMPLE"):
            raise UnsupportedError(f"{self.token.upper} in FROM")
        if not self.comes("(") or self.ahead(1).upper in _HINTS:
            return nodes.Table(parts, self._alias_and_hints(), place=start)
        self.take("(")
        call = nodes.Call(parts, self.values_if_any(), place=start)
        self.want(")")
        alias = self._alias()
        columns = self.names_in_brackets() if alias and self.comes("(") else []
        return nodes.TableCall(call, alias, columns, place=start)

    def _alias(self) -> nodes.Identifier | None:
        if self.take("AS") or (self.is_name() and not self._begins_window_clause()):
            return self.name()
        return None

    def _begins_window_clause(self) -> bool:
        return self.comes("WINDOW") and self.is_name(ahead=1) and self.comes("AS", "(", ahead=2)

    def _alias_with_columns(self) -> tuple[nodes.Identifier, list[nodes.Identifier]]:
        """Read a name and [(a, b, …)]."""
        alias = self._alias()
        if not alias:
            raise self.refused(SYNTAX, "the derived table needs a name")
        return alias, self.names_in_brackets() if self.comes("(") else []

    def _alias_and_hints(self) -> nodes.Identifier | None:
        """Read [name] [WITH (…)]; hints change nothing of what a table says."""
        alias = self._alias()
        if self.comes("TABLESAMPLE"):
            raise UnsupportedError("TABLESAMPLE in FROM")
        if self.comes("WITH", "("):
            self.take("WITH")
        if self.comes("("):
            hint = self.ahead(1)
            if hint.kind in ("word", "quoted") and hint.upper not in _HINTS:
                raise self.refused("321", f"{hint.text} is no hint:")
            self.skip_brackets()
        return alias

    # PIVOT

    def _pivoted(self, source: nodes.Source) -> nodes.Source:
        """Read PIVOT or UNPIVOT behind what it turns, and the name of what it gives."""
        pivot = self._unpivot() if self.comes("UNPIVOT") else self._pivot()
        alias = self._alias()
        if not alias:
            raise self.refused(SYNTAX, "what PIVOT gives needs a name")
        if not isinstance(source, nodes.Table | nodes.Derived) or source.pivot:
            return nodes.Pivoted(source, pivot, alias, place=source.place)
        source.pivot, source.pivot_alias = pivot, alias
        return source

    def _pivot(self) -> nodes.Pivot:
        start = self.token.start
        self.want("PIVOT")
        self.want("(")
        place = self.token.start
        function = self.path()
        self.want("(")
        call = nodes.Call(function, [self._column()], place=place)
        self.want(")")
        column = self._for_column()
        values = [nodes.PivotValue(name, place=name.place) for name in self._columns()]
        self.want(")")
        return nodes.Pivot([nodes.Item(call, place=place)], [column], values, place=start)

    def _unpivot(self) -> nodes.Unpivot:
        start = self.token.start
        self.want("UNPIVOT")
        self.want("(")
        value = self._column()
        label = self._for_column()
        columns: list[tuple[list[nodes.Name], nodes.Value | None]]
        columns = [([name], None) for name in self._columns()]
        self.want(")")
        return nodes.Unpivot([value.parts[-1]], [label.parts[-1]], columns, place=start)

    def _for_column(self) -> nodes.Name:
        self.want("FOR")
        column = self._column()
        self.want("IN")
        return column

    def _columns(self) -> list[nodes.Name]:
        """Read (a, b, …)."""
        self.want("(")
        columns = [self._column()]
        while self.take(","):
            columns.append(self._column())
        self.want(")")
        return columns

    def _column(self) -> nodes.Name:
        start = self.token.start
        return nodes.Name(self.path(), place=start)
