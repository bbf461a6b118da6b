"""Connections: what a URL says, what is kept of it, where its password is looked for and never goes."""

from __future__ import annotations

import socket
import stat
import traceback
from pathlib import Path

import pytest

from glue.connection_urls import SERVER_KINDS, is_server_url, parsed_url, without_passwords
from glue.connections import (
    Connection,
    address_of,
    connection_names,
    connection_of_url,
    connection_of_variable,
    remove,
    store,
    stored_connection,
)
from glue.engines.server import Address
from glue.errors import GlueError
from glue.home import Home

SECRET = "s3c/r#t?@:%41 ü"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "postgresql://ada:{}@db.example.org:5433/shop?sslmode=require",
            ("postgresql", "db.example.org", 5433, "shop", "ada", (("sslmode", "require"),)),
        ),
        ("postgres://ada:{}@h/shop", ("postgresql", "h", None, "shop", "ada", ())),
        (
            "postgresql+psycopg://ada:{}@[::1]:5432/my%20shop",
            ("postgresql", "::1", 5432, "my shop", "ada", ()),
        ),
        (
            "postgresql:///shop?host=/run/postgresql",
            ("postgresql", "/run/postgresql", None, "shop", None, ()),
        ),
        ("mysql://a%40b:{}@h", ("mysql", "h", None, None, "a@b", ())),
        ("MariaDB://ada:{}@h:3307/shop", ("mariadb", "h", 3307, "shop", "ada", ())),
        ("oracle://ada:{}@h:1521/shop.example.org", ("oracle", "h", 1521, "shop.example.org", "ada", ())),
        (
            "oracle://ada@shop_low?config_dir=/wallet&wallet_location=/wallet",
            (
                "oracle",
                None,
                None,
                "shop_low",
                "ada",
                (("config_dir", "/wallet"), ("wallet_location", "/wallet")),
            ),
        ),
        ("oracle://ada:{}@h:1521?sid=SHOP", ("oracle", "h", 1521, None, "ada", (("sid", "SHOP"),))),
        (
            "mssql://ada:{}@h:1433/shop?driver=ODBC+Driver+17+for+SQL+Server",
            ("sqlserver", "h", 1433, "shop", "ada", (("driver", "ODBC Driver 17 for SQL Server"),)),
        ),
    ],
)
def test_a_url_is_taken_apart(url: str, expected: tuple[object, ...]) -> None:
    parts, password = parsed_url(url.format("pass%3Aword"))
    found = (parts.engine, parts.host, parts.port, parts.database, parts.user, parts.options)
    assert found == expected
    assert password == ("pass:word" if "{}" in url else None)


@pytest.mark.parametrize("password", ["plain", "a@b", "a/b", "a#b?c=d", "a:b", "%", "  ", "ü", SECRET])
def test_a_password_may_hold_any_character(password: str) -> None:
    parts, found = parsed_url(f"postgresql://ada:{password}@h:5432/shop")
    assert found == password.replace("%41", "A")
    assert (parts.host, parts.port, parts.database) == ("h", 5432, "shop")
    assert password not in repr(parts)


def test_a_password_as_an_option_is_none_of_the_options() -> None:
    parts, password = parsed_url("mssql://ada@h/shop?PWD=s3cret&encrypt=yes")
    assert (parts.options, password) == ((("encrypt", "yes"),), "s3cret")
    with pytest.raises(GlueError, match="sslpassword is a secret") as caught:
        parsed_url("postgresql://ada@h/shop?sslpassword=s3cret")
    assert "s3cret" not in str(caught.value) + str(caught.value.hint)


