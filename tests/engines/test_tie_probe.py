"""The statement that tells gold's ties runs on servers, and puts gold's own rows where gold has them."""

from __future__ import annotations

from collections import Counter

import pytest

from glue.cells import Cells, cells_of_rows
from glue.sql.analysis import sql_analysis
from tests.engines.servers import LIVE, Server, Servers

DIALECTS = {"postgresql": "postgres", "mariadb": "mysql"}
SCRIPT = """
drop table if exists won;
drop table if exists player;
create table player (id integer, name varchar(10), pts integer);
insert into player values (1,'Ann',3), (2,'ann',3), (3,'Bo',null), (4,'cy',5), (5,'Dee',1), (6,null,2);
create table won (id integer, player integer, prize numeric(8,2));
insert into won values (1,1,1.5), (2,1,2.5), (3,3,null), (4,4,4);
"""
STATEMENTS = [
    "select name from player order by pts",  # NULLs first or last, as the engine has it
    "select name from player order by pts desc",
    "select name from player order by name",  # 'Ann' and 'ann' are a tie where the collation says so
    "select name from player order by pts limit 2 offset 1",
    "select pts / 2 from player order by pts / 2 desc limit 3",  # 3 / 2 is 1 on PostgreSQL alone
    "select player.id, won.id from player join won on player.id = won.player order by prize desc, player.id",
    "select max(pts), max(pts) from player group by name order by name",
    "select id from player union select id + 3 from won order by 1 desc limit 4",
    "with best as (select * from player) select name from best order by pts desc limit 1",
]


@pytest.fixture(params=LIVE)
def server(request: pytest.FixtureRequest, servers: Servers) -> Server:
    return servers[request.param]


def rows_of(server: Server, sql: str) -> list[Cells]:
    session = server.open()
    try:
        session.execute(sql)
        return cells_of_rows(session.fetch(100))
    finally:
        session.close()


def test_golds_rows_stand_where_the_probe_puts_them(server: Server) -> None:
    server.run(SCRIPT)
    for sql in STATEMENTS:
        analysis = sql_analysis(sql, DIALECTS[server.engine])
        gold = rows_of(server, sql)
        probed = [(row[: len(gold[0])], str(row[-1])) for row in rows_of(server, analysis["order_probe_sql"])]
        n_skipped = analysis["offset_rows"] or 0
        places = [rank for rank, n in sorted(Counter(rank for _, rank in probed).items()) for _ in range(n)]
        shown = places[n_skipped : n_skipped + len(gold)]
        assert len(shown) == len(gold), sql
        assert not Counter(zip(gold, shown, strict=True)) - Counter(probed), sql
