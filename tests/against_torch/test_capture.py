"""Captures of running models: their own attentions, what follows from q and k, and files that the
server takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from fastapi.testclient import TestClient
from peft import LoraConfig, get_peft_model
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.nn import functional
from transformers import AutoConfig, PreTrainedTokenizerFast

import attnscope
from attnscope.main import create_app
from attnscope.settings import Settings
from attnscope.torch_capture import CaptureError, capture
from attnscope.torch_capture.inputs import read_inputs
from tests.against_torch.test_saved import PAIRS, SAVED, T5, TEXT, is_encoder
from tests.families.cases import CASES, made
from tests.families.made import tokenizer, word_pieces
from tests.families.seq2seq_made import pieces

BIASED = {"bloom", "falcon", "gemma2"}  # a bias, a cap, or no q and k
BOUND = 1e-6


def of_family(kind: str, **keys: Any) -> tuple[Any, Any]:
    torch.manual_seed(0)
    config = AutoConfig.for_model(kind, **SAVED[kind][0])
    model = getattr(transformers, SAVED[kind][1][-1])._from_config(config, **keys).eval()
    definition = word_pieces() if is_encoder(kind) else tokenizer()
    return model, as_tokenizer(definition)


def as_tokenizer(definition: str) -> Any:
    from tokenizers import Tokenizer

    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(definition))


def theirs(model: Any, **inputs: Any) -> Any:
    with torch.no_grad():
        return model(**inputs, output_attentions=True)


def softmax(masked: np.ndarray) -> np.ndarray:
    return torch.from_numpy(masked).softmax(-1).numpy()


def test_weights_are_those_of_the_model_and_follow_from_its_scores(subtests: Any) -> None:
    for kind in SAVED:
        with subtests.test(kind):
            model, words = of_family(kind)
            before = model.config._attn_implementation
            captured = capture(model, words, TEXT)
            assert model.config._attn_implementation == before
            eager, _ = of_family(kind, attn_implementation="eager")
            ids = torch.tensor([words(TEXT)["input_ids"]])
            attentions = np.stack([one.numpy() for one in theirs(eager, input_ids=ids).attentions])
            assert captured.tokens == [words.convert_ids_to_tokens(ids[0])]
            assert np.abs(captured.weights - attentions).max() <= BOUND
            assert np.abs(softmax(captured.masked_scores) - attentions).max() <= BOUND
            if kind not in BIASED:
                there = np.isfinite(captured.masked_scores)
                kept = capture(model, words, TEXT, scores=True).masked_scores
                scaled = captured.scores * captured.scale[:, None, None, None, None]
                assert np.abs(scaled - kept)[there].max() <= BOUND * max(1, scaled.max())


def test_so_are_those_of_every_config_that_changes_numbers(subtests: Any, tmp_path: Path) -> None:
    ids = torch.arange(5, 14)[None]
    for case in CASES:
        with subtests.test(case):
            folder = made(case, tmp_path)
            names = AutoConfig.from_pretrained(folder).architectures or ["AutoModelForCausalLM"]
            kind = getattr(transformers, names[0])
            captured = capture(kind.from_pretrained(folder), None, {"input_ids": ids}, scores=True)
            eager = kind.from_pretrained(folder, attn_implementation="eager").eval()
            attentions = np.stack([one.numpy() for one in theirs(eager, input_ids=ids).attentions])
            assert np.abs(captured.weights - attentions).max() <= BOUND
            kept = captured.masked_scores
            assert np.abs(softmax(kept) - attentions).max() <= BOUND
            if not case.startswith("bloom"):  # it has no q and k here
                cap = getattr(eager.config, "attn_logit_softcapping", None)
                there = np.isfinite(kept)
                scale = captured.scale
                scale = captured.q.shape[-1] ** -0.5 if scale is None else scale[:, *[None] * 4]
                scaled = captured.scores * scale
                scaled = cap * np.tanh(scaled / cap) if cap else scaled
                assert np.abs(scaled - kept)[there].max() <= BOUND * max(
                    1, np.abs(kept[there]).max()
                )


def test_so_are_the_three_attentions_of_an_encoder_with_a_decoder(subtests: Any) -> None:
    words = as_tokenizer(pieces())
    for kind, name, keys in PAIRS:
        with subtests.test(f"{kind} {keys.get('feed_forward_proj', '')}"):
            torch.manual_seed(0)
            config = AutoConfig.for_model(kind, **{"decoder_start_token_id": 0, **keys})
            model = getattr(transformers, name)(config).eval()
            with pytest.raises(CaptureError, match='choose part="encoder"'):
                capture(model, words, TEXT)
            found = {part: capture(model, words, TEXT, target="a cat", part=part)
                     for part in ("encoder", "decoder", "cross")}  # fmt: skip
            ids = words.convert_tokens_to_ids(found["cross"].context_tokens[0])
            start = words.convert_tokens_to_ids(found["cross"].tokens[0])
            model.set_attn_implementation("eager")
            outputs = theirs(model, input_ids=torch.tensor([ids]),
                             decoder_input_ids=torch.tensor([start]))  # fmt: skip
            attentions = {"encoder": outputs.encoder_attentions,
                          "decoder": outputs.decoder_attentions,
                          "cross": outputs.cross_attentions}  # fmt: skip
            for part, captured in found.items():
                expected = np.stack([one.numpy() for one in attentions[part]])
                assert np.abs(captured.weights - expected).max() <= BOUND
                assert np.abs(softmax(captured.masked_scores) - expected).max() <= BOUND


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated")
def test_so_are_those_of_an_encoder_alone_and_of_a_model_with_an_adapter() -> None:
    torch.manual_seed(0)
    config = AutoConfig.for_model("t5", **T5)
    llama, words = of_family("llama")
    lora = LoraConfig(r=2, target_modules=["q_proj", "k_proj"], init_lora_weights=False)
    cases: list[tuple[Any, Any]] = [
        (transformers.T5EncoderModel(config).eval(), as_tokenizer(pieces())),
        (get_peft_model(llama, lora).eval(), words),
    ]
    for model, own in cases:
        captured = capture(model, own, TEXT)
        getattr(model, "base_model", model).set_attn_implementation("eager")
        ids = torch.tensor([own(TEXT)["input_ids"]])
        attentions = np.stack([one.numpy() for one in theirs(model, input_ids=ids).attentions])
        assert np.abs(captured.weights - attentions).max() <= BOUND
    assert (
        np.abs(captured.weights - capture(of_family("llama")[0], words, TEXT).weights).max() > 0.1
    )


def test_a_capture_is_uploaded_as_it_is(tmp_path: Path) -> None:
    """A batch of two lengths whose scores follow from q and k, and one with a bias."""
    with TestClient(create_app(Settings(data_dir=tmp_path / "data"))) as client:
        for kind, suffix in (("llama", ".npz"), ("bloom", ".safetensors"), ("gemma2", ".npz")):
            model, words = of_family(kind)
            captured = capture(model, words, [TEXT, "The animal"])
            path = captured.save(tmp_path / f"{kind}{suffix}")
            files = {"arrays": (path.name, path.read_bytes())}
            reply = client.post("/api/v1/captures", files=files, data=captured.form())
            assert reply.status_code == 201, reply.text
            answer = reply.json()
            assert answer["shape"]["batch"] == 2
            assert answer["checks"]["max_row_sum_error"] < 1e-5
            assert answer["checks"]["max_capture_error"] < 1e-5
            address = f"/api/v1/traces/{answer['trace']}/stages/weights?layer=1&head=2&batch=1"
            values = client.get(address).json()["values"]
            length = len(captured.tokens[1])
            own = captured.weights[1, 1, 2, :length, :length]
            assert np.abs(np.array(values)[:length, :length] - own).max() < 1e-6


class Handmade(nn.Module):
    """One layer of each way to write attention."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(300, 24)
        self.theirs = nn.TransformerEncoderLayer(24, 3, 40, dropout=0.5, batch_first=True)
        self.own = nn.MultiheadAttention(24, 3, batch_first=True)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.theirs(self.embedding(ids))
        x, self.mean = self.own(x, x, x)
        q = x.unflatten(-1, (3, 8)).transpose(1, 2)
        x = functional.scaled_dot_product_attention(q, q, q, is_causal=True)
        self.last = nn.functional.softmax(x @ x.mT, dim=-1)
        return (self.last @ x).transpose(1, 2).flatten(2)


