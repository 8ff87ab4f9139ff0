"""config.json against what a family reads: a key that might change numbers is never passed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from app.attention.architecture import Activation
from app.errors import BadWeightsFile
from app.families.model import Sizes

# Keys that say nothing of the forward pass: names, training, files, and how text is drawn.
SAYS_NOTHING = """
    _attn_implementation _attn_implementation_autoset _name_or_path _num_labels architectures
    auto_map bad_words_ids begin_suppress_tokens bos_token_id chunk_size_feed_forward
    decoder_start_token_id diversity_penalty do_sample dtype early_stopping
    encoder_no_repeat_ngram_size eos_token_id exponential_decay_length_penalty finetuning_task
    forced_bos_token_id forced_eos_token_id gradient_checkpointing id2label initializer_range
    is_encoder_decoder label2id length_penalty max_length min_length model_type n_ctx
    no_repeat_ngram_size num_beam_groups num_beams num_return_sequences output_attentions
    output_hidden_states output_past output_scores pad_token_id prefix problem_type
    remove_invalid_values repetition_penalty return_dict return_dict_in_generate sep_token_id
    suppress_tokens task_specific_params temperature tf_legacy_loss tokenizer_class top_k top_p
    torch_dtype torchscript transformers_version typical_p unk_token_id use_bfloat16 use_cache
"""
SILENT = frozenset(SAYS_NOTHING.split())

Read = TypeVar("Read", bound=BaseModel)
Count = Annotated[int, Field(ge=1, le=1 << 24)]  # far beyond any model
Width = Annotated[int, Field(ge=1, le=1 << 16)]  # of a head

# What transformers calls the activations, and what they are.
Act = Literal["gelu", "gelu_fast", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "swish"]
ACTIVATIONS: dict[Act, Activation] = {
    "gelu": "gelu", "gelu_fast": "gelu_tanh", "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu", "silu": "silu", "swish": "silu",
}  # fmt: skip


def read_keys(config: Mapping[str, Any], keys: type[Read], silent: frozenset[str]) -> Read:
    """The keys that a family reads, as it understands them; `silent` are those of the family that
    say nothing either.

    Raises BadWeightsFile for a key that is not known, and for a value that is not.
    """
    known = {field.alias or name for name, field in keys.model_fields.items()}
    unknown = sorted(set(config) - SILENT - silent - known)
    if unknown:
        raise BadWeightsFile("unknown_key", at=unknown[0][:64], keys=", ".join(unknown)[:200])
    given = {name: config[name] for name in known if name in config}
    try:
        return keys.model_validate(given)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        value = str(config[name])[:64]
        raise BadWeightsFile("unknown_value", at=name, value=value) from None


def check_sizes(wanted: Mapping[str, tuple[int, ...]], sizes: Sizes) -> None:
    """Raises BadWeightsFile where a tensor is missing, or has other sizes than the config says."""
    missing = [name for name in wanted if name not in sizes]
    if missing:
        raise BadWeightsFile(
            "missing_tensors", at=missing[0], count=len(missing), tensors=", ".join(missing[:4])
        )
    for name, shape in wanted.items():
        if sizes[name] != shape:
            found, said = (" × ".join(map(str, one)) for one in (sizes[name], shape))
            raise BadWeightsFile("other_sizes", at=name, found=found, said=said)


def without_extra(names: Sequence[str]) -> None:
    """Raises BadWeightsFile for tensors that would change numbers, and that the config denies."""
    if names:
        raise BadWeightsFile("extra_tensors", at=names[0], tensors=", ".join(names[:4]))


def check_types(types: Sequence[str] | None, num_layers: int) -> None:
    """Raises BadWeightsFile where the kinds of layers are told of another number of them."""
    if types is not None and len(types) != num_layers:
        raise BadWeightsFile("unknown_value", at="layer_types", value=f"[{len(types)}]")
