"""A model server for tests: speaks OpenAI's chat completions over sockets, well or badly, and keeps count.

    python -m tests.model_server        prints its port, then serves until it is killed

Each request of one text (its last message) gets the next of the answers planned for that text (`plan`), else
for the first part that is in it, the last one again and again. `seen` gives what arrived, in order, with
whether it was answered to the end. `hold_after` keeps a client where it is: requests over a limit are seen,
and answered when the limit grows.

    ok, ok:TEXT         an answer                      nosql, empty       an answer without SQL
    truncated           cut at the token limit         filtered           withheld by a content filter
    429, 429:SECONDS, 429:date, 500, 503:SECONDS, 401, 402, 403, 404      these statuses
    too_long            400, the context is exceeded   refuse:SETTING     400 while the setting is there
    wrapped:429         200 with an error inside       garbage, html      200 with nonsense
    text                an answer as text/plain        parts              in parts, with odd numbers in usage
    half_body, half_stream, hang_up    the connection is closed in the middle, or at once
    hang                nothing comes                  echo               the request's headers, as the answer
    slow:SECONDS        an answer after so long        redirect           302 to elsewhere
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ANSWER = "```sql\nSELECT 1\n```"


class ModelServer:
    """A running server, as a test sees it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/v1"

    def plan(
        self,
        default: list[str] | None = None,
        delay_s: float = 0.0,
        by_part: dict[str, list[str]] | None = None,
        **by_text: list[str],
    ) -> None:
        """What to answer, all that comes; and forget what was seen."""
        script = {
            "default": default or ["ok"],
            "by_text": by_text,
            "by_part": by_part or {},
            "delay_s": delay_s,
        }
        self._ask("plan", json.dumps(script).encode())

    def hold_after(self, n_requests: int | None) -> None:
        """Answer the first so many of all requests since the plan, and hold the others; None: hold none."""
        self._ask("hold", json.dumps(n_requests).encode())

    def seen(self) -> list[dict[str, Any]]:
        """Every request: text, body, headers, kind of answer, at (seconds), is_finished."""
        found: list[dict[str, Any]] = json.loads(self._ask("seen"))
        return found

    def counts(self) -> Counter[str]:
        """How many requests came, by text."""
        return Counter(request["text"] for request in self.seen())

    def _ask(self, what: str, body: bytes | None = None) -> bytes:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self.port}/{what}", body, timeout=10) as response:
            answer: bytes = response.read()
            return answer


