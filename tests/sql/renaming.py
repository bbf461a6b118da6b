"""Renames the tables of a statement in Python, as models/results/union_texts.sql does it in SQL."""

from __future__ import annotations

from collections.abc import Mapping

from glue.sql.namespaces import table_places


def renamed(sql: str, names: Mapping[str, str], dialect: str = "sqlite") -> str:
    """The text with its tables renamed, by their names in lower case; others stay."""
    text, end = "", 0
    for place in table_places(sql, dialect)["places"]:
        first, own, last = (place[f"{name}_character"] for name in ("first", "own", "last"))
        new, own_name = names.get(place["table_key"]), sql[own - 1 : last]
        text += sql[end : first - 1]
        if new is None:
            text += sql[first - 1 : last]
        elif place["kind"] == "qualifier":
            text += own_name
        else:
            text += f'"{new}"' + (f" AS {own_name}" if place["kind"] == "table" else "")
        end = last
    return text + sql[end:]
