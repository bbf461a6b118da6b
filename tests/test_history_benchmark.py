"""What `benchmarks.history` measures with: the log that grows, made-up vectors, and the loop beside SQL."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

from benchmarks.history import Pool, greatest_move, main, numbers_of, store_again
from benchmarks.history_log import N_DIMENSIONS, grow_log, made_up_vector, masked
from glue.home import Home
from glue.landing import landed_keys
from tests.landing_helpers import land

N_GOLDS = 1_534


def test_help_says_how_it_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "--growth N" in out and "--precisions" in out


def test_a_log_grows_by_queries_that_are_nobodys_twin(shared_data: Path) -> None:
    """It begins with the golds; a longer one begins with the shorter."""
    bird = shared_data / "bird"
    log = list(grow_log(bird, N_GOLDS + 400))
    golds = json.loads((bird / "meta" / "dev.json").read_text(encoding="utf-8"))
    assert [each["sql"] for each in log[:N_GOLDS]] == [gold["SQL"] for gold in golds]
    assert list(grow_log(bird, N_GOLDS + 100)) == log[: N_GOLDS + 100]
    assert len({each["id"] for each in log}) == len(log) == N_GOLDS + 400
    before = {(each["db_id"], masked(each["sql"])) for each in log[:N_GOLDS]}
    copies = [(each["db_id"], masked(each["sql"])) for each in log[N_GOLDS:]]
    assert len(set(copies)) == len(copies) and before.isdisjoint(copies)


def test_made_up_vectors_are_alike_where_words_are() -> None:
    asked, near, far = (
        made_up_vector(text) for text in ("schools in Fresno", "Fresno's schools", "the fastest lap")
    )
    assert asked.shape == (N_DIMENSIONS,) and np.linalg.norm(asked) == pytest.approx(1, abs=1e-6)
    assert asked @ near > asked @ far > 0
    assert np.array_equal(asked, made_up_vector("in Fresno schools"))


def test_the_loop_leaves_out_the_own_query_and_what_is_too_unlike() -> None:
    """Of equals the earlier comes first, and both ways to the cosines agree."""
    vectors = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 0.0], [3.0, 0.0], [1.0, 1.0]])
    pool = Pool([*"abcde"], vectors, vectors)
    asked = np.array([1.0, 0.0])
    assert pool.products(asked).tolist() == pool.cosines(asked).tolist() == [1, 0, 1, 1, 0.707107]
    assert pool.nearest(pool.products(asked), "c") == ["a", "d", "e"]
    many = Pool([str(place) for place in range(20)], np.ones((20, 2)), np.ones((20, 2)))
    assert many.nearest(many.products(asked), "3") == ["0", "1", "2", *map(str, range(4, 11))]


def test_vectors_are_stored_again_and_all_else_stays(tmp_path: Path) -> None:
    home, stored = Home(tmp_path / "single"), Home(tmp_path / "ten-bit")
    shared = {"attempt_id": "a", "text_id": "x", "encoder": "e", "revision": "r", "n_dimensions": 2}
    land(home, "embeddings", [{"embedding_id": "one", "vector": [1.0, -0.5], **shared}])
    land(home, "questions", [{"import_id": "i", "benchmark": "b", "question_id": "1"}])
    store_again(home, stored, "ten-bit")
    (row,) = landed_keys(
        stored, "embeddings", columns=["embedding_id", "vector", "steps", "step"]
    ).to_pylist()
    assert row == {"embedding_id": "one", "vector": None, "steps": [511, -256], "step": 1 / 511}
    assert landed_keys(stored, "questions").to_pylist() == landed_keys(home, "questions").to_pylist()


def test_moves_are_of_numbers_that_are_known() -> None:
    with duckdb.connect() as warehouse:
        finest = numbers_of(warehouse, "select * from (values (0.5, null), (0.25, 0.75)) as t (a, b)")
        other = numbers_of(warehouse, "select * from (values (0.5, null), (0.5, 0.75)) as t (a, b)")
        none = numbers_of(warehouse, "select null::double as a, null::double as b from range(2)")
    assert greatest_move(finest, finest) == 0
    assert greatest_move(other, finest) == 0.25
    assert greatest_move(none, none) == 0
