"""`glue connect` and `glue engine` as a person types them, on real servers; and the password nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from glue.connections import Connection, address_with, stored_connection
from glue.errors import GlueError
from glue.home import Home
from glue.live import opened
from tests.engines.servers import LIVE, Server, Servers

PASSWORD = "s3/cr#t?9@:%25x"
AS_MEANT = "s3/cr#t?9@:%x"

SHOP = """
    create table items (id integer primary key, title varchar(20), price integer);
    insert into items values (1, 'tea', 2), (2, 'jam', 4);
"""
QUESTION = '{"db_id": "shop", "question": "How many items?", "golds": ["SELECT count(*) FROM items"]}\n'


@pytest.fixture(params=LIVE)
def server(request: pytest.FixtureRequest, servers: Servers) -> Iterator[Server]:
    """The reading user has an awkward password, which PostgreSQL on loopback does not look at."""
    server = servers[request.param]
    server.run(SHOP)
    alter = {
        "postgresql": f"alter role {server.name} password '{{}}'",
        "mariadb": f"alter user '{server.name}'@'%' identified by '{{}}'",
    }[server.engine]
    server.run(alter.format(AS_MEANT))
    yield server
    server.run(alter.format(server.password))
    server.run("drop table items")


def glue(home: Home, *arguments: str, code: int = 0, **variables: str) -> tuple[str, str]:
    """What `glue …` prints on stdout and stderr; EVALHOUSE_… variables of the tests' own do not reach it."""
    finished = subprocess.run(
        [sys.executable, "-X", "dev", "-m", "glue", *arguments],
        env={**os.environ, "EVALHOUSE_HOME": str(home.root), **variables},
        cwd=home.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert finished.returncode == code, f"{arguments}\n{finished.stdout}\n{finished.stderr}"
    return finished.stdout, finished.stderr


def url(server: Server, password: str = PASSWORD, **parts: object) -> str:
    given = {"user": server.name, "host": "127.0.0.1", "port": server.port, "database": server.name, **parts}
    who = f"{given['user']}:{password}" if password else given["user"]
    return f"{server.engine}://{who}@{given['host']}:{given['port']}/{given['database']}"


def content_of(folder: Path) -> str:
    """Everything under a folder: names, bytes as they are, and the rows of Parquet files."""
    found = []
    for path in sorted(folder.rglob("*")):
        found.append(str(path))
        if path.is_file():
            found.append(path.read_bytes().decode("latin-1"))
        if path.suffix == ".parquet":
            found.append(repr(parquet.read_table(path).to_pylist()))
    return "\n".join(found)


def check_hidden(text: str, *also: str) -> None:
    """No password, whole or cut where a careless reading of its URL cuts it."""
    for part in (PASSWORD, AS_MEANT, "cr#t", "s3/c", "t?9", "9@:", *also):
        assert part not in text


@pytest.mark.slow
def test_the_password_is_nowhere(server: Server, home: Home) -> None:
    said = [*glue(home, "connect", "shop", url(server))]
    assert f"user {server.name}" in said[0] and "may read, and nothing else" in said[0]
    assert "export EVALHOUSE_SHOP_PASSWORD=" in said[1]
    questions = home.root / "questions.jsonl"
    questions.write_text(QUESTION)
    of_database = ("import", "database", "--connection", "shop", "--benchmark", "ours", "--db-id", "shop")
    of_questions = (
        "import",
        "jsonl",
        "--name",
        "ours",
        "--questions",
        "questions.jsonl",
        "--connection",
        "shop",
    )
    for arguments in (of_database, of_questions, ("connect", "shop"), ("connect", "--list")):
        said += glue(home, *arguments, EVALHOUSE_SHOP_PASSWORD=AS_MEANT)
    said += glue(home, "connect", "by_url", "--env", "SHOP_URL", SHOP_URL=url(server))
    assert "imported jsonl ours: 1 question, 1 gold, 1 database" in "".join(said)
    for wrong in (
        ("connect", "x", url(server, database="nowhere_at_all")),
        ("connect", "x", url(server, user="nobody_at_all")),
        ("connect", "x", url(server, port=1)),
        ("connect", "x", url(server, host="no.host.invalid")),
        ("connect", url(server)),
        ("connect", "x", url(server).replace("://", "x://")),
        ("import", "database", url(server)),
        ("import", "database", "--connection", url(server)),
        ("connect", "x", "--env", url(server)),
    ):
        said += glue(home, *wrong, code=1)
    said += glue(home, "connect", "x", "y", url(server), code=2)
    check_hidden("\n".join(said))
    check_hidden(content_of(home.root))
    assert stored_connection(home, "by_url").password_env == "SHOP_URL"


@pytest.mark.parametrize("name", LIVE)
def test_no_error_carries_it(name: str, servers: Servers) -> None:
    """Neither its text, nor what it came from, nor a frame's locals but the driver's own."""
    import traceback

    connection = Connection("shop", name, "127.0.0.1", servers[name].port, "nowhere_at_all", "nobody_at_all")
    with pytest.raises(GlueError) as caught:
        opened(connection, address_with(connection, PASSWORD))
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    frames = "".join(line for line in told.format() if "tests/" not in line)
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    check_hidden(frames)


def test_a_wrong_password_is_told_from_a_missing_one(servers: Servers, home: Home) -> None:
    """On MariaDB: PostgreSQL trusts whoever comes over loopback."""
    server = servers["mariadb"]
    _, said = glue(home, "connect", "shop", url(server, "wr0ng"), code=1)
    assert "does not let" in said and "with the password at hand" in said and "wr0ng" not in said
    assert "hint: put the password into EVALHOUSE_SHOP_PASSWORD" in said
    _, said = glue(home, "connect", "shop", url(server, ""), code=1)
    assert "no password is at hand" in said
    assert not home.connections.exists()


@pytest.mark.slow
def test_with_a_wrong_password_nothing_is_read_or_run(servers: Servers, home: Home) -> None:
    """The way of docs/your-own-warehouse.md, on MariaDB; with the right one what is pending runs."""
    server = servers["mariadb"]
    server.run(SHOP)
    (home.root / "questions.jsonl").write_text(QUESTION)
    right, wrong = {"READER": server.password}, {"READER": "wr0ng"}
    database = ("import", "database", "--connection", "shop", "--benchmark", "ours", "--db-id", "shop")
    questions = (
        "import",
        "jsonl",
        "--name",
        "ours",
        "--questions",
        "questions.jsonl",
        "--connection",
        "shop",
    )
    connect = ("connect", "shop", url(server, ""), "--env", "READER")
    said = [*glue(home, *connect, code=1, **wrong)]
    assert not home.connections.exists()
    glue(home, *connect, **right)
    said += glue(home, *database, code=1, **wrong)
    assert said.count(said[-1]) == 2 and "hint: put the password into READER" in said[-1]
    glue(home, *database, **right)
    glue(home, *questions, **right)
    said += glue(home, "execute", code=1, **wrong)
    assert "connection 'shop' cannot be used: " in said[-1] and "nothing was run on it" in said[-1]
    landed = {path.name for path in (home.landing / "executions").rglob("*.parquet")}
    assert landed == {"_schema.parquet"}
    check_hidden("".join(said), "wr0ng")
    ran, _ = glue(home, "execute", **right)
    assert "wave 1: 2 statements" in ran and "2 answered" in ran
    server.run("drop table items")


@pytest.mark.parametrize("name", LIVE)
def test_what_is_wrong_is_named(name: str, servers: Servers, home: Home) -> None:
    server = servers[name]
    password = server.password

    def error(**parts: object) -> str:
        return glue(home, "connect", "shop", url(server, password, **parts), code=1)[1]

    assert "there is no host 'no.host.invalid'" in error(host="no.host.invalid")
    assert f"takes no connection on port 1\nhint: the usual port is {server.port}" in error(port=1)
    near = server.name.replace("evalhouse", "evalhous")
    said = error(database=near)
    assert f"has no database '{near}' that {server.name} may read" in said
    assert f"did you mean '{server.name}'" in said
    assert "nobody_at_all" in error(user="nobody_at_all")


@pytest.mark.parametrize(("name", "user"), [("postgresql", "postgres"), ("mariadb", "root")])
def test_a_user_who_may_write_is_warned_of(name: str, user: str, servers: Servers, home: Home) -> None:
    said, warned = glue(home, "connect", "shop", url(servers[name], "", user=user))
    power = {"postgresql": "superuser", "mariadb": "ALL PRIVILEGES on *.*"}[name]
    assert f"may do more than read: {power}\n" in said
    assert "warning: " in warned and f"hint: glue engine grant {name}" in warned


@pytest.mark.parametrize("name", LIVE)
def test_each_power_is_named(name: str, servers: Servers, home: Home) -> None:
    server = servers[name]
    server.run(SHOP)
    grant, revoke = {
        "postgresql": ("grant insert on items to {0}; grant create on schema public to {0}",
                       "revoke insert on items from {0}; revoke create on schema public from {0}"),
        "mariadb": (f"grant insert on {server.name}.* to {{0}}@'%'; grant file on *.* to {{0}}@'%'",
                    f"revoke insert on {server.name}.* from {{0}}@'%'; revoke file on *.* from {{0}}@'%'"),
    }[name]  # fmt: skip
    server.run(grant.format(server.name))
    try:
        said, _ = glue(home, "connect", "shop", url(server, server.password))
    finally:
        server.run(revoke.format(server.name))
        server.run("drop table items")
    expected = {
        "postgresql": ["may create in schema public", "may change 1 tables, public.items for one"],
        "mariadb": ["FILE on *.*", f"INSERT on {server.name}.*"],
    }[name]
    (line,) = [line for line in said.splitlines() if "may do more than read" in line]
    assert line.strip() == "may do more than read: " + "; ".join(expected)


def test_mysql_and_mariadb_are_not_taken_for_each_other(servers: Servers, home: Home) -> None:
    server = servers["mariadb"]
    as_mysql = url(server, server.password).replace("mariadb://", "mysql://")
    _, said = glue(home, "connect", "shop", as_mysql, code=1)
    assert "is no MySQL" in said and "mariadb://" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("connect",), "no connection is named"),
        (("connect", "shp"), "there is no connection 'shp'"),
        (("connect", "shop", "--env", "NO_SUCH_VARIABLE"), "NO_SUCH_VARIABLE is not set"),
        (("connect", "shop", "mysql://u@h", "--env", "A", "--prompt"), "two places"),
        (("connect", "shop", "mysql://u@h", "--prompt"), "no terminal"),
        (("connect", "shop", "--remove"), "there is no connection 'shop'"),
        (("import", "database"), "of a FILE or of a --connection"),
        (("import", "database", "--connection", "shop", "x.sqlite"), "of a FILE or of a --connection"),
        (("import", "database", "x.sqlite", "--schemas", "a"), "are of a live database"),
    ],
)
def test_senseless_lines_are_explained(arguments: tuple[str, ...], message: str, home: Home) -> None:
    _, said = glue(home, *arguments, code=1)
    assert message in said and "hint: " in said


