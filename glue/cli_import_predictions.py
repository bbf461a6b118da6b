"""`glue import predictions`, and how other commands read a file of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from glue.cli_import_parts import REPLACE, dialect_option, land_and_tell
from glue.cli_parts import FILE, options
from glue.home import Home

BENCHMARK = click.option("--benchmark", required=True, metavar="BENCHMARK", help="The benchmark they answer.")
_set_name = click.option("--name", metavar="SET", help="The prediction set's name (default: the file's).")
PREDICTION_OPTIONS = (
    click.option(
        "--format", "format_name", metavar="FORMAT", help="How the file is written (docs/formats.md)."
    ),
    click.option("--sql-field", metavar="FIELD", help="Field that holds the SQL."),
    click.option("--id-field", metavar="FIELD", help="Field that holds the question's id."),
    click.option(
        "--gold-field", metavar="FIELD", help="Field of the file's own golds: an edition of their own."
    ),
    click.option("--gold-edition", metavar="NAME", help="That edition's name (default: the set's)."),
    click.option(
        "--sample-field", metavar="FIELD", help="Field of the sample's number, where there are several."
    ),
    click.option("--records", metavar="KEY", help="Key of the nested list that holds the entries."),
    click.option(
        "--pair",
        type=click.Choice(["id", "position", "question"]),
        help="How entries find their questions (default: found out, and said).",
    ),
    click.option("--partial", is_flag=True, help="Only the questions in the file were asked."),
    click.option("--ignore-gold", is_flag=True, help="Do not hold the file's golds against the benchmark's."),
    click.option("--ignore-question", is_flag=True, help="Nor its questions' texts."),
    click.option(
        "--namespace",
        type=click.Choice(["prefixed", "bare"]),
        help="They name tables as a study's pool does (docs/namespace.md).",
    ),
    dialect_option(None),
    REPLACE,
)
"""How a file of predictions is read; what the set is called is said apart."""


def import_prediction_file(file: Path, benchmark: str, given: dict[str, Any]) -> str:
    """Import predictions, by --name and PREDICTION_OPTIONS, and print the report; the set's name.

    GlueError where the file cannot be read or does not fit the benchmark.
    """
    from glue.generate import check_not_generated
    from glue.importers.landed import landed_benchmark
    from glue.importers.prediction_files import FileOptions
    from glue.importers.predictions import PredictionOptions, read_predictions
    from glue.run import default_set_name

    how = PredictionOptions(
        file=FileOptions(
            format=given["format_name"],
            sql_field=given["sql_field"],
            id_field=given["id_field"],
            gold_field=given["gold_field"],
            sample_field=given["sample_field"],
            records=given["records"],
        ),
        pair=given["pair"],
        gold_edition=given["gold_edition"],
        is_partial=given["partial"],
        ignore_gold=given["ignore_gold"],
        ignore_question=given["ignore_question"],
        dialect=given["dialect"],
        namespace=given["namespace"],
    )
    prediction_set = default_set_name(file) if given["name"] is None else given["name"]
    check_not_generated(Home.current(), prediction_set)
    landed = landed_benchmark(Home.current(), benchmark)
    return land_and_tell(read_predictions(file, landed, prediction_set, how), given["replace"])


@click.command(
    "predictions",
    short_help="Anyone's predictions, in any format in use.",
    epilog="""\b
Examples:
  glue import predictions predict_dev.json --benchmark bird_dev --name my_model
  glue import predictions runs.json --benchmark bird_dev --records results --sql-field sql --pair question""",
)
@click.argument("file", type=FILE)
@options(BENCHMARK, _set_name, *PREDICTION_OPTIONS)
def import_predictions(file: Path, benchmark: str, **given: Any) -> None:
    """Import anyone's predictions, in any format in use.

    Format, fields and pairing are found out and said; each can be chosen. Where the file names its database,
    question or gold, every row must agree with the benchmark.
    """
    import_prediction_file(file, benchmark, given)
