"""The tree of a query in Transact-SQL; where SQL Server refuses it, the error is its own, at the same word.

As for Oracle (oracle_grammar.py) no table is known: this reads the words of one query by the grammar of the
Transact-SQL reference. `FROM t LIMIT 2` is a table with the alias LIMIT, and then comes a 2. Beside what the
parser refuses it refuses what needs no catalog: ORDER BY in a derived table, a window in WHERE, a function
that does not exist. Names and the types of values are left to those who know the tables.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from itertools import pairwise

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_reading import SYNTAX
from glue.dialects.tsql_tables import Tables

_STATEMENTS_WORDS = """
    ALTER BACKUP BEGIN BREAK BULK CHECKPOINT CLOSE COMMIT CONTINUE CREATE DBCC DEALLOCATE DECLARE DELETE
    DENY DROP EXEC EXECUTE GOTO GRANT IF INSERT KILL MERGE OPEN PRINT RAISERROR READTEXT RECONFIGURE
    RESTORE RETURN REVERT REVOKE ROLLBACK SAVE SET SETUSER SHUTDOWN TRUNCATE UPDATE UPDATETEXT USE WAITFOR
    WHILE WRITETEXT
"""
_STATEMENTS = frozenset(_STATEMENTS_WORDS.split())
"""Words that begin a statement which is no query."""
_DEEPEST_RECURSION = 32767


def read_tsql(sql: str) -> nodes.Query:
    """The query's tree; TSQLError where SQL Server 2022 refuses it, UnsupportedError for what is not read."""
    try:
        return _Queries(sql).statement()
    except RecursionError:
        raise UnsupportedError("brackets too deep within one another") from None


