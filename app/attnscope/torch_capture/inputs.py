from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from attnscope.torch_capture.captured_run import CaptureError


@dataclass
class Inputs:
    """`tokens` of each text contain no padding."""

    args: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)
    tokens: list[list[str]] | None = None
    target_tokens: list[list[str]] | None = None


def read_inputs(model: Any, tokenizer: Any, text: Any, target: str | None) -> Inputs:
    device = next((one.device for one in model.parameters()), torch.device("cpu"))
    offloaded = hasattr(model, "hf_device_map")  # accelerate loads weights layer by layer
    empty = [name for name, one in model.named_parameters() if one.device.type == "meta"]
    if device.type == "meta" or (empty and not offloaded):
        raise CaptureError(
            f'{empty[0]} of the model is on the device "meta", without numbers: load its weights.'
        )
    if tokenizer is None:
        return _own_inputs(text, device)
    texts = [text] if isinstance(text, str) else text
    if not (isinstance(texts, list | tuple) and texts and all(map(_is_text, texts))):
        raise CaptureError("text has to be a string, or a list of strings that are not empty.")
    if not (callable(tokenizer) and hasattr(tokenizer, "convert_ids_to_tokens")):
        raise CaptureError("tokenizer has to be one of transformers: AutoTokenizer, for example.")
    encoded = [dict(tokenizer(one)) for one in texts]
    ids = [one["input_ids"] for one in encoded]
    if not all(ids):
        raise CaptureError("The tokenizer makes no token of a text: write more.")
    keys = [key for key in ("input_ids", "attention_mask", "token_type_ids") if key in encoded[0]]
    fill = {"input_ids": getattr(tokenizer, "pad_token_id", None) or 0}
    padded = {key: _padded([one[key] for one in encoded], fill.get(key, 0)) for key in keys}
    if len(texts) > 1 and "attention_mask" not in padded:
        padded["attention_mask"] = _padded([[1] * len(one) for one in ids], 0)
    named = {key: torch.tensor(rows, device=device) for key, rows in padded.items()}
    found = Inputs((), named, [tokenizer.convert_ids_to_tokens(one) for one in ids])
    if getattr(getattr(model, "config", None), "is_encoder_decoder", False):
        _add_target(found, model, tokenizer, target, len(texts), device)
    return _accepted(model, found)


def _own_inputs(text: Any, device: torch.device) -> Inputs:
    if isinstance(text, Mapping):
        return Inputs((), {key: _on(one, device) for key, one in text.items()})
    if isinstance(text, torch.Tensor):
        text = (text,)
    if not (isinstance(text, tuple | list) and any(isinstance(x, torch.Tensor) for x in text)):
        raise CaptureError(
            "Without a tokenizer, text has to be what the model is called with: a tensor, a tuple "
            "of tensors, or a dict of named ones."
        )
    return Inputs(tuple(_on(one, device) for one in text))


def _add_target(
    found: Inputs, model: Any, tokenizer: Any, target: str | None, batch: int, device: Any
) -> None:
    """Teacher forcing: the decoder reads the start token and the target without its end token."""
    start = model.config.decoder_start_token_id
    if start is None:
        raise CaptureError("Set model.config.decoder_start_token_id: the decoder begins with it.")
    ids = [start]
    if target is not None:
        own = list(tokenizer(text_target=target)["input_ids"])
        ids += own[:-1] if own and own[-1] == model.config.eos_token_id else own
    found.named["decoder_input_ids"] = torch.tensor([ids] * batch, device=device)
    found.target_tokens = [tokenizer.convert_ids_to_tokens(ids)] * batch


def _accepted(model: Any, found: Inputs) -> Inputs:
    parameters = inspect.signature(model.forward).parameters
    if "input_ids" not in parameters:
        if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            return found  # a wrapper passes all arguments on
        named = {key: one for key, one in found.named.items() if key in parameters}
        return Inputs((found.named["input_ids"],), named, found.tokens, found.target_tokens)
    found.named = {key: one for key, one in found.named.items() if key in parameters}
    if "use_cache" in parameters:
        found.named["use_cache"] = False
    return found


def _padded(rows: list[list[int]], fill: int) -> list[list[int]]:
    longest = max(map(len, rows))
    return [row + [fill] * (longest - len(row)) for row in rows]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _on(value: Any, device: torch.device) -> Any:
    return value.to(device) if isinstance(value, torch.Tensor) else value
