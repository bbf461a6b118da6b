"""What all encoders have in common: a name, a revision, and vectors that are checked before they land."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from glue.errors import GlueError

ENCODERS_HINT = "pip install 'evalhouse[encoders]' (in a checkout: make encoders)"
MULTILINGUAL_HINT = "pip install 'evalhouse[multilingual]' (in a checkout: make encoders)"

FOLDER_HINT = "name a folder that sentence-transformers has saved"

_HASHED_BYTES = 1 << 20
_NOT_THE_MODEL = {".md", ".pyc"}

Vectors = list[list[float]]


class LocalEncoder(Protocol):
    """An encoder that runs in this process."""

    name: str
    """As the command line names it, and as it lands."""
    kind: str
    """sentence_transformers or numpy."""
    n_max_tokens: int | None
    """How many tokens of a text it reads; None: all of them, or nobody knows."""

    @property
    def revision(self) -> str:
        """The sha256 of the model's files."""

    @property
    def token_counter(self) -> str | None:
        """What counts its tokens, for people; None where nothing does."""

    def count_tokens(self, texts: Sequence[str]) -> list[int] | None:
        """Tokens of each whole text, by its own count; None where nothing counts them."""

    def load(self) -> None:
        """Have the model in memory. GlueError when it cannot be loaded."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, in order."""


class VectorCheck:
    """Checks what came back for a batch. Most of the first vectors say how long all others must be."""

    def __init__(self, n_dimensions: int | None = None) -> None:
        self.n_dimensions = n_dimensions

    def problem(self, vectors: Any, n_texts: int) -> str | None:
        """What is wrong with the vectors of so many texts; None when they may land."""
        if not isinstance(vectors, list) or len(vectors) != n_texts:
            found = len(vectors) if isinstance(vectors, list) else "no"
            return f"{found} vectors for {n_texts} texts"
        if not all(map(_is_vector, vectors)):
            return "a vector is no list of finite numbers"
        lengths = Counter(map(len, vectors)).most_common()
        expected = self.n_dimensions or (lengths[0][0] if lengths else None)
        if len(lengths) == 1 or (lengths and lengths[0][1] > lengths[1][1]):
            self.n_dimensions = expected  # although one may be wrong: alone, it must not pass for right
        wrong = next((length for length, _ in lengths if length != expected), None)
        return f"a vector has {wrong} dimensions, expected {expected}" if wrong else None


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and abs(value) <= 3.4e38


def files_revision(folder: Path) -> str:
    """The sha256 of a model's files: their names and contents, less prose, bytecode and hidden ones.

    GlueError when the folder holds none, or one that cannot be read.
    """
    digest = hashlib.sha256()
    n_files = 0
    try:
        for path in sorted(_model_files(folder)):
            n_files += 1
            digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                while chunk := file.read(_HASHED_BYTES):
                    digest.update(chunk)
    except OSError as error:
        raise GlueError(f"the model in {folder} cannot be read: {error}", FOLDER_HINT) from error
    if not n_files:
        raise GlueError(f"{folder} holds no model", FOLDER_HINT)
    return digest.hexdigest()


def _model_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        is_hidden = any(part.startswith((".", "__")) for part in parts[:-1]) or parts[-1].startswith(".")
        if path.is_file() and not is_hidden and path.suffix not in _NOT_THE_MODEL:
            yield path