class _Queries(Tables):
    """Queries and their parts."""

    def statement(self) -> nodes.Query:
        """Read a query that is all there is."""
        while self.take(";"):
            pass
        self._must_be_query()
        start, named = self.token.start, []
        if self.take("WITH"):
            named.append(self._named_query())
            while self.take(","):
                named.append(self._named_query())
            self._must_be_query()
        query = self._query(is_nested=False)
        query.named, query.place = named, start
        if self.take("OPTION"):
            query.max_recursion = self._hints()
        self._end()
        return query

    def _hints(self) -> int | None:
        """Read the hints in brackets behind OPTION: how deep a recursion may go, if one says so."""
        if not self.comes("("):
            raise self.refused(SYNTAX, "hints are missing")
        start = self.place
        self.skip_brackets()
        hints = self.since(start)
        for hint, number in pairwise(hints):
            if hint.upper == "MAXRECURSION" and number.kind == "number" and number.text.isdigit():
                if int(number.text) > _DEEPEST_RECURSION:
                    self.note("310", f"MAXRECURSION {number.text} is more than {_DEEPEST_RECURSION}")
                return int(number.text)
        return None

    def _must_be_query(self) -> None:
        if self.comes_any(_STATEMENTS):
            raise UnsupportedError(f"{self.token.upper}, which is no query")
        if self.is_name():
            raise UnsupportedError("a call of a procedure")
        if self.token.kind == "end":
            raise UnsupportedError("no statement at all")

    def _end(self) -> None:
        """Nothing may follow but a second statement, for which no ; is needed: a bracket begins one."""
        has_end = self.comes(";")
        while self.take(";"):
            pass
        if self.comes_any(_STATEMENTS | {"SELECT"}) or (has_end and self.comes("WITH")):
            raise UnsupportedError("more than one statement")
        if self.comes("FETCH"):
            raise self.refused("153", "FETCH is no part of a query without ORDER BY and OFFSET")
        if self.comes("END"):
            raise self.ERROR(SYNTAX, "nothing was begun that could end")
        while self.take("("):
            if self.comes("SELECT"):
                raise UnsupportedError("more than one statement")
            if not self.comes("("):
                raise self.refused(SYNTAX, "the query has ended, and none begins")
        if self.token.kind != "end":
            raise self.refused(SYNTAX, "the query has ended")
        if self.noted:
            raise self.noted[0]

    def _named_query(self) -> nodes.NamedQuery:
        if self.comes("XMLNAMESPACES", "("):
            raise UnsupportedError("XMLNAMESPACES")
        start = self.token.start
        name = self.name()
        columns = self.names_in_brackets() if self.comes("(") else []
        self.want("AS")
        self.want("(")
        query = self.query()
        self.want(")")
        return nodes.NamedQuery(name, query, columns, place=start)

    def query(self) -> nodes.Query:
        """Read a query that stands in brackets."""
        return self._query(is_nested=True)

    def _query(self, is_nested: bool) -> nodes.Query:
        """SELECTs between set operators [ORDER BY … [OFFSET …]]."""
        start = self.token.start
        outer = self.enter_query()
        query = nodes.Query(self._union(), place=start)
        if self.take("ORDER"):
            self.want("BY")
            query.order = self._order_terms(is_union=isinstance(query.body, nodes.SetOperation))
            query.limit = self._row_limit()
        if self.comes("FOR", "UPDATE"):
            raise self.refused("1003", "only a cursor is opened for update")
        if self.comes("FOR", "XML", "PATH", "(", "''", ")") and is_nested:
            self.place += len(("FOR", "XML", "PATH", "(", "''", ")"))
            query.is_xml, query.is_xml_type = True, self.take(",", "TYPE")
        if self.take("FOR"):
            if self.comes_any({"XML", "JSON", "BROWSE"}):
                raise UnsupportedError(f"FOR {self.token.upper}")
            raise self.refused(SYNTAX, "XML or JSON is missing")
        self._check_order(query, is_nested)
        self.leave_query(outer)
        return query

    def _check_order(self, query: nodes.Query, is_nested: bool) -> None:
        """TOP, ORDER BY and OFFSET want and exclude one another."""
        top = query.body.top if isinstance(query.body, nodes.Block) else None
        if top and top.has_ties and not query.order:
            self.note("1062", "WITH TIES needs ORDER BY")
        if top and query.limit:
            self.note("10741", "TOP and OFFSET stand in one query")
        if is_nested and query.order and not query.limit and not top and not query.is_xml:
            self.note("1033", "ORDER BY in a query in brackets needs TOP or OFFSET")

    def _union(self) -> nodes.Body:
        """Read SELECTs between set operators, of which INTERSECT is the strongest."""
        left = self._intersection()
        while self.comes("UNION") or self.comes("EXCEPT"):
            left = self._set_operation(left)
        return left

    def _intersection(self) -> nodes.Body:
        left = self._block()
        while self.comes("INTERSECT"):
            left = self._set_operation(left)
        return left

    def _set_operation(self, left: nodes.Body) -> nodes.SetOperation:
        word = self.token.upper
        self.place += 1
        is_all = self.take("ALL")
        if is_all and word != "UNION":
            self.note("324", f"{word} has no ALL")
        right = self._block() if word == "INTERSECT" else self._intersection()
        return nodes.SetOperation(word, is_all, left, right, place=left.place)

    def _block(self) -> nodes.Body:
        start = self.token.start
        if self.take("("):
            inner = self._union()
            self.want(")")
            return inner
        self.want("SELECT")
        is_distinct = self.take("DISTINCT")
        if not is_distinct:
            self.take("ALL")
        top = self._top() if self.comes("TOP") else None
        block = nodes.Block(self._select_list(), is_distinct=is_distinct, top=top, place=start)
        if self.comes("INTO"):
            raise UnsupportedError("SELECT INTO")
        if self.take("FROM"):
            block.sources = self.tables()
        if self.take("WHERE"):
            block.where = self.search_condition("WHERE")
        if self.take("GROUP"):
            self.want("BY")
            block.groups = self._grouping()
        if self.take("HAVING"):
            block.having = self.search_condition("HAVING")
        if self.take("WINDOW"):
            block.windows = self.named_windows()
        return block

    def _top(self) -> nodes.Top:
        place = self.token.start
        self.want("TOP")
        start = self.place
        if not self.comes("(") and self.token.kind != "number":
            raise self.refused(SYNTAX, "a number is missing")
        top = nodes.Top(self.operand(), place=place)
        number = self._number_since(start)
        top.is_percent = self.take("PERCENT")
        top.has_ties = self.take("WITH", "TIES")
        if number is None:
            return top
        if top.is_percent and not 0 <= number <= 100:
            self.note("1031", "a percentage lies between 0 and 100")
        elif not top.is_percent and number < 0:
            self.note("127", "TOP takes no negative number")
        elif not top.is_percent and number != number.to_integral_value():
            self.note("1060", "TOP takes whole numbers only")
        return top

    def _number_since(self, place: int) -> Decimal | None:
        """The number that was read since that place, if it is nothing but one."""
        try:
            return Decimal("".join(token.text for token in self.since(place)).strip("()"))
        except InvalidOperation:
            return None

    def _select_list(self) -> list[nodes.Item]:
        items = [self._item()]
        while self.take(","):
            items.append(self._item())
        return items

    def _item(self) -> nodes.Item:
        token = self.token
        star = self._star()
        if star:
            return nodes.Item(star, place=token.start)
        if self.comes("=", ahead=1):
            if token.kind == "bind":
                raise UnsupportedError("a value put into a variable")
            if self.is_name() or token.kind == "text":
                alias = self._item_alias()
                self.take("=")
                return nodes.Item(self.value(), alias, place=token.start)
        item = nodes.Item(self.value(), place=token.start)
        if self.take("AS") or self.is_name() or self.token.kind == "text":
            item.alias = self._item_alias()
        return item

    def _item_alias(self) -> nodes.Identifier:
        """Read a name; it may stand in the quotes of a text."""
        if self.token.kind == "text":
            return nodes.Identifier(self.text(), is_quoted=True)
        return self.name()

    def _star(self) -> nodes.Star | None:
        """Read *, t.* or s.t.*; nothing where that is not what comes."""
        start, ahead = self.token.start, 0
        while self.is_name(ahead) and self.comes(".", ahead=ahead + 1):
            ahead += 2
        if not self.comes("*", ahead=ahead):
            return None
        parts = []
        while not self.take("*"):
            parts.append(self.name())
            self.take(".")
        return nodes.Star(tuple(parts), place=start)

    # GROUP BY, ORDER BY

    def _grouping(self) -> list[nodes.Grouping]:
        if self.comes("ALL"):
            raise UnsupportedError("GROUP BY ALL")
        start = self.token.start
        terms = [self._grouping_term(is_outermost=True)]
        while self.take(","):
            terms.append(self._grouping_term(is_outermost=True))
        if self.take("WITH", "ROLLUP"):
            return [nodes.Grouping("ROLLUP", terms=terms, place=start)]
        if self.take("WITH", "CUBE"):
            return [nodes.Grouping("CUBE", terms=terms, place=start)]
        return terms

    def _grouping_term(self, is_outermost: bool = False) -> nodes.Grouping:
        start = self.token.start
        if self.take("(", ")"):
            return nodes.Grouping("", place=start)
        if self.take("ROLLUP", "("):
            return nodes.Grouping("ROLLUP", terms=self._grouping_terms(), place=start)
        if self.take("CUBE", "("):
            return nodes.Grouping("CUBE", terms=self._grouping_terms(), place=start)
        if self.take("GROUPING", "SETS", "("):
            return nodes.Grouping("SETS", terms=self._grouping_terms(), place=start)
        if is_outermost or not self.comes("(") or self.begins_query_in_bracket():
            return nodes.Grouping("", [self._grouped_value()], place=start)
        self.take("(")
        values = [self._grouped_value()]
        while self.take(","):
            values.append(self._grouped_value())
        self.want(")")
        return nodes.Grouping("", values, place=start)

    def _grouping_terms(self) -> list[nodes.Grouping]:
        """Read a, (b, c), …)."""
        terms = [self._grouping_term()]
        while self.take(","):
            terms.append(self._grouping_term())
        self.want(")")
        return terms

    def _grouped_value(self) -> nodes.Value:
        before = self.n_read.copy()
        value = self.value()
        read = {what for what, n in self.n_read.items() if n > before[what]}
        if "window" in read:
            self.note("4108", "a window stands in GROUP BY")
        elif "query" in read or "aggregate" in read:
            self.note("144", "a subquery or an aggregate stands in GROUP BY")
        elif "column" not in read:
            self.note("164", "no column stands in a term of GROUP BY")
        return value

    def _order_terms(self, is_union: bool) -> list[nodes.OrderTerm]:
        terms = []
        while True:
            start = self.place
            value = self.value()
            is_word = self.place == start + 1
            if is_word and not is_union and isinstance(value, nodes.Text | nodes.Null):
                self.note("408", "a constant stands in ORDER BY")
            terms.append(self.order_term(value))
            if not self.take(","):
                return terms

    def _row_limit(self) -> nodes.Limit | None:
        """[OFFSET … ROWS [FETCH NEXT … ROWS ONLY]]."""
        if self.comes("FETCH"):
            raise self.refused("153", "FETCH needs OFFSET before it:")
        place = self.token.start
        if not self.take("OFFSET"):
            return None
        limit = nodes.Limit(self._n_rows(0, "10742", "OFFSET takes no negative number"), place=place)
        if self.take("FETCH"):
            if not (self.take("NEXT") or self.take("FIRST")):
                raise self.refused(SYNTAX, "NEXT is missing")
            limit.has_fetch = True
            limit.count = self._n_rows(1, "10744", "FETCH takes one row or more")
            self.want("ONLY")
        return limit

    def _n_rows(self, fewest: int, code: str, why: str) -> nodes.Value:
        """Read a number of rows; fewer than that are refused."""
        start = self.place
        value = self.value()
        number = self._number_since(start)
        if number is not None and number < fewest:
            self.note(code, why)
        if not (self.take("ROWS") or self.take("ROW")):
            raise self.refused(SYNTAX, "ROWS is missing")
        return value
