"""The model server of tests/model_server.py, answering as tests/study/past.py says.

    python -m tests.study.past_server        prints its port, then serves until it is killed

What it said to a request is kept with it, as `reply`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from tests.model_server import respond_to_chat, serve, texts_of
from tests.study.past import reply

_n_by_text: Counter[str] = Counter()


async def _respond(writer: asyncio.StreamWriter, seen: dict[str, Any]) -> bool:
    seen["reply"] = reply(seen["text"], _n_by_text[seen["text"]])
    _n_by_text[seen["text"]] += 1
    return await respond_to_chat(writer, {**seen, "kind": f"ok:{seen['reply']}"})


if __name__ == "__main__":
    asyncio.run(serve(texts_of, _respond))
