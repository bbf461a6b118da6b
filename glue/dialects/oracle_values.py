"""Oracle's values: what stands in a select list and between operators, from texts and numbers to rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from glue.dialects import nodes
from glue.dialects.conditions import Conditions
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_reading import OracleWords
from glue.dialects.oracle_tokens import RESERVED, text_of
from glue.dialects.reading import Token

_SUMS = frozenset({"+", "-", "||"})
_PRODUCTS = frozenset({"*", "/"})
_PREFIXES = frozenset({"+", "-", "PRIOR", "CONNECT_BY_ROOT"})
_VALUES = frozenset({"ROWNUM", "LEVEL", "SYSDATE", "USER", "UID", "ROWID", "COLUMN_VALUE"})
"""Reserved words that are values."""
_AFTER_OPERAND = frozenset({"COLLATE", "AT", "MULTISET", "DAY", "YEAR"})
_FUNCTIONS = frozenset({"CHAR", "RAW"})
"""Reserved words that are functions."""
UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})


class Values(Conditions, OracleWords):
    """Values. Of a query in brackets only `query` knows, of a function's call only `call`."""

    @abstractmethod
    def call(self, parts: tuple[nodes.Identifier, ...], name: str, place: int) -> nodes.Value:
        """Read a function's brackets and what may follow; `name` is '' where it is qualified or quoted."""

    def value(self) -> nodes.Value:
        """Read a value: no condition, though it may stand in brackets."""
        return self.no_condition(self.any_value())

    def no_condition(self, node: nodes.Value) -> nodes.Value:
        """It, or the query is refused: Oracle looks for the bracket that would close before its sign."""
        if self.is_condition(node):
            raise self.refused("ORA-00907", "a condition is no value")
        return node

    def any_value(self) -> nodes.Value:
        """Read a value, or a condition in brackets."""
        node = self._product()
        while self.token.upper in _SUMS:
            node = self._operation(node, self._product)
        return node

    def _product(self) -> nodes.Value:
        node = self._factor()
        while self.token.upper in _PRODUCTS:
            node = self._operation(node, self._factor)
        return node

    def _operation(self, left: nodes.Value, read_right: Callable[[], nodes.Value]) -> nodes.Value:
        self.no_condition(left)
        sign = self.token.upper
        self.place += 1
        return nodes.Operation(sign, left, self.no_condition(read_right()), place=left.place)

    def _factor(self) -> nodes.Value:
        token = self.token
        if token.upper in _PREFIXES:
            self.place += 1
            return nodes.Prefixed(token.upper, self.no_condition(self._factor()), place=token.start)
        node = self.operand("ORA-00936")
        upper = self.token.upper
        if upper in _AFTER_OPERAND:
            self._refuse_unread(upper, self.ahead(1).upper)
        return node

    def _refuse_unread(self, word: str, following: str) -> None:
        """What may follow an operand, as far as it is not read here."""
        if word == "COLLATE" or (word == "AT" and (following == "LOCAL" or self.comes("AT", "TIME", "ZONE"))):
            raise UnsupportedError(word)
        if word == "MULTISET" and following in ("UNION", "INTERSECT", "EXCEPT"):
            raise UnsupportedError(f"MULTISET {following}")
        if word in ("DAY", "YEAR") and following in ("TO", "("):
            self._interval("", self.token.start)
            raise UnsupportedError("a difference made an interval")

    def operand(self, code: str) -> nodes.Value:
        """Read what operators stand between, or refuse the query with `code`."""
        token = self.token
        if token.kind == "word":
            return self._from_word(token, code)
        if token.kind == "number":
            self.place += 1
            return nodes.Number(token.text, place=token.start)
        if token.kind == "text":
            self.place += 1
            text, is_national = text_of(token.text)
            return nodes.Text(text, is_national, place=token.start)
        if token.kind == "quoted":
            return self._name_or_call()
        if token.kind == "bind":
            raise OracleError("ORA-01008", f"{token.text} is a variable, and no value is given")
        if token.upper == "(":
            return self._bracketed()
        raise self.refused(code, "an expression is missing")

    def _from_word(self, token: Token, code: str) -> nodes.Value:
        word, following = token.upper, self.ahead(1)
        if following.kind == "text" and word in ("DATE", "TIMESTAMP", "INTERVAL"):
            self.place += 2
            text = text_of(following.text)[0]
            if word == "INTERVAL":
                return self._interval(text, token.start)
            return nodes.Typed(word, text, place=token.start)
        if word == "CASE":
            return self.case()
        if word == "NULL":
            self.place += 1
            return nodes.Null(place=token.start)
        if word in _VALUES:
            return nodes.Name((self.identifier(),), place=token.start)
        if word == "MULTISET" or (word in ("CURSOR", "SET") and following.upper == "("):
            raise UnsupportedError(word)
        if word not in RESERVED or (word in _FUNCTIONS and following.upper == "("):
            return self._name_or_call()
        raise self.refused(code, "an expression is missing")

    def _bracketed(self) -> nodes.Value:
        if self.begins_query_in_bracket():
            return self.subquery()
        start = self.token.start
        self.place += 1
        node = self.any_term()
        if self.comes(","):
            values = [self.no_condition(node)]
            while self.take(","):
                values.append(self.no_condition(self.any_term()))
            node = nodes.Row(values, place=start)
        self.want(")", "ORA-00907")
        return node

    def subquery(self) -> nodes.Subquery:
        """Read a query in brackets."""
        start = self.token.start
        self.want("(", "ORA-00906")
        query = self.query()
        self.want(")", "ORA-00907")
        return nodes.Subquery(query, place=start)

    def _interval(self, text: str, start: int) -> nodes.Interval:
        first, precisions = self._unit()
        precision = precisions[0] if precisions else None
        node = nodes.Interval(text, first, precision, place=start)
        if self.take("TO"):
            node.last, precisions = self._unit()
            node.last_precision = precisions[-1] if precisions else None
        elif len(precisions) > 1:
            node.last_precision = precisions[1]
        return node

    def _unit(self) -> tuple[str, list[int]]:
        """A unit, and its precision in brackets: SECOND may have two."""
        unit = self.token.upper
        if unit not in UNITS:
            raise self.refused("ORA-00905", "a unit is missing")
        self.place += 1
        start = self.place
        self.skip_brackets()
        written = [token.text for token in self.since(start) if token.upper not in ("(", ",", ")")]
        if not all(text.isdecimal() for text in written):
            raise UnsupportedError(f"{' '.join(written)} as a precision")
        return unit, [int(text) for text in written]

    def _name_or_call(self) -> nodes.Value:
        token = self.token
        parts: tuple[nodes.Identifier, ...] = (self.identifier(),)
        name = token.upper
        while self.comes(".") and not self.comes(".", "*"):
            self.place += 1
            if self.comes_any({"ROWNUM", "LEVEL"}):
                raise self.refused("ORA-01747", "a pseudocolumn belongs to no table:")
            is_reserved_column = self.comes_any({"ROWID", "COLUMN_VALUE"})
            parts += (self.identifier() if is_reserved_column else self.name("ORA-01747"),)
            name = ""
        if self.token.upper != "(":
            return nodes.Name(parts, place=token.start)
        if self.take("(", "+", ")"):
            return nodes.Name(parts, is_outer=True, place=token.start)
        return self.call(parts, name if token.kind == "word" else "", token.start)
