"""Sessions of MySQL and MariaDB in tests: their whole answer, or what they fail with."""

from __future__ import annotations

from dataclasses import replace

from glue.cells import Cells, cells_of_rows
from glue.engines.server import Address, ServerSession
from tests.engines.servers import Server

SCRIPT = """
create or replace table t (i integer primary key, s varchar(20));
insert into t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
"""


def master_of(server: Server) -> Address:
    """Who may do everything: what a connection for reading should never be given."""
    return replace(server.address, user="root", password="")


def answer(session: ServerSession, sql: str) -> list[Cells]:
    session.execute(sql)
    rows: list[Cells] = []
    while fetched := session.fetch(1_000):
        rows += cells_of_rows(fetched)
    session.finish()
    return rows
