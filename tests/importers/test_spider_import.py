"""Spider's questions, tables.json and databases."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from glue.importers.common import drop_repeated_rows
from glue.importers.spider import read_spider


def table_entry(db_id: str) -> dict[str, object]:
    return {
        "db_id": db_id,
        "table_names_original": ["t"],
        "table_names": ["t"],
        "column_names_original": [[-1, "*"], [0, "a"]],
        "column_names": [[-1, "*"], [0, "a"]],
        "column_types": ["text", "number"],
        "primary_keys": [1],
        "foreign_keys": [],
    }


def write_small(folder: Path) -> tuple[Path, Path]:
    questions = [
        {"db_id": "one", "question": "What?", "query": "SELECT a FROM t", "query_toks": [], "sql": {}},
        {"db_id": "one", "question": "How many?", "query": "SELECT count(*) FROM t"},
    ]
    (folder / "dev.json").write_text(json.dumps(questions))
    (folder / "tables.json").write_text(json.dumps([table_entry("one"), table_entry("two")]))
    return folder / "dev.json", folder / "tables.json"


def test_the_position_is_the_id_and_only_databases_in_use_land(tmp_path: Path) -> None:
    questions, tables = write_small(tmp_path)
    batch = read_spider("s", questions, tables)
    assert [row["question_id"] for row in batch.rows["questions"]] == ["0", "1"]
    assert [row["gold_sql"] for row in batch.rows["golds"]] == ["SELECT a FROM t", "SELECT count(*) FROM t"]
    assert [row["db_id"] for row in batch.rows["databases"]] == ["one"]
    assert {row["db_id"] for row in batch.rows["columns"]} == {"one"}
    assert batch.scope == "benchmark:s:spider"


def test_all_databases_land_when_asked_for(tmp_path: Path) -> None:
    questions, tables = write_small(tmp_path)
    batch = read_spider("s", questions, tables, all_databases=True)
    assert [row["db_id"] for row in batch.rows["databases"]] == ["one", "two"]


def test_an_undescribed_database_is_named(tmp_path: Path) -> None:
    questions, tables = write_small(tmp_path)
    tables.write_text(json.dumps([table_entry("two")]))
    batch = read_spider("s", questions, tables)
    assert [(refusal.reason, refusal.record) for refusal in batch.refusals] == [
        ("undescribed_database", "database one")
    ]
    assert len(batch.rows["questions"]) == 2


def test_the_published_dev_set_lands_whole(shared_data: Path) -> None:
    spider = shared_data / "spider"
    meta = spider / "meta"
    batch = read_spider("spider_dev", meta / "dev.json", meta / "tables.json", spider / "databases_rebuilt")
    drop_repeated_rows(batch)
    assert len(batch.rows["questions"]) == len(batch.rows["golds"]) == 1034
    assert len([row for row in batch.rows["databases"] if row["engine"] == "sqlite"]) == 20
    assert batch.refusals == []
    everything = read_spider("all", meta / "dev.json", meta / "tables.json", all_databases=True)
    assert len(everything.rows["databases"]) == 166


def test_what_follows_spiders_format_lands_too(shared_data: Path) -> None:
    spider = shared_data / "spider"
    tables, databases = spider / "meta" / "tables.json", spider / "databases_rebuilt"
    realistic = read_spider(
        "realistic", spider / "realistic" / "spider-realistic.json", tables, databases, id_field="id"
    )
    assert len(realistic.rows["questions"]) == 508
    assert len({row["question_id"] for row in realistic.rows["questions"]}) == 508
    dk = shared_data / "spider_dk"
    batch = read_spider("dk", dk / "Spider-DK.json", dk / "tables.json", dk / "database")
    assert len(batch.rows["questions"]) == 535
    assert Counter(refusal.reason for refusal in batch.refusals) == {"no_database": 7}
    archer = read_spider("archer", shared_data / "archer" / "archer_en_dev.json", databases=databases)
    assert len(archer.rows["golds"]) == 104
