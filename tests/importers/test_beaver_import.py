"""BEAVER's folder: golds by dialect, schemas with their keys, refusals, and what is said of missing rows."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from glue.errors import GlueError
from glue.home import Home
from glue.importers.beaver import read_beaver
from glue.importers.common import ImportBatch, drop_repeated_rows
from glue.importers.landed import landed_benchmark
from glue.sql.labels import sql_labels
from tests.commands import glue
from tests.sql.label_helpers import as_outline

TABLES: dict[str, Any] = {
    "dw#sep#ROOMS": {
        "db_id": "dw",
        "table_name_original": "ROOMS",
        "column_names_original": ["ROOM_KEY", "AREA"],
        "column_types": ["VARCHAR2(20)", "NUMBER"],
    },
    "cloud#sep#hosts": {
        "db_id": "cloud",
        "table_name_original": "hosts",
        "column_names_original": ["id", "name", "state", "note"],
        "column_types": [
            "int unsigned NOT NULL AUTO_INCREMENT",
            "varchar(255) COLLATE utf8mb4_unicode_ci DEFAULT NULL",
            "enum('up','down') NOT NULL DEFAULT 'up'",
            "text",
        ],
        "primary_key": ["id"],
        "foreign_key": [],
    },
    "cloud#sep#machines": {
        "db_id": "cloud",
        "table_name_original": "machines",
        "column_names_original": ["uuid", "host_id"],
        "column_types": ["varchar(36) NOT NULL", "int DEFAULT NULL"],
        "primary_key": ["uuid"],
        "foreign_key": [
            {
                "column_name": "host_id",
                "referenced_table_name": "cloud#sep#hosts",
                "referenced_column_name": "id",
            }
        ],
    },
}
DW: list[Any] = [
    {
        "question": "How large are the rooms?",
        "db_id": "dw",
        "sql": "SELECT IFNULL(AREA, 0) FROM ROOMS;",
        "oracle_sql": "SELECT NVL(AREA, 0) FROM ROOMS;",
        "gold_tables": ["dw#sep#ROOMS"],
        "mapping": {"large": ["ROOMS.AREA"]},
        "join_keys": [],
    },
    {
        "question": "Which rooms are there?",
        "db_id": "dw",
        "sql": "SELECT ROOM_KEY FROM ROOMS",
        "oracle_sql": "SELECT ROOM_KEY FROM ROOMS",
        "gold_tables": ["dw#sep#ROOMS"],
        "mapping": {},
        "join_keys": [],
    },
]
NW: list[Any] = [
    {
        "question": "Where does each machine run?",
        "db_id": "cloud",
        "sql": "SELECT m.uuid, h.name FROM machines m JOIN hosts h ON m.host_id = h.id",
        "gold_tables": ["cloud#sep#machines", "cloud#sep#hosts"],
        "join_keys": [["MACHINES.HOST_ID", "HOSTS.ID"]],
    }
]


def write(folder: Path, tables: Any = TABLES, dw: Any = DW, nw: Any = NW) -> Path:
    """A folder in BEAVER's layout; a file that is None is left out."""
    for name, content in (("dev_tables", tables), ("dev_dw", dw), ("dev_nw", nw)):
        if content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / f"{name}.json").write_text(text)
    return folder


def with_table(key: str, **changes: Any) -> dict[str, Any]:
    """The tables, one of them with other fields."""
    tables = copy.deepcopy(TABLES)
    tables[key] |= changes
    return tables


def refused(batch: ImportBatch) -> list[tuple[str, str, str | None, bool]]:
    return [(found.record, found.reason, found.field, found.is_landed) for found in batch.refusals]


