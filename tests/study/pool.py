"""A pool of three small SQLite databases with tables of one name, and its questions."""

from __future__ import annotations

import json
from pathlib import Path

from tests.execution_helpers import sqlite_database

BENCHMARK = "toy"
SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, price REAL);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), item_id INTEGER REFERENCES item (id)
);
INSERT INTO customer VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', 'Rome'), (3, 'Eve', 'Oslo');
INSERT INTO item VALUES (1, 'pen', 2.5), (2, 'ink', 4.0);
INSERT INTO sale VALUES (1, 1, 1), (2, 1, 2), (3, 3, 2);
"""
LIBRARY = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, joined TEXT);
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER);
CREATE TABLE loan (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), book_id INTEGER REFERENCES book (id)
);
INSERT INTO customer VALUES (1, 'Zoe', '2020-01-01'), (2, 'Max', '2021-05-05');
INSERT INTO book VALUES (1, 'Emma', 400), (2, 'Ulysses', 700), (3, 'Momo', 300);
INSERT INTO loan VALUES (1, 1, 1), (2, 1, 3), (3, 2, 2);
"""
ZOO = """
CREATE TABLE animal (
    id INTEGER PRIMARY KEY, species TEXT, weight REAL, keeper_id INTEGER REFERENCES keeper (id)
);
CREATE TABLE keeper (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO keeper VALUES (1, 'Kim'), (2, 'Lou');
INSERT INTO animal VALUES (1, 'lynx', 20.0, 1), (2, 'bear', 300.0, 2), (3, 'seal', 90.0, 2);
"""
WIDE = (
    "CREATE TABLE inventory (" + ", ".join(f"measured_quantity_number_{i} REAL" for i in range(60)) + ");\n"
)
"""A table that is a large part of the pool: where it is required, a small budget cannot hold it."""

GOLDS = {
    "shop": {
        "How many customers live in Oslo?": "SELECT COUNT(*) FROM customer WHERE city = 'Oslo'",
        "Which items were sold to Ann?": (
            "SELECT i.title FROM sale s JOIN customer c ON s.customer_id = c.id"
            " JOIN item i ON s.item_id = i.id WHERE c.name = 'Ann' ORDER BY i.title"
        ),
        "What does the dearest item cost?": "SELECT MAX(price) FROM item",
        "How many sales were there?": "SELECT COUNT(*) FROM sale",
        "What is the first measured quantity of the inventory?": (
            "SELECT COUNT(measured_quantity_number_0) FROM inventory"
        ),
    },
    "library": {
        "Which customers joined in 2021?": "SELECT name FROM customer WHERE joined LIKE '2021%'",
        "Which book has the most pages?": "SELECT title FROM book ORDER BY pages DESC LIMIT 1",
        "How many loans did each customer make?": (
            "SELECT customer.name, COUNT(*) FROM loan JOIN customer ON loan.customer_id = customer.id"
            " GROUP BY customer.name"
        ),
        "How many books are there?": "SELECT COUNT(*) FROM book",
    },
    "zoo": {
        "Which animals weigh over 50?": "SELECT species FROM animal WHERE weight > 50",
        "Who keeps the lynx?": (
            "SELECT keeper.name FROM keeper JOIN animal ON animal.keeper_id = keeper.id"
            " WHERE animal.species = 'lynx'"
        ),
        "How many keepers are there?": "SELECT COUNT(*) FROM keeper",
        "Which animals are in the ark?": "SELECT name FROM ark",
    },
}
"""Database -> question -> gold. The last one's gold fails: it can be scored under no model."""


def write_pool(root: Path) -> list[str]:
    """Write databases and questions into a folder; the words of the import command."""
    folder = root / "databases"
    folder.mkdir()
    for name, script in (("shop", SHOP + WIDE), ("library", LIBRARY), ("zoo", ZOO)):
        sqlite_database(folder / f"{name}.sqlite", script)
    lines = [
        {"question_id": f"{db_id}-{number}", "db_id": db_id, "question": question, "golds": [gold]}
        for db_id, golds in GOLDS.items()
        for number, (question, gold) in enumerate(golds.items(), 1)
    ]
    (root / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    files = ["--questions", "questions.jsonl", "--databases", "databases"]
    return ["import", "jsonl", "--name", BENCHMARK, *files]
