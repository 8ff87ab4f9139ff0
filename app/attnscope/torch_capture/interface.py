"""Record attention through transformers' attention interface."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from torch import Tensor

from attnscope.torch_capture.captured_run import CaptureError
from attnscope.torch_capture.functions import LastSoftmax, attend
from attnscope.torch_capture.recorder import Recorder

NUMBERS = count()  # nested captures need different names
EAGER = "eager_attention_forward"


def has_interface(model: Any) -> bool:
    asked = getattr(model, "_can_set_attn_implementation", None)
    return asked is not None and bool(asked())


@contextmanager
def record_calls(model: Any, recorder: Recorder) -> Iterator[None]:
    """Record through the eager attention function of the model's file. Raises CaptureError if
    transformers is too old."""
    try:
        from transformers import masking_utils, modeling_utils

        functions = modeling_utils.AttentionInterface._global_mapping
        masks = masking_utils.AttentionMaskInterface._global_mapping
        eager_mask = masking_utils.eager_mask
    except (ImportError, AttributeError) as error:
        raise CaptureError("Install a newer transformers: 4.53 at least.") from error
    name = f"attnscope_capture_{next(NUMBERS)}"
    names = {id(module): at for at, module in model.named_modules()}
    before = [(config, config._attn_implementation_internal) for config in _configs(model)]
    functions[name] = _recording(recorder, names)
    masks[name] = eager_mask
    try:
        model.set_attn_implementation(name)
        for config in _missed_configs(model):
            config._attn_implementation_internal = name
        yield
    finally:
        for config, implementation in before:
            config._attn_implementation_internal = implementation
        del functions[name], masks[name]


def _recording(recorder: Recorder, names: dict[int, str]) -> Callable[..., Any]:
    own = threading.get_ident()

    def forward(
        module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any, **more: Any
    ) -> Any:
        if threading.get_ident() != own:  # another thread uses the model
            return _eager(module)(module, query, key, value, attention_mask, **more)
        with LastSoftmax() as softmax:
            output, weights = _eager(module)(module, query, key, value, attention_mask, **more)
        masked = softmax.softmax_input
        if masked is not None:
            masked = masked[..., : weights.shape[-1]]  # attention sinks add a column
        scale = more.get("scaling")
        recorder.add(names.get(id(module), ""), weights, masked, query, key, value, scale)
        return output, weights

    return forward


def _eager(module: Any) -> Callable[..., Any]:
    for kind in type(module).__mro__:
        found = getattr(sys.modules.get(kind.__module__), EAGER, None)
        if found is not None:
            function: Callable[..., Any] = found
            return function
    return _plain_attention


def _plain_attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any,
    scaling: float | None = None, **_: Any,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    grouped = query.shape[1] != key.shape[1]
    output, weights, _ = attend(
        query, key, value, attention_mask, scale=scaling, enable_gqa=grouped
    )
    return output.transpose(1, 2).contiguous(), weights


def _missed_configs(model: Any) -> list[Any]:
    """Configs that set_attn_implementation misses. In VisionEncoderDecoderModel, the encoder and
    its layers have different configs."""
    with_config = [module for module in model.modules() if hasattr(module, "config")]
    set_by = {id(one.config) for one in with_config if hasattr(one, "set_attn_implementation")}
    others = {id(one.config): one.config for one in with_config if id(one.config) not in set_by}
    return [one for one in others.values() if hasattr(one, "_attn_implementation_internal")]


def _configs(model: Any) -> list[Any]:
    found: dict[int, Any] = {}
    waiting = [module.config for module in model.modules() if hasattr(module, "config")]
    while waiting:
        config = waiting.pop()
        if id(config) in found or not hasattr(config, "_attn_implementation_internal"):
            continue
        found[id(config)] = config
        waiting += [getattr(config, name, None) for name in getattr(config, "sub_configs", ())]
    return list(found.values())
