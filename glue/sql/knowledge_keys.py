"""Published keys of knowledge, brought to the type and skeleton of the component that they came from.

A key is a piece of SQL in which values may be `<val>`: a condition, FROM … JOIN, GROUP BY, ORDER BY … LIMIT,
SELECT DISTINCT …, an expression or a whole statement (BIRD-History, A.1 and Table 7). Its first words tell
which; without such words a predicate is a condition and any other expression a calculation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from glue.sql.components import (
    UnreadableError,
    has_join,
    is_calculation,
    is_predicate,
    parsed_query,
    read_statement,
)
from glue.sql.parsing import MAX_BYTES, readable_error
from glue.sql.scopes import Query, Statement
from glue.sql.shown_columns import TooManyColumnsError
from glue.sql.skeletons import SkeletonPrinter, TooLongError, bare

_VALUE_OR_QUOTED = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|(?P<value><\s*val(?:ue)?\s*>)""", re.IGNORECASE
)
_CURLY_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_JOIN_WORDS = ("inner", "left", "right", "full", "cross", "natural")
_WHOLE = ("select", "with", "values", "(")
_Found = tuple[str, str]


class UnknownKeyError(Exception):
    """A key that is no piece of knowledge."""


def knowledge_key(key: str, dialect: str, outline: str) -> dict[str, Any]:
    """The type and skeleton of a published key. Never raises.

    Keys of the result: outcome (read, unread), knowledge_type, skeleton (None where unread), error (None
    where read).
    """
    try:
        knowledge_type, skeleton = _read(key, dialect, outline)
    except UnreadableError as error:
        return unread_key(f"{error.reason}: {error.detail or ''}".rstrip(": "))
    except (UnknownKeyError, TooManyColumnsError, TooLongError) as error:
        return unread_key(str(error))
    except RecursionError:
        return unread_key("nested deeper than can be followed")
    except Exception as error:
        return unread_key(f"{type(error).__name__}: {readable_error(error)}")
    return {"outcome": "read", "knowledge_type": knowledge_type, "skeleton": skeleton, "error": None}


def unread_key(error: str) -> dict[str, Any]:
    """The result for a key that could not be read."""
    return {"outcome": "unread", "knowledge_type": None, "skeleton": None, "error": error}


def parsable(key: str) -> str:
    """A key as a text that parses: `<val>` outside quotes is a number, curly quotes are straight."""
    if "'" not in key and '"' not in key:
        key = key.translate(_CURLY_QUOTES)
    return (
        _VALUE_OR_QUOTED.sub(lambda found: " 0 " if found["value"] else found[0], key)
        .strip()
        .rstrip(";")
        .strip()
    )


def _read(key: str, dialect: str, outline: str) -> _Found:
    if len(key) > MAX_BYTES:
        raise UnknownKeyError(f"the key is longer than {MAX_BYTES} characters")
    text = parsable(key)
    words = text[:40].lower().split()
    if not words:
        raise UnknownKeyError("the key is empty")
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first == "from":
        return _fragment(f"SELECT * {text}", dialect, outline, _relation)
    if first == "group" and second == "by":
        return _fragment(f"SELECT * {text}", dialect, outline, _dimension)
    if (first == "order" and second == "by") or first in ("limit", "offset", "fetch"):
        return _fragment(f"SELECT * {text}", dialect, outline, _output)
    if first == "partition" and second == "by":
        return _fragment(f"SELECT SUM(1) OVER ({text})", dialect, outline, _partition)
    if first in ("where", "having"):
        text = text.split(None, 1)[1] if len(words) > 1 else ""
        return _fragment(f"SELECT * WHERE {text}", dialect, outline, _condition)
    if first == "join" or (first in _JOIN_WORDS and second in ("join", "outer")):
        raise UnknownKeyError("a JOIN without its FROM")
    if first == "distinct":
        return _fragment(f"SELECT {text}", dialect, outline, _list)
    if first.startswith(_WHOLE):
        found = _whole(text, dialect, outline)
        if found is not None:
            return found
    return _fragment(f"SELECT {text}", dialect, outline, _expression)


