"""BERT (Devlin et al. 2019): both ways, post-norm blocks, learned positions, a normed embedding.

One sentence is asked, so every token has the first token type: its row is added to each position.
Matrices are stored [d_out, d_in] and read turned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.attention.architecture import Architecture
from app.attention.ops import Norm
from app.attention.parameters import Parameters, Shape
from app.errors import BadWeightsFile
from app.families.keys import ACTIVATIONS, Act, Count, check_sizes, read_keys
from app.families.layers import Layers
from app.families.model import About, Sizes, Tensors, Weights

MODEL_TYPE = "bert"
SAYS_NOTHING = """
    attention_probs_dropout_prob classifier_dropout directionality hidden_dropout_prob
    pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head
    pooler_type
"""
SILENT = frozenset(SAYS_NOTHING.split())


class Keys(BaseModel):
    """What changes numbers, with the defaults of transformers."""

    model_config = ConfigDict(strict=True)

    vocab_size: Count = 30522
    hidden_size: Count = 768
    num_hidden_layers: Annotated[int, Field(ge=1, le=1024)] = 12
    num_attention_heads: Count = 12
    intermediate_size: Count = 3072
    hidden_act: Act = "gelu"
    max_position_embeddings: Count = 512
    type_vocab_size: Count = 2
    layer_norm_eps: Annotated[float, Field(ge=0, le=1)] = 1e-12
    position_embedding_type: Literal["absolute"] = "absolute"
    is_decoder: Literal[False] = False
    add_cross_attention: Literal[False] = False
    tie_word_embeddings: bool = True  # of a head that is not read


def about(config: Mapping[str, Any], sizes: Sizes) -> About:
    """What the config says, once every tensor has the sizes that it asks for."""
    keys = read_keys(config, Keys, SILENT)
    width, heads = keys.hidden_size, keys.num_attention_heads
    if width % heads:
        raise BadWeightsFile(
            "heads_not_divided", at="num_attention_heads", heads=heads, width=width
        )
    check_sizes(_wanted(keys, _start(sizes)), sizes)
    d = width // heads
    architecture = Architecture(
        Shape(heads, heads, width, d, d), keys.num_hidden_layers, "post_norm", "learned",
        keys.intermediate_size, ACTIVATIONS[keys.hidden_act], epsilon=keys.layer_norm_eps,
    )  # fmt: skip
    return About(
        family=MODEL_TYPE,
        architecture=architecture,
        context=keys.max_position_embeddings,
        vocabulary=keys.vocab_size,
        causal=False,
        predicts=None,
        specials=True,
    )


def convert(about: About, tensors: Tensors) -> Weights:
    """The layers as they lie in the file, turned."""
    start = _start(tensors)
    at = f"{start}embeddings."
    position = tensors[f"{at}position_embeddings.weight"]
    kinds = tensors[f"{at}token_type_embeddings.weight"]
    made = about.architecture
    layers = Layers(made.num_layers, lambda i: _layer(tensors, f"{start}encoder.layer.{i}."))
    norm = Norm(tensors[f"{at}LayerNorm.weight"], tensors[f"{at}LayerNorm.bias"], made.epsilon)
    embedding = tensors[f"{at}word_embeddings.weight"]
    return Weights(layers, embedding, None, position + kinds[0], norm)


def _layer(tensors: Tensors, at: str) -> Parameters:
    def matrix(name: str) -> Any:
        return tensors[f"{at}{name}.weight"].T

    def bias(name: str) -> Any:
        return tensors[f"{at}{name}.bias"]

    q, k, v = (f"attention.self.{name}" for name in ("query", "key", "value"))
    own, out = "attention.output.dense", "attention.output.LayerNorm"
    return Parameters(
        matrix(q), matrix(k), matrix(v), matrix(own), bias(q), bias(k), bias(v), bias(own),
        norm_gain=tensors[f"{at}{out}.weight"], norm_bias=bias(out),
        w_in=matrix("intermediate.dense"), b_in=bias("intermediate.dense"),
        w_out=matrix("output.dense"), b_out=bias("output.dense"),
        mlp_norm_gain=tensors[f"{at}output.LayerNorm.weight"],
        mlp_norm_bias=bias("output.LayerNorm"),
    )  # fmt: skip


def _start(names: Mapping[str, Any]) -> str:
    """Checkpoints of a model with a head call everything else `bert.`"""
    return "bert." if "bert.embeddings.word_embeddings.weight" in names else ""


def _wanted(keys: Keys, start: str) -> dict[str, tuple[int, ...]]:
    """Every tensor that is read, with its sizes."""
    width, hidden = keys.hidden_size, keys.intermediate_size
    tables = {
        "word": keys.vocab_size, "position": keys.max_position_embeddings,
        "token_type": keys.type_vocab_size,
    }  # fmt: skip
    found: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (rows, width) for name, rows in tables.items()
    }
    inner = {
        "attention.self.query": (width, width), "attention.self.key": (width, width),
        "attention.self.value": (width, width), "attention.output.dense": (width, width),
        "attention.output.LayerNorm": (width,), "intermediate.dense": (hidden, width),
        "output.dense": (width, hidden), "output.LayerNorm": (width,),
    }  # fmt: skip
    named: dict[str, tuple[int, ...]] = {"embeddings.LayerNorm": (width,)}
    layers = range(keys.num_hidden_layers)
    named |= {f"encoder.layer.{i}.{name}": shape for i in layers for name, shape in inner.items()}
    for name, shape in named.items():
        found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return {f"{start}{name}": shape for name, shape in found.items()}
