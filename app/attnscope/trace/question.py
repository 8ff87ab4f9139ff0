from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
import orjson
from pydantic import BaseModel, ConfigDict, Field, field_validator

from attnscope.attention.architecture import TENSORS, BlockOrDecoder, Parameters
from attnscope.attention.dtypes import Dtype
from attnscope.attention.masks import Padding
from attnscope.attention.patterns import PATTERNS
from attnscope.attention.positions import AskedPositions
from attnscope.toy_training.tasks import Task
from attnscope.toy_training.training import USUAL_RATE, USUAL_STEPS
from attnscope.trace.numbers import Batch, MaskArray, Matrix, Vector
from attnscope.weights.crafted import Crafted
from attnscope.weights.layouts.shapes import MAX_HEADS
from attnscope.weights.schemes import Init, Share

MAX_WIDTH, MAX_LAYERS = 8192, 96
USUAL_SCALE = "sqrt_d_k"  # or the model's own scale
MAX_BLOCKED = 2**16
MAX_DROPPED = MAX_LAYERS * MAX_HEADS
MAX_PLACE = 10**6  # no text is as long
MAX_RATE = 1000.0  # training diverges at much lower rates
MAX_SEED = 2**53 - 1  # exact in every JSON reader
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
Place = Annotated[int, Field(ge=0, le=MAX_PLACE)]
Rate = Annotated[float, Field(gt=0, le=MAX_RATE)]
Width = Annotated[int, Field(ge=1, le=MAX_WIDTH)]
Heads = Annotated[int, Field(ge=1, le=MAX_HEADS)]
TASK = "copy or reverse the symbols before the sign; agree, agree_zh: find the noun of a pronoun."
RATE = "Size of a step: w ← w − rate × ∂loss/∂w."
LENGTH = "Symbols, or nouns of a sentence; null: 4, but 3 in agree and agree_zh."
POSITIONS = (
    "sinusoidal, learned: added to the embeddings, never to x; rotary: q and k are rotated; "
    "alibi: a multiple of the distance is subtracted from the scaled scores."
)


class Value(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True,
        allow_inf_nan=False,
    )  # fmt: skip


class Seeded(Value):
    """Parameters drawn from a seed; the recipe is in docs/mathematics.md."""

    source: Literal["seeded"] = "seeded"
    seed: Seed = Field(0, description="Determines the random parameters and embeddings.")
    d_model: Width = Field(64, description="Width of x.")
    num_heads: Heads = Field(4, description="Number of heads.")
    num_kv_heads: Heads | None = Field(
        None, description="Key/value heads shared by groups of heads; null: as many as heads."
    )
    d_k: Width | None = Field(None, description="Width of q and k; null: d_model / num_heads.")
    d_v: Width | None = Field(None, description="Width of v; null: d_model / num_heads.")
    num_layers: Annotated[int, Field(ge=1, le=MAX_LAYERS)] = Field(1, description="Layer count.")
    init: Init = Field("xavier_uniform", description="How the matrices are drawn.")
    bias: bool = Field(False, description="Add a bias to matrices.")
    share: Share = Field("none", description="qk: w_k is w_q; qkv: w_k and w_v are w_q.")
    positions: AskedPositions = Field("sinusoidal", description=POSITIONS)
    block: BlockOrDecoder = Field(
        "attention",
        description="What block_output is. attention: output; residual: x + output; pre_norm: "
        "x + attn(LN x); post_norm: LN(x + output); sublayer_norm: x + LN(output). decoder: two "
        "layers; the first attends to the text, the second to the context and has an MLP.",
    )
    norm: Literal["post_norm", "pre_norm"] = Field(
        "post_norm", description="Of a decoder: norm after or before each of three sublayers."
    )
    mlp: bool = Field(
        False,
        description="An MLP after attention, 4 d_model wide, wrapped as `block` wraps attention.",
    )
    activation: Literal["gelu", "relu"] = Field(
        "gelu", description="Of the MLP; gelu: the tanh form of GPT-2."
    )
    output_projection: bool = Field(True, description="false: output is concat itself.")


class Explicit(Value):
    """Explicit parameters; w_q, w_k, w_v: [d_model][width], heads side by side."""

    source: Literal["explicit"]
    num_heads: Heads = Field(1, description="Heads side by side in the columns of w_q.")
    num_kv_heads: Heads | None = Field(None, description="null: as many as heads.")
    w_q: Matrix
    w_k: Matrix
    w_v: Matrix
    w_o: Matrix | None = None
    b_q: Vector | None = None
    b_k: Vector | None = None
    b_v: Vector | None = None
    b_o: Vector | None = None
    seed: Seed = Field(0, description="Determines the embeddings if there is no x.")
    positions: AskedPositions = Field("none", description=POSITIONS)

    def parameters(self) -> Parameters:
        return Parameters(**{name: getattr(self, name) for name in TENSORS})


