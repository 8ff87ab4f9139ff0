from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from attnscope.attention.architecture import Architecture
from attnscope.attention.ops import Norm
from attnscope.attention.unembed import Unembedding
from attnscope.families.keys import check_no_extra, check_sizes
from attnscope.families.layers import TensorNames, norm_vectors
from attnscope.families.model import ModelConfig, Sizes, Tensors, Weights

LETTERS = frozenset({"q", "k", "v", "o", "in", "out"})


@dataclass(frozen=True, kw_only=True)
class Spec:
    """`biased`: which of LETTERS have a bias. `norms`: native names of a layer's norms."""

    architecture: Architecture
    vocabulary: int
    context: int
    tied: bool
    biased: frozenset[str] = LETTERS
    norms: frozenset[str] = frozenset({"norm", "mlp_norm"})
    final_norm: bool = True
    head_bias: bool = False


@dataclass(frozen=True, kw_only=True)
class LayerNormVariant:
    """`start`: prefix of tensor names; checkpoints without unembedding lack it up to the first dot.
    `norms`: native → stored names. `heads`: possible modules of the unembedding."""

    family: str
    start: str
    embedding: str
    layers: str
    final_norm: str
    matrices: Mapping[str, str]
    norms: Mapping[str, str]
    heads: tuple[str, ...] = ("lm_head",)
    by_kv_head: bool = False
    embedding_norm: str | None = None
    positions: str | None = None
    first_position: int = 0  # row of position 0

    def about(self, spec: Spec, sizes: Sizes) -> ModelConfig:
        architecture, start, head = spec.architecture, self._start(sizes), self._head(sizes)
        own = f"{head}.weight" in sizes  # overrides tie_word_embeddings
        predicts = spec.tied or own
        names = self._names(spec.biased, spec.norms)
        wanted = self._outer_shapes(spec, start)
        denied = [] if spec.final_norm else _weight_and_bias(f"{start}{self.final_norm}")
        if predicts:
            whole = (spec.vocabulary, architecture.shape.d_model)
            wanted |= {f"{head}.weight": whole} if own else {}
            wanted |= {f"{head}.bias": whole[:1]} if spec.head_bias else {}
            denied += [] if spec.head_bias else [f"{head}.bias"]
        for i in range(architecture.num_layers):
            at = f"{start}{self.layers}.{i}."
            wanted |= names.wanted(at, architecture)
            others = [name for native, name in self.norms.items() if native not in spec.norms]
            denied += [one for name in others for one in _weight_and_bias(f"{at}{name}")]
            denied += names.unwanted(at, sizes)
        check_sizes(wanted, sizes)
        check_no_extra([name for name in denied if name in sizes])
        return ModelConfig(
            family=self.family,
            architecture=replace(architecture, final_norm=predicts and spec.final_norm),
            context=spec.context, vocabulary=spec.vocabulary, causal=True,
            predicts="next" if predicts else None, tied=not own,
            biases=frozenset(f"b_{one}" for one in spec.biased),
        )  # fmt: skip

    def convert(self, about: ModelConfig, tensors: Tensors) -> Weights:
        start, architecture = self._start(tensors), about.architecture
        first = f"{start}{self.layers}.0."
        there = {
            native for native, name in self.norms.items() if f"{first}{name}.weight" in tensors
        }
        names = self._names(frozenset(one[2:] for one in about.biases), frozenset(there))
        layers = names.layers(f"{start}{self.layers}", tensors, architecture)
        embedding, position, norm = tensors[f"{start}{self.embedding}.weight"], None, None
        if self.positions is not None:
            position = tensors[f"{start}{self.positions}.weight"][self.first_position :]
        if self.embedding_norm is not None:
            gain, bias = (
                tensors[name] for name in _weight_and_bias(f"{start}{self.embedding_norm}")
            )
            norm = Norm(gain, bias, architecture.epsilon)
        return Weights(layers, embedding, self._unembedding(about, tensors), position, norm)

    def _unembedding(self, about: ModelConfig, tensors: Tensors) -> Unembedding | None:
        if not about.predicts:
            return None
        start, head, architecture = self._start(tensors), self._head(tensors), about.architecture
        name = f"{start}{self.embedding}" if about.tied else head
        gain = bias = None
        if architecture.final_norm:
            gain, bias = (tensors[name] for name in _weight_and_bias(f"{start}{self.final_norm}"))
        matrix, own = tensors[f"{name}.weight"].T, tensors.get(f"{head}.bias")
        return Unembedding(matrix, gain, bias, architecture.epsilon, bias=own)

    def _outer_shapes(self, spec: Spec, start: str) -> dict[str, tuple[int, ...]]:
        width = spec.architecture.shape.d_model
        wanted: dict[str, tuple[int, ...]] = {
            f"{start}{self.embedding}.weight": (spec.vocabulary, width)
        }
        if self.positions is not None:
            rows = spec.context + self.first_position
            wanted[f"{start}{self.positions}.weight"] = (rows, width)
        norms = [self.embedding_norm, self.final_norm if spec.final_norm else None]
        for name in norms:
            wanted |= (
                {} if name is None else dict.fromkeys(_weight_and_bias(f"{start}{name}"), (width,))
            )
        return wanted

    def _names(self, biased: frozenset[str], norms: frozenset[str]) -> TensorNames:
        vectors: dict[str, str] = {}
        for native, stored in self.norms.items():
            vectors |= norm_vectors(native, stored) if native in norms else {}
        return TensorNames(self.matrices, vectors, biased, self.by_kv_head)

    def _start(self, names: Mapping[str, Any]) -> str:
        whole = f"{self.start}{self.embedding}.weight" in names
        return self.start if whole else self.start.partition(".")[2]

    def _head(self, names: Mapping[str, Any]) -> str:
        return next((one for one in self.heads if f"{one}.weight" in names), self.heads[0])


def _weight_and_bias(module: str) -> list[str]:
    return [f"{module}.weight", f"{module}.bias"]
