"""Transact-SQL's grammar of OVER and of the windows that WINDOW names."""

from __future__ import annotations

from dataclasses import dataclass

from glue.dialects.tsql_reading import SYNTAX
from glue.dialects.tsql_values import Values

_PERCENTILES = frozenset({"PERCENTILE_CONT", "PERCENTILE_DISC"})
_FRAMED = frozenset({"FIRST_VALUE", "LAST_VALUE"})
_FRAMELESS = frozenset(
    {"ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "LAG", "LEAD", "CUME_DIST", "PERCENT_RANK"}
)
"""Functions of windows that take no ROWS and no RANGE."""
_BOUNDS = ("UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING")


@dataclass
class _Window:
    """What was read after OVER or WINDOW. `base` names the window that it goes on from, in capitals."""

    base: str = ""
    is_partitioned: bool = False
    is_ordered: bool = False
    has_frame: bool = False


_Named = tuple[dict[str, _Window], list[tuple[str, _Window]]]
"""Windows by their names, and which function uses which."""


class Windows(Values):
    """Windows; those with names are looked up when their query has been read."""

    def __init__(self, sql: str) -> None:
        super().__init__(sql)
        self._windows: dict[str, _Window] = {}
        self._uses: list[tuple[str, _Window]] = []

    def enter_query(self) -> _Named:
        """Begin a query, whose named windows are its own; gives those of the query that it stands in."""
        outer = self._windows, self._uses
        self._windows, self._uses = {}, []
        return outer

    def leave_query(self, outer: _Named) -> None:
        """Look up the windows that the query named, and go back to those of the outer one."""
        for function, window in self._uses:
            self._check_named(function, window)
        self._windows, self._uses = outer

    def over(self, function: str) -> bool:
        """Read [OVER …] behind a function's call: is there one?"""
        if not self.take("OVER"):
            if function in _FRAMED | _FRAMELESS | _PERCENTILES:
                self.note("10753", f"{function} has no OVER")
            return False
        if self.take("("):
            window = self._window()
            self.want(")")
        else:
            window = _Window(base=self._window_name())
        if window.has_frame and function in _FRAMELESS | _PERCENTILES:
            self.note("10752", f"{function} takes no ROWS and no RANGE")
        elif window.base:
            self._uses.append((function, window))
        elif not window.is_ordered and function in _FRAMED | _FRAMELESS:
            self.note("4112", f"{function} needs ORDER BY in its OVER")
        elif not window.is_ordered and window.has_frame:
            self.note("10756", "ROWS or RANGE needs ORDER BY")
        return True

    def named_windows(self) -> None:
        """Read what comes after WINDOW."""
        while True:
            name = self._window_name()
            self.want("AS")
            self.want("(")
            self._windows[name] = self._window()
            self.want(")")
            self._uses.append(("", self._windows[name]))
            if not self.take(","):
                return

    def _check_named(self, function: str, window: _Window) -> None:
        is_ordered, has_frame, base, seen = window.is_ordered, window.has_frame, window.base, set()
        while base:
            if base not in self._windows or base in seen:
                return self.note("5365" if base in seen else "5362", f"there is no window {base}")
            seen.add(base)
            named = self._windows[base]
            is_ordered, has_frame = is_ordered or named.is_ordered, has_frame or named.has_frame
            base = named.base
        if has_frame and function in _FRAMELESS | _PERCENTILES:
            self.note("4106", f"{function} takes no window with ROWS or RANGE")
        elif not is_ordered and function in _FRAMED | _FRAMELESS:
            self.note("5366", f"{function} needs a window with ORDER BY")
        elif not is_ordered and has_frame:
            self.note("5364", "ROWS or RANGE needs ORDER BY")
        return None

    def _window_name(self) -> str:
        name = self.token.text.strip('[]"').upper()
        self.name()
        return name

    def _window(self) -> _Window:
        """Read [name] [PARTITION BY …] [ORDER BY …] [ROWS or RANGE …]."""
        window = _Window()
        if self.is_name() and not self.comes("PARTITION", "BY") and not self._begins_frame():
            window.base = self._window_name()
        if self.take("PARTITION"):
            self.want("BY")
            self.values()
            window.is_partitioned = True
        if self.take("ORDER"):
            self.want("BY")
            self.window_order()
            window.is_ordered = True
        if (window.base or window.is_partitioned or window.is_ordered) and self._begins_frame():
            self._frame()
            window.has_frame = True
        return window

    def window_order(self) -> None:
        """Read what comes after ORDER BY in OVER and in WITHIN GROUP."""
        while True:
            start = self.place
            self.value()
            kinds = [token.kind for token in self.since(start)]
            if kinds == ["number"]:
                self.note("5308", "a position stands in the ORDER BY of a window or an aggregate")
            elif kinds == ["text"] or [token.upper for token in self.since(start)] == ["NULL"]:
                self.note("5309", "a constant stands in the ORDER BY of a window or an aggregate")
            self.direction()
            if not self.take(","):
                return

    def direction(self) -> None:
        """Read [ASC or DESC]."""
        if not self.take("ASC"):
            self.take("DESC")

    def _begins_frame(self) -> bool:
        return self.comes_any({"ROWS", "RANGE"}) and not self.comes(")", ahead=1)

    def _frame(self) -> None:
        is_range = self.comes("RANGE")
        start = self.place
        self.place += 1
        if self.take("BETWEEN"):
            first = self._bound()
            self.want("AND")
            last = self._bound()
        else:
            first, last = self._bound(), "CURRENT ROW"
        if is_range and any(token.kind == "number" for token in self.since(start)):
            self.note("4194", "RANGE takes UNBOUNDED and CURRENT ROW only")
        elif _BOUNDS.index(first) > _BOUNDS.index(last) or first == _BOUNDS[-1] or last == _BOUNDS[0]:
            self.note("4193", "the window ends before it begins")

    def _bound(self) -> str:
        """Read where a window begins or ends: one of _BOUNDS."""
        if self.take("CURRENT"):
            self.want("ROW")
            return "CURRENT ROW"
        is_unbounded = self.take("UNBOUNDED")
        if not is_unbounded:
            if self.token.kind != "number":
                raise self.refused(SYNTAX, "a number of rows is missing")
            self.place += 1
        if not self.comes_any({"PRECEDING", "FOLLOWING"}):
            raise self.refused(SYNTAX, "PRECEDING is missing")
        side = self.token.upper
        self.place += 1
        return f"UNBOUNDED {side}" if is_unbounded else side
