"""Captures of models in wrappers, in threads, compiled, and within each other."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from peft import PromptTuningConfig, get_peft_model
from torch import nn
from torch.nn import functional

from attnscope.torch_capture import CaptureError, capture
from tests.against_torch.test_capture import BOUND, of_family, theirs
from tests.against_torch.test_saved import TEXT

IDS = torch.arange(5, 14)[None]


def own_attentions(model: Any, **inputs: Any) -> np.ndarray:
    model.set_attn_implementation("eager")
    return np.stack([one.numpy() for one in theirs(model, **inputs).attentions])


def test_threads_capture_one_model_and_leave_it_as_it_was(subtests: Any) -> None:
    llama = of_family("llama")[0]
    attends = nn.MultiheadAttention(16, 4, batch_first=True)
    x = torch.randn(2, 5, 16)
    for model, given, layers in ((llama, {"input_ids": IDS}, 2), (attends, (x, x, x), 1)):
        with subtests.test(type(model).__name__):
            model.train()
            found: list[Any] = []

            def run(model: Any = model, given: Any = given, found: list[Any] = found) -> None:
                try:
                    found.extend(capture(model, None, given).weights for _ in range(8))
                except Exception as error:
                    found.append(error)

            before = functional.scaled_dot_product_attention
            expected = capture(model, None, given).weights
            threads = [threading.Thread(target=run) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert [one.shape for one in found] == [expected.shape] * 32
            assert len(expected) == layers
            assert all(np.abs(one - expected).max() <= BOUND for one in found)
            assert model.training
            assert functional.scaled_dot_product_attention is before
            model(**given) if isinstance(given, dict) else model(*given)


def test_what_another_thread_asks_of_the_model_is_not_recorded() -> None:
    model = of_family("llama")[0].eval()
    used: list[str] = []

    def elsewhere(*_: Any) -> None:
        if not used:
            used.append("once")
            thread = threading.Thread(target=model.base_model, kwargs={"input_ids": IDS[:, :4]})
            thread.start()
            thread.join()

    hook = model.base_model.layers[1].register_forward_hook(elsewhere)
    found = capture(model, None, {"input_ids": IDS})
    hook.remove()
    assert found.modules == ["layers.0.self_attn", "layers.1.self_attn"]


def test_a_capture_within_a_capture_has_its_own_layers() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.MultiheadAttention(16, 4, batch_first=True)
            self.second = nn.MultiheadAttention(16, 4, batch_first=True)

        def forward(self, x: torch.Tensor) -> Any:
            self.within = capture(self.second, None, (x, x, x))
            return self.first(x, x, x)[0]

    model = Outer()
    assert capture(model, None, torch.randn(1, 5, 16)).modules == ["first"]
    assert len(model.within.layers) == 1


def test_a_compiled_model_is_run_as_python() -> None:
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    model, x = nn.TransformerEncoder(layer, 2).eval(), torch.randn(1, 5, 16)
    expected = capture(model, None, x).weights
    model.compile(backend="eager", fullgraph=True)
    assert np.abs(capture(model, None, x).weights - expected).max() <= BOUND


def test_wrappers_pass_the_mask_of_a_batch_on() -> None:
    model, words = of_family("bert")
    expected = capture(model, words, [TEXT, "The animal"]).weights

    class Keywords(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, **batch: Any) -> Any:
            return self.model(**batch)

    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: torch.Tensor, attention_mask: Any = None) -> Any:
            return self.model(input_ids=ids, attention_mask=attention_mask)

    for wrapped in (nn.DataParallel(model), Keywords(), Named()):
        found = capture(wrapped, words, [TEXT, "The animal"])
        rows = len(found.tokens[1])
        assert not found.weights[:, 1, :, :rows, rows:].any()
        assert np.abs(found.weights - expected)[:, 1, :, :rows].max() <= BOUND


def test_a_model_of_sentences_is_captured_by_its_first_module() -> None:
    model, words = of_family("bert")

    class Transformer(nn.Module):
        auto_model = model

    class SentenceTransformer(nn.Sequential):
        def _first_module(self) -> nn.Module:
            return self[0]

        def forward(self, input: dict[str, torch.Tensor]) -> Any:
            return self[0].auto_model(**input)

    found = capture(SentenceTransformer(Transformer()), words, TEXT)
    assert found.name == "SentenceTransformer"
    assert np.abs(found.weights - capture(model, words, TEXT).weights).max() <= BOUND


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated")
def test_an_adapter_of_trained_tokens_is_refused() -> None:
    llama = of_family("llama")[0]
    prompted = get_peft_model(
        llama, PromptTuningConfig(task_type="FEATURE_EXTRACTION", num_virtual_tokens=3)
    )
    with pytest.raises(CaptureError, match="get_base_model"):
        capture(prompted, None, {"input_ids": IDS})


def test_attention_that_replaces_that_of_transformers_is_captured() -> None:
    class Own(nn.Module):
        def forward(self, hidden_states: torch.Tensor, **_: Any) -> Any:
            q = hidden_states.unflatten(-1, (4, -1)).transpose(1, 2)
            attended = functional.scaled_dot_product_attention(q, q, q, is_causal=True)
            return attended.transpose(1, 2).flatten(2), None

    model = of_family("llama")[0]
    for layer in model.base_model.layers:
        layer.self_attn = Own()
    found = capture(model, None, {"input_ids": IDS})
    assert found.modules == ["layers.0", "layers.1"]
    q = torch.from_numpy(found.q).double()
    later = torch.ones(9, 9).triu(1).bool()
    masked = (q @ q.mT / q.shape[-1] ** 0.5).masked_fill(later, -torch.inf)
    assert np.abs(found.weights - masked.softmax(-1).numpy()).max() <= BOUND


def test_an_encoder_of_pictures_with_a_decoder_is_captured() -> None:
    """Its encoder has another config than the encoder's layers."""
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    sides = {"intermediate_size": 40, "image_size": 16, "patch_size": 4}
    vision = transformers.ViTModel(transformers.ViTConfig(**small, **sides))
    config = transformers.GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=30,
                                     add_cross_attention=True, bos_token_id=1,
                                     eos_token_id=2)  # fmt: skip
    text = transformers.GPT2LMHeadModel(config)
    pair = transformers.VisionEncoderDecoderModel(encoder=vision, decoder=text).eval()
    picture = torch.randn(1, 3, 16, 16)
    inputs = {"pixel_values": picture, "decoder_input_ids": IDS}
    found = capture(pair, None, inputs, part="encoder")
    kernels = {
        one.config._attn_implementation for one in vision.modules() if hasattr(one, "config")
    }
    assert kernels == {"sdpa"}
    alone = transformers.ViTModel(transformers.ViTConfig(**small, **sides)).eval()
    alone.load_state_dict(vision.state_dict())
    expected = own_attentions(alone, pixel_values=picture)
    assert np.abs(found.weights - expected).max() <= BOUND
