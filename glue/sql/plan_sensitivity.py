"""Why a statement's result, or the order of its rows, may depend on the query plan.

An index or ANALYZE changes in which order rows are met. That shows where something picks a row (LIMIT, a bare column
under GROUP BY, the first row of a scalar subquery), where the order itself is the value (GROUP_CONCAT, ROW_NUMBER
over ties), or where adding in another order rounds differently. Each rule names what it cannot prove harmless:

* `outer_limit`, `inner_limit`: a LIMIT whose ORDER BY does not determine every column that is returned, on more than
  one row. Harmless in EXISTS, after an aggregate without GROUP BY, WITH TIES, and where all columns are keys.
* `order_ties`: an outermost ORDER BY that does not determine every column, so that tied rows may swap. The rows
  themselves stay the same.
* `scalar_subquery`: SQLite takes the first row of a subquery used as a value; harmless where it has one at most.
* `bare_column`: a column of SELECT, HAVING or ORDER BY under GROUP BY, or beside an aggregate, that the group does
  not determine (SQLite, MySQL). So too beside one MIN() or MAX(): rows tied on it remain.
* `distinct_on`: the first row of each key.
* `float_aggregate`: SUM, AVG, TOTAL and their kin over what is not provably whole. `whole_if_integer` names columns
  that make it exact if they hold integers alone (and NULLs): sums below 2^53 are.
* `ordered_aggregate`: GROUP_CONCAT, ARRAY_AGG, FIRST, ARG_MAX, MODE, approximate ones, and arrays of a subquery.
* `window`: a window function whose value tied rows of its ORDER BY may swap; ranks and sums over whole peer groups
  are not.
* `collation`: equal under a collation is not the same text: MIN, GROUP BY, DISTINCT or UNION under COLLATE.
* `catalog_reader`: reads the catalog (`sqlite_schema`, `pragma_…`, `information_schema`), which has the indexes.
* `clock_or_random`: differs from run to run.
* `rownum`: Oracle's ROWNUM numbers rows as they come.

Not seen, as it needs the catalog: columns declared with a collation other than BINARY.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from glue.sql.normal_form import Printer, meant_by_term, ordinal
from glue.sql.scopes import (
    Block,
    Query,
    Source,
    Statement,
    children,
    column_name,
    conjuncts,
    is_aggregate,
    is_star,
    window_function,
)

FIRST_ROW_SUBQUERIES = frozenset({"sqlite"})
"""Dialects that take the first row of a scalar subquery; the others refuse a second one."""
BARE_COLUMNS = frozenset({"sqlite", "mysql"})
"""Dialects that answer a bare column under GROUP BY; the others refuse it or prove it by a key."""
INTEGER_DIVISION = frozenset({"sqlite", "postgres", "tsql", "redshift"})
"""Dialects where an integer divided by an integer is an integer."""
CATALOG_SCHEMAS = ("information_schema.", "pg_catalog.", "sys.", "mysql.")
CATALOG_PREFIXES = ("sqlite_", "pragma_", "duckdb_", "pg_", "dbstat", "all_tables", "user_tables", "all_indexes")

_FLOAT_NAMES = frozenset(
    """total product kahan_sum fsum sumkahan favg geomean geometric_mean entropy mad sem std stddev variance""".split()
)
_ORDERED_NAMES = frozenset(
    """json_group_array json_group_object jsonb_group_array jsonb_group_object string_agg listagg arbitrary min_by
    max_by arg_min_null arg_max_null reservoir_quantile approx_count_distinct approx_quantile wm_concat histogram
    checksum_agg group_concat list array_agg""".split()
)
_FLOAT_CLASSES = tuple(
    getattr(exp, name)
    for name in """Sum Avg Stddev StddevPop StddevSamp Variance VariancePop Corr CovarPop CovarSamp RegrAvgx RegrAvgy
    RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy Skewness Kurtosis""".split()
    if hasattr(exp, name)
)
_FIXED_CLASSES = tuple(
    getattr(exp, name)
    for name in """Count CountIf Min Max Median PercentileCont PercentileDisc Quantile LogicalAnd LogicalOr BitwiseAndAgg
    BitwiseOrAgg BitwiseXorAgg BoolxorAgg RegrCount Grouping GroupingId""".split()
    if hasattr(exp, name)
)
"""Aggregates that are the same in whatever order the rows come."""
_RANKS = (exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)
_INTEGER_TYPES = frozenset(
    kind
    for kind in exp.DType
    if kind.name in {"INT", "BIGINT", "SMALLINT", "TINYINT", "UBIGINT", "UINT", "USMALLINT", "UTINYINT", "BOOLEAN"}
    or kind.name in {"MEDIUMINT", "INT128", "INT256", "UINT128", "UMEDIUMINT", "BIT"}
)
_REAL_TYPES = frozenset(kind for kind in exp.DType if kind.name in {"DOUBLE", "FLOAT", "DECIMAL", "BIGDECIMAL"})
_COUNTING = (
    exp.Count,
    exp.CountIf,
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.Ntile,
    exp.Length,
    exp.StrPosition,
    exp.Sign,
    exp.Year,
    exp.Month,
    exp.Day,
    exp.Unicode,
    exp.Predicate,
    exp.Connector,
    exp.Not,
    exp.BitwiseAnd,
    exp.BitwiseOr,
    exp.BitwiseXor,
    exp.BitwiseNot,
    exp.BitwiseLeftShift,
    exp.BitwiseRightShift,
)
"""Nodes whose value is always an integer (or NULL), whatever is below them."""
_WHOLE_TIME_FORMATS = frozenset({"%Y", "%m", "%d", "%H", "%M", "%S", "%j", "%w", "%W", "%s", "%Y%m%d", "%Y%m", "%m%d"})
_WHOLE_TIME_PARTS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "QUARTER", "WEEK", "DOW", "DOY"})
_INTEGER_NAMES = frozenset({"unicode", "instr", "unixepoch", "changes", "last_insert_rowid", "length", "octet_length"})
_ROW_IDS = frozenset({"rowid", "oid", "_rowid_"})
_CLOCK_NAMES = frozenset(
    """now today get_current_timestamp getdate sysdate systimestamp current_timestamp current_date current_time
    localtime localtimestamp transaction_timestamp statement_timestamp clock_timestamp getutcdate
    get_current_time""".split()
)
_RANDOM_NAMES = frozenset("random rand randomblob uuid gen_random_uuid newid sys_guid uuidv4 uuidv7 setseed".split())
_TIME_NAMES = frozenset("date time datetime julianday unixepoch strftime timestamp timediff".split())
_CLOCK_CLASSES = (
    exp.CurrentDate,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.CurrentDatetime,
    exp.CurrentTimestampLTZ,
    exp.Localtime,
    exp.Localtimestamp,
)
_RANDOM_CLASSES = (exp.Rand, exp.Randn, exp.Uuid)
_NO_MORE_ROWS = 10**15

Whole = frozenset[str] | None
"""Columns that must hold integers alone for a value to be whole; None: it is not, whatever they hold."""


@dataclass
class Sensitivity:
    """`reasons` in the order of the module's list; `whole_if_integer` sorted, empty where nothing helps."""

    reasons: list[str] = field(default_factory=list)
    whole_if_integer: list[str] = field(default_factory=list)


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
    return isinstance(node, exp.Literal) and bool(node.args.get("is_string")) and str(node.this).strip().lower() == "now"


