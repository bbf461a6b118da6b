"""Drivers that tests need: a test of one that is missing skips and says so, but in CI it fails."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def needed(module: str, reason: str = "") -> Any:
    """The module, imported now."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing(f"{module} cannot be imported: {error}. {reason}")


def missing(message: str) -> None:
    """Something that this module's tests need is not here."""
    if os.environ.get("CI"):
        raise RuntimeError(message)
    pytest.skip(message, allow_module_level=True)
