"""Which base an adapter is put on, what it is called, and where it lies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from tests.families.made import GPT2, gpt2, gpt2_tensors, tokenizer
from tests.gguf_files import byte_level_keys, gpt2_gguf
from tests.installed.adapters.made import adapter, asked, registry_of


def own(registry: ModelRegistry) -> list[str]:
    """The names of what did not come with the server."""
    shipped = {path.parent.name for path in models_dir().glob("*/config.json")}
    return [name for name in registry.models if name not in shipped]


def test_a_base_is_found_by_name_by_path_and_by_the_end_of_its_name(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    bases = [gpt2(tmp_path / name) for name in ("one", "org--two")]
    cases = {"two": "org--two", "someone/ONE": "one", "org--two": "org--two", "org/two": "org--two"}
    cases |= {str(bases[1]): "org--two", "../one": "one", f"{bases[0]}/": "one"}
    for wanted, base in cases.items():
        with subtests.test(wanted):
            tuned = adapter(tmp_path / "tuned", base_model_name_or_path=wanted)
            registry = ModelRegistry(models_dir(), bases, adapters=[tuned])
            assert f"{base}+tuned" in registry.models


def test_the_only_model_that_was_named_is_the_base_of_any_adapter(tmp_path: Path) -> None:
    model, base = gpt2(tmp_path / "installed/brought"), gpt2(tmp_path / "mine")
    tuned = adapter(tmp_path / "tuned", base_model_name_or_path="someone/unknown")
    registry = ModelRegistry(models_dir(), [base], [model], adapters=[tuned])
    assert own(registry) == ["brought", "mine", "mine+tuned"]


def test_several_adapters_each_stand_behind_their_base(tmp_path: Path) -> None:
    bases = [gpt2(tmp_path / name) for name in ("one", "two")]
    several = adapter(tmp_path / "several", base_model_name_or_path="one")
    for name in ("formal", "french"):
        adapter(several / name, base_model_name_or_path="one")
    other = adapter(tmp_path / "other", base_model_name_or_path="two")
    registry = ModelRegistry(models_dir(), bases, adapters=[several, other])
    names = ["one", "one+several", "one+formal", "one+french", "two", "two+other"]
    assert own(registry) == names


def test_a_gguf_file_is_a_base_as_its_folder_is(tmp_path: Path) -> None:
    folder, tuned = gpt2(tmp_path / "tiny"), adapter(tmp_path / "tuned")
    keys = byte_level_keys(tokenizer())
    file = gpt2_gguf(tmp_path / "files/tiny.gguf", GPT2, gpt2_tensors(GPT2), keys)
    traces = [asked(registry_of(base, tuned), "tiny+tuned") for base in (folder, file)]
    for ours, theirs in zip(*(trace.layers for trace in traces), strict=True):
        np.testing.assert_allclose(ours["block_output"], theirs["block_output"], atol=2e-6)


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    base = gpt2(tmp_path / "tiny")
    with pytest.raises(BadWeightsFile) as raised:
        registry_of(base, *(adapter(tmp_path / folder / "tuned") for folder in ("a", "b")))
    assert raised.value.reason == "name_twice"


def test_an_adapter_beside_the_weights_of_its_base_opens_with_it(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny")
    plain = asked(registry_of(folder), "tiny")
    adapter(folder, base_model_name_or_path="someone/other")
    for registry in (
        registry_of(folder),
        registry_of(folder, folder),
        ModelRegistry(models_dir(), [tmp_path]),
    ):
        assert own(registry) == ["tiny", "tiny+adapter"]
    both = [asked(registry, name).layers[-1]["output"] for name in ("tiny", "tiny+adapter")]
    np.testing.assert_array_equal(both[0], plain.layers[-1]["output"])
    assert not np.allclose(both[0], both[1])


def test_one_that_cannot_be_opened_leaves_the_base_and_is_reported(tmp_path: Path) -> None:
    folder = adapter(gpt2(tmp_path / "tiny"), use_dora=True)
    registry = registry_of(folder)
    assert own(registry) == ["tiny"]
    assert {name: error.reason for name, error in registry.problems.items()} == {
        "tiny+adapter": "adapter_key"
    }
    with pytest.raises(BadWeightsFile):
        registry.find("tiny+adapter")


def test_adapters_in_a_folder_of_models_open_with_the_models_there(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    gpt2(folder / "tiny")
    tuned = adapter(folder / "tuned")
    (tuned / "config.json").write_text("{}")  # which some trainers leave there
    adapter(folder / "lost", base_model_name_or_path="someone/large")
    gpt2(folder / "more")
    registry = ModelRegistry(models_dir(), [folder])
    assert own(registry) == ["more", "tiny", "tiny+tuned"]
    assert registry.problems["lost"].reason == "adapter_without_base"
    assert str(tmp_path) not in str(registry.problems["lost"].at)


def test_it_reads_with_the_tokenizer_that_it_was_saved_with(tmp_path: Path) -> None:
    base, tuned = gpt2(tmp_path / "tiny"), adapter(tmp_path / "tuned")
    definition = json.loads((base / "tokenizer.json").read_text())
    definition["pre_tokenizer"]["add_prefix_space"] = True
    (tuned / "tokenizer.json").write_text(json.dumps(definition))
    registry = registry_of(base, tuned)
    tokens = [asked(registry, name).plan.words.tokens for name in ("tiny", "tiny+tuned")]
    assert tokens[0] != tokens[1]
