"""Would SQL Server's parser take this query? Where not, the error is the one it gives, at the same word.

As for Oracle (oracle_grammar.py) no tree is made and no table known: this walks over the words of one query
by the grammar of the Transact-SQL reference. `FROM t LIMIT 2` is a table with the alias LIMIT, and then comes
a 2. Beside what the parser refuses it refuses what needs no catalog: ORDER BY in a derived table, a window in
WHERE, a function that does not exist. Names and the types of values are left to those who know the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_reading import SET_OPERATORS, SYNTAX
from glue.dialects.tsql_tables import Tables

_STATEMENTS_WORDS = """
    ALTER BACKUP BEGIN BREAK BULK CHECKPOINT CLOSE COMMIT CONTINUE CREATE DBCC DEALLOCATE DECLARE DELETE
    DENY DROP EXEC EXECUTE GOTO GRANT IF INSERT KILL MERGE OPEN PRINT RAISERROR READTEXT RECONFIGURE
    RESTORE RETURN REVERT REVOKE ROLLBACK SAVE SET SETUSER SHUTDOWN TRUNCATE UPDATE UPDATETEXT USE WAITFOR
    WHILE WRITETEXT
"""
_STATEMENTS = frozenset(_STATEMENTS_WORDS.split())
"""Words that begin a statement which is no query."""


def check_grammar(sql: str) -> None:
    """Raises TSQLError where SQL Server 2022 refuses the query, UnsupportedError for what is not read."""
    try:
        _Queries(sql).statement()
    except RecursionError:
        raise UnsupportedError("brackets too deep within one another") from None


@dataclass
class _Block:
    """What was read of a SELECT, or of several between set operators."""

    has_top: bool = False
    has_ties: bool = False


class _Queries(Tables):
    """Queries and their parts."""

    def statement(self) -> None:
        """Read a query that is all there is."""
        while self.take(";"):
            pass
        self._must_be_query()
        if self.take("WITH"):
            self._named_query()
            while self.take(","):
                self._named_query()
            self._must_be_query()
        self._query(is_nested=False)
        if self.take("OPTION"):
            if not self.comes("("):
                raise self.refused(SYNTAX, "hints are missing")
            self.skip_brackets()
        self._end()

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

    def _named_query(self) -> None:
        if self.comes("XMLNAMESPACES", "("):
            raise UnsupportedError("XMLNAMESPACES")
        self.name()
        if self.comes("("):
            self.names_in_brackets()
        self.want("AS")
        self.want("(")
        self.query()
        self.want(")")

    def query(self) -> None:
        """Read a query that stands in brackets."""
        self._query(is_nested=True)

    def _query(self, is_nested: bool) -> None:
        """SELECTs between set operators [ORDER BY … [OFFSET …]]."""
        outer = self.enter_query()
        block = self._blocks()
        is_ordered = self.take("ORDER")
        is_cut = False
        if is_ordered:
            self.want("BY")
            self._order_terms(is_union=block is None)
            is_cut = self._row_limit()
        if self.comes("FOR", "UPDATE"):
            raise self.refused("1003", "only a cursor is opened for update")
        if self.take("FOR"):
            if self.comes_any({"XML", "JSON", "BROWSE"}):
                raise UnsupportedError(f"FOR {self.token.upper}")
            raise self.refused(SYNTAX, "XML or JSON is missing")
        if block and block.has_ties and not is_ordered:
            self.note("1062", "WITH TIES needs ORDER BY")
        if block and block.has_top and is_cut:
            self.note("10741", "TOP and OFFSET stand in one query")
        if is_nested and is_ordered and not is_cut and not (block and block.has_top):
            self.note("1033", "ORDER BY in a query in brackets needs TOP or OFFSET")
        self.leave_query(outer)

    def _blocks(self) -> _Block | None:
        """Read SELECTs between set operators; says what is in it where it is a single one."""
        block = self._block()
        while self.comes_any(SET_OPERATORS):
            operator = self.token.upper
            self.place += 1
            if self.take("ALL") and operator != "UNION":
                self.note("324", f"{operator} has no ALL")
            self._block()
            block = None
        return block

    def _block(self) -> _Block | None:
        if self.take("("):
            inner = self._blocks()
            self.want(")")
            return inner
        self.want("SELECT")
        if not self.take("DISTINCT"):
            self.take("ALL")
        block = _Block()
        if self.take("TOP"):
            self._top(block)
        self._select_list()
        if self.comes("INTO"):
            raise UnsupportedError("SELECT INTO")
        if self.take("FROM"):
            self.tables()
        if self.take("WHERE"):
            self.search_condition("WHERE")
        if self.take("GROUP"):
            self.want("BY")
            self._grouping()
        if self.take("HAVING"):
            self.search_condition("HAVING")
        if self.take("WINDOW"):
            self.named_windows()
        return block

    def _top(self, block: _Block) -> None:
        block.has_top = True
        start = self.place
        if self.comes("(") or self.token.kind == "number":
            self.operand()
        else:
            raise self.refused(SYNTAX, "a number is missing")
        number = self._number_since(start)
        is_share = self.take("PERCENT")
        if self.comes("WITH", "TIES"):
            self.place += 2
            block.has_ties = True
        if number is None:
            return
        if is_share and not 0 <= number <= 100:
            self.note("1031", "a percentage lies between 0 and 100")
        elif not is_share and number < 0:
            self.note("127", "TOP takes no negative number")
        elif not is_share and number != number.to_integral_value():
            self.note("1060", "TOP takes whole numbers only")

    def _number_since(self, place: int) -> Decimal | None:
        """The number that was read since that place, if it is nothing but one."""
        try:
            return Decimal("".join(token.text for token in self.since(place)).strip("()"))
        except InvalidOperation:
            return None

    def _select_list(self) -> None:
        while True:
            self._select_term()
            if not self.take(","):
                return

    def _select_term(self) -> None:
        if self.take("*") or self._star_after_name():
            return
        if self.comes("=", ahead=1):
            if self.token.kind == "bind":
                raise UnsupportedError("a value put into a variable")
            if self.is_name() or self.token.kind == "text":
                self.place += 2
                return self.value()
        self.value()
        if self.take("AS"):
            if self.token.kind != "text":
                return self.name()
            self.place += 1
        elif self.is_name() or self.token.kind == "text":
            self.place += 1
        return None

    def _star_after_name(self) -> bool:
        """Reads t.* or s.t.*; nothing where that is not what comes."""
        ahead = 0
        while self.is_name(ahead) and self.comes(".", ahead=ahead + 1):
            ahead += 2
        if ahead == 0 or not self.comes("*", ahead=ahead):
            return False
        self.place += ahead + 1
        return True

    # GROUP BY, ORDER BY

    def _grouping(self) -> None:
        if self.comes("ALL"):
            raise UnsupportedError("GROUP BY ALL")
        while True:
            self._grouping_term(is_outermost=True)
            if not self.take(","):
                break
        if self.comes("WITH", "ROLLUP") or self.comes("WITH", "CUBE"):
            self.place += 2

    def _grouping_term(self, is_outermost: bool = False) -> None:
        if self.take("(", ")"):
            return
        if self.comes("ROLLUP", "(") or self.comes("CUBE", "(") or self.comes("GROUPING", "SETS", "("):
            self.place += 3 if self.comes("GROUPING") else 2
            self._grouping_term()
            while self.take(","):
                self._grouping_term()
            self.want(")")
        elif self.comes("(") and not is_outermost and not self.begins_query_in_bracket():
            self.take("(")
            self._grouped_value()
            while self.take(","):
                self._grouped_value()
            self.want(")")
        else:
            self._grouped_value()

    def _grouped_value(self) -> None:
        before = self.n_read.copy()
        self.value()
        read = self.n_read - before
        if read["window"]:
            self.note("4108", "a window stands in GROUP BY")
        elif read["query"] or read["aggregate"]:
            self.note("144", "a subquery or an aggregate stands in GROUP BY")
        elif not read["column"]:
            self.note("164", "no column stands in a term of GROUP BY")

    def _order_terms(self, is_union: bool) -> None:
        while True:
            start = self.place
            self.value()
            words = self.since(start)
            if len(words) == 1 and not is_union and (words[0].kind == "text" or words[0].upper == "NULL"):
                self.note("408", "a constant stands in ORDER BY")
            self.direction()
            if not self.take(","):
                return

    def _row_limit(self) -> bool:
        """[OFFSET … ROWS [FETCH NEXT … ROWS ONLY]]: is there any?"""
        if self.comes("FETCH"):
            raise self.refused("153", "FETCH needs OFFSET before it:")
        if not self.take("OFFSET"):
            return False
        start = self.place
        self.value()
        number = self._number_since(start)
        if number is not None and number < 0:
            self.note("10742", "OFFSET takes no negative number")
        self._rows_word()
        if self.take("FETCH"):
            if not (self.take("NEXT") or self.take("FIRST")):
                raise self.refused(SYNTAX, "NEXT is missing")
            start = self.place
            self.value()
            number = self._number_since(start)
            if number is not None and number < 1:
                self.note("10744", "FETCH takes one row or more")
            self._rows_word()
            self.want("ONLY")
        return True

    def _rows_word(self) -> None:
        if not (self.take("ROWS") or self.take("ROW")):
            raise self.refused(SYNTAX, "ROWS is missing")
