from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar, overload

from attnscope.client.arrays import Array
from attnscope.trace.stages import NAMES

Got = TypeVar("Got")
Weights = TypeVar("Weights")
Parameters = Mapping[str, Array]
Get = Callable[[int, str], Got]
GetParameters = Callable[[int], Weights]


class Layer(Generic[Got, Weights]):
    """Stages of a layer: B texts, h heads, h_kv key/value heads, n queries, m keys.

    Arrays are read-only. Some layers also have `middle`, `hidden`, `gate`, `activated` and
    `mlp_output` [B, n, …]; parameters are attributes too (`w_q`, `b_q`, …). Raises Problem:
    `unknown_stage`, `not_captured`, `too_large` (then use `trace.block`).
    """

    def __init__(
        self, trace: str, index: int, get: Get[Got], get_parameters: GetParameters[Weights]
    ) -> None:
        self._trace = trace
        self.index = index
        self._get = get
        self._get_parameters = get_parameters

    def __repr__(self) -> str:
        return f"<layer {self.index} of trace {self._trace}: {', '.join(NAMES)}>"

    def __getattr__(self, name: str) -> Got:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._get(self.index, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *NAMES})

    @property
    def x(self) -> Got:
        """Input [B, n, d_model]."""
        return self._get(self.index, "x")

    @property
    def q(self) -> Got:
        """Queries [B, h, n, d_k]."""
        return self._get(self.index, "q")

    @property
    def k(self) -> Got:
        """Keys [B, h_kv, m, d_k]."""
        return self._get(self.index, "k")

    @property
    def v(self) -> Got:
        """Values [B, h_kv, m, d_v]."""
        return self._get(self.index, "v")

    @property
    def scores(self) -> Got:
        """q kᵀ [B, h, n, m]."""
        return self._get(self.index, "scores")

    @property
    def scaled_scores(self) -> Got:
        """Scores × scale / temperature, with position bias and cap [B, h, n, m]."""
        return self._get(self.index, "scaled_scores")

    @property
    def masked_scores(self) -> Got:
        """Scaled scores, −inf where masked [B, h, n, m]."""
        return self._get(self.index, "masked_scores")

    @property
    def weights(self) -> Got:
        """Softmax over keys, 0 where masked [B, h, n, m]."""
        return self._get(self.index, "weights")

    @property
    def head_outputs(self) -> Got:
        """Weights × v [B, h, n, d_v]."""
        return self._get(self.index, "head_outputs")

    @property
    def concat(self) -> Got:
        """Heads side by side [B, n, h · d_v]."""
        return self._get(self.index, "concat")

    @property
    def output(self) -> Got:
        """Concat × w_o + b_o [B, n, d_model]."""
        return self._get(self.index, "output")

    @property
    def block_output(self) -> Got:
        """Output of the block [B, n, d_model]."""
        return self._get(self.index, "block_output")

    @property
    def parameters(self) -> Weights:
        """Parameters by name: `w_q` [d_model, h · d_k], `b_q` [h · d_k] …"""
        return self._get_parameters(self.index)


class Layers(Generic[Got, Weights]):
    """The layers of a trace."""

    def __init__(
        self, trace: str, count: int, get: Get[Got], get_parameters: GetParameters[Weights]
    ) -> None:
        self._layers = [Layer(trace, i, get, get_parameters) for i in range(count)]

    def __len__(self) -> int:
        return len(self._layers)

    def __iter__(self) -> Iterator[Layer[Got, Weights]]:
        return iter(self._layers)

    @overload
    def __getitem__(self, index: int) -> Layer[Got, Weights]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Layer[Got, Weights]]: ...

    def __getitem__(self, index: int | slice) -> Layer[Got, Weights] | list[Layer[Got, Weights]]:
        try:
            return self._layers[index]
        except IndexError:
            last = len(self) - 1
            raise IndexError(f"There is no layer {index}: they run from 0 to {last}.") from None

    def __repr__(self) -> str:
        return f"<{len(self)} layers>"
