"""Query parameters of pages; see static/js/core/address/fields.js and pair-address.js."""

from __future__ import annotations

from attnscope.trace.question import PATTERN_FIELDS
from attnscope.web.http.requests import declared

QUESTION = (
    "text", "context", "pair", "breaks", "tokenizer", "special_tokens", "context_length", "causal",
    *PATTERN_FIELDS, "prefix", "blocked", "padding", "drop",
    "scale", "temperature", "dtype",
)  # fmt: skip
MODEL = (
    "source", "name", "revision", "id", "seed", "d_model", "num_heads", "num_kv_heads", "d_k",
    "d_v", "num_layers", "init", "bias", "share", "positions", "block", "norm", "mlp",
    "activation", "output_projection", "task", "rate", "length", "steps",
)  # fmt: skip
VIEW = (
    "batch", "layer", "head", "tab", "cell", "after", "piece", "heads", "combine", "metric",
    "sorted", "why", "probe", "tokens", "keys", "queries", "above", "picked", "threshold", "layout",
    "map", "reduce", "ramp", "place", "objective", "matrix", "prefill", "decoded", "rollout",
    "skip", "discard", "lab", "sizes", "width", "factor", "rounding", "stage", "table", "change",
    "since", "step", "present", "precision", "range",
)  # fmt: skip
ASKED = (*QUESTION, *MODEL, "t")  # t: id of a trace, or a long question
COMPARED = ("align", "of")

READ = "Read by the page."
EXPLORE = declared((*ASKED, *VIEW), READ)
COMPARE = declared(
    (*(f"{side}.{name}" for side in ("a", "b") for name in ASKED), *VIEW, *COMPARED), READ
)
CHAPTER = declared(("text", "seed"), READ)
