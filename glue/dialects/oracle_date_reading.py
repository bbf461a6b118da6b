"""Oracle's TO_DATE and TO_TIMESTAMP: a text read by a format model, under American session defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import takewhile

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_calendar import assembled
from glue.dialects.oracle_date_models import DAYS, MONTHS, Part, parts_of
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_words import roman

# Elements that say one thing in several ways: only one of them may stand in a model.
_YEARS = frozenset({"YYYY", "SYYYY", "YYY", "YY", "Y", "RR", "RRRR", "Y,YYY"})
_HALVES = frozenset({"AM", "PM", "A.M.", "P.M."})
_ERAS = frozenset({"AD", "BC", "A.D.", "B.C."})
_RIVALS = (
    (_YEARS, "ORA-01812", "the year is asked for twice"),
    (frozenset({"HH", "HH12", "HH24"}), "ORA-01813", "the hour is asked for twice"),
    (_HALVES, "ORA-01810", "the half of the day is asked for twice"),
    (_ERAS, "ORA-01810", "the era is asked for twice"),
    (frozenset({"MM", "MON", "MONTH", "RM"}), "ORA-01816", "the month is asked for twice"),
    (frozenset({"D", "DY", "DAY"}), "ORA-01817", "the day of the week is asked for twice"),
    (frozenset({"J", "DDD"}), "ORA-01811", "a Julian day leaves no room for the day of the year"),
    (frozenset({"HH24"}) | _HALVES, "ORA-01818", "HH24 leaves no room for AM or PM"),
    (frozenset({"SYYYY"}) | _ERAS, "ORA-01819", "a year with a sign leaves no room for AD or BC"),
)
_WRITE_ONLY = frozenset({"CC", "SCC", "IW", "W", "WW", "YEAR", "SYEAR", "Q", "I", "IY", "IYY", "IYYY"})
# What may be missing at the end of a text.
_TIMES = _HALVES | {"HH", "HH12", "HH24", "MI", "SS", "SSSSS", "X", "mark", "quoted"}
# Each numeric element but the year's: its digits, its least and greatest number, and what is refused with.
_RANGES = {
    "D": (1, 1, 7, "ORA-01846"),
    "DD": (2, 1, 31, "ORA-01847"),
    "DDD": (3, 1, 366, "ORA-01848"),
    "MM": (2, 1, 12, "ORA-01843"),
    "HH12": (2, 1, 12, "ORA-01849"),
    "HH24": (2, 0, 23, "ORA-01850"),
    "MI": (2, 0, 59, "ORA-01851"),
    "SS": (2, 0, 59, "ORA-01852"),
    "SSSSS": (5, 0, 86_399, "ORA-01853"),
    "J": (7, 1, 5_373_484, "ORA-01854"),
}
# Each element that is a word: the words it takes in order, whose number they are, and what is refused with.
_MONTHS_IN_SHORT = [month[:3] for month in MONTHS]
_WORDS = {
    "MONTH": (MONTHS, "MM", "ORA-01843"),
    "MON": (_MONTHS_IN_SHORT, "MM", "ORA-01843"),
    "RM": ([roman(month).lower() for month in range(1, 13)], "MM", "ORA-01843"),
    "DAY": (DAYS, "D", "ORA-01846"),
    "DY": ([day[:3] for day in DAYS], "D", "ORA-01846"),
}
_DIGITS = re.compile("[0-9]*")
_WIDTHS = {"MONTH": 9, "DAY": 9, "RM": 4}


def moment_of(text: str, model: str, now: datetime, *, of_timestamp: bool = True) -> datetime:
    """TO_DATE(text, model), or TO_TIMESTAMP; what the text leaves out is the first of this month, midnight.

    `now` is the session's. Raises OracleError with Oracle's code, and UnsupportedError for dates before
    year 1, time zones and fractions finer than a microsecond.
    """
    parts = _readable(model, of_timestamp)
    return assembled(_fields(text, parts, now), now)


@cache
def _readable(model: str, of_timestamp: bool) -> tuple[Part, ...]:
    """The parts of a model that can be read by: it says nothing twice, and nothing that only writes."""
    parts = parts_of(model, of_timestamp)
    elements = [part.element for part in parts if part.element not in ("mark", "quoted")]
    if any(part.suffix for part in parts) or _WRITE_ONLY.intersection(elements):
        raise OracleError("ORA-01820", f"{model!r} has an element that only writes")
    if len(set(elements)) < len(elements):
        raise OracleError("ORA-01810", f"{model!r} has an element twice")
    for rivals, code, message in _RIVALS:
        if len(rivals.intersection(elements)) > 1:
            raise OracleError(code, f"{model!r}: {message}")
    return tuple(_with_runs(parts))


def _with_runs(parts: tuple[Part, ...]) -> Iterator[Part]:
    """Marks that stand together as one part; the point before a fraction as the radix character."""
    position = 0
    while position < len(parts):
        part = parts[position]
        marks = takewhile(lambda each: each.element == "mark", parts[position:])
        run = "".join(mark.text for mark in marks)
        position += max(len(run), 1)
        if run == "." and position < len(parts) and parts[position].element.startswith("FF"):
            yield replace(part, element="X")
        else:
            yield replace(part, text=run) if run else part


def _fields(text: str, parts: tuple[Part, ...], now: datetime) -> dict[str, int]:
    """The numbers by element; where YY or RR fails with two digits, four are tried, and the reverse."""
    has_short_year = any(part.element in ("YY", "RR") and not part.is_exact for part in parts)
    errors = []
    for year_digits in (None, 2, 4) if has_short_year else (None,):
        try:
            return _Reading(text, parts, now, year_digits).fields_read()
        except OracleError as error:
            errors.append(error)
    raise errors[0]


@dataclass
class _Reading:
    """One pass over a text: where it stands, and what it has read."""

    text: str
    parts: tuple[Part, ...]
    now: datetime
    year_digits: int | None
    position: int = 0
    has_omitted: bool = False
    must_be_full: bool = False
    fields: dict[str, int] = field(default_factory=dict)

    def fields_read(self) -> dict[str, int]:
        for index, part in enumerate(self.parts):
            if part.element == "mark":
                self._read_marks(part)
                continue
            if not part.is_exact:
                self._skip_blanks()
            if self.position == len(self.text) and self.fields:
                self._end_before(self.parts[index:])
                break
            self._read(part)
            self.must_be_full = False
        if self.fields.get("year") == 0:
            raise self._refused("ORA-01841", "there is no year 0")
        rest = self.text[self.position :]
        if rest.strip(" ") or (rest and self.parts[-1].is_exact):
            raise OracleError("ORA-01830", f"the format ends before {rest!r}")
        return self.fields

    def _read_marks(self, marks: Part) -> None:
        """As many marks as the model has, any for any, blanks freely; with none, full numbers must follow."""
        start = self.position
        if start == len(self.text):
            return
        if marks.is_exact:
            if not self.text.startswith(marks.text, start):
                raise OracleError("ORA-01861", f"{self.text!r} has no {marks.text!r} at {start + 1}")
            self.position += len(marks.text)
            return
        self._skip_blanks()
        for _ in marks.text:
            if self._here() and not self._here().isalnum():
                self.position += 1
        self._skip_blanks()
        self.must_be_full = self.position == start
        self.has_omitted |= self.must_be_full

    def _read(self, part: Part) -> None:
        element = "HH12" if part.element == "HH" else part.element
        if element == "quoted":
            self._expect(part.text)
        elif element in _YEARS:
            self._read_year(element, part)
        elif element in _RANGES:
            self._read_number(element, part)
        elif element in _WORDS:
            self._read_word(element, part)
        elif element == "X":
            self.fields["radix"] = int(self._here() == ".")
            self.position += self.fields["radix"]
        elif element in _HALVES | _ERAS:
            self._read_half_or_era(element)
        else:
            self._read_fraction(element)

    def _read_number(self, element: str, part: Part) -> None:
        width, least, greatest, code = _RANGES[element]
        if element == "MM" and not self._here().isdigit() and not part.is_exact:
            names = [*MONTHS, *_MONTHS_IN_SHORT]
            if (found := self._word_here(names)) is not None:
                self.fields["MM"] = found % 12 + 1
                self.position += len(names[found])
                return
        number = self._digits(width, part, "ORA-01858")
        if not least <= number <= greatest:
            raise OracleError(code, f"{element} {number} lies outside {least} to {greatest}")
        self.fields[element] = number

    def _digits(self, width: int, part: Part, code: str) -> int:
        digits = self._run_of_digits()[:width]
        if not digits:
            raise self._refused(code, f"{part.element} finds no digit at {self.text[self.position :]!r}")
        if len(digits) < width and part.is_exact and part.is_filled:
            raise OracleError("ORA-01862", f"{part.element} needs {width} digits and finds {digits!r}")
        if len(digits) < width and self.must_be_full:
            raise self._refused("ORA-01861", f"{part.element} finds {digits!r}")
        self.position += len(digits)
        return int(digits)

    def _read_year(self, element: str, part: Part) -> None:
        if element == "SYYYY" and self._here() in ("+", "-"):
            if self._here() == "-":
                raise UnsupportedError("dates before year 1")
            self.position += 1
        start = self.position
        if element == "Y,YYY":
            thousands = self._digits(1, part, "ORA-01841")
            self.position += self._here() == ","
            self.fields["year"] = thousands * 1000 + self._digits(3, part, "ORA-01841")
            return
        width = len(element.removeprefix("S"))
        if element in ("YY", "RR") and not part.is_exact:
            width = self.year_digits or (4 if len(self._run_of_digits()) == 4 else 2)
        if element == "RRRR" and len(self._run_of_digits()) == 2:
            width = 2
        number = self._digits(width, part, "ORA-01841")
        n_digits = self.position - start
        if element in ("RR", "RRRR") and n_digits <= 2:
            number += self.now.year // 100 * 100 + 100 * ((self.now.year % 100 >= 50) - (number >= 50))
        elif element in ("Y", "YY", "YYY") and n_digits <= len(element):
            number += self.now.year // 10 ** len(element) * 10 ** len(element)
        self.fields["year"] = number

    def _read_word(self, element: str, part: Part) -> None:
        names, field_name, code = _WORDS[element]
        if element in ("MON", "MONTH") and not part.is_exact:
            names = [*MONTHS, *_MONTHS_IN_SHORT]
        start = self.position
        found = self._word_here(names)
        if found is None:
            raise self._refused(code, f"{part.element} finds no name at {self.text[start:]!r}")
        self.fields[field_name] = found % (7 if field_name == "D" else 12) + 1
        self.position += len(names[found])
        if part.is_exact and part.is_filled:
            padded_end = start + _WIDTHS.get(element, 0)
            while self.position < padded_end and self._here() == " ":
                self.position += 1

    def _word_here(self, names: list[str]) -> int | None:
        """Which of the names stands here, the longest where several do."""
        rest = self.text[self.position : self.position + 9].lower()
        fitting = [index for index, name in enumerate(names) if rest.startswith(name)]
        return max(fitting, key=lambda index: len(names[index]), default=None)

    def _read_half_or_era(self, element: str) -> None:
        word = self.text[self.position : self.position + len(element)].upper()
        is_half = element in _HALVES
        pair = {"AM": 0, "PM": 1} if is_half else {"AD": 0, "BC": 1}
        found = pair.get(word.replace(".", ""))
        if found is None or ("." in element) != ("." in word):
            raise self._refused("ORA-01855" if is_half else "ORA-01856", f"{element} finds {word!r}")
        if found and not is_half:
            raise UnsupportedError("dates before year 1")
        self.fields["half" if is_half else "era"] = found
        self.position += len(element)

    def _read_fraction(self, element: str) -> None:
        if self.fields.get("radix") == 0:
            return
        digits = self._run_of_digits()[: int(element[2:] or 9)]
        if not digits:
            raise self._refused("ORA-01858", f"{element} finds no digit")
        if digits[6:].strip("0"):
            raise UnsupportedError(f"the fraction .{digits} is finer than a microsecond")
        self.fields["microsecond"] = int(digits[:6].ljust(6, "0"))
        self.position += len(digits)

    def _expect(self, quoted: str) -> None:
        end = self.position + len(quoted)
        if self.text[self.position : end].lower() != quoted.lower():
            raise OracleError("ORA-01861", f"{self.text[self.position :]!r} does not begin with {quoted!r}")
        self.position = end

    def _end_before(self, rest: tuple[Part, ...]) -> None:
        """The text is at its end: only times, and only where the model is not exact, may still be missing."""
        for part in rest:
            is_time = part.element in _TIMES or part.element.startswith("FF")
            if not is_time or (part.is_exact and part.element != "mark"):
                raise self._refused("ORA-01840", f"nothing is left for {part.element}")

    def _refused(self, code: str, message: str) -> OracleError:
        """Once punctuation was left out, a text that does not fit is a literal that does not match."""
        return OracleError("ORA-01861" if self.has_omitted else code, f"{self.text!r}: {message}")

    def _here(self) -> str:
        return self.text[self.position : self.position + 1]

    def _run_of_digits(self) -> str:
        found = _DIGITS.match(self.text, self.position)
        return found[0] if found else ""

    def _skip_blanks(self) -> None:
        while self._here() == " ":
            self.position += 1
