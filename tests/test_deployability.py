"""`glue deployability` on a database of our own making: what is measured, what is not, what to do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.commands import glue

SCHEMA = """
create table customer (cust_id integer primary key, sts_cd text, nm text not null);
create table account (acct_id integer primary key, cust_id integer references customer, sts_cd text);
create table loan (loan_id integer primary key, acct_id integer references account, sts_cd text);
insert into customer values (1, 'A', 'x'), (2, 'C', 'y');
insert into account values (1, 1, 'open'), (2, 2, 'shut');
insert into loan values (1, 1, 'due'), (2, 1, 'paid');
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deployability")
    path = folder / "lending.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    glue(folder, "import", "database", str(path), "--name", "own")
    return folder


def test_a_card_says_what_is_measured_and_what_not(home: Path) -> None:
    shown = glue(home, "deployability", "lending").stdout
    assert "lending (own): passes " in shown
    assert "2 of 2 references are declared" in shown
    assert "no questions and no query log have been imported" in shown
    assert "not measured" in shown


def test_an_unknown_database_is_named(home: Path) -> None:
    said = glue(home, "deployability", "lendin", is_failure_expected=True)
    assert "no catalog of database 'lendin'" in said.stderr
    assert "did you mean 'lending'?" in said.stderr
