"""Models on the server: found by name, their revisions, their content named."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from pydantic import ValidationError

from attnscope.errors import BadWeightsFile, ModelChanged, UnknownModel, UnknownRevision
from attnscope.installed.checkpoint_paths import checkpoints_in
from attnscope.installed.model import InstalledModel
from attnscope.installed.model_registry import ModelRegistry, shipped, shipped_model
from attnscope.resources import MOST_INSTALLED, models_dir
from attnscope.trace.open_model import resolve
from attnscope.trace.question import Installed, Question
from tests.families.made import gpt2
from tests.installed.asking import ECHO, echo

NAMES = sorted(path.parent.name for path in models_dir().glob("*/config.json"))


def asked(**model: object) -> Question:
    return Question.model_validate({"text": "a", "model": {**ECHO, **model}})


def test_every_revision_has_the_tensors_that_its_config_says(subtests: pytest.Subtests) -> None:
    for name in NAMES:
        with subtests.test(name):
            model = shipped_model(name)
            config, made = model.config, model.config.architecture
            for revision in model.revisions:
                weights = model.read(revision)
                assert weights.embedding.shape == (config.vocabulary, made.shape.d_model)
                assert len(weights.layers) == made.num_layers
                shape = made.shape
                for layer in weights.layers:
                    for tensor in ("w_q", "w_k", "w_v", "w_o"):
                        assert getattr(layer, tensor).shape == shape.of(tensor)
                    assert all(array.dtype == np.float32 for array in layer.arrays().values())
                    assert (layer.w_in is not None) == (made.mlp_width > 0)
                assert weights.unembedding is not None
                assert weights.unembedding.matrix.shape == (made.shape.d_model, config.vocabulary)
                assert len(model.pieces.names) == config.vocabulary


def test_null_is_the_newest_revision_and_another_is_another_trace() -> None:
    model = shipped_model("echo")
    newest, first = list(model.revisions)[-1], next(iter(model.revisions))
    stored = cast("Installed", echo("a b").plan.question.model)
    assert stored.revision == model.newest == newest
    assert stored.digest == model.digest(newest) != model.digest(first)
    trace = echo("a b")
    assert trace.plan.id == echo("a b", model={**ECHO, "revision": newest}).plan.id
    before = echo("a b", model={**ECHO, "revision": first})
    assert before.plan.id != trace.plan.id
    assert not np.array_equal(before.layers[0]["q"], trace.layers[0]["q"])


def test_saying_what_null_means_names_the_same_trace() -> None:
    whole = echo("a b", tokenizer="model", scale="sqrt_d_k", causal=None)
    assert whole.plan.id == echo("a b").plan.id
    assert "tokenizer" not in whole.plan.question.plain()


def test_what_is_not_there_is_refused_with_what_is() -> None:
    with pytest.raises(UnknownModel) as unknown:
        resolve(asked(name="nobody"), shipped())
    assert "echo" in str(unknown.value.values["models"])
    with pytest.raises(UnknownRevision) as revision:
        resolve(asked(revision="step-1"), shipped())
    assert shipped().models["echo"].newest in str(revision.value.values["revisions"])
    with pytest.raises(ModelChanged):
        resolve(asked(digest="0" * 16), shipped())


def test_another_content_is_another_digest(tmp_path: Path) -> None:
    shutil.copytree(models_dir() / "echo", tmp_path / "echo")
    model = InstalledModel(tmp_path / "echo")
    digest = model.digest(model.newest)
    assert digest == shipped().models["echo"].digest(model.newest)
    weights = tmp_path / "echo" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    changed = ModelRegistry(tmp_path).find("echo")
    assert changed.digest(changed.newest) != digest


def test_a_config_with_a_key_that_is_not_known_is_refused(tmp_path: Path) -> None:
    shutil.copytree(models_dir() / "echo", tmp_path / "echo")
    config = tmp_path / "echo" / "config.json"
    config.write_text(config.read_text().replace("{", '{"rope_scaling": 2,', 1))
    with pytest.raises(ValidationError, match="rope_scaling"):
        ModelRegistry(tmp_path)


def test_what_is_found_and_cannot_be_opened_is_left_out_and_reported(tmp_path: Path) -> None:
    sound, empty = gpt2(tmp_path / "sound"), tmp_path / "empty"
    empty.mkdir()
    torn = gpt2(tmp_path / "torn")
    (torn / "tokenizer.json").write_text("{")
    taken = gpt2(tmp_path / "echo")
    registry = ModelRegistry(models_dir(), found=[empty, sound, taken, torn])
    assert "sound" in registry.models
    assert {path: error.reason for path, error in registry.broken.items()} == {
        empty: "no_model",
        taken: "name_twice",
        torn: "tokenizer_broken",
    }


def test_a_folder_of_more_models_than_are_served_is_refused_not_cut(tmp_path: Path) -> None:
    for number in range(MOST_INSTALLED):
        (tmp_path / f"model{number}").mkdir()
        (tmp_path / f"model{number}/config.json").write_text("{}")
    assert len(checkpoints_in(tmp_path)) == MOST_INSTALLED
    (tmp_path / "one.gguf").write_bytes(b"GGUF")
    with pytest.raises(BadWeightsFile) as refused:
        checkpoints_in(tmp_path)
    assert (refused.value.reason, refused.value.values["most"]) == (
        "too_many_models",
        MOST_INSTALLED,
    )


def test_a_folder_of_consolidated_weights_says_what_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "some/mistral"
    folder.mkdir(parents=True)
    for name in ("consolidated.00.safetensors", "params.json", "tekken.json", "README.md"):
        (folder / name).write_text("{}")
    gpt2(tmp_path / "some/sound")
    with pytest.raises(BadWeightsFile) as refused:
        ModelRegistry(models_dir(), [folder])
    registry = ModelRegistry(models_dir(), [tmp_path / "some"])
    for error in (refused.value, registry.problems["mistral"]):
        assert (error.reason, error.values["folder"]) == ("other_layout", "mistral")
        assert error.values["there"] == "consolidated.00.safetensors, params.json, tekken.json"
        assert error.values["missing"] == "config.json, tokenizer.json, model.safetensors"
    assert "sound" in registry.models
    (folder / "consolidated.00.safetensors").rename(folder / "consolidated.bin")
    with pytest.raises(BadWeightsFile) as refused:
        ModelRegistry(models_dir(), [folder])
    assert refused.value.reason == "no_model"


def test_what_may_not_be_read_is_left_out_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed_to_us, opened = gpt2(tmp_path / "closed"), Path.open

    def open_ours(path: Path, *how: Any, **more: Any) -> Any:
        if path.is_relative_to(closed_to_us):
            raise PermissionError
        return opened(path, *how, **more)

    monkeypatch.setattr(Path, "open", open_ours)
    registry = ModelRegistry(models_dir(), found=[closed_to_us])
    assert registry.broken[closed_to_us].reason == "unreadable"


def test_a_folder_of_another_user_stops_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed_to_us, stat = gpt2(tmp_path / "closed"), Path.stat

    def look(path: Path, **how: bool) -> os.stat_result:
        if path.parent == closed_to_us:
            raise PermissionError(errno.EACCES, "Permission denied")
        return stat(path, **how)

    monkeypatch.setattr(Path, "stat", look)
    registry = ModelRegistry(models_dir(), found=[closed_to_us])
    assert registry.broken[closed_to_us].reason == "unreadable"
    lenient = ModelRegistry(models_dir(), adapters=[closed_to_us], strict=False)
    assert lenient.broken[closed_to_us].reason == "unreadable"
    with pytest.raises(BadWeightsFile, match="unreadable"):
        ModelRegistry(models_dir(), [closed_to_us])
    with pytest.raises(BadWeightsFile, match="unreadable"):
        ModelRegistry(models_dir(), adapters=[closed_to_us])


def test_one_of_a_folder_that_cannot_be_opened_stops_no_other(tmp_path: Path) -> None:
    sound = gpt2(tmp_path / "some/sound")
    torn = gpt2(tmp_path / "some/torn")
    (torn / "config.json").write_text("{")
    registry = ModelRegistry(models_dir(), [tmp_path / "some"])
    assert registry.models["sound"].revisions["main"] == sound
    assert {name: error.reason for name, error in registry.problems.items()} == {
        "torn": "config_broken"
    }
    with pytest.raises(BadWeightsFile) as refused:
        registry.find("torn")
    assert refused.value.reason == "config_broken"
    with pytest.raises(BadWeightsFile):
        ModelRegistry(models_dir(), [torn])


def test_a_model_that_comes_later_is_opened_when_it_is_asked_for(tmp_path: Path) -> None:
    registry = shipped().with_arrivals(lambda: sorted(tmp_path.iterdir()))
    assert not registry.has_new_models()
    gpt2(tmp_path / "tiny")
    (gpt2(tmp_path / "torn") / "config.json").write_text("{")
    assert registry.has_new_models()
    assert registry.find("tiny").name == "tiny"
    assert not registry.has_new_models()
    assert list(registry.problems) == ["torn"]
    assert "tiny" not in shipped().models


def test_a_model_that_is_deleted_and_comes_again_is_opened_again(tmp_path: Path) -> None:
    registry = shipped().with_arrivals(lambda: sorted(tmp_path.iterdir()))
    for name in ("sound", "torn"):
        gpt2(tmp_path / name)
    (tmp_path / "torn/config.json").write_text("{")
    registry.look()
    digest = registry.find("sound").digest("main")
    for name in ("sound", "torn"):
        shutil.rmtree(tmp_path / name)
        gpt2(tmp_path / name)
    assert "sound" in [model.name for model in registry.existing_models()]
    assert registry.find("torn").name == "torn"
    assert registry.problems == {}
    assert registry.find("sound").digest("main") != digest


def cached(hub: Path, name: str, *revisions: str) -> Path:
    """A model as huggingface_hub keeps it: files in blobs, snapshots that link to them."""
    home = hub / f"models--{name.replace('/', '--')}"
    whole = gpt2(home / "blobs")
    for revision in revisions:
        snapshot = home / "snapshots" / revision
        snapshot.mkdir(parents=True)
        for file in whole.iterdir():
            (snapshot / file.name).symlink_to(Path("../../blobs") / file.name)
    (home / "refs").mkdir()
    (home / "refs/main").write_text(revisions[-1])
    return home


def test_a_cache_of_hugging_face_holds_models_by_their_names(tmp_path: Path) -> None:
    cached(tmp_path / "hub", "someone/tiny", "aaa", "bbb")
    lone = cached(tmp_path / "hub", "tiny--gpt", "ccc")
    dangling = cached(tmp_path / "hub", "someone/gone", "ddd")
    (dangling / "blobs/config.json").unlink()
    registry = ModelRegistry(models_dir(), [tmp_path / "hub"])
    named = registry.models["someone/tiny"]
    assert named.revisions["main"].name == "bbb"
    assert "tiny/gpt" in registry.models
    assert list(registry.problems) == ["someone/gone"]
    assert list(ModelRegistry(models_dir(), [lone]).models)[-1] == "tiny/gpt"
