"""docs/your-own-warehouse.md, walked on PostgreSQL and on MariaDB: each command, and what it prints.

PostgreSQL stands for both in the page's outputs where they differ in their name alone. On PostgreSQL a shell
runs every line, on MariaDB those that need one (tests/commands.py).
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pymysql
import pytest

from tests.commands import in_this_process
from tests.engines.needed import missing
from tests.engines.servers import LIVE, Server, Servers
from tests.walked_pages import glue_words, pattern, printed, steps

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "your-own-warehouse.md"
NAMES = {"teahouse": "_shop", "tea_reader": "_reader"}
"""The page's names, and what tests append to a name of their own for them."""

CLIENTS = {"postgresql": ("psql", "createdb", "dropdb"), "mariadb": ("mariadb",)}
EXPORT = re.compile(r'export (?P<name>\w+)="?(?P<value>[^"]*)"?$')


@pytest.fixture(params=LIVE)
def server(request: pytest.FixtureRequest, servers: Servers) -> Iterator[Server]:
    """A real server on which neither the database nor the reader of the page is left over."""
    for client in CLIENTS[request.param]:
        if shutil.which(client) is None:
            missing(f"the page is walked with {client}, which is not installed")
    server = servers[request.param]
    yield server
    database, reader = (server.name + end for end in NAMES.values())
    drops = {
        "postgresql": [f"drop database if exists {database} with (force)", f"drop role if exists {reader}"],
        "mariadb": [f"drop database if exists {database}", f"drop user if exists '{reader}'@'%'"],
    }
    for sql in drops[server.engine]:
        with contextlib.suppress(psycopg.Error, pymysql.Error):
            server.run(sql, server.master_database)


def environment_of(server: Server, folder: Path) -> dict[str, str]:
    """Where `glue` is, and the servers' clients find their server and its master."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "glue"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m glue "$@"\n')
    program.chmod(0o755)
    (folder / ".my.cnf").write_text(f"[client]\nhost=127.0.0.1\nport={server.port}\nuser=root\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVALHOUSE_", "DBT_"))}
    paths = [str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {
        **kept,
        "PATH": os.pathsep.join(paths),
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "PGHOST": "127.0.0.1",
        "PGPORT": str(server.port),
        "PGUSER": "postgres",
    }


@pytest.mark.slow
def test_the_page_walks(server: Server, tmp_path: Path) -> None:
    environment = environment_of(server, tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    own = {name: server.name + end for name, end in NAMES.items()}

    def named(text: str) -> str:
        for name, mine in own.items():
            text = text.replace(name, mine)
        return text

    n_run = 0
    for step in steps(PAGE):
        if step.engine not in (None, server.engine):
            continue
        if export := EXPORT.match(step.command):
            environment[export["name"]] = export["value"].replace("$PWD", str(tmp_path))
            continue
        line = named(step.command)
        words = glue_words(line) if server.engine == "mariadb" else None
        if words is not None:
            finished = in_this_process(words, tmp_path, environment)
        else:
            finished = subprocess.run(
                ["bash", "-o", "pipefail", "-c", line],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                timeout=600,
            )
        said = f"{step.command}\n{finished.stdout}\n{finished.stderr}"
        assert finished.returncode == 0, said
        n_run += 1
        if step.shown:
            lines = [named(line) for line in step.shown]
            if step.engine is None:
                lines = [line.replace("postgresql", server.engine) for line in lines]
            text = printed(finished.stdout).replace("\\_", "_")  # MariaDB's GRANT takes _ for a pattern
            assert pattern(lines).match(text), said
    assert n_run > 25
    assert not (tmp_path / "tea_warehouse").exists()
    master = server.master_database
    catalogs = {
        "postgresql": "select datname from pg_database union all select rolname from pg_roles",
        "mariadb": "select schema_name from information_schema.schemata union select user from mysql.user",
    }
    left = {str(name) for (name,) in server.run(catalogs[server.engine], master)}
    assert left.isdisjoint(own.values())


def test_what_the_page_shows_is_compared() -> None:
    shown = ["a   b", "… rows in … s", "…", "end"]
    assert pattern(shown).match(printed("a b\n───\n5 rows in 0.1 s\nmore\nand more\nend\n"))
    assert not pattern(shown).match(printed("a c\n5 rows in 0.1 s\nend\n"))
    assert not pattern(shown).match(printed("a b\n5 rows in 0.1 s\nend\nmore\n"))
    assert sum(bool(step.shown) for step in steps(PAGE)) > 20
    assert {step.engine for step in steps(PAGE)} == {None, "postgresql", "mariadb"}
