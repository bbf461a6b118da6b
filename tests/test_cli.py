"""The command line: its cost, its manners, and each command that needs no built warehouse."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import click
import pytest

from glue import cli, cli_parts
from glue.cli_output import print_import
from glue.cli_study import print_history
from glue.home import Home
from glue.importers.common import land
from glue.importers.query_logs import read_query_log
from glue.study.history import StudyReport, Table
from tests.commands import glue as run_glue
from tests.history_files import LOG, PAST, import_past

HEAVY = {"dbt", "duckdb", "numpy", "pyarrow", "rich", "sqlglot", "litellm", "aiohttp", "concurrent.futures"}


def said(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command run in this process."""
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    out, err = capfd.readouterr()
    return int(stopped.value.code or 0), out, err


@pytest.fixture
def at_home(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("EVALHOUSE_HOME", str(home.root))
    return home


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A benchmark of two questions in BIRD's format, with its database."""
    folder = tmp_path / "shop_files"
    (folder / "databases" / "shop").mkdir(parents=True)
    with sqlite3.connect(folder / "databases" / "shop" / "shop.sqlite") as connection:
        connection.execute("create table items (name text, price real)")
        connection.execute("insert into items values ('tea', 2.5), ('jam', 4.0)")
    connection.close()
    questions = [
        {"question_id": 0, "db_id": "shop", "question": "How many?", "SQL": "SELECT COUNT(*) FROM items"},
        {"question_id": 1, "db_id": "shop", "question": "Names?", "SQL": "SELECT name FROM items"},
    ]
    (folder / "dev.json").write_text(json.dumps(questions))
    bird = "\t----- bird -----\tshop"
    (folder / "predictions.json").write_text(json.dumps({"0": f"SELECT 2{bird}", "1": 0}))
    return folder


def import_shop(shop: Path) -> list[str]:
    databases = str(shop / "databases")
    return [
        "import",
        "bird",
        "--name",
        "shop",
        "--questions",
        str(shop / "dev.json"),
        "--databases",
        databases,
    ]


# --------------------------------------------------------------------------- cost


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, glue.cli as it; it.cli.main(['--help'], standalone_mode=False); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = set(out.splitlines()[-1].split())
    assert "click" in loaded
    assert loaded & HEAVY == set()


def test_help_costs_less_than_half_a_second_over_python() -> None:
    def cost(*arguments: str) -> float:
        def once() -> float:
            before = os.times()
            subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system

        return min(once() for _ in range(3))

    assert cost("-m", "glue", "--help") - cost("-c", "pass") < 0.5


# --------------------------------------------------------------------------- manners


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found: list[tuple[tuple[str, ...], click.Command]] = []
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            found += commands(command, (*path, name))
        else:
            found.append(((*path, name), command))
    return found


@pytest.mark.parametrize(
    ("path", "command"), [pytest.param(*found, id=" ".join(found[0])) for found in commands(cli.cli)]
)
def test_every_command_has_an_example_that_parses(path: tuple[str, ...], command: click.Command) -> None:
    epilog = command.epilog or ""
    examples = [line.strip() for line in epilog.splitlines() if line.strip().startswith("glue ")]
    whole = click.Context(cli.cli, info_name="glue", **cli.CONTEXT)
    assert examples, f"glue {' '.join(path)} shows no example"
    for example in examples:
        words = list(itertools.takewhile(lambda word: word not in ("&&", "<", ">"), shlex.split(example)))
        assert words[1 : 1 + len(path)] == list(path)
        command.make_context(path[-1], words[1 + len(path) :], parent=whole)
    for parameter in command.params:
        assert isinstance(parameter, click.Argument) or getattr(parameter, "help", None), parameter.name


def test_a_command_is_in_the_file_of_its_name() -> None:
    files = {name: getattr(command.callback, "__module__", "") for name, command in cli.cli.commands.items()}
    assert files == {name: f"glue.cli_{name}" for name in files}


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("impor", "`glue` has no command 'impor'", "did you mean import?"),
        ("import berd", "`glue import` has no command 'berd'", "did you mean bird?"),
        ("query --fromat csv", "`glue query` has no option --fromat", "did you mean --format?"),
        ("import bird", "Missing option '--name'", "see `glue import bird --help`"),
        ("execute --timeout 0", "'0' is no time limit", "see `glue execute --help`"),
        ("execute --max-memory much", "'much' is no size", "see `glue execute --help`"),
        ("frobnicate", "`glue` has no command 'frobnicate'", "see `glue --help`"),
    ],
)
def test_a_senseless_line_names_the_nearest(
    line: str, message: str, hint: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(line.split(), capfd)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err.splitlines()[0]
    assert err.splitlines()[1] == f"hint: {hint}"


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("500MB", 500 << 20), ("2GB", 2 << 30), ("1.5g", 3 << 29), ("64KiB", 64 << 10), ("4096", 4096)],
)
def test_sizes(text: str, n_bytes: int) -> None:
    assert cli_parts.Size().convert(text, None, None) == n_bytes


# --------------------------------------------------------------------------- import