def _is_time_format(node: exp.Expr, name: str) -> bool:
    return name == "strftime" and isinstance(node, exp.Literal) and "%" in str(node.this)


class Analysis:
    """The rules, asked of one statement; `findings` asks some of them again."""

    def __init__(self, statement: Statement, printer: Printer) -> None:
        self.statement = statement
        self.printer = printer
        self.dialect = statement.dialect
        self.reasons: dict[str, None] = {}
        self._constants: dict[int, dict[str, type]] = {}
        self._asked: set[tuple[int, str]] = set()

    def run(self) -> Sensitivity:
        statement = self.statement
        for query in statement.queries:
            self._limits(query)
            self._subquery(query)
        if statement.root is not None:
            order = statement.root.modifier("order")
            if order is not None and not self._is_total(statement.root, order) and not self.has_one_row(statement.root):
                self._add("order_ties")
        whole: Whole = frozenset()
        for block in statement.blocks:
            self._bare_columns(block)
            for window, function in block.windows:
                self._window(block, window, function)
            for node in self._aggregates(block):
                found = self._aggregate(node, block)
                whole = None if whole is None or found is None else whole | found
        if whole is None or whole:
            self._add("float_aggregate")
        self._collations()
        if any(_is_catalog(name) for name in self._names_read()):
            self._add("catalog_reader")
        if statement.is_sampled or any(is_random(node) or is_clock(node) for node, _ in statement.calls):
            self._add("clock_or_random")
        return Sensitivity(sorted(self.reasons), sorted(whole or ()))

    def _add(self, reason: str) -> None:
        self.reasons[reason] = None

    # --- LIMIT and ORDER BY ---------------------------------------------------------------------------------

    def _limits(self, query: Query) -> None:
        limit, offset = query.modifier("limit"), query.modifier("offset")
        if limit is None and offset is None:
            return
        if limit is not None and offset is None and self._is_no_limit(limit):
            return
        if _has_ties(limit):
            return
        if query.context == "exists" and offset is None and (literal_rows(limit) or 0) > 0:
            return
        if self.has_one_row(query, ignore_limit=True):
            return
        order = query.modifier("order")
        if order is not None and self._is_total(query, order):
            return
        if self._are_outputs_constant(query):
            return
        self._add("outer_limit" if query.context == "root" else "inner_limit")

    def _is_no_limit(self, limit: exp.Expr) -> bool:
        """LIMIT -1 in SQLite, LIMIT ALL."""
        rows = literal_rows(limit)
        return rows is not None and (rows < 0 or rows >= _NO_MORE_ROWS)

    def _is_total(self, query: Query, order: exp.Expr) -> bool:
        """Rows that tie on the keys of an ORDER BY are alike in every column returned."""
        terms = [key.this if isinstance(key, exp.Ordered) else key for key in order.expressions]
        if len(terms) == 1 and isinstance(terms[0], exp.Var) and terms[0].name.upper() == "ALL":
            return True
        if query.block is not None:
            return self._is_block_ordered(query.block, terms)
        outputs = query.outputs()
        if outputs.is_open or not outputs.columns:
            return False
        places = set()
        for term in terms:
            place = ordinal(term)
            if place is not None:
                places.add(place - 1)
            elif isinstance(term, exp.Column):
                found = outputs.position(column_name(term, self.dialect))
                if found is not None:
                    places.add(found)
        return len(places & set(range(len(outputs.columns)))) == len(outputs.columns)

    def _is_block_ordered(self, block: Block, terms: list[exp.Expr]) -> bool:
        if block.select.args.get("distinct") is not None and not self._are_selected(block, terms):
            return False  # each row stands where one of its duplicates would
        return self._is_block_fixed(block, self._order_keys(block, terms))

    def _are_selected(self, block: Block, terms: list[exp.Expr]) -> bool:
        """The columns returned determine these terms."""
        shown: dict[str, type] = {}
        for item in block.select.expressions:
            self._enter(shown, item.this if isinstance(item, exp.Alias) else item, block, "select")
        known = {**shown, **self._constant_columns(block)}
        return all(
            meant_by_term(term, block) is not None or self._is_fixed(term, block, known, False, "order")
            for term in terms
        )

    def _order_keys(self, block: Block, terms: Iterable[exp.Expr]) -> dict[str, type]:
        """The normal texts of the terms that rows tied on them share, aliases and numbers resolved."""
        keys: dict[str, type] = {}
        for term in terms:
            meant = meant_by_term(term, block)
            section = "order" if meant is None else "select"
            self._enter(keys, meant if meant is not None else term, block, section)
        return keys

    def _enter(self, keys: dict[str, type], term: exp.Expr, block: Block, section: str) -> None:
        while isinstance(term, exp.Paren):
            term = term.this
        if isinstance(term, exp.Collate):
            if not _is_binary(term):
                return
            term = term.this
        if any(is_random(node) for node in term.walk()):
            return
        keys[self.printer.text(term, block, section)] = type(term)

    def _is_block_fixed(self, block: Block, keys: dict[str, type]) -> bool:
        """Where the keys are given, every column that the block returns is."""
        known = {**keys, **self._constant_columns(block)}
        if block.is_grouped and self._is_group_fixed(block, known):
            return True
        return all(self._is_fixed(item, block, known, False) for item in block.select.expressions)

    def _is_group_fixed(self, block: Block, known: dict[str, type]) -> bool:
        """Where these are given, so is the group."""
        group = block.select.args.get("group")
        if group is None:
            return True
        if any(value for key, value in group.args.items() if key != "expressions"):
            return False
        return all(self._is_fixed(term, block, known, False, "group") for term in self._group_terms(block))

    def _group_terms(self, block: Block) -> list[exp.Expr]:
        """The terms of GROUP BY, numbers resolved."""
        group = block.select.args.get("group")
        terms = []
        for term in group.expressions if group is not None else ():
            meant = meant_by_term(term, block) if ordinal(term) is not None else None
            terms.append(meant if meant is not None else term)
        return terms

    def _are_outputs_constant(self, query: Query) -> bool:
        if query.block is None:
            return False
        constants = self._constant_columns(query.block)
        return all(self._is_fixed(item, query.block, constants, False) for item in query.block.select.expressions)

    # --- What is fixed where something else is --------------------------------------------------------------

    def _constant_columns(self, block: Block) -> dict[str, type]:
        """Columns that WHERE, or ON of an inner join, holds to one literal."""
        found = self._constants.get(id(block))
        if found is None:
            args = block.select.args
            conditions = [args["where"].this] if args.get("where") is not None else []
            if not block.has_outer_join:
                conditions += [join.args["on"] for join in args.get("joins") or () if join.args.get("on") is not None]
            found = {}
            for condition in conditions:
                for part in conjuncts(condition):
                    column = _column_held(part)
                    if column is not None:
                        found[self.printer.text(column, block)] = exp.Column
            self._constants[id(block)] = found
        return found

    def _is_fixed(
        self, node: exp.Expr, block: Block, known: dict[str, type], are_aggregates_fixed: bool, section: str = "select"
    ) -> bool:
        """The expression has one value over rows (or rows of a group) that share the known ones."""
        if isinstance(node, (exp.Alias, exp.Paren)):
            return self._is_fixed(node.this, block, known, are_aggregates_fixed, section)
        if isinstance(node, (exp.Literal, exp.Null, exp.Boolean, exp.Placeholder, exp.Parameter, exp.DataType, exp.Var)):
            return True
        if known and type(node) in known.values() and self.printer.text(node, block, section) in known:
            return True
        if isinstance(node, exp.Column):
            return self._is_column_fixed(node, block, known, are_aggregates_fixed, section)
        if is_star(node) or is_random(node):
            return False
        if is_aggregate(node):
            return are_aggregates_fixed
        if isinstance(node, exp.Window):
            return are_aggregates_fixed and self._is_window_of_fixed(node, block, known, section)
        if isinstance(node, (exp.Query, exp.Values)):
            return self._is_subquery_fixed(node, block, known, are_aggregates_fixed, section)
        if isinstance(node, exp.Filter):
            return are_aggregates_fixed
        return self._are_fixed(children(node), block, known, are_aggregates_fixed, section)

    def _is_window_of_fixed(self, node: exp.Expr, block: Block, known: dict[str, type], section: str) -> bool:
        """All that a window over groups is made of is fixed by the group; its function is not an aggregate of it."""
        function = window_function(node)
        parts = [*children(function), *(child for child in children(node) if child is not node.this)]
        return self._are_fixed(parts, block, known, True, section)

    def _are_fixed(
        self, nodes: Iterable[exp.Expr], block: Block, known: dict[str, type], are_aggregates_fixed: bool, section: str
    ) -> bool:
        return all(self._is_fixed(node, block, known, are_aggregates_fixed, section) for node in nodes)

    def _is_column_fixed(
        self, node: exp.Column, block: Block, known: dict[str, type], are_aggregates_fixed: bool, section: str
    ) -> bool:
        if is_star(node) or not isinstance(node.this, exp.Identifier):
            return False
        if section != "select":
            meant = block.alias_meant(node, False)
            if meant is not None and meant is not node:
                return self._is_fixed(meant, block, known, are_aggregates_fixed)
        found = block.resolve(node)
        return found is not None and found[1] is not block

    def _is_subquery_fixed(
        self, node: exp.Expr, block: Block, known: dict[str, type], are_aggregates_fixed: bool, section: str
    ) -> bool:
        """Of the columns of this block that a subquery names with their table, all are fixed."""
        for column in node.find_all(exp.Column):
            inner = self._block_around(column)
            if inner is None or inner is block:
                continue
            found = inner.resolve(column)
            if found is None or found[1] is not block:
                continue
            if not known or self.printer.text(column, inner) not in self._with_qualifiers(known, block):
                return False
        return True

    def _block_around(self, node: exp.Expr) -> Block | None:
        current = node.parent
        while current is not None:
            found = self.statement.block_of.get(id(current))
            if found is not None:
                return found
            current = current.parent
        return None

    def _with_qualifiers(self, known: dict[str, type], block: Block) -> set[str]:
        """The known texts as a subquery would write them: in a block with one source they have no qualifier."""
        if len(block.sources) != 1:
            return set(known)
        prefix = next(iter(block.sources.values())).canonical
        return {f"{prefix}.{text}" for text, kind in known.items() if kind is exp.Column}

    # --- One row at most ------------------------------------------------------------------------------------

    def has_one_row(self, query: Query, ignore_limit: bool = False) -> bool:
        """The query returns one row at most, whatever the tables hold."""
        if not ignore_limit:
            rows = literal_rows(query.modifier("limit"))
            if rows is not None and 0 <= rows <= 1 and not _has_ties(query.modifier("limit")):
                return True
        node = query.node
        if isinstance(node, exp.Values):
            return len(node.expressions) <= 1
        block = query.block
        if block is None:
            return False
        if self.dialect != "sqlite" and _makes_rows(block.select):
            return False
        group = block.select.args.get("group")
        if block.is_grouped and (group is None or self._is_group_fixed(block, self._constant_columns(block))):
            return True
        if (id(query), "one_row") in self._asked:
            return False  # a recursive CTE
        self._asked.add((id(query), "one_row"))
        try:
            return self._has_one_row_in(block.sources.values())
        finally:
            self._asked.discard((id(query), "one_row"))

    def _has_one_row_in(self, sources: Iterable[Source]) -> bool:
        return all(source.query is not None and self.has_one_row(source.query) for source in sources)

    # --- Scalar subqueries, bare columns, DISTINCT ON, arrays -----------------------------------------------

    def _subquery(self, query: Query) -> None:
        block = query.block
        if block is not None:
            distinct = block.select.args.get("distinct")
            if distinct is not None and distinct.args.get("on") is not None:
                self._add("distinct_on")
        if query.context == "array":
            order = query.modifier("order")
            if order is None or not self._is_total(query, order):
                self._add("ordered_aggregate")
        if query.context != "scalar" or self.dialect not in FIRST_ROW_SUBQUERIES:
            return
        if self.has_one_row(query) or self._are_outputs_constant(query):
            return
        order = query.modifier("order")
        if order is not None and self._is_total(query, order):
            return
        self._add("scalar_subquery")

    def _bare_columns(self, block: Block) -> None:
        if self.dialect not in BARE_COLUMNS or not block.is_grouped:
            return
        if next(self.bare_columns(block), None) is not None:
            self._add("bare_column")

    def bare_columns(self, block: Block) -> Iterator[exp.Expr]:
        """The expressions of SELECT, HAVING and ORDER BY that a group does not determine."""
        select = block.select
        group = select.args.get("group")
        if group is not None and group.args.get("all"):
            return
        known = dict(self._constant_columns(block))
        for term in self._group_terms(block):
            self._enter(known, term, block, "group")
            meant = block.alias_meant(term, False) if isinstance(term, exp.Column) else None
            if meant is not None:
                self._enter(known, meant, block, "select")
        for item in select.expressions:
            if not self._is_fixed(item, block, known, True):
                yield item
        if select.args.get("having") is not None and not self._is_fixed(
            select.args["having"].this, block, known, True, "having"
        ):
            yield select.args["having"].this
        order = select.args.get("order")
        for key in order.expressions if order is not None else ():
            meant = meant_by_term(key.this, block)
            if meant is None and not self._is_fixed(key.this, block, known, True, "order"):
                yield key.this

    # --- Aggregates -----------------------------------------------------------------------------------------

    def _aggregates(self, block: Block) -> Iterator[exp.Expr]:
        yield from block.aggregates
        for _, function in block.windows:
            if is_aggregate(function):
                yield function

    def _aggregate(self, node: exp.Expr, block: Block) -> Whole:
        """Note an aggregate that takes the order of rows; of a sum, return what makes it exact."""
        if isinstance(node, _FIXED_CLASSES):
            return frozenset()
        name = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
        if isinstance(node, (exp.Sum, exp.Avg)) or name == "total":
            return self.whole(_argument(node), block)
        if isinstance(node, _FLOAT_CLASSES) or name in _FLOAT_NAMES:
            return None
        if name and name not in _ORDERED_NAMES:
            return frozenset()  # bool_and, every, bit_or, …
        if not self._is_ordered_by_itself(node, block):
            self._add("ordered_aggregate")
        return frozenset()

    def _is_ordered_by_itself(self, node: exp.Expr, block: Block) -> bool:
        """`STRING_AGG(x, ',' ORDER BY x)`: what ties is alike."""
        inner = node.args.get("this")
        if not isinstance(inner, exp.Order) or not isinstance(node, (exp.GroupConcat, exp.ArrayAgg, exp.First, exp.Last)):
            return False
        keys = self._order_keys(block, [key.this for key in inner.expressions])
        value = inner.this
        while isinstance(value, exp.Distinct):
            value = value.expressions[0]
        return self.printer.text(value, block) in keys

    def whole(self, node: exp.Expr | None, block: Block, is_integer: bool = False) -> Whole:
        """The columns that must hold integers for the value to be a whole number (an integer, if `is_integer`)."""
        if node is None:
            return None
        if isinstance(node, _COUNTING):
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
            return frozenset() if isinstance(pattern, exp.Literal) and pattern.this in _WHOLE_TIME_FORMATS else None
        if isinstance(node, exp.Extract):
            return frozenset() if node.name.upper() in _WHOLE_TIME_PARTS else None
        if isinstance(node, exp.Anonymous):
            name = str(node.this).lower()
            if name == "total":
                return None if is_integer else self.whole(_argument(node), block)
            if name == "strftime" and node.expressions and str(node.expressions[0].this) in _WHOLE_TIME_FORMATS:
                return frozenset()
            if name in _INTEGER_NAMES:
                return frozenset()
        return None

    def _whole_cast(self, node: exp.Expr, block: Block, is_integer: bool) -> Whole:
        kind = node.args["to"].args.get("this")
        if kind in _INTEGER_TYPES:
            return frozenset()
        if kind in _REAL_TYPES and not (is_integer and kind.name in ("DOUBLE", "FLOAT")):
            return self.whole(node.this, block, is_integer)
        return None

    def _whole_column(self, node: exp.Column, block: Block, is_integer: bool) -> Whole:
        name = column_name(node, self.dialect)
        if is_star(node) or not isinstance(node.this, exp.Identifier):
            return None
        return self._whole_name(name, block.resolve(node), block, is_integer)

    def _whole_name(self, name: str, found: tuple[Source, Block] | None, block: Block, is_integer: bool) -> Whole:
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
        outputs = source.outputs()
        place = outputs.position(name)
        key = (id(source.query), f"whole {name} {is_integer}")
        if key in self._asked:
            return frozenset()  # a recursive CTE: whole if what it starts from and adds is
        self._asked.add(key)
        try:
            if place is not None:
                givers = outputs.columns[place].givers
                if outputs.is_open and source.query is not None and source.query.branches:
                    return None
                found: frozenset[str] = frozenset()
                for expression, block in givers:
                    one = self.whole(expression, block, is_integer)
                    if one is None:
                        return None
                    found |= one
                return found
            inner = source.query.block if source.query is not None else None
            if inner is None or not outputs.is_open or source.column_names:
                return None
            return self._whole_name(name, inner.resolve_name(name), inner, is_integer)
        finally:
            self._asked.discard(key)

    def _whole_subquery(self, node: exp.Expr, is_integer: bool) -> Whole:
        inner = node
        while isinstance(inner, exp.Subquery):
            inner = inner.this
        query = self.statement.query_of.get(id(inner))
        outputs = query.outputs() if query is not None else None
        if outputs is None or outputs.is_open or len(outputs.columns) != 1:
            return None
        found: frozenset[str] = frozenset()
        for expression, block in outputs.columns[0].givers:
            one = self.whole(expression, block, is_integer)
            if one is None:
                return None
            found |= one
        return found

    # --- Windows --------------------------------------------------------------------------------------------

    def _window(self, block: Block, window: exp.Expr, function: exp.Expr) -> None:
        if not isinstance(function, _RANKS) and not self._is_window_fixed(block, window, function):
            self._add("window")

    def _is_window_fixed(self, block: Block, written: exp.Expr, function: exp.Expr) -> bool:
        window = _resolved_window(written, block)
        spec = window.args.get("spec")
        order = window.args.get("order")
        if is_aggregate(function) and _has_whole_peers(spec, order):
            return True
        terms = [*(window.args.get("partition_by") or ())]
        terms += [key.this if isinstance(key, exp.Ordered) else key for key in (order.expressions if order else ())]
        keys: dict[str, type] = {}
        for term in terms:
            self._enter(keys, term, block, "select")
        known = {**keys, **self._constant_columns(block)}
        if block.is_grouped and self._is_group_fixed(block, known):
            return True
        if isinstance(function, (exp.FirstValue, exp.LastValue)) and spec is None:
            return self._is_fixed(function.this, block, known, False)
        return self._are_ties_alike(block, written, function, known)

    def _are_ties_alike(self, block: Block, window: exp.Expr, function: exp.Expr, known: dict[str, type]) -> bool:
        """Rows that tie in a window are alike in all that the block shows of them, so that they may swap unseen."""
        select = block.select
        if select.args.get("qualify") is not None or not self._are_fixed(children(function), block, known, False, "select"):
            return False
        own = self.printer.text(window, block)
        with_window = {**known, own: exp.Window}
        order = select.args.get("order")
        terms = [*select.expressions, *(key.this for key in (order.expressions if order is not None else ()))]
        for term in terms:
            meant = meant_by_term(term, block)
            if not self._is_fixed(meant if meant is not None else term, block, with_window, False):
                return False
        return True

    # --- Collations, the catalog ----------------------------------------------------------------------------

    def _collations(self) -> None:
        for node, section in self.statement.collations:
            if not _is_binary(node) and section not in ("order", "where", "from") and not _is_compared(node):
                self._add("collation")

    def _names_read(self) -> Iterator[str]:
        yield from self.statement.tables
        for block in self.statement.blocks:
            for source in block.sources.values():
                if source.table is None and isinstance(source.node, exp.Table):
                    yield str(source.node.this.this if isinstance(source.node.this, exp.Anonymous) else "").lower()
            if self.dialect == "oracle" and any(
                column_name(column, "") == "rownum" for columns in block.sections.values() for column in columns
            ):
                self._add("rownum")


