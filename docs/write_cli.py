"""Writes docs/cli.md from the commands' own --help: python docs/write_cli.py."""

from __future__ import annotations

from pathlib import Path

import click

from glue.cli import cli

_WIDTH = 100
_HEAD = """# Commands and options

Written by `docs/write_cli.py` from `--help`; change it there. Results go to stdout, all else to stderr.
Exit codes: 0 done, 1 an error to act on (`error: …`, `hint: …`), 2 a senseless command line, 130 interrupted.
Requests, texts and statements that fail are results, unless a model or an encoder gave nothing else.
`EVALHOUSE_HOME` (default: the current folder) holds `landing/`, `exports/` and `warehouse.duckdb`; dbt
honours it too.
"""


def text() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_sections(cli, "glue")])


def _sections(command: click.Command, path: str) -> list[str]:
    settings = {**cli.context_settings, **command.context_settings, "max_content_width": _WIDTH}
    context = click.Context(command, info_name=path, terminal_width=_WIDTH, **settings)
    help_text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    sections = [f"## {path}\n\n```text\n{help_text}\n```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            sections += _sections(command.commands[name], f"{path} {name}")
    return sections


if __name__ == "__main__":
    (Path(__file__).parent / "cli.md").write_text(text(), encoding="utf-8")
