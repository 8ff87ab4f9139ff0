"""Small encoders with random weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import PCG64, Generator

Sizes = dict[str, tuple[int, ...]]

BERT: dict[str, Any] = {
    "model_type": "bert", "architectures": ["BertModel"], "vocab_size": 200, "hidden_size": 24,
    "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
    "hidden_act": "gelu", "max_position_embeddings": 32, "type_vocab_size": 2,
    "layer_norm_eps": 1e-12, "pad_token_id": 0, "position_embedding_type": "absolute",
}  # fmt: skip
ROBERTA = {
    **BERT, "model_type": "roberta", "architectures": ["RobertaModel"], "type_vocab_size": 1,
    "max_position_embeddings": 36, "pad_token_id": 1, "layer_norm_eps": 1e-5,
}  # fmt: skip
ELECTRA = {
    **BERT, "model_type": "electra", "architectures": ["ElectraModel"], "embedding_size": 16,
    "summary_type": "first",
}  # fmt: skip
ALBERT = {
    **BERT, "model_type": "albert", "architectures": ["AlbertModel"], "embedding_size": 16,
    "num_hidden_layers": 3, "hidden_act": "gelu_new", "num_hidden_groups": 1,
    "inner_group_num": 1, "gap_size": 0,
}  # fmt: skip
DISTILBERT: dict[str, Any] = {
    "model_type": "distilbert", "architectures": ["DistilBertModel"], "vocab_size": 200,
    "dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40, "activation": "gelu",
    "max_position_embeddings": 32, "sinusoidal_pos_embds": False, "tie_weights_": True,
}  # fmt: skip


class Names(NamedTuple):
    """Behind the layer's name."""

    square: tuple[str, ...]
    first: str
    second: str
    norms: tuple[str, str]


LIKE_BERT = Names(
    ("attention.self.query", "attention.self.key", "attention.self.value",
     "attention.output.dense"),
    "intermediate.dense", "output.dense", ("attention.output.LayerNorm", "output.LayerNorm"),
)  # fmt: skip
LIKE_ALBERT = Names(
    ("attention.query", "attention.key", "attention.value", "attention.dense"),
    "ffn", "ffn_output", ("attention.LayerNorm", "full_layer_layer_norm"),
)  # fmt: skip
LIKE_DISTILBERT = Names(
    ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"),
    "ffn.lin1", "ffn.lin2", ("sa_layer_norm", "output_layer_norm"),
)  # fmt: skip


def encoder_tensors(config: Mapping[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Random, named as in a model without head."""
    kind = config["model_type"]
    width = config.get("hidden_size") or config["dim"]
    narrow = config.get("embedding_size", width)
    rows = {"word": "vocab_size", "position": "max_position_embeddings"}
    rows |= {} if kind == "distilbert" else {"token_type": "type_vocab_size"}
    sizes: Sizes = {
        f"embeddings.{name}_embeddings.weight": (config[key], narrow) for name, key in rows.items()
    } | norm("embeddings.LayerNorm", narrow)
    count = config.get("num_hidden_layers") or config["n_layers"]
    if kind == "distilbert":
        sizes |= blocks(LIKE_DISTILBERT, "transformer.layer", count, width, config["hidden_dim"])
    elif kind == "albert":
        sizes |= dense("encoder.embedding_hidden_mapping_in", narrow, width)
        at = "encoder.albert_layer_groups.0.albert_layers"
        sizes |= blocks(LIKE_ALBERT, at, 1, width, config["intermediate_size"])
    else:
        sizes |= blocks(LIKE_BERT, "encoder.layer", count, width, config["intermediate_size"])
        if narrow != width:
            sizes |= dense("embeddings_project", narrow, width)
    return drawn(sizes, seed)


HEADS = {
    "albert": ("predictions.dense", "predictions.LayerNorm", "predictions.decoder"),
    "bert": (
        "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
        "cls.predictions.decoder",
    ),
    "distilbert": ("vocab_transform", "vocab_layer_norm", "vocab_projector"),
    "electra": (
        "generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head"
    ),
    "roberta": ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder"),
}  # fmt: skip


def masked_tensors(config: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """With a masked head, and its matrix if untied. Tied biases have another name in three
    families."""
    kind = config["model_type"]
    width = config.get("hidden_size") or config["dim"]
    narrow, vocabulary = config.get("embedding_size", width), config["vocab_size"]
    inner, normed, decoder = HEADS[kind]
    sizes = dense(inner, width, narrow) | norm(normed, narrow)
    matrix = dense(decoder, narrow, vocabulary)
    if config.get("tie_word_embeddings", True):
        shared = f"{decoder.removesuffix('.decoder')}.bias"
        matrix = {shared if decoder.endswith(".decoder") else f"{decoder}.bias": (vocabulary,)}
    within = {f"{kind}.{name}": array for name, array in encoder_tensors(config).items()}
    return within | drawn(sizes | matrix, 1)


def blocks(names: Names, at: str, count: int, width: int, hidden: int) -> Sizes:
    found: Sizes = {}
    for i in range(count):
        for name in names.square:
            found |= dense(f"{at}.{i}.{name}", width, width)
        found |= dense(f"{at}.{i}.{names.first}", width, hidden)
        found |= dense(f"{at}.{i}.{names.second}", hidden, width)
        for name in names.norms:
            found |= norm(f"{at}.{i}.{name}", width)
    return found


def dense(name: str, d_in: int, d_out: int) -> Sizes:
    return {f"{name}.weight": (d_out, d_in), f"{name}.bias": (d_out,)}


def norm(name: str, width: int) -> Sizes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def drawn(sizes: Sizes, seed: int) -> dict[str, np.ndarray]:
    """Standard normal tables, matrices that keep sizes, gains around 1, biases around 0."""
    draw = Generator(PCG64(seed))
    tensors = {}
    for name, shape in sizes.items():
        array = draw.normal(size=shape)
        if name.endswith("bias"):
            array = 0.2 * array
        elif len(shape) == 1:
            array = 1 + 0.2 * array
        elif "_embeddings." not in name:
            array = array / np.sqrt(shape[1])
        tensors[name] = array.astype(np.float32)
    return tensors
