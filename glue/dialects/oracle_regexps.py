"""Oracle's REGEXP functions as Python functions of a DuckDB connection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_patterns import Pattern, flags_of, pattern_of

_REFERENCE = re.compile(r"\\(.?)", re.DOTALL)


def re2_pattern(pattern: str, match_parameter: str | None) -> str:
    """The pattern as DuckDB's regexp_matches takes it."""
    return pattern_of(pattern, flags_of(match_parameter), is_re2=True).text


def regexp_count(text: str, pattern: str, position: int, match_parameter: str | None) -> int:
    """REGEXP_COUNT: how many matches there are, none within another."""
    _want("position", position, 1)
    return sum(1 for _ in _matches(text, pattern, position, match_parameter))


def regexp_substr(
    text: str, pattern: str, position: int, occurrence: int, match_parameter: str | None, group: int
) -> str | None:
    """REGEXP_SUBSTR: the text of a match or of one of its subexpressions."""
    _want("position", position, 1)
    _want("occurrence", occurrence, 1)
    _want("subexpression", group, 0)
    matches = _matches(text, pattern, position, match_parameter, is_last_empty_dropped=True)
    match = next(islice(matches, occurrence - 1, None), None)
    return match[group] if match and group <= match.re.groups else None


def regexp_instr(
    text: str,
    pattern: str,
    position: int,
    occurrence: int,
    returned: int,
    match_parameter: str | None,
    group: int,
) -> int:
    """REGEXP_INSTR: where a match or subexpression begins, or with `returned` 1 what follows it; else 0."""
    _want("position", position, 1)
    _want("occurrence", occurrence, 1)
    _want("return option", returned, 0)
    _want("subexpression", group, 0)
    if returned > 1:
        raise OracleError("ORA-01428", f"the return option {returned} is neither 0 nor 1")
    match = next(islice(_matches(text, pattern, position, match_parameter), occurrence - 1, None), None)
    if match is None or group > match.re.groups or match.start(group) < 0:
        return 0
    return (match.end(group) if returned else match.start(group)) + 1


def regexp_replace(
    text: str,
    pattern: str | None,
    replacement: str | None,
    position: int,
    occurrence: int,
    match_parameter: str | None,
) -> str:
    """REGEXP_REPLACE: one match or all (`occurrence` 0), \\1 to \\9 standing for subexpressions."""
    if pattern is None:
        raise UnsupportedError("REGEXP_REPLACE of a pattern that is NULL")
    _want("position", position, 1)
    _want("occurrence", occurrence, 0)
    pieces, end = [], 0
    for number, match in enumerate(_matches(text, pattern, position, match_parameter), 1):
        if occurrence in (0, number):
            pieces += [text[end : match.start()], _filled(replacement or "", match)]
            end = match.end()
        if number == occurrence:
            break
    return "".join(pieces) + text[end:]


def _want(name: str, value: int, least: int) -> None:
    if value < least:
        raise OracleError("ORA-01428", f"the {name} {value} is out of range")


@cache
def _compiled(pattern: str, match_parameter: str | None) -> tuple[re.Pattern[str], re.Pattern[str], Pattern]:
    """The pattern, itself and mirrored."""
    flags = flags_of(match_parameter)
    spelled = pattern_of(pattern, flags, is_re2=False)
    mirrored = pattern_of(pattern, flags, is_re2=False, is_mirrored=True)
    return re.compile(spelled.text), re.compile(mirrored.text), spelled


def _matches(
    text: str,
    pattern: str,
    position: int,
    match_parameter: str | None,
    *,
    is_last_empty_dropped: bool = False,
) -> Iterator[re.Match[str]]:
    """The matches from left to right.

    Unsupported is what the manual leaves open: whether the longest of several alternatives counts (POSIX) or
    the first (Perl), where they differ; and whether an empty match may follow right after another, but at the
    end of the text, where a caller who asks for its text alone gets NULL either way.
    """
    compiled, mirrored, spelled = _compiled(pattern, match_parameter)
    if position > 1 and spelled.is_anchored:
        raise UnsupportedError(f"the beginning of the text in {pattern!r}, searched from {position}")
    if position > len(text):
        return
    end = -1
    mirror = mirrored.finditer(text, position - 1)
    for match in compiled.finditer(text, position - 1):
        if spelled.has_choice and not _are_alike(match, next(mirror, None)):
            raise UnsupportedError(f"the first or the longest alternative of {pattern!r}")
        if match.start() == match.end() == end:
            if is_last_empty_dropped and end == len(text):
                return
            raise UnsupportedError(f"an empty match of {pattern!r} right after another match")
        end = match.end()
        yield match


def _are_alike(match: re.Match[str], other: re.Match[str] | None) -> bool:
    """Have both matches, and each of their subexpressions, the same place?"""
    return (
        other is not None
        and match.span() == other.span()
        and all(match.span(name) == other.span(name) for name in match.groupdict())
    )


def _filled(replacement: str, match: re.Match[str]) -> str:
    """The replacement with the subexpressions in the places of their numbers."""

    def said(reference: re.Match[str]) -> str:
        letter = reference[1]
        if letter == "\\":
            return letter
        if letter.isdigit() and 1 <= int(letter) <= match.re.groups:
            return match[int(letter)] or ""
        raise UnsupportedError(f"{reference[0]} in the replacement {replacement!r}")

    return _REFERENCE.sub(said, replacement)
