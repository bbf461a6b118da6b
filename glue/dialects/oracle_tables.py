"""Oracle's tables: what stands in FROM, and how it is joined and pivoted."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_calls import Calls

_NO_ALIAS_WORDS = """
    CROSS FETCH FULL INNER JOIN LEFT MATCH_RECOGNIZE MODEL NATURAL OFFSET OUTER PARTITION PIVOT
    RIGHT SAMPLE SUBPARTITION UNPIVOT USING VERSIONS
"""
_NO_ALIAS = frozenset(_NO_ALIAS_WORDS.split())
"""Words after a table that are no alias of it, though they are not reserved."""
_JOINS = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "FULL"})
_AFTER_JOINED = _JOINS | {"CROSS", "OUTER", "NATURAL"}
_UNREAD = frozenset({"MODEL", "MATCH_RECOGNIZE", "SAMPLE", "PARTITION", "SUBPARTITION", "VERSIONS"})
_PIVOTS = frozenset({"PIVOT", "UNPIVOT"})


class Tables(Calls):
    """Tables and what stands for one."""

    def tables(self) -> list[nodes.Source]:
        """Read what comes after FROM."""
        sources = [self._joined()]
        while self.take(","):
            sources.append(self._joined())
        return sources

    def _joined(self) -> nodes.Source:
        source = self._table()
        partition = self._outer_partition()
        if partition:
            source = self._join(source, partition)
        while self.token.upper in _AFTER_JOINED:
            if self.comes("CROSS", "APPLY") or self.comes("OUTER", "APPLY"):
                kind = f"{self.token.upper} APPLY"
                self.place += 2
                source = nodes.Join(kind, source, self._table(), place=source.place)
            elif self.take("CROSS"):
                self.want("JOIN", "ORA-00905")
                source = nodes.Join("CROSS", source, self._table(), place=source.place)
            elif self.take("NATURAL"):
                kind = self._join_kind()
                source = nodes.Join(kind, source, self._table(), is_natural=True, place=source.place)
            elif self.comes("OUTER"):
                break
            else:
                source = self._join(source)
        return source

    def _outer_partition(self) -> list[nodes.Value]:
        """PARTITION BY (…) of a side of an outer join."""
        if not self.take("PARTITION", "BY"):
            return []
        has_bracket = self.take("(")
        values = [self.value()]
        while self.take(","):
            values.append(self.value())
        if has_bracket:
            self.want(")", "ORA-00907")
        return values

    def _join(self, left: nodes.Source, left_partition: list[nodes.Value] | None = None) -> nodes.Join:
        """One join with its condition; joins that stand between its table and its condition come first."""
        kind = self._join_kind()
        right = self._table()
        right_partition = self._outer_partition()
        while self.token.upper in _JOINS:
            right = self._join(right)
        join = nodes.Join(kind, left, right, place=left.place)
        join.left_partition, join.right_partition = left_partition or [], right_partition
        if self.take("ON"):
            join.on = self.condition()
        elif self.take("USING"):
            join.using = self.names_in_brackets("ORA-00906")
        else:
            raise self.refused("ORA-00905", "ON is missing")
        return join

    def _join_kind(self) -> str:
        kind = self.token.upper
        if kind in ("LEFT", "RIGHT", "FULL"):
            self.place += 1
            self.take("OUTER")
        else:
            kind = "INNER"
            self.take("INNER")
        self.want("JOIN", "ORA-00905")
        return kind

    def _table(self) -> nodes.Source:
        source = self._source()
        if self.comes("AS", "OF"):
            raise UnsupportedError("AS OF")
        word = self.token.upper
        if word in _UNREAD and not self._ends_table(1) and not self.comes("PARTITION", "BY"):
            raise UnsupportedError(word)
        pivot = self._pivot() if word in _PIVOTS and self._ahead_is_bracket() else None
        alias = self.name() if self.is_name() and not self._is_no_alias() else None
        if pivot is None and alias is None:
            return source
        if isinstance(source, (nodes.Join, nodes.TableCall)) and pivot:
            raise UnsupportedError(f"{word} of what is no table")
        if isinstance(source, nodes.Join):
            raise UnsupportedError("an alias of a join in brackets")
        return self._called(source, alias, pivot)

    def _called(
        self, source: nodes.Source, alias: nodes.Identifier | None, pivot: nodes.Pivot | nodes.Unpivot | None
    ) -> nodes.Source:
        """The source with its alias and its pivot; one in brackets may have had them in these."""
        assert isinstance(source, (nodes.Table, nodes.Derived, nodes.TableCall))
        has_other = not isinstance(source, nodes.TableCall) and source.pivot is not None
        if source.alias or has_other:
            raise UnsupportedError("an alias or a pivot of what has one in brackets")
        if pivot and not isinstance(source, nodes.TableCall):
            source.pivot, source.pivot_alias = pivot, alias
        else:
            source.alias = alias
        return source

    def _source(self) -> nodes.Source:
        """A table, a query or a join in brackets, or a function; without what may follow."""
        token = self.token
        is_lateral = self.take("LATERAL") if self.comes("LATERAL", "(") else False
        if self.comes("("):
            return self._bracketed_source(is_lateral, token.start)
        if self.comes("XMLTABLE", "(") or self.comes("JSON_TABLE", "("):
            raise UnsupportedError(f"{token.upper} in FROM")
        if self.comes("TABLE", "("):
            return self._table_call()
        parts: tuple[nodes.Identifier, ...] = (self.name("ORA-00903"),)
        while self.take("."):
            parts += (self.name("ORA-00903"),)
        if self.take("@"):
            raise UnsupportedError("a link to another database")
        return nodes.Table(parts, place=token.start)

    def _bracketed_source(self, is_lateral: bool, start: int) -> nodes.Source:
        self.place += 1
        source: nodes.Source
        if self.begins_query():
            source = nodes.Derived(self.query(), is_lateral=is_lateral, place=start)
        else:
            source = self._joined()
        self.want(")", "ORA-00907")
        if self.take("(", "+", ")"):
            if not isinstance(source, nodes.Derived):
                raise UnsupportedError("(+) of a table in brackets")
            source.is_outer = True
        return source

    def _table_call(self) -> nodes.TableCall:
        """TABLE( … ), where CAST(MULTISET(query) AS type) may stand in the brackets."""
        start = self.token.start
        parts: tuple[nodes.Identifier, ...] = (self.identifier(),)
        self.place += 1
        if self.comes("CAST", "("):
            argument: nodes.Value = self._collection()
        elif self.begins_query():
            place = self.token.start
            argument = nodes.Subquery(self.query(), place=place)
        else:
            argument = self.value()
        self.want(")", "ORA-00907")
        call = nodes.Call(parts, [argument], place=start)
        return nodes.TableCall(call, is_outer=self.take("(", "+", ")"), place=start)

    def _collection(self) -> nodes.Cast:
        """CAST( … AS type) whose type is one of collections, and so none of Oracle's plain ones."""
        start = self.token.start
        self.place += 2
        operand = self.subquery() if self.take("MULTISET") else self.value()
        self.want("AS", "ORA-00905")
        cast = nodes.Cast("CAST", operand, self.made_type(), place=start)
        self.want(")", "ORA-00907")
        return cast

    def _is_no_alias(self) -> bool:
        if self.token.kind == "quoted":
            return False
        return self.token.upper in _NO_ALIAS or (self.version >= 21 and self.comes("EXCEPT"))

    def _ends_table(self, ahead: int) -> bool:
        token = self.ahead(ahead)
        return token.kind == "end" or token.upper in {",", ")", "WHERE", "ON"}

    # PIVOT and UNPIVOT

    def _ahead_is_bracket(self) -> bool:
        return any(
            self.comes(*words, "(", ahead=1)
            for words in ((), ("XML",), ("INCLUDE", "NULLS"), ("EXCLUDE", "NULLS"))
        )

    def _pivot(self) -> nodes.Pivot | nodes.Unpivot:
        start = self.token.start
        if self.take("UNPIVOT"):
            pivot: nodes.Pivot | nodes.Unpivot = self._unpivot(start)
        else:
            self.place += 1
            if self.take("XML"):
                raise UnsupportedError("PIVOT XML")
            self.want("(", "ORA-00906")
            aggregates = self._aggregates()
            self.want("FOR", "ORA-00905")
            columns = self._columns()
            self.want("IN", "ORA-00905")
            self.want("(", "ORA-00906")
            pivot = nodes.Pivot(aggregates, columns, self._pivot_values(), place=start)
        self.want(")", "ORA-00907")
        self.want(")", "ORA-00907")
        return pivot

    def _aggregates(self) -> list[nodes.Item]:
        items = []
        while True:
            value = self.value()
            items.append(nodes.Item(value, self.item_alias(), place=value.place))
            if not self.take(","):
                return items

    def _pivot_values(self) -> list[nodes.PivotValue]:
        values = []
        while True:
            value = self.operand("ORA-00936") if self.comes("(") else self.value()
            values.append(nodes.PivotValue(value, self.item_alias(), place=value.place))
            if not self.take(","):
                return values

    def item_alias(self) -> nodes.Identifier | None:
        """Read a column's alias, with AS or without."""
        if self.take("AS"):
            return self.name("ORA-00923")
        return self.identifier() if self.is_name() else None

    def _unpivot(self, start: int) -> nodes.Unpivot:
        has_nulls = self.comes("INCLUDE")
        if has_nulls or self.comes("EXCLUDE"):
            self.place += 1
            self.want("NULLS", "ORA-00905")
        self.want("(", "ORA-00906")
        values = self._name_or_names()
        self.want("FOR", "ORA-00905")
        labels = self._name_or_names()
        self.want("IN", "ORA-00905")
        self.want("(", "ORA-00906")
        unpivot = nodes.Unpivot(values, labels, [], has_nulls, place=start)
        while True:
            columns = self._columns()
            unpivot.columns.append((columns, self.operand("ORA-00936") if self.take("AS") else None))
            if not self.take(","):
                return unpivot

    def _name_or_names(self) -> list[nodes.Identifier]:
        return self.names_in_brackets("ORA-00904") if self.comes("(") else [self.name("ORA-00904")]

    def _columns(self) -> list[nodes.Name]:
        """A column, or several in brackets."""
        start = self.token.start
        if self.comes("("):
            return [nodes.Name((name,), place=start) for name in self.names_in_brackets("ORA-00904")]
        parts: tuple[nodes.Identifier, ...] = (self.name("ORA-00904"),)
        while self.take("."):
            parts += (self.name("ORA-00904"),)
        return [nodes.Name(parts, place=start)]
