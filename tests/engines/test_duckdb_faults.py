"""Where DuckDB's own optimizer is wrong, sessions that run statements of others are right."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from glue.engines.base import Limits, engine_named

ROWS = """
create table category (id integer, parent integer, code varchar);
insert into category values (1, null, 'A'), (2, 1, 'B'), (3, 2, 'C');
create table product (id integer, category integer);
insert into product values (10, 3), (11, 3);
"""
SELF_JOINS = """
select t.code, count(*) from (
    select c.code, c.id from category c
    union all
    select c.code, k.id from category c join category k on k.parent = c.id
    union all
    select c.code, g.id from category c join category k on k.parent = c.id join category g on g.parent = k.id
) t join product p on p.category = t.id group by t.code order by t.code
"""


@pytest.mark.parametrize("engine", ["duckdb", "oracle-local", "mssql-local"])
def test_self_joins_at_several_depths_keep_their_rows(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(ROWS)
    session = engine_named(engine).open(path, Limits(1 << 29))
    session.execute(SELF_JOINS)
    rows = [tuple(map(str, row)) for row in session.fetch(10)]
    session.finish()
    session.close()
    assert [row[0].removeprefix("t:") for row in rows] == ["A", "B", "C"]
