"""What does retrieval from past queries cost for each query, beside BIRD-History's Table 14?

    python -m benchmarks.history ../shared/data/bird
    python -m benchmarks.history ../shared/data/bird --home past --encoder FOLDER --runs 5
    python -m benchmarks.history ../shared/data/bird --growth 100000
    python -m benchmarks.history ../shared/data/bird --encoder FOLDER --precisions

BIRD dev is its own history: 1,534 queries, a task for each question whose items others hold. Unless `--home`
already has them, it is imported, put under the history study, and its texts are embedded. Measured are:

* parse: model `component_readings`, all of it anew; the reader alone, called from Python, beside it;
* embed and store: what `history_cost` has of what landed; one more row for what the other retrievers store;
* retrieve: the models that compare and rank, all tasks in one batch, by dbt's run results.

Times are medians of `--runs`. The alternative to retriever `q` is a loop over the tasks in numpy, with every
vector already in memory, which must find the same queries in the same order: one product of matrix and vector
for each task, and one cosine after the other.

With `--growth N` the history is a query log that grows to N queries (benchmarks/history_log.py), imported by
`glue import history`. Its vectors are made up, from the words of each text: an encoder's time grows with the
number of texts, and is not measured again.

With `--precisions` the same vectors are stored in each precision of `glue embed` and everything is built anew
from each: what it takes to store, and how far F1 moves from that of single precision.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import operator
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.history_log import N_DIMENSIONS, grow_log, made_up_vector
from benchmarks.packing import run_dbt
from glue.embed import EmbedOptions, embed
from glue.embed_work import HALF, SINGLE, TEN_BIT, stored_vector
from glue.encoders import encoder_of
from glue.encoders.api import ApiOptions
from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.common import land
from glue.landing import Writer, landed_keys
from glue.study.registry import HistoryOptions, register_history
from glue.udfs import component_row

Floats = npt.NDArray[np.float64]

BENCHMARK = "bird_dev"
TASK_SET = f"{BENCHMARK}/history"
PAPER_RETRIEVE_MS = 53.96

COMPARING = ("script_similarities", "item_similarities")
RANKING = (
    "query_candidates",
    "component_candidates",
    "preliminary_queries",
    "reranked_by_prior",
    "script_votes",
    "item_chances",
    "evalhouse_candidates",
    "gold_candidates",
    "history_candidates",
)
RETRIEVERS = {
    "q, and mqs, qs, mqs_qs, dail": ("script_similarities", "preliminary_queries", "query_candidates"),
    "q_c, and c": ("script_similarities", "item_similarities", "component_candidates"),
    "evalhouse": ("script_similarities", "script_votes", "item_chances", "evalhouse_candidates"),
    "every retriever": (*COMPARING, *RANKING),
}
"""The models that each retriever stands on, from vectors to rankings."""
GROWN = {
    "q": "q, and mqs, qs, mqs_qs, dail",
    "q_c": "q_c, and c",
    "evalhouse": "evalhouse",
    "every": "every retriever",
}

LOG, MADE_UP = "grown", "made_up"
BEFORE_VECTORS = ("+embedding_texts",)
SINCE_VECTORS = ("+history_candidates", "+history_cost", "--exclude", *BEFORE_VECTORS)
SIZES = (1_534, 5_000, 10_000, 20_000, 50_000, 100_000)

READ = """
    select inputs.sql, inputs.dialect, coalesce(any_value(outlines.outline), '[]') as outline
    from component_inputs as inputs left join schema_outlines as outlines using (outline_id)
    group by all
"""
POOLS = """
    select
        scripts.db_id,
        list(scripts.history_query_id order by scripts.query_position) as ids,
        list(asked.vector order by scripts.query_position) as questions,
        list(told.vector order by scripts.query_position) as descriptions,
    from history_queries as scripts
    inner join history_texts as questions on scripts.history_query_id = questions.id
    inner join history_texts as descriptions on scripts.history_query_id = descriptions.id
    inner join history_vectors as asked on questions.text_id = asked.text_id
    inner join history_vectors as told on descriptions.text_id = told.text_id
    where
        scripts.status = 'kept'
        and questions.kind = 'script_question'
        and descriptions.kind = 'script_description'
    group by scripts.db_id
