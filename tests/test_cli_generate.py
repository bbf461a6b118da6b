"""How `glue generate` ends: what it prints, and with which exit code."""

from __future__ import annotations

from typing import Any

import click
import pytest

from glue import cli, cli_generate, cli_study
from glue.errors import GlueError
from glue.generate import GenerateReport
from glue.home import Home
from glue.landing import landed_keys
from glue.solvers.asking import Tally
from tests import generate_helpers as helpers
from tests.model_server import model_server


def report(model: str = "openai/m", tally: Tally | None = None, **more: Any) -> GenerateReport:
    """A language model's, unless it is a control's."""
    is_control = model.startswith("control/")
    given = {"n_answered": 0, "n_failed": 0, "n_waiting": 0, "first_error": None, **more}
    return GenerateReport(
        f"{model}/zero_shot", "shop", model, tally=None if is_control else tally or Tally(), **given
    )


FAILED = {"n_failed": 2, "first_error": "cannot connect"}


@pytest.mark.parametrize(
    "reports",
    [
        [report()],
        [report(n_used_up=3)],
        [report(n_answered=1, **FAILED)],
        [report(n_truncated=1, **FAILED)],
        [report(**FAILED), report(n_answered=1)],  # another set of the same model
        [report("control/second-gold", **FAILED)],  # it has nothing to say here, and said so
    ],
)
def test_what_failed_beside_answers_is_a_result(reports: list[GenerateReport]) -> None:
    cli_generate.print_reports(reports)
    cli_study.print_generated(reports)


@pytest.mark.parametrize(
    "reports",
    [
        [report(**FAILED)],
        [report(n_failed=1, first_error="cannot connect"), report(n_failed=1, first_error="HTTP 500")],
        [report(**FAILED), report("openai/other", n_answered=7)],
        [report("control/gold", n_answered=7), report(**FAILED)],
        [report(**FAILED, n_waiting=5, tally=Tally(stop="max_cost"))],
    ],
)
def test_a_model_that_answered_nothing_is_an_error(
    reports: list[GenerateReport], capsys: pytest.CaptureFixture[str]
) -> None:
    for tell in (cli_generate.print_reports, cli_study.print_generated):
        with pytest.raises(GlueError) as caught:
            tell(reports)
        assert caught.value.message == "openai/m answered none of 2 requests; the first error: cannot connect"
        assert caught.value.hint is not None and "--retry-failed" in caught.value.hint
        assert capsys.readouterr().out


def test_what_stopped_it_is_an_error_but_for_what_was_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    last = report(n_waiting=7, tally=Tally(stop="max_cost"))
    for tell in (cli_generate.print_reports, cli_study.print_generated):
        tell([report(n_answered=1), last])
        assert "7 requests remain" in capsys.readouterr().err
        with pytest.raises(click.Abort):
            tell([report(**FAILED, tally=Tally(stop="interrupted"))])
        stopped = Tally(stop="authentication", stop_error="HTTP 401")
        with pytest.raises(GlueError, match=r"stopped \(authentication\): HTTP 401"):
            tell([report(**FAILED, tally=stopped)])


def test_a_script_sees_that_nothing_was_answered(
    home: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The first server is not there, the second answers."""
    helpers.stand_in_for_dbt(monkeypatch.setattr)
    helpers.land_benchmark(home, 1)
    monkeypatch.setenv("EVALHOUSE_HOME", str(home.root))
    monkeypatch.setenv("OPENAI_API_KEY", "")
    asked = ["generate", "--model", helpers.MODEL, "--benchmark", helpers.BENCHMARK, "--retries", "0"]
    with pytest.raises(SystemExit) as ended:
        cli.main([*asked, "--api-base", "http://127.0.0.1:1/v1", "--name", "dead"])
    assert ended.value.code == 1
    out, err = capfd.readouterr()
    assert "1 failed (first: " in out
    assert "error: openai/test answered none of 1 requests; the first error: " in err and "hint: " in err
    assert landed_keys(home, "responses").num_rows == 1
    with model_server() as server, pytest.raises(SystemExit) as ended:
        cli.main([*asked, "--api-base", server.url, "--name", "alive"])
    assert ended.value.code == 0
