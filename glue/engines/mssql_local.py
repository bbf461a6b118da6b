"""Transact-SQL on a DuckDB file, by glue/dialects: refusals have SQL Server's numbers and its classes."""

from __future__ import annotations

from typing import ClassVar

from glue.dialects.errors import DialectError
from glue.engines.base import Failure, shortened
from glue.engines.local_dialect import LocalDialectSession, LocalEngine
from glue.engines.sqlserver_errors import class_of
from glue.engines.sqlserver_reads import one_select


class MSSQLLocalSession(LocalDialectSession):
    """One open database. See LocalEngine."""

    dialect: ClassVar[str] = "tsql"

    def checked(self, sql: str) -> str:
        """See LocalDialectSession: as the live engine has it."""
        return one_select(sql)

    def explain(self, error: DialectError) -> Failure:
        """See LocalDialectSession."""
        found = class_of(None, error.code)
        return Failure(
            "refused" if found == "forbidden" else "failed", found, error.code, shortened(error.message)
        )


class MSSQLLocal(LocalEngine):
    """Transact-SQL without a SQL Server."""

    name: ClassVar[str] = "mssql-local"
    session_class: ClassVar[type[LocalDialectSession]] = MSSQLLocalSession
