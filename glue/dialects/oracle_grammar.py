"""Reads a query into a tree as Oracle's parser does; what that refuses is refused with its code, at its word.

A parser for another purpose (sqlglot) takes far more: LIMIT, AS before a table's alias, a missing FROM.
This one knows no table: it goes by the grammar of the SQL Language Reference alone. What is read as a name
there is one here: `FROM t LIMIT 2` is a table with the alias LIMIT, and then comes a 2.
"""

from __future__ import annotations

from typing import Literal

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_reading import SET_OPERATORS
from glue.dialects.oracle_tables import Tables


def read_oracle(sql: str, version: int = 19) -> nodes.Query:
    """The tree of a query.

    Raises OracleError where Oracle's parser refuses the query, UnsupportedError for what is not read here.
    `version`: EXCEPT, and ALL after MINUS and INTERSECT, are from 21 on; a query without FROM from 23 on.
    """
    try:
        return _Queries(sql, version).statement()
    except RecursionError:
        raise UnsupportedError("brackets too deep within one another") from None


class _Queries(Tables):
    """Queries and their parts."""

    def statement(self) -> nodes.Query:
        """Read a query that is all there is."""
        query = self.query()
        self.take(";")
        if self.token.kind != "end":
            raise self.refused("ORA-00933", "the query has ended")
        return query

    def query(self) -> nodes.Query:
        """[WITH …] blocks between set operators [ORDER BY …] [OFFSET … FETCH …]."""
        start = self.token.start
        named = []
        if self.take("WITH"):
            named.append(self._named_query())
            while self.take(","):
                named.append(self._named_query())
        query = nodes.Query(self._body(), named, place=start)
        if self.take("ORDER"):
            query.is_siblings = self.take("SIBLINGS")
            self.want("BY", "ORA-00924")
            query.order = self.order_terms()
        if self.comes_any({"OFFSET", "FETCH"}):
            query.limit = self._row_limit()
        if self.comes("FOR", "UPDATE"):
            if query.limit:
                raise OracleError("ORA-02014", "rows of a limited query cannot be locked")
            raise UnsupportedError("FOR UPDATE")
        return query

    def _body(self) -> nodes.Body:
        """Blocks between set operators, all of which bind alike."""
        body: nodes.Body = self._block()
        while self.comes_any(SET_OPERATORS) or (self.version >= 21 and self.comes("EXCEPT")):
            word = self.token.upper
            self.place += 1
            is_all = (word == "UNION" or self.version >= 21) and self.take("ALL")
            body = nodes.SetOperation(word, is_all, body, self._block(), place=body.place)
        return body

    # WITH

    def _named_query(self) -> nodes.NamedQuery:
        if self.comes_any({"FUNCTION", "PROCEDURE"}):
            raise UnsupportedError("WITH FUNCTION")
        start = self.token.start
        name = self.name("ORA-00903")
        columns = self.names_in_brackets("ORA-00904") if self.comes("(") else []
        self.want("AS", "ORA-00905")
        self.want("(", "ORA-00906")
        named = nodes.NamedQuery(name, self.query(), columns, place=start)
        self.want(")", "ORA-00907")
        if self.comes("SEARCH"):
            named.search = self._search()
        if self.comes("CYCLE"):
            named.cycle = self._cycle()
        return named

    def _search(self) -> nodes.Search:
        start = self.token.start
        self.place += 1
        is_depth = self.take("DEPTH", "FIRST", "BY")
        if not (is_depth or self.take("BREADTH", "FIRST", "BY")):
            raise self.refused("ORA-00905", "DEPTH FIRST BY is missing")
        order = self.order_terms()
        self.want("SET", "ORA-00905")
        return nodes.Search(is_depth, order, self.name("ORA-00904"), place=start)

    def _cycle(self) -> nodes.Cycle:
        start = self.token.start
        self.place += 1
        columns = [self.name("ORA-00904")]
        while self.take(","):
            columns.append(self.name("ORA-00904"))
        self.want("SET", "ORA-00905")
        name = self.name("ORA-00904")
        self.want("TO", "ORA-00905")
        marked = self.value()
        self.want("DEFAULT", "ORA-00905")
        return nodes.Cycle(columns, name, marked, self.value(), place=start)

    # SELECT

    def _block(self) -> nodes.Block | nodes.Query:
        if self.comes("("):
            return self.subquery().query
        start = self.token.start
        self.want("SELECT", "ORA-00928")
        is_distinct = self.take("DISTINCT") or self.take("UNIQUE")
        if not is_distinct:
            self.take("ALL")
        block = nodes.Block(self._select_list(), is_distinct=is_distinct, place=start)
        if self.comes_any({"BULK", "INTO"}):
            raise self.refused("ORA-00905", "a query puts nothing into variables")
        if not self.take("FROM"):
            if self.version >= 23 and not self.is_name():
                return block
            raise self.refused("ORA-00923", "FROM is missing")
        block.sources = self.tables()
        if self.take("WHERE"):
            block.where = self.condition()
        self._hierarchy(block)
        self._grouping(block)
        if self.comes("MODEL"):
            raise UnsupportedError("MODEL")
        return block

    def _select_list(self) -> list[nodes.Item]:
        token = self.token
        if self.take("*"):
            return [nodes.Item(nodes.Star(place=token.start), place=token.start)]
        items = []
        while True:
            start = self.token.start
            star = self._star_after_name()
            if star:
                items.append(nodes.Item(star, place=start))
            else:
                value = self.value()
                items.append(nodes.Item(value, self.item_alias(), place=start))
            if not self.take(","):
                return items

    def _star_after_name(self) -> nodes.Star | None:
        """Reads t.* or s.t.*; nothing where that is not what comes."""
        if not (self.comes(".", ahead=1) and self.is_name()):
            return None
        has_schema = not self.comes("*", ahead=2)
        if has_schema and not (self.comes(".", "*", ahead=3) and self.is_name(ahead=2)):
            return None
        start = self.token.start
        parts = [self.identifier()]
        self.place += 1
        if has_schema:
            parts.append(self.identifier())
            self.place += 1
        self.place += 1
        return nodes.Star(tuple(parts), place=start)

    def _hierarchy(self, block: nodes.Block) -> None:
        """START WITH and CONNECT BY, in either order."""
        while True:
            if block.start is None and self.take("START"):
                self.want("WITH", "ORA-00905")
                block.start = self.condition()
            elif block.connect is None and self.take("CONNECT"):
                self.want("BY", "ORA-00905")
                block.is_nocycle = self.take("NOCYCLE")
                block.connect = self.condition()
            else:
                break
        if block.start and not block.connect:
            raise self.refused("ORA-01788", "CONNECT BY is missing")

    def _grouping(self, block: nodes.Block) -> None:
        """GROUP BY and HAVING, in either order."""
        while True:
            if block.groups is None and self.take("GROUP"):
                self.want("BY", "ORA-00924")
                block.groups = self._grouping_terms()
            elif block.having is None and self.take("HAVING"):
                block.having = self.condition()
            else:
                return

    def _grouping_terms(self) -> list[nodes.Grouping]:
        terms = [self._grouping_term()]
        while self.take(","):
            terms.append(self._grouping_term())
        return terms

    def _grouping_term(self) -> nodes.Grouping:
        start = self.token.start
        if self.take("(", ")"):
            return nodes.Grouping("", place=start)
        if self.take("ROLLUP", "("):
            return self._grouping_set("ROLLUP", start)
        if self.take("CUBE", "("):
            return self._grouping_set("CUBE", start)
        if self.take("GROUPING", "SETS", "("):
            return self._grouping_set("SETS", start)
        value = self.value()
        values = value.values if isinstance(value, nodes.Row) else [value]
        return nodes.Grouping("", values, place=start)

    def _grouping_set(self, kind: Literal["ROLLUP", "CUBE", "SETS"], start: int) -> nodes.Grouping:
        grouping = nodes.Grouping(kind, terms=self._grouping_terms(), place=start)
        self.want(")", "ORA-00907")
        return grouping

    def _row_limit(self) -> nodes.Limit:
        """[OFFSET …] [FETCH …]."""
        limit = nodes.Limit(place=self.token.start)
        if self.take("OFFSET"):
            limit.offset = self.value()
            self._want_rows()
        if self.take("FETCH"):
            limit.has_fetch = True
            if not (self.take("FIRST") or self.take("NEXT")):
                raise self.refused("ORA-00905", "FIRST is missing")
            if not self.comes_any({"ROW", "ROWS"}):
                limit.count = self.value()
                limit.is_percent = self.take("PERCENT")
            self._want_rows()
            limit.has_ties = self.take("WITH", "TIES")
            if not limit.has_ties:
                self.want("ONLY", "ORA-00905")
        return limit

    def _want_rows(self) -> None:
        if not (self.take("ROWS") or self.take("ROW")):
            raise self.refused("ORA-00905", "ROWS is missing")
