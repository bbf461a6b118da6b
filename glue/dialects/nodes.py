"""The tree of a query as it was written: what the readers of dialects make, and the translators read.

A tree says what stands in the text and nothing more: a call is a call by its name, whatever the function
does, and nothing is turned into something that means nearly the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Literal


@dataclass(slots=True, eq=False)
class Identifier:
    """A name: `text` without its quotes, in the letters it was written in."""

    text: str
    is_quoted: bool = False


@dataclass(slots=True, eq=False)
class Node:
    """A part of a query; `place` is where it begins in the text."""

    place: int = field(default=-1, kw_only=True)


class Value(Node):
    """What has a value, or is a condition."""

    __slots__ = ()


# Values


@dataclass(slots=True, eq=False)
class Text(Value):
    """A text in quotes, as what it says: `'it''s'` is it's. `is_national` where N stands before it."""

    text: str
    is_national: bool = False


@dataclass(slots=True, eq=False)
class Number(Value):
    """A number as it is written, with its exponent and the letter of its type (1e3, .5, 2f, 0x1F, $3)."""

    text: str


@dataclass(slots=True, eq=False)
class Typed(Value):
    """A text with a word before it that says its type: DATE '2024-01-31', TIMESTAMP '…'."""

    word: str
    text: str


@dataclass(slots=True, eq=False)
class Interval(Value):
    """INTERVAL 'text' first(precision) TO last(precision); a precision that is not written is None.

    Of SECOND(2, 6) without TO the second number is `last_precision`, that of the fraction.
    """

    text: str
    first: str
    first_precision: int | None = None
    last: str | None = None
    last_precision: int | None = None


@dataclass(slots=True, eq=False)
class Name(Value):
    """A column, or a word that has a value (SYSDATE, ROWNUM, NULL, CURRENT_TIMESTAMP), in its parts.

    `is_outer`: Oracle's (+) stands behind it.
    """

    parts: tuple[Identifier, ...]
    is_outer: bool = False


@dataclass(slots=True, eq=False)
class Null(Value):
    """NULL."""


@dataclass(slots=True, eq=False)
class Star(Value):
    """`*` in a select list or in COUNT(*), with the names before it in t.* and s.t.*."""

    parts: tuple[Identifier, ...] = ()


@dataclass(slots=True, eq=False)
class Operation(Value):
    """left sign right: + - * / % || & | ^."""

    sign: str
    left: Value
    right: Value


@dataclass(slots=True, eq=False)
class Prefixed(Value):
    """A sign or word before a value: - + ~ PRIOR CONNECT_BY_ROOT."""

    sign: str
    operand: Value


@dataclass(slots=True, eq=False)
class Row(Value):
    """Several values in brackets."""

    values: list[Value]


@dataclass(slots=True, eq=False)
class Subquery(Value):
    """A query in brackets, where a value may stand."""

    query: Query


@dataclass(slots=True, eq=False)
class Case(Value):
    """CASE [operand] WHEN … THEN … [ELSE …] END."""

    operand: Value | None
    branches: list[tuple[Value, Value]]
    default: Value | None


@dataclass(slots=True, eq=False)
class Type(Node):
    """A type as written: its words in capitals (DOUBLE PRECISION), and what stands in brackets after them.

    An interval's or timestamp's later words are words too: TIMESTAMP WITH TIME ZONE. MAX is an argument.
    """

    words: tuple[str, ...]
    arguments: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Cast(Value):
    """CAST, TRY_CAST, CONVERT, TRY_CONVERT, PARSE, TRY_PARSE by `word`; `style` is CONVERT's third.

    Of PARSE it is the culture.
    """

    word: str
    operand: Value
    type: Type
    style: Value | None = None
    default: Value | None = None
    """What stands in Oracle's DEFAULT … ON CONVERSION ERROR."""


@dataclass(slots=True, eq=False)
class Extract(Value):
    """EXTRACT(unit FROM operand)."""

    unit: str
    operand: Value


