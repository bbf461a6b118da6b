"""Oracle's functions of many rows in DuckDB's SQL, of groups and over windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import ClassVar

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.groups import Aggregation, GroupLayer, Selected
from glue.dialects.oracle.calls import Calls, check_count
from glue.dialects.oracle.functions import NEED_ORDER, OF_GROUPS, OF_ORDERED_ROWS
from glue.dialects.oracle.kinds import (
    DOUBLES,
    MOMENTS,
    NUMBERS,
    SPANS,
    TEXTS,
    as_key,
    as_number,
    as_text,
    converted,
    for_comparison,
    inconsistent,
    number_kind,
    widest_digits,
)
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Grouped
from glue.dialects.values import Sql

_COUNT_DIGITS = 19
_ARGUMENTS = {
    "FIRST_VALUE": (1, 1),
    "LAG": (1, 3),
    "LAST_VALUE": (1, 1),
    "LEAD": (1, 3),
    "LISTAGG": (1, 2),
    "NTH_VALUE": (2, 2),
    "NTILE": (1, 1),
    "PERCENTILE_CONT": (1, 1),
    "PERCENTILE_DISC": (1, 1),
    "RATIO_TO_REPORT": (1, 1),
}
"""How many arguments they take, where not all aggregates take as many."""
_SPREADS = {
    "VAR_POP": ("var_pop", False),
    "VAR_SAMP": ("var_samp", False),
    "VARIANCE": ("var_samp", True),
    "STDDEV_POP": ("stddev_pop", False),
    "STDDEV_SAMP": ("stddev_samp", False),
    "STDDEV": ("stddev_samp", True),
}
"""DuckDB's function of each, and whether the spread of one value is 0 instead of NULL."""
_OF_PAIRS = {
    "CORR": "corr",
    "COVAR_POP": "covar_pop",
    "COVAR_SAMP": "covar_samp",
    "REGR_SLOPE": "regr_slope",
    "REGR_INTERCEPT": "regr_intercept",
    "REGR_COUNT": "regr_count",
    "REGR_R2": "regr_r2",
    "REGR_AVGX": "regr_avgx",
    "REGR_AVGY": "regr_avgy",
    "REGR_SXX": "regr_sxx",
    "REGR_SYY": "regr_syy",
    "REGR_SXY": "regr_sxy",
}
_RESERVED_FOR_COUNT = 24
"""Bytes that LISTAGG may keep free for the number of the values it leaves out."""


@dataclass(slots=True)
class Level(Grouped):
    """What the expressions of a grouped block may be made of; `inner` are groups grouped once more."""

    layer: GroupLayer = field(default_factory=lambda: GroupLayer(""))
    inner: Level | None = None
    is_of_sets: bool = False
    key_names: dict[str, str] = field(default_factory=dict)
    """By the text of a key: its column below the groups."""
    key_texts: dict[str, str] = field(default_factory=dict)
    """By the text of a key: what that column is made of."""


