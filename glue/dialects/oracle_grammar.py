"""Would Oracle's parser take this query? Where not, the error is the one that Oracle gives, at the same word.

A parser for another purpose (sqlglot) takes far more: LIMIT, AS before a table's alias, a missing FROM.
This one makes no tree and knows no table: it walks over the words of one query by the grammar of the SQL
Language Reference. What is read as a name there is one here: `FROM t LIMIT 2` is a table with the alias
LIMIT, and then comes a 2.
"""

from __future__ import annotations

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_reading import SET_OPERATORS
from glue.dialects.oracle_values import Values

_NO_ALIAS_WORDS = """
    CROSS FETCH FULL INNER JOIN LEFT MATCH_RECOGNIZE MODEL NATURAL OFFSET OUTER PARTITION PIVOT
    RIGHT SAMPLE SUBPARTITION UNPIVOT USING VERSIONS
"""
_NO_ALIAS = frozenset(_NO_ALIAS_WORDS.split())
"""Words after a table that are no alias of it, though they are not reserved."""
_JOINS = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "FULL"})
_UNREAD = frozenset({"MODEL", "MATCH_RECOGNIZE", "SAMPLE", "PARTITION", "SUBPARTITION", "VERSIONS"})


def check_grammar(sql: str, version: int = 19) -> None:
    """Raises OracleError where Oracle's parser refuses the query, UnsupportedError for what is not read here.

    `version`: EXCEPT, and ALL after MINUS and INTERSECT, are from 21 on; a query without FROM from 23 on.
    """
    try:
        _Queries(sql, version).statement()
    except RecursionError:
        raise UnsupportedError("brackets too deep within one another") from None


