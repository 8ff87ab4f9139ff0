"""Heads of encoders that say which piece is masked: a dense layer, its activation and norm, and the
embeddings turned round, with a bias for each piece.

Their families call the parts by names of their own. The matrix, and its bias where that has a name
beside it, may be left out of a file where they are tied to others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from app.attention.architecture import Activation
from app.attention.unembed import Transform, Unembedding
from app.families.encoders import Keys, dense_shapes, norm_shapes, read_dense
from app.families.keys import check_sizes
from app.families.model import About, Predicts, Sizes, Tensors


class Head(NamedTuple):
    """`bias` is what the decoder's own is tied to, where a file may have that instead."""

    dense: str
    norm: str
    decoder: str
    bias: str | None = None


def predicts_masked(head: Head, keys: Keys, narrow: int, sizes: Sizes) -> Predicts | None:
    """Whether the whole head is there; `narrow` is the width of the embeddings.

    Raises BadWeightsFile where it has other sizes than the config says.
    """
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
    head: Head, about: About, tensors: Tensors, start: str, activation: Activation | None = None
) -> Unembedding | None:
    """None where the model has no head. The matrix may be tied to the embeddings, which stand
    behind `start`; the activation is that of the layers where no other is named."""
    bias = _bias_of(head, tensors)
    if about.predicts is None or bias is None:
        return None
    own, tied = f"{head.decoder}.weight", f"{start}embeddings.word_embeddings.weight"
    matrix = tensors[own if own in tensors else tied]
    made = about.architecture
    transform = Transform(read_dense(tensors, head.dense), activation or made.activation)
    gain, shift = (tensors[f"{head.norm}.{what}"] for what in ("weight", "bias"))
    return Unembedding(matrix.T, gain, shift, made.epsilon, bias=tensors[bias], transform=transform)


def _bias_of(head: Head, names: Mapping[str, Any]) -> str | None:
    """The decoder's own goes first: the other is tied to it, or is not read."""
    named = (f"{head.decoder}.bias", head.bias)
    return next((name for name in named if name is not None and name in names), None)
