"""What encoders share: tables that are added and normed, and post-norm blocks of dense layers.

Their families call the parts of a block by names of their own. Matrices are stored [d_out, d_in]
and read turned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from app.attention.architecture import Activation
from app.attention.dense import Dense
from app.attention.ops import Norm
from app.attention.parameters import Parameters
from app.attention.unembed import Unembedding
from app.errors import BadWeightsFile
from app.families.model import About, Predicts, Tensors, Weights

ACTIVATIONS: dict[str, Activation] = {
    "gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu"
}  # fmt: skip
Named = Literal["gelu", "gelu_new", "gelu_pytorch_tanh", "relu"]
Count = Annotated[int, Field(ge=1)]
Layers = Annotated[int, Field(ge=1, le=1024)]
Epsilon = Annotated[float, Field(ge=0, le=1)]
Shapes = dict[str, tuple[int, ...]]
TABLES = ("word", "position", "token_type")


class Keys(BaseModel):
    """What changes numbers, as BERT and most of its kin call it, with the defaults of BERT."""

    model_config = ConfigDict(strict=True)

    vocab_size: Count = 30522
    hidden_size: Count = 768
    num_hidden_layers: Layers = 12
    num_attention_heads: Count = 12
    intermediate_size: Count = 3072
    hidden_act: Named = "gelu"
    max_position_embeddings: Count = 512
    type_vocab_size: Count = 2
    layer_norm_eps: Epsilon = 1e-12
    position_embedding_type: Literal["absolute"] = "absolute"
    is_decoder: Literal[False] = False
    add_cross_attention: Literal[False] = False
    tie_word_embeddings: bool = True

    @property
    def rows(self) -> Mapping[str, int]:
        """Of each table."""
        sizes = (self.vocab_size, self.max_position_embeddings, self.type_vocab_size)
        return dict(zip(TABLES, sizes, strict=True))


class Block(NamedTuple):
    """How a family calls the dense layers and the norms of a block."""

    query: str
    key: str
    value: str
    output: str
    norm: str
    first: str
    second: str
    mlp_norm: str


LIKE_BERT = Block(
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
)  # fmt: skip


def about_encoder(
    family: str,
    keys: Keys,
    predicts: Predicts | None,
    *,
    context: int | None = None,
    heads: str = "num_attention_heads",
) -> About:
    """What the keys say; `context` where not every position has a token, `heads` is the name of
    that key. Raises BadWeightsFile where the heads do not divide the width."""
    width, count = keys.hidden_size, keys.num_attention_heads
    if width % count:
        raise BadWeightsFile("heads_not_divided", at=heads, heads=count, width=width)
    return About(
        family=family, context=context or keys.max_position_embeddings,
        num_layers=keys.num_hidden_layers, num_heads=count, num_kv_heads=count, d_model=width,
        d_k=width // count, d_v=width // count, vocabulary=keys.vocab_size, block="post_norm",
        positions="learned", causal=False, predicts=predicts, mlp_width=keys.intermediate_size,
        activation=ACTIVATIONS[keys.hidden_act], epsilon=keys.layer_norm_eps, specials=True,
        pairs=True,
    )  # fmt: skip


def start_of(names: Mapping[str, Any], family: str) -> str:
    """Checkpoints of a model with a head call everything else by its family."""
    return f"{family}." if f"{family}.embeddings.word_embeddings.weight" in names else ""


def table_shapes(rows: Mapping[str, int], width: int) -> Shapes:
    """The tables, and the norm of what is looked up in them."""
    tables = {f"embeddings.{name}_embeddings.weight": (n, width) for name, n in rows.items()}
    return tables | norm_shapes("embeddings.LayerNorm", width)


def block_shapes(at: str, block: Block, width: int, hidden: int) -> Shapes:
    found: Shapes = {}
    for name in (block.query, block.key, block.value, block.output):
        found |= dense_shapes(f"{at}{name}", width, width)
    found |= dense_shapes(f"{at}{block.first}", width, hidden)
    found |= dense_shapes(f"{at}{block.second}", hidden, width)
    for name in (block.norm, block.mlp_norm):
        found |= norm_shapes(f"{at}{name}", width)
    return found


def layer_shapes(at: str, keys: Keys, block: Block = LIKE_BERT) -> Shapes:
    """Of blocks that are numbered behind a name."""
    found: Shapes = {}
    for i in range(keys.num_hidden_layers):
        found |= block_shapes(f"{at}.{i}.", block, keys.hidden_size, keys.intermediate_size)
    return found


def dense_shapes(name: str, d_in: int, d_out: int) -> Shapes:
    return {f"{name}.weight": (d_out, d_in), f"{name}.bias": (d_out,)}


def norm_shapes(name: str, width: int) -> Shapes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def starting(start: str, shapes: Shapes) -> Shapes:
    return {f"{start}{name}": shape for name, shape in shapes.items()}


def read_dense(tensors: Tensors, name: str) -> Dense:
    return Dense(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])


def read_block(tensors: Tensors, at: str, block: Block = LIKE_BERT) -> Parameters:
    q, k, v, o, norm, first, second, mlp_norm = (
        (tensors[f"{at}{name}.weight"].T, tensors[f"{at}{name}.bias"]) for name in block
    )
    return Parameters(
        q[0], k[0], v[0], o[0], q[1], k[1], v[1], o[1], *norm, *first, *second, *mlp_norm
    )


def read_blocks(
    about: About, tensors: Tensors, at: str, block: Block = LIKE_BERT
) -> tuple[Parameters, ...]:
    """Those that are numbered behind a name."""
    return tuple(read_block(tensors, f"{at}.{i}.", block) for i in range(about.num_layers))


def read_weights(
    about: About,
    tensors: Tensors,
    start: str,
    layers: tuple[Parameters, ...],
    head: Unembedding | None,
    projection: Dense | None = None,
) -> Weights:
    """The layers between the tables and the head; the last positions are those that tokens have."""
    at = f"{start}embeddings."
    word, position = (tensors[f"{at}{name}_embeddings.weight"] for name in TABLES[:2])
    kinds = tensors.get(f"{at}token_type_embeddings.weight")
    norm = Norm(tensors[f"{at}LayerNorm.weight"], tensors[f"{at}LayerNorm.bias"], about.epsilon)
    return Weights(layers, word, head, position[-about.context :], norm, kinds, projection)
