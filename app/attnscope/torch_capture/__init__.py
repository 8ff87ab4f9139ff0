"""Captures of a running PyTorch model; torch is imported on use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attnscope.torch_capture.captured_run import Captured, CaptureError

__all__ = ["CaptureError", "Captured", "capture"]


def capture(
    model: Any,
    tokenizer: Any = None,
    text: Any = None,
    *,
    target: str | None = None,
    part: str | None = None,
    scores: bool | None = None,
    tokens: Sequence[str] | Sequence[Sequence[str]] | None = None,
    folder: str | Path | None = None,
) -> Captured:
    """Run a PyTorch model without gradients and dropout, and capture all attention weights. The
    model's settings are restored.

    Args:
        model: A model of transformers, or any `torch.nn.Module` with `nn.MultiheadAttention`,
            `F.scaled_dot_product_attention`, or a softmax over the last axis of [B, h, n, m] or
            [B·h, n, m].
        tokenizer: A tokenizer of transformers. None: `text` is the input, a tensor, a tuple, or a
            mapping.
        text: A string, or a list of strings (a batch).
        target: Text of the decoder. None: its start token.
        part: "encoder", "decoder" or "cross", required for an encoder with a decoder; or a
            module's name, or a part of names, required if layers differ in size.
        scores: Whether to keep masked scores. None: only if weights do not follow from
            q kᵀ × scale, which may take a second run.
        tokens: Names of the queries; a list for each text of a batch.
        folder: An empty folder for arrays. Memory then holds one layer at a time.

    Raises:
        CaptureError: Torch is missing, no attention is found, layers do not fit, or `folder` is
            not empty.
        OSError: `folder` cannot be written.
    """
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise CaptureError("attnscope.capture needs PyTorch: install torch.") from error
    from attnscope.torch_capture.run_model import run_captured

    where = None if folder is None else Path(folder)
    return run_captured(model, tokenizer, text, target, part, scores, tokens, where)
