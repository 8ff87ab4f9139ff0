"""Phi-3 and 4: built as Llama, with q, k and v in one matrix, the gate and what it opens in
another, and factors for long texts that lie in two tensors."""

from __future__ import annotations

from typing import Any

from app.installed.gguf.llama import AT, EDGES, NORMS, OWN, Kind
from app.weights.formats.gguf_metadata import Metadata
from app.weights.formats.gguf_tensors import GgufTensors

WINDOW, ORIGINAL = "phi3.attention.sliding_window", "phi3.rope.scaling.original_context_length"
SHORT, LONG = "rope_factors_short.weight", "rope_factors_long.weight"
MOST_FACTORS = 4096
# Layers and context of Phi-3 mini and medium, and their windows.
WINDOWS = {(32, 4096): 2047, (40, 4096): 2047, (32, 131072): 262144, (40, 131072): 131072}
BLOCK = NORMS | {
    "attn_qkv.weight": f"{OWN}qkv_proj.weight", "attn_output.weight": f"{OWN}o_proj.weight",
    "ffn_up.weight": f"{AT}mlp.gate_up_proj.weight", "ffn_down.weight": f"{AT}mlp.down_proj.weight",
}  # fmt: skip


def _scaling(
    file: GgufTensors, names: dict[str, str], base: float, turned: int
) -> dict[str, Any] | None:
    """The factors of short and of long texts, where there are some; those in float32 as the
    shortest decimals that they can be."""
    told = file.header.metadata
    found = [one for one in (SHORT, LONG) if names.pop(one, None) is not None]
    if told.text("phi3.rope.scaling.type", "none") not in ("none", "longrope"):
        raise told.refused("phi3.rope.scaling.type")
    if not found:
        return None
    for one in (SHORT, LONG):
        rows = file.header.tensors[one].shape if one in found else ()
        if len(rows) != 1 or rows[0] > MOST_FACTORS:
            raise told.refused(one)
    short, long = ([float(str(number)) for number in file[one]] for one in (SHORT, LONG))
    return {
        "rope_type": "longrope", "short_factor": short, "long_factor": long,
        "attention_factor": told.number("phi3.rope.scaling.attn_factor", 1.0),
    }  # fmt: skip


def _more(told: Metadata, d: int) -> dict[str, Any]:
    """The first files did not say the window: it is that of the published model of these sizes."""
    context = told.whole("phi3.context_length")
    window = WINDOWS.get((told.whole("phi3.block_count"), context))
    return {
        "sliding_window": told.whole(WINDOW, window) or None,
        "original_max_position_embeddings": told.whole(ORIGINAL, context),
    }


PHI3 = Kind(
    "phi3", outer=EDGES | {SHORT: SHORT, LONG: LONG}, block=BLOCK, is_partial=True,
    scaling=_scaling, keys=frozenset({"attention.sliding_window"}), more=_more,
)  # fmt: skip
