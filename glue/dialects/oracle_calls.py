"""Oracle's calls: what stands in the brackets of a function, and behind them."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_conditions import Predicates
from glue.dialects.oracle_tokens import text_of
from glue.dialects.oracle_types import Types
from glue.dialects.oracle_values import UNITS

_CONDITIONS = frozenset({"REGEXP_LIKE", "LNNVL", "JSON_EXISTS", "XMLEXISTS", "JSON_EQUAL"})
"""Functions that are conditions."""
_EXTRACTED = UNITS | {"TIMEZONE_HOUR", "TIMEZONE_MINUTE"}
_SIDES = frozenset({"LEADING", "TRAILING", "BOTH"})
_UNREAD_WORDS = """
    JSON_ARRAY JSON_ARRAYAGG JSON_OBJECT JSON_OBJECTAGG JSON_QUERY JSON_VALUE TREAT XMLAGG
    XMLELEMENT XMLFOREST XMLQUERY
"""
_UNREAD = frozenset(_UNREAD_WORDS.split())
"""Functions whose arguments have a grammar of their own."""
_AFTER_CALL = frozenset({"WITHIN", "KEEP", "FROM", "IGNORE", "RESPECT", "OVER"})


class Calls(Types, Predicates):
    """Calls of functions, with their windows; and what ORDER BY has."""

    def is_condition(self, node: nodes.Value) -> bool:
        """Is it a condition, and no value and no row?"""
        if type(node) is nodes.Call:
            return self._names_condition(node.parts)
        return super().is_condition(node)

    def _names_condition(self, parts: tuple[nodes.Identifier, ...]) -> bool:
        return len(parts) == 1 and not parts[0].is_quoted and parts[0].text.upper() in _CONDITIONS

    def call(self, parts: tuple[nodes.Identifier, ...], name: str, place: int) -> nodes.Value:
        """Read a function's brackets and what may follow; `name` is '' where it is qualified or quoted."""
        self.place += 1
        if name in ("CAST", "VALIDATE_CONVERSION"):
            return self._cast(place, name)
        if name == "EXTRACT" and self.token.upper in _EXTRACTED:
            return self._extract(place)
        if name == "TRIM":
            return self._trim(place)
        if name in _UNREAD:
            raise UnsupportedError(name)
        call = nodes.Call(parts, [], place=place)
        self._arguments(call)
        self.want(")", "ORA-00907")
        if self.token.upper in _AFTER_CALL:
            self._after_call(call, name)
        if self.comes("."):
            raise UnsupportedError("a part of what a function returns")
        return call

    def _cast(self, place: int, word: str) -> nodes.Cast:
        if self.comes("MULTISET"):
            raise UnsupportedError("MULTISET")
        operand = self.value()
        self.want("AS", "ORA-00905")
        cast = nodes.Cast(word, operand, self.type_name(), place=place)
        if self.take("DEFAULT"):
            cast.default = self.value()
            self._on_conversion_error()
        if self.take(","):
            cast.style = self.value()
        self.want(")", "ORA-00907")
        return cast

    def _on_conversion_error(self) -> None:
        if not self.take("ON", "CONVERSION", "ERROR"):
            raise self.refused("ORA-00907", "ON CONVERSION ERROR is missing")

    def _extract(self, place: int) -> nodes.Extract:
        unit = self.token.upper
        self.place += 1
        self.want("FROM", "ORA-00907")
        extract = nodes.Extract(unit, self.value(), place=place)
        self.want(")", "ORA-00907")
        return extract

    def _trim(self, place: int) -> nodes.Trim:
        side = self.token.upper if self.token.upper in _SIDES else None
        self.place += side is not None
        first = None if self.comes("FROM") else self.value()
        if first is None or self.comes("FROM"):
            self.place += 1
            trim = nodes.Trim(side, first, self.value(), place=place)
        else:
            trim = nodes.Trim(side, None, first, place=place)
        self.want(")", "ORA-00907")
        return trim

    def _arguments(self, call: nodes.Call) -> None:
        if self.comes(")"):
            return
        if self.comes("*"):
            call.arguments.append(nodes.Star(place=self.token.start))
            self.place += 1
            return
        call.is_distinct = self.take("DISTINCT") or self.take("UNIQUE")
        if not call.is_distinct:
            self.take("ALL")
        takes_condition = self._names_condition(call.parts)
        while True:
            argument = self.any_term()
            if not takes_condition and self.is_condition(argument):
                raise self.refused("ORA-00907", "a condition is no argument")
            call.arguments.append(argument)
            if self.token.upper not in (",", ")"):
                self._after_argument(call)
            if not self.take(","):
                return

    def _after_argument(self, call: nodes.Call) -> None:
        """IGNORE NULLS, DEFAULT … ON CONVERSION ERROR, ON OVERFLOW …."""
        if self.take("USING"):
            self.name("ORA-00905")
            raise UnsupportedError("USING after an argument")
        self._nulls(call)
        if self.take("DEFAULT"):
            call.default = self.value()
            self._on_conversion_error()
        if self.comes("ON"):
            call.overflow = self._overflow()

    def _nulls(self, call: nodes.Call) -> None:
        if self.comes("IGNORE", "NULLS") or self.comes("RESPECT", "NULLS"):
            call.nulls = self.token.upper
            self.place += 2

    def _overflow(self) -> nodes.Overflow:
        overflow = nodes.Overflow(is_error=False, place=self.token.start)
        self.place += 1
        self.want("OVERFLOW", "ORA-00907")
        if self.take("ERROR"):
            overflow.is_error = True
            return overflow
        self.want("TRUNCATE", "ORA-00907")
        if self.token.kind == "text":
            overflow.ending = text_of(self.token.text)[0]
            self.place += 1
        if self.take("WITH"):
            self.want("COUNT", "ORA-00907")
        elif self.take("WITHOUT"):
            self.want("COUNT", "ORA-00907")
            overflow.has_count = False
        return overflow

    def _after_call(self, call: nodes.Call, name: str) -> None:
        """WITHIN GROUP, KEEP, IGNORE NULLS, FROM FIRST, OVER."""
        if self.take("WITHIN"):
            self.want("GROUP", "ORA-00905")
            self.want("(", "ORA-00906")
            call.within = self._order_in_brackets()
        if self.take("KEEP", "("):
            if not (self.comes("DENSE_RANK", "FIRST") or self.comes("DENSE_RANK", "LAST")):
                raise self.refused("ORA-00905", "DENSE_RANK FIRST is missing")
            call.keep = self.ahead(1).upper
            self.place += 2
            call.keep_order = self._order_in_brackets()
        if name == "NTH_VALUE" and not self.take("FROM", "FIRST"):
            call.is_from_last = self.take("FROM", "LAST")
        self._nulls(call)
        if self.comes("OVER", "("):
            call.over = self._window()

    def _order_in_brackets(self) -> list[nodes.OrderTerm]:
        self.want("ORDER", "ORA-30491")
        self.want("BY", "ORA-00924")
        terms = self.order_terms()
        self.want(")", "ORA-00907")
        return terms

    def _window(self) -> nodes.Window:
        window = nodes.Window(place=self.token.start)
        self.place += 2
        if self.take("PARTITION"):
            self.want("BY", "ORA-00924")
            window.partition = self._partition()
        if self.take("ORDER"):
            has_siblings = self.take("SIBLINGS")
            self.want("BY", "ORA-00924")
            window.order = self.order_terms()
            if has_siblings:
                raise UnsupportedError("ORDER SIBLINGS BY in a window")
        if self.comes_any({"ROWS", "RANGE"}):
            window.frame = self._frame()
        elif self.version >= 21 and self.comes("GROUPS"):
            raise UnsupportedError("GROUPS")
        self.want(")", "ORA-00907")
        return window

    def _partition(self) -> list[nodes.Value]:
        """Values, which may stand in brackets all together."""
        values = [self.value()]
        while self.take(","):
            values.append(self.value())
        if len(values) == 1 and isinstance(values[0], nodes.Row):
            return values[0].values
        return values

    def _frame(self) -> nodes.Frame:
        token = self.token
        self.place += 1
        if not self.take("BETWEEN"):
            return nodes.Frame(token.upper, self._bound(), place=token.start)
        start = self._bound()
        self.want("AND", "ORA-00905")
        return nodes.Frame(token.upper, start, self._bound(), place=token.start)

    def _bound(self) -> nodes.Bound:
        start = self.token.start
        if self.take("CURRENT"):
            self.want("ROW", "ORA-00905")
            return nodes.Bound("CURRENT", place=start)
        distance = None if self.take("UNBOUNDED") else self.value()
        if self.take("PRECEDING"):
            return nodes.Bound("PRECEDING", distance, place=start)
        if self.take("FOLLOWING"):
            return nodes.Bound("FOLLOWING", distance, place=start)
        raise self.refused("ORA-00905", "PRECEDING is missing")

    def order_terms(self) -> list[nodes.OrderTerm]:
        """Read what comes after ORDER BY."""
        terms = []
        while True:
            start = self.token.start
            term = nodes.OrderTerm(self.value(), place=start)
            if not self.take("ASC"):
                term.is_descending = self.take("DESC")
            if self.take("NULLS"):
                if not self.comes_any({"FIRST", "LAST"}):
                    raise self.refused("ORA-30500", "FIRST or LAST is missing")
                term.nulls = self.token.upper
                self.place += 1
            terms.append(term)
            if not self.take(","):
                return terms
