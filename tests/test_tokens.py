"""Counting tokens in SQL: offline, whatever a text holds, and with what counted said beside the number."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from glue import tokens
from glue.solvers.tokens import counter_for
from glue.tokens import VOCABULARIES, count_tokens, counted_with, estimate, vocabularies
from glue.udfs import register

MACRO = Path(__file__).resolve().parents[1] / "macros" / "token_encoding.sql"


@pytest.fixture(autouse=True)
def _no_network_and_no_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Encodings are looked for anew in every test, and a way to the network is an error."""
    fetched: list[str] = []

    def refuse(address: str) -> bytes:
        fetched.append(address)
        raise OSError(f"{address} is on the network")

    monkeypatch.setattr("tiktoken.load.read_file", refuse)
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    for known in (tokens._loaded, counter_for):
        known.cache_clear()
    yield
    for known in (tokens._loaded, counter_for):
        known.cache_clear()
    assert fetched == []


def in_sql(sql: str, *values: Any) -> list[Any]:
    with duckdb.connect() as connection:
        register(connection)
        return connection.execute(sql, list(values)).fetchall()


def instead(monkeypatch: pytest.MonkeyPatch, package: str, spec: Any) -> None:
    """Let a package be found elsewhere."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: spec if name == package else find(name, *rest)
    )


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """As if a package were not installed."""
    instead(monkeypatch, package, None)


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
    assert counted_with("o200k_base").endswith(": no whole vocabulary of o200k_base is at hand")


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


@pytest.mark.parametrize("is_cut", [True, False])
def test_a_spoilt_vocabulary_is_passed_over_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_cut: bool
) -> None:
    carried = tokens._folder("cl100k_base")
    assert carried is not None
    spoilt = {}
    for file in carried.iterdir():
        if re.fullmatch(r"[0-9a-f]{40}", file.name):
            spoilt[file.name] = file.read_bytes()[:-20] if is_cut else b"spoilt"
            (tmp_path / file.name).write_bytes(spoilt[file.name])
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert count_tokens(["the number of customers"], "cl100k_base") == [4]  # litellm carries it too
    assert counted_with("cl100k_base").startswith("tiktoken ")
    tokens._loaded.cache_clear()
    without(monkeypatch, "litellm")
    assert count_tokens(["12345678"], "cl100k_base") == [2]
    assert counted_with("cl100k_base").endswith(": no whole vocabulary of cl100k_base is at hand")
    assert vocabularies() == []
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == spoilt


def test_a_prompts_tokens_are_estimated_where_litellms_vocabularies_are_spoilt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    carried = tokens._folder("o200k_base")
    assert carried is not None
    folder = tmp_path / "litellm_core_utils" / "tokenizers"
    folder.mkdir(parents=True)
    for file in carried.iterdir():
        (folder / file.name).write_bytes(b"spoilt")
    instead(monkeypatch, "litellm", SimpleNamespace(origin=str(tmp_path / "__init__.py")))
    counter = counter_for("openai/gpt-4o")
    assert counter.count("123456789") == 3
    assert counter.told == counted_with("o200k_base") and counter.told.startswith("estimate of a token")
    assert all(file.read_bytes() == b"spoilt" for file in folder.iterdir())


def test_a_vocabulary_is_read_again_once_it_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    carried = tokens._folder("p50k_base")
    assert carried is not None
    without(monkeypatch, "litellm")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    names = ["p50k_base", "p50k_edit"]  # of one file
    for file in carried.iterdir():
        if re.fullmatch(r"[0-9a-f]{40}", file.name):
            (tmp_path / file.name).write_bytes(b"spoilt")
            assert vocabularies() == []
            (tmp_path / file.name).write_bytes(file.read_bytes())
            if vocabularies() == names:
                break
            (tmp_path / file.name).unlink()
    assert vocabularies() == names


def test_the_same_vocabularies_are_at_hand_wherever_they_lie(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """litellm sets TIKTOKEN_CACHE_DIR once it is imported: no build must follow from that."""
    found = vocabularies()
    carried = tokens._folder("cl100k_base")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(carried))
    assert vocabularies() == found and "cl100k_base" in found


def test_the_hashes_are_those_that_tiktoken_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another hash tiktoken would delete the file and go to the network."""
    from tiktoken_ext import openai_public

    checked: dict[str, Any] = {}

    def note(address: str, expected_hash: str) -> dict[bytes, int]:
        checked[address] = expected_hash
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", note)
    for name, file in VOCABULARIES.items():
        checked.clear()
        openai_public.ENCODING_CONSTRUCTORS[name]()
        assert checked == {tokens._PUBLISHED_AT.format(file): tokens.SHA256[file]}


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
