"""What README and docs say: every command in them runs, every link leads somewhere, docs/cli.md is current.

The commands are run in one folder, in the order of the pages, on small files under the names the pages use:
those of the README as a shell runs them, those of other pages in this process (tests/commands.py).
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import glue
from tests.engines.servers import Servers
from tests.walked_pages import glue_words

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WALKED = {
    "your-own-warehouse.md": "test_your_own_warehouse.py",
    "local-engines.md": "test_local_engines_page.py",
}
"""Pages whose commands another test runs, in a home of their own."""

OTHER_TOOLS = re.compile(r"(make (?P<target>\w+)|source \.venv/bin/activate)$")

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!http)([^)#]+)\)")


def console_lines(page: Path) -> list[str]:
    blocks = CONSOLE.findall(page.read_text(encoding="utf-8"))
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


COMMANDS = [(page, line) for page in PAGES if page.name not in WALKED for line in console_lines(page)]
RUN_HERE = [(page, line) for page, line in COMMANDS if not OTHER_TOOLS.match(line)]


@pytest.fixture
def live_shop(servers: Servers) -> Iterator[str]:
    """The URL of the shop on a real server, as the pages' SHOP_URL has it."""
    server = servers["postgresql"]
    server.run("create table items (name text, price real)")
    server.run("insert into items values ('tea', 2.5), ('jam', 4.0), ('oil', 7.5)")
    yield f"postgresql://{server.name}:{server.password}@127.0.0.1:{server.port}/{server.name}"
    server.run("drop table items")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files under the names that the pages use: two benchmarks of two questions, and more."""
    folder = tmp_path_factory.mktemp("documented")
    questions = [
        ("How many items are there?", "SELECT COUNT(*) FROM items"),
        ("Which items cost more than 3?", "SELECT name FROM items WHERE price > 3 ORDER BY name"),
    ]
    for place, field, databases in (
        (folder, "SQL", "dev_databases"),
        (folder / "spider", "query", "database"),
    ):
        (place / databases / "shop").mkdir(parents=True)
        write_shop(place / databases / "shop" / "shop.sqlite")
        entries = [{"db_id": "shop", "question": question, field: sql} for question, sql in questions]
        (place / "dev.json").write_text(json.dumps(entries))
    for path in (folder / "dev_tables.json", folder / "spider" / "tables.json"):
        path.write_text(json.dumps([SHOP_TABLES]))
    bird = "\t----- bird -----\tshop"
    answers = {"0": f"SELECT COUNT(name) FROM items{bird}", "1": f"SELECT name FROM items{bird}"}
    (folder / "predict_dev.json").write_text(json.dumps(answers))
    (folder / "spider" / "predicted.sql").write_text("SELECT COUNT(*) FROM items\nSELECT nme FROM items\n")
    write_shop(folder / "shop.sqlite")
    (folder / "databases").mkdir()
    write_shop(folder / "databases" / "shop.sqlite")
    lines = [{"db_id": "shop", "question": question, "golds": [sql]} for question, sql in questions]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for name in ("questions_gen", "instruct_basic"):
        rows = [f'"{question}",shop,"{sql}",group_by' for question, sql in questions]
        header = "question,db_name,query,query_category"
        (folder / f"{name}_postgres.csv").write_text("\n".join([header, *rows, ""]))
    write_beaver(folder / "beaver")
    knowledge = {"items.price > <val>": [1], "COUNT(*)": [0]}
    task = {"question_id": 7, "db_id": "shop", "question": "How many items cost more than 5?"}
    gold = {"SQL": "SELECT COUNT(*) FROM items WHERE price > 5", "history_knowledge": knowledge}
    (folder / "bird_history.json").write_text(json.dumps([{**task, **gold}]))
    (folder / "query_log.csv").write_text(
        "query_text,start_time,status\nSELECT name FROM items WHERE price > 4,2026-03-01 10:00:00,SUCCESS\n"
        "SELECT nme FROM items,2026-03-01 10:01:00,FAIL\n"
    )
    (folder / "reviews.csv").write_text("task_id,round,role,reviewer,decision\n7,1,annotator,ada,valid\n")
    return folder


SHOP_TABLES = {
    "db_id": "shop",
    "table_names": ["items"],
    "table_names_original": ["items"],
    "column_names": [[-1, "*"], [0, "name"], [0, "price"]],
    "column_names_original": [[-1, "*"], [0, "name"], [0, "price"]],
    "column_types": ["text", "text", "number"],
    "primary_keys": [],
    "foreign_keys": [],
}


def write_beaver(folder: Path) -> None:
    """A table and a question, with golds in two dialects."""
    folder.mkdir()
    items = {"db_id": "dw", "table_name_original": "ITEMS"}
    columns = {"column_names_original": ["NAME"], "column_types": ["VARCHAR2(20)"]}
    (folder / "dev_tables.json").write_text(json.dumps({"dw#sep#ITEMS": {**items, **columns}}))
    sql = "SELECT NAME FROM ITEMS"
    question = {"db_id": "dw", "question": "Which items are there?", "sql": sql, "oracle_sql": sql}
    (folder / "dev_dw.json").write_text(json.dumps([question]))


def write_shop(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table items (name text, price real)")
        connection.execute("insert into items values ('tea', 2.5), ('jam', 4.0), ('oil', 7.5)")
    connection.close()


def run(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line as a shell would, with this interpreter's glue and dbt."""
    scripts = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{scripts}{os.pathsep}{os.environ['PATH']}",
        "EVALHOUSE_HOME": str(folder),
        "DBT_PROJECT_DIR": str(ROOT),
        "DBT_PROFILES_DIR": str(ROOT),
    }
    return subprocess.run(
        line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )


