"""Another engine's dialect on a DuckDB file: translated, run as DuckDB's statements are, failures as there.

What that engine refuses has its code and class. What is not known to be that engine's answer is
`unsupported`, which no prediction is charged with: what the translation lacks, and what DuckDB says of its
text but for time and memory.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import duckdb

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.local import LocalSession, Translation, dialect_named
from glue.dialects.pinned import read_pinned
from glue.engines.base import Failure, Limits, Member, Refused, Session, TooComplex, check_length, shortened
from glue.engines.duckdb import DuckDB, DuckDBSession, configuration

_TRUE_HERE_TOO = {"interrupted", "resource", "connection"}
"""Classes of DuckDB's errors that say nothing of the translation."""
_REMEMBERED = 8


class LocalEngine(DuckDB):
    """A DuckDB file that answers in another engine's dialect."""

    session_class: ClassVar[type[LocalDialectSession]]

    def open(self, path: Path, limits: Limits) -> Session:
        """Open a database file that no process is writing. duckdb.Error when that fails."""
        connection = duckdb.connect(str(path), read_only=True, config=configuration(limits))
        try:
            return self.session_class(connection, limits)
        except BaseException:
            connection.close()
            raise

    def open_union(self, members: Sequence[Member], limits: Limits) -> Session:
        """Databases of a server are not put together, nor here."""
        raise TypeError(f"{self.name} has no unions")


class LocalDialectSession(DuckDBSession):
    """One connection with the dialect's functions. See LocalEngine."""

    dialect: ClassVar[str]
    kind_converters: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    """What values of a kind, as the dialect's translation names it, still need."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, limits: Limits) -> None:
        super().__init__(connection, limits)
        pinned = read_pinned(connection)
        self._translator = LocalSession(connection, self.dialect, pinned.version, pinned.now)
        self._statement = ""
        self._translations: dict[str, Translation] = {}

    @abstractmethod
    def checked(self, sql: str) -> str:
        """The only read of a text. Raises Refused or NotSQL."""

    @abstractmethod
    def explain(self, error: DialectError) -> Failure:
        """What the engine's own refusal means: outcome, class, code and message."""

    def execute(self, sql: str, as_raw_text: bool = False) -> list[str]:
        """See Session. The names are those of the dialect."""
        check_length(sql, self._limits)
        self._statement = self.checked(sql)
        translation = self._translated(self._statement)
        try:
            names = self.run(translation.sql)
        except Refused as error:
            raise UnsupportedError(f"the translation is no single read: {error.message}") from error
        if len(names) != len(translation.columns):
            raise UnsupportedError(f"{len(translation.columns)} of {len(names)} columns have names")
        for place, kind in enumerate(translation.kinds):
            if kind in self.kind_converters:
                self._converters[place] = self.kind_converters[kind]
        return list(translation.columns)

    def translated(self, sql: str) -> str:
        """A text in DuckDB's SQL. Raises Refused, NotSQL, DialectError, UnsupportedError or TooComplex."""
        return self._translated(self.checked(sql)).sql

    def _translated(self, statement: str) -> Translation:
        """Raises DialectError, UnsupportedError or TooComplex, and nothing else but MemoryError.

        The last few are remembered: where the data changes and the tables do not, a text is run many times.
        """
        if statement in self._translations:
            return self._translations[statement]
        try:
            translation = self._translator.translate(statement)
        except (DialectError, UnsupportedError, MemoryError):
            raise
        except RecursionError as error:
            raise TooComplex("the statement is nested too deep") from error
        except Exception as error:
            raise UnsupportedError(f"the translation failed: {type(error).__name__}: {error}") from error
        if len(self._translations) >= _REMEMBERED:
            self._translations.clear()
        self._translations[statement] = translation
        return translation

    def failure(self, error: Exception) -> Failure:
        """See Session."""
        meant: Exception = error
        if isinstance(error, duckdb.Error):
            meant = dialect_named(self.dialect).error_of(str(error)) or error
        if isinstance(meant, DialectError):
            return self.explain(meant)
        if isinstance(meant, UnsupportedError):
            return unsupported(str(meant))
        found = super().failure(error)
        is_told = not isinstance(error, duckdb.Error) or found.error_class in _TRUE_HERE_TOO
        if is_told and found.error_class != "unsupported_value":
            return found
        return replace(unsupported(found.error_message), is_session_lost=found.is_session_lost)


def unsupported(message: str) -> Failure:
    """The engine would have an answer, and it is not known here."""
    return Failure("unsupported", "unsupported", None, shortened(message))
