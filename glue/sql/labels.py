"""Relevance labels of a SQL text by parsing alone: the stored tables and columns it needs, and their roles.

Paper: BudgetSchemaBench, section 3. `label_reader` does the reading; here a text becomes labels or a reason
why it has none, and nothing raises.
"""

from __future__ import annotations

from typing import Any

from glue.sql.label_reader import (
    AMBIGUOUS_COLUMN,
    UNKNOWN_COLUMN,
    UNKNOWN_TABLE,
    UNSUPPORTED_SYNTAX,
    LabelReader,
)
from glue.sql.parsing import parse_text, readable_error
from glue.sql.scope_builder import analyse
from glue.sql.shown_columns import TooManyColumnsError, read_catalog

NO_CATALOG = "no_catalog"
OF_RESOLVING = (UNSUPPORTED_SYNTAX, UNKNOWN_TABLE, AMBIGUOUS_COLUMN, UNKNOWN_COLUMN)
"""What can be wrong with a statement that parses, in the order in which it is told."""
REASONS = (
    "does_not_parse",
    "too_large",
    "too_deep",
    "empty",
    "several_statements",
    "not_a_query",
    NO_CATALOG,
    *OF_RESOLVING,
    "reader_failed",
)
"""Why a text has no labels (seed `label_reasons`)."""
MAX_DETAIL_CHARACTERS = 500


def sql_labels(sql: str, dialect: str, outline: str) -> dict[str, Any]:
    """The labels of a text. Never raises.

    `outline` is the catalog of its database as JSON (`read_catalog`). Keys of the result: parse_outcome
    (parsed, too_large, too_deep, failed, empty), reason (one of REASONS; None where everything was resolved),
    detail, tables (sorted table keys), columns (sorted dicts of table_key, column_key, role). With a reason,
    tables and columns hold what could be resolved all the same.
    """
    try:
        parsed = parse_text(sql, dialect)
        if parsed.outcome != "parsed":
            reason = "does_not_parse" if parsed.outcome == "failed" else parsed.outcome
            return unlabelled(parsed.outcome, reason, parsed.error)
        if len(parsed.statements) > 1:
            return unlabelled("parsed", "several_statements", str(len(parsed.statements)))
        statement = analyse(parsed.statements[0], dialect, sql)
        if statement.root is None or statement.has_write:
            return unlabelled("parsed", "not_a_query", statement.tree.key)
        return _labelled(LabelReader(statement, read_catalog(outline)))
    except TooManyColumnsError as error:
        return unlabelled("parsed", "too_large", str(error))
    except RecursionError:
        return unlabelled("too_deep", "too_deep", "nested deeper than can be followed")
    except Exception as error:
        return unlabelled("failed", "reader_failed", f"{type(error).__name__}: {readable_error(error)}")


def unlabelled(outcome: str, reason: str, detail: str | None) -> dict[str, Any]:
    """The result for a text of which nothing could be read."""
    return {"parse_outcome": outcome, "reason": reason, "detail": detail, "tables": [], "columns": []}


def _labelled(reader: LabelReader) -> dict[str, Any]:
    reader.read()
    reason, detail = _reason(reader)
    return {
        "parse_outcome": "parsed",
        "reason": reason,
        "detail": detail,
        "tables": sorted(reader.tables),
        "columns": [
            {"table_key": table, "column_key": column, "role": role}
            for table, column, role in sorted(reader.labels)
        ],
    }


def _reason(reader: LabelReader) -> tuple[str | None, str | None]:
    """The first thing that is wrong, with all the names it is about."""
    for problem in OF_RESOLVING:
        details = sorted(detail for other, detail in reader.problems if other == problem)
        if details:
            is_bare = problem == UNKNOWN_TABLE and not reader.shown.catalog
            return NO_CATALOG if is_bare else problem, ", ".join(details)[:MAX_DETAIL_CHARACTERS]
    return None, None