def test_oracle_has_the_questions_with_golds_in_its_sql(tmp_path: Path) -> None:
    batch = read_beaver(write(tmp_path))
    assert batch.scope == "benchmark:beaver:beaver"
    assert batch.rows["questions"][0] == {
        "benchmark": "beaver",
        "question_id": "dw/0",
        "question_position": 0,
        "source_question_id": "beaver/dw/0",
        "db_id": "dw",
        "question": "How large are the rooms?",
        "evidence": None,
        "difficulty": None,
        "dialect": "oracle",
    }
    assert [(row["question_id"], row["gold_sql"], row["dialect"]) for row in batch.rows["golds"]] == [
        ("dw/0", "SELECT NVL(AREA, 0) FROM ROOMS;", "oracle"),
        ("dw/1", "SELECT ROOM_KEY FROM ROOMS", "oracle"),
    ]
    assert [row["table_name"] for row in batch.rows["tables"]] == ["ROOMS"]
    assert batch.notes[0] == "dev_nw.json is left: none of its 1 entries has a gold in oracle (oracle_sql)"
    assert batch.refusals == []


def test_mysql_has_all_questions_with_the_same_ids(tmp_path: Path) -> None:
    batch = read_beaver(write(tmp_path), "mysql")
    assert batch.benchmark == "beaver_mysql"
    assert [(row["question_position"], row["source_question_id"]) for row in batch.rows["questions"]] == [
        (0, "beaver/dw/0"),
        (1, "beaver/dw/1"),
        (2, "beaver/nw/0"),
    ]
    assert batch.rows["golds"][0]["gold_sql"] == "SELECT IFNULL(AREA, 0) FROM ROOMS;"
    assert {row["dialect"] for row in batch.rows["golds"]} == {"mysql"}
    assert [row["db_id"] for row in batch.rows["databases"]] == ["dw", "cloud"]


def test_schemas_land_with_types_and_keys_as_declared(tmp_path: Path) -> None:
    batch = read_beaver(write(tmp_path), "mysql")
    columns = [
        (row["column_name"], row["data_type"], row["is_nullable"], row["is_primary_key"])
        for row in batch.rows["columns"]
    ]
    assert columns == [
        ("ROOM_KEY", "VARCHAR2(20)", None, False),
        ("AREA", "NUMBER", None, False),
        ("id", "int unsigned", False, True),
        ("name", "varchar(255)", True, False),
        ("state", "enum('up','down')", False, False),
        ("note", "text", None, False),
        ("uuid", "varchar(36)", False, True),
        ("host_id", "int", True, False),
    ]
    assert [(row["db_id"], row["table_name"], row["table_position"]) for row in batch.rows["tables"]] == [
        ("dw", "ROOMS", 1),
        ("cloud", "hosts", 1),
        ("cloud", "machines", 2),
    ]
    (key,) = batch.rows["foreign_keys"]
    assert (key["table_name"], key["column_name"]) == ("machines", "host_id")
    assert (key["referenced_table"], key["referenced_column"]) == ("hosts", "id")


@pytest.mark.parametrize(
    ("entry", "record", "reason", "field", "is_landed"),
    [
        ("no object", "entry 3", "not_an_object", None, False),
        ({**DW[0], "question": None}, "entry 3", "missing", "question", False),
        ({**DW[0], "db_id": 7}, "entry 3", "not_text", "db_id", False),
        ({**DW[0], "oracle_sql": " "}, "entry 3", "no_gold", "oracle_sql", True),
    ],
)
def test_a_bad_question_is_refused_and_the_others_land(
    tmp_path: Path, entry: Any, record: str, reason: str, field: str | None, is_landed: bool
) -> None:
    batch = read_beaver(write(tmp_path, dw=[*DW, entry]))
    assert refused(batch) == [(record, reason, field, is_landed)]
    assert len(batch.rows["golds"]) == 2
    assert len(batch.rows["questions"]) == 2 + is_landed


def test_positions_leave_room_for_what_was_refused(tmp_path: Path) -> None:
    batch = read_beaver(write(tmp_path, dw=[DW[0], "no object"]), "mysql")
    assert [(row["question_id"], row["question_position"]) for row in batch.rows["questions"]] == [
        ("dw/0", 0),
        ("nw/0", 2),
    ]