def literal_rows(clause: exp.Expr | None) -> int | None:
    """The number of rows of a LIMIT, OFFSET or FETCH that is a whole literal, -1 for `LIMIT -1`; None otherwise."""
    if clause is None:
        return None
    options = clause.args.get("limit_options")
    if options is not None and options.args.get("percent"):
        return None
    value = clause.args.get("expression") or clause.args.get("count")
    sign = 1
    while isinstance(value, (exp.Paren, exp.Neg)):
        sign = -sign if isinstance(value, exp.Neg) else sign
        value = value.this
    if isinstance(value, exp.Literal) and not value.args.get("is_string"):
        text = str(value.this)
        if text.isascii() and text.isdigit() and len(text) < 30:
            return sign * int(text)
    if isinstance(clause, exp.Fetch) and value is None:
        return 1
    return None


def _makes_rows(select: exp.Expr) -> bool:
    """A function in SELECT that returns several rows: UNNEST, GENERATE_SERIES."""
    return any(item.find(exp.Unnest, exp.Explode, exp.GenerateSeries) is not None for item in select.expressions)


def _has_ties(clause: exp.Expr | None) -> bool:
    options = clause.args.get("limit_options") if clause is not None else None
    return options is not None and bool(options.args.get("with_ties"))


def _is_binary(collation: exp.Expr) -> bool:
    return str(collation.args["expression"].name).upper() == "BINARY"


