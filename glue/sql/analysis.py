"""Everything that is read off a SQL text, from one parse: what `statement_syntax` stores for each text."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from sqlglot import exp

from glue.sql.findings import finding, findings
from glue.sql.fixed_values import FixedValues, literal_rows
from glue.sql.normal_form import Printer
from glue.sql.order_probe import order_probe
from glue.sql.parsing import ParsedText, parse_text, readable_error
from glue.sql.plan_sensitivity import plan_sensitivity
from glue.sql.scope_builder import analyse
from glue.sql.scopes import Statement
from glue.sql.tables_read import tables_read


def sql_analysis(sql: str, dialect: str) -> dict[str, Any]:
    """Parse a text once and say what it is. Never raises.

    `dialect` is sqlglot's name of it: sqlite, duckdb, oracle, tsql, postgres, mysql. Keys of the result:
    parse_outcome (parsed, too_large, too_deep, failed, empty), parse_error, n_statements, is_read,
    normal_form, normal_form_lower, is_ordered, has_limit, limit_rows (-1 for SQLite's `LIMIT -1`),
    offset_rows, order_probe_sql, order_probe_problem, plan_sensitivity, whole_if_integer, tables, n_joins,
    findings.

    Of a text that does not parse, `plan_sensitivity` and `order_probe_problem` are unparsed, `findings` has
    the error, and the rest is None or empty. Of several statements in one text the flags tell of the first;
    `is_read` is true when all are reads.
    """
    try:
        parsed = parse_text(sql, dialect)
        if parsed.outcome != "parsed":
            return _unread(parsed.outcome, parsed.error)
        return _read(parsed)
    except RecursionError:
        return _unread("too_deep", "nested deeper than can be followed")
    except Exception as error:
        return _unread("failed", f"{type(error).__name__}: {readable_error(error)}")


@functools.cache
def analysis_version() -> str:
    """Version of sqlglot and a hash of the source files here: results of two versions never mix."""
    from importlib.metadata import version

    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{version('sqlglot')}+{digest.hexdigest()[:12]}"


def _unread(outcome: str, error: str | None) -> dict[str, Any]:
    return {
        "parse_outcome": outcome,
        "parse_error": error,
        "n_statements": 0 if outcome == "empty" else None,
        "is_read": None,
        "normal_form": None,
        "normal_form_lower": None,
        "is_ordered": None,
        "has_limit": None,
        "limit_rows": None,
        "offset_rows": None,
        "order_probe_sql": None,
        "order_probe_problem": None if outcome == "empty" else "unparsed",
        "plan_sensitivity": [] if outcome == "empty" else ["unparsed"],
        "whole_if_integer": [],
        "tables": [],
        "n_joins": None,
        "findings": [] if outcome == "empty" else [finding("does_not_parse", error or outcome)],
    }


def _read(parsed: ParsedText) -> dict[str, Any]:
    statements = [analyse(tree, parsed.dialect, parsed.sql) for tree in parsed.statements]
    printers = [Printer(statement) for statement in statements]
    first, printer = statements[0], printers[0]
    root = first.root
    order = root.modifier("order") if root is not None else None
    limit = root.modifier("limit") if root is not None else None
    offset = root.modifier("offset") if root is not None else None
    fixed = FixedValues(first, printer)
    sensitivity = plan_sensitivity(first, printer, fixed)
    probe, problem = order_probe(parsed, first, printer)
    found = findings(first, printer, fixed)
    if len(statements) > 1:
        found.insert(0, finding("several_statements", str(len(statements))))
    form = "; ".join(one.statement_text() for one in printers)
    return {
        "parse_outcome": "parsed",
        "parse_error": None,
        "n_statements": len(statements),
        "is_read": all(_is_read(statement) for statement in statements),
        "normal_form": form,
        "normal_form_lower": form.lower(),
        "is_ordered": order is not None,
        "has_limit": limit is not None,
        "limit_rows": _storable(literal_rows(limit)),
        "offset_rows": _storable(literal_rows(offset)),
        "order_probe_sql": probe,
        "order_probe_problem": problem,
        "plan_sensitivity": sensitivity.reasons,
        "whole_if_integer": sensitivity.whole_if_integer,
        "tables": tables_read(statements),
        "n_joins": sum(1 for tree in parsed.statements for _ in tree.find_all(exp.Join)),
        "findings": found,
    }


def _is_read(statement: Statement) -> bool:
    """A SELECT, a set operation of them or VALUES, that writes nothing (INTO, a CTE that deletes)."""
    if statement.root is None or statement.has_write:
        return False
    return isinstance(statement.root.node, (exp.Query, exp.Values))


def _storable(rows: int | None) -> int | None:
    return rows if rows is None or -(2**63) <= rows < 2**63 else None