@dataclass(slots=True, eq=False)
class Trim(Value):
    """TRIM([side] [letters FROM] operand); `side` is LEADING, TRAILING, BOTH or None."""

    side: str | None
    letters: Value | None
    operand: Value


@dataclass(slots=True, eq=False)
class OrderTerm(Node):
    """A term of ORDER BY; `nulls` is FIRST, LAST or None."""

    value: Value
    is_descending: bool = False
    nulls: str | None = None
    collation: str | None = None


@dataclass(slots=True, eq=False)
class Bound(Node):
    """An end of a frame: UNBOUNDED PRECEDING, 3 PRECEDING, CURRENT ROW, 3 FOLLOWING, UNBOUNDED FOLLOWING."""

    side: Literal["PRECEDING", "FOLLOWING", "CURRENT"]
    distance: Value | None = None
    """None where it is unbounded, or the current row."""


@dataclass(slots=True, eq=False)
class Frame(Node):
    """ROWS or RANGE from `start` to `end`; None where only one bound is written."""

    unit: str
    start: Bound
    end: Bound | None = None


@dataclass(slots=True, eq=False)
class Window(Node):
    """OVER ( … ); `name` where a window of the WINDOW clause is meant."""

    partition: list[Value] = field(default_factory=list)
    order: list[OrderTerm] = field(default_factory=list)
    frame: Frame | None = None
    name: Identifier | None = None


@dataclass(slots=True, eq=False)
class Overflow(Node):
    """ON OVERFLOW of LISTAGG."""

    is_error: bool
    ending: str | None = None
    has_count: bool = True


@dataclass(slots=True, eq=False)
class Call(Value):
    """A function with what stands in its brackets and behind them.

    COUNT(*) has a Star as its argument. A DATEPART's unit is a Name. `keep` is FIRST or LAST of KEEP
    (DENSE_RANK …), with its order in `keep_order`; `within` is what stands in WITHIN GROUP (ORDER BY …);
    `nulls` is IGNORE or RESPECT; `default` is what stands in DEFAULT … ON CONVERSION ERROR.
    """

    parts: tuple[Identifier, ...]
    arguments: list[Value]
    is_distinct: bool = False
    nulls: str | None = None
    within: list[OrderTerm] | None = None
    keep: str | None = None
    keep_order: list[OrderTerm] | None = None
    is_from_last: bool = False
    overflow: Overflow | None = None
    default: Value | None = None
    over: Window | None = None

    @property
    def name(self) -> str:
        """The function's name in capitals, without those before it."""
        return self.parts[-1].text.upper()


@dataclass(slots=True, eq=False)
class Collate(Value):
    """value COLLATE name."""

    operand: Value
    collation: str


@dataclass(slots=True, eq=False)
class AtTimeZone(Value):
    """value AT TIME ZONE zone."""

    operand: Value
    zone: Value


# Conditions


@dataclass(slots=True, eq=False)
class Logic(Value):
    """Conditions with AND or OR between them."""

    word: Literal["AND", "OR"]
    terms: list[Value]


@dataclass(slots=True, eq=False)
class Not(Value):
    """NOT condition."""

    operand: Value


@dataclass(slots=True, eq=False)
class Comparison(Value):
    """left sign right, the sign one of = <> < > <= >= whatever was written; `quantifier` is ANY or ALL.

    IS DISTINCT FROM and IS NOT DISTINCT FROM are signs too.
    After a quantifier `right` is a Subquery, or a Row of what is compared with (one value alone is one too).
    """

    sign: str
    left: Value
    right: Value
    quantifier: Literal["ANY", "ALL"] | None = None


@dataclass(slots=True, eq=False)
class Between(Value):
    """operand [NOT] BETWEEN low AND high."""

    operand: Value
    low: Value
    high: Value
    is_negated: bool = False


@dataclass(slots=True, eq=False)
class Like(Value):
    """operand [NOT] LIKE pattern [ESCAPE escape]."""

    operand: Value
    pattern: Value
    escape: Value | None = None
    is_negated: bool = False


