"""Encoders: layer norm after the embeddings, then post-norm blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from attnscope.attention.architecture import Activation, Architecture, Parameters
from attnscope.attention.ops import Norm
from attnscope.attention.products import Dense
from attnscope.attention.unembed import Transform, Unembedding
from attnscope.families.keys import ACTIVATIONS, Act, ConfigKeys, Count, check_sizes, shape_of
from attnscope.families.layers import TensorNames, norm_vectors
from attnscope.families.model import ModelConfig, Predicts, Sizes, Tensors, Weights

Depth = Annotated[int, Field(ge=1, le=1024)]
Epsilon = Annotated[float, Field(ge=0, le=1)]
Shapes = dict[str, tuple[int, ...]]
TABLES = ("word", "position", "token_type")


class Keys(ConfigKeys):
    vocab_size: Count = 30522
    hidden_size: Count = 768
    num_hidden_layers: Depth = 12
    num_attention_heads: Count = 12
    intermediate_size: Count = 3072
    hidden_act: Act = "gelu"
    max_position_embeddings: Count = 512
    type_vocab_size: Count = 2
    layer_norm_eps: Epsilon = 1e-12
    position_embedding_type: Literal["absolute"] = "absolute"
    is_decoder: Literal[False] = False
    add_cross_attention: Literal[False] = False
    tie_word_embeddings: bool = True

    @property
    def rows(self) -> Mapping[str, int]:
        sizes = (self.vocab_size, self.max_position_embeddings, self.type_vocab_size)
        return dict(zip(TABLES, sizes, strict=True))


def names_of(
    matrices: tuple[str, str, str, str, str, str], norm: str, mlp_norm: str
) -> TensorNames:
    named = dict(zip(("q", "k", "v", "o", "in", "out"), matrices, strict=True))
    vectors = norm_vectors("norm", norm) | norm_vectors("mlp_norm", mlp_norm)
    return TensorNames(named, vectors, frozenset(named))


LIKE_BERT = names_of(
    ("attention.self.query", "attention.self.key", "attention.self.value",
     "attention.output.dense", "intermediate.dense", "output.dense"),
    "attention.output.LayerNorm", "output.LayerNorm",
)  # fmt: skip


def encoder_config(
    family: str,
    keys: Keys,
    predicts: Predicts | None,
    *,
    context: int | None = None,
    heads: str = "num_attention_heads",
) -> ModelConfig:
    """`context`: by default max_position_embeddings. `heads`: config key to name in errors."""
    shape = shape_of(keys.hidden_size, keys.num_attention_heads, at=(heads, ""))
    architecture = Architecture(
        shape, keys.num_hidden_layers, "post_norm", "learned", keys.intermediate_size,
        ACTIVATIONS[keys.hidden_act], epsilon=keys.layer_norm_eps,
    )  # fmt: skip
    return ModelConfig(
        family=family,
        architecture=architecture,
        context=context or keys.max_position_embeddings,
        vocabulary=keys.vocab_size,
        causal=False,
        predicts=predicts,
        pairs=True,
    )


def start_of(names: Mapping[str, Any], family: str) -> str:
    """Prefix of tensor names, empty in checkpoints without a head."""
    return f"{family}." if f"{family}.embeddings.word_embeddings.weight" in names else ""


def table_shapes(rows: Mapping[str, int], width: int) -> Shapes:
    tables = {f"embeddings.{name}_embeddings.weight": (n, width) for name, n in rows.items()}
    return tables | norm_shapes("embeddings.LayerNorm", width)


def dense_shapes(name: str, d_in: int, d_out: int) -> Shapes:
    return {f"{name}.weight": (d_out, d_in), f"{name}.bias": (d_out,)}


def norm_shapes(name: str, width: int) -> Shapes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def add_prefix(start: str, shapes: Shapes) -> Shapes:
    return {f"{start}{name}": shape for name, shape in shapes.items()}


def read_dense(tensors: Tensors, name: str) -> Dense:
    return Dense(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])


def read_weights(
    about: ModelConfig,
    tensors: Tensors,
    start: str,
    layers: Sequence[Parameters],
    head: Unembedding | None,
    projection: Dense | None = None,
) -> Weights:
    """Skip the unused first rows of RoBERTa's position table."""
    at = f"{start}embeddings."
    word, position = (tensors[f"{at}{name}_embeddings.weight"] for name in TABLES[:2])
    kinds = tensors.get(f"{at}token_type_embeddings.weight")
    gain, bias = (tensors[f"{at}LayerNorm.{what}"] for what in ("weight", "bias"))
    norm = Norm(gain, bias, about.architecture.epsilon)
    return Weights(
        layers, word, head, position[-about.context :], norm,
        token_type=kinds, projection=projection,
    )  # fmt: skip


class Head(NamedTuple):
    """Modules of a masked-language head. `bias`: other name of the decoder's bias."""

    dense: str
    norm: str
    decoder: str
    bias: str | None = None


def predicts_masked(head: Head, keys: Keys, narrow: int, sizes: Sizes) -> Predicts | None:
    """Return "masked", or None if a tensor of the head is missing. Raises BadWeightsFile for other
    shapes. `narrow`: width of embeddings."""
    own = dense_shapes(head.decoder, narrow, keys.vocab_size)
    shapes = dense_shapes(head.dense, keys.hidden_size, narrow) | norm_shapes(head.norm, narrow)
    if keys.tie_word_embeddings:
        own = {name: shape for name, shape in own.items() if name in sizes}
        shapes |= {_bias_of(head, sizes) or head.decoder: (keys.vocab_size,)}
    shapes |= own
    if any(name not in sizes for name in shapes):
        return None
    check_sizes(shapes, sizes)
    return "masked"


def read_head(
    head: Head,
    about: ModelConfig,
    tensors: Tensors,
    start: str,
    activation: Activation | None = None,
) -> Unembedding | None:
    """`start`: prefix of the embedding, whose matrix the head may share."""
    bias = _bias_of(head, tensors)
    if about.predicts is None or bias is None:
        return None
    own, tied = f"{head.decoder}.weight", f"{start}embeddings.word_embeddings.weight"
    matrix = tensors[own if own in tensors else tied]
    architecture = about.architecture
    transform = Transform(read_dense(tensors, head.dense), activation or architecture.activation)
    gain, shift = (tensors[f"{head.norm}.{what}"] for what in ("weight", "bias"))
    return Unembedding(
        matrix.T, gain, shift, architecture.epsilon, bias=tensors[bias], transform=transform
    )


def _bias_of(head: Head, names: Mapping[str, Any]) -> str | None:
    named = (f"{head.decoder}.bias", head.bias)
    return next((name for name in named if name is not None and name in names), None)
