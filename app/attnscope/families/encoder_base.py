"""Base of BERT, DistilBERT, ELECTRA and RoBERTa."""

from __future__ import annotations

from dataclasses import dataclass

from attnscope.attention.architecture import Activation
from attnscope.families.encoders import (
    LIKE_BERT,
    TABLES,
    Head,
    Keys,
    add_prefix,
    dense_shapes,
    encoder_config,
    predicts_masked,
    read_dense,
    read_head,
    read_weights,
    start_of,
    table_shapes,
)
from attnscope.families.keys import check_sizes
from attnscope.families.layers import TensorNames
from attnscope.families.model import ModelConfig, Sizes, Tensors, Weights


@dataclass(frozen=True)
class EncoderVariant:
    """`layers`: prefix of layer names. `projection`: module that widens narrow embeddings.
    `activation`: of the head, by default that of the MLP."""

    model_type: str
    head: Head
    layers: str = "encoder.layer"
    names: TensorNames = LIKE_BERT
    tables: tuple[str, ...] = TABLES
    projection: str | None = None
    activation: Activation | None = None
    heads_key: str = "num_attention_heads"

    def about(
        self, keys: Keys, sizes: Sizes, narrow: int | None = None, context: int | None = None
    ) -> ModelConfig:
        """`narrow` overrides hidden_size as width of embeddings, `context` overrides
        max_position_embeddings."""
        width = narrow or keys.hidden_size
        predicts = predicts_masked(self.head, keys, width, sizes)
        found = encoder_config(
            self.model_type, keys, predicts, context=context, heads=self.heads_key
        )
        rows = {name: keys.rows[name] for name in self.tables}
        shapes = table_shapes(rows, width)
        for i in range(keys.num_hidden_layers):
            shapes |= self.names.wanted(f"{self.layers}.{i}.", found.architecture)
        if self.projection is not None and width != keys.hidden_size:
            shapes |= dense_shapes(self.projection, width, keys.hidden_size)
        check_sizes(add_prefix(start_of(sizes, self.model_type), shapes), sizes)
        return found

    def convert(self, about: ModelConfig, tensors: Tensors) -> Weights:
        start, projection = start_of(tensors, self.model_type), None
        layers = self.names.layers(f"{start}{self.layers}", tensors, about.architecture)
        width = len(tensors[f"{start}embeddings.LayerNorm.weight"])
        if self.projection is not None and width != about.architecture.shape.d_model:
            projection = read_dense(tensors, f"{start}{self.projection}")
        head = read_head(self.head, about, tensors, start, self.activation)
        return read_weights(about, tensors, start, layers, head, projection)