class CraftedModel(Value):
    """Hand-made heads with a known pattern, in one layer; induction has two."""

    source: Literal["crafted"]
    name: Crafted = Field(description="Which head; all: one of each.")


class Installed(Value):
    """A model on the server, as listed by GET /models."""

    source: Literal["installed"]
    name: str = Field(description="As in GET /models, for example echo.")
    revision: str | None = Field(
        None,
        description="Weights during training, such as step-400; null: the last ones.",
    )
    digest: str | None = Field(
        None, description="Hash of the model; the server refuses another; null: any."
    )


class Uploaded(Value):
    """Weights uploaded by POST /models."""

    source: Literal["uploaded"]
    id: str = Field(description="As POST /models returned.")


class Trained(Value):
    """A small model trained on a task by gradient descent, reproducible from its seed."""

    source: Literal["trained"]
    task: Task = Field("copy", description=TASK)
    seed: Seed = Field(
        0, description="Determines the first weights and the problems of every step."
    )
    rate: Rate = Field(USUAL_RATE, description=RATE)
    step: Place = Field(USUAL_STEPS, description="Training steps; 0: the initial weights.")
    length: Annotated[int, Field(ge=1, le=MAX_PLACE)] | None = Field(None, description=LENGTH)


class Captured(Value):
    """Arrays from POST /captures; no other field is allowed."""

    source: Literal["captured"]
    id: str = Field(description="As POST /captures returned.")


Model = Annotated[
    Seeded | Explicit | CraftedModel | Uploaded | Installed | Trained | Captured,
    Field(discriminator="source"),
]
Steps = Annotated[int, Field(ge=1, le=MAX_PLACE)]
Cell = Annotated[list[Place], Field(min_length=2, max_length=2)]
Places = Annotated[list[Place], Field(min_length=1, max_length=MAX_BLOCKED)]
PlaceIds = Annotated[list[Place], Field(min_length=1, fail_fast=True)]
BatchPlaceIds = Annotated[list[PlaceIds], Field(min_length=1, fail_fast=True)]


class Knockout(Value):
    """Cells that are closed in one layer: every row with every column."""

    layer: Place = Field(description="From 0.")
    head: Place | None = Field(None, description="From 0; null: all heads of the layer.")
    rows: Places = Field(description="Queries.")
    cols: Places = Field(description="Keys.")

    @property
    def cells(self) -> Iterator[tuple[int | None, int, int]]:
        return ((self.head, row, col) for row in self.rows for col in self.cols)


Texts = Annotated[list[str], Field(fail_fast=True)]  # stop at the first error


@cache
def _defaults(kind: type[Value]) -> dict[str, Any]:
    return {
        name: field.get_default()
        for name, field in kind.model_fields.items()
        if name != "source" and not field.is_required()
    }


def _changed(value: Value, kind: type[Value]) -> dict[str, Any]:
    defaults, given = _defaults(kind), vars(value)
    names = [
        name
        for name in kind.model_fields
        if name not in defaults or _differs(given[name], defaults[name])
    ]
    dumped = value.model_dump(include={name for name in names if name != "model"})
    return {
        name: _changed(given[name], type(given[name])) if name == "model" else dumped[name]
        for name in names
    }


def _differs(value: Any, default: Any) -> bool:
    """Faster than comparing JSON dumps."""
    return value is not default and (isinstance(value, np.ndarray) or bool(value != default))


