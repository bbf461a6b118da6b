"""A small pool whose texts are literal rows, in place of dbt's export; and a process that embeds them.

python -m tests.embed_helpers HOME URL N [OPTION=VALUE …]    N texts, encoder openai/test
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from glue import embed as module
from glue.embed import EmbedOptions, EmbedReport, embed
from glue.encoders.api import ApiOptions
from glue.home import Home
from glue.landing import Writer, landed_keys
from glue.progress import Lines, Progress

BENCHMARK = "shop"
ENCODER = "openai/test"


def land_study(home: Home, benchmark: str = BENCHMARK) -> None:
    """Let a benchmark be under study."""
    study = {"study_id": benchmark, "study": "budget", "benchmark": benchmark, "options": "{}"}
    with Writer(home, loop="import") as writer:
        writer.append("studies", [{**study, "registered_at": datetime.now(UTC)}])


def text_names(n_texts: int) -> list[str]:
    """Texts 't1', 't2', …"""
    return [f"t{number}" for number in range(1, n_texts + 1)]


def pending_of(texts: Iterable[str]) -> Callable[[Home], pa.Table]:
    """What dbt would export: the texts of every landed encoder without a vector."""
    names = list(texts)

    def pending(home: Home) -> pa.Table:
        done = {row["embedding_id"] for row in landed(home, "embeddings", ["embedding_id"])}
        failures, permanent = Counter[str](), set[str]()
        for row in landed(
            home, "embedding_attempts", ["embedding_ids", "is_counted", "is_permanent", "outcome"]
        ):
            if row["outcome"] == "failed":
                failures.update(row["embedding_ids"] if row["is_counted"] else [])
                permanent |= set(row["embedding_ids"] if row["is_permanent"] else [])
        rows = []
        for encoder in landed(home, "encoders", ["encoder", "revision", "benchmark"]):
            for text in names:
                key = chr(31).join([encoder["encoder"], encoder["revision"], text])
                embedding_id = hashlib.md5(key.encode()).hexdigest()
                row = {**encoder, "embedding_id": embedding_id, "text": text}
                row |= {
                    "text_id": hashlib.md5(text.encode()).hexdigest(),
                    "n_failures": failures[embedding_id],
                }
                row["is_permanently_failed"] = embedding_id in permanent
                if embedding_id not in done:
                    rows.append(row)
        return pa.Table.from_pylist(rows) if rows else pa.table({"embedding_id": pa.array([], pa.string())})

    return pending


def landed(home: Home, table: str, columns: list[str]) -> list[dict[str, Any]]:
    """Some columns of what has landed."""
    rows: list[dict[str, Any]] = landed_keys(home, table, columns=columns).to_pylist()
    return rows


def stand_in_for_dbt(texts: Iterable[str], replace: Callable[[Any, str, Any], None] = setattr) -> None:
    """Let `glue.embed` read these texts; `replace` is monkeypatch.setattr in tests."""
    replace(module, "refresh", lambda home, target, **_: None)
    replace(module, "pending_embeddings", pending_of(texts))


def attempts(home: Home, *columns: str) -> list[dict[str, Any]]:
    """Landed attempts in the order of landing."""
    names = ["landed_at", "outcome", "n_texts", *columns]
    return sorted(landed(home, "embedding_attempts", names), key=lambda row: row["landed_at"])


def ask(
    home: Home,
    url: str,
    *,
    batch_size: int = 4,
    encoder: str = ENCODER,
    progress: Progress | None = None,
    **options: Any,
) -> EmbedReport:
    """One run of `embed` against a server; back-off is short."""
    given = ApiOptions(**{"api_base": url, "backoff_s": 0.01, "request_timeout_s": 5.0, **options})
    return embed(home, encoder, options=EmbedOptions(batch_size, given), progress=progress)


def main(arguments: Iterable[str]) -> None:
    root, url, n_texts, *options = arguments
    home = Home(Path(root))
    stand_in_for_dbt(text_names(int(n_texts)))
    if not landed_keys(home, "studies").num_rows:
        land_study(home)
    given = {name: json.loads(value) for name, value in (option.split("=", 1) for option in options)}
    print(ask(home, url, progress=Lines(sys.stderr), **given))


if __name__ == "__main__":
    main(sys.argv[1:])
