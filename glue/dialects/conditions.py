"""What the dialects' conditions have in common: OR, AND, NOT and CASE; and a query in brackets."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

from glue.dialects.reading import Words

Kind = Literal["value", "condition", "row"]
"""Of what stands in brackets, or on its own: 1 + 1, 1 = 1, (1, 1)."""


class Conditions(Words):
    """Conditions, as far as they are made of conditions."""

    NO_CONDITION: ClassVar[str]
    """The code where a value stands and no condition."""

    @abstractmethod
    def query(self) -> None:
        """Read a query."""

    @abstractmethod
    def value(self) -> None:
        """Read a value: no condition, though it may stand in brackets."""

    @abstractmethod
    def predicate(self) -> Kind:
        """Read a condition without OR, AND and NOT, or what may stand in its brackets."""

    def condition(self) -> None:
        """Read a condition, or refuse the query."""
        self._must_be_condition(self.any_term())

    def any_term(self) -> Kind:
        """Read a condition or a value: which of them?"""
        kind = self._conjunction()
        while self.comes("OR"):
            self._must_be_condition(kind)
            self.place += 1
            kind = self._conjunction()
            self._must_be_condition(kind)
        return kind

    def _conjunction(self) -> Kind:
        kind = self._negation()
        while self.comes("AND"):
            self._must_be_condition(kind)
            self.place += 1
            kind = self._negation()
            self._must_be_condition(kind)
        return kind

    def _must_be_condition(self, kind: Kind) -> None:
        if kind != "condition":
            raise self.refused(self.NO_CONDITION, "a comparison is missing")

    def _negation(self) -> Kind:
        if self.take("NOT"):
            self._must_be_condition(self._negation())
            return "condition"
        return self.predicate()

    def case(self) -> None:
        """Read CASE … END."""
        self.want("CASE")
        is_simple = not self.comes("WHEN")
        if is_simple:
            self.value()
        if not self.comes("WHEN"):
            raise self.refused(self.MISSING, "WHEN is missing")
        while self.take("WHEN"):
            if is_simple:
                self.value()
            else:
                self.condition()
            self.want("THEN")
            self.value()
        if self.take("ELSE"):
            self.value()
        self.want("END")

    def begins_query_in_bracket(self) -> bool:
        """Does a bracket come, and then a query?"""
        if not self.comes("("):
            return False
        self.place += 1
        found = self.begins_query()
        self.place -= 1
        return found
