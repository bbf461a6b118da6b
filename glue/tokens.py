"""Counts the tokens of texts for SQL, offline: with tiktoken, or where that cannot be, by a stated estimate.

Nothing here goes to the network. A vocabulary is looked for in the folder that TIKTOKEN_CACHE_DIR names and
then among those that litellm carries. `counted_with` says what counts; it belongs beside every such number.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

VOCABULARIES = {
    "cl100k_base": "cl100k_base",
    "o200k_base": "o200k_base",
    "o200k_harmony": "o200k_base",
    "p50k_base": "p50k_base",
    "p50k_edit": "p50k_base",
    "r50k_base": "r50k_base",
}
"""Encoding -> its vocabulary file, by the name it is published under."""

BYTES_A_TOKEN = 4
"""Of the estimate: about what English text and SQL have."""

_LOADING = threading.Lock()
_PUBLISHED_AT = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def count_tokens(texts: Sequence[str | None], encoding: str) -> list[int | None]:
    """The number of tokens of each text; None for None. Special tokens in a text are text like any other."""
    loaded = _encoding(encoding)
    if loaded is None:
        return [estimate(text) for text in texts]
    return [None if text is None else _count(loaded, text) for text in texts]


def _count(encoding: Encoding, text: str) -> int:
    try:
        return len(encoding.encode(text, disallowed_special=()))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # Rust's panics are no Exception; one text must not lose its neighbours
        return estimate(text) or 0


def estimate(text: str | None) -> int | None:
    """Tokens of a text by its length alone: one for every four bytes of UTF-8 that are begun."""
    return None if text is None else -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def counted_with(encoding: str) -> str:
    """What `count_tokens` counts with, for people: tiktoken and its version, or the estimate and why."""
    if _encoding(encoding) is not None:
        return f"tiktoken {version('tiktoken')} {encoding}"
    reason = _missing(encoding) or f"the vocabulary of {encoding} cannot be read"
    return f"estimate of a token for every {BYTES_A_TOKEN} bytes: {reason}"


def vocabularies() -> list[str]:
    """Each vocabulary at hand and the folder it lies in: another state of these may count otherwise."""
    return [f"{name} {folder}" for name in VOCABULARIES if (folder := _folder(name)) is not None]


def _missing(encoding: str) -> str | None:
    """Why an encoding cannot be used; None where it can."""
    if importlib.util.find_spec("tiktoken") is None:
        return "tiktoken is not installed"
    if encoding not in VOCABULARIES:
        return f"no encoding {encoding!r} is known"
    if _folder(encoding) is None:
        return f"no vocabulary of {encoding} is at hand"
    return None


def _encoding(name: str) -> Encoding | None:
    """The encoding, or None where it is not at hand. DuckDB asks from several threads at once."""
    with _LOADING:
        return _loaded(name)


@cache
def _loaded(name: str) -> Encoding | None:
    if _missing(name) is not None:
        return None
    import tiktoken

    held = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_folder(name))  # without it tiktoken goes to the network
    try:
        return tiktoken.get_encoding(name)
    except Exception:
        return None
    finally:
        if held is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = held


def _folder(encoding: str) -> Path | None:
    """The folder that holds an encoding's vocabulary, under the name that tiktoken's cache gives it."""
    address = _PUBLISHED_AT.format(VOCABULARIES[encoding])
    file = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
    folders = [Path(chosen)] if (chosen := os.environ.get("TIKTOKEN_CACHE_DIR")) else []
    litellm = importlib.util.find_spec("litellm")
    if litellm is not None and litellm.origin is not None:
        folders.append(Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers")
    return next((folder for folder in folders if (folder / file).is_file()), None)