@pytest.mark.parametrize(
    ("changes", "reason", "field"),
    [
        ({"table_name_original": None}, "missing", "table_name_original"),
        ({"column_names_original": None}, "missing", "column_names_original"),
        ({"column_names_original": ["id", 2]}, "malformed", "column_names_original"),
        ({"column_types": ["int"]}, "malformed", "column_types"),
        ({"table_name_original": "machines"}, "duplicate", "table_name_original"),
    ],
)
def test_a_bad_table_is_refused_and_the_others_land(
    tmp_path: Path, changes: dict[str, Any], reason: str, field: str
) -> None:
    tables = with_table("cloud#sep#hosts", **changes)
    tables["cloud#sep#machines"]["foreign_key"] = []
    tables = {key: tables[key] for key in ("dw#sep#ROOMS", "cloud#sep#machines", "cloud#sep#hosts")}
    batch = read_beaver(write(tmp_path, tables=tables), "mysql")
    assert refused(batch) == [('key "cloud#sep#hosts"', reason, field, False)]
    assert [row["table_name"] for row in batch.rows["tables"]] == ["ROOMS", "machines"]


@pytest.mark.parametrize(
    ("changes", "field", "detail"),
    [
        ({"primary_key": ["uid"]}, "primary_key", "the table has no column 'uid'; is 'uuid' meant?"),
        ({"foreign_key": ["host_id"]}, "foreign_key", "number 1: it needs column_name, "),
        ({"foreign_key": [("host", "cloud#sep#hosts", "id")]}, "foreign_key", "no column 'host'"),
        ({"foreign_key": [("host_id", "cloud#sep#host", "id")]}, "foreign_key", "no table 'cloud#sep#host'"),
        ({"foreign_key": [("host_id", "dw#sep#ROOMS", "AREA")]}, "foreign_key", "in another database"),
        ({"foreign_key": [("host_id", "cloud#sep#hosts", "key")]}, "foreign_key", "has no column 'key'"),
    ],
)
def test_a_bad_key_is_refused_and_its_table_lands(
    tmp_path: Path, changes: dict[str, Any], field: str, detail: str
) -> None:
    names = ("column_name", "referenced_table_name", "referenced_column_name")
    keys = [
        dict(zip(names, key, strict=True)) if isinstance(key, tuple) else key
        for key in changes.get("foreign_key", [])
    ]
    changes = {**changes, "foreign_key": keys}
    batch = read_beaver(write(tmp_path, tables=with_table("cloud#sep#machines", **changes)), "mysql")
    assert refused(batch) == [('key "cloud#sep#machines"', "unknown_key", field, False)]
    assert detail in batch.refusals[0].detail
    assert len(batch.rows["tables"]) == 3
    assert "foreign_keys" not in batch.rows


def test_a_table_described_twice_counts_once(tmp_path: Path) -> None:
    text = json.dumps(TABLES)[:-1] + f', "dw#sep#ROOMS": {json.dumps(TABLES["dw#sep#ROOMS"])}}}'
    batch = read_beaver(write(tmp_path, tables=text))
    assert refused(batch) == [('key "dw#sep#ROOMS"', "duplicate", None, True)]
    assert len(batch.rows["tables"]) == 1


def test_a_database_without_a_schema_is_named(tmp_path: Path) -> None:
    batch = read_beaver(write(tmp_path, tables={}))
    assert refused(batch) == [("database dw", "undescribed_database", None, True)]
    assert [row["db_id"] for row in batch.rows["databases"]] == ["dw"]