def test_modules_of_pytorch_are_captured_by_their_functions() -> None:
    torch.manual_seed(0)
    model = Handmade()
    model.own.eval()
    ids = torch.arange(5)[None]
    captured = capture(model, None, ids, tokens=["a", "b", "c", "d", "e"])
    assert [module.training for module in model.children()] == [True, True, False]
    assert captured.modules == ["theirs.self_attn", "own", "", ""]
    assert captured.weights.shape == (4, 1, 3, 5, 5)
    assert np.abs(captured.weights[1].mean(1) - model.mean.numpy()).max() <= BOUND
    assert np.abs(captured.weights[3] - model.last.numpy()).max() <= BOUND
    assert not np.triu(captured.weights[2], 1).any()
    assert captured.stages == ["masked_scores", "weights"]
    assert "q" in captured.layers[2]
    with torch.no_grad():
        expected = model.eval()(ids)
    output = []
    model.register_forward_hook(lambda *found: output.append(found[2]))
    capture(model, None, ids)
    assert torch.allclose(output[0], expected, atol=1e-6)


def test_a_decoder_of_pytorch_has_two_parts() -> None:
    torch.manual_seed(0)
    model = nn.Transformer(24, 4, 1, 2, 40, batch_first=True)
    given = torch.randn(1, 5, 24), torch.randn(1, 3, 24)
    with pytest.raises(CaptureError, match=r"different sizes.*part="):
        capture(model, None, given)
    shapes = {part: capture(model, None, given, part=part).weights.shape
              for part in ("encoder", "decoder", "cross")}  # fmt: skip
    assert shapes == {"encoder": (1, 1, 4, 5, 5), "decoder": (2, 1, 4, 3, 3),
                      "cross": (2, 1, 4, 3, 5)}  # fmt: skip