@dataclass(slots=True, eq=False)
class In(Value):
    """operand [NOT] IN ( … ): a list of values, or one Subquery."""

    operand: Value
    values: list[Value]
    is_negated: bool = False


@dataclass(slots=True, eq=False)
class Is(Value):
    """operand IS [NOT] NULL, NAN, INFINITE."""

    operand: Value
    what: str
    is_negated: bool = False


@dataclass(slots=True, eq=False)
class Exists(Value):
    """EXISTS (query)."""

    query: Query


# Queries


@dataclass(slots=True, eq=False)
class Item(Node):
    """One of a select list; of `*` the value is a Star."""

    value: Value
    alias: Identifier | None = None


class Source(Node):
    """What stands in FROM."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Table(Source):
    """A table by its name, or a function's call in its place; `columns` are the names after its alias."""

    parts: tuple[Identifier, ...]
    alias: Identifier | None = None
    columns: list[Identifier] = field(default_factory=list)
    pivot: Pivot | Unpivot | None = None
    pivot_alias: Identifier | None = None
    """The alias that stands behind PIVOT ( … ); `alias` is that before it."""


@dataclass(slots=True, eq=False)
class Derived(Source):
    """A query in brackets, in FROM. `is_outer`: Oracle's (+) stands behind it."""

    query: Query
    alias: Identifier | None = None
    columns: list[Identifier] = field(default_factory=list)
    is_lateral: bool = False
    is_outer: bool = False
    pivot: Pivot | Unpivot | None = None
    pivot_alias: Identifier | None = None


@dataclass(slots=True, eq=False)
class TableCall(Source):
    """A function in FROM: TABLE( … ), STRING_SPLIT(…), GENERATE_SERIES(…)."""

    call: Call
    alias: Identifier | None = None
    columns: list[Identifier] = field(default_factory=list)
    is_outer: bool = False


@dataclass(slots=True, eq=False)
class ValueRows(Source):
    """(VALUES (…), (…)) AS alias (columns)."""

    rows: list[list[Value]]
    alias: Identifier | None = None
    columns: list[Identifier] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Join(Source):
    """Two joined sources; `kind` is INNER, LEFT, RIGHT, FULL, CROSS, CROSS APPLY or OUTER APPLY."""

    kind: str
    left: Source
    right: Source
    on: Value | None = None
    using: list[Identifier] | None = None
    is_natural: bool = False
    left_partition: list[Value] = field(default_factory=list)
    """What stands in PARTITION BY ( … ) behind the left side: Oracle's outer join of each part."""
    right_partition: list[Value] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Pivoted(Source):
    """What PIVOT or UNPIVOT makes of a join, a function's rows or VALUES, or of what is pivoted already."""

    source: Source
    pivot: Pivot | Unpivot
    alias: Identifier | None = None


@dataclass(slots=True, eq=False)
class PivotValue(Node):
    """One of the values of PIVOT's IN, with its alias; several columns have a Row."""

    value: Value
    alias: Identifier | None = None


@dataclass(slots=True, eq=False)
class Pivot(Node):
    """PIVOT (aggregates FOR columns IN (values))."""

    aggregates: list[Item]
    columns: list[Name]
    values: list[PivotValue]


@dataclass(slots=True, eq=False)
class Unpivot(Node):
    """UNPIVOT [INCLUDE NULLS] (values FOR labels IN (columns [AS label], …))."""

    values: list[Identifier]
    labels: list[Identifier]
    columns: list[tuple[list[Name], Value | None]]
    has_nulls: bool = False


@dataclass(slots=True, eq=False)
class Grouping(Node):
    """A term of GROUP BY: `kind` is "", ROLLUP, CUBE, SETS, and then its terms are Groupings in their turn.

    Of the plain kind the values are one, several for (a, b), or none for ().
    """

    kind: Literal["", "ROLLUP", "CUBE", "SETS"]
    values: list[Value] = field(default_factory=list)
    terms: list[Grouping] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Top(Node):
    """TOP n [PERCENT] [WITH TIES]."""

    count: Value
    is_percent: bool = False
    has_ties: bool = False