class Aggregates(Calls):
    """A translation as far as it knows functions of many rows."""

    windows_are_allowed: bool = False
    selected: list[Selected] | None = None
    """The select list, where names may mean what stands in it: in ORDER BY."""
    rows_columns: dict[str, str] | None = None
    """What the rows need beside their columns, by its text: the name of the column it becomes."""

    @contextmanager
    def at_level(self, level: Level | None) -> Iterator[None]:
        """Expressions are made of these groups, or of rows."""
        before = self.scope.grouped, self.selected
        self.scope.grouped, self.selected = level, None
        try:
            yield
        finally:
            self.scope.grouped, self.selected = before

    @contextmanager
    def with_windows(self, are_allowed: bool) -> Iterator[None]:
        """Windows may stand in what is translated, or may not."""
        before, self.windows_are_allowed = self.windows_are_allowed, are_allowed
        try:
            yield
        finally:
            self.windows_are_allowed = before

    def aggregate(self, node: nodes.Call) -> Sql:
        """A function of a group. Raises ORA-00934 where there are no groups."""
        level = self.scope.grouped
        if level is None or not isinstance(level, Level):
            self._refuse_of_other_blocks(node)
            raise OracleError("ORA-00934", f"{node.name}: group function is not allowed here")
        if node.name in OF_GROUPS:
            return self._of_groups(node, level)
        self._refuse_of_other_blocks(node)
        with self.at_level(level.inner), self.with_windows(False):
            made = self._aggregation(node, list(level.key_texts.values()))
        columns = [level.layer.column(call) for call in made.calls]
        return made.finished(columns)

    def _refuse_of_other_blocks(self, node: nodes.Call) -> None:
        """Refuse an aggregate whose columns are all of a query around its own: no manual tells of it."""
        names = [
            part
            for part in nodes.parts_within(node)
            if isinstance(part, nodes.Name) and not self.is_word(part)
        ]
        owners = [self.field(self.parts(name), name)[1] for name in names]
        if owners and all(owner is not self.scope for owner in owners):
            raise UnsupportedError(f"{node.name} of columns of a query around this one")

    def _of_groups(self, node: nodes.Call, level: Level) -> Sql:
        if level.inner is not None:
            raise UnsupportedError(f"{node.name} beside an aggregate of aggregates")
        if node.name == "GROUP_ID":
            return self._group_id(level)
        with self.at_level(None):
            texts = [self.value(argument).text for argument in node.arguments]
        keys = [level.key_names.get(text) for text in texts]
        if None in keys:
            raise OracleError("ORA-00979", f"{node.name} of what is not grouped by")
        if not level.is_of_sets:
            return Sql("0", "number", 1)
        column = level.layer.column(f"grouping({', '.join(str(key) for key in keys)})")
        return Sql(column, "number", 10)

    def _group_id(self, level: Level) -> Sql:
        """Of groups with the same keys in the same set the first is 0, the next 1."""
        if not level.is_of_sets:
            return Sql("0", "number", 1)
        keys = ", ".join(level.key_names.values())
        text = f"row_number() over (partition by {keys}, grouping({keys})) - 1"
        return Sql(level.layer.column(text), "number", 10)

    def windowed(self, node: nodes.Call) -> Sql:
        """A function over a window. Raises ORA-30483 where none may stand."""
        if not self.windows_are_allowed:
            raise OracleError("ORA-30483", f"{node.name}: window functions are not allowed here")
        with self.with_windows(False):
            return self._windowed(node)

    def _windowed(self, node: nodes.Call) -> Sql:
        over = node.over
        if over is None:
            raise AssertionError("no window")
        if node.name in NEED_ORDER and not over.order:
            raise OracleError("ORA-30485", f"{node.name}: missing ORDER BY expression in the window")
        if (node.is_distinct or node.name in ("RATIO_TO_REPORT", "LISTAGG", "MEDIAN") or node.keep) and (
            over.order
        ):
            raise OracleError("ORA-30487", f"{node.name}: ORDER BY is not allowed in this window")
        partition = [self.value(value) for value in over.partition]
        made = self._window_function(node)
        if made is None:
            made = self._aggregation(node, list(map(as_key, partition)))
        if node.is_from_last:
            over = _turned_round(over)
        window = self._window(over, partition)
        if node.name == "RATIO_TO_REPORT":
            share = as_number(self.value(node.arguments[0]))
            text = f"ora_divide({share.text}, sum({share.text}) over ({window}))"
            return Sql(text, "double" if share.kind == "number" else "rounded", may_fail=True)
        return made.finished([f"{call} over ({window})" for call in made.calls])

    def _window(self, over: nodes.Window, partition: list[Sql]) -> str:
        parts = []
        if partition:
            parts.append(f"partition by {', '.join(map(as_key, partition))}")
        if over.order:
            parts.append(f"order by {self.order_terms(over.order)}")
        if over.frame is not None:
            parts.append(self._frame(over))
        return " ".join(parts)

    def order_terms(self, terms: list[nodes.OrderTerm]) -> str:
        """Terms of an ORDER BY within a function or window: there a number is no column's place."""
        return ", ".join(ordered(as_key(self.value(term.value)), term) for term in terms)

    def _frame(self, over: nodes.Window) -> str:
        frame = over.frame
        if frame is None:
            return ""
        key = self.value(over.order[0].value).kind if over.order else ""
        start = self._bound(frame.start, frame.unit, key)
        if frame.end is None:
            return f"{frame.unit.lower()} between {start} and current row"
        return f"{frame.unit.lower()} between {start} and {self._bound(frame.end, frame.unit, key)}"

    def _bound(self, bound: nodes.Bound, unit: str, key: str) -> str:
        if bound.side == "CURRENT":
            return "current row"
        if bound.distance is None:
            return f"unbounded {bound.side.lower()}"
        distance = self.value(bound.distance)
        if unit == "RANGE" and key in MOMENTS and distance.kind in NUMBERS:
            return f"to_seconds((({distance.text}) * 86400)::bigint) {bound.side.lower()}"
        if unit == "ROWS":
            return f"({distance.text})::bigint {bound.side.lower()}"
        return f"{distance.text} {bound.side.lower()}"

    # Functions of windows alone

    def _window_function(self, node: nodes.Call) -> Aggregation | None:
        name = node.name
        if name in _ARGUMENTS:
            check_count(name, len(node.arguments), *_ARGUMENTS[name])
        if name in ("ROW_NUMBER", *OF_ORDERED_ROWS) and not node.arguments:
            is_share = name in ("PERCENT_RANK", "CUME_DIST")
            kind = "double" if is_share else "number"
            return Aggregation("{0}", [f"{name.lower()}()"], kind, _COUNT_DIGITS)
        if name == "NTILE":
            buckets = as_number(self.value(node.arguments[0]))
            return Aggregation("{0}", [f"ntile(({buckets.text})::bigint)"], "number", _COUNT_DIGITS)
        if name == "RATIO_TO_REPORT":
            return Aggregation("{0}", [], "double")
        if name not in ("FIRST_VALUE", "LAST_VALUE", "NTH_VALUE", "LAG", "LEAD"):
            return None
        value = self.value(node.arguments[0])
        rest = node.arguments[1:]
        nulls = " ignore nulls" if node.nulls == "IGNORE" else ""
        texts = [value.text]
        if name == "NTH_VALUE":
            texts.append(f"({as_number(self.value(rest[0])).text})::bigint")
        elif name in ("LAG", "LEAD") and rest:
            texts.append(f"({as_number(self.value(rest[0])).text})::bigint")
            if len(rest) > 1:
                other = converted(self.value(rest[1]), "text" if value.kind in TEXTS else value.kind)
                value, other = _of_one_type(value, other)
                texts = [value.text, *texts[1:], other.text]
        call = f"{name.lower()}({', '.join(texts)}{nulls})"
        return Aggregation("{0}", [call], value.kind, value.precision, value.scale)

    # Aggregates

    def _aggregation(self, node: nodes.Call, partition: list[str]) -> Aggregation:
        if node.name in _ARGUMENTS:
            check_count(node.name, len(node.arguments), *_ARGUMENTS[node.name])
        if node.name in ("PERCENTILE_CONT", "PERCENTILE_DISC"):
            return self._percentile(node)
        if node.name == "LISTAGG":
            return self._listed(node)
        if node.name in OF_ORDERED_ROWS:
            return self._rank_of(node)
        if node.name == "COUNT" and len(node.arguments) == 1 and isinstance(node.arguments[0], nodes.Star):
            arguments: list[Sql] = []
        else:
            arguments = [self.value(argument) for argument in node.arguments]
            if node.is_distinct:
                arguments = [replace(argument, text=as_key(argument)) for argument in arguments]
            if len(arguments) != (2 if node.name in _OF_PAIRS else 1):
                raise OracleError("ORA-00909", f"invalid number of arguments for {node.name}")
        if node.keep:
            arguments = self._kept(node, arguments, partition)
        distinct = "distinct " * node.is_distinct
        if node.name in _OF_PAIRS:
            first, second = (as_number(argument).text for argument in arguments)
            call = f"{_OF_PAIRS[node.name]}(({first})::double, ({second})::double)"
            return Aggregation("{0}", [call], "rounded")
        if node.name in _SPREADS:
            return _spread(node.name, as_number(arguments[0]), distinct)
        make = self._AGGREGATES.get(node.name)
        if make is None:
            raise UnsupportedError(node.name)
        return make(arguments, distinct)

    def _kept(self, node: nodes.Call, arguments: list[Sql], partition: list[str]) -> list[Sql]:
        """KEEP (DENSE_RANK FIRST|LAST ORDER BY …): the values of the first rows alone, NULL in the others."""
        if self.rows_columns is None or self.scope.grouped is not None:
            raise UnsupportedError("KEEP of groups")
        order = ", ".join(
            ordered(as_key(self.value(term.value)), term, is_reversed=node.keep == "LAST")
            for term in node.keep_order or []
        )
        by = f"partition by {', '.join(partition)} " if partition else ""
        rank = f"dense_rank() over ({by}order by {order})"
        column = self.rows_columns.setdefault(rank, f"x{len(self.rows_columns) + 1}")
        argument = arguments[0] if arguments else Sql("1", "number", 1)
        text = f"case when {self.rows_alias}.{column} = 1 then {argument.text} end"
        return [Sql(text, argument.kind, argument.precision, argument.scale)]

    rows_alias: str = ""
    """DuckDB's alias of the rows that `rows_columns` are added to."""

    def _percentile(self, node: nodes.Call) -> Aggregation:
        share = as_number(self.value(node.arguments[0]))
        terms = node.within or []
        if len(terms) != 1:
            raise OracleError("ORA-30491", f"{node.name} needs one ORDER BY expression")
        value = self.value(terms[0].value)
        if value.kind in TEXTS:
            value = as_number(value)
        if share.may_fail or share.kind not in NUMBERS:
            raise UnsupportedError(f"{node.name} of what is no literal")
        order = "desc" if terms[0].is_descending else "asc"
        name = node.name.lower()
        ordering = value.text
        if name == "percentile_cont" and value.kind in NUMBERS:
            ordering = f"({value.text})::double"
        call = f"{name}({share.text}) within group (order by {ordering} {order})"
        if node.over is not None:
            if terms[0].is_descending and name == "percentile_disc":
                raise UnsupportedError("PERCENTILE_DISC of a descending order over a window")
            quantile = {"percentile_cont": "quantile_cont", "percentile_disc": "quantile_disc"}[name]
            place = f"(1 - {share.text})" if terms[0].is_descending else share.text
            call = f"{quantile}({ordering}, {place})"
        kind = "rounded" if name == "percentile_cont" and value.kind in NUMBERS else value.kind
        return Aggregation("{0}", [call], kind, value.precision, value.scale)

    def _rank_of(self, node: nodes.Call) -> Aggregation:
        """RANK(value) WITHIN GROUP (ORDER BY …): the place that the value would have."""
        terms = node.within or []
        if len(terms) != 1 or len(node.arguments) != 1:
            raise UnsupportedError(f"{node.name} of several values that are not in the group")
        asked, key = for_comparison(self.value(node.arguments[0]), self.value(terms[0].value))
        if terms[0].nulls is not None:
            raise UnsupportedError(f"{node.name} WITHIN GROUP with NULLS FIRST or LAST")
        sign = ">" if terms[0].is_descending else "<"
        before = f"{key.text} {sign} {asked.text}"
        if terms[0].is_descending:
            before = f"({before} or {key.text} is null)"
        counted = "count(*)"
        if node.name == "DENSE_RANK":
            counted = f"count(distinct {key.text})"
            if terms[0].is_descending:
                nulls = f"coalesce(max(({key.text} is null)::integer), 0)"
                calls = [f"{counted} filter (where {before})", nulls]
                return Aggregation("({0} + {1} + 1)", calls, "number", _COUNT_DIGITS)
        if node.name == "CUME_DIST":
            same = f"({before} or {key.text} = {asked.text})"
            calls = [f"count(*) filter (where {same})", "count(*)"]
            return Aggregation("(({0} + 1)::double / ({1} + 1))", calls, "double")
        calls = [f"{counted} filter (where {before})"]
        if node.name == "PERCENT_RANK":
            return Aggregation("({0}::double / {1})", [*calls, "nullif(count(*), 0)"], "double")
        return Aggregation("({0} + 1)", calls, "number", _COUNT_DIGITS)

    def _listed(self, node: nodes.Call) -> Aggregation:
        """LISTAGG: no value for NULL, and an error above 4,000 bytes."""
        value = as_text(self.value(node.arguments[0]))
        separator = as_text(self.value(node.arguments[1])) if len(node.arguments) > 1 else Sql("''", "text")
        if separator.text == "null::varchar":
            separator = Sql("''", "text")
        order = ""
        if node.within:
            order = f" order by {self.order_terms(node.within)}"
            if node.is_distinct and [self.value(term.value).text for term in node.within] != [value.text]:
                raise UnsupportedError("LISTAGG DISTINCT in the order of something else")
        elif node.is_distinct:
            order = f" order by {value.text}"
        distinct = "distinct " * node.is_distinct
        overflow = node.overflow
        if overflow is None or overflow.is_error:
            call = f"string_agg({distinct}{value.text}, {separator.text}{order})"
            return Aggregation("ora_bounded_text(ora_text({0}))", [call], "text")
        ending = as_text(self.value(nodes.Text("..." if overflow.ending is None else overflow.ending)))
        counted = _RESERVED_FOR_COUNT if overflow.has_count else 0
        call = f"list({distinct}{value.text}{order}) filter (where {value.text} is not null)"
        ends = f"{separator.text}, {ending.text}".replace("{", "{{").replace("}", "}}")
        template = f"ora_truncated_list({{0}}, {ends}, {counted})"
        return Aggregation(template, [call], "text")

    _AGGREGATES: ClassVar[dict[str, Callable[[list[Sql], str], Aggregation]]] = {}


