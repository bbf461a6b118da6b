"""Small changes that a careful test of a query notices: does the data tell the query from its mutations?

Unlike `mutate`, which breaks a statement in one drawn place, this gives every change of a fixed list, one
text each: a WHERE conjunct dropped, > and >=, < and <=, an end of BETWEEN made exclusive, INNER and LEFT
JOIN, DISTINCT dropped, COALESCE and NVL dropped, NOT EXISTS and NOT IN, UNION and UNION ALL. A change that no
data can show, because a declared key or NOT NULL forbids the rows that would, is left out where `schema` says
so: an inner join along a foreign key made LEFT, NOT IN over columns that are never NULL. So is an inner join
made LEFT where a condition further on drops the rows without a partner again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from glue.sql.rewrite import parse_read, write

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class Mutation:
    """One change: its name, what was changed, in words, and the whole text with it."""

    name: (
        str  # where_dropped, boundary, inner_to_left, left_to_inner, distinct_dropped, null_default_dropped,
    )
    # exists_to_in, in_to_exists, union_to_all, all_to_union
    what: str
    sql: str


@dataclass(frozen=True)
class Schema:
    """What a database forbids, names in lower case: columns without NULL, foreign keys of single columns."""

    not_null: frozenset[tuple[str, str]] = frozenset()  # (table, column)
    foreign_keys: frozenset[tuple[str, str, str, str]] = field(default_factory=frozenset)
    # (table, column, referenced table, referenced column)


def mutations(sql: str, dialect: str, schema: Schema | None = None) -> list[Mutation]:
    """Every applicable change of the list, in the order of the tree, each text once. Never raises.

    `dialect` is sqlglot's name of the dialect the text is written in. Empty when the text is no single query
    or does not parse. Whether a changed text runs is for its user to see.
    """
    try:
        tree = parse_read(sql, dialect)
        unchanged = None if tree is None else write(tree.copy(), dialect)
        if tree is None or unchanged is None:
            return []
        return list(_written(tree, dialect, schema or Schema(), unchanged))
    except Exception:
        return []


@dataclass(frozen=True)
class _Change:
    name: str
    what: str
    apply: Callable[[], None]


def _written(tree: exp.Query, dialect: str, schema: Schema, unchanged: str) -> Iterator[Mutation]:
    from sqlglot import exp

    seen = {unchanged}
    for place in range(len(list(_changes(tree, schema)))):
        holder = exp.Paren(this=tree.copy())  # so that the root, too, can be replaced
        change = list(_changes(holder.this, schema))[place]
        change.apply()
        text = write(holder.this, dialect)
        if text is not None and text not in seen and parse_read(text, dialect) is not None:
            seen.add(text)
            yield Mutation(change.name, change.what, text)


def _changes(tree: exp.Expr, schema: Schema) -> Iterator[_Change]:
    from sqlglot import exp

    for node in tree.walk(bfs=False):
        if isinstance(node, exp.Where):
            yield from _dropped_conjuncts(node)
        elif isinstance(node, exp.GT | exp.GTE | exp.LT | exp.LTE):
            yield _moved_boundary(node)
        elif isinstance(node, exp.Between):
            yield from _exclusive_ends(node)
        elif isinstance(node, exp.Join):
            yield from _join_kinds(node, schema)
        elif isinstance(node, exp.Distinct):
            yield from _without_distinct(node)
        elif isinstance(node, exp.Coalesce):
            yield _replacing("null_default_dropped", node, node.this)
        elif isinstance(node, exp.Not):
            yield from _other_anti_join(node, schema)
        elif isinstance(node, exp.Union):
            yield _other_union(node)


# --------------------------------------------------------------------------- conditions


def _dropped_conjuncts(where: exp.Where) -> Iterator[_Change]:
    from sqlglot import exp

    parts = _conjuncts(where.this)
    for number, part in enumerate(parts):
        rest = [other for place, other in enumerate(parts) if place != number]

        def drop(rest: list[exp.Expr] = rest) -> None:
            if rest:
                where.set("this", exp.and_(*rest, copy=True))
            else:
                where.pop()

        yield _Change("where_dropped", f"without {_text(part)}", drop)


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    if isinstance(condition, exp.And):
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    inner = condition.unnest()
    return _conjuncts(inner) if isinstance(inner, exp.And) else [condition]


def _moved_boundary(node: exp.Binary) -> _Change:
    from sqlglot import exp

    others: dict[type[exp.Expr], type[exp.Binary]] = {
        exp.GT: exp.GTE,
        exp.GTE: exp.GT,
        exp.LT: exp.LTE,
        exp.LTE: exp.LT,
    }
    new = others[type(node)](this=node.this.copy(), expression=node.expression.copy())
    return _replacing("boundary", node, new)


def _exclusive_ends(node: exp.Between) -> Iterator[_Change]:
    """x BETWEEN a AND b without a, and without b."""
    from sqlglot import exp

    subject, low, high = node.this, node.args["low"], node.args["high"]
    for lower, upper in ((exp.GT, exp.LTE), (exp.GTE, exp.LT)):
        both = exp.and_(
            lower(this=subject.copy(), expression=low.copy()),
            upper(this=subject.copy(), expression=high.copy()),
        )
        yield _replacing("boundary", node, exp.Paren(this=both))


# --------------------------------------------------------------------------- joins, duplicates, defaults


def _join_kinds(join: exp.Join, schema: Schema) -> Iterator[_Change]:
    if not join.args.get("on") and not join.args.get("using"):
        return
    side = (join.side or "").upper()
    if side == "LEFT":
        yield _setting("left_to_inner", f"LEFT -> INNER JOIN {_text(join.this)}", join, side=None, kind=None)
    elif not side and (join.kind or "INNER").upper() == "INNER":
        if _always_matches(join, schema) or _needs_partner(join):
            return
        yield _setting(
            "inner_to_left", f"INNER -> LEFT JOIN {_text(join.this)}", join, side="LEFT", kind=None
        )


def _always_matches(join: exp.Join, schema: Schema) -> bool:
    """Every row before the join has a partner: it follows a foreign key from a column without NULL."""
    from sqlglot import exp

    select, condition = join.parent, join.args.get("on")
    if not isinstance(select, exp.Select) or not isinstance(condition, exp.EQ):
        return False
    if not isinstance(join.this, exp.Table):
        return False
    tables, nullable = _tables_of(select)
    left, right = condition.left, condition.right
    for child, parent in ((left, right), (right, left)):
        if not isinstance(child, exp.Column) or not isinstance(parent, exp.Column):
            return False
        child_table, parent_table = tables.get(child.table.lower()), tables.get(parent.table.lower())
        key = (child_table, child.name.lower(), parent_table, parent.name.lower())
        is_joined = parent.table.lower() == join.this.alias_or_name.lower()
        is_certain = child.table.lower() not in nullable and key[:2] in schema.not_null
        if is_joined and is_certain and key in schema.foreign_keys:
            return True
    return False


def _needs_partner(join: exp.Join) -> bool:
    """A WHERE conjunct or a later inner join compares a column of the joined table: NULL would not pass."""
    from sqlglot import exp

    select, alias = join.parent, join.this.alias_or_name.lower()
    if not isinstance(select, exp.Select):
        return False
    joins = select.args.get("joins") or []
    where = select.args.get("where")
    conditions = [] if where is None else _conjuncts(where.this)
    for later in joins[_place_of(join, joins) + 1 :]:
        if not later.side and later.args.get("on") is not None:
            conditions += _conjuncts(later.args["on"])
    return any(_refuses_null(condition, alias) for condition in conditions)


def _place_of(join: exp.Join, joins: list[exp.Join]) -> int:
    return next(place for place, other in enumerate(joins) if other is join)


def _refuses_null(condition: exp.Expr, alias: str) -> bool:
    """A plain comparison with a column of the alias in it, outside of what may turn NULL into a value."""
    from sqlglot import exp

    inner = condition.unnest()
    if isinstance(inner, exp.Not):
        inner = inner.this.unnest()
        if isinstance(inner, exp.Is):
            return isinstance(inner.expression, exp.Null) and _is_of(inner.this, alias)
    kinds = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like)
    if isinstance(inner, exp.In):
        return _is_of(inner.this, alias) and inner.args.get("query") is None
    hiding = (exp.Coalesce, exp.Case, exp.If, exp.Is, exp.Query)
    return (
        isinstance(inner, kinds)
        and inner.find(*hiding) is None
        and any(_is_of(column, alias) for column in inner.find_all(exp.Column))
    )


def _is_of(column: object, alias: str) -> bool:
    from sqlglot import exp

    return isinstance(column, exp.Column) and column.table.lower() == alias


def _tables_of(select: exp.Select) -> tuple[dict[str, str], set[str]]:
    """Base tables by alias, lower-cased, of one SELECT; and aliases whose columns outer joins make NULL."""
    from sqlglot import exp

    start, joins = select.args.get("from_"), select.args.get("joins") or []
    sources = ([] if start is None else [start.this]) + [join.this for join in joins]
    tables = {s.alias_or_name.lower(): s.name.lower() for s in sources if isinstance(s, exp.Table)}
    nullable = {join.this.alias_or_name.lower() for join in joins if join.side.upper() == "LEFT"}
    if any(join.side.upper() in ("RIGHT", "FULL") for join in joins):
        nullable = {source.alias_or_name.lower() for source in sources}
    return tables, nullable


def _without_distinct(node: exp.Distinct) -> Iterator[_Change]:
    """SELECT DISTINCT, and DISTINCT inside an aggregate."""
    from sqlglot import exp

    parent = node.parent
    if isinstance(parent, exp.Select):
        yield _setting("distinct_dropped", "SELECT without DISTINCT", parent, distinct=None)
    elif parent is not None and len(node.expressions) == 1:
        yield _replacing("distinct_dropped", node, node.expressions[0])


def _other_union(node: exp.Union) -> _Change:
    is_distinct = bool(node.args.get("distinct"))
    name, what = (
        ("union_to_all", "UNION -> UNION ALL") if is_distinct else ("all_to_union", "UNION ALL -> UNION")
    )
    return _setting(name, what, node, distinct=not is_distinct)


# --------------------------------------------------------------------------- NOT EXISTS and NOT IN


def _other_anti_join(node: exp.Not, schema: Schema) -> Iterator[_Change]:
    from sqlglot import exp

    inner = node.this.unnest()
    if isinstance(inner, exp.Exists) and isinstance(inner.this, exp.Select):
        yield from _exists_as_in(node, inner.this, schema)
    elif isinstance(inner, exp.In) and inner.args.get("query") is not None:
        yield from _in_as_exists(node, inner, schema)


def _exists_as_in(node: exp.Not, query: exp.Select, schema: Schema) -> Iterator[_Change]:
    """NOT EXISTS (… WHERE inner = outer AND rest) as outer NOT IN (SELECT inner … WHERE rest)."""
    from sqlglot import exp

    where = query.args.get("where")
    if where is None or query.args.get("group") or query.args.get("having"):
        return
    tables, nullable = _tables_of(query)
    parts = _conjuncts(where.this)
    for part in parts:
        if not isinstance(part, exp.EQ):
            continue
        left, right = part.left, part.right
        if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
            continue
        inside = [side.table.lower() in tables for side in (left, right)]
        if inside.count(True) != 1:
            continue
        inner, outer = (left, right) if inside[0] else (right, left)
        rest = [other.copy() for other in parts if other is not part]
        is_guarded = any(_says_not_null(other, inner) for other in rest)
        is_certain = is_guarded or _never_null(inner, tables, nullable, schema)
        if is_certain and _outer_never_null(outer, node, schema):
            continue
        values = query.copy()
        values.set("expressions", [inner.copy()])
        values.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
        yield _replacing("exists_to_in", node, _not_in(outer.copy(), values))
        return


def _in_as_exists(node: exp.Not, found: exp.In, schema: Schema) -> Iterator[_Change]:
    """x NOT IN (query) as NOT EXISTS (SELECT 1 FROM (query) AS m (k) WHERE m.k = x)."""
    from sqlglot import exp

    query = found.args["query"].unnest()
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return
    tables, nullable = _tables_of(query)
    item = query.expressions[0].unalias()
    if isinstance(item, exp.Column) and isinstance(found.this, exp.Column):
        where = query.args.get("where")
        is_guarded = where is not None and any(_says_not_null(c, item) for c in _conjuncts(where.this))
        is_certain = is_guarded or _never_null(item, tables, nullable, schema)
        if is_certain and _outer_never_null(found.this, node, schema):
            return
    values = query.copy()
    values.set("expressions", [exp.alias_(item.copy(), "mutated_key")])
    key = exp.column("mutated_key", table="mutated")
    same = (
        exp.select("1")
        .from_(values.subquery("mutated"))
        .where(exp.EQ(this=key, expression=found.this.copy()))
    )
    yield _replacing("in_to_exists", node, exp.Not(this=exp.Exists(this=same)))


def _not_in(subject: exp.Expr, values: exp.Select) -> exp.Not:
    from sqlglot import exp

    return exp.Not(this=exp.In(this=subject, query=values.subquery()))


def _says_not_null(condition: exp.Expr, column: exp.Expr) -> bool:
    from sqlglot import exp

    inner = condition.this.unnest() if isinstance(condition, exp.Not) else None
    return isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null) and inner.this == column


def _never_null(column: exp.Column, tables: dict[str, str], nullable: set[str], schema: Schema) -> bool:
    """A base table's column without NULL, not made NULL by an outer join; unqualified: of the only table."""
    alias = column.args["table"].name.lower() if column.args.get("table") else None
    if alias is None and len(tables) == 1:
        (alias,) = tables
    return (
        alias is not None
        and alias not in nullable
        and (tables.get(alias), column.name.lower()) in schema.not_null
    )


def _outer_never_null(column: exp.Column, node: exp.Expr, schema: Schema) -> bool:
    """The same of a column of the SELECT around `node`."""
    from sqlglot import exp

    select = node.find_ancestor(exp.Select)
    return isinstance(select, exp.Select) and _never_null(column, *_tables_of(select), schema)


# --------------------------------------------------------------------------- making changes


def _replacing(name: str, node: exp.Expr, new: exp.Expr) -> _Change:
    def apply() -> None:
        node.replace(new.copy())

    return _Change(name, f"{_text(node)} -> {_text(new)}", apply)


def _setting(name: str, what: str, node: exp.Expr, **arguments: object) -> _Change:
    def apply() -> None:
        for key, value in arguments.items():
            node.set(key, value)

    return _Change(name, what, apply)


def _text(node: exp.Expr) -> str:
    return " ".join(node.sql().split())