def test_an_import_says_what_came_and_what_was_refused(
    at_home: Home, shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(import_shop(shop), capfd)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("imported bird shop: 2 questions, 2 golds, 1 database")
    assert out.splitlines()[-1] == "nothing was refused"
    code, out, _ = said(import_shop(shop), capfd)
    assert (code, out) == (0, "shop has been imported before from these very files; nothing to do\n")

    line = ["import", "predictions", str(shop / "predictions.json"), "--benchmark", "shop"]
    code, out, _ = said(line, capfd)
    assert code == 0
    assert out.startswith("imported predictions predictions: 2 predictions")
    assert "0 entries left out, 1 landed with a remark:" in out
    assert "not_text" in out and 'predictions.json, key "1"' in out.replace("\n", " ")


def test_other_files_under_a_name_need_replace(
    at_home: Home, shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said(import_shop(shop), capfd)
    (shop / "dev.json").write_text((shop / "dev.json").read_text().replace("How many?", "How many items?"))
    code, _, err = said(import_shop(shop), capfd)
    assert code == 1 and "imported already" in err and "--replace" in err
    assert said([*import_shop(shop), "--replace"], capfd)[0] == 0


def test_an_unknown_benchmark_names_the_nearest(
    at_home: Home, shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said(import_shop(shop), capfd)
    line = ["import", "predictions", str(shop / "predictions.json"), "--benchmark", "shpo"]
    code, _, err = said(line, capfd)
    assert code == 1 and "shpo" in err and "shop" in err.splitlines()[1]


def test_a_database_is_introspected(at_home: Home, shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = shop / "databases" / "shop" / "shop.sqlite"
    code, out, _ = said(["import", "database", str(file), "--samples", "--name", "ours"], capfd)
    assert code == 0 and "1 database, 1 table, 2 columns" in out


def test_a_missing_file_names_its_neighbour(
    at_home: Home, shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    line = ["import", "bird", "--name", "shop", "--questions", str(shop / "dve.json")]
    code, _, err = said(line, capfd)
    assert code == 1 and err.startswith("error: --questions: there is no ") and "dev.json" in err


# --------------------------------------------------------------------------- generate, query, landing


@pytest.mark.parametrize(
    ("model", "message", "hint"),
    [
        ("gpt-4", "OPENAI_API_KEY is not set", "--api-base"),
        ("openai/mine", "OPENAI_API_KEY is not set", "--api-base"),
        ("control/glod", "there is no control/glod", "did you mean control/gold?"),
    ],
)
def test_what_cannot_be_asked_is_said_first(
    at_home: Home,
    shop: Path,
    model: str,
    message: str,
    hint: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said(import_shop(shop), capfd)
    code, _, err = said(["generate", "--model", model, "--benchmark", "shop"], capfd)
    assert code == 1 and message in err.splitlines()[0] and hint in err.splitlines()[1]


def test_a_command_is_shown_without_the_password_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "http://me:password1@host/v1?code=abc"
    monkeypatch.setattr(sys, "argv", ["glue", "generate", f"--api-base={typed}", "x" * 300])
    command = cli_parts.command_line(typed)
    assert command.startswith("glue generate --api-base=http://host/v1 xxx") and len(command) == 205


def test_query_reads_its_statement_from_a_pipe(home: Home) -> None:
    import duckdb

    duckdb.connect(str(home.warehouse)).close()
    finished = subprocess.run(
        [sys.executable, "-m", "glue", "query", "--format", "csv"],
        input="select 6 * 7 as answer",
        env={**os.environ, "EVALHOUSE_HOME": str(home.root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (finished.stdout, finished.stderr) == ("answer\n42\n", "")


def test_a_reader_that_stops_early_is_no_error(home: Home) -> None:
    import duckdb

    duckdb.connect(str(home.warehouse)).close()
    command = f"{sys.executable} -m glue query 'from range(1000000)' --format csv | head -n 1"
    env = {**os.environ, "EVALHOUSE_HOME": str(home.root)}
    finished = subprocess.run(command, shell=True, env=env, capture_output=True, text=True, check=True)
    assert finished.stdout == "range\n"
    assert "Traceback" not in finished.stderr


def test_compaction_keeps_rows(at_home: Home, shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said(import_shop(shop), capfd)
    said(["import", "predictions", str(shop / "predictions.json"), "--benchmark", "shop"], capfd)
    code, out, _ = said(["landing", "compact"], capfd)
    assert code == 0
    imports = next(line for line in out.splitlines() if line.startswith("imports "))
    assert imports.split() == ["imports", "2", "1", "2", "2"]


def test_a_second_command_says_who_holds_the_lock(home: Home, shop: Path) -> None:
    from glue.landing import Writer

    with Writer(home, loop="import", command="glue import bird --name other"):
        finished = run_glue(home.root, *import_shop(shop), is_failure_expected=True)
    assert f"process {os.getpid()}" in finished.stderr
    assert "glue import bird --name other" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_an_import_is_told_under_the_name_of_what_it_brought(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    import_past(home)
    report = land(home, read_query_log(home, LOG, "log", PAST))
    print_import(report)
    assert capsys.readouterr().out.startswith("imported history 'log': 10 history_queries\n")


def test_a_history_study_without_tasks_says_why_its_table_is_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    empty = Table(("setting",), [])
    print_history(StudyReport(empty, empty))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "there is no task" in shown.err