def test_connections_are_listed_and_removed(servers: Servers, home: Home) -> None:
    assert "no connections yet" in glue(home, "connect", "--list")[0]
    server = servers[LIVE[0]]
    glue(home, "connect", "shop", url(server, ""), "--env", "READER", READER=server.password)
    listed = glue(home, "connect", "--list")[0]
    assert "shop" in listed and "READER" in listed and server.password not in listed
    assert "forgot connection shop" in glue(home, "connect", "shop", "--remove")[0]
    assert "no connections yet" in glue(home, "connect", "--list")[0]


def test_engines_are_listed(home: Home) -> None:
    lines = {line.split()[0]: line for line in glue(home, "engine", "list")[0].splitlines() if line.strip()}
    assert {"sqlite", "duckdb", "postgresql", "mysql", "mariadb", "oracle", "sqlserver"} <= set(lines)
    assert "notyet run" in lines["oracle"] and "tested" in lines["postgresql"]
    assert "tsql" in lines["sqlserver"]


def test_a_script_holds_the_password_of_a_variable(home: Home) -> None:
    arguments = (
        "engine",
        "grant",
        "postgresql",
        "--user",
        "reader",
        "--database",
        "shop",
        "--schemas",
        "a,b",
    )
    script, _ = glue(home, *arguments, "--schemas", "c", "--password-env", "READER", READER="it's")
    assert "password 'it''s';" in script
    for schema in "abc":
        assert f'grant select on all tables in schema "{schema}" to "reader";' in script
    assert "CHANGE-ME" in glue(home, *arguments)[0]
    assert "no script for engine 'postgres'" in glue(home, "engine", "grant", "postgres", code=1)[1]