class _Queries(Values):
    """Queries, their parts and their tables."""

    def statement(self) -> None:
        """Read a query that is all there is."""
        self.query()
        self.take(";")
        if self.token.kind != "end":
            raise self.refused("ORA-00933", "the query has ended")

    def query(self) -> None:
        """[WITH …] blocks between set operators [ORDER BY …] [OFFSET … FETCH …]."""
        if self.take("WITH"):
            self._named_query()
            while self.take(","):
                self._named_query()
        self._block()
        while self.comes_any(SET_OPERATORS) or (self.version >= 21 and self.comes("EXCEPT")):
            may_be_all = self.comes("UNION") or self.version >= 21
            self.place += 1
            if may_be_all:
                self.take("ALL")
            self._block()
        if self.take("ORDER"):
            self.take("SIBLINGS")
            self.want("BY", "ORA-00924")
            self.order_terms()
        is_limited = self._row_limit()
        if self.comes("FOR", "UPDATE"):
            if is_limited:
                raise OracleError("ORA-02014", "rows of a limited query cannot be locked")
            raise UnsupportedError("FOR UPDATE")

    def _named_query(self) -> None:
        if self.comes("FUNCTION") or self.comes("PROCEDURE"):
            raise UnsupportedError("WITH FUNCTION")
        self.name("ORA-00903")
        if self.comes("("):
            self.names_in_brackets("ORA-00904")
        self.want("AS", "ORA-00905")
        self.want("(", "ORA-00906")
        self.query()
        self.want(")", "ORA-00907")
        if self.take("SEARCH"):
            if not (self.take("DEPTH", "FIRST", "BY") or self.take("BREADTH", "FIRST", "BY")):
                raise self.refused("ORA-00905", "DEPTH FIRST BY is missing")
            self.order_terms()
            self.want("SET", "ORA-00905")
            self.name("ORA-00904")
        if self.take("CYCLE"):
            self.name("ORA-00904")
            while self.take(","):
                self.name("ORA-00904")
            self.want("SET", "ORA-00905")
            self.name("ORA-00904")
            self.want("TO", "ORA-00905")
            self.value()
            self.want("DEFAULT", "ORA-00905")
            self.value()

    def _block(self) -> None:
        if self.take("("):
            self.query()
            self.want(")", "ORA-00907")
            return
        self.want("SELECT", "ORA-00928")
        if not (self.take("DISTINCT") or self.take("UNIQUE")):
            self.take("ALL")
        self._select_list()
        if self.comes("BULK") or self.comes("INTO"):
            raise self.refused("ORA-00905", "a query puts nothing into variables")
        if not self.take("FROM"):
            if self.version >= 23 and not self.is_name():
                return
            raise self.refused("ORA-00923", "FROM is missing")
        self._tables()
        if self.take("WHERE"):
            self.condition()
        self._hierarchy()
        self._grouping()
        if self.comes_any({"MODEL"}):
            raise UnsupportedError("MODEL")

    def _select_list(self) -> None:
        if self.take("*"):
            return
        while True:
            if self.is_name() and self._star_after_name():
                pass
            else:
                self.value()
                if self.take("AS"):
                    self.name("ORA-00923")
                elif self.is_name():
                    self.place += 1
            if not self.take(","):
                return

    def _star_after_name(self) -> bool:
        """Reads t.* or s.t.*; nothing where that is not what comes."""
        for n_names in (1, 2):
            ahead = 2 * n_names - 1
            if n_names == 2 and not (self.comes(".", ahead=1) and self.is_name(ahead=2)):
                return False
            if self.comes(".", "*", ahead=ahead):
                self.place += ahead + 2
                return True
        return False

    def _hierarchy(self) -> None:
        has_start = has_connect = False
        while True:
            if not has_start and self.take("START"):
                self.want("WITH", "ORA-00905")
                self.condition()
                has_start = True
            elif not has_connect and self.take("CONNECT"):
                self.want("BY", "ORA-00905")
                self.take("NOCYCLE")
                self.condition()
                has_connect = True
            else:
                break
        if has_start and not has_connect:
            raise self.refused("ORA-01788", "CONNECT BY is missing")

    def _grouping(self) -> None:
        """GROUP BY and HAVING, in either order."""
        for _ in range(2):
            if self.take("GROUP"):
                self.want("BY", "ORA-00924")
                self._grouping_term()
                while self.take(","):
                    self._grouping_term()
            if self.take("HAVING"):
                self.condition()

    def _grouping_term(self) -> None:
        if self.comes("(", ")"):
            self.place += 2
        elif self.comes("ROLLUP", "(") or self.comes("CUBE", "(") or self.comes("GROUPING", "SETS", "("):
            self.place += 3 if self.comes("GROUPING") else 2
            self._grouping_term()
            while self.take(","):
                self._grouping_term()
            self.want(")", "ORA-00907")
        else:
            self.operand("ORA-00936")

    def _row_limit(self) -> bool:
        """[OFFSET …] [FETCH …]: is there any?"""
        is_limited = self.comes("OFFSET") or self.comes("FETCH")
        if self.take("OFFSET"):
            self.value()
            if not (self.take("ROWS") or self.take("ROW")):
                raise self.refused("ORA-00905", "ROWS is missing")
        if self.take("FETCH"):
            if not (self.take("FIRST") or self.take("NEXT")):
                raise self.refused("ORA-00905", "FIRST is missing")
            if not self.comes_any({"ROW", "ROWS"}):
                self.value()
                self.take("PERCENT")
            if not (self.take("ROWS") or self.take("ROW")):
                raise self.refused("ORA-00905", "ROWS is missing")
            if not (self.take("ONLY") or self.take("WITH", "TIES")):
                raise self.refused("ORA-00905", "ONLY is missing")
        return is_limited

    # Tables

    def _tables(self) -> None:
        self._joined()
        while self.take(","):
            self._joined()

    def _joined(self) -> None:
        self._table()
        while True:
            if self.comes("CROSS", "APPLY") or self.comes("OUTER", "APPLY"):
                self.place += 2
                self._table()
            elif self.take("CROSS"):
                self.want("JOIN", "ORA-00905")
                self._table()
            elif self.take("NATURAL"):
                self._join_word()
                self._table()
            elif self.comes_any(_JOINS):
                self._join()
            else:
                return

    def _join(self) -> None:
        """One join with its condition; joins that stand between its table and its condition come first."""
        self._join_word()
        self._table()
        while self.comes_any(_JOINS):
            self._join()
        if self.take("ON"):
            self.condition()
        elif self.take("USING"):
            self.names_in_brackets("ORA-00906")
        else:
            raise self.refused("ORA-00905", "ON is missing")

    def _join_word(self) -> None:
        if self.comes_any({"LEFT", "RIGHT", "FULL"}):
            self.place += 1
            self.take("OUTER")
        else:
            self.take("INNER")
        self.want("JOIN", "ORA-00905")

    def _table(self) -> None:
        if self.comes("LATERAL", "("):
            self.take("LATERAL")
        if self.take("("):
            if self.begins_query():
                self.query()
            else:
                self._joined()
            self.want(")", "ORA-00907")
            self.take("(", "+", ")")
        elif self.comes("TABLE", "(") or self.comes("XMLTABLE", "(") or self.comes("JSON_TABLE", "("):
            raise UnsupportedError(f"{self.token.upper} in FROM")
        else:
            self.name("ORA-00903")
            while self.take("."):
                self.name("ORA-00903")
            if self.take("@"):
                raise UnsupportedError("a link to another database")
        if self.comes("AS", "OF"):
            raise UnsupportedError("AS OF")
        if self.comes_any(_UNREAD) and not self._ends_table(1):
            raise UnsupportedError(self.token.upper)
        if self.comes_any({"PIVOT", "UNPIVOT"}) and self._ahead_is_bracket():
            self._pivot()
        if self.is_name() and not self._is_no_alias():
            self.place += 1

    def _is_no_alias(self) -> bool:
        if self.token.kind == "quoted":
            return False
        return self.token.upper in _NO_ALIAS or (self.version >= 21 and self.comes("EXCEPT"))

    def _ends_table(self, ahead: int) -> bool:
        token = self.ahead(ahead)
        return token.kind == "end" or token.upper in {",", ")", "WHERE", "ON"}

    def _ahead_is_bracket(self) -> bool:
        return any(
            self.comes(*words, "(", ahead=1)
            for words in ((), ("XML",), ("INCLUDE", "NULLS"), ("EXCLUDE", "NULLS"))
        )

    def _pivot(self) -> None:
        if self.take("UNPIVOT"):
            if self.take("INCLUDE") or self.take("EXCLUDE"):
                self.want("NULLS", "ORA-00905")
            self.want("(", "ORA-00906")
            self._column_or_columns()
            self.want("FOR", "ORA-00905")
            self._column_or_columns()
            self.want("IN", "ORA-00905")
            self.want("(", "ORA-00906")
            while True:
                self._column_or_columns()
                if self.take("AS"):
                    self.operand("ORA-00936")
                if not self.take(","):
                    break
        else:
            self.want("PIVOT", "ORA-00905")
            if self.take("XML"):
                raise UnsupportedError("PIVOT XML")
            self.want("(", "ORA-00906")
            while True:
                self.value()
                self._alias()
                if not self.take(","):
                    break
            self.want("FOR", "ORA-00905")
            self._column_or_columns()
            self.want("IN", "ORA-00905")
            self.want("(", "ORA-00906")
            while True:
                if self.comes("("):
                    self.operand("ORA-00936")
                else:
                    self.value()
                self._alias()
                if not self.take(","):
                    break
        self.want(")", "ORA-00907")
        self.want(")", "ORA-00907")

    def _alias(self) -> None:
        if self.take("AS"):
            self.name("ORA-00923")
        elif self.is_name():
            self.place += 1

    def _column_or_columns(self) -> None:
        if self.comes("("):
            self.names_in_brackets("ORA-00904")
        else:
            self.name("ORA-00904")
            while self.take("."):
                self.name("ORA-00904")
