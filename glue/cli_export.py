"""`glue export`: what outside pipelines work from."""

from __future__ import annotations

from pathlib import Path

import click

from glue.cli_output import say
from glue.cli_parts import FILE, PoliteGroup
from glue.home import Home


@click.group(cls=PoliteGroup, short_help="Write what outside pipelines work from.")
def export() -> None:
    """Write what outside pipelines work from."""


@export.command(
    short_help="The past queries to be shown with each question.",
    epilog="""\b
Examples:
  glue export shots --benchmark bird_dev --setting q_c-0.6-3 --output shots.json
  glue export shots --benchmark bird_dev --setting mqs-0.5-dynamic-unasked""",
)
@click.option("--benchmark", required=True, metavar="BENCHMARK", help="A benchmark under the history study.")
@click.option(
    "--setting",
    required=True,
    metavar="SETTING",
    help="Retriever, threshold and most shots, such as q_c-0.6-3; `-unasked` behind it leaves questions out.",
)
@click.option("--output", type=FILE, metavar="FILE", help="Where to (default: standard output).")
def shots(benchmark: str, setting: str, output: Path | None) -> None:
    """Write which past queries are to be shown with each question, as JSON.

    A question has question_id, db_id, question and shots; a shot has history_query_id, question, sql,
    use_all, score, and components: what is to be taken from the query. The warehouse must be built.
    """
    from glue.study.export import exported_shots, shots_text, write_shots

    found = exported_shots(Home.current(), benchmark, setting)
    if output is None:
        print(shots_text(found), end="")
        return
    write_shots(found, output)
    n_shots = sum(len(task["shots"]) for task in found)
    say(f"{output}: {len(found):,} questions, {n_shots:,} shots")
