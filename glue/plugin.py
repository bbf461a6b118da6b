"""What dbt-duckdb loads (profiles.yml): opens the landing zone and registers glue's functions."""

from __future__ import annotations

from dbt.adapters.duckdb.plugins import BasePlugin
from duckdb import DuckDBPyConnection

from glue.home import Home
from glue.landing import ensure
from glue.udfs import register


class Plugin(BasePlugin):
    """Makes a bare `dbt build` work, also on a fresh clone where nothing has landed."""

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        home = Home.current()
        ensure(home)
        home.exports.mkdir(parents=True, exist_ok=True)
        register(conn)
