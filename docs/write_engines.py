"""Writes the tables of docs/engines.md from the seeds of capabilities: python docs/write_engines.py."""

from __future__ import annotations

import csv
from pathlib import Path

_DOCS = Path(__file__).parent
_SEEDS = _DOCS.parent / "seeds"
_PAGE = _DOCS / "engines.md"
_BEGIN, _END = "<!-- written by docs/write_engines.py -->\n", "<!-- to here -->\n"
_TITLES = {
    "sqlite": "SQLite",
    "duckdb": "DuckDB",
    "postgresql": "PostgreSQL",
    "mariadb": "MariaDB",
    "mysql": "MySQL",
    "oracle": "Oracle",
    "sqlserver": "SQL Server",
    "oracle-local": "Oracle, local",
    "mssql-local": "T-SQL, local",
}
_WORDS = {"implemented": "real", "standin": "stand-in"}
"""How a mark is shown, where not as it is."""


def text() -> str:
    """The whole page, with its tables as the seeds have them now."""
    before, _, rest = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{_marks()}\n{_reasons()}\n{_END}{after}"


def _marks() -> str:
    marks = {(row["engine"], row["capability"]): row["mark"] for row in _rows("engine_capabilities")}
    lines = [f"| | {' | '.join(_TITLES.values())} |", "|---|" + "---|" * len(_TITLES)]
    for row in _rows("capabilities"):
        cells = [marks[engine, row["capability"]] for engine in _TITLES]
        shown = " | ".join(_WORDS.get(mark, mark) for mark in cells)
        lines.append(f"| **{row['capability']}** {row['meaning']} | {shown} |")
    return "\n".join(lines) + "\n"


def _reasons() -> str:
    """What is not plainly real, or is so in another way: together where the reason is one."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in _rows("engine_capabilities"):
        if row["reason"]:
            key = (row["engine"], row["mark"], row["reason"])
            found.setdefault(key, []).append(f"`{row['capability']}`")
    lines = ["| | | what | why, or how else |", "|---|---|---|---|"]
    for (engine, mark, reason), capabilities in found.items():
        cells = [_TITLES[engine], _WORDS.get(mark, mark), ", ".join(capabilities), reason]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _rows(seed: str) -> list[dict[str, str]]:
    with (_SEEDS / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    _PAGE.write_text(text(), encoding="utf-8")