def test_a_line_for_a_shell_is_told_from_a_plain_one() -> None:
    line = "glue query \"select '>' from t where a > 1\" --format csv"
    assert glue_words(line) == ["query", "select '>' from t where a > 1", "--format", "csv"]
    for line in (
        "glue query x > y",
        "glue query x | head",
        "dbt build",
        "glue import $PWD",
        "glue a; glue b",
    ):
        assert glue_words(line) is None


@pytest.mark.slow
def test_every_command_runs(folder: Path, live_shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one test, since each stands on those before it."""
    monkeypatch.setenv("SHOP_URL", live_shop)
    (folder / "bin").mkdir()
    program = folder / "bin" / "glue"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m glue "$@"\n')
    program.chmod(0o755)
    assert len(RUN_HERE) > 10
    for page, line in RUN_HERE:
        words = None if page.name == "README.md" else glue_words(line)
        if words is not None:
            glue(folder, *words)
            continue
        finished = run(folder, line)
        assert finished.returncode == 0, f"{page.name}: {line}\n{finished.stdout}\n{finished.stderr}"
    assert (folder / "lenient.csv").read_text().startswith("question_id,reason\n")
    leaderboard = json.loads(run(folder, 'glue query "from leaderboard" --format json').stdout)
    values = {
        row["prediction_set"]: (row["numerator"], row["denominator"])
        for row in leaderboard
        if (row["protocol"], row["metric"]) == ("evalhouse", "ex")
        and not row["benchmark"].startswith("enterprise")
    }
    assert values == {"my_model": (1, 2), "my_parser": (1, 2), "control/gold-rewritten": (2, 2)}


@pytest.mark.parametrize(("page", "line"), [found for found in COMMANDS if found not in RUN_HERE])
def test_every_make_target_is_there(page: Path, line: str) -> None:
    found = OTHER_TOOLS.match(line)
    assert found is not None
    if found["target"]:
        assert re.search(rf"^{found['target']}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("page", "test"), WALKED.items())
def test_a_page_that_is_left_out_here_has_a_test(page: str, test: str) -> None:
    assert page in (ROOT / "tests" / test).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_page_of_commands_is_current() -> None:
    spec = importlib.util.spec_from_file_location("write_cli", ROOT / "docs" / "write_cli.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == module.text(), (
        "run python docs/write_cli.py"
    )


@pytest.mark.parametrize("seed", ["outcomes", "reasons", "metrics", "protocols"])
def test_the_page_of_verdicts_knows_every_word(seed: str) -> None:
    import csv

    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    column = {"outcomes": "outcome", "reasons": "reason", "metrics": "metric", "protocols": "protocol"}[seed]
    with (ROOT / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words = {row[column] for row in rows if seed != "reasons" or row["outcome"] in ("match", "mismatch")}
    assert {word for word in words if f"`{word}`" not in page} == set()
