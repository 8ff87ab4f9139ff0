"""Stages recomputed on access, bit-identical, to save memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from threading import Lock

import numpy as np
from jaxtyping import Bool, Float

from attnscope.attention import memory, thread_pool
from attnscope.attention.attend import MAPS, attend_heads
from attnscope.attention.flash_pass import RowSums
from attnscope.attention.layer_context import LayerContext, LayerStages
from attnscope.attention.map import FactoredMap
from attnscope.attention.scaling import Scaling, slopes_of
from attnscope.attention.strips import SPREAD_CELLS

KEPT = 64 << 20  # bytes per trace
KEPT_MAPS = 2  # FactoredMaps per long text
KEPT_X = 128 << 20  # bytes of x; above, only every second (third, …) layer of a long text keeps x
SUMS = ("row_sums", "row_peaks", "row_totals")  # the last two only for long rows
STORED_MAPS = ("scores", "weights")  # other maps derive from the scores
KEPT_STAGES = frozenset({"x", "context", "q", "k", "v", "output", "block_output", *SUMS})

Stages = Mapping[str, np.ndarray]


class StageCache:
    def __init__(self, most_bytes: int = KEPT) -> None:
        self._most_bytes = most_bytes
        self._arrays: OrderedDict[tuple[int, str], np.ndarray] = OrderedDict()
        self._lock = Lock()

    def get(self, layer: int, name: str) -> np.ndarray | None:
        with self._lock:
            found = self._arrays.get((layer, name))
            if found is not None:
                self._arrays.move_to_end((layer, name))
            return found

    def put(self, layer: int, stages: Stages) -> None:
        with self._lock:
            self._arrays.update({(layer, name): array for name, array in stages.items()})
            taken = sum(array.nbytes for array in self._arrays.values())
            while taken > self._most_bytes and len(self._arrays) > len(stages):
                taken -= self._arrays.popitem(last=False)[1].nbytes


class RecomputedStages(LayerStages):
    """`again` reruns the layer, for all stages but maps."""

    def __init__(
        self, stages: Stages, names: Sequence[str], setting: LayerContext, made: StageCache,
        again: Callable[[], Stages], table: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self._kept: Stages = {name: array for name, array in stages.items() if name not in SUMS}
        self._row_sums = stages["row_sums"] if "row_sums" in stages else stages["weights"].sum(-1)
        self._sums = [stages[name] for name in SUMS[1:] if name in stages]
        first = names.index("scores") if "scores" in names else len(names)
        ordered = [*names[:first], *MAPS, *names[first:]]
        self._names = [name for name in dict.fromkeys(ordered) if name not in SUMS]
        self._setting, self._made, self._again = setting, made, again
        self._table = table

    @property
    def kept(self) -> Stages:
        return self._kept

    @property
    def row_sums(self) -> Float[np.ndarray, "batch head row"]:
        return self._row_sums

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.kept:
            return self.kept[name]
        if name not in self._names:
            raise KeyError(name)
        if name in MAPS and "scores" in self.kept:
            texts, heads = map(range, self.kept["scores"].shape[:2])
            return self._derived(name, texts, heads)
        found = self._made.get(self._setting.layer, name)
        if found is None:
            stages = self._maps((name,)) if name in MAPS else self._rest()
            self._made.put(self._setting.layer, stages)
            found = stages[name]
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self._names

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def may_overflow(self) -> bool:
        """Bound the scores by the largest |q| and |k|."""
        q, k, options = self.kept["q"], self.kept["k"], self._setting.options
        if options.grid is not None:
            return True
        slopes = slopes_of(self._setting) or [0.0]
        most = _largest(q) * _largest(k) * q.shape[-1]
        scaled = most * max(1.0, abs(options.scale / options.temperature))
        added = 0.0 if self._table is None else float(np.abs(self._table).max())
        return not scaled + max(slopes) * k.shape[2] + added < float(np.finfo(q.dtype).max) / 2

    def factored(self) -> FactoredMap:
        fmap = FactoredMap(self.kept["q"], self.kept["k"], self._setting, self._table)
        if self._sums:
            for b, h in np.ndindex(fmap.shape[:2]):
                fmap.remember(b, h, RowSums(*(array[b, h] for array in self._sums)))
        return fmap

    def head(self, name: str, batch: int, head: int) -> Float[np.ndarray, "row col"]:
        derived = name in MAPS and name not in self.kept and "scores" in self.kept
        texts, heads = range(batch, batch + 1), range(head, head + 1)
        one: np.ndarray = (
            self._derived(name, texts, heads)[0, 0] if derived else self[name][batch, head]
        )
        return one

    def rows(self, name: str, batch: int, rows: slice) -> Float[np.ndarray, "head rows key"]:
        some: np.ndarray
        if name in self.kept:
            some = self.kept[name][batch][:, rows]
        elif "scores" in self.kept:
            heads = range(self._setting.shape.num_heads)
            some = self._derived(name, range(batch, batch + 1), heads, rows)[0]
        else:
            some = self._maps((name,), batch, rows)[name][0]
        return some

    def _maps(
        self, names: Sequence[str], batch: int | None = None, rows: slice = slice(None)
    ) -> dict[str, np.ndarray]:
        texts = slice(None) if batch is None else slice(batch, batch + 1)
        q, k = self.kept["q"][texts][:, :, rows], self.kept["k"][texts]
        setting = self._setting if batch is None else self._setting.of_text(batch)
        maps, _ = attend_heads(q, k, None, setting, rows.start or 0, names, self._table)
        return maps

    def _derived(
        self, name: str, texts: range, heads: range, rows: slice = slice(None)
    ) -> Float[np.ndarray, "text head rows key"]:
        """Repeat the operations of `attend_heads`, which gives the same bits."""
        scores, setting = self.kept["scores"], self._setting
        queries, keys = np.arange(scores.shape[2])[rows], np.arange(scores.shape[3])
        derived = memory.empty((len(texts), len(heads), len(queries), len(keys)), scores.dtype)
        scaling, mask = Scaling.of(setting, self._table), setting.options.mask
        first = rows.start or 0

        @cache
        def closed(text: int, head: int) -> Bool[np.ndarray, "rows key"]:
            return ~mask.may_attend(queries, keys, setting.lengths[text], text, head)

        def one(at: tuple[int, int]) -> None:
            text, head = texts[at[0]], heads[at[1]]
            here = slice(head, head + 1)
            with np.errstate(over="ignore", invalid="ignore"):
                scaling.scale_heads(scores[text, here, rows], here, first, out=derived[at][None])
            if name == "masked_scores":
                shared = closed(text, head if mask.differs_by_head else 0)
                np.copyto(derived[at], -np.inf, where=shared)

        places = list(np.ndindex(derived.shape[:2]))
        thread_pool.for_each(one, places, spread=derived.size >= SPREAD_CELLS)
        return derived

    def _rest(self) -> Stages:
        again = self._again()
        return {
            name: again[name] for name in self._names if name in again and name not in self.kept
        }


def _largest(array: np.ndarray) -> float:
    return max(float(array.max()), -float(array.min()))
