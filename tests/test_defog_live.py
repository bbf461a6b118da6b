"""Defog's questions on PostgreSQL, from files to verdicts: every gold runs, every alternative is right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from glue.home import Home
from glue.importers.landed import landed_benchmark
from tests.commands import glue, rows_of
from tests.engines.dialect_data import defog_schemas_in_postgresql
from tests.engines.servers import PostgreSQLServer

pytestmark = pytest.mark.slow

N_QUESTIONS = 314
N_GOLDS = 484


@pytest.fixture
def server(shared_data: Path) -> Iterator[PostgreSQLServer]:
    server = PostgreSQLServer()
    defog_schemas_in_postgresql(server, shared_data)
    yield server
    server.drop()


def test_every_alternative_of_defog_counts(
    home: Home, server: PostgreSQLServer, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A choice of columns or another statement that Defog accepts is right where it is predicted.

    ewallet's golds name their schema; what `glue import database` has selected for it stands.
    """
    monkeypatch.setenv("EVALHOUSE_DEFOG_PASSWORD", server.password)
    root = home.root
    glue(root, "connect", "defog", f"postgresql://{server.name}@127.0.0.1:{server.port}/{server.name}")
    of_ewallet = ("--db-id", "ewallet", "--schemas", "consumer_div")
    glue(root, "import", "database", "--connection", "defog", "--name", "defog", *of_ewallet)
    files = [
        shared_data / "defog" / "data" / f"{name}_postgres.csv"
        for name in ("questions_gen", "instruct_basic", "instruct_advanced")
    ]
    questions = [argument for file in files for argument in ("--questions", file)]
    said = glue(root, "import", "defog", "--name", "defog", *questions, "--connection", "defog").stdout
    assert f"{N_QUESTIONS} questions, {N_GOLDS} golds" in said

    answers = root / "answers.jsonl"
    answers.write_text(
        "\n".join(
            json.dumps({"question_id": question.question_id, "sample": sample, "sql": sql})
            for question in landed_benchmark(home, "defog").questions
            for sample, sql in enumerate(question.golds, start=1)
        )
    )
    options = ("--benchmark", "defog", "--name", "alternatives", "--sample-field", "sample")
    glue(root, "import", "predictions", answers, *options)
    glue(root, "execute", "--connection", "defog")
    glue(root, "build")

    assert rows_of(root, "select status, count(*) as n from question_scoreability group by all") == [
        {"status": "scoreable", "n": N_QUESTIONS}
    ]
    wrong = rows_of(
        root, "select question_id, sample, outcome, reason from execution_match where ex is not true"
    )
    assert not wrong
    n_right = "select count(*) as n from execution_match where ex and prediction_set = 'alternatives'"
    assert rows_of(root, n_right) == [{"n": N_GOLDS}]
    places = (
        "from leaderboard where protocol = 'evalhouse' and metric = 'ex' and prediction_set = 'alternatives'"
    )
    assert rows_of(root, f"select numerator, denominator {places}") == [
        {"numerator": N_QUESTIONS, "denominator": N_QUESTIONS}
    ]
