"""A process that checks pairs as `glue diverge` does, for tests that kill it: python -m … HOME DATABASE."""

from __future__ import annotations

import sys
from pathlib import Path

from glue.home import Home
from glue.landing import Writer
from tests.divergence.loop_helpers import PENDING, run_wave


def main() -> None:
    home, database = Home(Path(sys.argv[1])), Path(sys.argv[2])
    with Writer(home, loop="diverge", sync_every_s=0.0) as writer:
        run_wave(home, database, PENDING, writer)


if __name__ == "__main__":
    main()
