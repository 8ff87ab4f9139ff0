"""The index of terms: each with the chapters that explain it, the first one first."""

from __future__ import annotations

from collections.abc import Mapping

# The messages are `term.<name>`.
TERMS: Mapping[str, tuple[str, ...]] = {
    "ablation": ("worth",), "alibi": ("positions",), "alignment": ("cross",),
    "attention": ("asking",), "autoregressive": ("both_ways", "decoding"), "batch": ("shapes",),
    "bert": ("both_ways",), "bias": ("variants",), "bilinear": ("only_m",),
    "broadcasting": ("masks",), "cache": ("decoding", "both_ways"),
    "causal_mask": ("masks", "both_ways"), "chain_rule": ("gradients",), "concat": ("heads",),
    "condition_number": ("singular_values",), "context_length": ("shapes",), "cosine": ("scores",),
    "costs": ("costs",),
    "cross_attention": ("cross", "decoder_block"), "decoder": ("both_ways", "decoder_block"),
    "determinant": ("singular_values",), "direct_contribution": ("worth",),
    "dot_product": ("two_products", "scores"), "embedding": ("words_and_back",),
    "encoder": ("both_ways", "cross"), "fused": ("three_matrices", "costs"),
    "gpt": ("both_ways",), "gradient": ("gradients", "training_step"),
    "grouped_query": ("decoding", "variants"), "head": ("heads", "library"),
    "induction_head": ("habits", "layers"), "inference": ("decoding", "both_ways"),
    "initialisation": ("initialisation",), "jacobian": ("gradients",), "key": ("three_matrices",),
    "layer": ("layers",), "layer_norm": ("layers", "scaling"), "learned_positions": ("positions",),
    "learning_rate": ("training_step",), "library": ("library",), "linear_attention": ("costs",),
    "logit": ("next_word",), "loops": ("twenty_lines", "write_it"), "loss": ("training_step",),
    "mask": ("masks",), "matrix_product": ("two_products",), "mlp": ("decoder_block",),
    "multi_head": ("heads",), "null_space": ("singular_values",), "padding": ("masks", "shapes"),
    "parameters": ("variants",), "pca": ("singular_values",), "position": ("positions",),
    "prefix": ("masks",), "projection": ("three_matrices",), "query": ("three_matrices",),
    "rank": ("singular_values", "only_m"), "relu": ("decoder_block", "initialisation"),
    "residual": ("layers",), "rotary": ("positions",), "scaling": ("scaling",),
    "score": ("scores",), "self_attention": ("cross",), "shape": ("shapes",),
    "singular_value": ("singular_values",), "sink": ("habits",), "sinusoidal": ("positions",),
    "softmax": ("softmax", "two_products"), "teacher_forcing": ("training_step", "decoding"),
    "temperature": ("scaling",), "tensor": ("shapes",), "token": ("words_and_back",),
    "training": ("training_step",),
    "translation": ("decoder_block", "cross"), "transpose": ("two_products", "twenty_lines"),
    "unembedding": ("next_word",), "value": ("three_matrices",), "variance": ("scaling",),
    "w_o": ("heads", "variants"), "weight": ("asking", "softmax"),
    "weighted_sum": ("weighted_sum",), "window": ("masks", "costs"),
}  # fmt: skip

# The chapter of each stage, for links from Explore.
OF_STAGE: Mapping[str, str] = {
    "x": "words_and_back", "q": "three_matrices", "k": "three_matrices", "v": "three_matrices",
    "scores": "scores", "scaled_scores": "scaling", "masked_scores": "masks",
    "weights": "softmax", "head_outputs": "weighted_sum", "concat": "heads", "output": "heads",
    "block_output": "layers",
}  # fmt: skip
