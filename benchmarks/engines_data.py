"""What `benchmarks.engines` measures on: a database of its own on each server, its reader, statements."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any

from glue.engines.server import Address

N_ROWS = 12_000
N_LARGE_ROWS = 10_000
_N_CITIES = 40
PREFIX = "evalhouse_benchmark_"

_TABLE = """
    create table visit (
        id integer primary key, name varchar(40) not null, city varchar(20) not null, amount decimal(10, 2),
        score {double} not null, is_open boolean not null, born date, seen {timestamp} not null
    )
"""
_TYPES = {
    "postgresql": {"double": "double precision", "timestamp": "timestamp"},
    "mariadb": {"double": "double", "timestamp": "datetime"},
}
_HOST = "127.0.0.1"
_PORTS = {"postgresql": 5432, "mariadb": 3306}
ENGINES = tuple(_PORTS)

_SMALL = (
    "select id, name, amount from visit where id between {first} and {last} order by id",
    "select * from visit where id between {first} and {last}",
    "select name, seen from visit where id >= {first} and id <= {last} and is_open and city <> 'city {city}'",
    "select city, count(*), sum(amount), avg(score) from visit where id between {first} and {last}"
    " group by city",
    "select v.name, w.name, v.amount - w.amount from visit as v join visit as w on w.id = v.id + {city}"
    " where v.id between {first} and {last} order by v.score desc, v.id",
    "select count(distinct city), max(born) from visit where id between {first} and {last}",
)

_QUESTIONS = (
    "select city, count(*) as visits, avg(amount) from visit where amount > {amount} group by city"
    " having count(*) > {least} order by visits desc, city limit 10",
    "select extract(year from seen), extract(month from seen), sum(case when is_open then amount else 0 end)"
    " from visit where id <> {first} group by 1, 2 order by 1, 2",
    "select name, amount from visit where amount > (select avg(amount) + {least} from visit"
    " where city = 'city {city}') order by amount desc, id limit 20",
    "select * from (select city, name, rank() over (partition by city order by score desc) as place"
    " from visit where amount > {amount}) as ranked where place <= 2 order by city, place, name",
    "with spent as (select city, sum(amount) as total from visit where id > {first} group by city)"
    " select city, total, 100 * total / (select sum(total) from spent) from spent order by total desc, city",
    "select count(*) from visit as v where id > {first} and exists (select 1 from visit as w"
    " where w.id = v.id - 1 and w.city = v.city)",
)


def question_statements(n: int) -> list[str]:
    """Distinct questions about all rows, as people ask them: groups, shares, ranks, the best; few rows."""
    draw = random.Random(7)
    found: dict[str, None] = {}
    while len(found) < n:
        values = {
            "amount": draw.randrange(5_000),
            "least": draw.randrange(100),
            "first": draw.randrange(1, N_ROWS // 4),
            "city": draw.randrange(_N_CITIES),
        }
        found[draw.choice(_QUESTIONS).format(**values)] = None
    return list(found)


def small_statements(n: int) -> list[str]:
    """Distinct reads of 1 to 100 rows, or of what these come to."""
    draw = random.Random(6)
    found: dict[str, None] = {}
    while len(found) < n:
        first, n_rows = draw.randrange(1, N_ROWS - 200), draw.randint(1, 100)
        sql = draw.choice(_SMALL)
        found[sql.format(first=first, last=first + n_rows - 1, city=draw.randrange(_N_CITIES))] = None
    return list(found)


def large_statements(n: int) -> list[str]:
    """Distinct reads of 10,000 rows and eight columns."""
    return [
        f"select * from visit where id between {first} and {first + N_LARGE_ROWS - 1}"
        for first in range(1, n + 1)
    ]


def _rows() -> Iterator[tuple[Any, ...]]:
    draw = random.Random(5)
    for number in range(1, N_ROWS + 1):
        yield (
            number,
            f"visitor {draw.randrange(10**6)} Müller" if number % 10 == 0 else f"visitor {number}",
            f"city {draw.randrange(_N_CITIES)}",
            None if number % 7 == 0 else round(draw.uniform(0, 10_000), 2),
            draw.random(),
            draw.random() < 0.9,
            None if number % 11 == 0 else date(1950, 1, 1) + timedelta(draw.randrange(20_000)),
            datetime(2026, 1, 1) + timedelta(seconds=draw.randrange(10**7)),
        )


@contextmanager
def own_database(engine: str) -> Iterator[Address]:
    """A database with the table, and a user who may read it; both are dropped after."""
    name, password = f"{PREFIX}{secrets.token_hex(4)}", secrets.token_hex(8)
    types = _TYPES[engine]
    ask = _MASTERS[engine]
    schemas: tuple[str, ...]
    if engine == "postgresql":
        ask(None, f"create database {name} template template0 encoding 'UTF8' locale 'C'")
        makings = [f"create role {name} login password '{password}'"]
        grants = [f"grant select on visit to {name}", "analyze visit"]
        endings = [f"drop database {name} with (force)", f"drop role if exists {name}"]
        schemas = ("public",)
    else:
        ask(None, f"create database {name} character set utf8mb4")
        makings = [f"create user '{name}'@'%' identified by '{password}'"]
        grants = [f"grant select on {name}.* to '{name}'@'%'", "analyze table visit"]
        endings = [f"drop database {name}", f"drop user if exists '{name}'@'%'"]
        schemas = (name,)
    try:
        for sql in makings:
            ask(None, sql)
        ask(name, _TABLE.format(**types))
        marks = ", ".join(["%s"] * 8)
        ask(name, f"insert into visit values ({marks})", list(_rows()))
        for sql in grants:
            ask(name, sql)
        yield Address(engine, _HOST, _PORTS[engine], name, name, password, schemas)
    finally:
        for sql in endings:
            ask(None, sql)


def _ask_postgresql(database: str | None, sql: str, rows: list[tuple[Any, ...]] | None = None) -> None:
    import psycopg

    with (
        psycopg.connect(
            host=_HOST,
            port=_PORTS["postgresql"],
            user="postgres",
            dbname=database or "postgres",
            autocommit=True,
        ) as connection,
        connection.cursor() as cursor,
    ):
        if rows is None:
            cursor.execute(sql.encode())
        else:
            cursor.executemany(sql.encode(), rows)


def _ask_mariadb(database: str | None, sql: str, rows: list[tuple[Any, ...]] | None = None) -> None:
    import pymysql

    with (
        pymysql.connect(
            host=_HOST, port=_PORTS["mariadb"], user="root", database=database, autocommit=True
        ) as connection,
        connection.cursor() as cursor,
    ):
        if rows is None:
            cursor.execute(sql)
        else:
            cursor.executemany(sql, rows)


_MASTERS: dict[str, Callable[..., None]] = {"postgresql": _ask_postgresql, "mariadb": _ask_mariadb}