def _is_compared(node: exp.Expr) -> bool:
    """The collation only decides a comparison."""
    return isinstance(node.parent, (exp.Predicate, exp.Ordered))


def _is_catalog(name: str) -> bool:
    return name.startswith(CATALOG_SCHEMAS) or name.rsplit(".", 1)[-1].startswith(CATALOG_PREFIXES)


def _is_open_query(source: Source) -> bool:
    return source.query is not None and source.outputs().is_open


def _column_held(condition: exp.Expr) -> exp.Column | None:
    """The column that `column = literal` or `column IS NULL` holds to one value."""
    if isinstance(condition, (exp.EQ, exp.Is, exp.NullSafeEQ)):
        left, right = condition.this, condition.expression
        for one, other in ((left, right), (right, left)):
            if isinstance(one, exp.Column) and isinstance(one.this, exp.Identifier):
                if isinstance(other, (exp.Literal, exp.Null)):
                    return one
    return None


def _argument(node: exp.Expr) -> exp.Expr | None:
    """What an aggregate is over, without DISTINCT and an ORDER BY in its brackets."""
    value = node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.args.get("this")
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
    if isinstance(node, (exp.Paren, exp.Neg, exp.Alias, exp.Abs, exp.Sum, exp.Min, exp.Max, exp.Window, exp.Filter)):
        return [_argument(node) if isinstance(node, (exp.Sum, exp.Min, exp.Max)) else node.this]
    if isinstance(node, (exp.IgnoreNulls, exp.RespectNulls, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Nullif)):
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


def _resolved_window(window: exp.Expr, block: Block) -> exp.Expr:
    """A window that only names one of the WINDOW clause is that one."""
    name = window.args.get("alias")
    if name is None:
        return window
    for named in block.select.args.get("windows") or ():
        if isinstance(named.this, exp.Identifier) and named.this.name.lower() == name.name.lower():
            return named
    return window


def _has_whole_peers(spec: exp.Expr | None, order: exp.Expr | None) -> bool:
    """The frame never cuts through rows that tie."""
    if spec is None:
        return True
    if str(spec.args.get("kind") or "").upper() != "ROWS":
        return order is not None
    return spec.args.get("start") == "UNBOUNDED" and spec.args.get("end") == "UNBOUNDED"
