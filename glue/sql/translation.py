"""A statement in another dialect: an example of a query log where its database speaks another one."""

from __future__ import annotations

from glue.sql.parsing import parse_text


def sql_in_dialect(sql: str, dialect: str, target: str) -> str | None:
    """The one statement of a text, in the target dialect; None where it has none, or that cannot say it.

    What sqlglot translates without a word and wrongly (docs/history.md) is not noticed. Never raises.
    """
    from sqlglot.errors import ErrorLevel

    parsed = parse_text(sql, dialect)
    if parsed.outcome != "parsed" or len(parsed.statements) != 1:
        return None
    try:
        return parsed.statements[0].sql(dialect=target, unsupported_level=ErrorLevel.RAISE)
    except Exception:
        return None