class Question(Value):
    """A model, a text and options; the trace is the answer."""

    text: str | Texts | None = Field(
        None, description="One text, or a list of texts: a batch, padded at the end."
    )
    tokens: Texts | Annotated[list[Texts], Field(fail_fast=True)] | None = Field(
        None, description="Tokens instead of text; beside x, labels."
    )
    x: Batch | None = Field(
        None, description="Numbers instead of text, [n][d_model] or [B][n][d_model]; used as is."
    )
    context: str | Texts | None = Field(
        None,
        description="Cross-attention: the text that is attended to, the source of k and v; "
        "a list has one for each text.",
    )
    context_tokens: Texts | Annotated[list[Texts], Field(fail_fast=True)] | None = Field(
        None, description="Tokens instead of a context; beside context_x, labels."
    )
    context_x: Batch | None = Field(
        None, description="Numbers instead of a context, [m][d_model] or [B][m][d_model]."
    )
    pair: str | Texts | None = Field(
        None,
        description="A second sentence after the text, for encoders that take two; a list has one "
        "for each text.",
    )
    tokenizer: Literal["words", "characters", "whitespace", "model"] | None = Field(
        None,
        description="How text becomes tokens; model: by the model's own tokenizer; null: model "
        "where there is one, else words.",
    )
    special_tokens: Literal["model", "none"] = Field(
        "model",
        description="Which tokens the model's own tokenizer adds to a text; model: its special "
        "ones, such as [CLS] or <s>; none: none.",
    )
    context_length: Annotated[int, Field(ge=1, le=MAX_SEED)] | None = Field(
        None,
        description="Pad every text, but no context, to this many tokens; refuse longer ones.",
    )
    position_ids: PlaceIds | BatchPlaceIds | None = Field(
        None,
        description="Position of each token of the text, [n] or [B][n]: its row in the position "
        "table, or how far rotary positions turn its q and k; null: 0, 1, 2 … Masks go by the "
        "order of the tokens.",
    )
    model: Model = Field(default_factory=Seeded, description="Where the parameters come from.")
    causal: bool | None = Field(
        None,
        description="Key j is open to query i if j ≤ i; null: as the model was trained, else true; "
        "with a context false, unless a decoder attends to it.",
    )
    window: Steps | None = Field(
        None,
        description="Key j is open to query i if |i − j| < window, or another pattern opens it.",
    )
    global_tokens: Place | Places = Field(
        0,
        description="A pattern beside the window: this many first tokens, or those at these "
        "places, see all and are seen by all. Cells that no pattern opens are closed; 0: none.",
    )
    stride: Steps | None = Field(
        None, description="A pattern beside the window: |i − j| is a multiple of the stride."
    )
    block_size: Steps | None = Field(
        None,
        description="A pattern beside the window: i and j are in one block of this many tokens.",
    )
    prefix: Place = Field(
        0, description="Keys before this position stay open under causal and patterns."
    )
    blocked: Annotated[list[Cell], Field(fail_fast=True, max_length=MAX_BLOCKED)] = Field(
        [], description="Closed cells, [query, key] each."
    )
    knockouts: Annotated[list[Knockout], Field(min_length=1, max_length=MAX_DROPPED)] | None = (
        Field(None, description="Cells that are closed in single layers and heads.")
    )
    mask: MaskArray | None = Field(
        None,
        description="0 (or false) closes: [n][m], [B][1][m], [B][1][n][m] or [B][heads][n][m].",
    )
    context_mask: MaskArray | None = Field(
        None,
        description="The same for the layers of a decoder that attend to the context, [n][m] …; "
        "mask and the patterns are for the layers that attend to the text.",
    )
    padding: Padding = Field(
        "queries_and_keys",
        description="What padding closes: its keys and its queries, whose rows become 0, or only "
        "its keys, as most libraries do.",
    )
    drop: Annotated[list[Cell], Field(fail_fast=True, max_length=MAX_DROPPED)] = Field(
        [], description="Dropped heads, [layer, head] each: their columns of concat are 0."
    )

    @field_validator("global_tokens")
    @classmethod
    def _in_order(cls, asked: int | list[int]) -> int | list[int]:
        """Order must not change the id."""
        return asked if isinstance(asked, int) else sorted(set(asked))

    @field_validator("drop")
    @classmethod
    def _each_once(cls, drop: list[list[int]]) -> list[list[int]]:
        return [list(head) for head in sorted({(layer, head) for layer, head in drop})]

    scale: Literal["sqrt_d_k", "none"] | float | None = Field(
        None,
        description="Multiplies the scores. sqrt_d_k (also null): 1/√d_k, or the scale of a "
        "checkpoint that has its own; none: 1; or a number.",
    )
    temperature: Annotated[float, Field(gt=0)] = Field(
        1.0, description="Divides the scaled scores."
    )
    dtype: Dtype | None = Field(
        None,
        description="null: float32 for uploaded and installed models, else float64. With "
        "float16 and bfloat16, the result of each operation is rounded.",
    )

    def plain(self) -> dict[str, Any]:
        """JSON data, without fields that have their default."""
        data = _changed(self, Question)
        for name, value in self.by_model().items():
            if data.get(name) == value:
                del data[name]
        if data.get("model") == {"source": "seeded"}:
            del data["model"]
        return data

    def by_model(self) -> dict[str, str]:
        """Values that null stands for. Written out, they do not change the id."""
        own = isinstance(self.model, Installed | Trained)
        return {"tokenizer": "model" if own else "words", "scale": USUAL_SCALE}

    @property
    def splitting(self) -> str:
        return self.tokenizer or self.by_model()["tokenizer"]

    @property
    def scaling(self) -> str | float:
        return self.by_model()["scale"] if self.scale is None else self.scale

    @property
    def asks_nothing(self) -> bool:
        return self.text is None and self.tokens is None and self.x is None

    @property
    def has_context(self) -> bool:
        return any(one is not None for one in (self.context, self.context_tokens, self.context_x))

    def id(self) -> str:
        """Hash of all but default values, so that new fields change no id."""
        canonical = orjson.dumps(self.plain(), option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(canonical).hexdigest()[:32]


PATTERN_FIELDS = tuple(one.name for one in PATTERNS if one.name in Question.model_fields)
