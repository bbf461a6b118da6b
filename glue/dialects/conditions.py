"""What the dialects' conditions have in common: OR, AND, NOT and CASE; and a query in brackets."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from glue.dialects import nodes
from glue.dialects.reading import Words

_CONDITIONS: frozenset[type[nodes.Value]] = frozenset(
    {
        nodes.Between,
        nodes.Comparison,
        nodes.Exists,
        nodes.In,
        nodes.Is,
        nodes.Like,
        nodes.Logic,
        nodes.Not,
    }
)


class Conditions(Words):
    """Conditions, as far as they are made of conditions."""

    NO_CONDITION: ClassVar[str]
    """The code where a value stands and no condition."""

    @abstractmethod
    def query(self) -> nodes.Query:
        """Read a query."""

    @abstractmethod
    def value(self) -> nodes.Value:
        """Read a value: no condition, though it may stand in brackets."""

    @abstractmethod
    def predicate(self) -> nodes.Value:
        """Read a condition without OR, AND and NOT, or what may stand in its brackets: a value, a row."""

    def is_condition(self, node: nodes.Value) -> bool:
        """Is it a condition, and no value and no row? A dialect knows which of its functions are some."""
        return type(node) in _CONDITIONS

    def condition(self) -> nodes.Value:
        """Read a condition, or refuse the query."""
        return self._must_be_condition(self.any_term())

    def any_term(self) -> nodes.Value:
        """Read a condition, a value or a row."""
        first = self._conjunction()
        if not self.comes("OR"):
            return first
        terms = [self._must_be_condition(first)]
        while self.take("OR"):
            terms.append(self._must_be_condition(self._conjunction()))
        return nodes.Logic("OR", terms, place=first.place)

    def _conjunction(self) -> nodes.Value:
        first = self._negation()
        if not self.comes("AND"):
            return first
        terms = [self._must_be_condition(first)]
        while self.take("AND"):
            terms.append(self._must_be_condition(self._negation()))
        return nodes.Logic("AND", terms, place=first.place)

    def _must_be_condition(self, node: nodes.Value) -> nodes.Value:
        if not self.is_condition(node):
            raise self.refused(self.NO_CONDITION, "a comparison is missing")
        return node

    def _negation(self) -> nodes.Value:
        start = self.token.start
        if self.take("NOT"):
            return nodes.Not(self._must_be_condition(self._negation()), place=start)
        return self.predicate()

    def case(self) -> nodes.Case:
        """Read CASE … END."""
        start = self.token.start
        self.want("CASE")
        operand = None if self.comes("WHEN") else self.value()
        if not self.comes("WHEN"):
            raise self.refused(self.MISSING, "WHEN is missing")
        branches = []
        while self.take("WHEN"):
            when = self.condition() if operand is None else self.value()
            self.want("THEN")
            branches.append((when, self.value()))
        default = self.value() if self.take("ELSE") else None
        self.want("END")
        return nodes.Case(operand, branches, default, place=start)

    def begins_query_in_bracket(self) -> bool:
        """Does a bracket come, and then a query?"""
        if not self.comes("("):
            return False
        self.place += 1
        found = self.begins_query()
        self.place -= 1
        return found