@contextmanager
def model_server(module: str = "tests.model_server") -> Iterator[ModelServer]:
    """A server in a process of its own; `module` is what it runs."""
    command = [sys.executable, "-m", module]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield ModelServer(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


# --------------------------------------------------------------------------- the server's side


Respond = Callable[[asyncio.StreamWriter, dict[str, Any]], Awaitable[bool]]
"""Answers a request as it was seen (kind, body, headers, path). Whether the connection may be used again."""


class _State:
    def __init__(self) -> None:
        self.default = ["ok"]
        self.by_text: dict[str, list[str]] = {}
        self.by_part: dict[str, list[str]] = {}
        self.delay_s = 0.0
        self.n_answered_at_most: int | None = None
        self.seen: list[dict[str, Any]] = []
        self.n_by_text: Counter[str] = Counter()


async def serve(texts_of: Callable[[dict[str, Any]], list[str]], respond: Respond) -> None:
    """Print a port and serve on it. The first text of a request that has a plan decides, else its first."""
    state = _State()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await _answer_one(state, reader, writer, texts_of, respond):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, limit=1 << 24, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


async def _answer_one(
    state: _State,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    texts_of: Callable[[dict[str, Any]], list[str]],
    respond: Respond,
) -> bool:
    """Whether the connection may be used again."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    path = first.split(" ")[1].partition("?")[0]
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    if path == "/seen":
        await send(writer, 200, json.dumps(state.seen))
        return True
    if path == "/plan":
        script = json.loads(body)
        state.__init__()  # type: ignore[misc]
        for name in ("default", "by_text", "by_part", "delay_s"):
            setattr(state, name, script[name])
        await send(writer, 200, "{}")
        return True
    if path == "/hold":
        state.n_answered_at_most = json.loads(body)
        await send(writer, 200, "{}")
        return True
    request = json.loads(body)
    seen = _see(state, texts_of(request), {"body": request, "headers": headers, "path": path})
    number = len(state.seen)
    while state.n_answered_at_most is not None and number > state.n_answered_at_most:
        await asyncio.sleep(0.005)
    await asyncio.sleep(state.delay_s)
    is_reusable = await respond(writer, seen)
    seen["is_finished"] = True
    return is_reusable


def _see(state: _State, texts: list[str], request: dict[str, Any]) -> dict[str, Any]:
    """The request as it is kept: with the text that decides, the kind of answer it gets, and when it came."""
    text = next((text for text in texts if text in state.by_text), texts[0])
    of_part = next((kinds for part, kinds in state.by_part.items() if part in text), state.default)
    planned = state.by_text.get(text, of_part)
    kind = planned[min(state.n_by_text[text], len(planned) - 1)]
    state.n_by_text[text] += 1
    state.seen.append({**request, "text": text, "kind": kind, "at": time.time(), "is_finished": False})
    return state.seen[-1]


def texts_of(request: dict[str, Any]) -> list[str]:
    content = request["messages"][-1]["content"]
    return [content if isinstance(content, str) else content[0]["text"]]


async def respond_to_chat(writer: asyncio.StreamWriter, seen: dict[str, Any]) -> bool:
    """See Respond: a chat completion, or whatever the kind wants."""
    kind, request, headers = seen["kind"], seen["body"], seen["headers"]
    name, _, value = kind.partition(":")
    if name == "refuse" and value not in request:
        name, value = "ok", ""
    if name.isdigit():
        wait = email.utils.formatdate(time.time() + 2, usegmt=True) if value == "date" else value
        extra = f"Retry-After: {wait}\r\n" if wait else ""
        code = "insufficient_quota" if kind == "402" else None
        authorization = headers.get("authorization", "")
        await send(writer, int(name), _error(f"status {name}, you sent {authorization}", code), extra=extra)
    elif name == "too_long":
        message = "This model's maximum context length is 10 tokens, reduce messages or max_tokens"
        await send(writer, 400, _error(message, "context_length_exceeded"))
    elif name == "refuse":
        hint = " Use 'max_completion_tokens' instead." if value == "max_tokens" else ""
        message = f"Unsupported parameter: '{value}' is not supported with this model.{hint}"
        await send(writer, 400, _error(message, "unsupported_parameter", value))
    elif name == "redirect":
        await send(writer, 302, "", extra="Location: http://127.0.0.1:1/\r\n")
    elif name in ("hang_up", "half_body", "half_stream", "hang"):
        await _break_off(writer, name)
        return False
    elif name in ("garbage", "html"):
        body = "{]]" if name == "garbage" else "<html>Bad gateway, try later</html>"
        await send(writer, 200, body, "application/json" if name == "garbage" else "text/html")
    elif name == "wrapped":
        await send(writer, 200, json.dumps({"error": {"code": int(value), "message": "slow down"}}))
    else:
        await asyncio.sleep(float(value) if name == "slow" else 0)
        text = json.dumps(headers) if name == "echo" else value if name == "ok" and value else ANSWER
        is_anthropic = seen["path"].endswith("/messages")
        body = _anthropic(text) if is_anthropic else _completion(name, text, request)
        await send(writer, 200, body, "text/plain" if name == "text" else "application/json")
    return True


def _completion(kind: str, text: str, request: dict[str, Any]) -> str:
    content: Any = {"nosql": "I cannot say.", "empty": None, "parts": [{"type": "text", "text": text}]}.get(
        kind, text
    )
    reason = {"truncated": "length", "filtered": "content_filter"}.get(kind, "stop")
    usage: dict[str, Any] = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 400},
        "completion_tokens_details": {"reasoning_tokens": 60},
    }
    if kind == "parts":
        usage = {"prompt_tokens": -3, "completion_tokens": "many", "prompt_tokens_details": []}
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    whole = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": f"{request['model']}-2026"}
    return json.dumps({**whole, "choices": [choice], "usage": usage})


def _anthropic(text: str) -> str:
    usage = {"input_tokens": 600, "cache_read_input_tokens": 400, "output_tokens": 100}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "claude", "usage": usage}
    content = [{"type": "text", "text": text}]
    return json.dumps({**message, "content": content, "stop_reason": "end_turn", "stop_sequence": None})


def _error(message: str, code: str | None = None, parameter: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "type": "error", "code": code, "param": parameter}})


async def _break_off(writer: asyncio.StreamWriter, how: str) -> None:
    if how == "half_body":
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{")
    elif how == "half_stream":
        chunk = b'data: {"choices": [{"delta": {"content": "SEL"}}]}\n\n'
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head + b"%x\r\n%s\r\n" % (len(chunk), chunk))
    elif how == "hang":
        await asyncio.sleep(3600)
    await writer.drain()


async def send(
    writer: asyncio.StreamWriter, status: int, body: str, kind: str = "application/json", extra: str = ""
) -> None:
    """Write one HTTP response; `extra` are further header lines."""
    data = body.encode()
    head = f"HTTP/1.1 {status} OK\r\nContent-Type: {kind}\r\n{extra}Content-Length: {len(data)}\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()


if __name__ == "__main__":
    asyncio.run(serve(texts_of, respond_to_chat))
