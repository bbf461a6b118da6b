"""Transact-SQL's grammar of values and conditions: what stands in a select list, after WHERE, in brackets."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter

from glue.dialects.conditions import Conditions, Kind
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_reading import SYNTAX, TSQLWords

_RELATIONS = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "!<", "!>"})
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "&", "|", "^"})
_VALUES = frozenset({"NULL", "CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER"})
"""Reserved words that are values."""
_FUNCTIONS = frozenset({"COALESCE", "CONVERT", "LEFT", "NULLIF", "RIGHT", "TRY_CONVERT"})
"""Reserved words that are functions."""
_TYPES_WORDS = """
    BIGINT BINARY BIT CHAR CHARACTER DATE DATETIME DATETIME2 DATETIMEOFFSET DEC DECIMAL FLOAT GEOGRAPHY
    GEOMETRY HIERARCHYID IMAGE INT INTEGER MONEY NCHAR NTEXT NUMERIC NVARCHAR REAL ROWVERSION SMALLDATETIME
    SMALLINT SMALLMONEY SQL_VARIANT SYSNAME TEXT TIME TIMESTAMP TINYINT UNIQUEIDENTIFIER VARBINARY VARCHAR XML
"""
_TYPES = frozenset(_TYPES_WORDS.split())
_UNREAD_VALUES = frozenset({"IDENTITYCOL", "ROWGUIDCOL", "IDENTITY", "$", "{"})
_UNREAD_PREDICATES = frozenset({"CONTAINS", "FREETEXT", "MATCH", "TSEQUAL", "UPDATE"})
_UNREAD_FUNCTIONS = frozenset({"JSON_ARRAY", "JSON_ARRAYAGG", "JSON_OBJECT", "JSON_OBJECTAGG"})
"""Functions whose arguments have a grammar of their own."""


class Values(Conditions, TSQLWords):
    """Values and conditions. Of a query in brackets only `query` knows, of a function's call only `call`.

    `n_read` counts what was read of a query, but for what stands in its subqueries: columns, calls, queries,
    aggregates and windows.
    """

    NO_CONDITION = "4145"

    def __init__(self, sql: str) -> None:
        super().__init__(sql)
        self.n_read: Counter[str] = Counter()
        self.depth = 0
        """How many subqueries the words stand in; a derived table is none."""

    @abstractmethod
    def call(self, name: str) -> None:
        """Read a function's brackets and what may follow; `name` is '' where it is qualified or quoted."""

    def predicate(self) -> Kind:
        """Read a comparison, or what may stand on one side of it."""
        if self.take("EXISTS"):
            self.subquery()
            return "condition"
        if self.comes_any(_UNREAD_PREDICATES) and self.comes("(", ahead=1):
            raise UnsupportedError(self.token.upper)
        if self._comparand() == "condition":
            if self.comes_any(_RELATIONS):
                raise self.refused(self.NO_CONDITION, "a condition is compared")
            return "condition"
        if self.comes_any(_RELATIONS):
            self.place += 1
            if self.comes_any({"ALL", "ANY", "SOME"}):
                self.place += 1
                self.subquery()
            else:
                self.value()
            return "condition"
        if self.take("IS"):
            self.take("NOT")
            if self.take("DISTINCT"):
                self.want("FROM")
                self.value()
            else:
                self.want("NULL")
            return "condition"
        has_not = self.take("NOT")
        if self.take("BETWEEN"):
            self.value()
            self.want("AND")
            self.value()
        elif self.take("LIKE"):
            self.value()
            if self.take("ESCAPE"):
                self.value()
        elif self.take("IN"):
            self._members()
        elif has_not:
            raise self.refused(SYNTAX, "IN, LIKE or BETWEEN is missing")
        else:
            return "value"
        return "condition"

    def _comparand(self) -> Kind:
        """A value; or what stands in brackets where a condition may stand in them."""
        if not self.comes("(") or self.begins_query_in_bracket():
            self.value()
            return "value"
        self.place += 1
        kind = self.any_term()
        if kind == "value" and not self.comes(")"):
            raise self.refused(self.NO_CONDITION, "a comparison is missing")
        self.want(")")
        if kind == "value":
            self._after_operand()
            self._operators()
        return kind

    def _members(self) -> None:
        if self.begins_query_in_bracket():
            return self.subquery()
        self.want("(")
        self.values()
        self.want(")")
        return None

    def subquery(self) -> None:
        """Read a query in brackets that is a value or a part of a condition."""
        self.want("(")
        n_read, self.n_read = self.n_read, Counter()
        self.depth += 1
        self.query()
        self.depth -= 1
        self.n_read = n_read
        self.n_read["query"] += 1
        self.want(")")

    def values(self) -> int:
        """Read a, b, …: how many are there?"""
        self.value()
        n_values = 1
        while self.take(","):
            self.value()
            n_values += 1
        return n_values

    def value(self) -> None:
        """Read a value: no condition, not even in brackets."""
        self._factor()
        self._operators()

    def _operators(self) -> None:
        while self.comes_any(_OPERATORS):
            self.place += 1
            self._factor()

    def _factor(self) -> None:
        while self.comes_any({"+", "-", "~"}):
            self.place += 1
        self.operand()
        self._after_operand()

    def _after_operand(self) -> None:
        while True:
            if self.take("COLLATE"):
                self.name()
            elif self.take("AT", "TIME", "ZONE"):
                self._factor()
            elif self.comes("{", "ESCAPE"):
                raise UnsupportedError("{ESCAPE}")
            else:
                return

    def operand(self) -> None:
        """Read what operators stand between."""
        token = self.token
        if token.kind in ("text", "number"):
            self.place += 1
        elif token.kind == "bind":
            if token.text.startswith("@@"):
                raise UnsupportedError(token.text)
            self.note("137", f"{token.text} was not declared")
            self.place += 1
        elif self.begins_query_in_bracket():
            self.subquery()
        elif self.take("("):
            self.value()
            self.want(")")
        elif self.comes("CASE"):
            self.case()
        elif self.comes_any(_VALUES):
            self.place += 1
        elif self.comes_any(_FUNCTIONS) and self.comes("(", ahead=1):
            self.place += 1
            self.call(token.upper)
        elif self.comes_any(_UNREAD_VALUES) or self.comes("NEXT", "VALUE", "FOR"):
            raise UnsupportedError(token.text)
        elif self.is_name():
            self._column_or_call()
        else:
            raise self.refused(SYNTAX, "an expression is missing")

    def _column_or_call(self) -> None:
        first, start = self.token, self.place
        self.path()
        is_plain = first.kind == "word" and self.place == start + 1
        if is_plain and first.upper in _UNREAD_FUNCTIONS and self.comes("("):
            raise UnsupportedError(first.upper)
        if self.comes("::"):
            self._method_of_type(start)
        elif self.comes("("):
            self.call(first.upper if is_plain else "")
        else:
            self.n_read["column"] += 1

    def _method_of_type(self, start: int) -> None:
        """Read ::name or ::name(…) behind a type: what others write to cast is this here."""
        if self._is_type_since(start):
            raise UnsupportedError("a method of a type")
        self.note("243", "what stands before :: is no type")
        self.take("::")
        self.name()
        self.skip_brackets()

    def _is_type_since(self, place: int) -> bool:
        words = self.since(place)
        return len(words) == 1 and words[0].text.strip('[]"').upper() in _TYPES

    def type_name(self) -> None:
        """Read a type: INT, VARCHAR(10), VARCHAR(MAX), NUMERIC(5, 2), DOUBLE PRECISION."""
        if self.take("DOUBLE"):
            self.want("PRECISION")
        else:
            self.take("NATIONAL")
            start = self.place
            self.path()
            if not self._is_type_since(start):
                self.note("243", "there is no such type")
            self.take("VARYING")
        if self.take("("):
            if not self.take("MAX"):
                self._number()
                if self.take(","):
                    self._number()
            self.want(")")

    def _number(self) -> None:
        if self.token.kind != "number":
            raise self.refused(SYNTAX, "a number is missing")
        self.place += 1
