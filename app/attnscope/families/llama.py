"""Llama 1 to 3 (Touvron et al. 2023; Llama Team 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import llama_base
from attnscope.families.keys import read_keys
from attnscope.families.llama_base import LlamaVariant
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "llama"
KIND = LlamaVariant(MODEL_TYPE)
convert = KIND.convert


class Keys(llama_base.Keys):
    attention_bias: bool = False
    mlp_bias: bool = False


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    biases = {"q", "k", "v", "o"} if keys.attention_bias else set()
    biases |= {"gate", "in", "out"} if keys.mlp_bias else set()
    return KIND.about(keys, keys.architecture(), sizes, frozenset(biases))
