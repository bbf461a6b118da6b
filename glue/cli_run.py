"""`glue run`: from a prediction file, or from a study, to numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glue.cli_execute import EXECUTE_OPTIONS, chosen_execution, execute_and_tell
from glue.cli_import_predictions import BENCHMARK, PREDICTION_OPTIONS, import_prediction_file
from glue.cli_output import print_table, say
from glue.cli_parts import FILE, names_of, options
from glue.cli_study import STUDY_OPTIONS, options_of_others, run_study
from glue.home import Home

if TYPE_CHECKING:
    from glue.run import SetReport


@click.command(
    short_help="From a prediction file to the leaderboard; or a whole study.",
    epilog="""\b
Examples:
  glue run --predictions predict_dev.json --benchmark bird_dev --name my_model
  glue run --study budget --benchmark bird_dev --encoder minilm
  glue run --study budget --benchmark bird_dev --model openai/gpt-5-mini --sample 30 --plan
  glue run --study history --benchmark bird_dev --encoder minilm
  glue run --study history --benchmark bird_dev --model openai/gpt-5-mini --retriever q_c_model --plan
  glue run --study history --benchmark bird_dev --model openai/gpt-5-mini --retriever q_c --retriever none""",
)
@click.option("--predictions", type=FILE, metavar="FILE", help="The prediction file.")
@options(BENCHMARK)
@click.option(
    "--name",
    metavar="SET",
    help="The prediction set's name (default: the file's); of a study: what its sets' names begin with.",
)
@options(*PREDICTION_OPTIONS, *STUDY_OPTIONS, *EXECUTE_OPTIONS)
@click.pass_context
def run(ctx: click.Context, predictions: Path | None, benchmark: str, **given: Any) -> None:
    """From a prediction file to its row of the leaderboard: import, execute, build.

    Prints the set's metrics, what they count, and the ten most frequent reasons. The options are those of
    `glue import predictions` and `glue execute`.

    With --study budget instead of a file: put the benchmark under study, have every model answer in every
    cell, execute, build, and print the sweep. With --study history: have past queries described, searched and
    shown to the models, or only searched where no model is named, and print how well each retriever finds
    what is needed, and EX of each pipeline with each retriever. What has been answered or run is not done
    again. Other settings (--temperature, --samples, …) want another --name, which begins the names of all the
    study's sets.
    """
    _check(ctx, predictions)
    if predictions is None:
        run_study(benchmark, chosen_execution([benchmark], given), given)
    else:
        _run_predictions(predictions, benchmark, given)


def _check(ctx: click.Context, predictions: Path | None) -> None:
    """A usage error unless the options are those of a prediction file, or those of a study."""
    study = ctx.params["study"]
    if (predictions is None) == (study is None):
        raise click.UsageError("give --predictions FILE, or --study budget or history", ctx)
    import_options = {"predictions", *names_of(PREDICTION_OPTIONS)}
    study_options = set(names_of(STUDY_OPTIONS))
    foreign = import_options if study else study_options
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(str(parameter.name)) is click.core.ParameterSource.COMMANDLINE
        if given and parameter.name in foreign:
            whom = "a prediction file, not for a study" if study else "a study: say --study budget or history"
            raise click.UsageError(f"{parameter.opts[0]} is for {whom}", ctx)
        if given and study and parameter.name in options_of_others(study):
            raise click.UsageError(f"{parameter.opts[0]} is not for --study {study}", ctx)


def _run_predictions(file: Path, benchmark: str, given: dict[str, Any]) -> None:
    from glue.run import build_all, set_report

    prediction_set = import_prediction_file(file, benchmark, given)
    execute_and_tell([benchmark], given)
    say("building the warehouse …")
    build_all(Home.current())
    _print_set(set_report(Home.current(), prediction_set, benchmark))


def _print_set(report: SetReport) -> None:
    from glue.run import METRIC_COLUMNS, REASON_COLUMNS

    counts = report.coverage
    print(f"\n{report.prediction_set} on {report.benchmark}")
    if counts:
        n_drifted = counts["n_questions_with_drifted_gold"]
        n_left = counts["n_questions_without_database"] + counts["n_questions_with_failed_gold"] + n_drifted
        print(
            f"{counts['n_questions'] - n_left:,} of {counts['n_questions']:,} questions can be scored: "
            f"{counts['n_questions_without_database']:,} have no database, "
            f"{counts['n_questions_with_failed_gold']:,} no gold that answers"
            + (f", {n_drifted:,} a gold that drifted" if n_drifted else "")
        )
        if counts["n_unfinished"]:
            print(f"{counts['n_unfinished']:,} predictions are unfinished: the values will change")
        if counts["n_provisional"]:
            print(f"{counts['n_provisional']:,} verdicts are provisional: the untouched files were not asked")
    print()
    print_table(METRIC_COLUMNS, report.metrics)
    print("\nthe most frequent reasons")
    print_table(REASON_COLUMNS, report.reasons)
