"""Oracle's grammar of values and conditions: what stands in a select list, after WHERE, between brackets."""

from __future__ import annotations

from glue.dialects.conditions import Conditions, Kind
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_reading import OracleWords

_RELATIONS = frozenset({"=", "<>", "!=", "^=", "~=", "<", ">", "<=", ">="})
_CONDITIONS = frozenset({"REGEXP_LIKE", "LNNVL", "JSON_EXISTS", "XMLEXISTS", "JSON_EQUAL"})
"""Functions that are conditions."""
_VALUES = frozenset({"NULL", "ROWNUM", "LEVEL", "SYSDATE", "USER", "UID", "ROWID", "COLUMN_VALUE"})
"""Reserved words that are values."""
_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_TYPES_WORDS = """
    BINARY_DOUBLE BINARY_FLOAT BINARY_INTEGER BLOB CHAR CHARACTER CLOB DATE DEC DECIMAL DOUBLE FLOAT
    INT INTEGER INTERVAL JSON LONG NATIONAL NCHAR NCLOB NUMBER NUMERIC NVARCHAR2 RAW REAL ROWID
    SMALLINT TIMESTAMP VARCHAR VARCHAR2 XMLTYPE
"""
_TYPES = frozenset(_TYPES_WORDS.split())
_UNREAD_WORDS = """
    JSON_ARRAY JSON_ARRAYAGG JSON_OBJECT JSON_OBJECTAGG JSON_QUERY JSON_VALUE TREAT XMLAGG
    XMLELEMENT XMLFOREST XMLQUERY
"""
_UNREAD = frozenset(_UNREAD_WORDS.split())
"""Functions whose arguments have a grammar of their own."""


