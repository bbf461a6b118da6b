"""Counting tokens in SQL: offline, whatever a text holds, and with what counted said beside the number."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from glue import tokens
from glue.tokens import VOCABULARIES, count_tokens, counted_with, estimate
from glue.udfs import register

MACRO = Path(__file__).resolve().parents[1] / "macros" / "token_encoding.sql"


@pytest.fixture(autouse=True)
def _no_network_and_no_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Encodings are looked for anew in every test, and a way to the network is an error."""

    def refuse(address: str) -> bytes:
        raise AssertionError(f"{address} is on the network")

    monkeypatch.setattr("tiktoken.load.read_file", refuse)
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    tokens._loaded.cache_clear()
    yield
    tokens._loaded.cache_clear()


def in_sql(sql: str, *values: Any) -> list[Any]:
    with duckdb.connect() as connection:
        register(connection)
        return connection.execute(sql, list(values)).fetchall()


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """As if a package were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == package else find(name, *rest)
    )


def test_sql_counts_as_tiktoken_does() -> None:
    texts = ["", "select 1", "stop at <|endoftext|> please", "客户名称", None, "x" * 2100]
    rows = in_sql("select n_tokens(text, 'o200k_base') from (select unnest(?::varchar[]) as text)", texts)
    encoding = tokens._encoding("o200k_base")
    assert encoding is not None
    assert [count for (count,) in rows] == [
        None if text is None else len(encoding.encode(text, disallowed_special=())) for text in texts
    ]
    assert rows[2] != (len(encoding.encode(texts[2] or "", allowed_special="all")),)


def test_one_column_may_hold_several_encodings() -> None:
    rows = in_sql(
        "select n_tokens('the number of customers', encoding) from"
        " (values ('o200k_base'), ('none'), (null), ('cl100k_base')) as given (encoding)"
    )
    assert rows == [(4,), (6,), (6,), (4,)]  # 23 bytes


def test_threads_may_count_at_once() -> None:
    texts = ["the number of customers"] * 64
    with ThreadPoolExecutor(8) as threads:
        counted = threads.map(lambda text: count_tokens([text], "o200k_base"), texts)
    assert list(counted) == [[4]] * 64
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


@given(st.text())
def test_an_estimate_is_a_token_for_every_four_bytes(text: str) -> None:
    n_bytes = len(text.encode("utf-8", "replace"))
    found = estimate(text)
    assert found is not None
    assert found * 4 - 3 <= n_bytes <= found * 4 or n_bytes == found == 0


def test_without_tiktoken_the_estimate_counts_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "tiktoken")
    assert count_tokens(["12345678", "123456789", None], "o200k_base") == [2, 3, None]
    assert counted_with("o200k_base") == "estimate of a token for every 4 bytes: tiktoken is not installed"


def test_without_a_vocabulary_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "litellm")
    assert count_tokens(["12345678"], "o200k_base") == [2]
    assert counted_with("o200k_base").endswith(": no vocabulary of o200k_base is at hand")


def test_a_vocabulary_of_ones_own_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    carried = tokens._folder("cl100k_base")
    assert carried is not None
    for file in carried.iterdir():
        if re.fullmatch(r"[0-9a-f]{40}", file.name):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    without(monkeypatch, "litellm")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert count_tokens(["the number of customers"], "cl100k_base") == [4]
    assert counted_with("cl100k_base") == f"tiktoken {tiktoken.__version__} cl100k_base"


def test_a_spoilt_vocabulary_is_an_estimate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    carried = tokens._folder("cl100k_base")
    assert carried is not None
    for file in carried.iterdir():
        (tmp_path / file.name).write_bytes(b"spoilt")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert count_tokens(["12345678"], "cl100k_base") == [2]
    assert counted_with("cl100k_base").startswith("estimate of a token for every 4 bytes: ")


def test_a_text_that_tiktoken_cannot_bear_keeps_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fragile:
        def encode(self, text: str, **_: Any) -> list[int]:
            if "!" in text:
                raise type("PanicException", (BaseException,), {})(text)
            return [1]

    monkeypatch.setattr(tokens, "_encoding", lambda name: Fragile())
    assert count_tokens(["fine", "12345678!", None], "o200k_base") == [1, 3, None]


def test_the_variable_takes_the_encodings_that_can_be_counted() -> None:
    listed = re.search(r"set known = \[(.*?)\]", MACRO.read_text(), re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"'(\w+)'", listed[1])) == set(VOCABULARIES)
