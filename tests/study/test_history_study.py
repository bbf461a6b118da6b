"""The history study with a model, from describing past queries to answers: asked once, whatever is killed.

The clinic and the library are their own history (tests/importers/history); a local server is the model.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from glue.home import Home
from glue.landing import ensure, landed_keys
from tests.commands import glue, rows_of
from tests.history_files import PAST, import_past
from tests.model_server import ModelServer, model_server

pytestmark = pytest.mark.slow

CONCURRENCY = 2
LANDS_WITHIN_S = 0.5
DESCRIBE, KEYWORDS, RERANK = '{"name": "…"', '{"keywords"', '{"queries"'
PRELIMINARY, ANSWER = "Columns that join tables:", "/* Answer this"
PARTS = [
    {"number": 1, "name": "head count", "aliases": ["tally"], "description": "head count = Count(rows)"},
    {"number": 2, "name": "smokers", "aliases": [], "description": "smokers means is_smoker = 1"},
    {"number": 9, "name": "of nothing"},
]
SAID = {"name": "smokers", "description": "Count the patients who smoke.", "components": PARTS}
CHOSEN = [{"query": 2, "use_all": False, "components": [1]}, {"query": 1, "use_all": True, "components": []}]
ANSWERS = {
    DESCRIBE: ["ok:" + json.dumps(SAID)],
    KEYWORDS: ["ok:```json\n" + json.dumps({"keywords": ["smokers", "head count"]}) + "\n```"],
    RERANK: ["ok:" + json.dumps({"queries": CHOSEN})],
}
MODEL = "openai/test"
STUDY = ("run", "--study", "history", "--benchmark", PAST, "--model", MODEL, "--concurrency", CONCURRENCY)
RETRIEVERS = ("dail", "q_c_model", "evalhouse_model-unasked", "none")
CELLS = (*(word for each in RETRIEVERS for word in ("--retriever", each)), "--max-shots", "dynamic")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory, server: ModelServer) -> Path:
    """A study that was killed among the requests of each purpose, and then ended."""
    root = tmp_path_factory.mktemp("history")
    import_past(Home(root))
    server.plan(delay_s=0.25, by_part=ANSWERS)
    study = (*STUDY, *CELLS, "--api-base", server.url)
    first_plan = planned(root, study)
    landed: set[str] = set()
    for wanted in (PRELIMINARY, DESCRIBE, KEYWORDS, RERANK, ANSWER):
        landed |= kill_at(root, server, study, wanted, landed)
    plan, n_before = planned(root, study), len(server.seen())
    glue(root, *study)
    last = [request["text"] for request in server.seen()[n_before:]]
    assert not landed & set(last)
    assert {**dict.fromkeys(plan, 0), "answer": len(last)} == plan and last
    asked = landed_keys(Home(root), "responses", columns=["request_id", "purpose"]).to_pylist()
    known_at_first = ("preliminary_sql", "describe_history", "extract_keywords")
    assert {name: first_plan[name] for name in known_at_first} == {
        name: len({row["request_id"] for row in asked if row["purpose"] == name}) for name in known_at_first
    }
    return root


def planned(root: Path, study: tuple[object, ...]) -> dict[str, int]:
    """How many distinct requests of each purpose the plan of a study counts."""
    rows = (line.split() for line in glue(root, *study, "--plan").stdout.splitlines())
    return {words[0]: int(words[3]) for words in rows if len(words) > 3 and words[3].isdigit()}


def kill_at(
    root: Path, server: ModelServer, study: tuple[object, ...], part: str, landed: set[str]
) -> set[str]:
    """Start a study and kill it once two requests with a part are answered; the texts that had landed."""
    n_before = len(server.seen())
    command = [sys.executable, "-m", "glue", *map(str, study)]
    environment = {**os.environ, "EVALHOUSE_HOME": str(root)}
    process = subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 600
    while process.poll() is None:
        assert time.monotonic() < deadline
        now = server.seen()[n_before:]
        if sum(part in request["text"] and request["is_finished"] for request in now) >= 2:
            break
        time.sleep(0.02)
    assert process.poll() is None, "it ended before it could be killed"
    process.send_signal(signal.SIGKILL)
    killed_at = time.time()
    process.wait()
    seen = server.seen()[n_before:]
    assert not landed & {request["text"] for request in seen}
    return {it["text"] for it in seen if it.get("finished_at", killed_at) < killed_at - LANDS_WITHIN_S}


def test_nothing_whose_response_had_come_was_sent_again(killed: Path, server: ModelServer) -> None:
    ensure(Home(killed))
    answered = landed_keys(Home(killed), "responses", columns=["request_id", "purpose"]).to_pylist()
    assert len(answered) == len({row["request_id"] for row in answered})
    counts = server.counts()
    assert sum(counts.values()) - len(counts) <= 5 * CONCURRENCY
    assert {row["purpose"] for row in answered} == {
        "describe_history",
        "extract_keywords",
        "filter_rerank",
        "preliminary_sql",
        "answer",
    }


def test_what_the_model_said_is_what_retrieval_compares(killed: Path) -> None:
    scripts = rows_of(killed, "from script_descriptions where history = 'past'")
    assert {(row["name"], row["made_by"]) for row in scripts} == {("smokers", MODEL)} and len(scripts) == 9
    items = rows_of(
        killed,
        "select distinct d.phrase, d.made_by from component_phrases as d"
        " join knowledge_items using (history, db_id, item_id) where skeleton = 'patient.is_smoker = <val>'",
    )
    assert items == [{"phrase": "smokers. smokers means is_smoker = 1", "made_by": MODEL}]
    keywords = rows_of(killed, "select distinct keyword, made_by from task_keywords order by keyword")
    assert [tuple(row.values()) for row in keywords] == [("head count", MODEL), ("smokers", MODEL)]
    assert rows_of(killed, "from history_answers where reason is not null") == []


def test_the_model_chooses_among_what_a_retriever_finds(killed: Path) -> None:
    rows = rows_of(
        killed,
        "select c.retriever, c.uses_questions, c.rank, c.use_all, len(c.item_ids) as n_items,"
        " q.rank as before"
        " from history_candidates as c join retrievers as r using (retriever)"
        " left join history_candidates as q on q.question_id = c.question_id and q.retriever = r.reranks"
        " and q.uses_questions = c.uses_questions and q.history_query_id = c.history_query_id"
        " where r.reranks is not null",
    )
    assert {(row["retriever"], row["uses_questions"]) for row in rows} == {
        ("q_c_model", True),
        ("evalhouse_model", False),
    }
    assert {(row["before"], row["use_all"]) for row in rows} == {(2, False), (1, True)}
    of_q_c = {(row["rank"], row["before"]) for row in rows if row["retriever"] == "q_c_model"}
    assert of_q_c == {(1, 2), (2, 1)}
    assert all(row["n_items"] == 1 for row in rows if not row["use_all"])


def test_answers_alone_make_prediction_sets(killed: Path) -> None:
    sets = rows_of(killed, "select prediction_set, count(*) as n from predictions group by all order by all")
    n_tasks = rows_of(killed, "select count(*) as n from history_tasks")[0]["n"]
    names = [
        f"{MODEL}/history/dail_sql/{each}/sqlite"
        for each in ("dail-0.6-dynamic", "evalhouse_model-dynamic-unasked", "none", "q_c_model-dynamic")
    ]
    assert {row["prediction_set"]: row["n"] for row in sets} == {
        **dict.fromkeys([*names, f"{MODEL}/preliminary"], n_tasks),
    }


def test_answers_to_all_tasks_stand_beside_the_rates_of_the_grid(killed: Path) -> None:
    names = "history_setting, mean_shots, precision, recall, f1"
    answered = {
        row["history_setting"]: row for row in rows_of(killed, f"select {names} from history_accuracy")
    }
    grid = {row["history_setting"]: row for row in rows_of(killed, f"select {names} from history_retrieval")}
    # The answers drop every script from dail, and what finds nothing stands in no grid.
    assert set(answered) - set(grid) == {"dail-0.6-dynamic"}
    assert len(answered) == len(RETRIEVERS)
    assert all(grid[name] == answered[name] for name in set(answered) & set(grid))
    assert len(rows_of(killed, "from history_pipelines where is_own_retriever")) == 1


def test_shots_stand_in_the_prompt_and_in_what_is_exported(killed: Path) -> None:
    exported = glue(killed, "export", "shots", "--benchmark", PAST, "--setting", "q_c_model-dynamic").stdout
    by_question = {task["question_id"]: task["shots"] for task in json.loads(exported)}
    requests = rows_of(
        killed, "select question_id, messages from requests where contains(prediction_set, 'q_c_model')"
    )
    assert requests and {row["question_id"] for row in requests} == set(by_question)
    for row in requests:
        for shot in by_question[row["question_id"]]:
            shown = shot["sql"] if shot["use_all"] else shot["components"][0]["sql"]
            assert json.dumps(shown)[1:-1] in row["messages"]
            assert shot["history_query_id"] != row["question_id"]
            assert all(part["description"] for part in shot["components"])


def test_the_same_again_sends_nothing_and_the_plan_says_so(killed: Path, server: ModelServer) -> None:
    n_before = len(server.seen())
    study = (*STUDY, *CELLS, "--api-base", server.url)
    assert set(planned(killed, study).values()) == {0} and len(planned(killed, study)) == 5
    again = glue(killed, *study)
    assert "nothing was left to answer" in again.stdout and "q_c_model" in again.stdout
    assert len(server.seen()) == n_before


def test_preliminary_answers_are_asked_for_where_they_are_looked_at(
    killed: Path, server: ModelServer
) -> None:
    study = (*STUDY, "--api-base", server.url, "--retriever")
    assert "preliminary_sql" in planned(killed, (*study, "dail_model"))
    assert "preliminary_sql" not in planned(killed, (*study, "mqs"))
    named = planned(killed, (*study, "dail_model", "--preliminary-set", f"{MODEL}/preliminary"))
    assert set(named) == {"describe_history", "extract_keywords", "filter_rerank", "answer"}


def test_a_cell_of_the_study_can_be_asked_for_alone(killed: Path, server: ModelServer) -> None:
    n_before = len(server.seen())
    asking = ("generate", "--model", MODEL, "--benchmark", PAST, "--api-base", server.url)
    glue(killed, *asking, "--setting", "history/codes/gold-dynamic")
    sent = [request["text"] for request in server.seen()[n_before:]]
    assert sent and all("foreign keys:" in text and "question:" in text for text in sent)
    failed = glue(killed, *asking, "--setting", "history/codes/mq-0.6-4", is_failure_expected=True)
    assert "there is no retriever 'mq'" in failed.stderr and "did you mean mqs?" in failed.stderr


def test_what_cannot_be_read_is_listed_and_templates_stand_in(tmp_path: Path, server: ModelServer) -> None:
    import_past(Home(tmp_path))
    server.plan(by_part={DESCRIBE: ["ok:I cannot."], KEYWORDS: ["truncated"], RERANK: ['ok:{"queries": {}}']})
    glue(tmp_path, *STUDY, "--api-base", server.url, "--retriever", "none")
    listed = rows_of(tmp_path, "select purpose, reason, count(*) as n from history_answers group by all")
    found = {(row["purpose"], row["reason"]): row["n"] for row in listed}
    assert found[("describe_history", "no_json")] == 9 and ("extract_keywords", "cut_off") in found
    assert {reason for _, reason in found} <= {"no_json", "cut_off", "no_list"}
    made = rows_of(tmp_path, "select distinct made_by from script_descriptions")
    assert made == [{"made_by": "template"}]
