"""Fixtures every test may use: a throw-away warehouse, and the real data where it is at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from glue.home import Home

if TYPE_CHECKING:
    from tests.engines.servers import Servers

# Modules of helpers that assert: pytest says what was compared there too.
pytest.register_assert_rewrite("tests.kill_helpers", "tests.sql.label_helpers")

# Encoders in parallel test processes: threads that wait for each other's cores burn them, and are slower.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no reason to fail.
settings.register_profile("evalhouse", deadline=None)
settings.load_profile("evalhouse")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A warehouse of its own for one test: nothing has landed, nothing is built."""
    root = tmp_path / "home"
    root.mkdir()
    return Home(root)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data: EVALHOUSE_SHARED_DATA, or shared/data beside the checkout.

    Tests skip where neither is, but not in CI: there they fail.
    """
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("EVALHOUSE_SHARED_DATA") or beside)
    if not folder.is_dir():
        missing = f"real data is not at hand: no folder {folder} (set EVALHOUSE_SHARED_DATA)"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return folder


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    """Real database servers by engine, each with a database and a reading user for one file of tests."""
    from tests.engines.servers import Servers

    found = Servers()
    yield found
    found.drop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first, so that parallel workers end together."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
