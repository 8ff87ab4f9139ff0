"""LoRA (Hu et al. 2022), applied on access: W + scale · B A."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from attnscope.errors import BadWeightsFile
from attnscope.families import family_of, is_conv1d
from attnscope.families.model import Tensors
from attnscope.families.names import our_names
from attnscope.installed.adapters.config import AdapterKeys
from attnscope.installed.source import CheckpointContent
from attnscope.weights.formats.mapped import Mapped

UNEMBEDDING_NAMES = (
    "lm_head.weight", "embed_out.weight", "cls.predictions.decoder.weight",
    "lm_head.decoder.weight", "vocab_projector.weight", "generator_lm_head.weight",
    "predictions.decoder.weight",
)  # fmt: skip


def head_of(found: CheckpointContent) -> tuple[str, str]:
    """Names of the tied tensor, and of the unembedding that would untie it; both "" if untied."""
    named = _named(found, {}).items()
    tied = next((name for name, native in named if {"embedding", "unembedding"} <= {*native}), "")
    for head in UNEMBEDDING_NAMES if tied else ():
        if "unembedding" in _named(found, {head: found.sizes[tied]}).get(head, ()):
            return tied, head
    return "", ""


def has_encoder(found: CheckpointContent) -> bool:
    family = family_of(found.config)
    return family.about(found.config, found.sizes).architecture.encoder_layers > 0


def _named(found: CheckpointContent, more: dict[str, tuple[int, ...]]) -> dict[str, list[str]]:
    family, sizes = family_of(found.config), {**found.sizes, **more}
    return our_names(family, family.about(found.config, sizes), sizes)


WRAPPER, INNER = "base_model.model.", ".base_layer."  # added by PEFT
PART = re.compile(r"(?P<module>.+)\.lora_(?P<side>[AB])\.weight")
# Encoder and decoder share these. Their adapters are refused, as PEFT replaces only one use.
SHARED = ("shared.weight", "embed_tokens.weight")
HEADS = ("classifier", "cls", "embed_out", "lm_head", "pre_classifier", "qa_outputs", "score")


@dataclass(frozen=True)
class Delta:
    """Tensor names of A [rank, d_in] and B [d_out, rank]. `turned`: the weight is [d_in, d_out]."""

    a: str
    b: str
    scale: float
    turned: bool


@dataclass(frozen=True)
class AdaptedTensors(Mapping[str, np.ndarray]):
    base: Tensors
    own: Tensors
    deltas: Mapping[str, Delta]
    whole: Mapping[str, tuple[Tensors, str]]

    def __getitem__(self, name: str) -> np.ndarray:
        tensors, at = self.whole.get(name, (self.base, name))
        weight = tensors[at]
        if (delta := self.deltas.get(name)) is None:
            return weight
        a, b = self.own[delta.a], self.own[delta.b]
        with np.errstate(over="ignore", invalid="ignore"):  # trace/checks.py reports it
            result: np.ndarray = a.T @ b.T if delta.turned else b @ a
            result *= np.float32(delta.scale)
            result += weight
        return result

    def __iter__(self) -> Iterator[str]:
        yield from self.base
        yield from (name for name in self.whole if name not in self.base)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class AdapterMerge:
    """Raises BadWeightsFile for unmatched, repeated, misshapen or non-finite tensors."""

    def __init__(self, found: CheckpointContent, own: Mapped, keys: AdapterKeys, base: str) -> None:
        self._found, self._own, self._keys, self._base = found, own, keys, base
        self._sizes: dict[str, tuple[int, ...]] = dict(found.sizes)
        self._dtypes = dict(found.dtypes)
        # Prefixes that names in an adapter may lack.
        self._starts = sorted({name.partition(".")[0] for name in found.sizes})
        self._whole: dict[str, tuple[Tensors, str]] = {}
        self._deltas: dict[str, Delta] = {}

    def merged_content(self) -> CheckpointContent:
        for name in self._own.places:
            if "lora_" not in name:
                self._replace(name)
        modules = self._modules()
        self._untie({self._weight_of(module) for module in modules})
        for module, sides in modules.items():
            self._add(module, sides)
        self._check_finite()
        tensors = AdaptedTensors(self._found.tensors, self._own, self._deltas, self._whole)
        return replace(self._found, tensors=tensors, sizes=self._sizes, dtypes=self._dtypes)

    def _replace(self, name: str) -> None:
        bare, shape = _bare(name), self._own.places[name].shape
        at = self._find(bare)
        if at is not None:
            self._check_shape(name, self._found.sizes[at])
        elif bare.partition(".")[0] not in HEADS:
            raise BadWeightsFile("adapter_fits_nothing", at=name, base=self._base)
        at = at or bare
        if at in self._whole:
            raise BadWeightsFile("adapter_twice", at=name)
        if at.endswith(SHARED) and has_encoder(self._found):
            raise BadWeightsFile("adapter_shared", at=name, base=self._base)
        self._whole[at], self._sizes[at] = (self._own, name), shape
        self._dtypes[at] = self._own.places[name].dtype

    def _modules(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for name in self._own.places:
            if part := PART.fullmatch(name):
                sides = found.setdefault(_bare(part["module"]), {})
                if sides.setdefault(part["side"], name) != name:
                    raise BadWeightsFile("adapter_twice", at=name)
            elif "lora_" in name:
                raise BadWeightsFile("adapter_part", at=name)
        return found

    def _untie(self, changed: set[str]) -> None:
        """Untie as PEFT does: if the embedding is replaced or the unembedding changed."""
        if not changed and not self._whole:
            return
        tied, head = head_of(self._found)
        if head and head not in self._whole and (tied in self._whole or head in changed):
            self._whole[head] = self._found.tensors, tied
            self._sizes[head], self._dtypes[head] = self._sizes[tied], self._dtypes[tied]

    def _add(self, module: str, sides: Mapping[str, str]) -> None:
        if len(sides) != 2:
            raise BadWeightsFile("adapter_half", at=next(iter(sides.values())))
        weight, turned = self._weight_of(module), is_conv1d(self._found.config, module)
        shape = self._sizes.get(weight, ())
        if len(shape) != 2:
            raise BadWeightsFile("adapter_fits_nothing", at=sides["A"], base=self._base)
        rank, (d_out, d_in) = self._keys.rank(module), reversed(shape) if turned else shape
        self._check_shape(sides["A"], (rank, d_in))
        self._check_shape(sides["B"], (d_out, rank))
        if weight in self._deltas:
            raise BadWeightsFile("adapter_twice", at=sides["A"])
        scale = self._keys.scale(module)
        self._deltas[weight] = Delta(sides["A"], sides["B"], scale, turned)

    def _weight_of(self, module: str) -> str:
        name = f"{module}.weight"
        return self._find(name) or name

    def _find(self, name: str) -> str | None:
        usual = (name, name.partition(".")[2], *(f"{start}.{name}" for start in self._starts))
        return next((one for one in usual if one in self._found.sizes), None)

    def _check_shape(self, name: str, wanted: tuple[int, ...]) -> None:
        if (shape := self._own.places[name].shape) != wanted:
            found, said = (" × ".join(map(str, one)) for one in (shape, wanted))
            raise BadWeightsFile("adapter_sizes", at=name, found=found, said=said, base=self._base)

    def _check_finite(self) -> None:
        for name in self._own:
            if not np.isfinite(self._own[name]).all():
                raise BadWeightsFile("adapter_not_finite", at=name)


def _bare(name: str) -> str:
    return name.removeprefix(WRAPPER).replace(INNER, ".")
