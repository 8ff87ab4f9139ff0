"""Phi-3 and 4: fused projections, LongRoPE."""

from __future__ import annotations

from typing import Any

from attnscope.installed.gguf.llama import AT, EDGES, NORMS, OWN, LlamaGguf
from attnscope.weights.formats.gguf_metadata import Metadata
from attnscope.weights.formats.gguf_tensors import GgufTensors

WINDOW, ORIGINAL = "phi3.attention.sliding_window", "phi3.rope.scaling.original_context_length"
SHORT, LONG = "rope_factors_short.weight", "rope_factors_long.weight"
MOST_FACTORS = 4096
# Published sliding windows, by (layers, context).
WINDOWS = {(32, 4096): 2047, (40, 4096): 2047, (32, 131072): 262144, (40, 131072): 131072}
BLOCK = NORMS | {
    "attn_qkv.weight": f"{OWN}qkv_proj.weight", "attn_output.weight": f"{OWN}o_proj.weight",
    "ffn_up.weight": f"{AT}mlp.gate_up_proj.weight", "ffn_down.weight": f"{AT}mlp.down_proj.weight",
}  # fmt: skip


def _scaling(
    file: GgufTensors, names: dict[str, str], base: float, turned: int
) -> dict[str, Any] | None:
    """float32 factors become their shortest decimals."""
    metadata = file.header.metadata
    found = [one for one in (SHORT, LONG) if names.pop(one, None) is not None]
    if metadata.text("phi3.rope.scaling.type", "none") not in ("none", "longrope"):
        raise metadata.refused("phi3.rope.scaling.type")
    if not found:
        return None
    for one in (SHORT, LONG):
        rows = file.header.tensors[one].shape if one in found else ()
        if len(rows) != 1 or rows[0] > MOST_FACTORS:
            raise metadata.refused(one)
    short, long = ([float(str(number)) for number in file[one]] for one in (SHORT, LONG))
    return {
        "rope_type": "longrope", "short_factor": short, "long_factor": long,
        "attention_factor": metadata.number("phi3.rope.scaling.attn_factor", 1.0),
    }  # fmt: skip


def _more(metadata: Metadata, d: int) -> dict[str, Any]:
    context = metadata.whole("phi3.context_length")
    window = WINDOWS.get((metadata.whole("phi3.block_count"), context))
    return {
        "sliding_window": metadata.whole(WINDOW, window) or None,
        "original_max_position_embeddings": metadata.whole(ORIGINAL, context),
    }


PHI3 = LlamaGguf(
    "phi3", outer=EDGES | {SHORT: SHORT, LONG: LONG}, block=BLOCK, is_partial=True,
    scaling=_scaling, keys=frozenset({"attention.sliding_window"}), more=_more,
)  # fmt: skip
