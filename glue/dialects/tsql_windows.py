"""Transact-SQL's grammar of OVER and of the windows that WINDOW names."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.tsql_values import Values

_PERCENTILES = frozenset({"PERCENTILE_CONT", "PERCENTILE_DISC"})
_FRAMED = frozenset({"FIRST_VALUE", "LAST_VALUE"})
_FRAMELESS = frozenset(
    {"ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "LAG", "LEAD", "CUME_DIST", "PERCENT_RANK"}
)
"""Functions of windows that take no ROWS and no RANGE."""
_UNITS = frozenset({"ROWS", "RANGE"})
_CURRENT, _UNBOUNDED = 0, 2
"""How far a bound lies from the current row, any number of rows being 1; before it as far below 0."""

_Named = tuple[dict[str, nodes.Window], list[tuple[str, nodes.Window]]]
"""Windows by their names in capitals, and which function uses which."""


class Windows(Values):
    """Windows; those with names are looked up when their query has been read."""

    def __init__(self, sql: str) -> None:
        super().__init__(sql)
        self._windows: dict[str, nodes.Window] = {}
        self._uses: list[tuple[str, nodes.Window]] = []

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

    def over(self, function: str) -> nodes.Window | None:
        """Read [OVER …] behind a function's call."""
        start = self.token.start
        if not self.take("OVER"):
            if function in _FRAMED | _FRAMELESS | _PERCENTILES:
                self.note("10753", f"{function} has no OVER")
            return None
        if self.take("("):
            window = self._window(start)
            self.want(")")
        else:
            window = nodes.Window(name=self.name(), place=start)
        if window.frame and function in _FRAMELESS | _PERCENTILES:
            self.note("10752", f"{function} takes no ROWS and no RANGE")
        elif window.name:
            self._uses.append((function, window))
        elif not window.order and function in _FRAMED | _FRAMELESS:
            self.note("4112", f"{function} needs ORDER BY in its OVER")
        elif not window.order and window.frame:
            self.note("10756", "ROWS or RANGE needs ORDER BY")
        return window

    def named_windows(self) -> list[tuple[nodes.Identifier, nodes.Window]]:
        """Read what comes after WINDOW."""
        found = []
        while True:
            start = self.token.start
            name = self.name()
            self.want("AS")
            self.want("(")
            window = self._window(start)
            self.want(")")
            found.append((name, window))
            self._windows[name.text.upper()] = window
            self._uses.append(("", window))
            if not self.take(","):
                return found

    def _check_named(self, function: str, window: nodes.Window) -> None:
        is_ordered, has_frame, name, seen = bool(window.order), bool(window.frame), window.name, set()
        while name:
            base = name.text.upper()
            if base not in self._windows or base in seen:
                return self.note("5365" if base in seen else "5362", f"there is no window {name.text}")
            seen.add(base)
            named = self._windows[base]
            is_ordered, has_frame = is_ordered or bool(named.order), has_frame or bool(named.frame)
            name = named.name
        if has_frame and function in _FRAMELESS | _PERCENTILES:
            self.note("4106", f"{function} takes no window with ROWS or RANGE")
        elif not is_ordered and function in _FRAMED | _FRAMELESS:
            self.note("5366", f"{function} needs a window with ORDER BY")
        elif not is_ordered and has_frame:
            self.note("5364", "ROWS or RANGE needs ORDER BY")
        return None

    def _window(self, place: int) -> nodes.Window:
        """Read [name] [PARTITION BY …] [ORDER BY …] [ROWS or RANGE …]."""
        window = nodes.Window(place=place)
        if self.is_name() and not self.comes("PARTITION", "BY") and not self._begins_frame():
            window.name = self.name()
        if self.take("PARTITION"):
            self.want("BY")
            window.partition = self.values()
        if self.take("ORDER"):
            self.want("BY")
            window.order = self.window_order()
        if (window.name or window.partition or window.order) and self._begins_frame():
            window.frame = self._frame()
        return window

    def window_order(self) -> list[nodes.OrderTerm]:
        """Read what comes after ORDER BY in OVER and in WITHIN GROUP."""
        terms = []
        while True:
            start = self.place
            value = self.value()
            is_word = self.place == start + 1
            if is_word and isinstance(value, nodes.Number):
                self.note("5308", "a position stands in the ORDER BY of a window or an aggregate")
            elif is_word and isinstance(value, nodes.Text | nodes.Null):
                self.note("5309", "a constant stands in the ORDER BY of a window or an aggregate")
            terms.append(self.order_term(value))
            if not self.take(","):
                return terms

    def order_term(self, value: nodes.Value) -> nodes.OrderTerm:
        """Read [ASC or DESC] behind the value."""
        is_descending = self.take("DESC")
        if not is_descending:
            self.take("ASC")
        return nodes.OrderTerm(value, is_descending, place=value.place)

    def _begins_frame(self) -> bool:
        return self.comes_any(_UNITS) and not self.comes(")", ahead=1)

    def _frame(self) -> nodes.Frame:
        token = self.token
        self.place += 1
        if self.take("BETWEEN"):
            start = self._bound()
            self.want("AND")
            end = self._bound()
        else:
            start, end = self._bound(), None
        first, last = _distance(start), _distance(end) if end else _CURRENT
        if token.upper == "RANGE" and (start.distance or (end and end.distance)):
            self.note("4194", "RANGE takes UNBOUNDED and CURRENT ROW only")
        elif first > last or first == _UNBOUNDED or last == -_UNBOUNDED:
            self.note("4193", "the window ends before it begins")
        return nodes.Frame(token.upper, start, end, place=token.start)

    def _bound(self) -> nodes.Bound:
        """Read where a window begins or ends."""
        start = self.token.start
        if self.take("CURRENT"):
            self.want("ROW")
            return nodes.Bound("CURRENT", place=start)
        distance = None if self.take("UNBOUNDED") else self.number()
        if self.take("PRECEDING"):
            return nodes.Bound("PRECEDING", distance, place=start)
        self.want("FOLLOWING")
        return nodes.Bound("FOLLOWING", distance, place=start)


def _distance(bound: nodes.Bound) -> int:
    if bound.side == "CURRENT":
        return _CURRENT
    size = 1 if bound.distance else _UNBOUNDED
    return size if bound.side == "FOLLOWING" else -size
