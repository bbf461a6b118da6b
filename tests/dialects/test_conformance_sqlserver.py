"""Conformance on a real SQL Server: what is sent, and what is made of its answers. No server is at hand."""

from __future__ import annotations

import pytest

from tests.dialects.plain_driver import SETUP, Connection, case
from tests.engines.needed import needed

pyodbc = needed("pyodbc", "Debian: apt-get install unixodbc")
from glue.dialects.conformance_servers import SQLServerServer, server_of  # noqa: E402


def test_sql_server_is_asked_in_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "[42S22] [Microsoft][ODBC Driver 18 for SQL Server][SQL Server]Invalid column name 'nosuch'. (207)"
    connection = Connection(pyodbc.ProgrammingError("42S22", said))
    texts: list[str] = []

    def connect(text: str, **_: object) -> Connection:
        texts.append(text)
        return connection

    monkeypatch.setattr("pyodbc.connect", connect)
    monkeypatch.setattr("pyodbc.drivers", lambda: ["ODBC Driver 18 for SQL Server"])
    monkeypatch.setenv("EVALHOUSE_SQLSERVER_DSN", "mssql://ada:secret@db/shop")
    server, _ = server_of("tsql")
    assert isinstance(server, SQLServerServer) and "applicationintent={ReadWrite}" in texts[0]
    connection.sent.clear()
    assert server.answer(case("SELECT x FROM t")).rows == ((16,),)
    assert connection.sent[1:] == [*SETUP, "SELECT x FROM t", "rollback"]
    assert server.answer(case("SELECT nosuch FROM t")).code == "207"
    broken = server.answer(case("SELECT 1", setup=("CREATE TABLE nosuch (x INTEGER)",)))
    assert (broken.failure or "").startswith("statement 1 of its setup")
