"""The patterns of LIKE and PATINDEX as regular expressions of DuckDB's.

By LIKE (Transact-SQL) and its pages of wildcards: % and _, sets in brackets, and the letter of ESCAPE. What a
range of letters holds goes by the collation: accented letters stand behind their plain ones.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

from glue.dialects.errors import UnsupportedError
from glue.dialects.tsql_errors import TSQLError

_SPECIAL = set("\\.^$|?*+()[]{}-/&~# \t\n\r")
_PLAIN_BASES = {"æ": "a", "ð": "d", "ø": "o", "þ": "t", "ß": "s", "œ": "o"}
"""Letters that are no accented ones, and behind which plain letter they stand."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a pattern: any text, any letter, one letter, or one of a set of letters and ranges."""

    kind: Literal["any", "one", "letter", "set"]
    letter: str = ""
    ranges: tuple[tuple[str, str], ...] = ()
    is_negated: bool = False


def parts_of(pattern: str, escape: str | None = None) -> list[Part] | None:
    """The parts of a pattern; None where ESCAPE's letter ends it, so that nothing is like it."""
    if escape is not None and len(escape) != 1:
        raise TSQLError("506", f"{escape!r} is no letter to escape with")
    parts: list[Part] = []
    place = 0
    while place < len(pattern):
        letter = pattern[place]
        place += 1
        if letter == escape:
            if place == len(pattern):
                return None
            parts.append(Part("letter", pattern[place]))
            place += 1
        elif letter == "[":
            part, place = _set(pattern, place, escape)
            parts.append(part)
        elif letter in "%_":
            parts.append(Part("any" if letter == "%" else "one"))
        else:
            parts.append(Part("letter", letter))
    return parts


def _set(pattern: str, place: int, escape: str | None) -> tuple[Part, int]:
    """What stands in brackets, and the place behind them."""
    is_negated = pattern[place : place + 1] == "^"
    place += is_negated
    letters: list[tuple[str, bool]] = []
    while pattern[place : place + 1] != "]":
        if place >= len(pattern):
            raise UnsupportedError("a bracket in LIKE that is not closed")
        is_escaped = pattern[place] == escape and place + 1 < len(pattern)
        place += is_escaped
        letters.append((pattern[place], is_escaped))
        place += 1
    if not letters:
        raise UnsupportedError("empty brackets in LIKE")
    ranges: list[tuple[str, str]] = []
    at = 0
    while at < len(letters):
        first = letters[at][0]
        if at + 2 < len(letters) and letters[at + 1] == ("-", False):
            ranges.append((first, letters[at + 2][0]))
            at += 3
        else:
            ranges.append((first, first))
            at += 1
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and not is_negated:
        return Part("letter", ranges[0][0]), place + 1
    return Part("set", "", tuple(ranges), is_negated), place + 1


def regular_expression(parts: list[Part] | None, collation: str) -> str:
    """The parts as a regular expression; `collation` is BIN, CS_AS, CI_AS or the like."""
    if parts is None:
        return "[^\\x{0}-\\x{10ffff}]"
    return "".join(_expression(part, collation) for part in parts)


def flags(collation: str) -> str:
    """How letters are compared by it."""
    return "(?is)" if collation.startswith("CI") else "(?s)"


def _expression(part: Part, collation: str) -> str:
    if part.kind == "any":
        return ".*"
    if part.kind == "one":
        return "."
    if part.kind == "letter":
        return quoted_letter(part.letter)
    members = "".join(_members(first, last, collation) for first, last in part.ranges)
    return f"[{'^' * part.is_negated}{members}]"


def quoted_letter(letter: str) -> str:
    """The letter in a regular expression, where it stands for itself."""
    return f"\\x{{{ord(letter):x}}}" if letter in _SPECIAL else letter


def _members(first: str, last: str, collation: str) -> str:
    if first == last:
        return quoted_letter(first)
    if collation == "BIN":
        return f"{quoted_letter(first)}-{quoted_letter(last)}"
    if first.isascii() and last.isascii():
        if first.isdigit() and last.isdigit():
            return f"{first}-{last}"
        if first.isalpha() and last.isalpha() and collation.startswith("CI"):
            first, last = first.lower(), last.lower()
            return f"{first}-{last}{_accented(first, last, collation)}" if first <= last else ""
    raise UnsupportedError(f"the range {first}-{last} in LIKE")


def _accented(first: str, last: str, collation: str) -> str:
    """The letters that are not plain and stand in a range of plain ones."""
    knows_accents = collation.endswith("AS")
    return "".join(
        letter
        for letter, base in _bases().items()
        if first <= base and (base < last or (base == last and not knows_accents))
    )


@cache
def _bases() -> dict[str, str]:
    """The small letters of code page 1252 that are not plain, each with the one it stands behind."""
    found = dict(_PLAIN_BASES)
    for letter in bytes(range(0x80, 0x100)).decode("cp1252", errors="ignore"):
        plain = unicodedata.normalize("NFD", letter.lower())[0]
        if plain.isascii() and plain.isalpha():
            found[letter.lower()] = plain
    return found


def like_expression(pattern: str, escape: str | None, is_national: bool, collation: str) -> str:
    """The regular expression of a whole text that is like the pattern; of a VARCHAR blanks may follow."""
    expression = regular_expression(parts_of(pattern, escape), collation)
    return f"{flags(collation)}{expression}{'' if is_national else ' *'}"


def search_expression(pattern: str, collation: str) -> str:
    """A regular expression whose first group is what stands before the place that PATINDEX finds."""
    parts = parts_of(pattern) or []
    before = ""
    while len(parts) > 1 and parts[0].kind == "any":
        before = ".*?"
        parts = parts[1:]
    rest = regular_expression(parts, collation)
    return f"{flags(collation)}^({before})(?:{rest})$"
