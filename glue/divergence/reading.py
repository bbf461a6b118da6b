"""What two statements say of a schema: columns that they mention, literals that meet them, blocks.

Names are resolved as far as it takes to propose changes: a name that cannot be told stands for every column
of that name. Nothing here decides a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from glue.divergence.instances import Schema
from glue.sql.parsing import parse_text

Place = tuple[str, str]
"""A table and a column, in lower case."""

MAX_LITERALS = 8
"""Of one column, so many are looked at."""
MAX_OFFSETS = 8
UNITS = ("day", "month", "year")
_OFFSET = re.compile(r"[+-]?\s*(\d{1,5})\s*(day|month|year)?s?", re.IGNORECASE)


@dataclass
class Reading:
    """Of both statements together."""

    schema: Schema
    dialect: str
    tables: dict[str, None] = field(default_factory=dict)
    columns: dict[Place, None] = field(default_factory=dict)
    literals: dict[Place, list[object]] = field(default_factory=dict)
    compared: dict[tuple[Place, Place], None] = field(default_factory=dict)
    counts: dict[int, None] = field(default_factory=dict)
    offsets: dict[tuple[int, str], None] = field(default_factory=dict)  # of dates: (3, "month")
    ratios: dict[tuple[Place, Place, float], None] = field(default_factory=dict)
    blocks: list[exp.Select] = field(default_factory=list)
    has_hierarchy: bool = False
    _aliases: dict[str, list[Place]] = field(default_factory=dict)

    def of_table(self, table: str) -> list[str]:
        """The columns of a table that are mentioned."""
        return [column for owner, column in self.columns if owner == table]


def read(schema: Schema, dialect: str, statements: Iterable[str]) -> Reading | None:
    """What statements mention; None where one of them does not parse or reads no table."""
    reading = Reading(schema, dialect)
    for sql in statements:
        parsed = parse_text(sql, dialect)
        if parsed.outcome != "parsed" or len(parsed.statements) != 1:
            return None
        _read_tree(reading, parsed.statements[0])
    return reading if reading.tables else None


def _read_tree(reading: Reading, tree: exp.Expr) -> None:
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    reading.has_hierarchy = reading.has_hierarchy or any(
        node.args.get("recursive") for node in tree.find_all(exp.With)
    )
    for table in tree.find_all(exp.Table):
        name = table.name.lower()
        if name in reading.schema.tables and name not in ctes:
            reading.tables[name] = None
    for alias in tree.find_all(exp.Alias):
        inner = [place for column in _own_columns(alias.this) for place in _resolved(reading, column)]
        reading._aliases.setdefault(alias.alias.lower(), []).extend(inner)
    for column in tree.find_all(exp.Column):
        for place in _resolved(reading, column):
            reading.columns[place] = None
    for select in tree.find_all(exp.Select):
        _read_stars(reading, select)
        if any(_is_base(reading, table) for table in _sources(select)):
            reading.blocks.append(select)
    for literal in tree.find_all(exp.Literal):
        _read_literal(reading, literal)
    for product in tree.find_all(exp.Mul):
        factors = [
            _value(node) for node in (product.this, product.expression) if isinstance(node, exp.Literal)
        ]
        if len(factors) == 2 and all(isinstance(factor, int) for factor in factors):
            reading.offsets[int(str(factors[0])) * int(str(factors[1])), "day"] = None
    for comparison in tree.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between):
        _read_ratio(reading, comparison)
    for comparison in tree.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE):
        for left in _places_in(reading, comparison.this):
            for right in _places_in(reading, comparison.expression):
                if left != right:
                    reading.compared[left, right] = None


def _read_stars(reading: Reading, select: exp.Select) -> None:
    if not any(isinstance(node, exp.Star) or node.is_star for node in select.expressions):
        return
    for table in _sources(select):
        if _is_base(reading, table):
            for column in reading.schema.tables[table.name.lower()].columns:
                reading.columns[table.name.lower(), column.name.lower()] = None


def _is_base(reading: Reading, node: exp.Expr) -> bool:
    return isinstance(node, exp.Table) and node.name.lower() in reading.tables


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    """What stands in FROM and JOIN."""
    source = select.args.get("from_") or select.args.get("from")
    if source is not None:
        yield source.this
    for join in select.args.get("joins") or ():
        yield join.this


def _resolved(reading: Reading, column: exp.Column) -> list[Place]:
    """The columns of the schema that a name may mean."""
    name, qualifier = column.name.lower(), column.table.lower()
    tables = reading.schema.tables
    select = column.find_ancestor(exp.Select)
    while select is not None:
        found: list[Place] = []
        for source in _sources(select):
            if not isinstance(source, exp.Table) or source.name.lower() not in tables:
                continue
            table = source.name.lower()
            if qualifier in ("", source.alias_or_name.lower()) and name in tables[table].places:
                found.append((table, name))
        if found:
            return found
        select = select.find_ancestor(exp.Select)
    by_name = [(table, name) for table in reading.tables if name in tables[table].places]
    return by_name or reading._aliases.get(name, [])


def _own_columns(node: exp.Expr) -> Iterator[exp.Column]:
    if isinstance(node, exp.Column):
        yield node
    for column in node.find_all(exp.Column):
        if column is not node:
            yield column


def _places_in(reading: Reading, node: exp.Expr) -> list[Place]:
    found: dict[Place, None] = {}
    for column in _own_columns(node):
        found.update(dict.fromkeys(_resolved(reading, column)))
    return list(found)


def _read_literal(reading: Reading, literal: exp.Literal) -> None:
    """Note a literal with the columns of the nearest expression around it that has some."""
    value = _value(literal)
    _read_offset(reading, value, literal)
    if isinstance(literal.parent, exp.Coalesce) and isinstance(value, str):
        return  # what stands for NULL is shown, and no condition
    node: exp.Expr | None = literal
    while node is not None and not isinstance(node, exp.Select):
        if isinstance(node, exp.Limit | exp.Offset | exp.Fetch):
            if isinstance(value, int):
                reading.counts[value] = None
            return
        places = _places_in(reading, node)
        if places or any(True for _ in node.find_all(exp.Count)):
            if isinstance(value, int) and any(True for _ in node.find_all(exp.Count)):
                reading.counts[value] = None
            for place in places:
                known = reading.literals.setdefault(place, [])
                if value not in known and len(known) < MAX_LITERALS:
                    known.append(value)
            return
        node = node.parent


def _read_offset(reading: Reading, value: object, literal: exp.Literal) -> None:
    """Note how far a literal may move a date: '+60 months', INTERVAL '5' YEAR, 50."""
    if len(reading.offsets) >= MAX_OFFSETS:
        return
    found = _OFFSET.fullmatch(str(value).strip())
    if found is None or not 0 < int(found[1]) <= 20_000:
        return
    number, unit = int(found[1]), (found[2] or "").lower()
    if not unit and isinstance(literal.parent, exp.Interval):
        unit = str(literal.parent.args.get("unit") or "").lower().rstrip("s")
    units = (
        [unit]
        if unit
        else ["day", *(["month"] if number <= 120 else []), *(["year"] if number <= 20 else [])]
    )
    if unit or not isinstance(value, str):
        reading.offsets.update(dict.fromkeys((number, each) for each in units if each in UNITS))


def _read_ratio(reading: Reading, comparison: exp.Expr) -> None:
    """Note two columns of a table that are reckoned with and then compared with a fraction."""
    if not any(True for _ in comparison.find_all(exp.Div, exp.Mul, exp.Sub)):
        return
    numbers = [_value(each) for each in comparison.find_all(exp.Literal) if not each.is_string]
    places = _places_in(reading, comparison)
    for one in places:
        for other in places:
            if one[0] == other[0] and one != other:
                for number in numbers[:4]:
                    if isinstance(number, int | float) and number:
                        reading.ratios[one, other, float(number)] = None


def _value(literal: exp.Literal) -> object:
    text = literal.name
    if literal.is_string:
        return text
    sign = -1 if isinstance(literal.parent, exp.Neg) else 1
    try:
        return sign * int(text)
    except ValueError:
        try:
            return sign * float(text)
        except ValueError:
            return text


# --------------------------------------------------------------------------- where the rows of a block are


@dataclass(frozen=True)
class Search:
    """A statement that gives row numbers of a block's tables: those that meet it, or all but one condition.

    The last `n_groups` columns are what the block groups by.
    """

    sql: str
    tables: tuple[str, ...]
    n_groups: int
    is_near: bool


def searches(reading: Reading, n_rows: int) -> list[Search]:
    """What finds the rows that each block reads, and those that just fail to be read."""
    found: list[Search] = []
    for block in reading.blocks:
        try:
            found += _searches_of(reading, block, n_rows)
        except Exception:  # a tree of a shape that is not known: one place less to look at
            continue
    return found


def _searches_of(reading: Reading, block: exp.Select, n_rows: int) -> Iterator[Search]:
    where = block.args.get("where")
    conjuncts = [] if where is None else list(_conjuncts(where.this))
    local = {source.alias_or_name.lower() for source in _sources(block)}
    inner = [part for part in conjuncts if _is_local(part, local)]
    groups = block.args.get("group")
    terms = [_unaliased(block, term) for term in groups.expressions] if groups is not None else []
    terms = [term for term in terms if not isinstance(term, exp.Literal)]
    yield from _one_search(reading, block, inner, terms, n_rows, False)
    for part in inner:
        rest = [other for other in inner if other is not part]
        opposite = exp.Not(this=exp.Paren(this=part.copy()))
        yield from _one_search(reading, block, [*rest, opposite], terms, 12, True)
        unknown = exp.Is(this=exp.Paren(this=part.copy()), expression=exp.Null())
        yield from _one_search(reading, block, [*rest, unknown], terms, 4, True)


def _one_search(
    reading: Reading,
    block: exp.Select,
    conditions: list[exp.Expr],
    terms: list[exp.Expr],
    n_rows: int,
    is_near: bool,
) -> Iterator[Search]:
    copy = block.copy()
    for part in ("distinct", "group", "having", "limit", "offset", "windows", "qualify", "where", "with_"):
        copy.set(part, None)
    if terms or (
        (order := copy.args.get("order")) is not None
        and any(True for _ in order.find_all(exp.AggFunc, exp.Window, exp.Literal))
    ):
        copy.set("order", None)
    if conditions:
        copy.set("where", exp.Where(this=exp.and_(*conditions, copy=True)))
    sources = [node for node in _sources(copy) if _is_base(reading, node)]
    sources = [node for node in sources if reading.schema.tables[node.name.lower()].has_rowid]
    if not sources:
        return
    shown = [
        exp.Alias(
            this=exp.column("rowid", table=node.alias_or_name, quoted=False),
            alias=exp.to_identifier(f"r{number}"),
        )
        for number, node in enumerate(sources)
    ]
    if copy.args.get("order") is not None:
        copy.set("order", _unaliased(block, copy.args["order"]))
    for source, alias in zip(sources, shown, strict=True):
        quoted = source.args.get("alias")
        identifier = quoted.this if quoted is not None and quoted.this is not None else source.this
        alias.this.set("table", identifier.copy())
    copy.set("expressions", [*shown, *(exp.alias_(term, f"g{n}") for n, term in enumerate(terms))])
    copy.set("limit", exp.Limit(expression=exp.Literal.number(n_rows)))
    root = block
    while root.parent is not None:
        root = root.parent  # type: ignore[assignment]
    with_ = root.args.get("with_")
    if with_ is not None and not block.find_ancestor(exp.CTE):
        copy.set("with_", with_.copy())
    tables = tuple(node.name.lower() for node in sources)
    yield Search(copy.sql(dialect=reading.dialect), tables, len(terms), is_near)


def _unaliased(block: exp.Select, node: exp.Expr) -> exp.Expr:
    """A copy in which names of the block's own columns are what they stand for."""
    aliases = {each.alias.lower(): each.this for each in block.expressions if isinstance(each, exp.Alias)}
    holder = exp.Paren(this=node.copy())
    for column in list(holder.find_all(exp.Column)):
        meant = aliases.get(column.name.lower()) if not column.table else None
        if meant is not None and not (isinstance(meant, exp.Column) and meant.name == column.name):
            column.replace(exp.Paren(this=meant.copy()))
    return holder.this


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.And):
        yield from _conjuncts(node.this)
        yield from _conjuncts(node.expression)
    elif isinstance(node, exp.Paren) and isinstance(node.this, exp.And):
        yield from _conjuncts(node.this)
    else:
        yield node


def _is_local(part: exp.Expr, names: set[str]) -> bool:
    """Does a condition name no table of a block around it?"""
    for column in part.find_all(exp.Column):
        inner = column.find_ancestor(exp.Select)
        own = set(names)
        while inner is not None:
            own |= {source.alias_or_name.lower() for source in _sources(inner)}
            if inner is part or not _is_inside(inner, part):
                break
            inner = inner.find_ancestor(exp.Select)
        if column.table and column.table.lower() not in own:
            return False
    return True


def _is_inside(node: exp.Expr, outer: exp.Expr) -> bool:
    while node is not None:
        if node is outer:
            return True
        node = node.parent  # type: ignore[assignment]
    return False
