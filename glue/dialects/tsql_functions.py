"""Transact-SQL's grammar of function calls: their arguments and WITHIN GROUP."""

from __future__ import annotations

from collections import Counter

from glue.dialects.tsql_builtins import N_ARGUMENTS
from glue.dialects.tsql_reading import SYNTAX
from glue.dialects.tsql_windows import Windows

_AGGREGATES_WORDS = """
    APPROX_COUNT_DISTINCT AVG CHECKSUM_AGG COUNT COUNT_BIG MAX MIN STDEV STDEVP STRING_AGG SUM VAR VARP
"""
_AGGREGATES = frozenset(_AGGREGATES_WORDS.split())
_STARS = frozenset({"COUNT", "COUNT_BIG", "CHECKSUM", "BINARY_CHECKSUM"})
"""Functions that take a star."""
_DATE_PARTS_WORDS = """
    YEAR YY YYYY QUARTER QQ Q MONTH MM M DAYOFYEAR DY Y DAY DD D WEEK WK WW WEEKDAY DW W HOUR HH
    MINUTE MI N SECOND SS S MILLISECOND MS MICROSECOND MCS NANOSECOND NS TZOFFSET TZ ISO_WEEK ISOWK
    ISOWW
"""
_DATE_PARTS = frozenset(_DATE_PARTS_WORDS.split())
_OF_DATE_PARTS = {
    "DATEADD": 3, "DATEDIFF": 3, "DATEDIFF_BIG": 3, "DATENAME": 2, "DATEPART": 2, "DATETRUNC": 2
}  # fmt: skip
"""Functions whose first argument is a part of a date, and how many they take."""


class Functions(Windows):
    """Calls of functions."""

    def call(self, name: str) -> None:
        """Read a function's brackets and what may follow them."""
        before = self.n_read.copy()
        self.want("(")
        is_distinct = self._arguments(name)
        self.want(")")
        if self.take("WITHIN", "GROUP"):
            self.want("(")
            self.want("ORDER")
            self.want("BY")
            self.window_order()
            self.want(")")
        if self.comes_any({"IGNORE", "RESPECT"}) and self.comes("NULLS", ahead=1):
            self.place += 2
        has_window = self.over(name)
        if has_window and is_distinct:
            self.note("10759", "DISTINCT stands in an aggregate with OVER")
        self._check_nesting(name, self.n_read - before, has_window)

    def _check_nesting(self, name: str, inside: Counter[str], has_window: bool) -> None:
        """An aggregate has no aggregates in it; with OVER it may have them, but no other windows."""
        if inside["window"] and (has_window or name in _AGGREGATES):
            self.note("4109", "a window stands in another one or in an aggregate")
        elif name in _AGGREGATES and not has_window and (inside["aggregate"] or inside["query"]):
            self.note("130", "an aggregate or a subquery stands in an aggregate")
        if has_window:
            self.n_read["window"] += 1
        elif name in _AGGREGATES:
            self.n_read["aggregate"] += 1

    # Arguments

    def _arguments(self, name: str) -> bool:
        """Read what stands in the brackets: is it DISTINCT?"""
        if name in ("CAST", "TRY_CAST"):
            self.value()
            self.want("AS", "1035" if self.comes_any({",", ")"}) else SYNTAX)
            self.type_name()
        elif name in ("PARSE", "TRY_PARSE"):
            self.value()
            self.want("AS")
            self.type_name()
            if self.take("USING"):
                self.value()
        elif name in ("CONVERT", "TRY_CONVERT"):
            self.type_name()
            self.want(",")
            self.values()
        elif name == "IIF":
            self.condition()
            self.want(",")
            self._two_values()
        elif name == "NULLIF":
            self._two_values()
        elif name == "COALESCE":
            self.value()
            self.want(",")
            self.values()
        elif name == "TRIM":
            self._trim()
        elif name in _OF_DATE_PARTS:
            self._of_date_part(name)
        elif self.comes("*") and name in _STARS:
            self.place += 1
        elif self.take("DISTINCT"):
            self.value()
            self._check_count(name, 1)
            return True
        else:
            self.take("ALL")
            self._check_count(name, self._values_if_any())
        return False

    def _two_values(self) -> None:
        self.value()
        self.want(",")
        self.value()

    def _values_if_any(self) -> int:
        """Read [a, b, …]: how many are there?"""
        return 0 if self.comes(")") else self.values()

    def _check_count(self, name: str, n_arguments: int) -> None:
        if name and name not in N_ARGUMENTS:
            self.note("195", f"there is no function {name}")
        elif bounds := N_ARGUMENTS.get(name):
            fewest, most = bounds
            if n_arguments < fewest or (most and n_arguments > most):
                code, told = ("174", f"{most}") if fewest == most else ("189", f"{fewest} to {most}")
                code, told = (code, told) if most else ("1076", f"{fewest} or more")
                self.note(code, f"{name} takes {told} arguments")

    def _trim(self) -> None:
        if self.comes_any({"LEADING", "TRAILING", "BOTH"}) and not self.comes(")", ahead=1):
            self.place += 1
        self.value()
        if self.take("FROM"):
            self.value()

    def _of_date_part(self, name: str) -> None:
        part = self.token
        is_word = part.kind == "word" and part.upper not in self.RESERVED and self.comes(",", ahead=1)
        self.place += 2 * is_word
        n_arguments = is_word + self._values_if_any()
        if n_arguments != _OF_DATE_PARTS[name]:
            self.note("174", f"{name} takes {_OF_DATE_PARTS[name]} arguments")
        elif part.kind in ("text", "number", "bind"):
            self.note("1023", f"the part in {name} is a bare word")
        elif is_word and part.upper not in _DATE_PARTS:
            self.note("155", f"{part.text!r} is no part of a date")
