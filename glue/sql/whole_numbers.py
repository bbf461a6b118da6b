"""Which expressions are whole numbers, so that adding them is exact in whatever order they come.

Whole is a matter of value: 3.0 is. Sums of whole numbers are exact below 2^53. What the text cannot tell are
the columns; for them the answer is a condition: the names `table.column` that must hold integers alone, or
NULLs.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from glue.sql.functions import COUNTING_CLASSES, INTEGER_NAMES
from glue.sql.scopes import Block, Source, Statement, column_name, is_star

INTEGER_DIVISION = frozenset({"sqlite", "postgres", "tsql", "redshift"})
"""Dialects where an integer divided by an integer is an integer."""

_INTEGER_TYPES = frozenset(
    "INT BIGINT SMALLINT TINYINT UBIGINT UINT USMALLINT UTINYINT BOOLEAN MEDIUMINT INT128 UINT128 BIT".split()  # noqa: SIM905
)
_REAL_TYPES = frozenset({"DOUBLE", "FLOAT"})
_DECIMAL_TYPES = frozenset({"DECIMAL", "BIGDECIMAL"})
_WHOLE_TIME_FORMATS = frozenset(
    {"%Y", "%m", "%d", "%H", "%M", "%S", "%j", "%w", "%W", "%s", "%Y%m%d", "%Y%m", "%m%d"}
)
_WHOLE_TIME_PARTS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "QUARTER", "WEEK", "DOW", "DOY"})
_ROW_IDS = frozenset({"rowid", "oid", "_rowid_"})

Whole = frozenset[str] | None
"""Columns that must hold integers alone for a value to be whole; None: it is not, whatever they hold."""


class WholeNumbers:
    """Answers for the expressions of one statement."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.dialect = statement.dialect
        self._outputs: dict[tuple[int, str, bool], Whole] = {}

    def whole(self, node: exp.Expr | None, block: Block, is_integer: bool = False) -> Whole:
        """The columns that must hold integers for the value to be whole (an integer, if `is_integer`)."""
        if node is None:
            return None
        if isinstance(node, COUNTING_CLASSES):
            return frozenset()
        if isinstance(node, exp.Literal):
            return frozenset() if _is_whole_literal(str(node.this), is_integer) else None
        if isinstance(node, (exp.Null, exp.Boolean)):
            return frozenset()
        if isinstance(node, exp.Column):
            return self._whole_column(node, block, is_integer)
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return self._whole_cast(node, block, is_integer)
        if isinstance(node, exp.Div):
            if self.dialect not in INTEGER_DIVISION:
                return None
            return self._all_whole([node.this, node.expression], block, True)
        if isinstance(node, exp.Mod) and self.dialect == "sqlite":
            return frozenset()  # it casts both sides to integer
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.Mod)):
            return self._all_whole([node.this, node.expression], block, is_integer)
        if isinstance(node, exp.Query):
            return self._whole_subquery(node, is_integer)
        parts = _parts_of_value(node)
        if parts is not None:
            return self._all_whole(parts, block, is_integer)
        return self._whole_function(node, block, is_integer)

    def _all_whole(self, nodes: Iterable[exp.Expr | None], block: Block, is_integer: bool) -> Whole:
        found: frozenset[str] = frozenset()
        for node in nodes:
            one = self.whole(node, block, is_integer)
            if one is None:
                return None
            found |= one
        return found

    def _whole_function(self, node: exp.Expr, block: Block, is_integer: bool) -> Whole:
        if isinstance(node, exp.Round):
            decimals = node.args.get("decimals")
            if is_integer and self.dialect == "sqlite":
                return None  # it returns a REAL
            if decimals is None or (isinstance(decimals, exp.Literal) and str(decimals.this) == "0"):
                return frozenset()
            return self.whole(node.this, block, is_integer)
        if isinstance(node, (exp.Ceil, exp.Floor, exp.Trunc)):
            return None if is_integer else frozenset()
        if isinstance(node, exp.TimeToStr):
            pattern = node.args.get("format")
            return (
                frozenset()
                if isinstance(pattern, exp.Literal) and pattern.this in _WHOLE_TIME_FORMATS
                else None
            )
        if isinstance(node, exp.Extract):
            return frozenset() if node.name.upper() in _WHOLE_TIME_PARTS else None
        if isinstance(node, exp.Anonymous):
            name = str(node.this).lower()
            if name == "total":
                return None if is_integer else self.whole(argument(node), block)
            if (
                name == "strftime"
                and node.expressions
                and str(node.expressions[0].this) in _WHOLE_TIME_FORMATS
            ):
                return frozenset()
            if name in INTEGER_NAMES:
                return frozenset()
        return None

    def _whole_cast(self, node: exp.Expr, block: Block, is_integer: bool) -> Whole:
        kind = node.args["to"].args.get("this")
        name = getattr(kind, "name", "")
        if name in _INTEGER_TYPES:
            return frozenset()
        if name in _DECIMAL_TYPES or (name in _REAL_TYPES and not is_integer):
            return self.whole(node.this, block, is_integer)
        return None

    def _whole_column(self, node: exp.Column, block: Block, is_integer: bool) -> Whole:
        name = column_name(node, self.dialect)
        if is_star(node) or not isinstance(node.this, exp.Identifier):
            return None
        return self._whole_name(name, block.resolve(node), block, is_integer)

    def _whole_name(
        self, name: str, found: tuple[Source, Block] | None, block: Block, is_integer: bool
    ) -> Whole:
        if name in _ROW_IDS and self.dialect == "sqlite":
            return frozenset()
        if found is None:
            if any(_is_open_query(source) for source in block.sources.values()):
                return None
            return frozenset({f"?.{name.lower()}"})
        source, _ = found
        if source.table is not None:
            return frozenset({f"{source.table}.{name.lower()}"})
        if source.query is None:
            return None
        return self._whole_output(source, name, is_integer)

    def _whole_output(self, source: Source, name: str, is_integer: bool) -> Whole:
        """A column of a derived table or CTE is whole where every expression that gives it is."""
        key = (id(source.query), name, is_integer)
        if key not in self._outputs:
            self._outputs[key] = frozenset()  # a recursive CTE: whole if what it starts from and adds is
            self._outputs[key] = self._find_whole_output(source, name, is_integer)
        return self._outputs[key]

    def _find_whole_output(self, source: Source, name: str, is_integer: bool) -> Whole:
        outputs = source.outputs()
        place = outputs.position(name)
        query = source.query
        if place is not None and query is not None:
            if outputs.is_open and query.branches:
                return None
            return self._are_givers_whole(outputs.columns[place].givers, is_integer)
        inner = query.block if query is not None else None
        if inner is None or not outputs.is_open or source.column_names:
            return None
        return self._whole_name(name, inner.resolve_name(name), inner, is_integer)

    def _are_givers_whole(self, givers: Iterable[tuple[exp.Expr, Block]], is_integer: bool) -> Whole:
        found: frozenset[str] = frozenset()
        for expression, block in givers:
            one = self.whole(expression, block, is_integer)
            if one is None:
                return None
            found |= one
        return found

    def _whole_subquery(self, node: exp.Expr, is_integer: bool) -> Whole:
        inner = node
        while isinstance(inner, exp.Subquery):
            inner = inner.this
        query = self.statement.query_of.get(id(inner))
        outputs = query.outputs() if query is not None else None
        if outputs is None or outputs.is_open or len(outputs.columns) != 1:
            return None
        return self._are_givers_whole(outputs.columns[0].givers, is_integer)


