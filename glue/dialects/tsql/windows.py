"""SQL Server's functions over windows in DuckDB's SQL. By OVER clause, Analytic functions (Transact-SQL)."""

from __future__ import annotations

from decimal import Decimal

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.groups import Aggregation
from glue.dialects.tsql.aggregates import Aggregates
from glue.dialects.tsql.collations import same_key
from glue.dialects.tsql.conversions import implicit
from glue.dialects.tsql.functions import AGGREGATES, OFFSETS, PERCENTILES, RANKS, SHARES
from glue.dialects.tsql.types import BIGINT, MOMENTS, NUMBERS, type_of
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

_WINDOWLESS = frozenset({"STRING_AGG", "GROUPING", "GROUPING_ID"})


class Windows(Aggregates):
    """A translation as far as it knows windows. `named_windows` are those of the block's WINDOW clause."""

    named_windows: dict[str, nodes.Window]

    def windowed(self, node: nodes.Call) -> Sql:
        """A function over a window."""
        if node.over is None:
            raise AssertionError("no window")
        if node.name in _WINDOWLESS:
            raise TSQLError("4113", f"{node.name} takes no window")
        over = self._whole_window(node.over)
        made = self._window_function(node)
        text = self._window(over)
        return made.finished([f"{call} over ({text})" for call in made.calls])

    def _whole_window(self, over: nodes.Window) -> nodes.Window:
        """The window with what those that it names add to it."""
        if over.name is None:
            return over
        base = self._whole_window(self.named_windows[over.name.text.upper()])
        return nodes.Window(
            over.partition or base.partition, over.order or base.order, over.frame or base.frame
        )

    def _window(self, over: nodes.Window) -> str:
        parts = []
        if over.partition:
            keys = ", ".join(same_key(self.value(value)) for value in over.partition)
            parts.append(f"partition by {keys}")
        terms = self.order_terms(over.order)
        if terms:
            parts.append(f"order by {terms}")
        if over.frame is not None:
            parts.append(_frame(over.frame))
        return " ".join(parts)

    def _window_function(self, node: nodes.Call) -> Aggregation:
        name = node.name
        if name in AGGREGATES:
            return self.aggregation(node)
        if name in RANKS:
            return self._rank(node)
        if name in SHARES:
            return Aggregation("{0}", [f"{name.lower()}()"], "float")
        if name in OFFSETS:
            return self._offset(node)
        if name in PERCENTILES:
            return self._percentile(node)
        raise TSQLError("4113", f"{name} is no function of windows")

    def _rank(self, node: nodes.Call) -> Aggregation:
        if node.name != "NTILE":
            if node.arguments:
                raise TSQLError("4114", f"{node.name} takes no arguments")
            return Aggregation("{0}", [f"{node.name.lower()}()"], "bigint")
        if len(node.arguments) != 1:
            raise TSQLError("174", "NTILE takes 1 argument")
        count = implicit(self.value(node.arguments[0]), BIGINT)
        if isinstance(count.constant, Decimal) and count.constant < 1:
            raise TSQLError("4153", "NTILE takes a positive number")
        return Aggregation("{0}", [f"ntile({count.text})"], "bigint")

    def _offset(self, node: nodes.Call) -> Aggregation:
        """LAG, LEAD, FIRST_VALUE and LAST_VALUE."""
        values = [self.value(argument) for argument in node.arguments]
        most = 3 if node.name in ("LAG", "LEAD") else 1
        if not 1 <= len(values) <= most:
            raise TSQLError("174", f"{node.name} takes {most} arguments at the most")
        value = values[0]
        texts = [value.text]
        if len(values) > 1:
            distance = implicit(values[1], BIGINT)
            if isinstance(distance.constant, Decimal) and distance.constant < 0:
                raise TSQLError("8730", f"a negative offset in {node.name}")
            texts.append(distance.text)
        if len(values) > 2:
            texts.append(implicit(values[2], type_of(value)).text)
        nulls = " ignore nulls" if node.nulls == "IGNORE" else ""
        call = f"{node.name.lower()}({', '.join(texts)}{nulls})"
        return Aggregation("{0}", [call], value.kind, value.precision, value.scale, value.collation)

    def _percentile(self, node: nodes.Call) -> Aggregation:
        """PERCENTILE_CONT and PERCENTILE_DISC, whose order stands in WITHIN GROUP."""
        terms = node.within or []
        share = self.value(node.arguments[0]).constant if node.arguments else None
        if len(terms) != 1:
            raise TSQLError("10754" if not terms else "10751", f"{node.name} needs one term in WITHIN GROUP")
        if not isinstance(share, Decimal):
            raise UnsupportedError(f"{node.name} of what is no literal")
        if not 0 <= share <= 1:
            raise TSQLError("10755", f"{share} is not between 0 and 1")
        value, is_descending = self.value(terms[0].value), terms[0].is_descending
        if node.name == "PERCENTILE_CONT":
            if value.kind not in NUMBERS:
                raise UnsupportedError(f"{node.name} of {value.kind}")
            place = 1 - share if is_descending else share
            return Aggregation("{0}", [f"quantile_cont(({value.text})::double, {place})"], "float")
        return _discrete(value, share, is_descending)


def _discrete(value: Sql, share: Decimal, is_descending: bool) -> Aggregation:
    of = type_of(value)
    if value.kind not in NUMBERS | MOMENTS or (
        is_descending and value.kind not in NUMBERS - {"tinyint", "bit"}
    ):
        raise UnsupportedError(f"PERCENTILE_DISC of {value.kind}{' going down' * is_descending}")
    minus = "-" if is_descending else ""
    call = f"quantile_disc({minus}({value.text}), {share})"
    return Aggregation(f"{minus}{{0}}" if minus else "{0}", [call], of.kind, of.precision, of.scale)


def _frame(frame: nodes.Frame) -> str:
    start = _bound(frame.start)
    end = "current row" if frame.end is None else _bound(frame.end)
    return f"{frame.unit.lower()} between {start} and {end}"


def _bound(bound: nodes.Bound) -> str:
    if bound.side == "CURRENT":
        return "current row"
    if bound.distance is None:
        return f"unbounded {bound.side.lower()}"
    if not isinstance(bound.distance, nodes.Number):
        raise UnsupportedError("a window whose bound is no number")
    return f"{bound.distance.text} {bound.side.lower()}"