def _count(arguments: list[Sql], distinct: str) -> Aggregation:
    what = arguments[0].text if arguments else "*"
    return Aggregation("{0}", [f"count({distinct}{what})"], "number", _COUNT_DIGITS)


def _sum(arguments: list[Sql], distinct: str) -> Aggregation:
    value = arguments[0]
    if value.kind in SPANS or value.kind in MOMENTS:
        raise inconsistent("number", f"interval {value.kind}" if value.kind in SPANS else value.kind)
    value = as_number(value)
    if value.kind in DOUBLES:
        return _of_doubles(f"fsum({distinct}{value.text})", value)
    precision = min(38, max(value.precision + 9, value.scale + 18))
    template = f"({{0}})::decimal({precision}, {value.scale})"
    return Aggregation(template, [f"sum({distinct}{value.text})"], "number", precision, value.scale)


def _average(arguments: list[Sql], distinct: str) -> Aggregation:
    value = arguments[0]
    if value.kind in SPANS or value.kind in MOMENTS:
        raise inconsistent("number", value.kind)
    value = as_number(value)
    call = f"avg({distinct}{value.text})"
    return _of_doubles(call, value) if value.kind in DOUBLES else Aggregation("{0}", [call], "double")


def _of_doubles(call: str, value: Sql) -> Aggregation:
    """An aggregate of binary numbers, moved off where one of them has no end."""
    if value.kind == "rounded":
        return Aggregation("{0}", [call], "rounded")
    return Aggregation("({0} * {1})", [call, f"max(ora_doubt({value.text}))"], "rounded")


