"""Oracle's conditions without OR, AND and NOT: comparisons, IN, LIKE, BETWEEN, IS NULL, EXISTS."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_values import Values

_RELATIONS = {"!=": "<>", "^=": "<>", "~=": "<>"} | {sign: sign for sign in ("=", "<>", "<", ">", "<=", ">=")}
"""Signs of comparison, and the one that each means."""
_QUANTIFIERS = frozenset({"ANY", "SOME", "ALL"})
_CODE_POINT_LIKES = frozenset({"LIKEC", "LIKE2", "LIKE4"})
_NEGATABLE = frozenset({"IN", "LIKE", "BETWEEN"}) | _CODE_POINT_LIKES


class Predicates(Values):
    """Conditions without OR, AND and NOT."""

    NO_CONDITION = "ORA-00920"

    def predicate(self) -> nodes.Value:
        """Read a comparison, or what may stand on one side of it."""
        if self.comes("EXISTS", "("):
            start = self.token.start
            self.place += 1
            return nodes.Exists(self.subquery().query, place=start)
        node = self.any_value()
        if self.is_condition(node):
            return node
        word = self.token.upper
        if word in _RELATIONS:
            return self._comparison(node)
        if word == "IS":
            return self._is(node)
        is_negated = word == "NOT" and self.ahead(1).upper in _NEGATABLE
        if is_negated:
            self.place += 1
            word = self.token.upper
        if word == "BETWEEN":
            return self._between(node, is_negated)
        if word == "LIKE":
            return self._like(node, is_negated)
        if word == "IN":
            self.place += 1
            return nodes.In(node, self._members(), is_negated, place=node.place)
        if word in _CODE_POINT_LIKES or word in ("MEMBER", "SUBMULTISET"):
            raise UnsupportedError(word)
        return node

    def _comparand(self) -> nodes.Value:
        return self.no_condition(self.any_value())

    def _comparison(self, left: nodes.Value) -> nodes.Comparison:
        sign = _RELATIONS[self.token.upper]
        self.place += 1
        if self.token.upper in _QUANTIFIERS and self.comes("(", ahead=1):
            return self._quantified(sign, left)
        return nodes.Comparison(sign, left, self._comparand(), place=left.place)

    def _quantified(self, sign: str, left: nodes.Value) -> nodes.Comparison:
        is_all = self.comes("ALL")
        self.place += 1
        start = self.token.start
        values = self._members()
        is_query = len(values) == 1 and isinstance(values[0], nodes.Subquery)
        right = values[0] if is_query else nodes.Row(values, place=start)
        return nodes.Comparison(sign, left, right, "ALL" if is_all else "ANY", place=left.place)

    def _members(self) -> list[nodes.Value]:
        """A query in brackets, the values of a list, or what stands without brackets."""
        if not self.comes("("):
            return [self._comparand()]
        if self.begins_query_in_bracket():
            return [self.subquery()]
        self.place += 1
        values = [self.no_condition(self.any_term())]
        while self.take(","):
            values.append(self.no_condition(self.any_term()))
        self.want(")", "ORA-00907")
        return values

    def _is(self, operand: nodes.Value) -> nodes.Is:
        self.place += 1
        is_negated = self.take("NOT")
        word = self.token.upper
        if word in ("OF", "A", "JSON", "EMPTY"):
            raise UnsupportedError(f"IS {word}")
        if word not in ("NULL", "NAN", "INFINITE"):
            raise self.refused("ORA-00908", "NULL is missing")
        self.place += 1
        return nodes.Is(operand, word, is_negated, place=operand.place)

    def _between(self, operand: nodes.Value, is_negated: bool) -> nodes.Between:
        self.place += 1
        low = self._comparand()
        self.want("AND", "ORA-00905")
        return nodes.Between(operand, low, self._comparand(), is_negated, place=operand.place)

    def _like(self, operand: nodes.Value, is_negated: bool) -> nodes.Like:
        self.place += 1
        pattern = self._comparand()
        escape = self._comparand() if self.take("ESCAPE") else None
        return nodes.Like(operand, pattern, escape, is_negated, place=operand.place)
