"""What a whole term of ORDER BY or GROUP BY stands for: a column of SELECT, by number or alias, or itself.

Brackets and COLLATE around it change nothing of that. A plus does: `ORDER BY +age` is the column `age`, no
alias, and `ORDER BY +1` a value, unless the dialect drops the plus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from glue.sql.scopes import is_star
from glue.sql.tree_repairs import is_after_plus

if TYPE_CHECKING:
    from glue.sql.scopes import Block

_NUMBERS_AFTER_PLUS = frozenset({"sqlite", "mysql"})
_ALIASES_AFTER_PLUS = frozenset({"mysql"})


def without_brackets(term: exp.Expr) -> exp.Expr:
    """A term without the brackets around it."""
    while isinstance(term, exp.Paren):
        term = term.this
    return term


def bare_term(term: exp.Expr) -> exp.Expr:
    """A term without its direction, collations and brackets."""
    while isinstance(term, (exp.Ordered, exp.Collate, exp.Paren)):
        term = term.this
    return term


def collations(term: exp.Expr) -> list[exp.Collate]:
    """The collations around a term, the outermost first."""
    found = []
    while isinstance(term, (exp.Ordered, exp.Collate, exp.Paren)):
        if isinstance(term, exp.Collate):
            found.append(term)
        term = term.this
    return found


def ordinal(term: exp.Expr, dialect: str) -> int | None:
    """The 1-based number of a column that a term is; None for any other term."""
    term = bare_term(term)
    if not isinstance(term, exp.Literal) or term.args.get("is_string") or not str(term.this).isdigit():
        return None
    if is_after_plus(term) and dialect not in _NUMBERS_AFTER_PLUS:
        return None
    return int(term.this)


def is_alias_first(term: exp.Expr, dialect: str) -> bool:
    """Whether a name that is a whole term of ORDER BY means an alias before it means a column."""
    return not is_after_plus(bare_term(term)) or dialect in _ALIASES_AFTER_PLUS


def meant_by_term(term: exp.Expr, block: Block) -> exp.Expr | None:
    """The column of SELECT that a whole term of ORDER BY means; None: it means itself.

    The caller heeds the collations of the term.
    """
    place = ordinal(term, block.dialect)
    if place is not None:
        return numbered(block, place)
    bare = bare_term(term)
    if isinstance(bare, exp.Column):
        return block.alias_meant(bare, is_alias_first(bare, block.dialect))
    return None


def numbered(block: Block, place: int) -> exp.Expr | None:
    """The column of SELECT with a 1-based number; None where there is none, or a star makes it unknown."""
    items = [item.this if isinstance(item, exp.Alias) else item for item in block.select.expressions]
    if 0 < place <= len(items) and not any(is_star(item) for item in items):
        return items[place - 1]
    return None
