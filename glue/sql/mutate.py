"""Breaks a statement in one place: the control `gold-broken`.

A statement that differs from gold in one literal, operator or join should not match it. How often it still
does says how much the data of a benchmark can tell apart. The place is chosen by md5 of the text and a seed,
so that the same gold is always broken in the same way. What would make two tables multiply, a join condition
turned round, is left alone: the broken statement should run about as long as gold.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING

from glue.sql.rewrite import parse_read, write

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class _Change:
    """One way to break a tree. `apply` does it and says in words what it did."""

    apply: Callable[[], str]


def mutate(sql: str, dialect: str, seed: int = 0) -> tuple[str, str] | None:
    """The text with one change, and the change in words ('literal 5 -> 6'). Never raises.

    `dialect` is sqlglot's name of the dialect the text is written in. A literal, an operator or a join is
    changed where there is one; else an aggregate, a direction of sorting, DISTINCT or the kind of a join;
    else the condition 1 = 0 is added. None when the text is no single query, does not parse, or cannot be
    broken.
    """
    try:
        tree = parse_read(sql, dialect)
        if tree is None:
            return None
        unbroken = write(tree.copy(), dialect)
        for collect in (_main_changes, _lesser_changes, _last_resort):
            broken = _first_that_works(tree, dialect, collect, unbroken, _draw(sql, seed))
            if broken is not None:
                return broken
        return None
    except Exception:
        return None


_MAX_TURNS = 5
"""Changes tried in one statement before giving up."""


def _draw(sql: str, seed: int) -> int:
    return int(hashlib.md5(f"{seed}|{sql}".encode(), usedforsecurity=False).hexdigest(), 16)


def _first_that_works(
    tree: exp.Query,
    dialect: str,
    collect: Callable[[exp.Expr, str], list[_Change]],
    unbroken: str | None,
    draw: int,
) -> tuple[str, str] | None:
    """Applies the drawn change, or the next in turn where it cannot be written or changes nothing."""
    from sqlglot import exp

    n_changes = len(collect(tree, dialect))
    for turn in range(min(n_changes, _MAX_TURNS)):
        holder = exp.Paren(this=tree.copy())  # so that the root, too, can be replaced
        change = collect(holder.this, dialect)[(draw + turn) % n_changes]
        what = change.apply()
        text = write(holder.this, dialect)
        if text is not None and text != unbroken and parse_read(text, dialect) is not None:
            return text, what
    return None


# --------------------------------------------------------------------------- literals, operators, joins


def _main_changes(tree: exp.Expr, dialect: str) -> list[_Change]:
    from sqlglot import exp

    changes: list[_Change] = []
    for node, place in _walk(tree):
        if isinstance(node, exp.Literal | exp.Boolean):
            changes += _literal_changes(node)
        elif isinstance(node, exp.SetOperation):
            changes += _set_operation_changes(node)
        elif isinstance(node, exp.Join):
            changes += _join_condition_changes(node, dialect)
        elif not _joins_tables(node, place):
            changes += _operator_changes(node)
    return changes


class _Place(Enum):
    """Where in a query a node stands, as far as joins go."""

    JOIN = "inside a join"
    OPEN = "in a SELECT some of whose tables are joined by WHERE"
    PLAIN = "anywhere else"


def _walk(tree: exp.Expr) -> Iterator[tuple[exp.Expr, _Place]]:
    """Every node from the top down, and its place; not into WITH RECURSIVE, which might never end."""
    from sqlglot import exp

    waiting = [(tree, _Place.PLAIN)]
    while waiting:
        node, place = waiting.pop()
        yield node, place
        if isinstance(node, exp.With) and node.args.get("recursive"):
            continue
        if isinstance(node, exp.Select):
            joins = node.args.get("joins") or []
            is_open = any(not join.args.get("on") and not join.args.get("using") for join in joins)
            place = _Place.OPEN if is_open else _Place.PLAIN
        elif isinstance(node, exp.Join):
            place = _Place.JOIN
        waiting += [(child, place) for child in node.iter_expressions(reverse=True)]


def _joins_tables(node: exp.Expr, place: _Place) -> bool:
    """The node is a join condition, or connects what may be one: without it two tables multiply."""
    from sqlglot import exp

    return (
        place is _Place.JOIN
        or _is_between_columns(node)
        or (place is _Place.OPEN and isinstance(node, exp.And))
    )


def _literal_changes(node: exp.Literal | exp.Boolean) -> list[_Change]:
    from sqlglot import exp

    if isinstance(node.parent, exp.Ordered | exp.Group | exp.DataTypeParam | exp.Interval | exp.Tuple):
        return []
    if isinstance(node, exp.Boolean):
        return [_replacing("literal", node, lambda: exp.Boolean(this=not node.this))]
    if not node.is_string:
        return [_replacing("literal", node, lambda: exp.Literal.number(_other_number(node.this)))]
    if isinstance(node.parent, exp.Predicate | exp.Cast | exp.Case | exp.If | exp.Select | exp.Alias):
        return [_replacing("literal", node, lambda: exp.Literal.string(_other_text(node.this)))]
    return []


def _other_number(text: str) -> str:
    """A number well away from the first: one more would often select the same rows."""
    return str(2 * Decimal(text) + 1)


def _other_text(text: str) -> str:
    """Another text of the same kind, so that a date is still a date and a number a number."""
    date = re.fullmatch(r"(\d{4})(-\d{2})?(-\d{2})?(\D.*)?", text, re.DOTALL)
    if date is not None:
        year, month, day, rest = (part or "" for part in date.groups())
        day = "-28" if day == "-29" else day
        return f"{(int(year) + 1) % 10_000:04d}{month}{day}{rest}"
    if text.isascii() and text.isdigit():
        return str(int(text) + 1).zfill(len(text))
    return f"{text}x"


def _operator_changes(node: exp.Expr) -> list[_Change]:
    from sqlglot import exp

    opposites: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.EQ: exp.NEQ,
        exp.NEQ: exp.EQ,
        exp.GT: exp.LTE,
        exp.LTE: exp.GT,
        exp.LT: exp.GTE,
        exp.GTE: exp.LT,
        exp.And: exp.Or,
        exp.Or: exp.And,
        exp.Mul: exp.Add,
        exp.Div: exp.Mul,
    }
    if _is_number_step(node):
        opposites |= {exp.Add: exp.Sub, exp.Sub: exp.Add}
    other = opposites.get(type(node))
    if other is not None:
        return [_replacing("operator", node, lambda: _with_operator(node, other))]
    if isinstance(node, exp.Like | exp.ILike | exp.In | exp.Between | exp.Is | exp.Exists):
        return [_negation(node)]
    return []


def _with_operator(node: exp.Expr, other: type[exp.Expr]) -> exp.Expr:
    """The same operands under another operator, in parentheses where precedence could tear them apart."""
    from sqlglot import exp

    changed = other(this=node.this.copy(), expression=node.expression.copy())
    is_loose = isinstance(node.parent, exp.Binary) and not isinstance(node, exp.Predicate)
    return exp.Paren(this=changed) if is_loose else changed


def _is_number_step(node: exp.Expr) -> bool:
    """Adds or subtracts a number as written; days between two dates cannot be added instead."""
    from sqlglot import exp

    return isinstance(node, exp.Binary) and any(
        isinstance(side, exp.Literal) and not side.is_string for side in (node.left, node.right)
    )


def _negation(node: exp.Expr) -> _Change:
    """NOT before the predicate, or gone from there."""
    from sqlglot import exp

    while isinstance(node.parent, exp.Escape | exp.Paren):
        node = node.parent
    if isinstance(node.parent, exp.Not):
        return _replacing("operator", node.parent, node.copy)
    return _replacing("operator", node, lambda: exp.Not(this=node.copy()))


def _set_operation_changes(node: exp.SetOperation) -> list[_Change]:
    from sqlglot import exp

    other = exp.Except if isinstance(node, exp.Intersect) else exp.Intersect
    if isinstance(node, exp.Union) and not node.args.get("distinct"):
        return [_setting(node, {"distinct": True}, "operator UNION ALL -> UNION")]

    def change() -> str:
        node.replace(other(**{**node.args, "distinct": True}))
        return f"operator {node.key.upper()} -> {other.__name__.upper()}"

    return [_Change(change)]


_ADDS_ANYTHING = frozenset({"sqlite", "mysql"})
"""Dialects where 1 may be added to a text, so that a key need not be known to be a number."""


def _join_condition_changes(node: exp.Join, dialect: str) -> list[_Change]:
    """Partners one key away: a.id = b.a_id becomes a.id = b.a_id + 1."""
    from sqlglot import exp

    condition = node.args.get("on")
    keys = (
        [] if condition is None else [key for key in condition.find_all(exp.EQ) if _is_between_columns(key)]
    )
    if dialect not in _ADDS_ANYTHING or not keys:
        return []

    def shifted() -> exp.Expr:
        left, right = keys[0].left.copy(), keys[0].right.copy()
        return exp.EQ(this=left, expression=exp.Add(this=right, expression=exp.Literal.number(1)))

    return [_replacing("join", keys[0], shifted)]


def _is_between_columns(node: exp.Expr) -> bool:
    from sqlglot import exp

    return (
        isinstance(node, exp.EQ) and isinstance(node.left, exp.Column) and isinstance(node.right, exp.Column)
    )


def _join_kind_changes(node: exp.Join) -> list[_Change]:
    """An inner join becomes a left one, an outer join an inner one. Often changes no row."""
    if not node.args.get("on") and not node.args.get("using"):
        return []
    old, new = (node.side.upper(), "INNER") if node.side else ("INNER", "LEFT")
    return [_setting(node, {"kind": None, "side": new if new == "LEFT" else None}, f"join {old} -> {new}")]


# --------------------------------------------------------------------------- what else can be changed


def _lesser_changes(tree: exp.Expr, dialect: str) -> list[_Change]:
    from sqlglot import exp

    changes: list[_Change] = []
    for node in tree.walk():
        changes += _aggregate_changes(node)
        if isinstance(node, exp.Ordered):
            changes.append(_reversal(node))
        elif isinstance(node, exp.Join):
            changes += _join_kind_changes(node)
        elif isinstance(node, exp.Select) and node.args.get("distinct"):
            changes.append(_setting(node, {"distinct": None}, "DISTINCT dropped"))
    return changes


def _aggregate_changes(node: exp.Expr) -> Iterator[_Change]:
    from sqlglot import exp

    others: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.Max: exp.Min,
        exp.Min: exp.Max,
        exp.Sum: exp.Avg,
        exp.Avg: exp.Sum,
    }
    other = others.get(type(node))
    if other is not None:
        yield _replacing("aggregate", node, lambda: other(this=node.this.copy()))


def _reversal(node: exp.Ordered) -> _Change:
    is_descending = bool(node.args.get("desc"))
    what = "order DESC -> ASC" if is_descending else "order ASC -> DESC"
    changed = {"desc": not is_descending, "nulls_first": not node.args.get("nulls_first")}
    return _setting(node, changed, what)


def _last_resort(tree: exp.Expr, dialect: str) -> list[_Change]:
    """No row passes; a COUNT is 0."""
    from sqlglot import exp

    select = next((select for select in tree.find_all(exp.Select) if select.args.get("from_")), None)
    if select is None:
        return []
    condition = exp.Where(this=exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0)))
    return [_setting(select, {"where": condition}, "condition 1 = 0 added")]


def _replacing(kind: str, node: exp.Expr, other: Callable[[], exp.Expr]) -> _Change:
    """Puts another node in a node's place; it is made when the change is applied."""

    def change() -> str:
        new = other()
        what = f"{kind} {_short(node)} -> {_short(new)}"
        node.replace(new)
        return what

    return _Change(change)


def _setting(node: exp.Expr, arguments: Mapping[str, object], what: str) -> _Change:
    def change() -> str:
        for name, value in arguments.items():
            node.set(name, value)
        return what

    return _Change(change)


def _short(node: exp.Expr) -> str:
    """A node in one short line."""
    text = node.sql()
    return text if len(text) <= 60 else f"{text[:57]}..."
