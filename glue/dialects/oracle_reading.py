"""How Oracle's words are read: which are no names, and with which code it refuses what is missing."""

from __future__ import annotations

from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_tokens import RESERVED, tokens_of
from glue.dialects.reading import Words

SET_OPERATORS = frozenset({"UNION", "MINUS", "INTERSECT"})


class OracleWords(Words):
    """The words of one query, and how far they have been read."""

    ERROR = OracleError
    RESERVED = RESERVED
    AFTER_QUERY = SET_OPERATORS | {"EXCEPT", ")", "ORDER", "OFFSET", "FETCH", ""}
    MISSING = "ORA-00905"
    UNCLOSED = "ORA-00907"

    def __init__(self, sql: str, version: int) -> None:
        super().__init__(tokens_of(sql))
        self.version = version
