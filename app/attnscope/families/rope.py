from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from attnscope.attention.positions import Rotary
from attnscope.families.keys import ConfigKeys, unknown_value

Factor = Annotated[float, Field(ge=1e-3, le=1e6)]
Theta = Annotated[float, Field(gt=1, le=1e12)]
Places = Annotated[int, Field(ge=1, le=1 << 24)]
Scale = Annotated[float, Field(ge=0, le=100)]
Factors = Annotated[list[Factor], Field(min_length=1, max_length=4096)]
PROPORTIONAL = "proportional"
FROM_ORIGINAL = frozenset({"llama3", "yarn", "longrope"})  # kinds that use the original context


class RopeMapping(ConfigKeys):
    """`kinds`: the family's names of RoPE kinds → names in KINDS. `layer_kinds`: layer types
    with a mapping of their own."""

    kinds: ClassVar[Mapping[str, str]] = {}
    layer_kinds: ClassVar[frozenset[str]] = frozenset()

    rope_scaling: dict[str, Any] | None = None
    rope_parameters: dict[str, Any] | None = None
    original_max_position_embeddings: Places | None = None

    def scaling_mapping(self) -> dict[str, Any]:
        """`original_max_position_embeddings` of the config overrides that of the mapping."""
        mapping = dict(self.rope_scaling or self.rope_parameters or {})
        if self.original_max_position_embeddings and kind_of(mapping) in FROM_ORIGINAL:
            mapping["original_max_position_embeddings"] = self.original_max_position_embeddings
        return mapping

    @classmethod
    def unread(cls, config: Mapping[str, Any]) -> dict[str, Any]:
        found = super().unread(config)
        for at in ("rope_scaling", "rope_parameters"):
            for mapping in cls._mappings(config.get(at)):
                unread = _unread(mapping, cls.kinds)
                found |= {f"{at}.{name}": value for name, value in unread.items()}
        return found

    @classmethod
    def _mappings(cls, given: Any) -> list[dict[str, Any]]:
        if not isinstance(given, dict):
            return []
        nested = {
            name: one
            for name, one in given.items()
            if name in cls.layer_kinds and isinstance(one, dict)
        }
        rest = {name: value for name, value in given.items() if name not in nested}
        return [*nested.values(), rest]


class RopeKeys(RopeMapping):
    rope_theta: Theta | None = None
    partial_rotary_factor: Annotated[float, Field(gt=0, le=1)] | None = None

    def rotary_mapping(self) -> dict[str, Any]:
        own = {"rope_theta": self.rope_theta, "partial_rotary_factor": self.partial_rotary_factor}
        given = {name: value for name, value in own.items() if value is not None}
        return given | self.scaling_mapping()


class Scaling(BaseModel):
    model_config = ConfigDict(strict=True)

    rope_type: str = "default"
    type: str | None = None  # old name of rope_type
    rope_theta: Theta = 10000.0
    partial_rotary_factor: Annotated[float, Field(gt=0, le=1)] = 1.0


class Linear(Scaling):
    factor: Factor


class Llama3(Scaling):
    factor: Factor
    low_freq_factor: Factor
    high_freq_factor: Factor
    original_max_position_embeddings: Places


class Yarn(Scaling):
    factor: Factor | None = None
    attention_factor: Factor | None = None
    mscale: Scale | None = None
    mscale_all_dim: Scale | None = None
    beta_fast: Factor | None = None
    beta_slow: Factor | None = None
    truncate: bool = True
    original_max_position_embeddings: Places | None = None


class LongRope(Scaling):
    short_factor: Factors
    long_factor: Factors
    factor: Factor | None = None
    attention_factor: Factor | None = None
    original_max_position_embeddings: Places | None = None


class Proportional(Scaling):
    factor: Factor = 1.0


class Sizes(NamedTuple):
    columns: int
    context: int
    original: int


Speeds = Float[np.ndarray, " pairs"]


def rotary_of(
    mapping: Mapping[str, Any], d_k: int, context: int, original: int | None = None,
    *, partial: bool = False,
) -> Rotary:  # fmt: skip
    """`original`: context before scaling if the mapping lacks it. `partial`: whether a part of each
    head may stay unrotated. Raises BadWeightsFile."""
    kind = kind_of(mapping)
    if kind not in KINDS:
        raise unknown_value("rope_type", kind)
    keys, make = KINDS[kind]
    try:
        scaling = keys.model_validate(dict(mapping))
    except ValidationError as error:
        name = str((error.errors()[0]["loc"] or ("rope_scaling",))[0])
        raise unknown_value(name, mapping.get(name)) from None
    columns = d_k if kind == PROPORTIONAL else int(d_k * scaling.partial_rotary_factor)
    if columns < 2 or columns % 2 or (columns != d_k and not partial):
        raise unknown_value("partial_rotary_factor", scaling.partial_rotary_factor)
    first = getattr(scaling, "original_max_position_embeddings", None) or original or context
    speeds = scaling.rope_theta ** (-np.arange(0, columns, 2) / columns)
    fields = make(scaling, speeds, Sizes(columns, context, first))
    return Rotary("halves", None if columns == d_k else columns, **fields)