class Values(Conditions, OracleWords):
    """Values and conditions. Of a query in brackets only `query` knows."""

    NO_CONDITION = "ORA-00920"

    def predicate(self) -> Kind:
        """Read a comparison, or what may stand on one side of it."""
        if self.comes("EXISTS", "("):
            self.place += 1
            self._bracketed_query()
            return "condition"
        kind = self._sum()
        if kind == "condition":
            return kind
        if self.comes_any(_RELATIONS):
            self.place += 1
            if self.comes_any({"ANY", "SOME", "ALL"}) and self.comes("(", ahead=1):
                self.place += 1
            self._sum()
            return "condition"
        if self.take("IS"):
            self.take("NOT")
            if self.comes_any({"OF", "A", "JSON", "EMPTY"}):
                raise UnsupportedError(f"IS {self.token.upper}")
            if not (self.take("NULL") or self.take("NAN") or self.take("INFINITE")):
                raise self.refused("ORA-00908", "NULL is missing")
            return "condition"
        has_not = self.comes("NOT") and self.ahead(1).upper in {"IN", "LIKE", "BETWEEN", "LIKEC"}
        self.place += has_not
        if self.take("BETWEEN"):
            self._sum()
            self.want("AND", "ORA-00905")
            self._sum()
            return "condition"
        if self.comes_any({"LIKE", "LIKEC", "LIKE2", "LIKE4"}):
            self.place += 1
            self._sum()
            if self.take("ESCAPE"):
                self._sum()
            return "condition"
        if self.take("IN"):
            self._sum()
            return "condition"
        if self.comes_any({"MEMBER", "SUBMULTISET"}):
            raise UnsupportedError(self.token.upper)
        return kind

    def value(self) -> None:
        """Read a value: no condition, though it may stand in brackets."""
        if self._sum() == "condition":
            raise self.refused("ORA-00907", "a condition is no value")

    def _sum(self) -> Kind:
        kind = self._product()
        while self.comes_any({"+", "-", "||"}):
            self.place += 1
            kind = self._product()
        return kind

    def _product(self) -> Kind:
        kind = self._factor()
        while self.comes_any({"*", "/"}):
            self.place += 1
            kind = self._factor()
        return kind

    def _factor(self) -> Kind:
        while self.comes_any({"+", "-", "PRIOR", "CONNECT_BY_ROOT"}) and not self.comes("(", "+", ")"):
            self.place += 1
        kind = self.operand("ORA-00936")
        if self.comes("AT", "TIME", "ZONE") or self.comes("AT", "LOCAL") or self.comes("COLLATE"):
            raise UnsupportedError(self.token.upper)
        if self.comes_any({"DAY", "YEAR"}) and self.ahead(1).upper in {"TO", "("}:
            self._interval_span()
        return kind

    def operand(self, code: str) -> Kind:
        """Read what operators stand between, or refuse the query with `code`."""
        token = self.token
        if token.kind in ("text", "number"):
            self.place += 1
            return "value"
        if token.kind == "bind":
            raise OracleError("ORA-01008", f"{token.text} is a variable, and no value is given")
        if self.comes("("):
            return self._bracketed()
        if token.kind == "word" and self.ahead(1).kind == "text":
            if token.upper in ("DATE", "TIMESTAMP"):
                self.place += 2
                return "value"
            if token.upper == "INTERVAL":
                self.place += 2
                self._interval_span()
                return "value"
        if token.upper == "CASE" and token.kind == "word":
            self.case()
            return "value"
        if token.kind == "word" and token.upper in _VALUES:
            self.place += 1
            return "value"
        if self.comes("CURSOR", "(") or self.comes("MULTISET"):
            raise UnsupportedError(token.upper)
        if self.is_name() or (
            token.kind == "word" and self.comes("(", ahead=1) and token.upper in {"CHAR", "RAW"}
        ):
            return self._name_or_call()
        raise self.refused(code, "an expression is missing")

    def _bracketed(self) -> Kind:
        if self.begins_query_in_bracket():
            self._bracketed_query()
            return "value"
        self.want("(", "ORA-00906")
        kind = self.any_term()
        if self.comes(","):
            kind = "row"
            while self.take(","):
                self.any_term()
        self.want(")", "ORA-00907")
        return kind

    def _bracketed_query(self) -> None:
        self.want("(", "ORA-00906")
        self.query()
        self.want(")", "ORA-00907")

    def _interval_span(self) -> None:
        if not self.comes_any(_UNITS):
            raise self.refused("ORA-00905", "a unit is missing")
        self.place += 1
        self.skip_brackets()
        if self.take("TO"):
            if not self.comes_any(_UNITS):
                raise self.refused("ORA-00905", "a unit is missing")
            self.place += 1
            self.skip_brackets()

    def _name_or_call(self) -> Kind:
        name = self.token.upper
        self.place += 1
        while self.comes(".") and not self.comes(".", "*"):
            self.place += 1
            if self.comes("ROWNUM") or self.comes("LEVEL"):
                raise self.refused("ORA-01747", "a pseudocolumn belongs to no table:")
            if not (self.take("ROWID") or self.take("COLUMN_VALUE")):
                self.name("ORA-01747")
            name = ""
        if self.comes("(", "+", ")"):
            self.place += 3
            return "value"
        if not self.comes("("):
            return "value"
        self.place += 1
        self._arguments(name)
        self.want(")", "ORA-00907")
        self._after_call()
        return "condition" if name in _CONDITIONS else "value"

    def _arguments(self, name: str) -> None:
        if name == "CAST":
            return self._cast()
        if name == "EXTRACT":
            if self.comes_any(_UNITS | {"TIMEZONE_HOUR", "TIMEZONE_MINUTE"}):
                self.place += 1
                self.want("FROM", "ORA-00907")
            return self.value()
        if name == "TRIM":
            return self._trim()
        if name in _UNREAD:
            raise UnsupportedError(name)
        if self.comes(")") or self.take("*"):
            return None
        if not (self.take("DISTINCT") or self.take("UNIQUE")):
            self.take("ALL")
        while True:
            kind = self.any_term()
            if kind == "condition" and name not in _CONDITIONS:
                raise self.refused("ORA-00907", "a condition is no argument")
            if self.take("USING"):
                self.name("ORA-00905")
            if self.comes_any({"IGNORE", "RESPECT"}) and self.comes("NULLS", ahead=1):
                self.place += 2
            if self.take("DEFAULT"):
                self.value()
                if not self.take("ON", "CONVERSION", "ERROR"):
                    raise self.refused("ORA-00907", "ON CONVERSION ERROR is missing")
            if self.take("ON"):
                self._overflow()
            if not self.take(","):
                return None

    def _cast(self) -> None:
        if self.comes("MULTISET"):
            raise UnsupportedError("MULTISET")
        self.value()
        self.want("AS", "ORA-00905")
        if not self.comes_any(_TYPES):
            if self.token.kind in ("word", "quoted"):
                raise OracleError("ORA-00902", f"{self.token.text!r} is no type")
            raise self.refused("ORA-00902", "a type is missing")
        while self.token.kind == "word":
            self.place += 1
            self.skip_brackets()
            if self.comes("DEFAULT"):
                raise UnsupportedError("CAST with DEFAULT")

    def _trim(self) -> None:
        has_side = self.comes_any({"LEADING", "TRAILING", "BOTH"})
        self.place += has_side
        if not self.take("FROM"):
            self.value()
            if not self.take("FROM"):
                return
        self.value()

    def _overflow(self) -> None:
        self.want("OVERFLOW", "ORA-00907")
        if self.take("ERROR"):
            return
        self.want("TRUNCATE", "ORA-00907")
        if self.token.kind == "text":
            self.place += 1
        if self.take("WITH") or self.take("WITHOUT"):
            self.want("COUNT", "ORA-00907")

    def _after_call(self) -> None:
        """WITHIN GROUP, KEEP, IGNORE NULLS, FROM FIRST, OVER."""
        if self.take("WITHIN"):
            self.want("GROUP", "ORA-00905")
            self.want("(", "ORA-00906")
            self.want("ORDER", "ORA-30491")
            self.want("BY", "ORA-00924")
            self.order_terms()
            self.want(")", "ORA-00907")
        if self.comes("KEEP", "("):
            self.place += 2
            if not (self.take("DENSE_RANK", "FIRST") or self.take("DENSE_RANK", "LAST")):
                raise self.refused("ORA-00905", "DENSE_RANK FIRST is missing")
            self.want("ORDER", "ORA-30491")
            self.want("BY", "ORA-00924")
            self.order_terms()
            self.want(")", "ORA-00907")
        if self.take("FROM", "FIRST") or self.take("FROM", "LAST"):
            pass
        if self.comes_any({"IGNORE", "RESPECT"}) and self.comes("NULLS", ahead=1):
            self.place += 2
        if self.comes("OVER", "("):
            self.place += 2
            self._window()
            self.want(")", "ORA-00907")

    def _window(self) -> None:
        if self.take("PARTITION"):
            self.want("BY", "ORA-00924")
            self.value()
            while self.take(","):
                self.value()
        if self.take("ORDER"):
            self.take("SIBLINGS")
            self.want("BY", "ORA-00924")
            self.order_terms()
        if self.take("ROWS") or self.take("RANGE"):
            if self.take("BETWEEN"):
                self._bound()
                self.want("AND", "ORA-00905")
            self._bound()
        elif self.comes_any({"GROUPS"}) and self.version >= 21:
            raise UnsupportedError("GROUPS")

    def _bound(self) -> None:
        if self.take("CURRENT"):
            self.want("ROW", "ORA-00905")
            return
        if not self.take("UNBOUNDED"):
            self.value()
        if not (self.take("PRECEDING") or self.take("FOLLOWING")):
            raise self.refused("ORA-00905", "PRECEDING is missing")

    def order_terms(self) -> None:
        """Read what comes after ORDER BY."""
        while True:
            self.value()
            if not self.take("ASC"):
                self.take("DESC")
            if self.take("NULLS") and not (self.take("FIRST") or self.take("LAST")):
                raise self.refused("ORA-30500", "FIRST or LAST is missing")
            if not self.take(","):
                return
