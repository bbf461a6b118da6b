"""Progress of a long loop: a live bar on a terminal, a line now and then elsewhere. Always on stderr."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

LINE_EVERY_S = 5.0


class Progress(Protocol):
    """What a loop tells whoever watches it. All calls come from one thread."""

    def start(self, what: str, total: int) -> None:
        """`total` things are going to be done; `what` says in a word or two what is done to them."""

    def advance(self, n_done: int, n_failed: int) -> None:
        """So many more are done, of which so many failed."""

    def tell(self, text: str) -> None:
        """What to show beside the numbers from now on, such as the cost so far."""

    def note(self, text: str) -> None:
        """Something worth a line of its own."""

    def finish(self) -> None:
        """Nothing more comes."""


class Silent:
    """Shows nothing."""

    def start(self, what: str, total: int) -> None:
        """See Progress."""

    def advance(self, n_done: int, n_failed: int) -> None:
        """See Progress."""

    def tell(self, text: str) -> None:
        """See Progress."""

    def note(self, text: str) -> None:
        """See Progress."""

    def finish(self) -> None:
        """See Progress."""


class Lines:
    """A plain line every few seconds, for logs and pipes."""

    def __init__(self, stream: TextIO, every_s: float = LINE_EVERY_S) -> None:
        self._stream = stream
        self._every_s = every_s
        self._what = self._told = ""
        self._total = self._n_done = self._n_failed = 0
        self._started_s = self._shown_s = 0.0

    def start(self, what: str, total: int) -> None:
        """See Progress."""
        self._what, self._total, self._n_done, self._n_failed = what, total, 0, 0
        self._told = ""
        self._started_s = self._shown_s = time.monotonic()

    def advance(self, n_done: int, n_failed: int) -> None:
        """See Progress."""
        self._n_done += n_done
        self._n_failed += n_failed
        if time.monotonic() - self._shown_s >= self._every_s:
            self._show()

    def tell(self, text: str) -> None:
        """See Progress."""
        self._told = text

    def note(self, text: str) -> None:
        """See Progress."""
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def finish(self) -> None:
        """See Progress."""
        if self._n_done:
            self._show()

    def _show(self) -> None:
        self._shown_s = time.monotonic()
        rate = self._n_done / max(self._shown_s - self._started_s, 1e-3)
        left = self._total - self._n_done
        time_left = f", about {duration(left / rate)} left" if left and rate else ""
        told = f", {self._told}" if self._told else ""
        self.note(
            f"{self._what}: {self._n_done:,} of {self._total:,}, "
            f"{self._n_failed:,} failed, {rate:,.0f}/s{told}{time_left}"
        )


class Bar:
    """A live bar with rate, failures and time left."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress

        columns: list[ProgressColumn] = [
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[told]}"),
            TextColumn("{task.fields[failures]}", style="red"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        ]
        self._bar = RichProgress(
            *columns, console=Console(file=stream), refresh_per_second=5, transient=False
        )
        self._task = self._bar.add_task("", rate="", told="", failures="", visible=False)
        self._started_s = 0.0
        self._n_done = self._n_failed = 0

    def start(self, what: str, total: int) -> None:
        """See Progress."""
        self._n_done, self._n_failed = 0, 0
        self._started_s = time.monotonic()
        self._bar.reset(self._task, total=total, description=what, visible=True)
        self._bar.update(self._task, rate="", told="", failures="")
        self._bar.start()

    def advance(self, n_done: int, n_failed: int) -> None:
        """See Progress."""
        self._n_done += n_done
        self._n_failed += n_failed
        rate = self._n_done / max(time.monotonic() - self._started_s, 1e-3)
        failures = f"{self._n_failed:,} failed" if self._n_failed else ""
        self._bar.update(self._task, advance=n_done, rate=f"{rate:,.0f}/s", failures=failures)

    def tell(self, text: str) -> None:
        """See Progress."""
        self._bar.update(self._task, told=text)

    def note(self, text: str) -> None:
        """See Progress."""
        self._bar.console.print(text, markup=False, highlight=False)

    def finish(self) -> None:
        """See Progress."""
        self._bar.stop()


def progress_on(stream: TextIO | None = None) -> Progress:
    """A bar when the stream (default: stderr) is a terminal, lines when it is not."""
    stream = stream or sys.stderr
    return Bar(stream) if stream.isatty() else Lines(stream)


def duration(seconds: float) -> str:
    """Seconds for people: '42 s', '3 min', '2 h 5 min'."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
