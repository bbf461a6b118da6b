"""Connections to live databases by name: kept in <home>/connections/NAME.json without their password.

The password is looked for each time: in the environment, in the driver's own places (.pgpass, my.cnf, a
wallet), or asked for on a terminal. It goes into an Address, and from there to the driver alone.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from glue.connection_urls import SERVER_KINDS, ServerUrl, is_server_url, parsed_url
from glue.engines.server import Address
from glue.errors import GlueError, nearest
from glue.home import Home

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_asked: dict[tuple[object, ...], str | None] = {}
"""Passwords typed during this command, so that one is asked for once however many schemas are looked in."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Connection:
    """A connection as it is kept.

    `password_env` names the variable that holds the password, or the whole URL. `is_password_asked`: a
    password is needed and no variable was named, so it is asked for where no other place has it.
    """

    name: str
    engine: str
    host: str | None = None
    port: int | None = None
    database: str | None = None
    user: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    password_env: str | None = None
    is_password_asked: bool = False

    @property
    def shown(self) -> str:
        """Where it leads, for people: user@host:port/database."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        database = f"/{self.database}" if self.database else ""
        return f"{user}{self.host or ''}{port}{database}"

    @property
    def variable(self) -> str:
        """The environment variable that holds the password where none was named."""
        return f"EVALHOUSE_{re.sub(r'[^A-Z0-9]', '_', self.name.upper())}_PASSWORD"


def checked_name(name: str) -> str:
    """The name of a connection, when it can be one. GlueError never shows what looks like a URL."""
    if _NAME.fullmatch(name):
        return name
    shown = "a URL" if "://" in name else repr(name)
    raise GlueError(
        f"{shown} cannot be a connection's name",
        "the name comes first: letters, digits, _ . and -, e.g. glue connect shop postgresql://…",
    )


def connection_of_url(name: str, text: str, password_env: str | None = None) -> tuple[Connection, str | None]:
    """A connection by its URL, and the password that the URL holds. GlueError where it cannot be read."""
    url, password = parsed_url(text)
    return Connection(name=checked_name(name), **_parts(url), password_env=password_env), password


def connection_of_variable(name: str, variable: str, stored: Connection | None) -> Connection:
    """A connection whose URL or password is in a variable: one that is `stored`, or the variable's URL.

    GlueError where the variable is not set, or holds no URL and nothing is stored.
    """
    value = variable_value(variable)
    if is_server_url(value):
        return connection_of_url(name, value, variable)[0]
    if stored is None:
        raise GlueError(
            f"{variable} holds no URL, and there is no connection {checked_name(name)!r} yet",
            f"give the URL without the password: glue connect {name} postgresql://… --env {variable}",
        )
    return replace(stored, password_env=variable, is_password_asked=False)


def variable_value(variable: str) -> str:
    """What an environment variable holds; GlueError where it is not set. Its value is in no message."""
    if not _VARIABLE.fullmatch(variable):
        raise GlueError("--env takes the name of an environment variable", "such as --env SHOP_PASSWORD")
    value = os.environ.get(variable)
    if not value:
        raise GlueError(f"the environment variable {variable} is not set", f"export {variable}=…")
    return value


# --- Kept ---------------------------------------------------------------------------------------------------


def connection_names(home: Home) -> list[str]:
    """The names of the connections that are kept."""
    folder = home.connections
    return sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []


def stored_connection(home: Home, name: str) -> Connection:
    """The connection of that name; GlueError names the nearest one that is kept."""
    path = _path(home, name)
    if not path.is_file():
        names = connection_names(home)
        close = nearest(name, names)
        if close:
            hint = f"did you mean {close!r}?"
        else:
            known = f"connections: {', '.join(names)}; " if names else ""
            hint = f"{known}make it with glue connect {name} postgresql://user@host/database"
        raise GlueError(f"there is no connection {name!r}", hint)
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        options = tuple((key, value) for key, value in fields.pop("options", {}).items())
        connection = Connection(name=name, options=options, **fields)
        if connection.engine not in SERVER_KINDS:
            raise ValueError
    except (OSError, ValueError, TypeError, AttributeError):
        raise GlueError(
            f"{path} cannot be read as a connection", f"make it again: glue connect {name} …"
        ) from None
    return connection


def store(home: Home, connection: Connection) -> Path:
    """Keep a connection, for its owner's eyes alone."""
    path = _path(home, connection.name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fields = {key: value for key, value in asdict(connection).items() if key != "name"}
    fields["options"] = dict(connection.options)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(fields, indent=2) + "\n")
    part.replace(path)
    return path


def remove(home: Home, name: str) -> None:
    """Forget a connection; what has landed from it stays. GlueError where there is none."""
    stored_connection(home, name)
    _path(home, name).unlink()


def _path(home: Home, name: str) -> Path:
    return home.connections / f"{checked_name(name)}.json"


def _parts(url: ServerUrl) -> dict[str, Any]:
    return asdict(url)


# --- The password -------------------------------------------------------------------------------------------


def address_of(connection: Connection, search_path: tuple[str, ...] = ()) -> Address:
    """Where to connect and as whom, with the password where one is found.

    Looked for in the variable that the connection names (a password, or the whole URL), else in
    EVALHOUSE_<NAME>_PASSWORD. Without either it is asked for on a terminal where one is needed, and left
    to the driver elsewhere. GlueError where a named variable is not set or its URL leads elsewhere.
    """
    return address_with(connection, _password(connection), search_path)


def address_with(connection: Connection, password: str | None, search_path: tuple[str, ...] = ()) -> Address:
    """Where to connect, with a password at hand."""
    return Address(
        engine=connection.engine,
        host=connection.host,
        port=connection.port,
        database=connection.database,
        user=connection.user,
        password=password,
        search_path=search_path,
        options=connection.options,
    )


def asked_password(connection: Connection) -> str | None:
    """The password as typed on the terminal; None for an empty one. GlueError where there is no terminal."""
    if not sys.stdin.isatty():
        raise GlueError(
            f"there is no terminal to ask for the password of {connection.name!r}",
            f"export {connection.variable}=…, or name another variable with --env",
        )
    return getpass.getpass(f"password of {connection.shown}: ") or None


def _password(connection: Connection) -> str | None:
    variable = connection.password_env or connection.variable
    value = variable_value(variable) if connection.password_env else os.environ.get(variable)
    if value and is_server_url(value):
        found, password = connection_of_url(connection.name, value)
        if _place(found) != _place(connection):
            raise GlueError(
                f"{variable} now leads elsewhere than connection {connection.name!r} ({connection.shown})",
                f"glue connect {connection.name} --env {variable} takes it over; or give it another name",
            )
        return password
    if value:
        return value
    if connection.is_password_asked and sys.stdin.isatty():
        place = _place(connection)
        if place not in _asked:
            _asked[place] = asked_password(connection)
        return _asked[place]
    return None


def _place(connection: Connection) -> tuple[object, ...]:
    port = connection.port or SERVER_KINDS[connection.engine].port
    return connection.engine, connection.host, port, connection.database, connection.user
