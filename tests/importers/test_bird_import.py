"""BIRD's files with their real mess, written small, and the published ones whole."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glue.errors import GlueError
from glue.importers.bird import read_bird
from glue.importers.common import ImportBatch, drop_repeated_rows

QUESTION = {
    "question_id": 7,
    "db_id": "shop",
    "question": "How many items?",
    "evidence": "",
    "SQL": "SELECT count(*) FROM item",
    "difficulty": "simple",
}
TABLES = [
    {
        "db_id": "shop",
        "table_names_original": ["Item", "stock"],
        "table_names": ["items for sale", "stock"],
        "column_names_original": [[-1, "*"], [0, "Item ID"], [0, "name"], [1, "item"], [1, "place"]],
        "column_names": [[-1, "*"], [0, "item id"], [0, "name of it"], [1, "item"], [1, "place"]],
        "column_types": ["text", "integer", "text", "integer", "text"],
        "primary_keys": [1, [3, 4]],
        "foreign_keys": [[3, 1]],
    }
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Writes a file: bytes as they are, anything else as JSON."""

    def written(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return written


def make_shop(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        connection.executescript(
            'create table item ("Item ID" integer primary key, name text, price real not null);'
            "create table stock (item integer references item, place text, n);"
            "insert into item values (1, 'nut', 1.5), (2, 'bolt', 2);"
            "insert into stock values (1, 'A', 3), (2, null, 'many');"
        )
    connection.close()
    return path


def reasons(batch: ImportBatch) -> Counter[tuple[str, bool]]:
    return Counter((refusal.reason, refusal.is_landed) for refusal in batch.refusals)


def columns(batch: ImportBatch, source: str) -> dict[str, dict[str, Any]]:
    rows = [row for row in batch.rows["columns"] if row["source"] == source]
    return {f"{row['table_name']}.{row['column_name']}": row for row in rows}


def test_questions_and_golds_land_as_they_are(write: Callable[[str, Any], Path]) -> None:
    batch = read_bird("b", write("dev.json", [QUESTION, {**QUESTION, "question_id": 9, "evidence": "n = 1"}]))
    first, second = batch.rows["questions"]
    assert (first["question_id"], first["question_position"], first["dialect"]) == ("7", 0, "sqlite")
    assert (first["evidence"], second["evidence"], first["difficulty"]) == (None, "n = 1", "simple")
    assert batch.rows["golds"][0]["gold_sql"] == QUESTION["SQL"]
    assert batch.rows["golds"][0]["gold_edition"] == "benchmark"
    assert batch.scope == "benchmark:b:bird"
    assert batch.refusals == []


def test_without_any_question_id_the_position_is_the_id(write: Callable[[str, Any], Path]) -> None:
    entry = {name: value for name, value in QUESTION.items() if name not in ("question_id", "difficulty")}
    batch = read_bird("b", write("train.json", [entry, entry]))
    assert [row["question_id"] for row in batch.rows["questions"]] == ["0", "1"]
    assert [row["difficulty"] for row in batch.rows["questions"]] == [None, None]


def test_bad_entries_are_refused_and_the_good_land_at_their_place(write: Callable[[str, Any], Path]) -> None:
    entries = [
        QUESTION,
        "not an object",
        {**QUESTION, "question_id": None},
        {**QUESTION, "question_id": 8, "db_id": 3},
        {**QUESTION},
        {**QUESTION, "question_id": 10, "SQL": None},
        {**QUESTION, "question_id": 11},
    ]
    batch = read_bird("b", write("dev.json", entries))
    places = [(row["question_id"], row["question_position"]) for row in batch.rows["questions"]]
    assert places == [("7", 0), ("10", 5), ("11", 6)]
    assert [(refusal.record, refusal.reason, refusal.field) for refusal in batch.refusals] == [
        ("entry 2", "not_an_object", None),
        ("entry 3", "missing", "question_id"),
        ("entry 4", "not_text", "db_id"),
        ("entry 5", "duplicate", "question_id"),
        ("entry 6", "no_gold", "SQL"),
    ]
    assert [row["question_id"] for row in batch.rows["golds"]] == ["7", "11"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'[{"question_id": 1,}]', r"line 1, column 20"),
        (b'[\n{"question_id": 1', r"line 2, column 18"),
        (b"[1, 2]", "none of the 2 entries"),
        (b"{}", "holds an object, not a list"),
        (b"", "line 1, column 1"),
        (b'["\xe9"]', "line 1: byte 0xe9 is not UTF-8"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    ],
)
def test_a_file_without_questions_stops_with_the_place(
    write: Callable[[str, Any], Path], content: bytes, message: str
) -> None:
    with pytest.raises(GlueError, match=message) as error:
        read_bird("b", write("dev.json", content))
    assert error.value.hint


def test_a_missing_file_names_the_nearest(write: Callable[[str, Any], Path]) -> None:
    path = write("dev.json", [QUESTION])
    with pytest.raises(GlueError, match=r"there is no .*devv\.json") as error:
        read_bird("b", path.with_name("devv.json"))
    assert error.value.hint == f"did you mean {path}?"


def test_a_byte_order_mark_is_no_obstacle(write: Callable[[str, Any], Path]) -> None:
    content = b"\xef\xbb\xbf" + json.dumps([QUESTION]).encode()
    assert len(read_bird("b", write("dev.json", content)).rows["questions"]) == 1


def test_half_a_surrogate_pair_is_written_as_an_escape(write: Callable[[str, Any], Path]) -> None:
    content = json.dumps(
        [{**QUESTION, "question": "x\ud800"}, {**QUESTION, "question_id": 8, "SQL": "\ud800"}]
    )
    batch = read_bird("b", write("dev.json", content.encode()))
    assert batch.rows["questions"][0]["question"] == "x\\ud800"
    assert [row["question_id"] for row in batch.rows["golds"]] == ["7"]


def test_tied_alternatives_are_further_golds(write: Callable[[str, Any], Path]) -> None:
    tied = [{**QUESTION, "SQL": "SELECT 2"}, QUESTION, {**QUESTION, "question_id": 99}, {"question_id": 7}]
    batch = read_bird("b", write("dev.json", [QUESTION]), tied=write("tied.json", tied))
    golds = [(row["gold_number"], row["gold_sql"]) for row in batch.rows["golds"]]
    assert golds == [(1, QUESTION["SQL"]), (2, "SELECT 2")]
    assert reasons(batch) == {("extra", False): 1, ("malformed", False): 1}


def test_tables_and_the_file_are_two_sources_of_one_catalog(
    write: Callable[[str, Any], Path], tmp_path: Path
) -> None:
    make_shop(tmp_path / "databases" / "shop" / "shop.sqlite")
    batch = read_bird(
        "b", write("dev.json", [QUESTION]), write("tables.json", TABLES), databases=tmp_path / "databases"
    )
    drop_repeated_rows(batch)
    tables = {(row["table_name"], row["source"]): row for row in batch.rows["tables"]}
    assert set(tables) == {("Item", "bird_tables"), ("stock", "bird_tables"), ("item", "introspection")}
    assert tables["Item", "bird_tables"]["n_rows"] == tables["item", "introspection"]["n_rows"] == 2
    assert tables["Item", "bird_tables"]["natural_name"] == "items for sale"

    described = columns(batch, "bird_tables")
    assert described["Item.Item ID"]["natural_name"] == "item id"
    assert [name for name, row in described.items() if row["is_primary_key"]] == [
        "Item.Item ID",
        "stock.item",
        "stock.place",
    ]
    assert [row["column_position"] for row in described.values()] == [1, 2, 1, 2]

    stored = columns(batch, "introspection")
    assert stored["item.price"]["storage_classes"] == ["real"]
    assert stored["stock.n"]["storage_classes"] == ["integer", "text"]
    assert stored["stock.place"]["storage_classes"] == ["null", "text"]
    assert (stored["item.price"]["is_nullable"], stored["stock.n"]["is_nullable"]) == (False, True)
    assert (stored["item.price"]["data_type"], stored["stock.n"]["data_type"]) == ("REAL", None)

    (key,) = batch.rows["foreign_keys"]  # the file's and the JSON's are the same key
    assert (key["table_name"], key["referenced_table"], key["referenced_column"]) == (
        "stock",
        "item",
        "Item ID",
    )

    (database,) = batch.rows["databases"]
    content = (tmp_path / "databases" / "shop" / "shop.sqlite").read_bytes()
    assert database["snapshot_id"] == hashlib.sha256(content).hexdigest()
    assert (database["engine"], database["n_bytes"]) == ("sqlite", len(content))
    assert Path(database["path"]).is_absolute()


def test_flat_folders_and_other_cases_are_found(write: Callable[[str, Any], Path], tmp_path: Path) -> None:
    make_shop(tmp_path / "databases" / "SHOP.sqlite")
    batch = read_bird("b", write("dev.json", [QUESTION]), databases=tmp_path / "databases")
    assert batch.rows["databases"][0]["engine"] == "sqlite"


def test_a_database_without_a_file_stays_a_catalog_entry(
    write: Callable[[str, Any], Path], tmp_path: Path
) -> None:
    make_shop(tmp_path / "databases" / "shop.sqlite")
    (tmp_path / "databases" / "broken.sqlite").write_bytes(b"SQLite format 3\x00 and then nonsense")
    (tmp_path / "databases" / "pointer.sqlite").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    questions = [
        {**QUESTION, "question_id": number, "db_id": db_id}
        for number, db_id in enumerate(("shop", "gone", "broken", "pointer"))
    ]
    batch = read_bird("b", write("dev.json", questions), databases=tmp_path / "databases")
    engines = {row["db_id"]: row.get("engine") for row in batch.rows["databases"]}
    assert engines == {"shop": "sqlite", "gone": None, "broken": None, "pointer": None}
    assert len(batch.rows["questions"]) == 4
    assert reasons(batch) == {("no_database", True): 1, ("unreadable_database", False): 2}


def test_a_folder_without_any_of_the_databases_stops(
    write: Callable[[str, Any], Path], tmp_path: Path
) -> None:
    (tmp_path / "databases").mkdir()
    (tmp_path / "databases" / "other.txt").touch()
    with pytest.raises(GlueError, match="none of the 1 databases") as error:
        read_bird("b", write("dev.json", [QUESTION]), databases=tmp_path / "databases")
    assert "other.txt" in (error.value.hint or "")


def test_importing_leaves_the_database_untouched(write: Callable[[str, Any], Path], tmp_path: Path) -> None:
    path = make_shop(tmp_path / "databases" / "shop.sqlite")
    before = path.read_bytes()
    read_bird("b", write("dev.json", [QUESTION]), databases=path.parent)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["shop.sqlite"]


def test_malformed_tables_are_refused(write: Callable[[str, Any], Path]) -> None:
    tables = [*TABLES, {"db_id": "other", "table_names_original": ["a"]}, 5, TABLES[0]]
    batch = read_bird("b", write("dev.json", [QUESTION]), write("tables.json", tables))
    assert reasons(batch) == {("malformed", False): 2, ("duplicate", False): 1}
    assert {row["db_id"] for row in batch.rows["tables"]} == {"shop"}


HEADER = b"original_column_name,column_name,column_description,data_format,value_description\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HEADER + b"name,label,the name,text,\n", ("label", "the name", None)),
        (b"\xef\xbb\xbf" + HEADER + b"name,,the name,text,free\n", (None, "the name", "free")),
        (HEADER + b" NAME ,label,the na\xefve name,text,\n", ("label", "the na\u00efve name", None)),
        (
            HEADER.replace(b",value", b", Value") + b"name,label, the name ,text,x\n",
            ("label", "the name", "x"),
        ),
        (HEADER[:-1] + b",\nname,label,the name,text,,moved\n", ("label", "the name", "moved")),
        (HEADER + b"name,label\n", ("label", None, None)),
        (HEADER + b'name,label,"the\nname",text,"a ""b"" c"\n', ("label", "the\nname", 'a "b" c')),
        (HEADER + b",,,,\n\nname,label,the name,text,\n", ("label", "the name", None)),
    ],
    ids=["plain", "bom", "latin-1", "header", "stray", "short", "quotes", "blank lines"],
)
def test_description_csvs_with_their_mess(
    write: Callable[[str, Any], Path], tmp_path: Path, content: bytes, expected: tuple[str | None, ...]
) -> None:
    write("d/shop/database_description/ITEM.csv", content)
    write("d/shop/database_description/stock.csv", HEADER + b"place,,where,text,\n")
    batch = read_bird(
        "b", write("dev.json", [QUESTION]), write("tables.json", TABLES), descriptions=tmp_path / "d"
    )
    found = columns(batch, "description_csv")["Item.name"]
    assert (found["natural_name"], found["description"], found["value_description"]) == expected
    assert set(reasons(batch)) <= {("encoding", True), ("stray_column", True)}


