"""A driver's connection that notes what it is sent, for tests of what is put to real servers."""

from __future__ import annotations

from typing import Any

from glue.dialects.conformance import Case

SETUP = ("CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)")


def case(sql: str, **said: Any) -> Case:
    return Case(
        "c-1", "t", sql=sql, **{"setup": SETUP, "is_ordered": False, "expected": (), "error": None, **said}
    )


class Cursor:
    """What a driver's cursor would do: it notes what it is sent, and fails where the statement says so."""

    description: list[Any] | None = None

    def __init__(self, sent: list[str], error: Exception) -> None:
        self._sent, self._error = sent, error

    def execute(self, sql: str, **_: Any) -> None:
        self._sent.append(sql)
        if "nosuch" in sql:
            raise self._error
        self.description = [("x",)] if sql.lower().startswith("select") else None

    def fetchall(self) -> list[list[int]]:
        return [[16]]

    def close(self) -> None:
        pass

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Connection:
    """What a driver's connection would do."""

    version = "19.3.0.0.0"

    def __init__(self, error: Exception) -> None:
        self.sent: list[str] = []
        self._error = error

    def cursor(self) -> Cursor:
        return Cursor(self.sent, self._error)

    def rollback(self) -> None:
        self.sent.append("rollback")
