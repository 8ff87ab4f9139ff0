"""Gemma 1 to 3: files store gains as 1 + w."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attnscope.installed.gguf.llama import AT, BLOCK, HEAD_NORMS, LlamaGguf
from attnscope.weights.formats.gguf_metadata import Metadata

SANDWICH = BLOCK | {
    "post_attention_norm.weight": f"{AT}post_attention_layernorm.weight",
    "ffn_norm.weight": f"{AT}pre_feedforward_layernorm.weight",
    "post_ffw_norm.weight": f"{AT}post_feedforward_layernorm.weight",
}
LAYERS_OF_27B = {"gemma2": 46, "gemma3": 62}
WINDOW, PATTERN = "attention.sliding_window", "attention.sliding_window_pattern"
SCORES_CAP, LOGITS_CAP = "attn_logit_softcapping", "final_logit_softcapping"
LOCAL_BASE = "rope.freq_base_swa"


def _scale(metadata: Metadata, at: str, d: int) -> int:
    """query_pre_attn_scalar, which files lack: head width, or width / heads in 27B models."""
    heads = max(metadata.whole(f"{at}.attention.head_count"), 1)
    large = metadata.whole(f"{at}.block_count") == LAYERS_OF_27B[at]
    return metadata.whole(f"{at}.embedding_length") // heads if large else d


def _gemma2(metadata: Metadata, d: int) -> dict[str, Any]:
    """Defaults are the published values, which early files lack."""
    return {
        "query_pre_attn_scalar": _scale(metadata, "gemma2", d),
        "sliding_window": metadata.whole(f"gemma2.{WINDOW}", 4096) or None,
        SCORES_CAP: metadata.number(f"gemma2.{SCORES_CAP}", 50.0) or None,
        LOGITS_CAP: metadata.number(f"gemma2.{LOGITS_CAP}", 30.0) or None,
    }


def _gemma3(metadata: Metadata, d: int) -> dict[str, Any]:
    window = metadata.whole(f"gemma3.{WINDOW}", 0) or None
    return {
        "query_pre_attn_scalar": _scale(metadata, "gemma3", d),
        "sliding_window": window,
        "sliding_window_pattern": metadata.whole(f"gemma3.{PATTERN}", 6) if window else 1,
        "rope_local_base_freq": metadata.number(f"gemma3.{LOCAL_BASE}", 10000.0),
        LOGITS_CAP: metadata.number(f"gemma3.{LOGITS_CAP}", 0.0) or None,
    }


GEMMA = LlamaGguf("gemma", activation="gelu_pytorch_tanh", gain=1.0)
GEMMA2 = replace(
    GEMMA, ARCHITECTURE="gemma2", block=SANDWICH, more=_gemma2,
    keys=frozenset({WINDOW, SCORES_CAP, LOGITS_CAP}),
)  # fmt: skip
GEMMA3 = replace(
    GEMMA, ARCHITECTURE="gemma3", model_type="gemma3_text", block=SANDWICH | HEAD_NORMS,
    more=_gemma3, keys=frozenset({WINDOW, PATTERN, LOCAL_BASE, LOGITS_CAP}),
)  # fmt: skip
