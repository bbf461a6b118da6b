"""What dbt-duckdb loads (profiles.yml): opens the landing zone and registers glue's functions."""

from __future__ import annotations

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from glue.home import Home
from glue.landing import ensure
from glue.udfs import register

_held: list[duckdb.DuckDBPyConnection] = []


class Plugin(BasePlugin):
    """Makes a bare `dbt build` work, also on a fresh clone where nothing has landed.

    With `keep_open: false` dbt-duckdb closes the warehouse after every model and opens it for the next one. A
    connection held here keeps it open in between, until the process ends or calls `release`.
    """

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        credentials = self.creds
        if _held or credentials is None:
            return  # the same instance, which has the functions
        home = Home.current()
        ensure(home)
        home.exports.mkdir(parents=True, exist_ok=True)
        held = duckdb.connect(credentials.path, config=dict(credentials.config_options or {}))
        _held.append(held)
        register(held)  # a function goes when the connection that registered it is closed


def release() -> None:
    """Let go of the warehouse, so that other processes may open it."""
    while _held:
        _held.pop().close()
