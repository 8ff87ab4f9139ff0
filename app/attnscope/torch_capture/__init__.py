"""Captures of a running PyTorch model. torch is imported when `capture` is called, never before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attnscope.torch_capture.captured import Captured, CaptureError

__all__ = ["CaptureError", "Captured", "capture"]


def capture(
    model: Any,
    tokenizer: Any = None,
    text: Any = None,
    *,
    target: str | None = None,
    part: str | None = None,
    scores: bool | None = None,
    tokens: Sequence[str] | None = None,
    folder: str | Path | None = None,
) -> Captured:
    """Run a PyTorch model once, and capture the attention weights of every layer.

    The model runs without gradients and without dropout, on its own device; its attention is
    computed eagerly whatever kernel it was loaded with, and every setting is restored.

    Args:
        model: A model of transformers, or any `torch.nn.Module` whose attention is
            `nn.MultiheadAttention`, `F.scaled_dot_product_attention`, or a softmax over the last
            axis of [B, h, n, m].
        tokenizer: A tokenizer of transformers. None: `text` is the model's input, a tensor, a
            tuple of tensors, or a mapping of named ones.
        text: A string; a list of strings is a batch, padded at the end.
        target: What the decoder of an encoder-decoder reads; None: its start token.
        part: Which layers: "encoder", "decoder", "cross", or a part of the module's name. Needed
            if the model has several kinds, whose maps have different sizes.
        scores: Whether to keep the scores before the softmax. None: if the weights do not follow
            from q kᵀ × scale (a bias, a cap, no q and k).
        tokens: Names of the queries, in place of the tokenizer's.
        folder: An empty folder for the arrays of a long text: each layer is written as soon as it
            is computed, so that memory holds one layer. None: all are kept in memory.

    Raises:
        CaptureError: torch is not installed, no attention was computed, or layers do not fit
            together, or `folder` holds files; the message says what to do.
        OSError: The folder cannot be written.
    """
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise CaptureError("attnscope.capture needs PyTorch: install torch.") from error
    from attnscope.torch_capture.running import run_captured

    where = None if folder is None else Path(folder)
    return run_captured(model, tokenizer, text, target, part, scores, tokens, where)
