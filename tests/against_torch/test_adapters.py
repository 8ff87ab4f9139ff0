"""LoRA adapters that PEFT saves: the base with one computes what PEFT's merged model computes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoConfig, PreTrainedTokenizerFast

from attnscope.analysis.predictions import logits_at
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from tests.against_torch.test_families import close
from tests.against_torch.test_saved import PAIRS, SAVED, TEXT, saved
from tests.families.asking import ask
from tests.families.made import tokenizer, word_pieces
from tests.families.seq2seq_made import pieces

LLAMA, BERT, GPT2 = "LlamaForCausalLM", "BertForMaskedLM", "GPT2LMHeadModel"
KINDS = {LLAMA: "llama", BERT: "bert", GPT2: "gpt2", "Phi3ForCausalLM": "phi3",
         "GPTNeoXForCausalLM": "gpt_neox"}  # fmt: skip
# PEFT warns of deprecated calls of its own, and of models that share embeddings with the head.
pytestmark = pytest.mark.filterwarnings("ignore")
TIED = {"tie_word_embeddings": True}
# Class, keys of its config, keys of the adapter's.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "llama": (LLAMA, {}, {"target_modules": "all-linear"}),
    "llama rsLoRA": (LLAMA, {}, {"target_modules": ["q_proj", "v_proj"], "use_rslora": True}),
    "llama patterns": (LLAMA, {}, {
        "target_modules": "all-linear", "rank_pattern": {"q_proj": 2, r"layers.1.mlp\.\w+": 3},
        "alpha_pattern": {"model.layers.0.self_attn.o_proj": 5}}),
    "llama head and norm": (LLAMA, {}, {
        "target_modules": ["k_proj"], "modules_to_save": ["lm_head", "embed_tokens", "norm"]}),
    "llama tied embeddings": (LLAMA, TIED, {
        "target_modules": ["k_proj"], "modules_to_save": ["embed_tokens"]}),
    "llama tied head": (LLAMA, TIED, {
        "target_modules": ["k_proj"], "modules_to_save": ["lm_head"]}),
    "llama both tied": (LLAMA, TIED, {
        "target_modules": ["k_proj"], "modules_to_save": ["embed_tokens"],
        "ensure_weight_tying": True}),
    "bert": (BERT, {}, {"target_modules": ["query", "value", "dense"]}),
    "bert embeddings": (BERT, {}, {
        "target_modules": ["key"], "modules_to_save": ["word_embeddings", "LayerNorm"]}),
    "gpt2": (GPT2, {}, {"target_modules": ["c_attn", "c_proj", "c_fc"], "fan_in_fan_out": True}),
    "gpt2 unsaid": (GPT2, {}, {"target_modules": ["c_proj"]}),
    "gpt2 tied embeddings": (GPT2, {}, {
        "target_modules": ["c_attn"], "modules_to_save": ["wte", "wpe", "ln_f"]}),
    "phi3 fused": ("Phi3ForCausalLM", {}, {"target_modules": ["qkv_proj", "gate_up_proj"]}),
    "gpt_neox fused": ("GPTNeoXForCausalLM", {}, {
        "target_modules": ["query_key_value", "dense_4h_to_h"], "modules_to_save": ["embed_out"]}),
}  # fmt: skip


def base(name: str, keys: dict[str, Any], folder: Path) -> Any:
    """A small model of transformers, saved with a tokenizer."""
    torch.manual_seed(0)
    kind = KINDS[name]
    config = AutoConfig.for_model(kind, **{**SAVED[kind][0], **keys})
    model = getattr(transformers, name)(config).eval()
    model.save_pretrained(folder)
    (folder / "pieces.json").write_text(word_pieces() if kind == "bert" else tokenizer())
    PreTrainedTokenizerFast(tokenizer_file=str(folder / "pieces.json")).save_pretrained(folder)
    return model


def trained(model: Any, folder: Path, keys: dict[str, Any]) -> Path:
    """An adapter as training leaves it: every number of it is another than at the start."""
    wrapped = get_peft_model(model, LoraConfig(r=4, lora_alpha=6, **keys))
    torch.manual_seed(1)
    for name, parameter in wrapped.named_parameters():
        if "lora_" in name or "modules_to_save" in name:
            parameter.data += 0.2 * torch.randn_like(parameter)
    wrapped.save_pretrained(folder)
    return folder


def asked(folder: Path, adapter: Path) -> Trace:
    registry = ModelRegistry(models_dir(), [folder], adapters=[adapter])
    return answered(registry, f"{folder.name}+{adapter.name}", text=TEXT)


def answered(registry: ModelRegistry, name: str, **fields: str) -> Trace:
    model = {"source": "installed", "name": name}
    question = Question.model_validate({"model": model, **fields})
    return answer(make_plan(question, Limits(), pytest.fail, registry))


@pytest.mark.parametrize("case", CASES)
def test_an_adapter_computes_what_the_merged_model_computes(case: str, tmp_path: Path) -> None:
    name, more, keys = CASES[case]
    folder = tmp_path / "tiny"
    adapter = trained(base(name, more, folder), tmp_path / "tuned", keys)
    check(folder, adapter, getattr(transformers, name))


def test_so_does_one_of_several_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    wrapped = get_peft_model(base(LLAMA, {}, folder), LoraConfig(target_modules=["q_proj"]))
    wrapped.add_adapter("other", LoraConfig(target_modules=["v_proj"], init_lora_weights=False))
    wrapped.save_pretrained(tmp_path / "tuned")
    check(folder, tmp_path / "tuned/other", transformers.LlamaForCausalLM)


# Classes of every other family that predict pieces.
OTHERS = sorted(
    (kind, name) for kind, (_, names) in SAVED.items() for name in names
    if name.endswith(("ForCausalLM", "LMHeadModel", "ForMaskedLM")) and name not in KINDS
)  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), OTHERS)
def test_every_family_opens_as_its_merged_model_does(kind: str, name: str, tmp_path: Path) -> None:
    folder = saved(kind, name, tmp_path / "tiny", whole=False)
    merge(folder, tmp_path, getattr(transformers, name))
    ours, merged = asked(folder, tmp_path / "tuned"), ask(tmp_path / "merged", TEXT)
    assert len(ours.layers) == len(merged.layers)
    for layer, theirs in zip(ours.layers, merged.layers, strict=True):
        assert close(layer["weights"], theirs["weights"])
        assert close(layer["block_output"], theirs["block_output"])
    assert not close(ours.layers[-1]["x"], ask(folder, TEXT).layers[-1]["x"])


@pytest.mark.parametrize(("kind", "name", "keys"), PAIRS)
def test_so_does_an_encoder_with_a_decoder(
    kind: str, name: str, keys: dict[str, Any], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    getattr(transformers, name)(AutoConfig.for_model(kind, **keys)).save_pretrained(
        tmp_path / "tiny"
    )
    (tmp_path / "tiny/tokenizer.json").write_text(pieces())
    merge(tmp_path / "tiny", tmp_path, getattr(transformers, name))
    registry = ModelRegistry(models_dir(), [tmp_path / "tiny"], adapters=[tmp_path / "tuned"])
    merged = ModelRegistry(models_dir(), [tmp_path / "merged"])
    pair = {"context": "The animal", "text": "It was"}
    traces = [
        answered(one, name, **pair) for one, name in ((registry, "tiny+tuned"), (merged, "merged"))
    ]
    for layer, theirs in zip(*(trace.layers for trace in traces), strict=True):
        assert close(layer["weights"], theirs["weights"])
        assert close(layer["block_output"], theirs["block_output"])


def merge(folder: Path, room: Path, kind: Any) -> None:
    """Saves an adapter of every linear layer of a model, and the model with it."""
    adapter = trained(
        kind.from_pretrained(folder), room / "tuned", {"target_modules": "all-linear"}
    )
    model = kind.from_pretrained(folder)
    tied = getattr(model.config, "tie_word_embeddings", None)
    merged = PeftModel.from_pretrained(model, adapter).merge_and_unload()
    if tied is not None:  # peft unties a head that it did not change, and no file would have it
        merged.config.tie_word_embeddings = tied
    merged.save_pretrained(room / "merged")
    for file in folder.glob("tokenizer*"):
        shutil.copy(file, room / "merged")


def check(folder: Path, adapter: Path, kind: Any) -> None:
    trace = asked(folder, adapter)
    model = kind.from_pretrained(folder, attn_implementation="eager")
    merged = PeftModel.from_pretrained(model, adapter).merge_and_unload().eval()
    ids = trace.plan.model.pieces.ids
    tokens = torch.tensor([[ids[token] for token in row] for row in trace.plan.words.tokens])
    with torch.no_grad():
        theirs = merged(tokens, output_attentions=True, output_hidden_states=True)
        plain = kind.from_pretrained(folder)(tokens).logits[0].numpy()
    for layer, weights, received in zip(
        trace.layers, theirs.attentions, theirs.hidden_states, strict=False
    ):
        assert close(layer["weights"], weights.numpy())
        assert close(layer["x"], received.numpy())
    ours = logits_at(trace, 0, slice(None))
    assert close(ours, theirs.logits[0].numpy())
    assert not close(ours, plain)
