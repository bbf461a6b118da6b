"""Small databases for the checker, and a check of two statements over one of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb

from glue.divergence.check import Checker, watched
from glue.divergence.outcome import Check, Pair

SHOP = """
CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, city VARCHAR(20), credit INTEGER
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),
    status VARCHAR(10) NOT NULL, total INTEGER, ordered_on DATE NOT NULL,
    CHECK (total >= 0)
);
"""
CITIES = ("Ghent", "Oslo", None)
STATUSES = ("open", "paid", "sent")


def shop_rows() -> dict[str, list[tuple[object, ...]]]:
    """Twelve customers of which three have no order, and 36 orders: every third total is NULL."""
    customers: list[tuple[object, ...]] = [
        (n, f"Customer {n % 9}", CITIES[n % 3], 100 * (n % 5) or None) for n in range(1, 13)
    ]
    orders: list[tuple[object, ...]] = [
        (
            n,
            n % 9 + 1,
            STATUSES[n % 3],
            None if n % 4 == 0 else 10 * (n % 7),
            f"2024-{n % 12 + 1:02d}-{n % 27 + 1:02d}",
        )
        for n in range(1, 37)
    ]
    return {"customers": customers, "orders": orders}


def write_shop(path: Path, engine: str = "sqlite", definitions: str = SHOP) -> Path:
    """The shop as a file."""
    if engine == "sqlite":
        with closing(sqlite3.connect(path)) as file:
            file.executescript(definitions)
            for table, rows in shop_rows().items():
                file.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
            file.commit()
        return path
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(definitions)
        for table, rows in shop_rows().items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return path


@contextmanager
def checker_of(path: Path, engine: str = "sqlite", n_instances: int = 600) -> Iterator[Checker]:
    """A checker of a file, with a thread that keeps its time."""
    with watched() as watch:
        checker = Checker(path, engine, watch, n_instances=n_instances)
        try:
            yield checker
        finally:
            checker.close()


def check(checker: Checker, gold: str, predicted: str, is_ordered: bool = False) -> Check:
    """The check of two statements in the engine's own dialect."""
    return checker.check(Pair(gold, predicted, is_ordered, checker.engine))
