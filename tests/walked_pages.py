"""Pages whose commands are run one by one, and what these print is compared with what the page shows.

In the shown outputs `…` stands for anything, within a line or for whole lines; rules under headers and widths
of columns are not looked at.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Step:
    """A command of the page, the server whose own it is, and the lines that it shows as printed."""

    command: str
    engine: str | None
    shown: list[str] = field(default_factory=list)


def steps(page: Path) -> list[Step]:
    """The page's commands in their order."""
    found: list[Step] = []
    engine: str | None = None
    is_console = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            is_console = line == "```console"
            engine = engine if is_console else None
        elif is_console and line.startswith("$ "):
            found.append(Step(line[2:], engine))
        elif is_console:
            found[-1].shown.append(line)
        elif line.startswith(("**PostgreSQL**", "**MariaDB**")):
            engine = line[2:].partition("*")[0].lower()
    return found


def pattern(shown: list[str]) -> re.Pattern[str]:
    """Matches what a command printed if it is what the page shows."""
    parts = []
    for line in shown:
        words = ["…" if word == "…" else re.escape(word) for word in " ".join(line.split()).split(" ")]
        parts.append(r"(?:.*\n)*?" if line == "…" else " ".join(words).replace("…", ".*?") + r"\n")
    return re.compile("".join(parts) + r"\Z")


def printed(text: str) -> str:
    """Lines with single blanks, less the rules under headers."""
    lines = [" ".join(line.split()) for line in text.splitlines() if not re.fullmatch("─+", line.strip())]
    return "".join(f"{line}\n" for line in lines)


def glue_words(line: str) -> list[str] | None:
    """What follows `glue` in a line; None if it takes a shell to run it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    program, *words = lexer
    is_plain = (
        program == "glue" and "$" not in line and not any(set(word) <= set("();<>|&") for word in words)
    )
    return words if is_plain else None
