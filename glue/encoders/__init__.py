"""Encoders by name: models that run here, and embedding models behind an API. Heavy imports wait."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from glue.encoders.base import FOLDER_HINT, LocalEncoder
from glue.errors import GlueError, nearest

if TYPE_CHECKING:
    from glue.encoders.api import ApiEncoder, ApiOptions

    Encoder: TypeAlias = LocalEncoder | ApiEncoder

__all__ = ["LocalEncoder", "encoder_of", "landed_name"]

_HERE = ("minilm", "use-multilingual")


def encoder_of(name: str, options: ApiOptions) -> Encoder:
    """The encoder of a name: minilm, use-multilingual, hub:ORG/NAME, a folder, or litellm's provider/model.

    GlueError when a package is missing, when there is no such folder, or when litellm knows no such provider.
    """
    if name == "minilm":
        from glue.encoders.sentence_models import minilm

        return _checked(minilm(), options)
    if name == "use-multilingual":
        from glue.encoders.multilingual import UniversalSentenceEncoder

        return _checked(UniversalSentenceEncoder(name), options)
    if name.startswith("hub:"):
        from glue.encoders.sentence_models import hub_model

        return _checked(hub_model(name), options)
    folder = Path(name).expanduser()
    if name.strip() and folder.is_dir():  # no name would be the current folder
        from glue.encoders.sentence_models import folder_model

        return _checked(folder_model(folder), options)
    if name.startswith((".", "/", "~")):
        raise GlueError(f"there is no folder {name}", FOLDER_HINT)
    if "/" not in name and not _is_listed(name):
        close = nearest(name, list(_HERE))
        forms = f"{', '.join(_HERE)}, hub:ORG/NAME, a folder, or litellm's provider/model"
        raise GlueError(
            f"there is no encoder {name!r}", f"did you mean {close}?" if close else f"encoders: {forms}"
        )
    from glue.encoders.api import ApiEncoder

    return ApiEncoder.of(name, options)


def landed_name(name: str) -> str:
    """The name that an encoder's vectors land under: a folder has another than its path."""
    from glue.encoders.api import ApiOptions

    return encoder_of(name, ApiOptions()).name


def _is_listed(name: str) -> bool:
    from glue.solvers.prices import listed

    try:
        return listed(name) is not None
    except GlueError:  # without litellm there is no list
        return False


def _checked(encoder: LocalEncoder, options: ApiOptions) -> LocalEncoder:
    """GlueError when options are given that only an API knows."""
    given = {"--api-base": options.api_base, "--dimensions": options.dimensions}
    for option, value in given.items():
        if value is not None:
            raise GlueError(
                f"{option} is for models behind an API, and {encoder.name} runs here", "leave it out"
            )
    return encoder
