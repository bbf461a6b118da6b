"""Conformance on a real Oracle: what is sent, and what is made of its answers. No server is at hand."""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace

import oracledb
import pytest

from glue.dialects.conformance import LocalServer
from glue.dialects.conformance_servers import OracleServer, server_of
from glue.errors import GlueError
from tests.dialects.plain_driver import SETUP, Connection, case


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> Connection:
    details = SimpleNamespace(
        code=904, full_code="ORA-00904", message='ORA-00904: "NOSUCH": invalid identifier'
    )
    connection = Connection(oracledb.DatabaseError(details))
    monkeypatch.setattr("oracledb.connect", lambda **said: connection)
    monkeypatch.setenv("EVALHOUSE_ORACLE_DSN", "oracle://ada:secret@db:1521/shop")
    return connection


def test_oracle_is_asked_and_its_tables_dropped(oracle: Connection) -> None:
    server, name = server_of("oracle")
    assert isinstance(server, OracleServer) and name == "oracle://ada:…@db:1521/shop"
    assert all(text.startswith("alter session set ") for text in oracle.sent)
    oracle.sent.clear()
    assert server.answer(case("SELECT x FROM t")).rows == ((16,),)
    assert oracle.sent == [*SETUP, "SELECT x FROM t", "rollback", 'drop table "T" cascade constraints purge']
    assert server.answer(case("SELECT nosuch FROM t")).code == "ORA-00904"
    oracle.sent.clear()
    answer = server.answer(case("SELECT 1", setup=("CREATE TABLE nosuch (x INTEGER)",)))
    assert str(answer) == 'statement 1 of its setup: ORA-00904: "NOSUCH": invalid identifier'
    assert oracle.sent == ["CREATE TABLE nosuch (x INTEGER)", "rollback"]


def test_what_cannot_be_asked_of_a_server(oracle: Connection) -> None:
    server, _ = server_of("oracle")
    oracle.sent.clear()
    assert "clock" in (server.answer(case("SELECT 1", now=datetime(2024, 1, 1))).unsupported or "")
    assert "version 21" in (server.answer(case("SELECT 1", version=21)).unsupported or "")
    assert oracle.sent == []


def test_the_variable_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALHOUSE_ORACLE_DSN", raising=False)
    server, name = server_of("oracle")
    assert isinstance(server, LocalServer) and name == "Oracle's dialect on DuckDB"
    monkeypatch.setenv("EVALHOUSE_ORACLE_DSN", "postgresql://ada:secret@db/shop")
    with pytest.raises(GlueError, match="EVALHOUSE_ORACLE_DSN leads to PostgreSQL"):
        server_of("oracle")
