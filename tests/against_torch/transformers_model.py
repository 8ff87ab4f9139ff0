"""What transformers makes of a checkpoint: eager attention, every map and hidden state."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import AutoModelForCausalLM


class Run(NamedTuple):
    """`attentions` [layer][B, h, n, n]; `received` [layer][B, n, d_model]; `logits` [B, n, V]."""

    attentions: list[np.ndarray]
    received: list[np.ndarray]
    logits: np.ndarray


def run(folder: Path, ids: Mapping[str, int], tokens: Any) -> Run:
    """Of texts of the same length, as tokens by their names."""
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    asked = torch.tensor([[ids[token] for token in row] for row in tokens])
    with torch.no_grad():
        told = model(asked, output_attentions=True, output_hidden_states=True)
    received = told.hidden_states[: len(told.attentions)]
    arrays = ([one.numpy() for one in each] for each in (told.attentions, received))
    return Run(*arrays, told.logits.numpy())
