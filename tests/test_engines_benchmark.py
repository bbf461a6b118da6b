"""What `benchmarks.engines` measures with: a tiny run, its statements, and nothing of it left behind."""

from __future__ import annotations

import re
import secrets

import pytest

from benchmarks import engines, engines_data
from benchmarks.bare_servers import Timed
from benchmarks.engines_data import large_statements, question_statements, small_statements
from glue.engines.server import Address
from tests.engines.servers import LIVE, Servers


@pytest.mark.parametrize("engine", LIVE)
def test_a_tiny_run_prints_its_ratios(
    engine: str, servers: Servers, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = servers[engine]
    prefix = f"evalhouse_benchmark_{secrets.token_hex(3)}_"
    monkeypatch.setattr(engines_data, "PREFIX", prefix)
    tiny = ["--engine", engine, "--questions", "6", "--small", "18", "--large", "2", "--runs", "1"]
    assert engines.main(tiny) == 0
    printed = capsys.readouterr().out
    assert f"{engine}: 18 statements, 1 to 100 rows; processes: 2;" in printed
    assert f"{engine}: 2 statements, 10,000 rows; processes: 2; 20,000 rows" in printed
    assert len(re.findall(r"against safe, bare driver +\d+\.\d\d times", printed)) == 3
    assert len(re.findall(r"against bare statement .* [+-]\d+\.\d{3} ms a statement", printed)) == 3
    listing = "select datname from pg_database" if engine == "postgresql" else "show databases"
    names = [name for (name,) in server.run(listing, server.master_database)]
    assert names and not any(name.startswith(prefix) for name in names)


def test_a_number_of_rows_that_differs_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = {"glue": [3, 4], "safe": [3, 4], "bare": [3, 5]}
    monkeypatch.setattr(
        engines, "run_way", lambda way, *_: Timed(2.0 if way == "glue" else 1.0, 0.1, counts[way])
    )
    assert not engines.compare(Address("postgresql"), "few rows", ["select 1", "select 2"], 2, 3)
    printed = capsys.readouterr().out
    assert "numbers of rows differ for 1 statements" in printed
    assert "2.00 times (2.00 to 2.00), +500.000 ms" in printed


def test_statements_are_distinct_and_always_the_same() -> None:
    small, large = small_statements(3_000), large_statements(100)
    assert len(set(small)) == 3_000 and small[:50] == small_statements(50)
    assert len(set(large)) == 100
    assert len(set(question_statements(500))) == 500
