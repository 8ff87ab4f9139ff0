"""Encoder-decoders in transformers: eager attention, all maps and states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from transformers import AutoModelForSeq2SeqLM

Texts = Sequence[Sequence[str | None]]


class PairRun(NamedTuple):
    """Maps and inputs of each block; `context`: what the decoder attends to."""

    encoder: list[np.ndarray]
    own: list[np.ndarray]
    cross: list[np.ndarray]
    encoder_received: list[np.ndarray]
    received: list[np.ndarray]
    context: np.ndarray
    logits: np.ndarray


def run_pair(folder: Path, ids: Mapping[str, int], sources: Texts, texts: Texts) -> PairRun:
    """Batches of token names, None in padding."""
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").eval()
    (source, source_mask), (text, text_mask) = (_padded(ids, rows) for rows in (sources, texts))
    with torch.no_grad():
        outputs = model(
            input_ids=source, attention_mask=source_mask, decoder_input_ids=text,
            decoder_attention_mask=text_mask, output_attentions=True, output_hidden_states=True,
        )  # fmt: skip
    lists = (outputs.encoder_attentions, outputs.decoder_attentions, outputs.cross_attentions,
             outputs.encoder_hidden_states[:-1], outputs.decoder_hidden_states[:-1])  # fmt: skip
    encoder, own, cross, entered, received = ([one.numpy() for one in each] for each in lists)
    last, logits = outputs.encoder_last_hidden_state.numpy(), outputs.logits.numpy()
    return PairRun(encoder, own, cross, entered, received, last, logits)


def _padded(ids: Mapping[str, int], rows: Texts) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids (1 in padding), and mask."""
    there = torch.tensor([[0 if token is None else 1 for token in row] for row in rows])
    return torch.tensor(
        [[1 if token is None else ids[token] for token in row] for row in rows]
    ), there
