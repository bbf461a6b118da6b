"""In what order SQL Server has texts with letters that ASCII lacks, or with signs.

VARCHAR of the database's collation is compared letter by letter: signs, then digits, then letters, accented
ones behind their plain one. NVARCHAR is compared by Windows' rules: first without accents, hyphens and
apostrophes.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from glue.dialects.errors import UnsupportedError

_LATE_SIGNS = ":;<=>?@[\\]^_`{|}~"
"""Signs that ASCII has behind the digits, and SQL Server before them."""
_BEHIND_SIGNS = "/\x7f"
"""What stands behind every other sign, and before 0."""
_NATIONAL_SIGNS = '!"#$%&()*,./:;?@[\\]^_`{|}~+<=>'
"""Windows has the signs of mathematics last; hyphen and apostrophe do not count at first."""
_FIRST_SIGN = "!"
_FIRST_ACCENT = 0x4000
_IGNORED = str.maketrans("", "", "-'")


def place_of(text: str, is_national: bool) -> str:
    """What comes in the order that SQL Server has the texts in. Raises UnsupportedError for other scripts."""
    words = text.rstrip(" ").lower()
    if not is_national:
        return "".join(_own_place(letter) for letter in words)
    kept = words.translate(_IGNORED)
    plain = "".join(_plain_place(letter) for letter in kept)
    accents = "".join(_own_place(letter) for letter in kept) if not kept.isascii() else ""
    signs = words if kept != words else ""
    return f"{plain}\x01{accents}\x01{signs}" if accents or signs else plain


def in_code_page(text: str) -> str:
    """The text in code page 1252. Letters that it lacks are question marks, where none is like them."""
    found = []
    for letter in text:
        if _is_in_code_page(letter):
            found.append(letter)
        elif unicodedata.east_asian_width(letter) == "W":
            found.append("?" if ord(letter) < 0x10000 else "??")
        else:
            raise UnsupportedError(f"{letter!r} in a VARCHAR, whose code page lacks it")
    return "".join(found)


def _is_in_code_page(letter: str) -> bool:
    try:
        letter.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


@cache
def _own_place(letter: str) -> str:
    """The letter's place among those of code page 1252, an accented one behind its plain one."""
    base = _base(letter)
    accent = "" if base == letter else chr(_FIRST_ACCENT + ord(letter))
    if base in _LATE_SIGNS:
        return f"{_BEHIND_SIGNS}{base}{accent}"
    return base + accent


@cache
def _plain_place(letter: str) -> str:
    base = _base(letter)
    if base in _NATIONAL_SIGNS:
        return _FIRST_SIGN + chr(1 + _NATIONAL_SIGNS.index(base))
    return base


def _base(letter: str) -> str:
    """The letter without its accent. Raises UnsupportedError for one of another script."""
    base = letter if letter.isascii() else unicodedata.normalize("NFD", letter)[0]
    if not base.isascii():
        raise UnsupportedError(f"the order of texts with {letter!r}")
    return base
