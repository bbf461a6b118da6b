"""Rankings of a made-up pool against independent implementations: bm25s, rank-bm25, scikit-learn's cosine."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import bm25s  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
import pytest
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]
from sklearn.metrics.pairwise import cosine_similarity  # type: ignore[import-untyped]

from glue.home import Home
from glue.landing import Writer
from tests.commands import rows_of
from tests.retrieval.pools import BENCHMARK, Pool, build, land_pool, place_of, random_pool, scores_by_question
from tests.retrieval.test_name_terms import read_terms

pytestmark = pytest.mark.slow

N_TABLES, N_QUESTIONS, N_DIMENSIONS = 60, 40, 16
K1, B = 1.2, 0.75
Matrix = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def pool() -> Pool:
    return random_pool(3, N_TABLES, N_QUESTIONS)


def text_vectors(pool: Pool) -> dict[str, list[float]]:
    """A vector for each text: at random, two tables alike, one question all zeros, lengths far apart."""
    rng = np.random.default_rng(5)
    documents = [pool.document(place) for place in range(N_TABLES)]
    found = {}
    for text in [*pool.questions, *documents]:
        vector = rng.normal(size=N_DIMENSIONS) * 10.0 ** rng.integers(-3, 4)
        found[text] = [float(number) for number in np.float32(vector)]
    found[documents[7]] = found[documents[23]]
    found[pool.questions[2]] = [0.0] * N_DIMENSIONS
    return found


def land_vectors(home: Home, pool: Pool) -> None:
    shared = {"encoder": "minilm", "revision": "r"}
    rows = [
        {
            **shared,
            "embedding_id": hashlib.md5(chr(31).join(["minilm", "r", text]).encode()).hexdigest(),
            "text_id": hashlib.md5(text.encode()).hexdigest(),
            "vector": vector,
            "n_dimensions": N_DIMENSIONS,
        }
        for text, vector in text_vectors(pool).items()
    ]
    with Writer(home, loop="embed") as writer:
        asked = {"benchmark": BENCHMARK, "kind": "sentence_transformers", "settings": "{}"}
        writer.append("encoders", [{**shared, **asked, "asked_at": datetime(2026, 1, 1, tzinfo=UTC)}])
        writer.append("embeddings", rows)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory, pool: Pool) -> Path:
    """The pool, its vectors, and everything that ranks it."""
    home = Home(tmp_path_factory.mktemp("pool"))
    home.exports.mkdir()
    land_pool(home, pool)
    land_vectors(home, pool)
    return build(home, "table_rankings", "pending_embeddings")


def rows_of_ranker(warehouse: Path, ranker: str) -> list[dict[str, object]]:
    return rows_of(
        warehouse, f"from table_rankings where ranker = '{ranker}' order by question_id, table_rank"
    )


def scores_of(warehouse: Path, pool: Pool, ranker: str) -> Matrix:
    """Scores by question and table."""
    return np.array(scores_by_question(rows_of_ranker(warehouse, ranker), pool, N_QUESTIONS))


def documents(pool: Pool) -> list[list[str]]:
    return [read_terms(pool.document(place)) for place in range(N_TABLES)]


def test_lexical_scores_are_those_of_bm25s(warehouse: Path, pool: Pool) -> None:
    """Its method `lucene` has our idf and our saturation; its floats have 32 bits."""
    index = bm25s.BM25(method="lucene", k1=K1, b=B)
    index.index(documents(pool), show_progress=False)
    known = {term for document in documents(pool) for term in document}
    expected = np.zeros((N_QUESTIONS, N_TABLES))
    for place, question in enumerate(pool.questions):
        asked = [term for term in read_terms(question) if term in known]
        if asked:
            expected[place] = index.get_scores(asked)
    found = scores_of(warehouse, pool, "lexical")
    assert np.count_nonzero(expected) > N_QUESTIONS * N_TABLES / 10
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_lexical_scores_are_rank_bm25s_with_the_idf_that_is_never_negative(
    warehouse: Path, pool: Pool
) -> None:
    """rank-bm25 has another idf (and k1 + 1 above the line), so that ours is put in its place."""
    index = BM25Okapi(documents(pool), k1=K1, b=B)
    n_documents = index.corpus_size
    frequencies = {term: sum(term in document for document in documents(pool)) for term in index.idf}
    index.idf = {term: np.log(1 + (n_documents - n + 0.5) / (n + 0.5)) for term, n in frequencies.items()}
    expected = np.array([index.get_scores(read_terms(question)) for question in pool.questions]) / (K1 + 1)
    np.testing.assert_allclose(scores_of(warehouse, pool, "lexical"), expected, rtol=0, atol=2e-8)


def test_a_question_that_shares_no_term_ranks_tables_by_name(warehouse: Path, pool: Pool) -> None:
    rows = [row for row in rows_of_ranker(warehouse, "lexical") if row["question_id"] == str(N_QUESTIONS - 1)]
    assert {row["score"] for row in rows} == {0.0}
    names = [
        f"{row['db_id']}__{pool.tables[place_of(pool)[row['db_id'], row['table_key']]][1]}" for row in rows
    ]  # type: ignore[index]
    assert names == sorted(names, key=lambda name: name.encode())


def test_names_without_prose_rank_alike_however_they_are_read(warehouse: Path, pool: Pool) -> None:
    """These tables have nothing but names, so that both ways to read them give the same terms."""
    names, enriched = (scores_of(warehouse, pool, ranker) for ranker in ("lexical", "lexical_enriched"))
    np.testing.assert_array_equal(names, enriched)


def test_dense_scores_are_scikit_learns_cosines(warehouse: Path, pool: Pool) -> None:
    vectors = text_vectors(pool)
    asked = np.array([vectors[text] for text in pool.questions])
    tables = np.array([vectors[pool.document(place)] for place in range(N_TABLES)])
    expected = cosine_similarity(asked, tables)
    found = scores_of(warehouse, pool, "dense")
    np.testing.assert_allclose(found, expected, rtol=0, atol=5.1e-7)
    assert found[2].tolist() == [0.0] * N_TABLES  # a vector of zeros is like no other


def test_rankings_are_total_orders_by_score_and_name(warehouse: Path, pool: Pool) -> None:
    places = place_of(pool)
    for ranker in ("lexical", "dense", "lexical_enriched"):
        rows = rows_of_ranker(warehouse, ranker)
        assert len(rows) == N_QUESTIONS * N_TABLES
        for question in range(N_QUESTIONS):
            own = [row for row in rows if row["question_id"] == str(question)]
            assert [row["table_rank"] for row in own] == list(range(1, N_TABLES + 1))
            keys = [
                (
                    -float(str(row["score"])),
                    f"{row['db_id']}__{pool.tables[places[row['db_id'], row['table_key']]][1]}",
                )  # type: ignore[index]
                for row in own
            ]
            assert keys == sorted(keys, key=lambda key: (key[0], key[1].encode()))
            assert {(row["db_id"], row["table_key"]) for row in own} == places.keys()


def test_two_tables_of_one_vector_stand_together_in_the_order_of_their_names(
    warehouse: Path, pool: Pool
) -> None:
    ranks = {
        (row["question_id"], places): row["table_rank"]
        for row in rows_of_ranker(warehouse, "dense")
        if (places := place_of(pool)[row["db_id"], row["table_key"]]) in (7, 23)  # type: ignore[index]
    }
    names = {place: f"{pool.tables[place][0]}__{pool.tables[place][1]}".encode() for place in (7, 23)}
    first, second = sorted((7, 23), key=lambda place: names[place])
    for question in map(str, range(N_QUESTIONS)):
        if question != "2":
            assert ranks[question, second] == ranks[question, first] + 1  # type: ignore[operator]


def test_nothing_is_pending_but_what_enriched_rankers_read(warehouse: Path) -> None:
    """Names and questions have their vectors; the enriched documents have none, and nothing ranks by them."""
    pending = {row["text_id"] for row in rows_of(warehouse, "from pending_embeddings")}
    enriched = {
        row["text_id"]
        for row in rows_of(warehouse, "from embedding_texts where reads = 'enriched'")
        # A table without a column is read alike in both ways.
        if "\n" in row["text"]
    }
    assert pending == enriched and enriched
    assert rows_of_ranker(warehouse, "dense_enriched") == []
