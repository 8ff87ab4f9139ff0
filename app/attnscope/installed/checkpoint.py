"""A Hugging Face folder or .gguf file, reopened when its files change."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import overload

from attnscope.attention.architecture import Parameters
from attnscope.errors import BadWeightsFile, ModelChanged
from attnscope.families import identify_checkpoint
from attnscope.families.model import Family, ModelConfig, Weights
from attnscope.families.names import our_names
from attnscope.installed.folder import Folder
from attnscope.installed.gguf.file import GgufFile, is_gguf
from attnscope.installed.source import CheckpointContent, Source, Stamp
from attnscope.tokens.subword_tokenizer import SubwordTokenizer

REVISION = "main"


class GuardedLayers(Sequence[Parameters]):
    """Layers that call `check` on access, so that no reply mixes two versions of a model."""

    def __init__(self, layers: Sequence[Parameters], check: Callable[[], None]) -> None:
        self._layers, self._check = layers, check

    def __len__(self) -> int:
        return len(self._layers)

    @overload
    def __getitem__(self, at: int) -> Parameters: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Parameters]: ...
    def __getitem__(self, at: int | slice) -> Parameters | Sequence[Parameters]:
        if isinstance(at, slice):
            return GuardedLayers(self._layers[at], self._check)
        self._check()
        return self._layers[at]


@dataclass(frozen=True)
class OpenCheckpoint:
    stamp: Stamp
    digest: str
    family: Family
    about: ModelConfig
    found: CheckpointContent
    source: Source

    @cached_property
    def weights(self) -> Weights:
        weights = self.family.convert(self.about, self.found.tensors)
        return replace(weights, layers=GuardedLayers(weights.layers, self._check))

    def _check(self) -> None:
        try:
            unchanged = self.source.stamp() == self.stamp
        except (OSError, BadWeightsFile):
            unchanged = False
        if not unchanged:
            raise ModelChanged("model_changed", at="model.digest", name=self.source.name)

    @cached_property
    def our_names(self) -> dict[str, list[str]]:
        return our_names(self.family, self.about, self.found.sizes)


class Checkpoint:
    """`accepted`: unread config keys to ignore. Raises BadWeightsFile; once open, ModelChanged."""

    def __init__(self, place: Path | Source, accepted: Collection[str] = ()) -> None:
        self._accepted = accepted
        self.source = _source_at(place) if isinstance(place, Path) else place
        self.name = self.source.name
        self._opened = self._open(self.source.stamp())

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def config(self) -> ModelConfig:
        return self._now().about

    @property
    def revisions(self) -> dict[str, Path]:
        return {REVISION: self.path}

    @property
    def newest(self) -> str:
        return REVISION

    @property
    def bytes(self) -> int:
        return self._opened.found.bytes

    @cached_property
    def pieces(self) -> SubwordTokenizer:
        """Raises BadWeightsFile if the tokenizer is broken or unfit, ModelChanged if gone."""
        try:
            return self.source.pieces(self.config)
        except OSError:
            raise self._gone_error() from None

    def digest(self, revision: str) -> str:
        return self._now().digest

    def tensors(self) -> list[tuple[str, tuple[int, ...], str]]:
        found = self._now().found
        return [(name, found.sizes[name], found.dtypes[name]) for name in sorted(found.sizes)]

    def our_names(self) -> dict[str, list[str]]:
        """Stored name → native names, for tensors used as stored."""
        return self._now().our_names

    @property
    def weights(self) -> Weights:
        return self._now().weights

    def _now(self) -> OpenCheckpoint:
        try:
            stamp = self.source.stamp()
            if stamp != self._opened.stamp:
                self._opened = self._open(stamp)
                self.__dict__.pop("pieces", None)
        except (OSError, BadWeightsFile):
            raise self._gone_error() from None
        return self._opened

    def _gone_error(self) -> ModelChanged:
        return ModelChanged("model_gone", at="model.name", name=self.name)

    def _open(self, stamp: Stamp) -> OpenCheckpoint:
        found = self.source.read()
        family, about = identify_checkpoint(found.config, found.sizes, self._accepted)
        named = json.dumps([found.config, sorted(found.sizes.items()), stamp], sort_keys=True)
        digest = sha256(named.encode()).hexdigest()[:16]
        return OpenCheckpoint(stamp, digest, family, about, found, self.source)


def _source_at(path: Path) -> Source:
    return GgufFile(path) if is_gguf(path) else Folder(path)