def test_descriptions_of_nothing_are_refused_by_name(
    write: Callable[[str, Any], Path], tmp_path: Path
) -> None:
    write("d/shop/Item.csv", HEADER + b"nam,label,,,\n,label,,,\nname,label,,,\n")
    write("d/shop/itemz.csv", HEADER)
    write("d/shop/stock.csv", b"a,b\n1,2\n")
    batch = read_bird(
        "b", write("dev.json", [QUESTION]), write("tables.json", TABLES), descriptions=tmp_path / "d"
    )
    assert list(columns(batch, "description_csv")) == ["Item.name"]
    advice = {refusal.reason: refusal.advice for refusal in batch.refusals}
    assert advice["unknown_column"] == "did you mean 'name'?"
    assert advice["unknown_table"] == "did you mean Item.csv?"
    assert set(advice) == {"unknown_column", "blank_name", "unknown_table", "no_header", "no_descriptions"}


def test_column_meanings_lose_their_marks(write: Callable[[str, Any], Path]) -> None:
    meanings = {
        "shop|item|NAME": '# "The name."',
        "shop|stock|place": "#",
        "shop|stock|plaace": "x",
        "shop|stok|place": "x",
        "other|a|b": "x",
        "shop|stock": "x",
    }
    batch = read_bird(
        "b", write("dev.json", [QUESTION]), write("tables.json", TABLES),
        column_meaning=write("meaning.json", meanings),
    )  # fmt: skip
    assert columns(batch, "column_meaning")["Item.name"]["description"] == "The name."
    assert len(columns(batch, "column_meaning")) == 1
    assert reasons(batch) == {
        ("not_text", False): 1,
        ("unknown_column", False): 1,
        ("unknown_table", False): 1,
        ("unknown_database", False): 1,
        ("malformed", False): 1,
    }