def _extreme(function: str) -> Callable[[list[Sql], str], Aggregation]:
    def made(arguments: list[Sql], _distinct: str) -> Aggregation:
        value = arguments[0]
        return Aggregation("{0}", [f"{function}({value.text})"], value.kind, value.precision, value.scale)

    return made


def _median(arguments: list[Sql], _distinct: str) -> Aggregation:
    value = arguments[0]
    if value.kind in MOMENTS:
        return Aggregation("{0}", [f"quantile_cont({value.text}, 0.5)"], value.kind)
    return Aggregation("{0}", [f"quantile_cont(({as_number(value).text})::double, 0.5)"], "rounded")


def _spread(name: str, value: Sql, distinct: str) -> Aggregation:
    function, is_zero_for_one = _SPREADS[name]
    call = f"{function}({distinct}({value.text})::double)"
    if not is_zero_for_one:
        return Aggregation("{0}", [call], "rounded")
    counted = f"count({distinct}{value.text})"
    return Aggregation("case when {0} = 1 then 0 else {1} end", [counted, call], "rounded")


Aggregates._AGGREGATES.update(
    COUNT=_count,
    SUM=_sum,
    AVG=_average,
    MIN=_extreme("min"),
    MAX=_extreme("max"),
    ANY_VALUE=_extreme("any_value"),
    STATS_MODE=_extreme("mode"),
    MEDIAN=_median,
)