def test_half_precision_becomes_float32_and_settings_return_after_an_error() -> None:
    model, words = of_family("llama")
    captured = capture(model.to(torch.bfloat16), words, TEXT)
    assert {one.dtype for one in captured.arrays().values()} == {np.dtype(np.float32)}
    names = set(transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS.keys())
    model.train()
    model.model.layers[1].register_forward_hook(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        capture(model, words, TEXT)
    assert model.config._attn_implementation == "sdpa"
    assert model.model.layers[0].training
    assert set(transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS.keys()) == names


def test_errors_say_what_to_do() -> None:
    model, words = of_family("llama")
    partly, _ = of_family("llama")
    partly.base_model.layers[1].to("meta")
    for arguments, message in (
        ((model, words, ""), "text has to be a string"),
        ((model, words, [TEXT, ""]), "list of strings"),
        ((model, "gpt2", TEXT), "AutoTokenizer"),
        ((model, None, TEXT), "a tensor"),
        ((model.forward, words, TEXT), "torch.nn.Module"),
        ((nn.Linear(3, 3), None, torch.ones(1, 3)), 'attn_implementation="eager"'),
        ((nn.Linear(3, 3, device="meta"), None, torch.ones(1, 3)), "load its weights"),
        ((partly, words, TEXT), r"layers\.1\.self_attn\.q_proj\.weight .* load its weights"),
    ):
        with pytest.raises(CaptureError, match=message):
            capture(*arguments)
    with pytest.raises(CaptureError, match=r"\.npz or \.safetensors"):
        capture(model, words, TEXT).save("run.pt")


def test_inputs_go_to_the_device_of_the_model() -> None:
    """On a device that is fake: no kernel runs there."""
    model, words = of_family("llama")
    mode, body = FakeTensorMode(), model.base_model
    weight = body.embed_tokens.weight.detach().to("meta")
    there = FakeTensor(mode, weight, torch.device("cuda:0"))
    body.embed_tokens.weight = nn.Parameter(there, requires_grad=False)
    with mode:
        for own, given in ((words, TEXT), (None, {"input_ids": torch.ones(1, 3)})):
            named = read_inputs(body, own, given, None).named
            assert {one.device.type for one in named.values() if torch.is_tensor(one)} == {"cuda"}


@pytest.mark.parametrize(("folder", "most"), [(None, 2.0), ("run", 0.5)])
def test_memory_is_that_of_the_arrays_or_of_a_layer(
    folder: str | None, most: float, tmp_path: Path
) -> None:
    """In a process of its own, whose peak is measured."""
    where = "None" if folder is None else f"Path({str(tmp_path / folder)!r})"
    code = f"from benchmarks.capture import Path, memory; memory(512, {where})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = re.search(r"([\d.]+) × all", done.stdout)
    assert found is not None
    assert float(found[1]) <= most, done.stdout


def test_a_capture_on_the_disk_is_the_same_and_holds_one_layer_in_memory(tmp_path: Path) -> None:
    model, words = of_family("gpt2")
    here = capture(model, words, TEXT, scores=True)
    there = capture(model, words, TEXT, scores=True, folder=tmp_path / "run")
    assert all(isinstance(array, np.memmap) for layer in there.layers for array in layer.values())
    assert set(there.arrays()) >= {"layers.0.weights", "layers.1.q"}
    for name in here.stages:
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    assert isinstance(there.weights, np.memmap)
    with attnscope.Client() as client:
        trace = client.capture(there)
        np.testing.assert_array_equal(trace.layers[1].weights, here.weights[1])
    with pytest.raises(CaptureError, match="choose an empty folder"):
        capture(model, words, TEXT, folder=tmp_path / "run")
