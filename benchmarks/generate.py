"""How much longer than the model itself does `glue generate` take?

    python -m benchmarks.generate
    python -m benchmarks.generate --requests 1000 --latency 0.05 --concurrency 32 --litellm

A server in its own process answers every request after `latency`. Prints the time from the first request on
the wire until all answers have landed as Parquet, against the ideal (requests / concurrency x latency) and
against a bare loop of asyncio and httpx that throws the answers away; start-up is apart. --litellm: also a
provider that goes through litellm.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from glue.generate import ModelOptions, generate
from glue.home import Home
from glue.landing import landed_keys
from tests import generate_helpers
from tests.model_server import ModelServer, model_server

WANTED_RATIO = 1.2


def main() -> int:
    """Run the comparison that the arguments ask for; 1 when the direct way takes too long."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--litellm", action="store_true", help="also a provider that goes through litellm")
    arguments = parser.parse_args()
    ideal_s = arguments.requests / arguments.concurrency * arguments.latency
    print(
        f"{arguments.requests:,} requests of {arguments.latency * 1000:g} ms,"
        f" {arguments.concurrency} at once: ideal {ideal_s:.2f} s"
    )
    generate_helpers.stand_in_for_dbt()
    with model_server() as server:
        bare_s = _bare_httpx(server, arguments)
        _print("bare asyncio and httpx", bare_s, ideal_s, bare_s)
        _print("bare asyncio and aiohttp", _bare_aiohttp(server, arguments), ideal_s, bare_s)
        seconds, start_up_s = _glue(server, arguments, "openai/test")
        _print("glue generate", seconds, ideal_s, bare_s, start_up_s)
        if arguments.litellm:
            _print("through litellm", *_with(_glue(server, arguments, "hosted_vllm/test"), ideal_s, bare_s))
    ratio = seconds / ideal_s
    print(f"glue generate takes {ratio:.2f} times the ideal, wanted at most {WANTED_RATIO}")
    return int(ratio > WANTED_RATIO)


def _with(measured: tuple[float, float], ideal_s: float, bare_s: float) -> tuple[float, float, float, float]:
    seconds, start_up_s = measured
    return seconds, ideal_s, bare_s, start_up_s


def _print(what: str, seconds: float, ideal_s: float, bare_s: float, start_up_s: float | None = None) -> None:
    start_up = "" if start_up_s is None else f", and {start_up_s:.2f} s before the first request"
    ratios = f"{seconds / ideal_s:.2f} x ideal, {seconds / bare_s:.2f} x bare"
    print(f"{what}: {seconds:.2f} s, {ratios}{start_up}")


def _glue(server: ModelServer, arguments: argparse.Namespace, model: str) -> tuple[float, float]:
    """Seconds from the first request's arrival until all has landed, and seconds before it (without dbt)."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        generate_helpers.land_benchmark(home, arguments.requests)
        server.plan(delay_s=arguments.latency)
        options = ModelOptions(api_base=server.url, concurrency=arguments.concurrency)
        started_s = time.time()
        (report,) = generate(home, [model], generate_helpers.BENCHMARK, options=options)
        ended_s = time.time()
        assert report.n_answered == arguments.requests, report
        assert landed_keys(home, "responses").num_rows == arguments.requests
        first_s = server.seen()[0]["at"]
    return ended_s - first_s, first_s - started_s


Post = Callable[[dict[str, Any]], Awaitable[Any]]


def _bare_httpx(server: ModelServer, arguments: argparse.Namespace) -> float:
    """Seconds that asking alone takes with httpx: the same requests, as many at once, nothing kept."""
    import httpx

    async def run() -> float:
        async with httpx.AsyncClient(timeout=60) as client:

            async def post(request: dict[str, Any]) -> Any:
                return (await client.post(f"{server.url}/chat/completions", json=request)).json()

            return await _seconds(post, arguments)

    server.plan(delay_s=arguments.latency)
    return asyncio.run(run())


def _bare_aiohttp(server: ModelServer, arguments: argparse.Namespace) -> float:
    """The same with aiohttp, which `glue generate` uses: what its own work comes on top of."""
    import aiohttp

    async def run() -> float:
        async with aiohttp.ClientSession() as session:

            async def post(request: dict[str, Any]) -> Any:
                async with session.post(f"{server.url}/chat/completions", json=request) as response:
                    return await response.json()

            return await _seconds(post, arguments)

    server.plan(delay_s=arguments.latency)
    return asyncio.run(run())


async def _seconds(post: Post, arguments: argparse.Namespace) -> float:
    numbers = iter(range(1, arguments.requests + 1))

    async def work() -> None:
        for number in numbers:
            assert (await post(_request(f"q{number}")))["choices"]

    started_s = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(arguments.concurrency)))
    return time.perf_counter() - started_s


def _request(text: str) -> dict[str, Any]:
    messages = [{"role": "system", "content": "Answer in SQL."}, {"role": "user", "content": text}]
    return {"model": "test", "messages": messages, "temperature": 0, "max_tokens": 8192}


if __name__ == "__main__":
    sys.exit(main())
