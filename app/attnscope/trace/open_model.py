from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from attnscope.attention.architecture import (
    TENSORS,
    Activation,
    Architecture,
    Block,
    Parameters,
    Shape,
)
from attnscope.attention.dtypes import Dtype
from attnscope.attention.ops import Norm
from attnscope.attention.positions import sinusoidal
from attnscope.attention.products import Dense
from attnscope.attention.unembed import Unembedding
from attnscope.errors import InvalidRequest, ModelChanged, ShapeMismatch, TooLarge, UnknownModel
from attnscope.families.model import ModelConfig, Weights
from attnscope.installed.model_registry import ModelRegistry
from attnscope.installed.uploaded_model import UploadedCheckpoint
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.toy_training.model import ARCHITECTURE
from attnscope.toy_training.tasks import task_tokenizer
from attnscope.trace.question import (
    Captured,
    CraftedModel,
    Explicit,
    Installed,
    Question,
    Seeded,
    Trained,
    Uploaded,
)
from attnscope.trace.trained import example_of, weights_of
from attnscope.weights import crafted, schemes
from attnscope.weights.upload import Upload

MOST_PRODUCTS = 4e9  # multiplications in one or two seconds

Embed = Callable[[Any], np.ndarray]  # takes tokens, or ids [n]
FindUpload = Callable[[str], Upload]


@dataclass(frozen=True, kw_only=True)
class OpenModel(Architecture):
    """`output_width`: of w_o, or of concat without w_o. `embed`: → [n, embedding_width]."""

    output_width: int
    layers: Callable[[], Sequence[Parameters]]
    embed: Embed
    position: Callable[[int], np.ndarray | None] = field(default=lambda n: None)
    dtype: Dtype = "float64"
    output_projection: bool = True
    biases: frozenset[str] = frozenset()
    pieces: SubwordTokenizer | None = None
    vocab: tuple[str, ...] | None = None  # None: any token is known
    context: int | None = None
    causal: bool = True  # default of the question
    unembedding: Unembedding | None = None
    masked: bool = False
    token_type: np.ndarray | None = None
    embedding_norm: Norm | None = None
    source: OpenModel | None = None  # embeds the encoder's tokens
    context_norm: Norm | None = None  # norm of the encoder's output
    start: int | None = None  # id of the decoder's first token
    padding: int | None = None  # id of a token without position
    embedding_scale: float = 1.0
    projection: Dense | None = None
    pairs: bool = False
    shared: bool = False  # whether questions share the parameters
    notes: tuple[str, ...] = ()  # deviations from the original model
    accepted: tuple[str, ...] = ()  # ignored config keys

    @property
    def embedding_width(self) -> int:
        return self.shape.d_model if self.projection is None else len(self.projection.matrix)


def resolve(question: Question, registry: ModelRegistry) -> Question:
    """Add revision and digest of an installed model, or an example for a trained one."""
    asked = question.model
    if isinstance(asked, Trained) and question.asks_nothing:
        return question.model_copy(update={"text": example_of(asked)})
    if not isinstance(asked, Installed):
        return question
    model = registry.find(asked.name, asked.revision)
    revision = asked.revision or model.newest
    digest = model.digest(revision)
    if asked.digest not in (None, digest):
        raise ModelChanged("model_changed", at="model.digest", name=asked.name)
    pinned = asked.model_copy(update={"revision": revision, "digest": digest})
    return question.model_copy(update={"model": pinned})


def open_model(question: Question, find: FindUpload, registry: ModelRegistry) -> OpenModel:
    model = question.model
    if isinstance(model, Seeded):
        return _open_seeded(model)
    if isinstance(model, Explicit):
        return _open_explicit(model)
    if isinstance(model, CraftedModel):
        return _open_crafted(model)
    if isinstance(model, Installed):
        return _open_installed(model, registry)
    if isinstance(model, Trained):
        return _open_trained(model)
    if isinstance(model, Captured):  # see capture_plan.py
        raise UnknownModel("unknown_model", at="model.id", id=model.id[:64])
    return _open_uploaded(model, find)


def _open_crafted(model: CraftedModel) -> OpenModel:
    shape, layers = crafted.shape_of(model.name), crafted.layers_of(model.name)
    width = shape.d_model
    return OpenModel(
        shape=shape, output_width=width, num_layers=len(layers), layers=lambda: layers,
        embed=partial(crafted.embed_tokens, d_model=width), positions="sinusoidal",
        position=partial(crafted.positions, d_model=width),
        block=crafted.block_of(model.name),
        biases=_biases_of(layers),
    )  # fmt: skip


SEEDED_ACTIVATIONS: dict[str, Activation] = {"gelu": "gelu_tanh", "relu": "relu"}


