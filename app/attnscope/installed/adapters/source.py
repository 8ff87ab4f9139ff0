from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from attnscope.errors import BadWeightsFile
from attnscope.families.model import ModelConfig
from attnscope.installed.adapters.changes import AdapterMerge
from attnscope.installed.adapters.config import read_adapter
from attnscope.installed.folder import ADAPTER, TOKENIZER, Folder
from attnscope.installed.source import CheckpointContent, Source, Stamp, stamp_of
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.weights.formats.mapped import Mapped, map_files

WEIGHTS, PICKLED = "adapter_model.safetensors", "adapter_model.bin"


class Adapter:
    def __init__(self, base: Source, path: Path, name: str) -> None:
        self.base, self.path = base, path.resolve()
        self.name = f"{base.name}+{name}"

    def stamp(self) -> Stamp:
        own = [self.path / ADAPTER, self._weights()]
        own += [self.path / TOKENIZER] if self._own_tokenizer else []
        return *self.base.stamp(), *stamp_of(own)

    def read(self) -> CheckpointContent:
        keys, weights = read_adapter(self.path), self._weights()
        found = self.base.read()
        changed = AdapterMerge(found, _mapped(weights), keys, self.base.name).merged_content()
        return replace(changed, bytes=found.bytes + weights.stat().st_size)

    def pieces(self, about: ModelConfig) -> SubwordTokenizer:
        return (Folder(self.path) if self._own_tokenizer else self.base).pieces(about)

    @property
    def _own_tokenizer(self) -> bool:
        return (self.path / TOKENIZER).is_file()

    def _weights(self) -> Path:
        path = self.path / WEIGHTS
        if not path.is_file():
            pickled = (self.path / PICKLED).is_file()
            raise BadWeightsFile("adapter_pickled" if pickled else "adapter_alone", at=WEIGHTS)
        return path


def _mapped(weights: Path) -> Mapped:
    try:
        return map_files([weights])
    except BadWeightsFile as error:
        if error.reason != "no_tensors":
            raise
        raise BadWeightsFile("adapter_empty", at=WEIGHTS) from None