@dataclass(slots=True, eq=False)
class Block(Node):
    """SELECT … FROM … WHERE … and so on, without ORDER BY. `sources` are those between commas."""

    items: list[Item]
    sources: list[Source] = field(default_factory=list)
    is_distinct: bool = False
    top: Top | None = None
    where: Value | None = None
    start: Value | None = None
    connect: Value | None = None
    is_nocycle: bool = False
    groups: list[Grouping] | None = None
    having: Value | None = None
    windows: list[tuple[Identifier, Window]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class SetOperation(Node):
    """left word right: UNION, INTERSECT, MINUS, EXCEPT, with ALL or without."""

    word: str
    is_all: bool
    left: Body
    right: Body


@dataclass(slots=True, eq=False)
class Limit(Node):
    """OFFSET and FETCH: `count` None with `has_fetch` is one row."""

    offset: Value | None = None
    has_fetch: bool = False
    count: Value | None = None
    is_percent: bool = False
    has_ties: bool = False


@dataclass(slots=True, eq=False)
class Query(Node):
    """A query whole; in brackets it may be the side of a set operation."""

    body: Body
    named: list[NamedQuery] = field(default_factory=list)
    order: list[OrderTerm] = field(default_factory=list)
    is_siblings: bool = False
    limit: Limit | None = None
    max_recursion: int | None = None
    """What OPTION (MAXRECURSION n) says."""
    is_xml: bool = False
    """FOR XML PATH(''): its rows are one text."""
    is_xml_type: bool = False
    """FOR XML …, TYPE: not a text that stands for XML, but XML."""


@dataclass(slots=True, eq=False)
class Search(Node):
    """SEARCH DEPTH|BREADTH FIRST BY terms SET name."""

    is_depth: bool
    order: list[OrderTerm]
    name: Identifier


@dataclass(slots=True, eq=False)
class Cycle(Node):
    """CYCLE columns SET name TO marked DEFAULT unmarked."""

    columns: list[Identifier]
    name: Identifier
    marked: Value
    unmarked: Value


@dataclass(slots=True, eq=False)
class NamedQuery(Node):
    """One of WITH."""

    name: Identifier
    query: Query
    columns: list[Identifier] = field(default_factory=list)
    search: Search | None = None
    cycle: Cycle | None = None


Body = Block | SetOperation | Query


def parts_within(node: Node, with_queries: bool = False) -> Iterator[Node]:
    """The node and what it is made of, in the order of the text; queries within it only if asked for."""
    yield node
    for name in _parts(type(node)):
        yield from _parts_of(getattr(node, name), with_queries)


def children(node: Node) -> list[Node]:
    """What the node is made of itself, in the order of the text; queries within it are left out."""
    found: list[Node] = []
    for name in _parts(type(node)):
        _add_nodes(getattr(node, name), found)
    return found


def _add_nodes(part: object, found: list[Node]) -> None:
    if isinstance(part, Node):
        if not isinstance(part, Query):
            found.append(part)
    elif isinstance(part, (list, tuple)):
        for one in part:
            _add_nodes(one, found)


def _parts_of(part: object, with_queries: bool) -> Iterator[Node]:
    if isinstance(part, Node):
        if with_queries or not isinstance(part, Query):
            yield from parts_within(part, with_queries)
    elif isinstance(part, (list, tuple)):
        for one in part:
            yield from _parts_of(one, with_queries)


_PARTS: dict[type[Node], tuple[str, ...]] = {}


def _parts(kind: type[Node]) -> tuple[str, ...]:
    found = _PARTS.get(kind)
    if found is None:
        found = _PARTS[kind] = tuple(part.name for part in fields(kind) if part.name != "place")
    return found