def _unscaled(scaling: Scaling, speeds: Speeds, sizes: Sizes) -> dict[str, Any]:
    """Also for `dynamic`, which scales only texts beyond the context; these are refused."""
    return {"frequencies": tuple(speeds.tolist())}


def _linear(scaling: Linear, speeds: Speeds, sizes: Sizes) -> dict[str, Any]:
    """Position interpolation (Chen et al. 2023)."""
    return {"frequencies": tuple((speeds / scaling.factor).tolist())}


def _llama3(scaling: Llama3, speeds: Speeds, sizes: Sizes) -> dict[str, Any]:
    """Divide low frequencies by the factor (Llama Team 2024)."""
    low, high = scaling.low_freq_factor, scaling.high_freq_factor
    if low >= high:
        raise unknown_value("high_freq_factor", high)
    turns = scaling.original_max_position_embeddings * speeds / (2 * math.pi)
    share = np.clip((turns - low) / (high - low), 0, 1)
    return {"frequencies": tuple((speeds * (share + (1 - share) / scaling.factor)).tolist())}


def _yarn(scaling: Yarn, speeds: Speeds, sizes: Sizes) -> dict[str, Any]:
    """YaRN (Peng et al. 2023, section 3.2): interpolate pairs with less than `beta_slow` turns,
    keep pairs with more than `beta_fast`."""
    factor = scaling.factor or sizes.context / sizes.original

    def column(turns: float) -> float:
        wave = sizes.original / (turns * 2 * math.pi)
        return sizes.columns * math.log(wave) / (2 * math.log(scaling.rope_theta))

    low, high = column(scaling.beta_fast or 32), column(scaling.beta_slow or 1)
    if scaling.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, sizes.columns - 1)
    width = high - low if high != low else 0.001
    slow = np.clip((np.arange(len(speeds)) - low) / width, 0, 1)
    mixed = speeds / factor * slow + speeds * (1 - slow)
    return {"frequencies": tuple(mixed.tolist()), "magnitude": _yarn_magnitude(scaling, factor)}


def _yarn_magnitude(scaling: Yarn, factor: float) -> float:
    def by(scale: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * scale * math.log(factor) + 1

    if scaling.attention_factor is not None:
        return scaling.attention_factor
    if scaling.mscale and scaling.mscale_all_dim:
        return by(scaling.mscale) / by(scaling.mscale_all_dim)
    return by(1.0)


def _longrope(scaling: LongRope, speeds: Speeds, sizes: Sizes) -> dict[str, Any]:
    """LongRoPE (Ding et al. 2024): `long` factors are for texts beyond the original context."""
    for at, factors in (("short", scaling.short_factor), ("long", scaling.long_factor)):
        if len(factors) != len(speeds):
            raise unknown_value(f"{at}_factor", f"[{len(factors)}]")
    if sizes.original < 2:  # log(original) is a divisor
        raise unknown_value("original_max_position_embeddings", sizes.original)
    factor = scaling.factor or sizes.context / sizes.original
    grown = 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(sizes.original))
    short, long = (tuple((speeds / np.array(one)).tolist())
                   for one in (scaling.short_factor, scaling.long_factor))  # fmt: skip
    return {
        "frequencies": short, "long": long, "original": sizes.original,
        "magnitude": scaling.attention_factor or grown,
    }  # fmt: skip


def _proportional(scaling: Proportional, speeds: Speeds, sizes: Sizes) -> dict[str, Any]:
    """Gemma 4: the first pairs c, c + d_k/2 turn, at the speeds of whole heads."""
    turning = int(scaling.partial_rotary_factor * sizes.columns // 2)
    turned = np.where(np.arange(len(speeds)) < turning, speeds / scaling.factor, 0)
    return {"frequencies": tuple(turned.tolist())}


def kind_of(mapping: Mapping[str, Any]) -> str:
    return str(mapping.get("rope_type", mapping.get("type", "default")))


def _unread(mapping: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    kind = kind_of(mapping)
    keys, _ = KINDS.get(kinds.get(kind, kind), (Scaling, None))
    return {name: mapping[name] for name in sorted(set(mapping) - set(keys.model_fields))}


Make = Callable[[Any, Speeds, Sizes], dict[str, Any]]
KINDS: dict[str, tuple[type[Scaling], Make]] = {
    "default": (Scaling, _unscaled),
    "linear": (Linear, _linear),
    "dynamic": (Linear, _unscaled),
    "llama3": (Llama3, _llama3),
    "yarn": (Yarn, _yarn),
    "longrope": (LongRope, _longrope),
    PROPORTIONAL: (Proportional, _proportional),
    "su": (LongRope, _longrope),
}