"""
TASKS = """
    select tasks.db_id, tasks.question_id, tasks.own_query_id, vectors.vector
    from history_tasks as tasks
    inner join history_texts as texts on tasks.question_id = texts.id
    inner join history_vectors as vectors on texts.text_id = vectors.text_id
    where texts.kind = 'task_question'
"""
RANKED = """
    select question_id, list(history_query_id order by rank) as found
    from query_candidates
    where retriever = 'q' and uses_questions
    group by question_id
"""
ASKED = """
    select
        count(distinct vectors.text_id) / (select count(*) from history_tasks),
        sum(attempts.elapsed_ms / attempts.n_texts) / (select count(*) from history_tasks),
    from stg_embeddings as vectors
    inner join stg_embedding_attempts as attempts on vectors.attempt_id = attempts.attempt_id
    inner join history_encoders as encoders
        on vectors.encoder = encoders.encoder and vectors.revision = encoders.revision
    where
        vectors.text_id in (select text_id from history_texts where kind in ({kinds}))
        and vectors.text_id not in (
            select text_id from history_texts where kind in ('script_question', 'masked_script_question')
        )
"""
COUNTS = """
    select
        (select count(*) from history_queries where status = 'kept'),
        (select count(*) from knowledge_items),
        (select count(*) from history_tasks),
        (select count(*) from script_similarities)
