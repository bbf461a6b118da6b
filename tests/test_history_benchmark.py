"""What `benchmarks.history` measures with: the log that grows, made-up vectors, and the loop beside SQL."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.history import Pool, main
from benchmarks.history_log import N_DIMENSIONS, grow_log, made_up_vector, masked

N_GOLDS = 1_534


def test_help_says_how_it_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "--growth N" in capsys.readouterr().out


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