@pytest.mark.parametrize(
    ("url", "message", "hint"),
    [
        ("host/shop", "no URL", "postgresql://"),
        ("postgrsql://ada:s3cret@h/shop", "postgrsql://", "did you mean postgresql://"),
        ("sqlite:///shop.sqlite", "files", "glue import database FILE"),
        ("postgresql://ada:s3cret@h:99999/shop", "'99999'", "5432"),
        ("postgresql://ada:s3cret/shop", "port is no number", "5432"),  # the host was forgotten
        ("postgresql://ada:s3cret@h", "names no database", "postgresql://"),
        ("mysql://ada:s3cret@/shop", "names no host", "mysql://"),
    ],
)
def test_a_wrong_url_is_explained_without_showing_it(url: str, message: str, hint: str) -> None:
    with pytest.raises(GlueError, match=message) as caught:
        parsed_url(url)
    assert hint in (caught.value.hint or "")
    assert "s3cret" not in "".join(traceback.format_exception(caught.value)) + str(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "unexpected argument (postgresql://ada:s3cret@h/db)",
            "unexpected argument (postgresql://ada:…@h/db)",
        ),
        ("mysql://u:a b/c@d@h", "mysql://u:…@h"),
        ("mssql://u@h/db?driver=x&pwd=s3cret;x", "mssql://u@h/db?driver=x&pwd=…;x"),
        ("write it as postgresql://ada@h:5432/db", "write it as postgresql://ada@h:5432/db"),
    ],
)
def test_passwords_are_hidden_in_what_is_printed(text: str, shown: str) -> None:
    assert without_passwords(text) == shown


def test_a_connection_is_kept_without_its_password(home: Home) -> None:
    connection, password = connection_of_url("shop", f"postgresql://ada:{SECRET}@h:5433/shop?sslmode=require")
    path = store(home, connection)
    assert password == SECRET.replace("%41", "A")
    assert stored_connection(home, "shop") == connection
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in home.root.rglob("*") if file.is_file()] == ["shop.json"]
    assert "s3c" not in path.read_text() + repr(connection) + connection.shown


def test_connections_are_listed_and_forgotten(home: Home) -> None:
    assert connection_names(home) == []
    for name in ("shop", "stock"):
        store(home, connection_of_url(name, "mysql://ada@h/shop")[0])
    assert connection_names(home) == ["shop", "stock"]
    with pytest.raises(GlueError, match="no connection 'shp'") as caught:
        remove(home, "shp")
    assert caught.value.hint == "did you mean 'shop'?"
    remove(home, "shop")
    assert connection_names(home) == ["stock"]


@pytest.mark.parametrize("name", ["", "../shop", "a/b", ".hidden", "a b", "x" * 64])
def test_a_name_is_no_path(home: Home, name: str) -> None:
    with pytest.raises(GlueError, match="cannot be a connection's name"):
        stored_connection(home, name)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"engine": "mongodb"}', '{"engine": "mysql", "x": 1}'])
def test_a_damaged_file_is_named(home: Home, content: str) -> None:
    home.connections.mkdir()
    (home.connections / "shop.json").write_text(content)
    with pytest.raises(GlueError, match=r"shop\.json cannot be read"):
        stored_connection(home, "shop")


# --- The password -------------------------------------------------------------------------------------------

SHOP = Connection("my-shop", "postgresql", "h", 5432, "shop", "ada")


def test_the_password_is_that_of_the_named_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_PASSWORD", SECRET)
    monkeypatch.setenv("EVALHOUSE_MY_SHOP_PASSWORD", "another")
    connection = connection_of_variable("my-shop", "THE_PASSWORD", SHOP)
    address = address_of(connection, ("sales", "public"))
    assert (address.password, address.search_path) == (SECRET, ("sales", "public"))
    assert SECRET not in repr(address)
    assert address_of(SHOP).password == "another"


def test_without_a_variable_it_is_left_to_the_driver() -> None:
    assert address_of(SHOP).password is None


def test_a_named_variable_that_is_not_set_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_PASSWORD", "x")
    connection = connection_of_variable("my-shop", "THE_PASSWORD", SHOP)
    monkeypatch.delenv("THE_PASSWORD")
    with pytest.raises(GlueError, match="THE_PASSWORD is not set"):
        address_of(connection)


