"""A clinic and a library: their databases, past queries and tasks (tests/importers/history)."""

from __future__ import annotations

from pathlib import Path

from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.common import land
from tests.execution_helpers import sqlite_database

FILES = Path(__file__).parent / "importers" / "history"
PAST, TASKS, LOG, REVIEWS = "past", FILES / "tasks.json", FILES / "log.jsonl", FILES / "reviews.csv"

_CLINIC = """
CREATE TABLE patient (id INTEGER PRIMARY KEY, name TEXT, born INTEGER, is_smoker INTEGER);
CREATE TABLE doctor (id INTEGER PRIMARY KEY, name TEXT, ward TEXT);
CREATE TABLE visit (
    id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patient (id),
    doctor_id INTEGER REFERENCES doctor (id), fee REAL, discount REAL
);
INSERT INTO patient VALUES (1, 'Ida', 1941, 1), (2, 'Jon', 1980, 0), (3, 'Kai', 1966, 1), (4, 'Lea', 2001, 0);
INSERT INTO doctor VALUES (1, 'Mo', 'surgery'), (2, 'Nia', 'cardiology');
INSERT INTO visit VALUES (1, 1, 1, 90.0, 10.0), (2, 2, 2, 60.0, 0.0), (3, 3, 1, 40.0, 5.0);
"""
_LIBRARY = """
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, pages INTEGER);
CREATE TABLE loan (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book (id), due TEXT, returned TEXT);
INSERT INTO book VALUES (1, 'Emma', 'novel', 400), (2, 'Momo', 'tale', 300), (3, 'Ulysses', 'novel', 700);
INSERT INTO loan VALUES (1, 1, '2026-01-10', NULL), (2, 2, '2026-01-11', '2026-01-12'),
    (3, 3, '2026-02-01', NULL);
"""


def import_past(home: Home) -> None:
    """Land the past queries as benchmark `past`, on databases that are made here."""
    folder = home.root / "databases"
    folder.mkdir()
    sqlite_database(folder / "clinic.sqlite", _CLINIC)
    sqlite_database(folder / "library.sqlite", _LIBRARY)
    land(home, read_bird(PAST, FILES / "past.json", databases=folder))
