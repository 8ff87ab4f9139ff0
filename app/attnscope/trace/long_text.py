from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import RLock
from typing import cast, overload

import numpy as np

from attnscope import cancellation
from attnscope.attention.architecture import Parameters
from attnscope.attention.attend import MAPS, queries_keys_values, table_of
from attnscope.attention.layer_context import LayerContext, LayerStages
from attnscope.attention.map import FactoredMap
from attnscope.attention.recomputed_stages import KEPT_MAPS, KEPT_X, StageCache
from attnscope.attention.transformer import layer as run_layer
from attnscope.attention.transformer import norm
from attnscope.trace.stages import NAMES

# Stages that are cached after a layer has run.
LINEAR = tuple(name for name in NAMES if name not in (*MAPS, "x"))

At = int | slice


class HeadBlocks:
    """A map [n, m]; indexing computes a block."""

    def __init__(self, factored: FactoredMap, stage: str, batch: int, head: int) -> None:
        self.factored, self.stage, self.batch, self.head = factored, stage, batch, head

    @property
    def shape(self) -> tuple[int, int]:
        return self.factored.shape[2:]

    def __getitem__(self, key: tuple[At, At]) -> np.ndarray:
        rows, cols = (_span(at, size) for at, size in zip(key, self.shape, strict=True))
        block = self.factored.block(self.stage, self.batch, self.head, rows, cols)
        cells: np.ndarray = block[tuple(0 if isinstance(at, int) else slice(None) for at in key)]
        return cells


def _span(at: At, size: int) -> slice:
    if isinstance(at, int):
        return slice(at, at + 1)
    start, stop, _ = at.indices(size)
    return slice(start, stop)


class LongLayers(Sequence["LongStages"]):
    """Layers of a long text, computed on access. The model has no decoder."""

    def __init__(
        self, x: np.ndarray, parameters: Sequence[Parameters], setting: LayerContext, *,
        kept_x: int = KEPT_X, kept_maps: int = KEPT_MAPS,
    ) -> None:  # fmt: skip
        self.parameters, self.setting = parameters, replace(setting, maps=())
        self._kept = {0: x}
        self._every = max(1, -(-len(parameters) * x.nbytes // kept_x))
        self._kept_maps = kept_maps
        self.made = StageCache()
        self._maps: OrderedDict[int, FactoredMap] = OrderedDict()
        self.lock = RLock()  # so that numbers are computed once
        self._stages = [LongStages(self, i) for i in range(len(parameters))]

    def __len__(self) -> int:
        return len(self._stages)

    @overload
    def __getitem__(self, i: int) -> LongStages: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[LongStages]: ...
    def __getitem__(self, i: int | slice) -> LongStages | Sequence[LongStages]:
        return self._stages[i]

    def has_map(self, layer: int) -> bool:
        return layer in self._maps

    def map(self, layer: int) -> FactoredMap:
        with self.lock:
            found = self._maps.get(layer)
            if found is None:
                setting, stages = self.setting.at(layer), self._stages[layer]
                table = table_of(self.parameters[layer], setting)
                found = self._maps[layer] = FactoredMap(stages["q"], stages["k"], setting, table)
            self._maps.move_to_end(layer)
            while len(self._maps) > self._kept_maps:
                self._maps.popitem(last=False)
            return found

    def x(self, layer: int) -> np.ndarray:
        with self.lock:
            first = max(i for i in self._kept if i <= layer)
            x = self._kept[first]
            for i in range(first, layer):
                cancellation.check()
                x = run_layer(x, self.parameters[i], self.setting.at(i), lambda *_: None)
                if (i + 1) % self._every == 0:
                    self._kept[i + 1] = x
            return x


class LongStages(LayerStages):
    """Stages of one layer. Indexing raises KeyError for maps; `head` returns `HeadBlocks`."""

    def __init__(self, layers: LongLayers, layer: int) -> None:
        self._layers, self.layer = layers, layer
        self._names: list[str] | None = None

    def head(self, name: str, batch: int, head: int) -> np.ndarray:
        if name in MAPS:
            return cast(np.ndarray, HeadBlocks(self.factored, name, batch, head))
        return super().head(name, batch, head)

    @property
    def factored(self) -> FactoredMap:
        return self._layers.map(self.layer)

    def __getitem__(self, name: str) -> np.ndarray:
        if name in MAPS or name not in self.names:
            raise KeyError(name)
        if name == "context":
            context = self._layers.setting.at(self.layer).context
            assert context is not None
            return context
        if name == "x":
            return self._layers.x(self.layer)
        with self._layers.lock:
            found = self._layers.made.get(self.layer, name)
            if found is None:
                stages = self._before()
                if name not in stages:
                    stages = self._all()
                stays = {one: stages[one] for one in (*LINEAR, name) if one in stages}
                self._layers.made.put(self.layer, stays)
                found = stages[name]
            return found

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        yield from self.names

    def __len__(self) -> int:
        return len(self.names)

    @property
    def names(self) -> list[str]:
        """Names of the stages, found by running one row."""
        if self._names is None:
            found: dict[str, np.ndarray] = {}
            setting = self._layers.setting.at(self.layer)
            row = np.zeros_like(self._layers.x(0)[:, :1])
            run_layer(row, self._layers.parameters[self.layer], setting, found.__setitem__)
            context = () if setting.context is None else ("context",)
            after = [name for name in found if name != "row_sums"]
            self._names = ["x", *context, *after, *MAPS, "block_output"]
        return self._names

    def _before(self) -> dict[str, np.ndarray]:
        setting, p = self._layers.setting.at(self.layer), self._layers.parameters[self.layer]
        found: dict[str, np.ndarray] = {}
        z = self._layers.x(self.layer)
        if setting.architecture.norms_input:
            z = found["normed_x"] = norm("norm", z, p, setting)
        names = ("q", "k", "v")
        made = queries_keys_values(z, p, setting, found.__setitem__)
        return {**found, **dict(zip(names, made, strict=True))}

    def _all(self) -> dict[str, np.ndarray]:
        setting, p = self._layers.setting.at(self.layer), self._layers.parameters[self.layer]
        found: dict[str, np.ndarray] = {}
        cancellation.check()
        found["block_output"] = run_layer(self._layers.x(self.layer), p, setting, found.__setitem__)
        return found
