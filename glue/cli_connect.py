"""`glue connect`: live databases by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from glue.cli_output import print_table, say
from glue.errors import GlueError
from glue.home import Home

if TYPE_CHECKING:
    from glue.connections import Connection
    from glue.live import Server


@click.command(
    short_help="Name a live database and connect to it.",
    epilog="""\b
Examples:
  glue connect shop postgresql://reader@db.example.org:5432/shop --env SHOP_PASSWORD
  glue connect shop --env SHOP_URL
  glue connect shop mysql://reader@db.example.org/shop --prompt
  glue connect --list""",
)
@click.argument("name", required=False)
@click.argument("url", required=False)
@click.option(
    "--env", "variable", metavar="VAR", help="Environment variable that holds the password, or the whole URL."
)
@click.option("--prompt", is_flag=True, help="Ask for the password, now and whenever it is needed.")
@click.option("--list", "is_list", is_flag=True, help="List the connections there are.")
@click.option("--remove", is_flag=True, help="Forget the connection; what has landed from it stays.")
def connect(
    name: str | None, url: str | None, variable: str | None, prompt: bool, is_list: bool, remove: bool
) -> None:
    """Name a live database and connect to it once: which server answers, as whom, and may that user write?

    The connection is kept in the warehouse's folder, its password never. The password is taken from --env,
    else from EVALHOUSE_NAME_PASSWORD, else from the driver's own places (.pgpass, my.cnf, a wallet).
    URLs: postgresql://, mysql://, mariadb://, oracle://user@host/service, mssql://user@host/db?driver=…
    Without a URL a connection there is is tried again.
    """
    from glue.connections import connection_names, stored_connection

    home = Home.current()
    if is_list:
        names = [name] if name else connection_names(home)
        _print_connections([stored_connection(home, found) for found in names])
        return
    if name is None:
        raise GlueError("no connection is named", "glue connect NAME URL; glue connect --list lists them")
    if remove:
        from glue.connections import remove as forget

        forget(home, name)
        print(f"forgot connection {name}")
        return
    if variable and prompt:
        raise GlueError("--env and --prompt are two places for one password", "choose one")
    _connect(home, name, url, variable, prompt)


def _connect(home: Home, name: str, url: str | None, variable: str | None, prompt: bool) -> None:
    from dataclasses import replace

    from glue import connections
    from glue.live import opened, server_of

    connections.checked_name(name)
    given: str | None = None
    if url is not None:
        connection, given = connections.connection_of_url(name, url, variable)
    else:
        is_stored = name in connections.connection_names(home)
        stored = connections.stored_connection(home, name) if is_stored or not variable else None
        if variable:
            connection = connections.connection_of_variable(name, variable, stored)
        else:
            assert stored is not None
            connection = stored
    if prompt:
        connection = replace(connection, password_env=None, is_password_asked=True)
        given = connections.asked_password(connection)
    elif given is not None and variable is None:
        connection = replace(connection, is_password_asked=True)
    if given is None or variable:
        address = connections.address_of(connection)
    else:
        address = connections.address_with(connection, given)
    with opened(connection, address) as database:
        try:
            server = server_of(database)
        except database.error as error:
            told = " ".join(str(error).split())
            raise GlueError(f"{connection.shown} answers, and then fails: {told}", "try again") from None
    connections.store(home, connection)
    _print_server(connection, server)
    if given is not None and not variable:
        say(f"note: the password is not kept; export {connection.variable}=… for the commands to come")


def _print_server(connection: Connection, server: Server) -> None:
    from glue.connection_urls import SERVER_KINDS

    print(f"{connection.name}: {SERVER_KINDS[server.engine].title} {server.version}, {connection.shown}")
    print(f"  user {server.user}, database {server.database or '(none)'}")
    if not server.powers:
        print("  may read, and nothing else that was looked at")
        return
    print("  may do more than read: " + "; ".join(server.powers[:8]) + (" …" if server.powers[8:] else ""))
    say("warning: statements are judged in transactions that only read; a user that only may is safer still")
    say(f"hint: glue engine grant {server.engine} prints a script for a user that may only read")


def _print_connections(connections: list[Connection]) -> None:
    if not connections:
        print("no connections yet: glue connect NAME URL makes one")
        return
    rows = [
        (
            found.name,
            found.engine,
            found.shown,
            found.password_env or ("asked for, or " if found.is_password_asked else "") + found.variable,
        )
        for found in connections
    ]
    print_table(["name", "engine", "where", "password in"], rows)
