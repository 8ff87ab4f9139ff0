from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from attnscope.attention.architecture import Activation
from attnscope.attention.unembed import Transform, Unembedding
from attnscope.families.encoders import Keys, dense_shapes, norm_shapes, read_dense
from attnscope.families.keys import check_sizes
from attnscope.families.model import ModelConfig, Predicts, Sizes, Tensors


class Head(NamedTuple):
    """Tensor names of a masked-language head. `bias`: alias of the decoder's bias."""

    dense: str
    norm: str
    decoder: str
    bias: str | None = None


def predicts_masked(head: Head, keys: Keys, narrow: int, sizes: Sizes) -> Predicts | None:
    """Return "masked", or None without a head. `narrow`: width of embeddings. Raises
    BadWeightsFile."""
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
    """`start`: prefix of the embedding's name; the head may share its matrix."""
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
