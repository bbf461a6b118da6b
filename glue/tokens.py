"""Counts the tokens of texts for SQL, offline: with tiktoken, or where that cannot be, by a stated estimate.

Nothing here goes to the network. A vocabulary is looked for in the folder that TIKTOKEN_CACHE_DIR names and
then among those that litellm carries; a spoilt one is passed over. `counted_with` says what counts; it
belongs beside every such number.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
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

SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
}
"""Vocabulary file -> the sha256 that tiktoken wants. One with another it would delete, and fetch anew."""

BYTES_A_TOKEN = 4
"""Of the estimate: about what English text and SQL have."""

_LOADING = threading.Lock()
_PUBLISHED_AT = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def count_tokens(texts: Sequence[str | None], encoding: str) -> list[int | None]:
    """The number of tokens of each text; None for None. Special tokens in a text are text like any other."""
    count = counting(encoding) or estimate
    return [None if text is None else count(text) for text in texts]


def counting(encoding: str) -> Callable[[str], int] | None:
    """What counts a text's tokens in an encoding; None where that is not at hand."""
    loaded = _encoding(encoding)
    return None if loaded is None else partial(_count, loaded)


def _count(encoding: Encoding, text: str) -> int:
    try:
        return len(encoding.encode(text, disallowed_special=()))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # Rust's panics are no Exception; one text must not lose its neighbours
        return estimate(text)


def estimate(text: str) -> int:
    """Tokens of a text by its length alone: one for every four bytes of UTF-8 that are begun."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def counted_with(encoding: str) -> str:
    """What `count_tokens` counts with, for people: tiktoken and its version, or the estimate and why."""
    if _encoding(encoding) is not None:
        return f"tiktoken {version('tiktoken')} {encoding}"
    reason = _missing(encoding) or f"the vocabulary of {encoding} cannot be read"
    return f"estimate of a token for every {BYTES_A_TOKEN} bytes: {reason}"


def vocabularies() -> list[str]:
    """Each encoding whose vocabulary is at hand: with others, texts may be counted otherwise."""
    return [name for name in VOCABULARIES if _folder(name) is not None]


def _missing(encoding: str) -> str | None:
    """Why an encoding cannot be used; None where it can."""
    if importlib.util.find_spec("tiktoken") is None:
        return "tiktoken is not installed"
    if encoding not in VOCABULARIES:
        return f"no encoding {encoding!r} is known"
    if _folder(encoding) is None:
        return f"no whole vocabulary of {encoding} is at hand"
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
    """The folder that holds an encoding's whole vocabulary, under the name that tiktoken's cache gives it."""
    vocabulary = VOCABULARIES[encoding]
    address = _PUBLISHED_AT.format(vocabulary)
    file = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
    folders = [Path(chosen)] if (chosen := os.environ.get("TIKTOKEN_CACHE_DIR")) else []
    litellm = importlib.util.find_spec("litellm")
    if litellm is not None and litellm.origin is not None:
        folders.append(Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers")
    return next((folder for folder in folders if _sha256(folder / file) == SHA256[vocabulary]), None)


def _sha256(path: Path) -> str | None:
    """The hash of a file; None where there is none to read."""
    try:
        status = path.stat()
        return _sha256_in_state(path, status.st_size, status.st_mtime_ns) if path.is_file() else None
    except OSError:
        return None


@cache
def _sha256_in_state(path: Path, size: int, mtime_ns: int) -> str:
    """Read once as long as size and time stay: every build asks for it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
