"""SQL Server's functions of one row, CASE and CAST in DuckDB's SQL."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql import casts, choices
from glue.dialects.tsql.arithmetic import Arithmetic
from glue.dialects.tsql.date_calls import DATE_CALLS, OF_PARTS, now, part_of
from glue.dialects.tsql.functions import AGGREGATES
from glue.dialects.tsql.number_calls import NUMBER_CALLS
from glue.dialects.tsql.text_calls import TEXT_CALLS, trimmed
from glue.dialects.tsql.types import DATETIME, TINYINT, typed, written_type
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_FUNCTIONS: dict[str, Callable[[list[Sql]], Sql]] = {
    **TEXT_CALLS,
    **NUMBER_CALLS,
    **DATE_CALLS,
    **choices.CHOICES,
    "FORMAT": casts.formatted,
}
_SESSION_WORDS = frozenset({"CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER"})


class Calls(Arithmetic):
    """A translation as far as it knows functions of one row, CASE and CAST."""

    @abstractmethod
    def aggregate(self, node: nodes.Call) -> Sql:
        """A function of many rows, without a window."""

    @abstractmethod
    def windowed(self, node: nodes.Call) -> Sql:
        """A function with a window."""

    @abstractmethod
    def value_of_xml(self, node: nodes.Call) -> Sql:
        """The method VALUE of a query that gives XML."""

    def name(self, node: nodes.Name) -> Sql:
        """See Names. Some reserved words are functions without brackets."""
        first = node.parts[0]
        if len(node.parts) == 1 and not first.is_quoted:
            word = first.text.upper()
            if word == "CURRENT_TIMESTAMP":
                return now(DATETIME)
            if word == "@@DATEFIRST":
                return typed("7::utinyint", TINYINT)
            if word in _SESSION_WORDS:
                raise UnsupportedError(word)
        return super().name(node)

    def call(self, node: nodes.Call) -> Sql:
        """A call of any function. Raises 4121 for one of a schema, 195 where there is none of its name."""
        name = node.name
        if len(node.parts) > 1:
            raise TSQLError("4121", f"there is no function {'.'.join(part.text for part in node.parts)}")
        if node.parts[0].is_quoted:
            raise TSQLError("195", f"there is no function {name}")
        if node.over is not None:
            return self.windowed(node)
        if name in AGGREGATES:
            return self.aggregate(node)
        if node.parts[0].text == "value" and isinstance(node.arguments[0], nodes.Subquery):
            return self.value_of_xml(node)
        if node.is_distinct or node.within is not None or node.nulls is not None:
            raise UnsupportedError(f"DISTINCT, WITHIN GROUP or NULLS beside {name}")
        if name in OF_PARTS:
            part = part_of(node.arguments[0])
            return OF_PARTS[name](part, [self.value(argument) for argument in node.arguments[1:]])
        arguments = [self.value(argument) for argument in node.arguments]
        if name == "IIF":
            return choices.case(arguments[:1], arguments[1:], has_default=True)
        function = _FUNCTIONS.get(name)
        if function is None:
            raise UnsupportedError(name)
        return function(arguments)

    def case(self, node: nodes.Case) -> Sql:
        """CASE with an operand or without."""
        if node.operand is None:
            tests = [self.value(test) for test, _ in node.branches]
        else:
            operand = self.value(node.operand)
            tests = [self.compared("=", operand, self.value(test)) for test, _ in node.branches]
        answers = [self.value(answer) for _, answer in node.branches]
        if node.default is not None:
            answers.append(self.value(node.default))
        return choices.case(tests, answers, node.default is not None)

    def cast(self, node: nodes.Cast) -> Sql:
        """CAST, CONVERT, PARSE and those that try."""
        value, target = self.value(node.operand), written_type(node.type)
        style = None if node.style is None else self.value(node.style)
        if node.word.endswith("PARSE"):
            return casts.parsed(node.word, value, target, style)
        return casts.cast(node.word, value, target, style)

    def trim(self, node: nodes.Trim) -> Sql:
        """TRIM."""
        letters = None if node.letters is None else self.value(node.letters)
        return trimmed(node.side, self.value(node.operand), letters)