def _is_open_query(source: Source) -> bool:
    return source.query is not None and source.outputs().is_open


def argument(node: exp.Expr) -> exp.Expr | None:
    """What an aggregate is over, without DISTINCT and an ORDER BY in its brackets."""
    value = (
        node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.args.get("this")
    )
    while isinstance(value, (exp.Distinct, exp.Order)):
        value = value.expressions[0] if isinstance(value, exp.Distinct) else value.this
    return value if isinstance(value, exp.Expr) else None


def _is_whole_literal(text: str, is_integer: bool) -> bool:
    if is_integer:
        return text.isascii() and text.isdigit()
    try:
        return float(text).is_integer()
    except ValueError:
        return False


def _parts_of_value(node: exp.Expr) -> list[exp.Expr | None] | None:
    """The parts one of which the value is, or of whose wholes it is made; None for any other node."""
    args = node.args
    if isinstance(
        node, (exp.Paren, exp.Neg, exp.Alias, exp.Abs, exp.Sum, exp.Min, exp.Max, exp.Window, exp.Filter)
    ):
        return [argument(node) if isinstance(node, (exp.Sum, exp.Min, exp.Max)) else node.this]
    if isinstance(
        node, (exp.IgnoreNulls, exp.RespectNulls, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Nullif)
    ):
        return [node.this]
    if isinstance(node, exp.Case):
        results = [branch.args.get("true") for branch in args["ifs"]]
        return results + ([args["default"]] if args.get("default") is not None else [])
    if isinstance(node, exp.If):
        return [args.get("true")] + ([args["false"]] if args.get("false") is not None else [])
    if isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least)):
        return [node.this, *node.expressions]
    if isinstance(node, (exp.Lag, exp.Lead)):
        return [node.this] + ([args["default"]] if args.get("default") is not None else [])
    return None