def _open_seeded(model: Seeded) -> OpenModel:
    shape = _seeded_shape(model)
    _check_pairs(model, shape)
    if model.init == "orthogonal":
        _check_orthogonal(model, shape)
    decoder = model.block == "decoder"
    block: Block = model.norm if model.block == "decoder" else model.block
    has_mlp = model.mlp or decoder
    if model.num_layers > 1 or block != "attention" or has_mlp:
        _check_output_width(model, shape)
    num_layers = model.num_layers * (2 if decoder else 1)

    def layers() -> tuple[Parameters, ...]:
        draw = partial(
            schemes.seeded_layer, shape, model.seed, init=model.init, bias=model.bias,
            share=model.share, output_projection=model.output_projection,
            block=block,
        )  # fmt: skip
        mlps = [has_mlp and not (decoder and layer % 2 == 0) for layer in range(num_layers)]
        return tuple(draw(layer, mlp=mlp) for layer, mlp in enumerate(mlps))

    width = model.d_model if model.output_projection else shape.num_heads * shape.d_v
    return OpenModel(
        shape=shape, output_width=width, num_layers=num_layers, layers=layers,
        embed=partial(schemes.seeded_embeddings, seed=model.seed, d_model=model.d_model),
        position=_position_rows(model, model.d_model),
        positions=model.positions,
        block=block, decoder=decoder,
        mlp_width=schemes.MLP_RATIO * model.d_model if has_mlp else 0,
        activation=SEEDED_ACTIVATIONS[model.activation],
        output_projection=model.output_projection,
        biases=_seeded_biases(model),
    )  # fmt: skip


def _seeded_biases(model: Seeded) -> frozenset[str]:
    names = ["b_q", "b_k", "b_v"] if model.bias else []
    names += ["b_o"] if model.bias and model.output_projection else []
    names += ["b_in", "b_out"] if model.bias and (model.mlp or model.block == "decoder") else []
    return frozenset(names)


def _biases_of(layers: Sequence[Parameters]) -> frozenset[str]:
    return frozenset(name for one in layers for name in one.arrays() if name.startswith("b_"))


def _check_pairs(model: Seeded | Explicit, shape: Shape) -> None:
    if model.positions == "rotary" and shape.d_k % 2:
        raise ShapeMismatch("odd_d_k", at="model.positions", d_k=shape.d_k)


def _position_rows(model: Seeded | Explicit, d_model: int) -> Callable[[int], np.ndarray | None]:
    if model.positions == "learned":
        return partial(schemes.learned_positions, seed=model.seed, d_model=d_model)
    return lambda n: sinusoidal(n, d_model) if model.positions == "sinusoidal" else None


def _seeded_shape(model: Seeded) -> Shape:
    heads, kv_heads = model.num_heads, model.num_kv_heads or model.num_heads
    _check_groups(heads, kv_heads)
    if (model.d_k is None or model.d_v is None) and model.d_model % heads:
        raise ShapeMismatch(
            "heads_do_not_divide", at="model.num_heads", num_heads=heads, d_model=model.d_model
        )
    d_k, d_v = model.d_k or model.d_model // heads, model.d_v or model.d_model // heads
    shape = Shape(heads, kv_heads, model.d_model, d_k, d_v)
    shared = {"none": ("w_q",), "qk": ("w_q", "w_k"), "qkv": ("w_q", "w_k", "w_v")}[model.share]
    if len({shape.of(tensor) for tensor in shared}) > 1:
        raise ShapeMismatch("cannot_share", at="model.share", share=model.share)
    return shape


def _check_orthogonal(model: Seeded, shape: Shape) -> None:
    """Raise TooLarge if the QR factorisation would be slow."""
    sizes = [shape.of(w) for w in ("w_q", "w_k", "w_v", "w_o")]
    if model.mlp or model.block == "decoder":
        sizes += 2 * [(model.d_model, schemes.MLP_RATIO * model.d_model)]
    products = sum(rows * columns * min(rows, columns) for rows, columns in sizes)
    products *= model.num_layers * (2 if model.block == "decoder" else 1)
    if products > MOST_PRODUCTS:
        raise TooLarge("orthogonal", estimate=f"{products:.1e}", limit=f"{MOST_PRODUCTS:.1e}")


def _check_output_width(model: Seeded, shape: Shape) -> None:
    width = shape.num_heads * shape.d_v
    if not model.output_projection and width != shape.d_model:
        raise ShapeMismatch(
            "output_width", at="model.output_projection", width=width, d_model=shape.d_model
        )


def _check_groups(heads: int, kv_heads: int) -> None:
    if heads % kv_heads:
        raise ShapeMismatch(
            "kv_heads_do_not_divide",
            at="model.num_kv_heads",
            num_heads=heads,
            num_kv_heads=kv_heads,
        )


