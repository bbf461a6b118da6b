"""Spider and what follows its format: questions, tables.json, SQLite files.

Questions have no ids: a question's id is its 0-based position. Of tables.json, which describes all 166
databases, only those that the questions use land, unless all are asked for.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from glue.importers.catalog import (
    add_databases,
    add_described,
    merge_tables,
    read_tables_json,
    refuse_undescribed,
)
from glue.importers.common import ImportBatch, OnProgress, known_dialect
from glue.importers.questions import SPIDER_FIELDS, add_questions

TABLES_SOURCE = "spider_tables"


def read_spider(
    name: str,
    questions: Path,
    tables: Path | None = None,
    databases: Path | None = None,
    all_databases: bool = False,
    id_field: str | None = None,
    dialect: str = "sqlite",
    on_progress: OnProgress | None = None,
) -> ImportBatch:
    """Read a Spider benchmark under the name `name`. Only `questions` is needed.

    `id_field`: the field that holds the question's id, for offspring that has one. GlueError when a file is
    not there or not what it should be; single bad entries are refused and the rest lands.
    """
    dialect = known_dialect(dialect)
    options = {"name": name, "dialect": dialect, "all_databases": all_databases, "id_field": id_field}
    batch = ImportBatch("spider", f"benchmark:{name}:spider", name, options=options)
    used = add_questions(batch, questions, replace(SPIDER_FIELDS, question_id=id_field), dialect)
    described = read_tables_json(tables, batch) if tables is not None else {}
    if not all_databases:
        described = {db_id: entry for db_id, entry in described.items() if db_id in used}
    db_ids = list(dict.fromkeys([*used, *described]))
    add_databases(batch, db_ids, databases, TABLES_SOURCE, on_progress=on_progress)
    if tables is not None:
        add_described(batch, tables, described.values(), TABLES_SOURCE)
        refuse_undescribed(batch, tables, [db_id for db_id in used if db_id not in described])
    merge_tables(batch)
    return batch
