"""Validate config.json: refuse keys that the family does not read but that could change numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from attnscope.attention.architecture import Activation, Shape
from attnscope.errors import BadWeightsFile

# Keys without effect on the forward pass: names, training, files, sampling.
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
CHANGES = re.compile(
    "rope|rotary|attn|attention|scal|softcap|window|norm|alibi|bias|mask|prune|quant"
)
HARMLESS = re.compile("dropout|flash|_token_id$|initializer|label|original_max_position|finetuned")
# Values that have no effect, like null, false and 1.
NEUTRAL: tuple[Any, ...] = ("", "none", "default", [], {})
MOST_UNREAD = 64  # keys to report, and characters of each
MOST_ACCEPTED = 64  # keys per request
MOST_SHOWN = 200  # characters in an error

Count = Annotated[int, Field(ge=1, le=1 << 24)]
Width = Annotated[int, Field(ge=1, le=1 << 16)]  # columns of a head

Act = Literal["gelu", "gelu_fast", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "swish"]
ACTIVATIONS: dict[Act, Activation] = {
    "gelu": "gelu", "gelu_fast": "gelu_tanh", "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu", "silu": "silu", "swish": "silu",
}  # fmt: skip


def unknown_value(at: str, value: object) -> BadWeightsFile:
    return BadWeightsFile("unknown_value", at=at, value=str(value)[:64])


def shape_of(
    width: int, heads: int, kv_heads: int | None = None, d: int | None = None,
    at: tuple[str, str] = ("num_attention_heads", "num_key_value_heads"),
) -> Shape:  # fmt: skip
    """`d`: width of a head. `at`: config keys to name in errors. Raises BadWeightsFile if heads do
    not divide."""
    if d is None and width % heads:
        raise BadWeightsFile("heads_not_divided", at=at[0], heads=heads, width=width)
    kv_heads = kv_heads or heads
    if heads % kv_heads:
        raise BadWeightsFile("heads_not_divided", at=at[1], heads=kv_heads, width=heads)
    d = d or width // heads
    return Shape(heads, kv_heads, width, d, d)


class ConfigKeys(BaseModel):
    """`silent`: further keys without effect. `also`: pairs (alias, key)."""

    model_config = ConfigDict(strict=True)
    silent: ClassVar[frozenset[str]] = frozenset()
    also: ClassVar[tuple[tuple[str, str], ...]] = ()

    @classmethod
    def known(cls) -> frozenset[str]:
        return frozenset(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def unread(cls, config: Mapping[str, Any]) -> dict[str, Any]:
        names = sorted(set(config) - SILENT - cls.silent - cls.known() - set(dict(cls.also)))
        return {name: config[name] for name in names}

    def refused(self, key: str) -> BadWeightsFile:
        return unknown_value(key, getattr(self, key))


Sizes = Mapping[str, tuple[int, ...]]  # tensor name → shape
Read = TypeVar("Read", bound=ConfigKeys)


def changes_numbers(name: str, value: Any) -> bool:
    if value is None or value is False or (value == 1 and value is not True) or value in NEUTRAL:
        return False
    return bool(CHANGES.search(name)) and not HARMLESS.search(name)


def unread_keys(
    config: Mapping[str, Any], keys: type[ConfigKeys], accepted: Collection[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first unread keys, and all unread keys that could change numbers.

    Raises BadWeightsFile if one of the latter is not `accepted`.
    """
    unread = keys.unread(config)
    changing = tuple(name for name, value in unread.items() if changes_numbers(name, value))
    refused = [name for name in changing if name not in accepted]
    if refused:
        at = refused[0][:MOST_UNREAD]
        accept = refused if len(refused) <= MOST_ACCEPTED else None
        listed = ", ".join(refused)[:MOST_SHOWN]
        raise BadWeightsFile("unknown_key", at=at, keys=listed, accept=accept)
    return tuple(name[:MOST_UNREAD] for name in unread)[:MOST_UNREAD], changing


def read_keys(config: Mapping[str, Any], keys: type[Read]) -> Read:
    """Raises BadWeightsFile for invalid values, or if a key and its alias differ."""
    given = {name: config[name] for name in keys.known() if name in config}
    for name, key in keys.also:
        if name in config and given.setdefault(key, config[name]) != config[name]:
            raise unknown_value(name, config[name])
    for name, field in keys.model_fields.items():
        if given.get(name, "") is None and field.annotation in (bool, Literal[False]):
            given[name] = False  # transformers reads null as false
    try:
        return keys.model_validate(given)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise unknown_value(name, given[name]) from None


def check_sizes(wanted: Sizes, sizes: Sizes) -> None:
    missing = [name for name in wanted if name not in sizes]
    if missing:
        raise BadWeightsFile(
            "missing_tensors", at=missing[0], count=len(missing), tensors=", ".join(missing[:4])
        )
    for name, shape in wanted.items():
        if sizes[name] != shape:
            found, said = (" × ".join(map(str, one)) for one in (sizes[name], shape))
            raise BadWeightsFile("other_sizes", at=name, found=found, said=said)


def check_no_extra(names: Sequence[str]) -> None:
    if names:
        raise BadWeightsFile("extra_tensors", at=names[0], tensors=", ".join(names[:4]))


def check_types(types: Sequence[str] | None, num_layers: int) -> None:
    if types is not None and len(types) != num_layers:
        raise unknown_value("layer_types", f"[{len(types)}]")
