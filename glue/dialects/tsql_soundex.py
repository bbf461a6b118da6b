"""SOUNDEX and DIFFERENCE: how a word sounds in English, as a letter and three digits.

Vowels part equal digits from each other. Whether H and W do the manual does not say; where that changes the
answer there is none.
"""

from __future__ import annotations

from glue.dialects.errors import UnsupportedError

_DIGITS = {
    letter: str(digit)
    for digit, letters in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), 1)
    for letter in letters
}
_VOWELS = frozenset("AEIOUY")
_LENGTH = 4


def soundex(word: str) -> str:
    """The code of a word. Raises UnsupportedError where the manual leaves it open."""
    letters = word.strip(" ").upper()
    if not letters:
        return "0" * _LENGTH
    if not (letters.isascii() and letters.isalpha()):
        raise UnsupportedError(f"SOUNDEX of {word!r}, which has other signs than letters")
    found = {_code(letters, parts) for parts in (_VOWELS, _VOWELS | {"H", "W"})}
    if len(found) > 1:
        raise UnsupportedError(f"SOUNDEX of {word!r}")
    return found.pop()


def _code(letters: str, parts: frozenset[str]) -> str:
    """`parts` are the letters that part equal digits from each other."""
    code, last = letters[0], _DIGITS.get(letters[0], "")
    for letter in letters[1:]:
        digit = _DIGITS.get(letter, "")
        if digit and digit != last:
            code += digit
        if digit or letter in parts:
            last = digit
    return code[:_LENGTH].ljust(_LENGTH, "0")


def difference(first: str, second: str) -> int:
    """At how many places two words sound alike: 4 is the same."""
    return sum(one == other for one, other in zip(soundex(first), soundex(second), strict=True))