def test_what_cannot_be_a_benchmark_is_said(tmp_path: Path) -> None:
    with pytest.raises(GlueError, match="there is no"):
        read_beaver(tmp_path / "beaver")
    with pytest.raises(GlueError, match=r"there is no .*dev_dw\.json"):
        read_beaver(tmp_path)
    write(tmp_path, tables=None, dw=None)
    with pytest.raises(GlueError, match="is a file"):
        read_beaver(tmp_path / "dev_nw.json")
    with pytest.raises(GlueError, match="no entry has the field oracle_sql") as error:
        read_beaver(tmp_path)
    assert error.value.hint == "--dialect mysql reads the other golds"
    with pytest.raises(GlueError, match=r"there is no .*dev_tables\.json"):
        read_beaver(tmp_path, "mysql")
    with pytest.raises(GlueError, match="holds a list, not an object"):
        read_beaver(write(tmp_path, tables=[]), "mysql")
    with pytest.raises(GlueError, match="BEAVER has no golds in sqlite"):
        read_beaver(tmp_path, "sqlite")


def test_the_command_says_that_nothing_can_be_executed(tmp_path: Path) -> None:
    write(tmp_path)
    finished = glue(tmp_path, "import", "beaver", tmp_path)
    assert finished.stdout.startswith(
        "imported beaver beaver: 2 questions, 2 golds, 1 table, 2 columns, 1 database\n"
    )
    assert "hold no rows, and no question can be executed or scored" in finished.stdout
    glue(tmp_path, "import", "beaver", tmp_path, "--dialect", "mysql")
    landed = landed_benchmark(Home(tmp_path), "beaver_mysql")
    assert [question.question_id for question in landed.questions] == ["dw/0", "dw/1", "nw/0"]
    shown = " ".join(glue(tmp_path, "import", "beaver", "--help").stdout.split())
    assert "no rows" in shown and "nothing can be executed or scored" in shown


def outlines(batch: ImportBatch) -> dict[str, str]:
    """The outline of each database that a batch describes."""
    catalogs: dict[str, dict[str, list[str]]] = {}
    for row in batch.rows["columns"]:
        tables = catalogs.setdefault(row["db_id"], {})
        tables.setdefault(row["table_name"].lower(), []).append(row["column_name"].lower())
    return {db_id: as_outline(catalog) for db_id, catalog in catalogs.items()}


def published_tables(folder: Path) -> dict[str, list[str]]:
    """What the files say that each question's gold reads."""
    found: dict[str, list[str]] = {}
    for name in ("dw", "nw"):
        for position, entry in enumerate(json.loads((folder / f"dev_{name}.json").read_text())):
            tables = {table.partition("#sep#")[2].lower() for table in entry["gold_tables"]}
            found[f"{name}/{position}"] = sorted(tables)
    return found


@pytest.mark.parametrize(
    ("dialect", "n", "others"),
    [
        ("mysql", (209, 463, 4238, 242), []),
        ("oracle", (121, 97, 1530, 0), ["dw/52", "dw/59", "dw/63", "dw/78"]),
    ],
)
def test_the_published_files_land_whole_and_their_golds_read_the_tables_they_name(
    shared_data: Path, dialect: str, n: tuple[int, ...], others: list[str]
) -> None:
    """Published are the tables of MySQL's golds: in four questions Oracle's gold reads others."""
    folder = shared_data / "beaver"
    batch = read_beaver(folder, dialect)
    drop_repeated_rows(batch)
    counts = [len(batch.rows.get(table, [])) for table in ("golds", "tables", "columns", "foreign_keys")]
    assert (tuple(counts), batch.refusals) == (n, [])
    assert len(batch.rows["questions"]) == n[0]
    assert all(row["data_type"] for row in batch.rows["columns"])
    catalogs, published = outlines(batch), published_tables(folder)
    databases = {row["question_id"]: row["db_id"] for row in batch.rows["questions"]}
    differing = []
    for row in batch.rows["golds"]:
        labels = sql_labels(row["gold_sql"], dialect, catalogs[databases[row["question_id"]]])
        assert (labels["parse_outcome"], labels["reason"]) == ("parsed", None), row["question_id"]
        if labels["tables"] != published[row["question_id"]]:
            differing.append(row["question_id"])
    assert sorted(differing) == others
