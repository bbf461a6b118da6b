"""Writes a statement anew so that other text gives the same rows: the control `gold-rewritten`.

The text is parsed and written back with upper-cased keywords, every table gets an alias of its own, and where
that cannot touch the order of the rows the whole becomes a derived table, `SELECT * FROM (…) AS …`. Column
names, select aliases and literals stay as they are.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glue.sql.parsing import parse_text

if TYPE_CHECKING:
    from sqlglot import exp

_KEEPS_ALL_NAMES = frozenset({"sqlite", "duckdb", "postgres", "redshift"})
"""Dialects whose derived tables may have several columns of one name, or columns without one."""
_HAS_ROW_VALUES = frozenset({"duckdb", "postgres", "redshift"})
"""Dialects where the name of a table, used as a column, is the whole row."""
_NO_NESTED_WITH = frozenset({"tsql", "fabric"})
_ORDER_AND_LIMIT = ("order", "limit", "offset", "locks", "sort", "sample")


def parse_read(sql: str, dialect: str) -> exp.Query | None:
    """The tree of a single query; None for anything else, for what does not parse and for what is too large.

    Never raises. `dialect` is sqlglot's name of the dialect the text is written in.
    """
    from sqlglot import exp

    statements = parse_text(sql, dialect).statements
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        return None
    if dialect == "sqlite" and "cross" not in sql.lower():
        _free_comma_joins(statements[0])
    return statements[0]


def _free_comma_joins(tree: exp.Query) -> None:
    """sqlglot reads SQLite's comma as CROSS JOIN, which would forbid SQLite to reorder the tables."""
    from sqlglot import exp

    for join in tree.find_all(exp.Join):
        if join.kind == "CROSS":
            join.set("kind", None)


def write(tree: exp.Expr, dialect: str) -> str | None:
    """The text of a tree in the dialect it was read in, or None when sqlglot says that it cannot write it.

    Changes the tree where sqlglot would write something of another meaning.
    """
    from sqlglot.errors import ErrorLevel

    try:
        if dialect == "sqlite":
            _keep_casts_numeric(tree)
        return str(tree.sql(dialect, comments=False, unsupported_level=ErrorLevel.RAISE))
    except Exception:
        return None


def _keep_casts_numeric(tree: exp.Expr) -> None:
    """SQLite knows no dates: CAST(x AS DATE) makes a number of x, but sqlglot would write DATE(x)."""
    from sqlglot import exp

    for cast in tree.find_all(exp.Cast):
        if cast.is_type(*exp.DataType.TEMPORAL_TYPES):
            cast.set("to", exp.DataType.build("NUMERIC", dialect="sqlite"))


def rewrite(sql: str, dialect: str) -> str | None:
    """Another text with the same rows, in the same order where the text asks for one. Never raises.

    `dialect` is sqlglot's name of the dialect the text is written in. None when the text is no single query,
    does not parse, or cannot be written back.
    """
    try:
        tree = parse_read(sql, dialect)
        if tree is None:
            return None
        names = _new_names(sql)
        _rename_tables(tree, dialect, names)
        if _may_be_derived(tree, dialect):
            tree = _derived(tree, next(names))
        return write(tree, dialect)
    except Exception:
        return None


def _new_names(sql: str) -> Iterator[str]:
    """Aliases that the text cannot hold yet."""
    prefix = "rw"
    while prefix in sql.lower():
        prefix += "w"
    number = 0
    while True:
        number += 1
        yield f"{prefix}{number}"


def _rename_tables(tree: exp.Query, dialect: str, names: Iterator[str]) -> None:
    """Gives every source of every FROM a new alias, and tells the columns that use the old one."""
    from sqlglot import exp

    waiting: list[tuple[exp.Expr, _Scope | None]] = [(tree, None)]
    while waiting:
        node, scope = waiting.pop()
        if isinstance(node, exp.Select):
            scope = _Scope(_rename_sources(node, dialect, names), scope)
        elif isinstance(node, exp.Column):
            _follow(node, scope)
        waiting += [(child, scope) for child in node.iter_expressions(reverse=True)]


