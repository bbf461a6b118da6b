"""Transact-SQL's grammar of FROM: tables, derived tables, functions, joins, APPLY, PIVOT and hints."""

from __future__ import annotations

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_functions import Functions
from glue.dialects.tsql_reading import SYNTAX

_SIDES = frozenset({"INNER", "LEFT", "RIGHT", "FULL"})
_JOINS = _SIDES | {"JOIN"}
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

    def search_condition(self, where: str) -> None:
        """Read the condition of WHERE, HAVING or ON, in which no window may stand."""
        before = self.n_read["window"], self.n_read["aggregate"]
        self.condition()
        if self.n_read["window"] > before[0]:
            self.note("4108", f"a window stands in {where}")
        if self.n_read["aggregate"] > before[1] and where != "HAVING" and self.depth == 0:
            self.note("147" if where == "WHERE" else "1015", f"an aggregate stands in {where}")

    def tables(self) -> None:
        """Read the tables between commas."""
        self._joined()
        while self.take(","):
            self._joined()

    def _joined(self) -> bool:
        """Read a table and all that is joined to it: is there any?"""
        self._table()
        start = self.place
        while True:
            if self.comes("CROSS", "APPLY") or self.comes("OUTER", "APPLY"):
                self.place += 2
                self._table()
            elif self.take("CROSS"):
                self.want("JOIN")
                self._table()
            elif self.comes_any(_JOINS):
                self._join()
            elif self.comes_any({"PIVOT", "UNPIVOT"}):
                self._pivot()
            else:
                return self.place > start

    def _join(self) -> None:
        """One join with its condition; joins that stand between its table and its condition come first."""
        if self.comes_any(_SIDES):
            if not self.take("INNER"):
                self.place += 1
                self.take("OUTER")
            self.place += self.comes_any(_JOIN_HINTS)
        self.want("JOIN")
        self._table()
        while self.comes_any(_JOINS):
            self._join()
        self.want("ON")
        self.search_condition("ON")

    def _table(self) -> None:
        if self.begins_query_in_bracket():
            self.take("(")
            self.query()
            self.want(")")
            self._alias_with_columns()
        elif self.take("(", "VALUES"):
            n_columns = self._rows()
            self.want(")")
            n_names = self._alias_with_columns()
            if n_names < n_columns:
                self.note("8159" if n_names else "8155", "columns of VALUES have no names")
            elif n_names > n_columns:
                self.note("8158", "VALUES has fewer columns than names")
        elif self.take("("):
            if not self._joined():
                raise self.refused(SYNTAX, "a join is missing")
            self.want(")")
        elif self.token.kind == "bind":
            self.note("1087", f"the table {self.token.text} was not declared")
            self.place += 1
            self._alias_and_hints()
        elif (self.comes_any(_UNREAD) and self.comes("(", ahead=1)) or self.comes("{"):
            raise UnsupportedError(f"{self.token.upper} in FROM")
        else:
            self.path()
            self._after_name()

    def _rows(self) -> int:
        """Read the rows of VALUES: how many columns have they?"""
        n_columns = 0
        while True:
            self.want("(")
            n_values = self.values()
            self.want(")")
            if n_columns and n_values != n_columns:
                self.note("10709", "the rows of VALUES differ in length")
            n_columns = n_columns or n_values
            if not self.take(","):
                return n_columns

    def _after_name(self) -> None:
        if self.comes("FOR", "SYSTEM_TIME") or self.comes("TABLESAMPLE"):
            raise UnsupportedError(f"{self.token.upper} in FROM")
        if self.comes("(") and self.ahead(1).upper not in _HINTS:
            self.take("(")
            if not self.comes(")"):
                self.values()
            self.want(")")
            if self._alias() and self.comes("("):
                self.names_in_brackets()
        else:
            self._alias_and_hints()

    def _alias(self) -> bool:
        if self.take("AS"):
            self.name()
            return True
        if self.is_name() and not self._begins_window_clause():
            self.place += 1
            return True
        return False

    def _begins_window_clause(self) -> bool:
        return self.comes("WINDOW") and self.is_name(ahead=1) and self.comes("AS", "(", ahead=2)

    def _alias_with_columns(self) -> int:
        """Read a name and [(a, b, …)]: how many columns are named?"""
        if not self._alias():
            raise self.refused(SYNTAX, "the derived table needs a name")
        return self.names_in_brackets() if self.comes("(") else 0

    def _alias_and_hints(self) -> None:
        self._alias()
        if self.comes("TABLESAMPLE"):
            raise UnsupportedError("TABLESAMPLE in FROM")
        if self.comes("WITH", "("):
            self.take("WITH")
        if not self.comes("("):
            return
        hint = self.ahead(1)
        if hint.kind in ("word", "quoted") and hint.upper not in _HINTS:
            raise self.refused("321", f"{hint.text} is no hint:")
        self.skip_brackets()

    # PIVOT

    def _pivot(self) -> None:
        is_unpivot = self.take("UNPIVOT")
        if not is_unpivot:
            self.want("PIVOT")
        self.want("(")
        self.path()
        if not is_unpivot:
            self.want("(")
            self.path()
            self.want(")")
        self.want("FOR")
        self.path()
        self.want("IN")
        self.want("(")
        self.path()
        while self.take(","):
            self.path()
        self.want(")")
        self.want(")")
        if not self._alias():
            raise self.refused(SYNTAX, "what PIVOT gives needs a name")
