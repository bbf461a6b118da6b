"""Oracle's regular expressions, spelled for DuckDB (RE2) and for Python, which agree on what is let through.

The rules are those of the SQL Language Reference, Oracle Regular Expression Support: POSIX's extended
expressions and a few operators of Perl's. What is neither, or may mean something else there, is unsupported.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError

_LONGEST_PATTERN = 512
_MOST_REPEATS = 1000
_INTERVAL = re.compile(r"\{([0-9]+)(,)?([0-9]+)?\}")
_NAMED = re.compile(r"\[([:.=])(.*?)\1\]")
# Each POSIX class, by its ASCII members or, after an at sign, by Unicode's category.
_CLASSES = {
    "alpha": ("@L",),
    "alnum": ("@L", "0-9"),
    "blank": (r" \t",),
    "cntrl": (r"\x00-\x1f\x7f",),
    "digit": ("0-9",),
    "graph": ("@L", "!-~"),
    "lower": ("@Ll",),
    "print": ("@L", " -~"),
    "punct": (r"!-/:-@\[-`{-~",),
    "space": (r" \t\n\r\f\v",),
    "upper": ("@Lu",),
    "xdigit": ("0-9A-Fa-f",),
}
_SPECIAL = frozenset(r"\^$.*+?()[]{}|-&~#")
_LETTERS = {"d": "digit", "s": "space", "w": "alnum"}


@dataclass(frozen=True)
class Flags:
    """What a match parameter says, its last word on each thing."""

    ignores_case: bool = False
    dot_takes_newline: bool = False
    has_lines: bool = False
    ignores_blanks: bool = False


@dataclass(frozen=True)
class Pattern:
    """An Oracle pattern for another engine.

    `is_anchored`: it asks where the text begins. `has_choice`: it has alternatives.
    """

    text: str
    n_groups: int
    is_anchored: bool
    has_choice: bool


def flags_of(match_parameter: str | None) -> Flags:
    """The match parameter's letters; ORA-01760 for any other."""
    said = match_parameter or ""
    if strange := said.strip("icnmx"):
        raise OracleError("ORA-01760", f"{strange!r} is no match parameter")
    return Flags(said.rfind("i") > said.rfind("c"), "n" in said, "m" in said, "x" in said)


@cache
def pattern_of(pattern: str, flags: Flags, *, is_re2: bool, is_mirrored: bool = False) -> Pattern:
    """The pattern spelled for RE2 or for Python, where the n-th group is named g<n>.

    Mirrored, alternatives stand in reverse. Raises OracleError ORA-12725 and its neighbours.
    """
    if len(pattern.encode()) > _LONGEST_PATTERN:
        raise OracleError("ORA-12733", f"a regular expression is longer than {_LONGEST_PATTERN} bytes")
    return _Spelling(pattern, flags, is_re2, is_mirrored).spelled()


@cache
def _ranges_of(category: str) -> str:
    """The letters of a category as ranges of a bracket expression, for Python's expressions."""
    letters = [code for code in range(0x10000) if unicodedata.category(chr(code)).startswith(category)]
    breaks = [at for at in range(1, len(letters)) if letters[at] != letters[at - 1] + 1]
    starts, ends = [0, *breaks], [*breaks, len(letters)]
    pairs = zip(starts, ends, strict=True)
    return "".join(rf"\u{letters[start]:04x}-\u{letters[end - 1]:04x}" for start, end in pairs)