def _of_one_type(value: Sql, other: Sql) -> tuple[Sql, Sql]:
    """Two values of one family, numbers in a type that holds both: LAG rounds to that of the first."""
    if value.kind in DOUBLES or other.kind in DOUBLES:
        return Sql(f"({value.text})::double", number_kind([value.kind, other.kind])), other
    digits = widest_digits([value, other])
    if value.kind != "number" or digits == (value.precision, value.scale):
        return value, other
    text = f"({value.text})::decimal({digits[0]}, {digits[1]})"
    return Sql(text, "number", *digits), other


def _turned_round(over: nodes.Window) -> nodes.Window:
    """The same rows, the last first: what FROM LAST counts in."""
    turned = [
        nodes.OrderTerm(
            term.value,
            not term.is_descending,
            {"FIRST": "LAST", "LAST": "FIRST"}.get(term.nulls or "") if term.nulls else None,
        )
        for term in over.order
    ]
    frame = over.frame or nodes.Frame("RANGE", nodes.Bound("PRECEDING"), nodes.Bound("CURRENT"))
    end = frame.end or nodes.Bound("CURRENT")
    return nodes.Window(
        over.partition, turned, nodes.Frame(frame.unit, _other_side(end), _other_side(frame.start))
    )


def _other_side(bound: nodes.Bound) -> nodes.Bound:
    if bound.side == "CURRENT":
        return bound
    return nodes.Bound("FOLLOWING" if bound.side == "PRECEDING" else "PRECEDING", bound.distance)


def ordered(text: str, term: nodes.OrderTerm, is_reversed: bool = False) -> str:
    """A term of ORDER BY: NULL comes last, and in a descending order first, unless something else is said."""
    is_descending = term.is_descending
    nulls_first = term.nulls == "FIRST" if term.nulls else is_descending
    if is_reversed:
        is_descending, nulls_first = not is_descending, not nulls_first
    direction = "desc" if is_descending else "asc"
    return f"{text} {direction} nulls {'first' if nulls_first else 'last'}"