def test_progress_is_told(write: Callable[[str, Any], Path], tmp_path: Path) -> None:
    make_shop(tmp_path / "databases" / "shop.sqlite")
    told: list[tuple[int, int, str]] = []
    read_bird(
        "b",
        write("dev.json", [QUESTION]),
        databases=tmp_path / "databases",
        on_progress=lambda *a: told.append(a),
    )
    assert told == [(0, 1, "shop"), (1, 1, "")]


def test_the_published_dev_set_lands_whole(shared_data: Path) -> None:
    bird = shared_data / "bird"
    batch = read_bird(
        "bird_dev",
        bird / "meta" / "dev.json",
        bird / "meta" / "dev_tables.json",
        bird / "databases",
        bird / "database_description",
        bird / "meta" / "column_meaning" / "dev_column_meaning.json",
        bird / "meta" / "dev_tied_append.json",
    )
    assert len(batch.rows["questions"]) == 1534
    assert len(batch.rows["golds"]) == 1534 + 41  # one of the 42 alternatives is the gold itself
    assert Counter(row["difficulty"] for row in batch.rows["questions"]) == {
        "simple": 925,
        "moderate": 464,
        "challenging": 145,
    }
    with_file = [row["db_id"] for row in batch.rows["databases"] if row.get("engine")]
    assert sorted(with_file) == ["student_club", "superhero", "thrombosis_prediction", "toxicology"]
    sources = Counter(row["source"] for row in batch.rows["columns"])
    assert sources == {"bird_tables": 798, "column_meaning": 699, "introspection": 154, "description_csv": 55}
    assert reasons(batch) == {
        ("no_database", True): 7,
        ("no_descriptions", True): 10,
        ("stray_column", True): 1,
    }


def test_the_published_train_and_mini_dev_sets_land(shared_data: Path) -> None:
    bird = shared_data / "bird"
    train = read_bird(
        "train", bird / "train" / "train.json",
        column_meaning=bird / "meta" / "column_meaning" / "train_column_meaning.json",
    )  # fmt: skip
    assert (len(train.rows["questions"]), len(train.rows["databases"])) == (6601, 69)
    assert len(train.rows["columns"]) == 3498
    assert train.refusals == []
    mini = read_bird("mini", bird / "mini_dev" / "mini_dev_postgresql.json", dialect="postgresql")
    assert {row["dialect"] for row in mini.rows["golds"]} == {"postgres"}
    assert len(mini.rows["questions"]) == 498  # questions 137 and 138 stand in the file twice
    assert [refusal.record for refusal in mini.refusals] == ["entry 488", "entry 489"]
    assert max(row["question_position"] for row in mini.rows["questions"]) == 499
