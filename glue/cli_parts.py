"""What commands are put together from: groups, types of values, several options as one, the line as typed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

OptionDecorator = Callable[[Callable[..., Any]], Callable[..., Any]]
"""What `click.option` returns."""

FILE = click.Path(path_type=Path)
COUNT = click.IntRange(min=1)

_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class PoliteGroup(click.Group):
    """A group that shows its commands in the order in which people need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of definition."""
        return list(self.commands)


class Size(click.ParamType):
    """A number of bytes: 500MB, 2GB, 1.5g."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Bytes; a usage error when it is none."""
        if isinstance(value, int):
            return value
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        unit = text[-1:] if text[-1:].isalpha() else ""
        try:
            return int(float(text.removesuffix(unit)) * _SIZES[unit])
        except (ValueError, KeyError):
            self.fail(f"{value!r} is no size; write 500MB or 2GB", param, ctx)


class Seconds(click.ParamType):
    """A positive number of seconds."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds; a usage error when it is no positive number."""
        try:
            seconds = float(str(value).strip().removesuffix("s"))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < 1e9:
            self.fail(f"{value!r} is no time limit; write seconds, such as 30", param, ctx)
        return seconds


def options(*decorators: OptionDecorator) -> OptionDecorator:
    """Several click options as one decorator, in their order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def parts_of(values: Iterable[str]) -> tuple[str, ...]:
    """What was given as a,b, as several options, or both."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def names_of(decorators: Iterable[OptionDecorator]) -> list[str]:
    """The names of the values of some options, in their order."""
    probe: Any = options(*decorators)(lambda: None)
    return [str(parameter.name) for parameter in reversed(probe.__click_params__)]


def command_line(api_base: str | None = None) -> str:
    """This command as typed, for whoever asks who holds a lock: at most 205 characters.

    `api_base`, if it is in there, is shown without user, password and query; so are a database's passwords.
    """
    from glue.connection_urls import without_passwords

    words = sys.argv[1:]
    if api_base:
        from glue.solvers.keys import address

        shown = address(api_base).shown
        words = [word.replace(api_base, shown) for word in words]
    return "glue " + without_passwords(" ".join(words))[:200]
