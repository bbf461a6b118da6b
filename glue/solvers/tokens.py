"""Counts the tokens of prompts offline: with the model's encoding, where its vocabulary is at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from glue.tokens import counted_with, counting, estimate

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

    name = model.rpartition("/")[2]
    try:
        own = tiktoken.encoding_name_for_model(name)
    except KeyError:
        own = ""
    if count := counting(own):
        return Counter(f"tiktoken's {own}", count)
    if count := counting(_FALLBACK):
        return Counter(f"tiktoken's {_FALLBACK}, not {name}'s own: an estimate", count)
    return Counter(counted_with(_FALLBACK), estimate)
