"""Transact-SQL's grammar of function calls: their arguments and WITHIN GROUP."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
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
_CONVERTS = frozenset({"CONVERT", "TRY_CONVERT"})
_PARSES = frozenset({"PARSE", "TRY_PARSE"})
_CASTS = _PARSES | {"CAST", "TRY_CAST"}
_LIST_ENDS = frozenset({",", ")"})
_SIDES = frozenset({"LEADING", "TRAILING", "BOTH"})
_NULLS = frozenset({"IGNORE", "RESPECT"})


class Functions(Windows):
    """Calls of functions."""

    def call(self, parts: tuple[nodes.Identifier, ...], name: str, place: int) -> nodes.Value:
        """Read a function's brackets and what may follow them; of CAST and TRIM nothing may."""
        if name in _CONVERTS:
            return self._convert(name, place)
        if name in _CASTS:
            return self._cast(name, place)
        if name == "TRIM":
            return self._trim(place)
        before = self.n_read.copy()
        call = nodes.Call(parts, [], place=place)
        self.want("(")
        self._arguments(call, name)
        self.want(")")
        if self.take("WITHIN", "GROUP"):
            self.want("(")
            self.want("ORDER")
            self.want("BY")
            call.within = self.window_order()
            self.want(")")
        if self.comes_any(_NULLS) and self.comes("NULLS", ahead=1):
            call.nulls = self.token.upper
            self.place += 2
        call.over = self.over(name)
        if call.over and call.is_distinct:
            self.note("10759", "DISTINCT stands in an aggregate with OVER")
        self._check_nesting(name, before, has_window=call.over is not None)
        return call

    def _check_nesting(self, name: str, before: dict[str, int], has_window: bool) -> None:
        """An aggregate has no aggregates in it; with OVER it may have them, but no other windows."""
        is_aggregate = name in _AGGREGATES
        if not has_window and not is_aggregate:
            return
        n_read = self.n_read
        if n_read["window"] > before["window"]:
            self.note("4109", "a window stands in another one or in an aggregate")
        elif not has_window and (
            n_read["aggregate"] > before["aggregate"] or n_read["query"] > before["query"]
        ):
            self.note("130", "an aggregate or a subquery stands in an aggregate")
        n_read["window" if has_window else "aggregate"] += 1

    # Functions with a grammar of their own

    def _convert(self, word: str, place: int) -> nodes.Cast:
        self.want("(")
        wanted = self.type_name()
        self.want(",")
        operand, *styles = self.values()
        if len(styles) > 1:
            self.noted.append(UnsupportedError(f"{word} with {len(styles) + 2} arguments"))
        self.want(")")
        return nodes.Cast(word, operand, wanted, styles[0] if styles else None, place=place)

    def _cast(self, word: str, place: int) -> nodes.Cast:
        """CAST, and PARSE, which may be told a culture."""
        self.want("(")
        operand, style = self.value(), None
        is_list = word not in _PARSES and self.comes_any(_LIST_ENDS)
        self.want("AS", "1035" if is_list else SYNTAX)
        wanted = self.type_name()
        if word in _PARSES and self.take("USING"):
            style = self.value()
        self.want(")")
        return nodes.Cast(word, operand, wanted, style, place=place)

    def _trim(self, place: int) -> nodes.Trim:
        self.want("(")
        side, letters = None, None
        if self.comes_any(_SIDES) and not self.comes(")", ahead=1):
            side = self.token.upper
            self.place += 1
        operand = self.value()
        if self.take("FROM"):
            letters, operand = operand, self.value()
        self.want(")")
        return nodes.Trim(side, letters, operand, place=place)

    # Arguments

    def _arguments(self, call: nodes.Call, name: str) -> None:
        """Read what stands in the brackets."""
        if name == "IIF":
            condition = self.condition()
            self.want(",")
            call.arguments = [condition, *self._two_values()]
        elif name == "NULLIF":
            call.arguments = self._two_values()
        elif name == "COALESCE":
            first = self.value()
            self.want(",")
            call.arguments = [first, *self.values()]
        elif name in _OF_DATE_PARTS:
            call.arguments = self._of_date_part(name)
        elif self.comes("*") and name in _STARS:
            call.arguments = [nodes.Star(place=self.token.start)]
            self.place += 1
        elif self.take("DISTINCT"):
            call.is_distinct = True
            call.arguments = [self.value()]
            self._check_count(name, 1)
        else:
            self.take("ALL")
            call.arguments = self.values_if_any()
            self._check_count(name, len(call.arguments))

    def _two_values(self) -> list[nodes.Value]:
        first = self.value()
        self.want(",")
        return [first, self.value()]

    def _check_count(self, name: str, n_arguments: int) -> None:
        if name and name not in N_ARGUMENTS:
            self.note("195", f"there is no function {name}")
        elif bounds := N_ARGUMENTS.get(name):
            fewest, most = bounds
            is_bounded = most or not fewest
            if n_arguments < fewest or (is_bounded and n_arguments > most):
                code, told = ("174", f"{most}") if fewest == most else ("189", f"{fewest} to {most}")
                code, told = (code, told) if is_bounded else ("1076", f"{fewest} or more")
                self.note(code, f"{name} takes {told} arguments")

    def _of_date_part(self, name: str) -> list[nodes.Value]:
        part = self.token
        is_word = part.kind == "word" and part.upper not in self.RESERVED and self.comes(",", ahead=1)
        arguments: list[nodes.Value] = []
        if is_word:
            arguments.append(nodes.Name((self.identifier(),), place=part.start))
            self.take(",")
        arguments += self.values_if_any()
        if len(arguments) != _OF_DATE_PARTS[name]:
            self.note("174", f"{name} takes {_OF_DATE_PARTS[name]} arguments")
        elif part.kind in ("text", "number", "bind"):
            self.note("1023", f"the part in {name} is a bare word")
        elif is_word and part.upper not in _DATE_PARTS:
            self.note("155", f"{part.text!r} is no part of a date")
        return arguments
