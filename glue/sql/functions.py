"""Which functions of SQL are aggregates, take rows in order, count, draw at random or read the clock.

sqlglot knows the more common ones as classes; the rest are told by name, lower-cased.
"""

from __future__ import annotations

from sqlglot import exp


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _classes(text: str) -> tuple[type[exp.Expr], ...]:
    """sqlglot's classes by name; what a version of sqlglot lacks is left out."""
    return tuple(getattr(exp, name) for name in text.split() if hasattr(exp, name))


WINDOW_CLASSES = _classes(
    "RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead FirstValue LastValue NthValue"
)
"""Functions that need OVER, though sqlglot counts most of them as aggregates."""
RANK_CLASSES = _classes("Rank DenseRank PercentRank CumeDist")
"""Window functions that give tied rows one value."""
FLOAT_CLASSES = _classes(
    """Sum Avg Stddev StddevPop StddevSamp Variance VariancePop Corr CovarPop CovarSamp RegrAvgx RegrAvgy
    RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy Skewness Kurtosis"""
)
"""Aggregates that add, so that another order of rows rounds differently."""
FLOAT_NAMES = _names(
    "total product kahan_sum fsum sumkahan favg geomean geometric_mean entropy mad sem std stddev variance"
)
FIXED_CLASSES = _classes(
    """Count CountIf Min Max Median PercentileCont PercentileDisc Quantile LogicalAnd LogicalOr BitwiseAndAgg
    BitwiseOrAgg BitwiseXorAgg BoolxorAgg RegrCount Grouping GroupingId"""
)
"""Aggregates that are the same in whatever order the rows come."""
FIXED_NAMES = _names("bool_and bool_or every bit_and bit_or bit_xor bitstring_agg percentile")
ORDERED_NAMES = _names(
    """json_group_array json_group_object jsonb_group_array jsonb_group_object string_agg listagg arbitrary
    min_by max_by arg_min_null arg_max_null reservoir_quantile approx_count_distinct approx_quantile wm_concat
    histogram checksum_agg group_concat list array_agg"""
)
"""Aggregates that take the order of rows; so does every aggregate of sqlglot's that is not listed above."""
COUNTING_CLASSES = _classes(
    """Count CountIf RowNumber Rank DenseRank Ntile Length StrPosition Sign Year Month Day Unicode Predicate
    Connector Not BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift"""
)
"""Nodes whose value is always an integer (or NULL), whatever is below them."""
INTEGER_NAMES = _names("unicode instr unixepoch changes last_insert_rowid length octet_length")
"""Functions that return an integer (or NULL)."""
ROW_MAKERS = _classes("Unnest Explode GenerateSeries")
"""Functions that return several rows where they stand in SELECT."""

_CLOCK_CLASSES = _classes(
    "CurrentDate CurrentTime CurrentTimestamp CurrentDatetime CurrentTimestampLTZ Localtime Localtimestamp"
)
_CLOCK_NAMES = _names(
    """now today get_current_timestamp get_current_time getdate getutcdate sysdate systimestamp
    current_timestamp current_date current_time localtime localtimestamp transaction_timestamp
    statement_timestamp clock_timestamp"""
)
_TIME_NAMES = _names("date time datetime julianday unixepoch strftime timestamp timediff")
_RANDOM_CLASSES = _classes("Rand Randn Uuid")
_RANDOM_NAMES = _names("random rand randomblob uuid gen_random_uuid newid sys_guid uuidv4 uuidv7 setseed")

CALL_CLASSES: tuple[type[exp.Expr], ...] = (
    exp.Anonymous,
    *_CLOCK_CLASSES,
    *_RANDOM_CLASSES,
    exp.Date,
    exp.TsOrDsToTimestamp,
)
"""Nodes that `is_clock` or `is_random` may be true of."""


def is_aggregate(node: exp.Expr) -> bool:
    """A call of an aggregate function, where no OVER makes it a window."""
    if isinstance(node, exp.AggFunc):
        return not isinstance(node, WINDOW_CLASSES)
    if not isinstance(node, exp.Anonymous):
        return False
    name = str(node.this).lower()
    return name in FLOAT_NAMES or name in ORDERED_NAMES or name in FIXED_NAMES


def is_random(node: exp.Expr) -> bool:
    """A call that gives another value at every run or row."""
    if isinstance(node, _RANDOM_CLASSES):
        return True
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in _RANDOM_NAMES


def is_clock(node: exp.Expr) -> bool:
    """A call that reads the clock: CURRENT_DATE, date('now'), SQLite's date functions without an argument."""
    if isinstance(node, _CLOCK_CLASSES):
        return True
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        if name in _CLOCK_NAMES:
            return True
        if name not in _TIME_NAMES:
            return False
        values = [item for item in node.expressions if not _is_time_format(item, name)]
        return not values or any(_is_now(item) for item in values)
    if isinstance(node, exp.Date):
        return node.this is None or _is_now(node.this)
    return isinstance(node, exp.TsOrDsToTimestamp) and _is_now(node.this)


def _is_now(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Literal)
        and bool(node.args.get("is_string"))
        and str(node.this).strip().lower() == "now"
    )


def _is_time_format(node: exp.Expr, name: str) -> bool:
    return name == "strftime" and isinstance(node, exp.Literal) and "%" in str(node.this)
