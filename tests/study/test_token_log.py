"""Tokens of prompts are added up from parts; here whole prompts are counted, text by text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from glue.home import Home
from glue.landing import Writer
from glue.tokens import count_tokens
from tests.commands import glue, rows_of
from tests.study.pool import BENCHMARK, write_pool

CELLS = {
    "raw": "lexical-raw-large-end_to_end",
    "enriched": "lexical-enriched-medium-remove_gold-bare",
    "the same": "lexical-raw-large-end_to_end",
    "twice": "lexical-hybrid-small-end_to_end",
}
"""Prediction set -> its cell. `the same` asks what `raw` asks, `twice` takes two samples."""

RUN = {"benchmark": BENCHMARK, "model": "some/model", "settings": "{}", "gold_edition": "benchmark"}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pool under study, and four sets that are planned to be asked."""
    pytest.importorskip("tiktoken")
    root = tmp_path_factory.mktemp("tokens")
    glue(root, *write_pool(root))
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    study = {"study_id": "s", "study": "budget", "benchmark": BENCHMARK, "options": "{}"}
    with Writer(Home(root), loop="generate") as writer:
        writer.append("studies", [{**study, "registered_at": moment}])
        for name, setting in CELLS.items():
            run = {**RUN, "run_id": name, "prediction_set": name, "setting": setting}
            n_samples = 2 if name == "twice" else 1
            writer.append("runs", [{**run, "n_samples": n_samples, "is_planned": True, "started_at": moment}])
    glue(root, "build")
    return root


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_parts_add_up_to_the_whole_prompts(warehouse: Path, name: str) -> None:
    (log,) = rows_of(warehouse, f"select * from token_log where prediction_set = '{name}'")
    sent = rows_of(
        warehouse,
        "select requests.request_id, cell_messages.messages from requests"
        " inner join cell_messages using (benchmark, question_id, dialect)"
        f" where requests.prediction_set = '{name}' and cell_messages.setting = '{CELLS[name]}'",
    )
    by_request = {row["request_id"]: json.loads(row["messages"]) for row in sent}
    texts = [message["content"] for messages in by_request.values() for message in messages]
    counts = count_tokens(texts, "o200k_base")
    assert log["counted_with"].startswith("tiktoken ")
    assert log["n_counted_prompt_tokens"] == sum(count or 0 for count in counts) > 500
    assert (log["n_requests"], log["n_distinct_requests"]) == (len(sent), len(by_request))
    # The question whose gold names no table of the pool has no tables to be taken away.
    assert len(sent) == {"raw": 13, "enriched": 12, "the same": 13, "twice": 26}[name]
    assert log["n_shared_requests"] == (len(by_request) if name in ("raw", "the same") else 0)
    assert log["n_reported_prompt_tokens"] is None and log["is_planned"]
