"""Checkpoints in transformers: eager attention, all maps and states."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from transformers import AutoConfig


class Run(NamedTuple):
    """`attentions` [layer][B, h, n, n]; `received` [layer][B, n, d_model]; `last` [B, n,
    d_model]; `logits` [B, n, V]."""

    attentions: list[np.ndarray]
    received: list[np.ndarray]
    last: np.ndarray
    logits: np.ndarray | None


def run(
    folder: Path, ids: Mapping[str, int], tokens: Any, kinds: Any = None, places: Any = None
) -> Run:
    """Token names of texts of one length; `kinds`: token types, `places`: position ids."""
    named = AutoConfig.from_pretrained(folder).architectures or ["AutoModelForCausalLM"]
    kind = getattr(transformers, named[0])
    model = kind.from_pretrained(folder, attn_implementation="eager").eval()
    asked = torch.tensor([[ids[token] for token in row] for row in tokens])
    more = {} if kinds is None else {"token_type_ids": torch.tensor(kinds)}
    if places is not None:  # without a mask, the library splits texts where positions restart
        more |= {"position_ids": torch.tensor(places), "attention_mask": torch.ones_like(asked)}
    with torch.no_grad():
        outputs = model(asked, **more, output_attentions=True, output_hidden_states=True)
    received = outputs.hidden_states[: len(outputs.attentions)]
    attentions, entered = ([one.numpy() for one in each] for each in (outputs.attentions, received))
    logits = outputs.logits.numpy() if "logits" in outputs else None
    return Run(attentions, entered, outputs.hidden_states[-1].numpy(), logits)
