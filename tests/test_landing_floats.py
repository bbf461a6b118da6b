"""Lists of numbers land in single precision: what it cannot hold is refused, never rounded to infinity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glue import landing
from glue.embed_work import stored_vector
from glue.errors import GlueError
from glue.home import Home
from glue.landing_rows import append_schema, to_batches, to_ipc
from tests.landing_helpers import land, query

LARGEST = float(np.finfo(np.float32).max)


@pytest.mark.parametrize(
    "vector",
    [
        "1.0",
        1.0,
        [1.0, None],
        [1.0, "2"],
        [True],
        [1.0, [2.0]],
        [float("nan")],
        [float("inf")],
        [-float("inf")],
        [LARGEST * 1.001],
        [10**400],
        [np.float64("nan")],
    ],
)
def test_what_is_no_list_of_finite_numbers_is_named_with_its_place(vector: Any) -> None:
    with pytest.raises(GlueError) as caught:
        to_batches("embeddings", [{}, {"vector": [0.5]}, {"vector": vector}])
    assert caught.value.message.startswith(
        "embeddings, row 3: field 'vector': expected a list of finite numbers"
    )


def test_lists_may_be_null_empty_tuples_and_hold_whole_numbers() -> None:
    vectors = [None, [], (1, 2.5), [LARGEST, -LARGEST]]
    (batch,) = to_batches("embeddings", [{"vector": vector} for vector in vectors])
    assert batch.schema.field("vector").type == pa.list_(pa.float32())
    assert batch.column("vector").to_pylist() == [None, [], [1.0, 2.5], [LARGEST, -LARGEST]]


@given(st.lists(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False)), max_size=5))
def test_single_precision_is_kept_to_the_bit(vectors: list[list[float]]) -> None:
    stream = to_ipc("embeddings", [{"embedding_id": str(n), "vector": v} for n, v in enumerate(vectors)])
    rows = pa.ipc.open_stream(stream).read_all()["vector"].to_pylist()
    assert [np.float32(row).tobytes() for row in rows] == [np.float32(row).tobytes() for row in vectors]


def test_arrow_columns_must_be_single_precision_lists() -> None:
    good = pa.table({"vector": pa.array([[1.0], None], pa.list_(pa.float32()))})
    (batch,) = to_batches("embeddings", good)
    assert batch.schema.equals(append_schema("embeddings"))
    for kind in (pa.list_(pa.float64()), pa.list_(pa.float32(), 1), pa.float32()):
        values = pa.array([1.0] if kind == pa.float32() else [[1.0]], kind)
        with pytest.raises(GlueError, match="embeddings: field 'vector' is"):
            to_batches("embeddings", pa.table({"vector": values}))


def test_vectors_are_read_back_and_survive_compaction(home: Home) -> None:
    land(home, "embeddings", [{"embedding_id": "a", "vector": [1.5, -2.0]}, {"embedding_id": "b"}])
    land(home, "embeddings", [{"embedding_id": "a", "vector": [0.1, 3.0]}])
    landing.compact(home)
    rows = query(home, "embeddings", "embedding_id, vector, typeof(vector)")
    assert [(key, kind) for key, _, kind in rows] == [("a", "FLOAT[]"), ("b", "FLOAT[]")]
    assert rows[0][1] == pytest.approx([0.1, 3.0]) and rows[1][1] is None


def test_half_precision_survives_compaction_as_such(home: Home) -> None:
    land(home, "embeddings", [{"embedding_id": "a", "half_vector": [0.1, -65504.0]}, {"embedding_id": "b"}])
    land(home, "embeddings", [{"embedding_id": "c", "vector": [0.1]}])
    landing.compact(home)
    (path,) = (home.landing / "embeddings").glob("compact-*.parquet")
    assert parquet.read_schema(path).field("half_vector").type == pa.list_(pa.float16())
    rows = query(home, "embeddings", "embedding_id, half_vector, vector, typeof(half_vector)")
    rounded = float(np.float16(0.1))
    assert sorted(rows) == [
        ("a", [rounded, -65504.0], None, "FLOAT[]"),
        ("b", None, None, "FLOAT[]"),
        ("c", None, [float(np.float32(0.1))], "FLOAT[]"),
    ]
    with pytest.raises(GlueError, match="expected a list of finite numbers in half precision"):
        to_batches("embeddings", [{"half_vector": [65505.0]}])


def test_steps_are_whole_numbers_and_survive_compaction_as_such(home: Home) -> None:
    land(home, "embeddings", [{"embedding_id": "a", "steps": [511, -511], "step": 0.5}])
    land(home, "embeddings", [{"embedding_id": "b"}])
    landing.compact(home)
    (path,) = (home.landing / "embeddings").glob("compact-*.parquet")
    assert parquet.read_schema(path).field("steps").type == pa.list_(pa.int16())
    rows = query(home, "embeddings", "embedding_id, steps, step, typeof(steps)")
    assert sorted(rows) == [("a", [511, -511], 0.5, "SMALLINT[]"), ("b", None, None, "SMALLINT[]")]
    for vector in ([512], [1.0], [True]):
        with pytest.raises(GlueError, match="expected a list of whole numbers from -511 to 511"):
            to_batches("embeddings", [{"steps": vector}])


def test_a_step_takes_ten_bits_in_a_file(home: Home) -> None:
    """By Parquet's dictionary, as it lands and when it is compacted; that and lists' lengths are the rest."""
    n_vectors, n_dimensions = 2_000, 96
    vectors = np.random.default_rng(1).normal(size=(n_vectors, n_dimensions))
    rows = [
        {"embedding_id": str(place), **stored_vector(vector, "ten-bit")}
        for place, vector in enumerate(vectors.tolist())
    ]
    for half in (rows[:1_000], rows[1_000:]):
        land(home, "embeddings", half)
    sizes = [_bits_of_steps(home, n_vectors * n_dimensions)]
    landing.compact(home)
    sizes.append(_bits_of_steps(home, n_vectors * n_dimensions))
    assert all(10 <= size < 11 for size in sizes), sizes


def _bits_of_steps(home: Home, n_numbers: int) -> float:
    """Bits that a number of column `steps` takes in the files before they are compressed."""
    n_bytes = 0
    for path in (home.landing / "embeddings").glob("*.parquet"):
        found = parquet.ParquetFile(path).metadata
        for group in range(found.num_row_groups):
            chunks = [found.row_group(group).column(place) for place in range(found.num_columns)]
            n_bytes += sum(
                each.total_uncompressed_size for each in chunks if each.path_in_schema.startswith("steps.")
            )
    return 8 * n_bytes / n_numbers


def test_of_equal_moments_the_smaller_vector_stays(home: Home) -> None:
    """Compaction orders by lists too, so that what stays never hangs on the order of the files."""
    from datetime import UTC, datetime

    import pyarrow.parquet as parquet

    from glue.landing_tables import TABLES

    landing.ensure(home)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    for name, vector in (("x", [2.0, 1.0]), ("y", [1.0, 9.0])):
        rows = [{"embedding_id": "a", "vector": vector, "landed_at": moment}]
        table = pa.Table.from_pylist(rows, schema=TABLES["embeddings"].schema)
        parquet.write_table(table, home.landing / "embeddings" / f"{name}.parquet")
    landing.compact(home)
    assert query(home, "embeddings", "vector") == [([1.0, 9.0],)]
