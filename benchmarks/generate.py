"""How much longer than the model itself does `glue generate` take?

    python -m benchmarks.generate
    python -m benchmarks.generate --requests 1000 --latency 0.05 --concurrency 32 --litellm

A server in its own process answers every request after `latency`. Prints the time from the first request on
the wire until every answer lies in Parquet, against the ideal (requests / concurrency x latency) and against
bare loops of asyncio that throw the answers away. Start-up is apart. Several runs tell how steady it is; the
middle one counts. --litellm: also a provider that goes through litellm.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

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
    parser.add_argument("--runs", type=int, default=5, help="of glue generate")
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
        _print("bare asyncio and httpx", Times(bare_s), ideal_s, bare_s)
        _print("bare asyncio and aiohttp", Times(_bare_aiohttp(server, arguments)), ideal_s, bare_s)
        seconds = []
        for _ in range(arguments.runs):
            times = _glue(server, arguments, "openai/test")
            seconds.append(times.whole_s)
            _print("glue generate", times, ideal_s, bare_s)
        if arguments.litellm:
            _print("through litellm", _glue(server, arguments, "hosted_vllm/test"), ideal_s, bare_s)
    ratio = median(seconds) / ideal_s
    print(f"glue generate takes {ratio:.2f} times the ideal, wanted at most {WANTED_RATIO}")
    return int(ratio > WANTED_RATIO)


class Times(NamedTuple):
    """Seconds: from the first request to the last answer, and before and after that where it is told."""

    asking_s: float
    before_s: float | None = None
    after_s: float = 0.0

    @property
    def whole_s(self) -> float:
        """From the first request until all is Parquet."""
        return self.asking_s + self.after_s


def _print(what: str, times: Times, ideal_s: float, bare_s: float) -> None:
    apart = ""
    if times.before_s is not None:
        asking, parquet = f"{times.asking_s:.2f} s asking", f"{times.after_s:.2f} s to Parquet"
        apart = f" ({asking}, {parquet}; {times.before_s:.2f} s before)"
    ratios = f"{times.whole_s / ideal_s:.2f} x ideal, {times.whole_s / bare_s:.2f} x bare"
    print(f"{what}: {times.whole_s:.2f} s, {ratios}{apart}")


def _glue(server: ModelServer, arguments: argparse.Namespace, model: str) -> Times:
    """From the first request to the last answer; before it (without dbt); after it, until all is Parquet."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        generate_helpers.land_benchmark(home, arguments.requests)
        server.plan(delay_s=arguments.latency)
        options = ModelOptions(api_base=server.url, concurrency=arguments.concurrency)
        started_s = time.time()
        (report,) = generate(home, [model], generate_helpers.BENCHMARK, options=options)
        ended_s = time.time()
        assert report.n_answered == arguments.requests, report
        landed = landed_keys(home, "responses", columns=["responded_at"])["responded_at"].to_pylist()
        assert len(landed) == arguments.requests
        first_s, last_s = server.seen()[0]["at"], max(landed).timestamp()
    return Times(last_s - first_s, first_s - started_s, ended_s - last_s)


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
