"""Shipped model: safetensors in half precision, computed in float32.

    embedding [V, d_model]    unembedding [d_model, V]    final_norm_gain, final_norm_bias [d_model]
    layers.<i>.w_q, w_k, w_v, w_o, norm_gain … : the names of `attention/architecture.py`

A tied model stores w_u [d_model, d_model]; its unembedding is w_u embeddingᵀ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict
from safetensors import safe_open
from safetensors.numpy import load

from attnscope.attention.architecture import (
    ALL_TENSORS,
    Activation,
    Architecture,
    Block,
    Parameters,
    Shape,
)
from attnscope.attention.positions import Positions
from attnscope.attention.unembed import Unembedding
from attnscope.families.model import ModelConfig, Weights
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.weights.formats.safetensors_file import DTYPES

WEIGHTS = "model.safetensors"
TIED = {"embedding": ["embedding", "unembedding"], "w_u": ["unembedding"]}


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    family: Literal["attnscope"]
    context: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    d_model: int
    d_k: int
    d_v: int
    vocabulary: int
    block: Block
    positions: Positions
    causal: bool
    predicts: Literal["next"] | None
    language: str | None
    seed: int
    steps: int
    mlp_width: int = 0
    activation: Activation = "gelu_tanh"
    tied: bool = False

    def about(self) -> ModelConfig:
        shape = Shape(self.num_heads, self.num_kv_heads, self.d_model, self.d_k, self.d_v)
        architecture = Architecture(
            shape, self.num_layers, self.block, self.positions, self.mlp_width, self.activation,
            final_norm=self.predicts is not None,
        )  # fmt: skip
        return ModelConfig(
            family=self.family, architecture=architecture, context=self.context,
            vocabulary=self.vocabulary, causal=self.causal, predicts=self.predicts,
            language=self.language, tied=self.tied,
        )  # fmt: skip


class InstalledModel:
    """Reads config.json first, other files on access."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, folder.name
        config = Config.model_validate_json((folder / "config.json").read_bytes())
        self.config, self._steps = config.about(), config.steps
        self._digests: dict[str, str] = {}

    @cached_property
    def pieces(self) -> SubwordTokenizer:
        return SubwordTokenizer.read(self.folder / "tokenizer.json", takes_unknown=False)

    @cached_property
    def figures(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "figures.json").read_bytes()))

    def head_of(self, habit: str) -> tuple[int, int]:
        """Return (layer, head) where a habit, such as induction, is strongest."""
        layer, head = self.figures[f"{habit}_head"]
        return layer, head

    @cached_property
    def revisions(self) -> dict[str, Path]:
        steps = {int(path.stem.removeprefix("step-")): path
                 for path in self.folder.glob("step-*.safetensors")}  # fmt: skip
        steps[self._steps] = self.folder / WEIGHTS
        return {f"step-{step}": steps[step] for step in sorted(steps)}

    @property
    def newest(self) -> str:
        return f"step-{self._steps}"

    @property
    def bytes(self) -> int:
        return (self.folder / WEIGHTS).stat().st_size

    def digest(self, revision: str) -> str:
        """Hash of config, tokenizer and weights."""
        if revision not in self._digests:
            files = (self.folder / "config.json", self.folder / "tokenizer.json")
            content = b"".join(sha256(path.read_bytes()).digest()
                               for path in (*files, self.revisions[revision]))  # fmt: skip
            self._digests[revision] = sha256(content).hexdigest()[:16]
        return self._digests[revision]

    def tensors(self) -> list[tuple[str, tuple[int, ...], str]]:
        return self._tensors

    @cached_property
    def _tensors(self) -> list[tuple[str, tuple[int, ...], str]]:
        with safe_open(self.folder / WEIGHTS, framework="np") as file:
            slices = {name: file.get_slice(name) for name in sorted(file.keys())}
            return [(name, tuple(one.get_shape()), DTYPES[one.get_dtype()])
                    for name, one in slices.items()]  # fmt: skip

    def our_names(self) -> dict[str, list[str]]:
        names = {name: [name] for name, _, _ in self._tensors}
        return names | TIED if self.config.tied else names

    def read(self, revision: str) -> Weights:
        stored = load(self.revisions[revision].read_bytes())
        arrays = {name: array.astype(np.float32) for name, array in stored.items()}
        layers = tuple(
            Parameters(**{name: arrays[key] for name in ALL_TENSORS
                          if (key := f"layers.{i}.{name}") in arrays})
            for i in range(self.config.architecture.num_layers)
        )  # fmt: skip
        unembedding = None
        if self.config.predicts is not None:
            norm = arrays["final_norm_gain"], arrays["final_norm_bias"]
            unembedding = Unembedding(unembedding_of(arrays), *norm)
        return Weights(layers, arrays["embedding"], unembedding)


def unembedding_of(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """[d_model, V]; float64 if tied."""
    if "unembedding" in arrays:
        return arrays["unembedding"]
    product: np.ndarray = np.matmul(arrays["w_u"], arrays["embedding"].T, dtype=np.float64)
    return product
