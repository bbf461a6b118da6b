"""A query log as long as wanted: BIRD dev's golds, and copies of them that ask something else.

A copy joins the same tables, reads other columns of them, has other values, and one condition more, so that
no two queries of a database differ in values alone: model `history_queries` would merge them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlglot
from sqlglot import exp

N_DIMENSIONS = 384  # MiniLM's
OWN_SHARE = 0.55
"""Of a made-up vector's length, what is the words' own; the rest every text of the log has in common."""

OPERATORS: dict[type[exp.Expression], str] = {
    exp.NEQ: "is not",
    exp.GT: "above",
    exp.LT: "below",
    exp.GTE: "from",
    exp.LTE: "up to",
    exp.EQ: "is",
}
Columns = dict[tuple[str, str], list[str]]
"""Database and table, in small letters, to the names of the table's columns."""


def grow_log(bird: Path, n_queries: int) -> Iterator[dict[str, str]]:
    """Records of a query log: BIRD dev's golds as they are, then copies of them, round after round."""
    meta = bird / "meta"
    golds = json.loads((meta / "dev.json").read_text(encoding="utf-8"))
    columns = columns_of(meta / "dev_tables.json")
    seen: set[tuple[str, str]] = set()
    n_given = 0
    for gold in golds[:n_queries]:
        n_given += 1
        seen.add((gold["db_id"], masked(gold["SQL"])))
        yield record(gold, gold["question"], gold["SQL"], 0)
    trees = [sqlglot.parse_one(gold["SQL"], dialect="sqlite") for gold in golds]
    for number in count(1):
        for gold, tree in zip(golds, trees, strict=True):
            if n_given == n_queries:
                return
            sql, added = changed(tree, gold["db_id"], columns, number)
            key = (gold["db_id"], masked(sql))
            if key not in seen:
                seen.add(key)
                n_given += 1
                yield record(gold, f"{gold['question']} Only where {added}.", sql, number)


def record(gold: dict[str, Any], question: str, sql: str, number: int) -> dict[str, str]:
    """One query of the log."""
    return {
        "id": f"{gold['question_id']}-{number}",
        "db_id": gold["db_id"],
        "question": question,
        "sql": sql,
    }


def masked(sql: str) -> str:
    """The text without its values."""
    return re.sub(r"'[^']*'|\b\d+(\.\d+)?\b", "?", sql.lower())


def columns_of(path: Path) -> Columns:
    """The columns of every table of the schemas' file."""
    found: Columns = defaultdict(list)
    for schema in json.loads(path.read_text(encoding="utf-8")):
        for table, name in schema["column_names_original"]:
            if table >= 0:
                found[schema["db_id"], schema["table_names_original"][table].lower()].append(name)
    return found


def changed(tree: exp.Expr, db_id: str, columns: Columns, number: int) -> tuple[str, str]:
    """The query with other columns, values and a condition more; and that condition in words."""
    copy = tree.copy()
    tables = {table.alias_or_name.lower(): table.name.lower() for table in copy.find_all(exp.Table)}
    only = next(iter(tables.values())) if len(tables) == 1 else ""
    for column in list(copy.find_all(exp.Column)):
        table = tables.get(column.table.lower(), "") if column.table else only
        names = columns.get((db_id, table), [])
        places = {name.lower(): place for place, name in enumerate(names)}
        if column.name.lower() in places and column.find_ancestor(exp.Join) is None:
            place = places[column.name.lower()] + drawn(len(names), db_id, table, number)
            column.set("this", exp.to_identifier(names[place % len(names)], quoted=True))
    for literal in list(copy.find_all(exp.Literal)):
        if literal.is_string and "%" not in literal.name:
            literal.replace(exp.Literal.string(f"{literal.name} {number}"))
    select = copy.find(exp.Select)
    source = select.find(exp.Table) if select is not None else None
    if select is None or source is None or not (names := columns.get((db_id, source.name.lower()), [])):
        return copy.sql(dialect="sqlite"), f"copy {number}"
    name = names[drawn(len(names), tree.sql(), "column", number)]
    operator = list(OPERATORS)[drawn(len(OPERATORS), tree.sql(), "operator", number)]
    column = exp.column(name, table=source.alias_or_name, quoted=True)
    select.where(operator(this=column, expression=exp.Literal.string(f"value {number}")), copy=False)
    return copy.sql(dialect="sqlite"), f"{name} {OPERATORS[operator]} value {number}"


def drawn(n: int, *parts: object) -> int:
    """A number below n, the same for the same parts."""
    digest = hashlib.md5("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % n


@cache
def direction(word: str) -> npt.NDArray[np.float32]:
    """A word's own direction."""
    rng = np.random.default_rng(drawn(2**63, word))
    return rng.standard_normal(N_DIMENSIONS).astype(np.float32)


def made_up_vector(text: str) -> npt.NDArray[np.float32]:
    """A vector for any text: texts that share words are alike, as far as the words are most of them."""
    words = sorted({word[:12] for word in re.findall(r"[^\W\d_]+", text.lower())}) or [""]
    own = sum((direction(word) for word in words), np.zeros(N_DIMENSIONS, dtype=np.float32))
    shared = direction("\x1f")
    vector = OWN_SHARE * own / np.linalg.norm(own) + (1 - OWN_SHARE) * shared / np.linalg.norm(shared)
    found: npt.NDArray[np.float32] = vector / np.linalg.norm(vector)
    return found
