"""Counts the tokens of prompts offline, with tiktoken and the vocabularies that litellm carries."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from glue.solvers.prices import litellm_folder

if TYPE_CHECKING:
    from tiktoken import Encoding

_AT_HAND = ("o200k_base", "o200k_harmony", "cl100k_base", "p50k_base")
"""Encodings whose vocabulary litellm carries (o200k_harmony is o200k_base with other special tokens)."""

_FALLBACK = "o200k_base"
_TOKENS_A_MESSAGE = 4
_TOKENS_A_REPLY = 3


@dataclass(frozen=True)
class Counter:
    """Counts tokens; `told` says with what, for people."""

    told: str
    count: Callable[[str], int]

    def count_messages(self, messages: Sequence[dict[str, str]]) -> int:
        """Tokens of a chat: its texts, and a few for each message's frame."""
        n_text = sum(self.count(message["content"]) for message in messages)
        return n_text + _TOKENS_A_MESSAGE * len(messages) + _TOKENS_A_REPLY


@cache
def counter_for(model: str) -> Counter:
    """The counter for a model; where its encoding is not known or not at hand, another, which `told` says."""
    import tiktoken

    # Set before the first encoding is asked for: otherwise tiktoken goes to the network.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(litellm_folder() / "litellm_core_utils" / "tokenizers")
    name = model.rpartition("/")[2]
    try:
        encoding_name = tiktoken.encoding_name_for_model(name)
    except KeyError:
        encoding_name = ""
    if encoding_name in _AT_HAND:
        return Counter(f"tiktoken's {encoding_name}", _counting(tiktoken.get_encoding(encoding_name)))
    told = f"tiktoken's {_FALLBACK}, not {name}'s own: an estimate"
    return Counter(told, _counting(tiktoken.get_encoding(_FALLBACK)))


def _counting(encoding: Encoding) -> Callable[[str], int]:
    return lambda text: len(encoding.encode(text, disallowed_special=()))
