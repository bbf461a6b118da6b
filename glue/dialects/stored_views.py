"""CREATE VIEW: a view of DuckDB over the translated query, under the names that the dialect knows."""

from __future__ import annotations

import re
from dataclasses import dataclass

import duckdb

from glue.dialects.catalog import column_comment, quoted, quoted_text, table_comment
from glue.dialects.definitions import Reader
from glue.dialects.errors import UnsupportedError
from glue.dialects.local import LocalSession

_OPTIONS = re.compile(
    r"\s*\bwith\s+(read\s+only|check\s+option)(\s+constraint\s+\w+)?\s*;?\s*$", re.IGNORECASE
)


_DECLARED = {
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "char": "CHAR",
    "double": "BINARY_DOUBLE",
    "rounded": "NUMBER",
    "days": "INTERVAL DAY TO SECOND",
    "months": "INTERVAL YEAR TO MONTH",
}
"""Types of columns whose kind DuckDB's type does not tell."""


@dataclass(frozen=True, slots=True)
class View:
    """A view as a script has it; `columns` is empty where it names none."""

    name: str
    columns: tuple[str, ...]
    query: str


def read_view(reader: Reader) -> View:
    """CREATE [OR REPLACE] VIEW name [(columns)] AS query. DialectError for what is none."""
    reader.skip_to("VIEW")
    reader.words.want("VIEW")
    name = reader.table_name()
    columns = tuple(reader.names()) if reader.words.comes("(") else ()
    reader.words.want("AS")
    query = reader.sql[reader.words.token.start :]
    return View(name, columns, _OPTIONS.sub("", query).rstrip("; \n"))


def make_view(session: LocalSession, view: View) -> None:
    """Make it in DuckDB. DialectError or UnsupportedError where its query cannot be translated."""
    translation = session.translate(view.query)
    columns = view.columns or translation.columns
    if len({column.lower() for column in columns}) < len(columns):
        raise UnsupportedError(f"a view whose columns differ by capitals alone: {view.name}")
    name, names = quoted(view.name), ", ".join(map(quoted, columns))
    comments = [f"comment on view {name} is {quoted_text(table_comment(session.dialect, view.name))}"]
    comments += [
        f"comment on column {name}.{quoted(column)} is {quoted_text(column_comment(column, _DECLARED[kind]))}"
        for column, kind in zip(columns, translation.kinds, strict=False)
        if session.dialect == "oracle" and kind in _DECLARED
    ]
    try:
        with session.errors():
            session.connection.execute(
                ";".join([f"create or replace view {name} ({names}) as {translation.sql}", *comments])
            )
    except duckdb.Error as error:
        raise UnsupportedError(f"the view {view.name}: {error}") from error
