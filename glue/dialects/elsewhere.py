"""In which dialects a query is valid, by its grammar and the functions it calls; no table is looked at.

Oracle's and SQL Server's grammar is that of the readers here. SQLite and DuckDB read the query themselves.
For PostgreSQL and MySQL sqlglot reads it, which takes much that they refuse: what of other dialects it is
known to take is refused here, and PostgreSQL takes nothing that DuckDB's parser, made of its own, does not.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.oracle.functions import FUNCTIONS as ORACLE_FUNCTIONS
from glue.dialects.oracle_grammar import read_oracle
from glue.dialects.tsql_builtins import N_ARGUMENTS as TSQL_FUNCTIONS
from glue.dialects.tsql_grammar import read_tsql

if TYPE_CHECKING:
    import duckdb

TITLES = {
    "oracle": "Oracle",
    "tsql": "SQL Server",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "sqlite": "SQLite",
    "duckdb": "DuckDB",
}

_QUIET = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\(")

_QUERY = re.compile(
    r"\s*(select|with|values)\b(?!.*\b(insert\s+into|delete\s+from|update\s+\w+\s+set)\b)[^;]*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
_NOT_POSTGRES = """
    ADD_MONTHS CHARINDEX CHOOSE CONVERT DATEADD DATEDIFF DATENAME DATEPART DECODE EOMONTH GETDATE GROUP_CONCAT
    IFNULL IIF INSTR ISNULL JULIANDAY LAST_DAY LEN LISTAGG MONTHS_BETWEEN NEXT_DAY NVL NVL2 PRINTF
    RATIO_TO_REPORT STRFTIME STUFF SYSDATETIME TRY_CAST TRY_CONVERT UNIXEPOCH ADDDATE CURDATE DATE_ADD
    DATE_FORMAT DATE_SUB
    STR_TO_DATE IF MEDIAN TOTAL SQUARE REPLICATE PATINDEX DATETIME DATE_DIFF LIST QUARTER YEAR MONTH DAY
"""
_NOT_MYSQL = """
    ADD_MONTHS CHARINDEX CHOOSE DATEADD DATENAME DATEPART DECODE EOMONTH GETDATE IIF INITCAP JULIANDAY LEN
    LISTAGG MONTHS_BETWEEN NEXT_DAY NVL NVL2 PRINTF RATIO_TO_REPORT STRFTIME STRING_AGG STUFF SYSDATETIME
    TO_CHAR TO_DATE TO_NUMBER TO_TIMESTAMP TRANSLATE TRUNC TRY_CAST TRY_CONVERT UNIXEPOCH ARRAY_AGG DATE_TRUNC
    GENERATE_SERIES SPLIT_PART MEDIAN TOTAL SQUARE REPLICATE PATINDEX DATE_PART DATETIME TYPEOF
"""
_NEVER_CALLED = {"postgres": frozenset(_NOT_POSTGRES.split()), "mysql": frozenset(_NOT_MYSQL.split())}
"""Functions of others that these do not have, of those that sqlglot takes."""

_NOT_MYSQL_WORDS = re.compile(
    r"\(\s*\+\s*\)|::|\b(nulls\s+(first|last)|fetch\s+(first|next)|connect\s+by|(cross|outer)\s+apply"
    r"|full\s+(outer\s+)?join|qualify|ilike|distinct\s+on|pivot|unpivot|within\s+group|filter\s*\(\s*where"
    r"|grouping\s+sets|cube\s*\(|rollup\s*\(|except\s+all|minus|top\s+\d)\b|\[",
    re.IGNORECASE,
)
_NOT_POSTGRES_WORDS = re.compile(
    r"\(\s*\+\s*\)|\b(qualify|pivot|unpivot|connect\s+by|sample|exclude\s*\(|(anti|semi|asof|positional)\s+join)\b"
    r"|\b(order|group)\s+by\s+all\b|(\b(select|where|by|on|and|or)|[,(=<>])\s*\[|\{",
    re.IGNORECASE,
)


def valid_in(sql: str) -> list[str]:
    """The dialects in which the query is valid, by their names in TITLES."""
    return [name for name, reads in _READERS.items() if reads(sql)]


def _called(sql: str) -> set[str]:
    return {name.upper() for name in _CALLED.findall(_QUIET.sub(" ", sql))}


def _is_read(reader: Callable[[str], object], sql: str) -> bool:
    try:
        reader(sql)
    except (DialectError, UnsupportedError):
        return False
    return True


def _oracle(sql: str) -> bool:
    return _is_read(read_oracle, sql) and not _called(sql) & (_known() - ORACLE_FUNCTIONS)


def _tsql(sql: str) -> bool:
    return _is_read(read_tsql, sql) and not _called(sql) & (_known() - TSQL_FUNCTIONS.keys() - _TSQL_WORDS)


_TSQL_NAMES = """
    CASE CAST COALESCE CONVERT DATEADD DATEDIFF DATEDIFF_BIG DATENAME DATEPART DATETRUNC IIF NULLIF PARSE TRIM
    TRY_CAST TRY_CONVERT TRY_PARSE
