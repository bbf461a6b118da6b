"""Where the names of stored tables stand in a SQL text, so that they can be replaced without writing it anew.

Paper: BudgetSchemaBench, section 3 and appendix A: statements move between the names of one database, the
prefixed names of the pooled catalog and its bare ones. What a name becomes is decided in SQL, with the
catalog; here only its place is found. A text that is generated from a syntax tree may come to mean something
else; here names are replaced where they stand. A table without an alias gets its old name as one, so that
columns qualified with it need no change, and names of CTEs and aliases, which are no tables, stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from glue.sql.parsing import MAX_BYTES, parse_text, readable_error
from glue.sql.scope_builder import analyse
from glue.sql.scopes import MAIN_SCHEMAS, Statement, fold, table_after_in

MAX_WORDS = 5_000

_WORDS = re.compile(r"""\"([^"]+)\"|`([^`]+)`|\[([^\]]+)\]|'([^']+)'|([^\W\d][\w$]*)""")

Place = dict[str, Any]


def table_places(sql: str, dialect: str) -> dict[str, Any]:
    """The stored tables that a text names, and where. Never raises.

    `dialect` is sqlglot's name of it. Keys of the result: outcome (parsed, too_large, too_deep, failed,
    empty), error, names (sorted, distinct, in lower case, with a schema where another than the database's
    own is written) and places, in the order of the text. Of a text that does not parse, places are empty and
    names are its first 5,000 different words and quoted parts, whatever they are: every table that it reads
    is among them. A place has

        table_key        the name, as in `names`
        kind             table: in a FROM, without an alias; aliased: in a FROM, with one; operand: in
                         SQLite's `x IN name`; qualifier: of a column, behind a schema (`main.name.column`)
        first_character  1-based place of the first character, of the schema where one is written
        own_character    the same of the table's own name
        last_character   1-based place of the last character
    """
    try:
        parsed = parse_text(sql, dialect)
        if parsed.outcome != "parsed":
            return _unplaced(sql, parsed.outcome, parsed.error)
        names: set[str] = set()
        places: dict[int, Place] = {}
        for tree in parsed.statements:
            statement = analyse(tree, dialect, sql)
            names |= statement.tables
            places.update((place["first_character"], place) for place in _places(statement))
        in_order = [places[start] for start in sorted(places)]
        return {"outcome": "parsed", "error": None, "names": sorted(names), "places": in_order}
    except RecursionError:
        return _unplaced(sql, "too_deep", "nested deeper than can be followed")
    except Exception as error:
        return _unplaced(sql, "failed", f"{type(error).__name__}: {readable_error(error)}")


def _unplaced(sql: str, outcome: str, error: str | None) -> dict[str, Any]:
    words: dict[str, None] = {}
    for found in _WORDS.finditer(sql[:MAX_BYTES]):
        words[(found[found.lastindex or 0]).lower()] = None
        if len(words) >= MAX_WORDS:
            break
    return {"outcome": outcome, "error": error, "names": sorted(words), "places": []}


def _places(statement: Statement) -> Iterator[Place]:
    for block in statement.blocks:
        for source in block.sources.values():
            if source.table is not None and _is_stored(source.node, source.table, statement.dialect):
                alias = source.node.args.get("alias")
                has_alias = isinstance(alias, exp.TableAlias) and alias.args.get("this") is not None
                kind = "aliased" if has_alias else "table"
                yield from _place(source.table, kind, source.node.args.get("db"), source.node.this)
        for columns in block.sections.values():
            for column in columns:
                schema = column.args.get("db")
                if schema is not None and fold(schema, statement.dialect).lower() in MAIN_SCHEMAS:
                    table = column.args["table"]
                    yield from _place(fold(table, statement.dialect).lower(), "qualifier", schema, table)
    for node in statement.tree.find_all(exp.In):
        named = node.args.get("field")
        if isinstance(named, exp.Column) and statement.read_after_in.get(id(named), named) is None:
            key = table_after_in(named, statement.dialect)
            yield from _place(key, "operand", named.args.get("table"), named.this)


def _is_stored(node: exp.Expr, table_key: str, dialect: str) -> bool:
    """Is it a table by its name, and not, in SQLite, the CTE that is being defined (a circular reference)?"""
    if not isinstance(node, exp.Table):
        return False
    if dialect != "sqlite" or node.args.get("db") is not None:
        return True
    around = node.parent
    while around is not None:
        if isinstance(around, exp.CTE) and fold(around.args["alias"].this, dialect) == table_key:
            return False
        around = around.parent
    return True


def _place(table_key: str, kind: str, schema: exp.Expr | None, own: exp.Expr) -> Iterator[Place]:
    """The place of a name; none where the parser kept no position."""
    first = own if schema is None else schema
    if isinstance(own.meta.get("start"), int) and isinstance(first.meta.get("start"), int):
        yield {
            "table_key": table_key,
            "kind": kind,
            "first_character": first.meta["start"] + 1,
            "own_character": own.meta["start"] + 1,
            "last_character": own.meta["end"] + 1,
        }