@dataclass
class _Spelling:
    """One pass over a pattern: what is written so far, and what may come next."""

    pattern: str
    flags: Flags
    is_re2: bool
    is_mirrored: bool
    position: int = 0
    n_groups: int = 0
    is_anchored: bool = False
    has_choice: bool = False
    before: str = "start"
    """What a quantifier would stand after: start, atom, quantified or anchor."""
    levels: list[list[str]] = field(default_factory=lambda: [[""]])
    """The alternatives written so far, of the whole and of each open parenthesis."""

    def spelled(self) -> Pattern:
        while self.position < len(self.pattern):
            self._one()
        if len(self.levels) > 1:
            raise OracleError("ORA-12725", f"{self.pattern!r}: a parenthesis stays open")
        text = f"{'(?i:' if self.flags.ignores_case else '(?:'}{self._closed()})"
        return Pattern(text, self.n_groups, self.is_anchored, self.has_choice)

    def _one(self) -> None:
        letter = self.pattern[self.position]
        self.position += 1
        if letter == "(":
            self._open()
        elif letter == ")":
            if len(self.levels) == 1:
                raise OracleError("ORA-12725", f"{self.pattern!r}: a parenthesis was never opened")
            self._write(f"{self._closed()})", "atom")
        elif letter == "|":
            self._end_branch()
            self.has_choice = True
            self.levels[-1].append("")
            self.before = "start"
        elif letter in "*+?{":
            self._repeat(letter)
        elif letter == "[":
            self._write(self._bracket(), "atom")
        elif letter == "\\":
            self._escape()
        elif letter == "^":
            self.is_anchored = True
            self._write("(?m:^)" if self.flags.has_lines else r"\A", "anchor")
        elif letter == "$":
            self._write("(?m:$)" if self.flags.has_lines else self._end(), "anchor")
        elif letter == ".":
            self._write("(?s:.)" if self.flags.dot_takes_newline else r"[^\n]", "atom")
        elif not (self.flags.ignores_blanks and letter.isspace()):
            self._write(_literal(letter), "atom")

    def _write(self, text: str, before: str) -> None:
        self.levels[-1][-1] += text
        self.before = before

    def _closed(self) -> str:
        """The alternatives of the innermost level, which ends here."""
        self._end_branch()
        branches = self.levels.pop()
        return "|".join(reversed(branches) if self.is_mirrored else branches)

    def _end(self) -> str:
        return r"\z" if self.is_re2 else r"\Z"

    def _open(self) -> None:
        if self.pattern.startswith("?", self.position):
            raise UnsupportedError(f"(? in the regular expression {self.pattern!r}")
        self.n_groups += 1
        self._write("(" if self.is_re2 else f"(?P<g{self.n_groups}>", "start")
        self.levels.append([""])

    def _end_branch(self) -> None:
        if self.before == "start":
            raise UnsupportedError(f"an empty alternative in the regular expression {self.pattern!r}")

    def _repeat(self, letter: str) -> None:
        if self.before != "atom":
            raise UnsupportedError(f"{letter} after no character in the regular expression {self.pattern!r}")
        text = letter
        if letter == "{":
            interval = _INTERVAL.match(self.pattern, self.position - 1)
            if interval is None:
                raise UnsupportedError(f"a brace without its numbers in {self.pattern!r}")
            least, greatest = int(interval[1]), int(interval[3] or interval[1])
            if least > greatest:
                raise OracleError("ORA-12732", f"{interval[0]} counts down")
            if greatest > _MOST_REPEATS:
                raise UnsupportedError(f"{interval[0]} in a regular expression")
            text = interval[0]
            self.position = interval.end()
        if self.pattern.startswith("?", self.position):
            self.position += 1
            text += "?"
        self._write(text, "quantified")

    def _escape(self) -> None:
        letter = self.pattern[self.position : self.position + 1]
        self.position += 1
        if letter.lower() in _LETTERS:
            members = self._class(_LETTERS[letter.lower()]) + ("_" if letter in "wW" else "")
            self._write(f"[{'^' if letter.isupper() else ''}{members}]", "atom")
        elif letter == "A":
            self.is_anchored = True
            self._write(r"\A", "anchor")
        elif letter == "z":
            self._write(self._end(), "anchor")
        elif letter.isdigit() and letter > str(self.n_groups):
            raise OracleError("ORA-12727", f"{self.pattern!r} has no subexpression {letter}")
        elif not letter or letter.isalnum():
            raise UnsupportedError(f"\\{letter} in the regular expression {self.pattern!r}")
        else:
            self._write(_literal(letter), "atom")

    def _class(self, name: str) -> str:
        if name not in _CLASSES:
            raise OracleError("ORA-12729", f"[:{name}:] is no class of characters")
        return "".join(self._category(member) for member in _CLASSES[name])

    def _category(self, member: str) -> str:
        if not member.startswith("@"):
            return member
        return rf"\p{{{member[1:]}}}" if self.is_re2 else _ranges_of(member[1:])

    def _bracket(self) -> str:
        """A bracket expression after its [, up to its ]; a backslash is but a character in it."""
        members = []
        if is_negated := self.pattern.startswith("^", self.position):
            self.position += 1
        first = self.position
        while not self.pattern.startswith("]", self.position) or self.position == first:
            start = self._member()
            is_range = self.pattern.startswith("-", self.position) and not self.pattern.startswith(
                "-]", self.position
            )
            if not is_range:
                members.append(_literal(start) if len(start) == 1 else start)
                continue
            self.position += 1
            end = self._member()
            if len(start) > 1 or len(end) > 1 or start > end:
                raise OracleError("ORA-12728", f"{self.pattern!r} has a range that runs backwards")
            members.append(f"{_literal(start)}-{_literal(end)}")
        self.position += 1
        return f"[{'^' if is_negated else ''}{''.join(members)}]"

    def _member(self) -> str:
        """One character of a bracket expression, or a class spelled out."""
        letter = self.pattern[self.position : self.position + 1]
        if not letter:
            raise OracleError("ORA-12726", f"{self.pattern!r}: a bracket stays open")
        if letter == "\\" and self.pattern[self.position + 1 : self.position + 2].isalnum():
            raise UnsupportedError(f"a backslash before a letter in the brackets of {self.pattern!r}")
        if letter == "\\" and self.pattern.startswith("]", self.position + 1):
            raise UnsupportedError(f"a backslash before the closing bracket of {self.pattern!r}")
        named = _NAMED.match(self.pattern, self.position)
        if named is None:
            self.position += 1
            return letter
        self.position = named.end()
        if named[1] == ":":
            return self._class(named[2])
        if len(named[2]) != 1 or named[1] == "=":
            raise UnsupportedError(f"{named[0]} in a regular expression")
        return named[2]


def _literal(letter: str) -> str:
    """The character itself, in brackets and out of them."""
    return f"\\{letter}" if letter in _SPECIAL else letter