def _open_explicit(model: Explicit) -> OpenModel:
    heads, kv_heads = model.num_heads, model.num_kv_heads or model.num_heads
    _check_groups(heads, kv_heads)
    d_model = len(model.w_q)
    d_k = _per_head(model.w_q, heads, "w_q")
    d_v = _per_head(model.w_v, kv_heads, "w_v")
    shape = Shape(heads, kv_heads, d_model, d_k, d_v)
    out = heads * d_v if model.w_o is None else model.w_o.shape[1]
    for name in TENSORS:
        array, wanted = getattr(model, name), shape.of(name, out)
        if array is not None and array.shape != wanted:
            raise ShapeMismatch(
                "tensor_shape", at=f"model.{name}", name=name,
                found=_times(array.shape), wanted=_times(wanted),
            )  # fmt: skip
    if model.b_o is not None and model.w_o is None:
        raise InvalidRequest("bias_without_matrix", at="model.b_o")
    _check_pairs(model, shape)
    parameters = model.parameters()
    return OpenModel(
        shape=shape, output_width=out, layers=lambda: (parameters,),
        embed=partial(schemes.seeded_embeddings, seed=model.seed, d_model=d_model),
        position=_position_rows(model, d_model),
        positions=model.positions,
        output_projection=model.w_o is not None,
        biases=_biases_of((parameters,)),
    )  # fmt: skip


def _per_head(matrix: np.ndarray, heads: int, name: str) -> int:
    columns: int = matrix.shape[1]
    if columns % heads:
        raise ShapeMismatch(
            "columns_do_not_divide", at=f"model.{name}", name=name, columns=columns, heads=heads
        )
    return columns // heads


def _times(shape: tuple[int, ...]) -> str:
    return " × ".join(str(size) for size in shape)


def _open_uploaded(model: Uploaded, find: FindUpload) -> OpenModel:
    upload = find(model.id)
    if isinstance(upload, UploadedCheckpoint):
        return _open_whole(upload.about, upload.weights, upload.pieces)
    embed: Embed = partial(schemes.seeded_embeddings, seed=0, d_model=upload.shape.d_model)
    if upload.embedding is not None and upload.vocab is not None:
        rows = {token: row for row, token in enumerate(upload.vocab)}
        embed = partial(_look_up, rows, upload.embedding)
    notes = upload.caveats
    if upload.embedding is None or upload.vocab is None:
        notes += ("random_words",)
    w_o, concat = upload.layers[0].w_o, upload.shape.num_heads * upload.shape.d_v
    width = concat if w_o is None else w_o.shape[1]
    return OpenModel(
        shape=upload.shape, output_width=width, num_layers=len(upload.layers),
        layers=lambda: upload.layers, embed=embed, dtype="float32", causal=upload.causal,
        output_projection=w_o is not None, biases=_biases_of(upload.layers),
        vocab=None if upload.embedding is None else upload.vocab, notes=notes,
    )  # fmt: skip


def _open_installed(model: Installed, registry: ModelRegistry) -> OpenModel:
    installed = registry.find(model.name, model.revision)
    revision = model.revision or installed.newest
    weights = registry.weights(model.name, revision)
    return _open_whole(installed.config, weights, installed.pieces)


def _open_whole(config: ModelConfig, weights: Weights, pieces: SubwordTokenizer) -> OpenModel:
    made = config.architecture
    opened = OpenModel(
        **vars(made), output_width=made.shape.d_model,
        layers=lambda: weights.layers,
        embed=partial(_rows, weights.embedding), dtype="float32",
        position=partial(_first_rows, weights.position),
        biases=_biases_of(weights.layers[:1]), pieces=pieces, vocab=tuple(pieces.known),
        context=config.context, causal=config.causal, pairs=config.pairs,
        unembedding=weights.unembedding, masked=config.predicts == "masked",
        token_type=weights.token_type, embedding_norm=weights.embedding_norm,
        embedding_scale=weights.embedding_scale, projection=weights.projection, shared=True,
        context_norm=weights.context_norm, start=config.start, accepted=config.accepted,
        notes=config.notes, padding=config.padding,
    )  # fmt: skip
    side = weights.source
    if side is None:
        return opened
    embed, position = partial(_rows, side.embedding), partial(_first_rows, side.position)
    source = replace(
        opened, embed=embed, position=position, embedding_norm=side.embedding_norm,
        pieces=pieces.source, vocab=tuple(pieces.source.known),
    )  # fmt: skip
    return replace(opened, source=source)


def _first_rows(rows: np.ndarray | None, n: int) -> np.ndarray | None:
    return None if rows is None else rows[:n]


def _open_trained(model: Trained) -> OpenModel:
    weights, words = weights_of(model), task_tokenizer(model.task)
    places, width = weights.position.shape
    return OpenModel(
        **vars(ARCHITECTURE), output_width=width, layers=lambda: (weights.layer,),
        embed=partial(_rows, weights.embedding),
        position=lambda n: weights.position[:n], pieces=words, vocab=tuple(words.known),
        context=places, unembedding=Unembedding(weights.unembedding),
    )  # fmt: skip


def _rows(embedding: np.ndarray, ids: np.ndarray) -> np.ndarray:
    rows: np.ndarray = embedding[ids]
    return rows


def _look_up(rows: dict[str, int], embedding: np.ndarray, tokens: Sequence[str]) -> np.ndarray:
    missing = sorted({token for token in tokens if token not in rows})
    if missing:
        raise InvalidRequest("not_in_vocabulary", tokens=", ".join(missing[:8]))
    return embedding[[rows[token] for token in tokens]]
