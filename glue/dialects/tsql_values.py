"""Transact-SQL's grammar of values and conditions: what stands in a select list, after WHERE, in brackets."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Literal

from glue.dialects import nodes
from glue.dialects.conditions import Conditions
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_reading import SYNTAX, TSQLWords

_RELATIONS = {sign: sign for sign in ("=", "<>", "<", ">", "<=", ">=")} | {"!=": "<>", "!<": ">=", "!>": "<="}
"""Signs of a comparison, and the usual ones for them."""
_QUANTIFIERS: dict[str, Literal["ANY", "ALL"]] = {"ALL": "ALL", "ANY": "ANY", "SOME": "ANY"}
_SUMS = frozenset({"+", "-", "&", "|", "^"})
_PRODUCTS = frozenset({"*", "/", "%"})
_SIGNS = frozenset({"+", "-"})
_VALUES = frozenset({"CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER"})
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


_CONTINUED = re.compile(r"\\\r?\n")
"""A text goes on in the next line behind a backslash: neither is a part of it."""


class Values(Conditions, TSQLWords):
    """Values and conditions. Of a query in brackets only `query` knows, of a function's call only `call`.

    `n_read` counts what was read of a query, but for what stands in its subqueries: columns, queries,
    aggregates and windows.
    """

    NO_CONDITION = "4145"

    def __init__(self, sql: str) -> None:
        super().__init__(sql)
        self.n_read = _nothing_read()
        self.depth = 0
        """How many subqueries the words stand in; a derived table is none."""

    @abstractmethod
    def call(self, parts: tuple[nodes.Identifier, ...], name: str, place: int) -> nodes.Value:
        """Read a function's brackets and what may follow; `name` is '' where it is qualified or quoted."""

    def predicate(self) -> nodes.Value:
        """Read a comparison, or what may stand on one side of it."""
        start = self.token.start
        if self.take("EXISTS"):
            return nodes.Exists(self.subquery().query, place=start)
        if self.comes_any(_UNREAD_PREDICATES) and self.comes("(", ahead=1):
            raise UnsupportedError(self.token.upper)
        left = self._comparand()
        if self.token.upper in _RELATIONS:
            if self.is_condition(left):
                raise self.refused(self.NO_CONDITION, "a condition is compared")
            return self._comparison(left)
        if self.is_condition(left):
            return left
        if self.take("IS"):
            return self._identity(left)
        is_negated = self.take("NOT")
        if self.take("BETWEEN"):
            low = self.value()
            self.want("AND")
            return nodes.Between(left, low, self.value(), is_negated, place=left.place)
        if self.take("LIKE"):
            pattern = self.value()
            escape = self.value() if self.take("ESCAPE") else None
            return nodes.Like(left, pattern, escape, is_negated, place=left.place)
        if self.take("IN"):
            return nodes.In(left, self._members(), is_negated, place=left.place)
        if is_negated:
            raise self.refused(SYNTAX, "IN, LIKE or BETWEEN is missing")
        return left

    def _comparand(self) -> nodes.Value:
        """A value; or what stands in brackets where a condition may stand in them."""
        if not self.comes("(") or self.begins_query_in_bracket():
            return self.value()
        self.place += 1
        inner = self.any_term()
        if self.is_condition(inner):
            self.want(")")
            return inner
        if not self.comes(")"):
            raise self.refused(self.NO_CONDITION, "a comparison is missing")
        self.place += 1
        return self._sum(self._after_operand(inner))

    def _comparison(self, left: nodes.Value) -> nodes.Comparison:
        sign = _RELATIONS[self.token.upper]
        self.place += 1
        quantifier = _QUANTIFIERS.get(self.token.upper)
        if not quantifier:
            return nodes.Comparison(sign, left, self.value(), place=left.place)
        self.place += 1
        return nodes.Comparison(sign, left, self.subquery(), quantifier, place=left.place)

    def _identity(self, left: nodes.Value) -> nodes.Value:
        """What follows IS."""
        is_negated = self.take("NOT")
        if self.take("DISTINCT"):
            self.want("FROM")
            sign = "IS NOT DISTINCT FROM" if is_negated else "IS DISTINCT FROM"
            return nodes.Comparison(sign, left, self.value(), place=left.place)
        self.want("NULL")
        return nodes.Is(left, "NULL", is_negated, place=left.place)

    def _members(self) -> list[nodes.Value]:
        if self.begins_query_in_bracket():
            return [self.subquery()]
        self.want("(")
        members = self.values()
        self.want(")")
        return members

    def subquery(self) -> nodes.Subquery:
        """Read a query in brackets that is a value or a part of a condition."""
        start = self.token.start
        self.want("(")
        n_read, self.n_read = self.n_read, _nothing_read()
        self.depth += 1
        query = self.query()
        self.depth -= 1
        self.n_read = n_read
        self.n_read["query"] += 1
        self.want(")")
        return nodes.Subquery(query, place=start)

    def values(self) -> list[nodes.Value]:
        """Read a, b, …."""
        found = [self.value()]
        while self.take(","):
            found.append(self.value())
        return found

    def values_if_any(self) -> list[nodes.Value]:
        """Read [a, b, …] before a bracket closes."""
        return [] if self.comes(")") else self.values()

    def value(self) -> nodes.Value:
        """Read a value: no condition, not even in brackets."""
        return self._sum(self._factor())

    def _sum(self, left: nodes.Value) -> nodes.Value:
        """Read what is added and multiplied behind the first factor."""
        left = self._product(left)
        while self.comes_any(_SUMS):
            sign = self.token.upper
            self.place += 1
            left = nodes.Operation(sign, left, self._product(self._factor()), place=left.place)
        return left

    def _product(self, left: nodes.Value) -> nodes.Value:
        while self.comes_any(_PRODUCTS):
            sign = self.token.upper
            self.place += 1
            left = nodes.Operation(sign, left, self._factor(), place=left.place)
        return left

    def _factor(self) -> nodes.Value:
        """What is multiplied. A minus is weaker than that: of 1 / -2 * 3 it takes all of 2 * 3."""
        token = self.token
        if self.comes_any(_SIGNS):
            self.place += 1
            return nodes.Prefixed(token.upper, self._product(self._factor()), place=token.start)
        if self.take("~"):
            return nodes.Prefixed("~", self._factor(), place=token.start)
        return self._after_operand(self.operand())

    def _after_operand(self, operand: nodes.Value) -> nodes.Value:
        while True:
            if self.take("COLLATE"):
                operand = nodes.Collate(operand, self.name().text, place=operand.place)
            elif self.take("AT", "TIME", "ZONE"):
                operand = nodes.AtTimeZone(operand, self._zone(), place=operand.place)
            elif self.comes("{", "ESCAPE"):
                raise UnsupportedError("{ESCAPE}")
            else:
                return operand

    def _zone(self) -> nodes.Value:
        """What follows AT TIME ZONE; a second one behind it belongs to the whole."""
        token = self.token
        if self.comes_any(_SIGNS) or self.comes("~"):
            self.place += 1
            return nodes.Prefixed(token.upper, self._zone(), place=token.start)
        return self.operand()

    def operand(self) -> nodes.Value:
        """Read what operators stand between."""
        token = self.token
        if token.kind == "number":
            return self.number()
        if token.kind == "text":
            return nodes.Text(self.text(), is_national=token.text[0] in "nN", place=token.start)
        if self.is_name() and not self.comes("NEXT", "VALUE", "FOR"):
            return self._column_or_call()
        if self.comes("("):
            return self._bracketed()
        if token.kind == "bind":
            return self._variable()
        if self.comes("CASE"):
            return self.case()
        if self.take("NULL"):
            return nodes.Null(place=token.start)
        if self.comes_any(_VALUES):
            return nodes.Name((self.identifier(),), place=token.start)
        if self.comes_any(_FUNCTIONS) and self.comes("(", ahead=1):
            return self.call((self.identifier(),), token.upper, token.start)
        if self.comes_any(_UNREAD_VALUES) or self.comes("NEXT", "VALUE", "FOR"):
            raise UnsupportedError(token.text)
        raise self.refused(SYNTAX, "an expression is missing")

    def number(self) -> nodes.Number:
        """Read a number as it is written, or refuse the query."""
        token = self.token
        if token.kind != "number":
            raise self.refused(SYNTAX, "a number is missing")
        self.place += 1
        return nodes.Number(token.text, place=token.start)

    def text(self) -> str:
        """Read a text: what it says."""
        written = self.token.text
        self.place += 1
        said = written[written.index("'") + 1 : -1].replace("''", "'")
        return _CONTINUED.sub("", said) if "\\" in said else said

    def _bracketed(self) -> nodes.Value:
        if self.begins_query_in_bracket():
            found = self.subquery()
            return self._value_of_xml(found) if self.comes(".") and found.query.is_xml_type else found
        self.want("(")
        inner = self.value()
        self.want(")")
        return inner

    def _value_of_xml(self, query: nodes.Subquery) -> nodes.Call:
        """Read .value('path', 'type') behind a query that gives XML."""
        self.want(".")
        method = self.name()
        if method.text != "value":
            raise UnsupportedError(f"the method {method.text} of XML")
        self.want("(")
        arguments = self.values()
        self.want(")")
        return nodes.Call((method,), [query, *arguments], place=query.place)

    def _variable(self) -> nodes.Name:
        token = self.token
        if token.text.startswith("@@"):
            if token.upper != "@@DATEFIRST":
                raise UnsupportedError(token.text)
            return nodes.Name((self.identifier(),), place=token.start)
        self.note("137", f"{token.text} was not declared")
        return nodes.Name((self.identifier(),), place=token.start)

    def _column_or_call(self) -> nodes.Value:
        first = self.token
        parts = self.path()
        is_plain = first.kind == "word" and len(parts) == 1
        if self.comes("("):
            if is_plain and first.upper in _UNREAD_FUNCTIONS:
                raise UnsupportedError(first.upper)
            return self.call(parts, first.upper if is_plain else "", first.start)
        if self.comes("::"):
            self._method_of_type(parts)
        else:
            self.n_read["column"] += 1
        return nodes.Name(parts, place=first.start)

    def _method_of_type(self, parts: tuple[nodes.Identifier, ...]) -> None:
        """Read ::name or ::name(…) behind a type: what others write to cast is this here."""
        if _is_type(parts):
            raise UnsupportedError("a method of a type")
        self.note("243", "what stands before :: is no type")
        self.take("::")
        self.name()
        self.skip_brackets()

    def type_name(self) -> nodes.Type:
        """Read a type: INT, VARCHAR(10), VARCHAR(MAX), NUMERIC(5, 2), DOUBLE PRECISION."""
        start = self.token.start
        words: list[str] = []
        if self.take("DOUBLE"):
            self.want("PRECISION")
            words += ["DOUBLE", "PRECISION"]
        else:
            if self.take("NATIONAL"):
                words.append("NATIONAL")
            parts = self.path()
            if not _is_type(parts):
                self.note("243", "there is no such type")
            words += [part.text.upper() for part in parts]
            if self.take("VARYING"):
                words.append("VARYING")
        return nodes.Type(tuple(words), self._type_arguments(), place=start)

    def _type_arguments(self) -> tuple[str, ...]:
        if not self.take("("):
            return ()
        arguments = ["MAX"] if self.take("MAX") else [self.number().text]
        if arguments != ["MAX"] and self.take(","):
            arguments.append(self.number().text)
        self.want(")")
        return tuple(arguments)


def _nothing_read() -> dict[str, int]:
    return {"column": 0, "query": 0, "aggregate": 0, "window": 0}


def _is_type(parts: tuple[nodes.Identifier, ...]) -> bool:
    return len(parts) == 1 and parts[0].text.upper() in _TYPES
