"""Layers of every kind, small enough for dense maps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attnscope.attention.architecture import Architecture, Shape
from attnscope.attention.attend import attend_heads
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.map import FactoredMap
from attnscope.attention.masks import Mask
from attnscope.attention.positions import Relative

BLOCKED = frozenset(
    (int(i), int(j)) for i, j in np.random.default_rng(3).integers(0, 300, (400, 2))
)
DRAWN = np.random.default_rng(4).random((2, 4, 700, 700)) < 0.4
MASKS: dict[str, Mask] = {
    "none": Mask(),
    "causal": Mask(causal=True),
    "window": Mask(window=70),
    "causal window": Mask(causal=True, window=300),
    "model window": Mask(causal=True, within=33),
    "prefix": Mask(causal=True, prefix=200),
    "stride": Mask(stride=7),
    "blocks": Mask(block_size=100),
    "global": Mask(window=40, global_tokens=3),
    "patterns": Mask(causal=True, window=9, stride=64, block_size=128, global_tokens=1, prefix=5),
    "blocked": Mask(blocked=BLOCKED),
    "a blocked row": Mask(causal=True, blocked=frozenset((5, j) for j in range(6))),
    "keys padded": Mask(pads="keys"),
    "given": Mask(given=DRAWN),
    "given keys": Mask(causal=True, given=DRAWN[:1, :1, :1]),
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """Everything but the mask."""

    n: int = 300
    m: int | None = None
    heads: tuple[int, int] = (2, 1)
    batch: int = 1
    dtype: str = "float64"
    lengths: list[tuple[int, int]] | None = None
    made: dict[str, Any] = field(default_factory=dict)
    scale: float = 0.5
    size: float = 1.0

    def parts(self, mask: Mask) -> tuple[np.ndarray, np.ndarray, LayerContext, np.ndarray | None]:
        """q, k, context of the layer, table of relative positions."""
        rng, m = np.random.default_rng(self.n), self.m or self.n
        heads, kv_heads = self.heads
        q = (self.size * rng.normal(size=(self.batch, heads, self.n, 8))).astype(self.dtype)
        k = (self.size * rng.normal(size=(self.batch, kv_heads, m, 8))).astype(self.dtype)
        if mask.given is not None:
            sizes = zip(mask.given.shape, (self.batch, heads, self.n, m), strict=True)
            cut = (slice(None) if of == 1 else slice(to) for of, to in sizes)
            mask = replace(mask, given=mask.given[tuple(cut)])
        table = None
        if self.made.get("positions") == "relative":
            table = rng.normal(size=(32, heads)).astype(self.dtype)
        setting = LayerContext(
            Architecture(Shape(heads, kv_heads, 8 * heads, 8, 8), **self.made),
            self.lengths or [(self.n, m)] * self.batch, Options(self.scale, 1.3, mask),
        )  # fmt: skip
        return q, k, setting, table

    def layer(self, mask: Mask) -> tuple[FactoredMap, dict[str, np.ndarray]]:
        """Factored map, and dense ones."""
        q, k, setting, table = self.parts(mask)
        maps, _ = attend_heads(q, k, None, setting, table=table)
        return FactoredMap(q, k, setting, table), maps


KINDS: dict[str, Kind] = {
    "usual": Kind(),
    "float32": Kind(dtype="float32"),
    "large scores": Kind(size=12.0),
    "large float32 scores": Kind(size=5.0, dtype="float32", n=530),
    "grouped, padded": Kind(n=91, heads=(4, 2), batch=2, lengths=[(91, 91), (40, 33)]),
    "context": Kind(n=37, m=300),
    "short context": Kind(n=300, m=37),
    "alibi": Kind(n=530, made={"positions": "alibi"}),
    "alibi float32": Kind(n=270, made={"positions": "alibi"}, dtype="float32"),
    "relative": Kind(made={"positions": "relative"}),
    "both ways": Kind(made={"positions": "relative", "relative": Relative(both_ways=True)}),
    "capped": Kind(size=6.0, made={"score_cap": 5.0}),
    "one token": Kind(n=1),
}  # fmt: skip


def tolerance(kind: Kind) -> float:
    return 1e-12 if kind.dtype == "float64" else 1e-6
