"""The model server of tests/model_server.py, with embeddings in place of chats.

    python -m tests.embedding_server        prints its port, then serves until it is killed

What is planned for a text is what a batch gets that holds it, the first such text of the batch deciding.
Beside the kinds that the chat server knows:

    ok                  a vector for each text, of its md5, out of order and numbered
    short, long         a vector too few, too many        nan, words, bools   vectors that are none
    empty               vectors without a number          unnumbered          the numbers from 1 on
    other               vectors of another length         no_usage            nothing about tokens
    chat                a chat completion                 only:N              400 for more than N texts
    most:N:KIND         for more than N texts KIND, else ok
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from contextlib import AbstractContextManager
from typing import Any

from tests.model_server import ModelServer, model_server, respond_to_chat, send, serve

N_DIMENSIONS = 8


def vector_of(text: str) -> list[float]:
    """The vector that the server has for a text; its numbers are exact in single precision."""
    return [byte / 256 for byte in hashlib.md5(text.encode()).digest()[:N_DIMENSIONS]]


def text_counts(server: ModelServer) -> Counter[str]:
    """How often each text came, over all requests."""
    return Counter(text for request in server.seen() for text in request["body"]["input"])


def embedding_server() -> AbstractContextManager[ModelServer]:
    """A server in a process of its own."""
    return model_server("tests.embedding_server")


# --------------------------------------------------------------------------- the server's side

_EMBEDDED = (
    "ok",
    "only",
    "short",
    "long",
    "nan",
    "words",
    "bools",
    "empty",
    "unnumbered",
    "other",
    "no_usage",
)


def _texts(request: dict[str, Any]) -> list[str]:
    texts: list[str] = request["input"]
    return texts


async def _respond(writer: asyncio.StreamWriter, seen: dict[str, Any]) -> bool:
    request = seen["body"]
    name, _, value = seen["kind"].partition(":")
    if name == "most":
        most, _, kind = value.partition(":")
        seen["kind"] = kind if len(request["input"]) > int(most) else "ok"
        return await _respond(writer, seen)
    if name == "only" and len(request["input"]) > int(value):
        return await respond_to_chat(writer, {**seen, "kind": "too_long"})
    if name in _EMBEDDED:
        await send(writer, 200, json.dumps(_embeddings(name, request)))
        return True
    return await respond_to_chat(writer, {**seen, "kind": "ok"} if name == "chat" else seen)


def _embeddings(name: str, request: dict[str, Any]) -> dict[str, Any]:
    texts: list[str] = request["input"]
    vectors: list[Any] = [vector_of(text) for text in texts]
    bad = {"nan": float("nan"), "words": "1.5", "bools": True}
    if name in bad:
        vectors[-1] = [*vectors[-1][:-1], bad[name]]
    elif name == "other":
        vectors = [vector[:-1] for vector in vectors]
    elif name == "empty":
        vectors = [[] for _ in vectors]
    elif name == "short":
        vectors = vectors[:-1]
    elif name == "long":
        vectors = [*vectors, vectors[0]]
    first = 1 if name == "unnumbered" else 0
    data = [
        {"object": "embedding", "index": place, "embedding": vector}
        for place, vector in enumerate(vectors, first)
    ]
    whole: dict[str, Any] = {"object": "list", "model": f"{request['model']}-2026", "data": data[::-1]}
    if name != "no_usage":
        n_tokens = 10 * len(texts)
        whole["usage"] = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
    return whole


if __name__ == "__main__":
    asyncio.run(serve(_texts, _respond))
