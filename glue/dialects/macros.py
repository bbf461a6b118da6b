"""A dialect's functions in a DuckDB session: macros, and in Python what reads models and patterns.

All macros of a dialect together take a tenth of a second, and a statement has few: each is given to a session
when a statement first mentions it. What a function refuses stands in the text of DuckDB's error: the server's
code behind a mark, or "unsupported" where the server has an answer that is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property, wraps
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from glue.dialects.errors import DialectError, UnsupportedError

if TYPE_CHECKING:
    import duckdb

PythonFunction = tuple[str, Callable[..., Any], tuple[str, ...], str, tuple[int, ...]]
"""Name, function, DuckDB's types of arguments and result, and which arguments make the result NULL."""

Refusal = TypeVar("Refusal", bound=DialectError)
_BEGINNING = "create or replace temp macro"
_MACRO = re.compile(rf"^{_BEGINNING} ", re.MULTILINE)


class Macros(Generic[Refusal]):
    """The functions of a dialect, whose names all begin with `prefix`: those of scripts, and in Python.

    `said` finds what a refusal told (code and message, or unsupported) in DuckDB's error; `mark` stands
    before a code where `refusal`, the class, has it without one.
    """

    def __init__(
        self,
        prefix: str,
        scripts: Sequence[str],
        functions: Callable[[], list[PythonFunction]],
        refusal: Callable[[str, str], Refusal],
        said: re.Pattern[str],
        mark: str = "",
    ) -> None:
        self._prefix = prefix
        self._scripts = scripts
        self._functions = functions
        self._refusal = refusal
        self._mark = mark
        self._name = re.compile(rf"\b{prefix}\w+")
        self._said = said

    @cached_property
    def text(self) -> str:
        """What makes all macros."""
        folder = files("glue.dialects")
        return "\n".join(folder.joinpath(script).read_text(encoding="utf-8") for script in self._scripts)

    @cached_property
    def _statements(self) -> dict[str, str]:
        parts = _MACRO.split(self.text)[1:]
        return {self._name.findall(part)[0]: f"{_BEGINNING} {part}" for part in parts}

    def begin(self, connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
        """Give a session what the macros stand on; `now` is what the server's clock says.

        Macros are a connection's own, Python's functions those of all connections to a database in a process.
        """
        import duckdb

        moment = now.isoformat(" ")
        connection.execute(f"create or replace temp macro {self._prefix}now() as timestamp '{moment}'")
        untyped: Any = connection  # its stubs want types where their names do
        for name, function, parameters, result, needed in self._functions():
            answered = self._answered(function, needed)
            try:
                untyped.create_function(name, answered, list(parameters), result, null_handling="special")
            except (duckdb.NotImplementedException, duckdb.CatalogException):
                break  # this or another connection to the database has made them

    def add(self, connection: duckdb.DuckDBPyConnection, text: str, present: set[str]) -> None:
        """Give a session the macros that a text mentions, and those that they stand on.

        `present` are those that it has, and then has.
        """
        found: list[str] = []
        self._collect(text, present, found)
        if found:
            connection.execute("\n".join(found))

    def _collect(self, text: str, present: set[str], found: list[str]) -> None:
        """What makes the missing macros of a text: those that others stand on before these."""
        for name in self._name.findall(text):
            if name in self._statements and name not in present:
                present.add(name)
                self._collect(self._statements[name], present, found)
                found.append(self._statements[name])

    def _answered(self, function: Callable[..., Any], needed: tuple[int, ...]) -> Callable[..., Any]:
        """The function, NULL where a needed argument is; what it refuses is told as macros tell it."""

        @wraps(function)
        def answered(*arguments: Any) -> Any:
            if any(arguments[place] is None for place in needed):
                return None
            try:
                return function(*arguments)
            except DialectError as error:
                raise ValueError(f"{self._mark}{error.code}: {error.message}") from None
            except UnsupportedError as error:
                raise ValueError(f"unsupported: {error}") from None

        return answered

    def error_of(self, message: str) -> Refusal | UnsupportedError | None:
        """What a function refused with, read from DuckDB's error."""
        said = self._said.search(message)
        if said is None:
            return None
        if said["code"]:
            return self._refusal(said["code"], said["message"])
        return UnsupportedError(said["unsupported"])