@dataclass(frozen=True)
class _Scope:
    """What the sources of one SELECT were called, lower-cased, and what they are called now."""

    aliases: dict[str, str]
    outer: _Scope | None


def _rename_sources(select: exp.Select, dialect: str, names: Iterator[str]) -> dict[str, str]:
    """Old names, lower-cased, and new names of what one SELECT reads directly; some keep theirs."""
    from sqlglot import exp

    sources = list(_sources(select))
    old_names = [source.alias_or_name.lower() for source in sources]
    n_uses = Counter(old_names)
    kept = _whole_rows(select) if dialect in _HAS_ROW_VALUES else set()
    renamed: dict[str, str] = {}
    for source, old_name in zip(sources, old_names, strict=True):
        if old_name in kept or n_uses[old_name] > 1 or not _has_plain_alias(source):
            renamed[old_name] = source.alias_or_name
            continue
        alias = renamed[old_name] = next(names)
        source.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return renamed


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    """Tables, derived tables and whatever else FROM names, through parenthesized joins."""
    from sqlglot import exp

    start = select.args.get("from_")
    waiting = deque([] if start is None else [start.this])
    waiting += [join.this for join in select.args.get("joins") or []]
    while waiting:
        source = waiting.popleft()
        waiting += [join.this for join in source.args.get("joins") or []]
        if isinstance(source, exp.Paren) or (
            isinstance(source, exp.Subquery) and not isinstance(source.this, exp.Query)
        ):
            waiting.append(source.this)
        else:
            yield source


def _has_plain_alias(source: exp.Expr) -> bool:
    from sqlglot import exp

    if not isinstance(source, exp.Table | exp.Subquery) or source.args.get("pivots"):
        return False
    if isinstance(source, exp.Table) and not isinstance(source.this, exp.Identifier):
        return False
    alias = source.args.get("alias")
    return alias is None or not alias.args.get("columns")


def _whole_rows(select: exp.Select) -> set[str]:
    """Unqualified names used as columns: some may be a table's whole row."""
    from sqlglot import exp

    return {column.name.lower() for column in select.find_all(exp.Column) if not column.table}


def _follow(column: exp.Column, scope: _Scope | None) -> None:
    """Replaces the qualifier of a column by what the nearest source of that name is called now."""
    from sqlglot import exp

    for part in ("table", "db"):
        qualifier = column.args.get(part)
        if qualifier is None:
            continue
        old_name, found = qualifier.name.lower(), scope
        while found is not None and old_name not in found.aliases:
            found = found.outer
        if found is None:
            continue
        alias = found.aliases[old_name]
        if alias.lower() != old_name:
            column.set(part, exp.to_identifier(alias))
            if part == "table":
                column.set("db", None)
                column.set("catalog", None)
        return


def _may_be_derived(tree: exp.Query, dialect: str) -> bool:
    """A derived table around the query loses nothing: no order, no limit, and names that it allows."""
    from sqlglot import exp

    levels = [tree]
    while isinstance(levels[-1], exp.Subquery):
        levels.append(levels[-1].this)
    if any(level.args.get(part) for level in levels for part in _ORDER_AND_LIMIT):
        return False
    if dialect in _NO_NESTED_WITH and tree.args.get("with_") is not None:
        return False
    if dialect in _KEEPS_ALL_NAMES:
        return True
    names = [name.lower() for name in tree.named_selects]
    return "" not in names and "*" not in names and len(set(names)) == len(names)


def _derived(tree: exp.Query, alias: str) -> exp.Select:
    from sqlglot import exp

    while isinstance(tree, exp.Subquery) and not tree.alias:
        tree = tree.this
    return exp.select("*").from_(tree.subquery(alias))
