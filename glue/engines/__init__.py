"""Database engines: `base` says what one must do, each other file holds one engine's differences."""

from __future__ import annotations

from glue.engines.base import Engine, engine_named, engine_names

__all__ = ["Engine", "engine_named", "engine_names"]
