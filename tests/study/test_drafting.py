"""`glue tasks draft` against a model server: every purpose, revisions, rejection, a kill, export."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from glue.home import Home
from glue.landing import ensure, landed_keys
from tests.commands import glue, rows_of
from tests.model_server import ModelServer, model_server
from tests.study import drafts
from tests.study.drafts import BENCHMARK, answer, sound_sql

pytestmark = pytest.mark.slow

N_DRAFTS = 4
N_REQUESTS = 12
MENDED, LOST = 2, 3
"""Drafts with an unknown column, which a revision mends, and with an unknown table, which none does."""


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    os.environ.setdefault("OPENAI_API_KEY", "sk-test")
    with model_server() as running:
        yield running


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    glue(tmp_path, *drafts.write_log(tmp_path))
    return tmp_path


def command(server: ModelServer, *more: object) -> tuple[object, ...]:
    asked = ("--benchmark", BENCHMARK, "--model", "openai/test", "--n", N_DRAFTS, "--concurrency", 2)
    return ("tasks", "draft", *asked, "--api-base", server.url, *more)


def plan_answers(root: Path, server: ModelServer, delay_s: float = 0.0) -> None:
    """Have the server answer each draft of what is planned: soundly, but for MENDED and LOST."""
    glue(root, *command(server, "--plan"))
    by_text = {}
    by_part = {}
    for row in rows_of(root, "select draft_number, history_query_ids, messages from task_prompts"):
        number = row["draft_number"]
        sound = {
            "used_queries": [1, 2],
            "question": f"Which share, {number}?",
            "evidence": "share = part / whole",
            "sql": sound_sql(row["history_query_ids"][:2]),
        }
        sql = {MENDED: "SELECT no_column FROM sale", LOST: "SELECT 1 FROM no_table"}.get(number, sound["sql"])
        text = json.loads(row["messages"])[-1]["content"]
        by_text[text] = [answer({**sound, "sql": sql})]
        # A revision of the one is sound, one of the other as unsound as before; a review of it says so.
        if number == MENDED:
            by_part["no such column"] = [answer(sound, "runs")]
        if number == LOST:
            by_part["no such table"] = [answer({**sound, "sql": sql}, "runs")]
    server.plan([answer({})], delay_s, by_part, **by_text)


def purposes(server: ModelServer) -> Counter[str]:
    """How many requests of each purpose came, told by what their last message says."""
    said = {
        "Write one new question": "generate",
        "What was measured:": "validate",
        "were run and reviewed": "fix",
    }
    return Counter(
        next(purpose for part, purpose in said.items() if part in request["text"])
        for request in server.seen()
    )


def test_drafts_are_run_validated_and_fixed_until_they_are_accepted_or_rejected(
    warehouse: Path, server: ModelServer
) -> None:
    plan_answers(warehouse, server)
    told = glue(warehouse, *command(server)).stdout
    assert "4 drafts: 3 accepted (after 0, 1, 2, 3 revisions: 2, 1, 0, 0), 1 rejected, 0 unfinished" in told
    # One draft is revised once, another three times, alike: what is asked in the same words is asked once.
    assert purposes(server) == {"generate": 4, "validate": 5, "fix": 3}
    assert len(server.seen()) == N_REQUESTS
    planned = rows_of(
        warehouse, "select purpose, count(*) as n from stg_task_requests group by purpose order by 1"
    )
    assert [row["n"] for row in planned] == [4, 4, 8]
    failed = rows_of(
        warehouse,
        "select check_name, finding from task_checks where not is_passed"
        f" and draft_number = {MENDED} and severity = 'major'",
    )
    assert {row["check_name"] for row in failed} >= {"runs", "originals_used", "new_logic"}
    sound = (
        f"select * from task_checks where is_passed is not true and draft_number not in ({MENDED}, {LOST})"
    )
    assert rows_of(warehouse, sound) == []
    last_fix = next(request for request in reversed(server.seen()) if "no such table" in request["text"])
    roles = [message["role"] for message in last_fix["body"]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]

    n_requests = len(server.seen())
    assert "0 unfinished" in glue(warehouse, *command(server)).stdout
    assert len(server.seen()) == n_requests, "what was answered is not asked again"

    exported = warehouse / "drafted.json"
    glue(warehouse, "tasks", "export", "--benchmark", BENCHMARK, "--output", exported)
    tasks = json.loads(exported.read_text())
    assert [task["question_id"] for task in tasks] == [1, 2, 4]
    for task in tasks:
        assert list(task) == ["question_id", "db_id", "question", "SQL", "history_knowledge"]
        # The condition of each of two past queries, and the join that all six of them have.
        assert sorted(map(len, task["history_knowledge"].values())) == [1, 1, 6]
    glue(warehouse, "import", "bird-history", exported, "--history", BENCHMARK, "--benchmark", "drafted")


def landed(root: Path) -> set[str]:
    """The messages of the requests whose answer has landed; journals of the dead are read too."""
    home = Home(root)
    ensure(home)
    answered = {row["request_id"] for row in landed_keys(home, "responses", ["request_id"]).to_pylist()}
    columns = ["request_id", "messages"]
    rows = landed_keys(home, "task_requests", columns).to_pylist()
    return {row["messages"] for row in rows if row["request_id"] in answered}


def sent(server: ModelServer) -> list[str]:
    """The messages of each request that has come, as they are planned."""
    return [dumped(request["body"]["messages"]) for request in server.seen()]


def dumped(messages: list[dict[str, str]]) -> str:
    return json.dumps(messages, ensure_ascii=False, separators=(",", ":"))


def test_killed_in_the_middle_it_goes_on_and_asks_nothing_again_that_had_landed(
    warehouse: Path, server: ModelServer
) -> None:
    plan_answers(warehouse, server, delay_s=0.3)
    n_kills = 0
    for n_requests in (2, 5, 8, 11):
        landed_before, n_before = landed(warehouse), len(server.seen())
        process = subprocess.Popen(
            [sys.executable, "-m", "glue", *map(str, command(server))],
            env={**os.environ, "EVALHOUSE_HOME": str(warehouse)},
            cwd=warehouse,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 300
        while len(server.seen()) < n_requests and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            n_kills += 1
        process.wait()
        now = sent(server)[n_before:]
        assert not landed_before.intersection(now)
        assert len(now) == len(set(now))
    assert n_kills >= 3
    landed_before, n_before = landed(warehouse), len(server.seen())
    told = glue(warehouse, *command(server)).stdout
    assert "3 accepted (after 0, 1, 2, 3 revisions: 2, 1, 0, 0), 1 rejected, 0 unfinished" in told
    assert not landed_before.intersection(sent(server)[n_before:])
    assert set(sent(server)) == landed(warehouse)
    assert len(landed(warehouse)) == N_REQUESTS
    # A kill costs at most those under way, and as many whose answer had come that instant.
    assert len(server.seen()) <= N_REQUESTS + 4 * n_kills
    counted = "select count(*) as n, count(distinct request_id) as n_distinct from stg_responses"
    assert rows_of(warehouse, counted) == [{"n": N_REQUESTS, "n_distinct": N_REQUESTS}]
    key = "(draft_number, revision, purpose)"
    counted = f"select count(*) as n, count(distinct {key}) as n_distinct from stg_task_requests"
    assert rows_of(warehouse, counted) == [{"n": 16, "n_distinct": 16}]