"""
LANDED = ("embedding_id", "attempt_id", "text_id", "encoder", "revision", "vector", "n_dimensions")
STORED = "select value from history_cost where step in ('store', 'store_masked') order by step"
COMPARED = {
    "settings": "select f1 from history_retrieval order by history_setting",
    "best": """
        select max(f1) as f1 from history_retrieval
        group by retriever, uses_questions order by retriever, uses_questions
    """,
    "cosines": """
        select qs, mqs, description_score, masked_description_score
        from script_similarities order by question_id, history_query_id
    """,
}
"""What vectors' precision may change: F1 of every setting, of each retriever at its best, and cosines."""
VECTORS = """
    select texts.kind, count(distinct vectors.text_id) as n_vectors, sum(vectors.n_bytes) as n_bytes
    from (select distinct kind, text_id from history_texts) as texts
    inner join stg_embeddings as vectors on texts.text_id = vectors.text_id
    inner join history_encoders as encoders
        on vectors.encoder = encoders.encoder and vectors.revision = encoders.revision
    where texts.kind not in ('task_question', 'masked_task_question', 'keyword')
    group by texts.kind order by texts.kind
"""


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 where the loop finds other queries than SQL."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bird", type=Path, help="folder with BIRD's files")
    parser.add_argument("--home", type=Path, help="keep the warehouse here, and use it if it is there")
    parser.add_argument("--encoder", default="minilm", help="as in `glue embed` (default: minilm)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="times are medians of so many")
    parser.add_argument("--growth", type=int, metavar="N", help="only this: a log that grows to N queries")
    parser.add_argument(
        "--precisions", action="store_true", help="only this: F1 and storage by precision of vectors"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="evalhouse-") as folder:
        home = Home(options.home or Path(folder))
        if options.growth:
            grow(home, options.bird, options.growth)
            return 0
        if options.precisions:
            prepare(home, options.bird, options.encoder, SINGLE)
            compare_precisions(home, Path(folder))
            return 0
        prepare(home, options.bird, options.encoder)
        return 0 if measure(home, options.runs) else 1


def prepare(home: Home, bird: Path, encoder: str, precision: str | None = None) -> None:
    """Import BIRD dev, have its texts embedded, and build what retrieval rests on; what is there stays."""
    import_bird(home, bird)
    register_history(
        home, BENCHMARK, HistoryOptions(BENCHMARK, encoder=encoder_of(encoder, ApiOptions()).name)
    )
    embed(home, encoder, [BENCHMARK], options=EmbedOptions(precision=precision))
    run_dbt(home, "+history_candidates", "+history_cost")


def import_bird(home: Home, bird: Path) -> None:
    """BIRD dev: its questions, golds and schemas."""
    home.root.mkdir(parents=True, exist_ok=True)
    meta = bird / "meta"
    meanings = meta / "column_meaning" / "dev_column_meaning.json"
    tables = meta / "dev_tables.json"
    if not (home.landing / "questions").exists():
        land(
            home,
            read_bird(BENCHMARK, meta / "dev.json", tables, bird / "databases", column_meaning=meanings),
        )


def measure(home: Home, n_runs: int) -> bool:
    """Print what each step costs. Does the loop find what SQL finds?"""
    parse_ms, reader_ms = parsing(home, n_runs)
    times = retrieving(home, n_runs)
    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        costs = {
            row[0]: row
            for row in warehouse.execute("select step, value, paper_value from history_cost").fetchall()
        }
        (n_scripts,) = one(warehouse, "select count(*) from history_queries where status = 'kept'")
        (n_tasks,) = one(warehouse, "select count(*) from history_tasks")
        encoder = one(
            warehouse,
            "select concat(encoder, ', ', any_value(n_dimensions), ' dimensions')"
            " from history_encoders inner join stg_embeddings using (encoder, revision) group by encoder",
        )[0]
        print(f"{n_scripts:,} past queries, {n_tasks:,} tasks, encoder {encoder}; medians of {n_runs} runs\n")
        print(f"{'':52} {'here':>10} {'paper':>10}")
        show("parse, ms per past query", parse_ms, costs["parse"][2])
        show("  the reader alone, called from Python", reader_ms)
        show("embed, ms per past query", costs["embed"][1], costs["embed"][2])
        show("store, KB per past query", costs["store"][1], costs["store"][2])
        for kind, n_vectors, n_bytes in warehouse.execute(VECTORS).fetchall():
            told = f"  vectors: {kind}, {n_vectors / n_scripts:.2f} per query"
            show(told, n_bytes / n_scripts / 1000)
        for name, models in RETRIEVERS.items():
            each_ms = sum(times[model] for model in models) / n_tasks * 1000
            show(f"retrieve, ms per task: {name}", each_ms, PAPER_RETRIEVE_MS)
        n_texts, asked_ms = one(warehouse, ASKED.format(kinds="'task_question', 'keyword'"))
        show(f"  not in it: its {n_texts:.1f} new texts are embedded", asked_ms)
        print()
        for model in (*COMPARING, *RANKING):
            print(f"  {model:32} {times[model]:8.2f} s")
        is_same = compare(warehouse, times)
    return is_same


def show(what: str, value: float | None, paper: float | None = None) -> None:
    """A line of the table, and how many times less or more than the paper's it is."""
    shown = "" if value is None else f"{value:10.3f}"
    beside = "" if paper is None else f"{paper:10.2f}"
    ratio = ""
    if paper and value:
        ratio = (
            f"   {paper / value:.1f} times less" if value < paper else f"   {value / paper:.1f} times more"
        )
    print(f"{what:52} {shown:>10} {beside:>10}{ratio}", flush=True)


def one(warehouse: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The only row of a query."""
    row: tuple[Any, ...] | None = warehouse.execute(sql).fetchone()
    assert row is not None
    return row


def parsing(home: Home, n_runs: int) -> tuple[float, float]:
    """Milliseconds to read a query: by the model that stores what was read, and by the reader alone."""
    model_s = [
        run_dbt(home, "component_readings", "--full-refresh")["component_readings"] for _ in range(n_runs)
    ]
    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        texts = warehouse.execute(READ).fetchall()
    reader_s = []
    for _ in range(n_runs):
        started_s = time.perf_counter()
        for sql, dialect, outline in texts:
            component_row(sql, dialect, outline)
        reader_s.append(time.perf_counter() - started_s)
    return median(model_s) / len(texts) * 1000, median(reader_s) / len(texts) * 1000


def retrieving(home: Home, n_runs: int) -> dict[str, float]:
    """Seconds that each model of retrieval takes for all tasks."""
    runs = [run_dbt(home, *COMPARING, *RANKING) for _ in range(n_runs)]
    return {model: median(run[model] for run in runs) for model in (*COMPARING, *RANKING)}


# --------------------------------------------------------------------------- the alternative


def compare(warehouse: duckdb.DuckDBPyConnection, times: dict[str, float]) -> bool:
    """Print how long loops over the tasks take for retriever `q`. Do they find what SQL finds?"""
    pools = {
        db_id: Pool(ids, np.array(questions), np.array(descriptions))
        for db_id, ids, questions, descriptions in warehouse.execute(POOLS).fetchall()
    }
    tasks = [
        (pools[db_id], question_id, own_id, np.array(vector))
        for db_id, question_id, own_id, vector in warehouse.execute(TASKS).fetchall()
    ]
    in_sql = dict(warehouse.execute(RANKED).fetchall())
    sql_s = sum(times[model] for model in next(iter(RETRIEVERS.values())))
    told = next(iter(RETRIEVERS))
    print(f"\nSQL, retrievers {told}: {sql_s:.2f} s, {sql_s / len(tasks) * 1000:.2f} ms a task")
    is_same = True
    for name, likeness in (
        ("a product of matrix and vector", Pool.products),
        ("each cosine apart", Pool.cosines),
    ):
        started_s = time.perf_counter()
        found = {
            question_id: pool.nearest(likeness(pool, vector), own_id)
            for pool, question_id, own_id, vector in tasks
        }
        elapsed_s = time.perf_counter() - started_s
        n_different = sum(found[task] != in_sql.get(task, []) for task in found)
        print(
            f"numpy loop, retriever q alone, {name}: {elapsed_s:.2f} s,"
            f" {elapsed_s / len(tasks) * 1000:.2f} ms a task, {elapsed_s / sql_s:.2f} times SQL;"
            f" {n_different} rankings differ"
        )
        is_same = is_same and n_different == 0
    return is_same


class Pool:
    """The past queries of a database as a loop wants them: in the order of the log, all of unit length."""

    def __init__(self, ids: list[str], questions: Floats, descriptions: Floats) -> None:
        self.ids = ids
        self.places = {each: place for place, each in enumerate(ids)}
        self.texts = [
            each / np.linalg.norm(each, axis=1, keepdims=True) for each in (questions, descriptions)
        ]

    def products(self, asked: Floats) -> Floats:
        """The greater of the two likenesses of each query."""
        unit = asked / np.linalg.norm(asked)
        found: Floats = np.maximum(*(np.round(each @ unit, 6) for each in self.texts))
        return found

    def cosines(self, asked: Floats) -> Floats:
        """The same, one pair after the other."""
        length = np.linalg.norm(asked)
        return np.array(
            [
                max(round(float(each[place] @ asked / length), 6) for each in self.texts)
                for place in range(len(self.ids))
            ]
        )

    def nearest(self, likenesses: Floats, own_id: str | None) -> list[str]:
        """The ten most alike of those that pass the lowest threshold; of equals the earlier."""
        order = np.argsort(-likenesses, kind="stable")
        found = [self.ids[place] for place in order[:11] if likenesses[place] >= 0.5]
        return [each for each in found if each != own_id][:10]


# --------------------------------------------------------------------------- precisions


def compare_precisions(home: Home, folder: Path) -> None:
    """Print what vectors of each precision take, and what they change against those of `home`, in single."""
    names = ("KB a query", "with masked", "F1 moves by", "best F1 by", "cosine by")
    print(f"{'':10}{''.join(f'{name:>13}' for name in names)}", flush=True)
    finest = None
    for precision in (SINGLE, HALF, TEN_BIT):
        stored = Home(folder / precision)
        store_again(home, stored, precision)
        run_dbt(stored, "+history_retrieval", "+history_cost")
        with duckdb.connect(str(stored.warehouse), read_only=True) as warehouse:
            kilobytes = [value for (value,) in warehouse.execute(STORED).fetchall()]
            found = {name: numbers_of(warehouse, sql) for name, sql in COMPARED.items()}
        finest = finest or found
        moves = [greatest_move(found[name], finest[name]) for name in COMPARED]
        sizes = f"{kilobytes[0]:13.2f}{sum(kilobytes):13.2f}"
        print(f"{precision:10}{sizes}{''.join(f'{move:13.5f}' for move in moves)}", flush=True)
    if finest:
        n_settings, n_best = (len(finest[name][0]) for name in ("settings", "best"))
        print(f"\nthe greatest moves: of {n_settings} settings, of {n_best} retrievers' best, of all cosines")


def numbers_of(warehouse: duckdb.DuckDBPyConnection, sql: str) -> list[Floats]:
    """The columns of a query's result, as numbers; NULL is NaN."""
    columns = warehouse.execute(sql).fetchnumpy().values()
    return [np.ma.filled(np.ma.asarray(column, dtype=np.float64), np.nan) for column in columns]


def greatest_move(found: list[Floats], finest: list[Floats]) -> float:
    """The greatest difference between numbers in the same places, which are known or not in both."""
    return max(
        float(np.nanmax(np.abs(each - its), initial=0)) for each, its in zip(found, finest, strict=True)
    )


def store_again(home: Home, stored: Home, precision: str) -> None:
    """A home with the same rows landed, whose vectors are stored in another precision."""
    stored.root.mkdir(parents=True)
    ignored = shutil.ignore_patterns("embeddings")
    shutil.copytree(home.landing, stored.landing, ignore=ignored)
    rows = landed_keys(home, "embeddings", columns=LANDED).to_pylist()
    with Writer(stored, loop="embed") as writer:
        for start in range(0, len(rows), 1_000):
            batch = rows[start : start + 1_000]
            vectors = [row.pop("vector") for row in batch]
            stored_as = [stored_vector(vector, precision) for vector in vectors]
            writer.append("embeddings", list(map(operator.or_, batch, stored_as)))


# --------------------------------------------------------------------------- growth


def grow(home: Home, bird: Path, n_most: int) -> None:
    """Print what a log costs at each size: to read, to store, and for all tasks to be searched."""
    import_bird(home, bird)
    print("seconds of all models of a retriever, by dbt's run results: each has all tasks in one batch")
    print("parse: seconds for the queries that the size before did not have")
    names = ("queries", "kept", "items", "tasks", "pairs", "parse", "KB each", *GROWN, "peak GB")
    print("".join(f"{name:>11}" for name in names), flush=True)
    for n_queries in [size for size in SIZES if size < n_most] + [n_most]:
        import_log(home, bird, n_queries)
        times = run_dbt(home, *BEFORE_VECTORS)
        land_vectors(home)
        times |= run_dbt(home, *SINCE_VECTORS)
        with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
            counts = one(warehouse, COUNTS)
            (kilobytes,) = one(warehouse, "select value from history_cost where step = 'store'")
        values = [f"{count:,}" for count in (n_queries, *counts)]
        values += [f"{times['component_readings']:.1f}", f"{kilobytes:.2f}"]
        values += [f"{sum(times[model] for model in RETRIEVERS[name]):.1f}" for name in GROWN.values()]
        # Of the largest process so far: dbt's, whose DuckDB takes no more than 80% of the memory there is.
        peak_gb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
        print("".join(f"{value:>11}" for value in (*values, f"{peak_gb:.1f}")), flush=True)


def import_log(home: Home, bird: Path, n_queries: int) -> None:
    """Import a log of so many queries in the place of the last one, and put it under study."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".jsonl") as log:
        for each in grow_log(bird, n_queries):
            log.write(json.dumps(each) + "\n")
        log.flush()
        subprocess.run(
            [
                *(sys.executable, "-m", "glue", "import", "history", log.name),
                *("--name", LOG, "--benchmark", BENCHMARK, "--replace"),
            ],
            env={**os.environ, "EVALHOUSE_HOME": str(home.root)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
    register_history(home, BENCHMARK, HistoryOptions(LOG, encoder=MADE_UP))


def land_vectors(home: Home) -> None:
    """Make up the vectors that are still missing, in half precision."""
    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        texts = dict(warehouse.execute("select text_id, text from embedding_texts").fetchall())
    landed = set(landed_keys(home, "embeddings", columns=["text_id"])["text_id"].to_pylist())
    new = [(text_id, text) for text_id, text in texts.items() if text_id not in landed]
    shared = {"encoder": MADE_UP, "revision": "1"}
    with Writer(home, loop="embed") as writer:
        asked = {"benchmark": BENCHMARK, "kind": "made_up", "settings": "{}", "asked_at": datetime.now(UTC)}
        writer.append("encoders", [{**shared, **asked}])
        for start in range(0, len(new), 10_000):
            batch = new[start : start + 10_000]
            vectors = np.array([made_up_vector(text) for _, text in batch], dtype=np.float16)
            ids = [hashlib.md5(chr(31).join((MADE_UP, "1", text)).encode()).hexdigest() for _, text in batch]
            offsets = np.arange(0, vectors.size + 1, N_DIMENSIONS, dtype=np.int32)
            columns = {
                "embedding_id": pa.array(ids),
                "text_id": pa.array([text_id for text_id, _ in batch]),
                **{name: pa.array([value] * len(batch)) for name, value in shared.items()},
                "half_vector": pa.ListArray.from_arrays(offsets, pa.array(vectors.ravel())),
                "n_dimensions": pa.array([N_DIMENSIONS] * len(batch), pa.int64()),
            }
            writer.append("embeddings", pa.table(columns))


if __name__ == "__main__":
    sys.exit(main())
