"""Oracle's conditions in DuckDB's SQL: comparisons, IN, LIKE, EXISTS, AND and OR."""

from __future__ import annotations

from abc import abstractmethod
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle.kinds import NUMBERS, TEXTS, as_text, converted, for_comparison
from glue.dialects.oracle.names import Names
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Output
from glue.dialects.values import Sql, any_may_fail

_MOST_IN_A_LIST = 1000
_SIGNS = {"=": eq, "<>": ne, "<": lt, ">": gt, "<=": le, ">=": ge}


def condition(text: str, *of: Sql) -> Sql:
    """A condition, made of these values."""
    return Sql(text, "condition", may_fail=any_may_fail(list(of)))


class Conditions(Names):
    """A translation as far as it knows conditions."""

    @abstractmethod
    def subquery(self, query: nodes.Query) -> tuple[str, list[Output]]:
        """A query within this one, without its brackets, and its columns (c1, c2, …)."""

    def logic(self, node: nodes.Logic) -> Sql:
        """AND, OR."""
        terms = [self.value(term) for term in node.terms]
        joined = f" {node.word.lower()} ".join(term.text for term in terms)
        return condition(f"({joined})", *terms)

    def negation(self, node: nodes.Not) -> Sql:
        """NOT."""
        operand = self.value(node.operand)
        return condition(f"(not {operand.text})", operand)

    def comparison(self, node: nodes.Comparison) -> Sql:
        """= <> < > <= >=, with ANY and ALL and between rows too."""
        if node.quantifier:
            return self._quantified(node)
        if isinstance(node.left, nodes.Row) or isinstance(node.right, nodes.Row):
            return self._row_comparison(node)
        return self.compared(node.sign, self.value(node.left), self.value(node.right))

    def compared(self, sign: str, left: Sql, right: Sql) -> Sql:
        """Two values with a sign between them."""
        if left.kind == "rowid" and right.kind == "rowid":
            return condition(f"({left.text} {sign} {right.text})", left, right)
        left, right = for_comparison(left, right)
        if isinstance(left.constant, Decimal) and isinstance(right.constant, Decimal):
            return condition(str(_SIGNS[sign](left.constant, right.constant)).lower())
        if "rounded" in (left.kind, right.kind):
            return Sql(f"(ora_told_apart({left.text}, {right.text}) {sign} 0)", "condition", may_fail=True)
        return condition(f"({left.text} {sign} {right.text})", left, right)

    def _row_comparison(self, node: nodes.Comparison) -> Sql:
        if node.sign not in ("=", "<>"):
            raise OracleError("ORA-01796", f"rows cannot be compared by {node.sign}")
        if not isinstance(node.left, nodes.Row):
            raise OracleError("ORA-00913", "too many values")
        left = [self.value(value) for value in node.left.values]
        right = node.right
        while isinstance(right, nodes.Row) and len(right.values) == 1:
            right = right.values[0]
        if isinstance(right, nodes.Row):
            equal = self._rows_equal(left, [self.value(value) for value in right.values])
        elif isinstance(right, nodes.Subquery):
            raise UnsupportedError("a row that is compared with a query by =")
        else:
            raise OracleError("ORA-00947", "not enough values")
        return equal if node.sign == "=" else condition(f"(not {equal.text})", equal)

    def _rows_equal(self, left: list[Sql], right: list[Sql]) -> Sql:
        if len(left) != len(right):
            code, what = ("ORA-00947", "not enough") if len(right) < len(left) else ("ORA-00913", "too many")
            raise OracleError(code, f"{what} values")
        pairs = [self.compared("=", one, other) for one, other in zip(left, right, strict=True)]
        return condition(f"({' and '.join(pair.text for pair in pairs)})", *pairs)

    def _quantified(self, node: nodes.Comparison) -> Sql:
        if isinstance(node.right, nodes.Subquery):
            left = self.value(node.left)
            text, outputs = self.subquery(node.right.query)
            if "rounded" in (left.kind, *(output.kind for output in outputs)):
                raise UnsupportedError(f"{node.quantifier} of numbers whose last digits are not known")
            left, listed = self._as_compared_with(left, text, outputs)
            return condition(f"({left.text} {node.sign} {str(node.quantifier).lower()} ({listed}))", left)
        values = node.right.values if isinstance(node.right, nodes.Row) else [node.right]
        left = self.value(node.left)
        pairs = [self.compared(node.sign, left, self.value(value)) for value in values]
        word = " or " if node.quantifier == "ANY" else " and "
        return condition(f"({word.join(pair.text for pair in pairs)})", *pairs)

    def _as_compared_with(self, left: Sql, query: str, outputs: list[Output]) -> tuple[Sql, str]:
        """One value, and the rows of a query of one column, as they are compared."""
        if len(outputs) != 1:
            raise OracleError("ORA-00913", "too many values")
        alias = self.alias()
        column = Sql(f"{alias}.c1", outputs[0].kind, outputs[0].precision, outputs[0].scale)
        if left.kind == column.kind == "rowid":
            return left, query
        left, compared = for_comparison(left, column)
        if compared.text == column.text:
            return left, query
        return left, f"select {compared.text} from ({query}) as {alias}"

    def membership(self, node: nodes.In) -> Sql:
        """IN and NOT IN, of values and rows, in lists and in queries."""
        found = self._membership(node)
        return condition(f"(not {found.text})", found) if node.is_negated else found

    def _membership(self, node: nodes.In) -> Sql:
        query = node.values[0] if len(node.values) == 1 else None
        left_values = node.operand.values if isinstance(node.operand, nodes.Row) else [node.operand]
        left = [self.value(value) for value in left_values]
        if isinstance(query, nodes.Subquery):
            return self._in_query(left, query.query)
        if len(node.values) > _MOST_IN_A_LIST and not isinstance(node.operand, nodes.Row):
            raise OracleError("ORA-01795", f"a list has more than {_MOST_IN_A_LIST} expressions")
        if len(left) > 1:
            rows = [self._row_of(value) for value in node.values]
            pairs = [self._rows_equal(left, row) for row in rows]
            return condition(f"({' or '.join(pair.text for pair in pairs)})", *pairs)
        if any(isinstance(value, nodes.Row) for value in node.values):
            raise OracleError("ORA-00913", "too many values")
        return self._in_list(left[0], [self.value(value) for value in node.values])

    def _row_of(self, node: nodes.Value) -> list[Sql]:
        if not isinstance(node, nodes.Row):
            raise OracleError("ORA-00920", "a row is missing in the list")
        return [self.value(value) for value in node.values]

    def _in_list(self, left: Sql, values: list[Sql]) -> Sql:
        pairs = [for_comparison(left, value) for value in values]
        is_rounded = any("rounded" in (one.kind, other.kind) for one, other in pairs)
        if len({one.text for one, _ in pairs}) == 1 and not is_rounded:
            members = ", ".join(other.text for _, other in pairs)
            return condition(f"({pairs[0][0].text} in ({members}))", *(v for pair in pairs for v in pair))
        terms = [self.compared("=", one, other) for one, other in pairs]
        return condition(f"({' or '.join(term.text for term in terms)})", *terms)

    def _in_query(self, left: list[Sql], query: nodes.Query) -> Sql:
        text, outputs = self.subquery(query)
        if len(left) == 1 and "rounded" not in (left[0].kind, *(output.kind for output in outputs)):
            one, listed = self._as_compared_with(left[0], text, outputs)
            return condition(f"({one.text} in ({listed}))", one)
        alias = self.alias()
        right = [
            Sql(f"{alias}.c{place}", output.kind, output.precision, output.scale)
            for place, output in enumerate(outputs, 1)
        ]
        equal = self._rows_equal(left, right)
        rows = f"select 1 from ({text}) as {alias} where"
        return condition(
            f"case when exists ({rows} {equal.text}) then true"
            f" when exists ({rows} {equal.text} is null) then null else false end",
            *left,
        )

    def range(self, node: nodes.Between) -> Sql:
        """BETWEEN and NOT BETWEEN."""
        operand = self.value(node.operand)
        low = self.compared(">=", operand, self.value(node.low))
        high = self.compared("<=", operand, self.value(node.high))
        return condition(f"({'not ' * node.is_negated}({low.text} and {high.text}))", low, high)

    def likeness(self, node: nodes.Like) -> Sql:
        """LIKE and NOT LIKE. Letters count; without ESCAPE no letter is special but % and _."""
        operand = as_text(self.value(node.operand))
        pattern = as_text(self.value(node.pattern))
        escape = ""
        if node.escape is not None:
            letter = as_text(self.value(node.escape)).constant
            if not isinstance(letter, str) or len(letter) != 1:
                raise OracleError("ORA-01425", "the escape character is not one character")
            if not isinstance(pattern.constant, str):
                raise UnsupportedError("LIKE with ESCAPE and a pattern that is no literal")
            _check_escapes(pattern.constant, letter)
            quote = "'" * (1 + (letter == "'"))
            escape = f" escape {quote}{letter}{quote}" if letter != "'" else " escape ''''"
        word = "not like" if node.is_negated else "like"
        return condition(f"({operand.text} {word} {pattern.text}{escape})", operand, pattern)

    def state(self, node: nodes.Is) -> Sql:
        """IS NULL, IS NAN, IS INFINITE."""
        operand = self.value(node.operand)
        word = "is not" if node.is_negated else "is"
        if node.what == "NULL":
            return condition(f"({operand.text} {word} null)", operand)
        if operand.kind not in NUMBERS | TEXTS:
            raise UnsupportedError(f"IS {node.what}")
        number = converted(operand, "number")
        function = "isnan" if node.what == "NAN" else "isinf"
        return condition(f"({'not ' * node.is_negated}{function}(({number.text})::double))", number)

    def existence(self, node: nodes.Exists) -> Sql:
        """EXISTS."""
        text, _ = self.subquery(node.query)
        return condition(f"exists ({text})")


def _check_escapes(pattern: str, letter: str) -> None:
    place = 0
    while place < len(pattern):
        if pattern[place] == letter:
            if pattern[place + 1 : place + 2] not in ("%", "_", letter):
                raise OracleError("ORA-01424", "nothing to escape follows the escape character")
            place += 1
        place += 1