def _fragment(
    sql: str,
    dialect: str,
    outline: str,
    reader: Callable[[SkeletonPrinter, Query], _Found],
) -> _Found:
    statement, references = read_statement(parsed_query(sql, dialect), outline, is_fragment=True)
    return reader(SkeletonPrinter(references), _root(statement))


def _root(statement: Statement) -> Query:
    if statement.root is None or statement.root.block is None:
        raise UnknownKeyError("the key is no piece of one SELECT")
    return statement.root


def _whole(text: str, dialect: str, outline: str) -> _Found | None:
    """A whole statement, or SELECT without a FROM; None where it is neither."""
    try:
        statement, references = read_statement(parsed_query(text, dialect), outline)
    except UnreadableError:
        if text.startswith("("):
            return None
        raise
    root = statement.root
    if root is None or _is_list(root):
        if text.startswith("("):
            return None
        return _fragment(text, dialect, outline, _list)
    return "full_sql", _written(SkeletonPrinter(references), root)


def _is_list(root: Query) -> bool:
    """SELECT of columns that no FROM declares."""
    if root.block is None or root.ctes or root.block.select.args.get("from_") is not None:
        return False
    return bool(root.block.sections) or root.block.select.args.get("distinct") is not None


def _written(printer: SkeletonPrinter, root: Query) -> str:
    return printer.write(lambda: printer.query(root))


def _relation(printer: SkeletonPrinter, root: Query) -> _Found:
    block = _block(root)
    if not has_join(block):
        raise UnknownKeyError("a FROM without a join")
    return "relation", printer.write(lambda: printer.relation(block))


def _dimension(printer: SkeletonPrinter, root: Query) -> _Found:
    group = _block(root).select.args.get("group")
    if group is None or not any(group.args.values()):
        raise UnknownKeyError("no GROUP BY in it")
    return "dimension", printer.write(lambda: printer.group(group, root))


def _partition(printer: SkeletonPrinter, root: Query) -> _Found:
    window = root.node.find(exp.Window)
    terms = window.args.get("partition_by") if window is not None else None
    if not terms:
        raise UnknownKeyError("no PARTITION BY in it")
    return "dimension", printer.write(lambda: printer.partition(terms, root.block))


def _condition(printer: SkeletonPrinter, root: Query) -> _Found:
    where = _block(root).select.args.get("where")
    if where is None:
        raise UnknownKeyError("no condition in it")
    return "condition", printer.write(lambda: printer.text(where.this, root.block))


def _output(printer: SkeletonPrinter, root: Query) -> _Found:
    """ORDER BY of one expression that computes, without direction and LIMIT, is Table 7's calculation."""
    args = _block(root).select.args
    keys = args["order"].expressions if args.get("order") is not None else []
    if len(keys) == 1 and args.get("limit") is None and args.get("offset") is None:
        key = keys[0]
        if isinstance(key, exp.Ordered) and key.args.get("desc") is None and is_calculation(key.this):
            return "calculation", printer.write(lambda: printer.text(key.this, root.block))
    return "output", printer.write(lambda: printer.output(root.node, root))


def _list(printer: SkeletonPrinter, root: Query) -> _Found:
    """SELECT DISTINCT a, b; or SELECT with one expression that computes."""
    block = _block(root)
    if block.select.args.get("distinct") is not None:
        return "output", printer.write(lambda: printer.select_list(block))
    item = _only_item(root)
    if not is_calculation(item):
        raise UnknownKeyError("a SELECT of nothing that computes")
    return "calculation", printer.write(lambda: printer.text(item, root.block))


def _expression(printer: SkeletonPrinter, root: Query) -> _Found:
    item = bare(_only_item(root))
    if not is_calculation(item):
        raise UnknownKeyError("a plain column or value")
    kind = "condition" if is_predicate(item) else "calculation"
    return kind, printer.write(lambda: printer.text(item, root.block))


def _only_item(root: Query) -> exp.Expr:
    block = _block(root)
    clauses = [
        key for key, value in block.select.args.items() if value and key not in ("expressions", "kind")
    ]
    if len(block.select.expressions) != 1 or clauses:
        raise UnknownKeyError("more than one piece")
    return block.select.expressions[0]


def _block(root: Query) -> Any:
    return root.block
