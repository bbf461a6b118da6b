"""BIRD dev with every question held out, for all that is measured on it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from glue.build import refresh
from glue.home import Home
from glue.study.registry import HistoryOptions, register_history
from tests.commands import glue


@pytest.fixture(scope="session")
def bird(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of BIRD dev, every question held out, compared by MiniLM; built up to `history_candidates`."""
    if importlib.util.find_spec("sentence_transformers") is None:
        missing = "the encoder is not installed: make encoders"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    root, folder = tmp_path_factory.mktemp("bird"), shared_data / "bird"
    glue(
        root,
        *("import", "bird", "--name", "bird_dev", "--questions", folder / "meta" / "dev.json"),
        *("--tables", folder / "meta" / "dev_tables.json", "--databases", folder / "databases"),
    )
    home = Home(root)
    register_history(home, "bird_dev", HistoryOptions("bird_dev", encoder="minilm"))
    glue(root, "embed", "--encoder", "minilm", "--benchmark", "bird_dev")
    refresh(home, "history_candidates")
    return root
