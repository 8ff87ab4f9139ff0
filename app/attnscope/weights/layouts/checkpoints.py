"""Attention layers of checkpoints without config.json, recognised by their names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from attnscope.weights.formats import WeightsFile
from attnscope.weights.layouts import canonical
from attnscope.weights.layouts.mapping import apply_mapping
from attnscope.weights.layouts.recognised import Heads, Recognised

FUSED = "qkv"
PARTS = {"q": "q", "k": "k", "v": "v", "o": "o", FUSED: "qkv"}


@dataclass(frozen=True)
class CheckpointLayout:
    """`prefix`: before a layer's number; `names`: module → letter, or FUSED; `transposed`:
    output × input, as in torch.nn.Linear."""

    name: str
    prefix: str
    names: Mapping[str, str]
    transposed: bool
    causal: bool = True

    def match(self, file: WeightsFile) -> bool:
        """Whether a layer is whole, a fused matrix in three equal parts."""
        found = self._modules(file)
        first = {module for layer, module, kind in found if layer == 0 and kind == "weight"}
        fused = [file.arrays[name].shape for (_, module, kind), name in found.items()
                 if self.names[module] == FUSED and kind == "weight"]  # fmt: skip
        return first == set(self.names) and all(
            len(shape) == 2 and shape[1] == 3 * shape[0] for shape in fused
        )

    def convert(self, file: WeightsFile, num_heads: Heads) -> Recognised:
        mapped = apply_mapping(json.dumps(self._mapping(file)), file)
        return replace(canonical.convert(mapped, num_heads), layout=self.name)

    def _modules(self, file: WeightsFile) -> dict[tuple[int, str, str], str]:
        modules = "|".join(map(re.escape, self.names))
        pattern = re.compile(
            rf"{self.prefix}(0|[1-9]\d{{0,3}})\.({modules})\.(weight|bias)", re.ASCII
        )
        found = ((pattern.fullmatch(name), name) for name in file.arrays)
        return {(int(one[1]), one[2], one[3]): name for one, name in found if one}

    def _mapping(self, file: WeightsFile) -> dict[str, dict[str, Any]]:
        mapping: dict[str, dict[str, Any]] = {}
        for (layer, module, kind), name in self._modules(file).items():
            letters, axes = PARTS[self.names[module]], file.arrays[name].ndim
            size = file.arrays[name].shape[-1] // len(letters)
            for i, letter in enumerate(letters):
                source: dict[str, Any] = {"tensor": name}
                source["transpose"] = self.transposed and kind == "weight"
                if len(letters) > 1:
                    source["slice"] = [*[None] * (axes - 1), [i * size, (i + 1) * size]]
                mapping[f"layers.{layer}.{'w' if kind == 'weight' else 'b'}_{letter}"] = source
        return mapping


GPT2 = CheckpointLayout(
    "gpt2", r"(?:transformer\.)?h\.", {"attn.c_attn": FUSED, "attn.c_proj": "o"}, transposed=False
)
BERT = CheckpointLayout(
    "bert", r"(?:\w+\.)?encoder\.layer\.",
    {"attention.self.query": "q", "attention.self.key": "k", "attention.self.value": "v",
     "attention.output.dense": "o"},
    transposed=True, causal=False,
)  # fmt: skip
LLAMA = CheckpointLayout(
    "llama", r"(?:model\.)?layers\.",
    {f"self_attn.{letter}_proj": letter for letter in "qkvo"}, transposed=True,
)  # fmt: skip
CHECKPOINTS = (GPT2, BERT, LLAMA)
ENCODERS = frozenset(layout.name for layout in CHECKPOINTS if not layout.causal)