def test_a_variable_may_hold_the_whole_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_URL", f"postgresql://ada:{SECRET}@h/shop")
    connection = connection_of_variable("my-shop", "SHOP_URL", None)
    assert (connection.host, connection.password_env) == ("h", "SHOP_URL")
    assert address_of(connection).password == SECRET.replace("%41", "A")
    monkeypatch.setenv("SHOP_URL", f"postgresql://ada:{SECRET}@other/shop")
    with pytest.raises(GlueError, match="now leads elsewhere") as caught:
        address_of(connection)
    assert "s3c" not in str(caught.value) + str(caught.value.hint)


def test_a_variable_without_a_url_needs_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_PASSWORD", SECRET)
    assert not is_server_url(SECRET)
    with pytest.raises(GlueError, match="holds no URL") as caught:
        connection_of_variable("my-shop", "THE_PASSWORD", None)
    assert "s3c" not in str(caught.value) + str(caught.value.hint)
    with pytest.raises(GlueError, match="takes the name of an environment variable") as caught:
        connection_of_variable("my-shop", f"postgresql://ada:{SECRET}@h/shop", None)
    assert "s3c" not in str(caught.value)


def test_it_is_asked_for_on_a_terminal_where_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection("my-shop", "mysql", "h", user="ada", is_password_asked=True)
    assert address_of(connection).password is None
    asked: list[str] = []
    monkeypatch.setattr("glue.connections._asked", {})
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda text: asked.append(text) or "typed")
    assert address_of(connection).password == "typed"
    assert address_of(connection, ("sales",)).password == "typed"
    assert asked == ["password of ada@h: "]
    assert address_of(SHOP).password is None


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from glue.live import opened

    monkeypatch.setitem(__import__("sys").modules, "oracledb", None)
    connection = Connection("o", "oracle", "127.0.0.1", 1521, "shop", "ada")
    with pytest.raises(GlueError, match="Oracle needs the driver oracledb") as caught:
        opened(connection, address_of(connection))
    assert caught.value.hint == "pip install 'evalhouse[oracle]'"


def test_a_driver_that_lacks_a_library_is_not_to_be_installed_again() -> None:
    error = SERVER_KINDS["sqlserver"].without_driver(ImportError("libodbc.so.2: cannot open"))
    assert (
        error.message
        == "SQL Server needs the driver pyodbc, which cannot be loaded: libodbc.so.2: cannot open"
    )
    assert error.hint is not None
    assert "unixODBC" in error.hint
    assert "pip" not in error.hint


def test_oracle_and_sql_server_are_connected_to_as_their_engines_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import oracledb
    import pyodbc

    from glue.live import opened

    heard: list[object] = []

    def refuse(*arguments: object, **named: object) -> None:
        heard.append(named or arguments)
        raise (oracledb.Error if named.get("program") else pyodbc.Error)("no s3cret")

    listener = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr("oracledb.connect", refuse)
    monkeypatch.setattr("pyodbc.connect", lambda text, **named: refuse(text))
    monkeypatch.setattr("pyodbc.drivers", lambda: ["ODBC Driver 17 for SQL Server"])
    for engine, options in (("oracle", (("sid", "X"), ("retry_count", "2"))), ("sqlserver", ())):
        address = Address(
            engine, "127.0.0.1", listener.getsockname()[1], "shop", "ada", "s3cret", options=options
        )
        connection = Connection("c", engine, "127.0.0.1", address.port, "shop", "ada", options)
        with pytest.raises(GlueError) as caught:
            opened(connection, address)
        assert "s3cret" not in str(caught.value) + str(caught.value.hint)
    listener.close()
    oracle, (sqlserver,) = heard
    assert isinstance(oracle, dict) and "service_name" not in oracle
    assert (oracle["sid"], oracle["retry_count"]) == ("X", 2)
    assert "driver={ODBC Driver 17 for SQL Server};server={tcp:127.0.0.1," in str(sqlserver)


def test_the_home_of_the_checkout_keeps_connections_out_of_git() -> None:
    assert "/connections/" in (Path(__file__).parents[1] / ".gitignore").read_text().split()