"""
_TSQL_WORDS = frozenset(_TSQL_NAMES.split())
"""Functions of SQL Server that its grammar knows by itself."""


def _sqlite(sql: str) -> bool:
    if not _QUERY.fullmatch(_QUIET.sub(" ", sql)):
        return False
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute(f"explain {sql}")
        except sqlite3.OperationalError as error:
            if not str(error).startswith("no such table"):
                return False
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return False
    return not _called(sql) & (_known() - _sqlite_functions())


def _duckdb(sql: str) -> bool:
    return _is_query_of_duckdb(sql) and not _called(sql) & (_known() - _duckdb_functions())


def _is_query_of_duckdb(sql: str) -> bool:
    import duckdb

    try:
        statements = _parser().extract_statements(sql)
    except duckdb.Error:
        return False
    return len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT


_OPEN = threading.local()


def _parser() -> duckdb.DuckDBPyConnection:
    """A connection that parses for this thread: opening one takes longer than most texts."""
    import duckdb

    if not hasattr(_OPEN, "connection"):
        _OPEN.connection = duckdb.connect()
    connection: duckdb.DuckDBPyConnection = _OPEN.connection
    return connection


def _postgres(sql: str) -> bool:
    plain = _QUIET.sub(" ", sql)
    return (
        _is_query_of_duckdb(sql)
        and _is_query_of_sqlglot(sql, "postgres")
        and not _NOT_POSTGRES_WORDS.search(plain)
        and not _called(sql) & _NEVER_CALLED["postgres"]
    )


def _mysql(sql: str) -> bool:
    return (
        _is_query_of_sqlglot(sql, "mysql")
        and not _NOT_MYSQL_WORDS.search(_QUIET.sub(" ", sql))
        and not _called(sql) & _NEVER_CALLED["mysql"]
    )


def _is_query_of_sqlglot(sql: str, dialect: str) -> bool:
    import sqlglot
    from sqlglot import exp

    try:
        trees = sqlglot.parse(sql, read=dialect, error_level=sqlglot.ErrorLevel.RAISE)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return False
    return len(trees) == 1 and isinstance(trees[0], exp.Query)


@cache
def _sqlite_functions() -> frozenset[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        rows = connection.execute("select name from pragma_function_list").fetchall()
    return frozenset(name.upper() for (name,) in rows) | {"CAST"}


@cache
def _duckdb_functions() -> frozenset[str]:
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.execute("select function_name from duckdb_functions()").fetchall()
    special = {
        "CAST",
        "TRY_CAST",
        "COALESCE",
        "NULLIF",
        "EXTRACT",
        "TRIM",
        "POSITION",
        "SUBSTRING",
        "GROUPING",
    }
    return frozenset(name.upper() for (name,) in rows) | special | {"IFNULL", "GROUPING_ID", "ROW", "OVERLAY"}


@cache
def _known() -> frozenset[str]:
    """Functions of any of the dialects: other names before a bracket may be anything."""
    return (
        ORACLE_FUNCTIONS
        | TSQL_FUNCTIONS.keys()
        | _TSQL_WORDS
        | _sqlite_functions()
        | _duckdb_functions()
        | (_NEVER_CALLED["postgres"] | _NEVER_CALLED["mysql"])
    )


_READERS: dict[str, Callable[[str], bool]] = {
    "oracle": _oracle,
    "tsql": _tsql,
    "postgres": _postgres,
    "mysql": _mysql,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}
