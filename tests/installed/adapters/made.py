"""Small adapters as in PEFT, with random numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import PCG64, Generator
from safetensors.numpy import save_file

from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer

# As PEFT 0.21 writes it.
LORA: dict[str, Any] = {
    "alora_invocation_tokens": None, "alpha_pattern": {}, "arrow_config": None,
    "auto_mapping": None, "base_model_name_or_path": "someone/tiny", "bias": "none",
    "corda_config": None, "ensure_weight_tying": False, "eva_config": None, "exclude_modules": None,
    "fan_in_fan_out": False, "inference_mode": True, "init_lora_weights": True, "kasa_config": None,
    "layer_replication": None, "layers_pattern": None, "layers_to_transform": None,
    "loftq_config": {}, "lora_alpha": 6, "lora_bias": False, "lora_dropout": 0.1,
    "lora_ga_config": None, "megatron_config": None, "megatron_core": "megatron.core",
    "modules_to_save": None, "peft_type": "LORA", "peft_version": "0.21.2", "qalora_group_size": 16,
    "r": 4, "rank_pattern": {}, "revision": None, "target_modules": ["c_attn"],
    "target_parameters": None, "task_type": "CAUSAL_LM", "trainable_token_indices": None,
    "use_bdlora": None, "use_dora": False, "use_qalora": False, "use_rslora": False,
}  # fmt: skip
Tensors = dict[str, np.ndarray]


def pair(module: str, d_in: int, d_out: int, rank: int = 4, seed: int = 0) -> Tensors:
    """lora_A and lora_B."""
    draw = Generator(PCG64(seed))
    shapes = {"A": (rank, d_in), "B": (d_out, rank)}
    drawn = {side: draw.normal(0, 0.3, size=shape) for side, shape in shapes.items()}
    start = f"base_model.model.{module}.lora"
    return {f"{start}_{side}.weight": one.astype("f4") for side, one in drawn.items()}


QKV = "transformer.h.0.attn.c_attn"
TENSORS = pair(QKV, 24, 72)  # of tests.families.made.GPT2


def adapter(folder: Path, tensors: Mapping[str, np.ndarray] = TENSORS, **keys: Any) -> Path:
    """`keys`: of its config."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps({**LORA, **keys}), encoding="utf-8")
    save_file(dict(tensors), folder / "adapter_model.safetensors")
    return folder


def registry_of(base: Path, *adapters: Path) -> ModelRegistry:
    return ModelRegistry(models_dir(), [base], adapters=adapters)


def asked(registry: ModelRegistry, name: str) -> Trace:
    model = {"source": "installed", "name": name}
    question = Question.model_validate({"text": "The animal", "model": model})
    return answer(make_plan(question, Limits(), pytest.fail, registry))
