"""The command line, as a whole: its group, its exit codes, its errors. `glue NAME` is in glue/cli_NAME.py.

A command's file parses and prints. Everything heavy is imported by the command that needs it.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, NoReturn

import click

from glue import __version__
from glue.cli_bank import bank
from glue.cli_build import build
from glue.cli_connect import connect
from glue.cli_deployability import deployability
from glue.cli_dialect import dialect
from glue.cli_diverge import diverge
from glue.cli_doctor import doctor
from glue.cli_embed import embed
from glue.cli_engine import engine
from glue.cli_execute import execute
from glue.cli_export import export
from glue.cli_generate import generate
from glue.cli_import import import_
from glue.cli_landing import landing
from glue.cli_manifest import manifest
from glue.cli_output import say, say_error
from glue.cli_parts import PoliteGroup
from glue.cli_query import query
from glue.cli_run import run
from glue.cli_tasks import tasks
from glue.errors import GlueError, nearest

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(
    cls=PoliteGroup,
    context_settings=CONTEXT,
    epilog="""\b
Examples:
  glue bank load sqlite
  glue generate --model control/gold --benchmark enterprise
  glue execute
  glue build
  glue query "from leaderboard"

EVALHOUSE_HOME (default: the current folder) holds landing/, exports/ and warehouse.duckdb.""",
)
@click.version_option(__version__, "-V", "--version", prog_name="glue")
def cli() -> None:
    """Evalhouse: exact verdicts on text-to-SQL, every number a SQL query away."""


_COMMANDS = (
    connect,
    engine,
    import_,
    embed,
    generate,
    execute,
    diverge,
    run,
    tasks,
    build,
    query,
    export,
    dialect,
    deployability,
    doctor,
    manifest,
    bank,
    landing,
)
for _command in _COMMANDS:
    cli.add_command(_command)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run glue and exit: 0 done, 1 an error to act on, 2 a senseless command line, 130 interrupted."""
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        code = cli.main(args=arguments, prog_name="glue", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        sys.exit(2)
    except click.UsageError as error:
        message, hint = _usage(error)
        say_error(message, hint)
        sys.exit(2)
    except click.ClickException as error:
        say_error(error.format_message(), None)
        sys.exit(1)
    except GlueError as error:
        say_error(error.message, error.hint)
        sys.exit(1)
    except click.Abort:
        say("stopped; what has landed stays, and the same command goes on from there")
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: click.UsageError) -> tuple[str, str | None]:
    """Message and hint of a usage error: the nearest name where one is close, else where the help is."""
    possibilities = getattr(error, "possibilities", None)
    where = error.ctx.command_path if error.ctx else "glue"
    if isinstance(error, click.NoSuchOption):
        message = f"`{where}` has no option {error.option_name}"
        close = possibilities or ([near] if (near := _near_option(error)) else [])
    elif type(error).__name__ == "NoSuchCommand":
        name = getattr(error, "command_name", "")
        message = f"`{where}` has no command {name!r}"
        known = (
            list(error.ctx.command.commands)
            if error.ctx and isinstance(error.ctx.command, click.Group)
            else []
        )
        close = possibilities or ([near] if (near := nearest(name, known)) else [])
    else:
        return error.format_message().rstrip("."), f"see `{where} --help`"
    if close:
        return message, f"did you mean {close[0]}?"
    return message, f"see `{where} --help`"


def _near_option(error: click.NoSuchOption) -> str | None:
    if error.ctx is None:
        return None
    known = [name for parameter in error.ctx.command.params for name in parameter.opts]
    return nearest(error.option_name, known)


if __name__ == "__main__":
    main()
