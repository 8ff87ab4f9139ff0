"""Record attention in any PyTorch module."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention.bias import CausalBias
from torch.overrides import TorchFunctionMode

from attnscope.torch_capture.captured_run import CaptureError
from attnscope.torch_capture.flat_maps import FlatMaps, Place
from attnscope.torch_capture.recorder import Recorder

SDPA = functional.scaled_dot_product_attention
MULTI_HEAD = functional.multi_head_attention_forward
SOFTMAX = (functional.softmax, torch.softmax, torch.special.softmax, Tensor.softmax)


class LastSoftmax(TorchFunctionMode):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.softmax_input: Tensor | None = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in SOFTMAX:
            self.softmax_input = args[0] if args else kwargs["input"]
        return func(*args, **(kwargs or {}))


class AttentionFunctions(TorchFunctionMode):  # type: ignore[misc]
    """Records calls of torch's attention functions in this thread, except in a nested capture."""

    innermost: AttentionFunctions | None = None  # guarded by run_model.ONE_AT_A_TIME

    def __init__(
        self, recorder: Recorder, place: Callable[[], Place], heads: Any, flat: FlatMaps | None
    ) -> None:
        super().__init__()
        self.recorder, self.place, self.heads, self.flat = recorder, place, heads, flat
        self.outer: AttentionFunctions | None = None

    def __enter__(self) -> AttentionFunctions:
        self.outer, AttentionFunctions.innermost = AttentionFunctions.innermost, self
        entered: AttentionFunctions = super().__enter__()
        return entered

    def __exit__(self, *error: Any) -> None:
        AttentionFunctions.innermost = self.outer
        super().__exit__(*error)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if AttentionFunctions.innermost is not self:
            return func(*args, **kwargs)
        if func is SDPA:
            return self._attend(*args, **kwargs)[0]
        if func is MULTI_HEAD:
            return self._multi_head(*args, **kwargs)
        if getattr(func, "__name__", "") == "flex_attention":
            self.recorder.refuse_flex_attention(self.place().name)
        result = func(*args, **kwargs)
        if func in SOFTMAX:
            scores = args[0] if args else kwargs["input"]
            axis = kwargs.get("dim", args[1] if len(args) > 1 else None)
            if scores.is_floating_point() and axis in (-1, scores.ndim - 1):
                self._softmax(result, scores)
        elif self.flat is not None:
            self.flat.product(func, (*args, *kwargs.values()), self.place())
        return result

    def _softmax(self, weights: Tensor, scores: Tensor) -> None:
        if scores.ndim == 4 and self._heads_first(scores):
            self.recorder.add(self.place().name, weights, scores)
        elif scores.ndim == 3 and self.flat is not None:
            self.flat.softmax(weights, scores)

    def _heads_first(self, scores: Tensor) -> bool:
        """False for Longformer's windows of keys, [B, n, h, keys], which are no maps."""
        return self.heads in (None, scores.shape[1]) or self.heads != scores.shape[2]

    def _attend(self, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        named = dict(zip(("query", "key", "value"), args, strict=False)) | kwargs
        if named["query"].is_nested:
            raise CaptureError("The model has nested tensors: give it padded ones with a mask.")
        output, weights, masked = attend(*args, **kwargs)
        q, k, v = _spread(weights, *(named[name] for name in ("query", "key", "value")))
        weights = _four(weights)
        scale = kwargs.get("scale", args[6] if len(args) > 6 else None)
        self.recorder.add(self.place().name, weights, _four(masked), q, k, v, scale)
        return output, weights

    def _multi_head(self, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor | None]:
        """Run F.multi_head_attention_forward, and record its scaled_dot_product_attention."""
        asked = kwargs.get("need_weights", args[14] if len(args) > 14 else True)
        average = kwargs.get("average_attn_weights", True)
        found: list[Tensor] = []

        def attended(*args: Any, **kwargs: Any) -> Tensor:
            output, weights = self._attend(*args, **kwargs)
            found.append(weights)
            return output

        given = (*args[:14], False, *args[15:]) if len(args) > 14 else args
        if len(args) <= 14:
            kwargs = {**kwargs, "need_weights": False}
        with _replaced(attended):
            output, _ = MULTI_HEAD(*given, **kwargs)
        if not asked:
            return output, None
        weights = found[0].mean(1) if average else found[0]
        return output, weights if output.ndim == 3 else weights[0]


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """F.scaled_dot_product_attention that also returns weights and masked scores. Weights of fully
    masked rows are 0. Products of half precision are computed in float32, as scores may
    overflow."""
    device = query.device.type
    if torch.is_autocast_enabled(device):
        half = torch.get_autocast_dtype(device)
        query, key, value = (one.to(half) for one in (query, key, value))
    if isinstance(attn_mask, CausalBias):
        attn_mask = attn_mask._materialize(query.device)
    if enable_gqa:
        heads = query.shape[-3]
        key, value = (one.repeat_interleave(heads // one.shape[-3], -3) for one in (key, value))
    with torch.autocast(device, enabled=False):
        masked = (
            _wide(query) @ _wide(key).mT * (query.shape[-1] ** -0.5 if scale is None else scale)
        )
        if is_causal:
            later = torch.ones(masked.shape[-2:], dtype=torch.bool, device=masked.device).triu(1)
            masked = masked.masked_fill(later, -torch.inf)
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            masked = masked.masked_fill(~attn_mask, -torch.inf)
        elif attn_mask is not None:
            masked = masked + attn_mask
        weights = masked.softmax(-1)
        if attn_mask is not None:
            weights = weights.masked_fill((masked == -torch.inf).all(-1, keepdim=True), 0)
        return weights.to(value.dtype) @ value, weights, masked


def _wide(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


@contextmanager
def record_flat_calls(model: nn.Module, recorder: Recorder) -> Iterator[None]:
    """Like `record_calls`, but also record maps [B·h, n, m]."""
    flat = FlatMaps(recorder)
    with record_calls(model, recorder, flat):
        yield
    flat.flush()


@contextmanager
def record_calls(
    model: nn.Module, recorder: Recorder, flat: FlatMaps | None = None
) -> Iterator[None]:
    inside: list[Place] = []
    own = threading.get_ident()
    with ExitStack() as stack:
        for name, module in model.named_modules():
            if any(True for _ in module.children()):
                enter = module.register_forward_pre_hook(partial(_enter, inside, own, name))
                leave = module.register_forward_hook(partial(_leave, inside, own), always_call=True)
                stack.callback(enter.remove)
                stack.callback(leave.remove)
        heads = getattr(getattr(model, "config", None), "num_attention_heads", None)

        def place() -> Place:
            return inside[-1] if inside else Place("", model)

        stack.enter_context(AttentionFunctions(recorder, place, heads, flat))
        yield


def _enter(
    inside: list[Place], own: int, name: str, module: nn.Module, given: tuple[object, ...]
) -> None:
    if threading.get_ident() == own:
        inside.append(Place(name, module, given[0] if given else None))


def _leave(inside: list[Place], own: int, *_: object) -> None:
    if threading.get_ident() == own:
        inside.pop()


@contextmanager
def _replaced(attended: Callable[..., Tensor]) -> Iterator[None]:
    """Replace torch's scaled_dot_product_attention in this thread."""
    own = threading.get_ident()
    before = functional.scaled_dot_product_attention

    def dispatched(*args: Any, **kwargs: Any) -> Tensor:
        called = attended if threading.get_ident() == own else before
        return called(*args, **kwargs)

    functional.scaled_dot_product_attention = dispatched
    try:
        yield
    finally:
        functional.scaled_dot_product_attention = before


def _spread(weights: Tensor, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
    """Expand q, k and v to [B, heads, tokens, width], as torch would broadcast them."""
    q = q.expand(*weights.shape[:-2], *q.shape[-2:])
    texts = weights.shape[:-3] if weights.ndim > 3 else weights.shape[:-2]
    rest = 3 if weights.ndim > 3 else 2
    k, v = (one.expand(*texts, *_at_least(one, rest).shape[-rest:]) for one in (k, v))
    if rest == 3 and k.shape[-3] != v.shape[-3]:  # k and v have different numbers of heads
        heads = q.shape[-3]
        k, v = (one.repeat_interleave(heads // one.shape[-3], -3) for one in (k, v))
    return _four(q), _four(k), _four(v)


def _at_least(tensor: Tensor, axes: int) -> Tensor:
    return tensor[None] if tensor.ndim < axes else tensor


def _four(tensor: Tensor) -> Tensor:
    """Reshape to [B, h, rows, columns]."""
    while tensor.ndim < 4:
        tensor = tensor[None] if tensor.ndim == 2 else tensor[:, None]
    return tensor.flatten(0, -4)
