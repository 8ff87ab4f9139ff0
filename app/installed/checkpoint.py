"""A model on the disk of the server: a Hugging Face folder, read where it lies.

config.json says what it is, tokenizer.json how text becomes pieces, model.safetensors, or shards
with their index, hold its numbers: they are mapped, not copied. The files may change while the
server runs: size, time and inode name what a question was asked of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from app.errors import BadWeightsFile, ModelChanged
from app.families import family_of
from app.families.model import About, Family, Weights
from app.families.names import our_names
from app.tokens.pieces import Pieces
from app.weights.formats.mapped import Mapped, map_files, weight_files

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
REVISION = "main"
LARGEST_CONFIG = 1 << 20
LARGEST_TOKENIZER = 64 << 20
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Opened:
    """A folder as it was at one moment: which files, what they said, and where the numbers lie."""

    stamp: Stamp
    digest: str
    family: Family
    about: About
    tensors: Mapped

    @cached_property
    def weights(self) -> Weights:
        return self.family.convert(self.about, self.tensors)

    @cached_property
    def our_names(self) -> dict[str, list[str]]:
        return our_names(self.family, self.about, self.sizes)

    @property
    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Of every tensor."""
        return {name: place.shape for name, place in self.tensors.places.items()}


class Checkpoint:
    """A folder; its tokenizer is read when it is asked for, its numbers where they are used.

    Raises BadWeightsFile for one that is not computed here.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.name = self.folder.name
        self._opened = self._open(self._stamp())

    @property
    def config(self) -> About:
        return self._now().about

    @property
    def revisions(self) -> dict[str, Path]:
        return {REVISION: self.folder}

    @property
    def newest(self) -> str:
        return REVISION

    @property
    def bytes(self) -> int:
        """Of the weights on the disk."""
        return sum(
            size for name, size, _, _ in self._opened.stamp if name not in (CONFIG, TOKENIZER)
        )

    @cached_property
    def pieces(self) -> Pieces:
        """Raises BadWeightsFile for a tokenizer that cannot be read, or has more pieces than there
        are embeddings."""
        path = self.folder / TOKENIZER
        if not path.is_file():
            raise BadWeightsFile("no_tokenizer", at=TOKENIZER)
        if path.stat().st_size > LARGEST_TOKENIZER:
            raise BadWeightsFile("tokenizer_broken", at=TOKENIZER)
        try:
            pieces = Pieces.read(path, self.config.vocabulary, specials=self.config.specials)
        except Exception:  # tokenizers raises nothing narrower
            raise BadWeightsFile("tokenizer_broken", at=TOKENIZER) from None
        found, rows = pieces.size, self.config.vocabulary
        if found > rows:
            raise BadWeightsFile("other_vocabulary", at=TOKENIZER, found=found, rows=rows)
        return pieces

    def digest(self, revision: str) -> str:
        """Names what lies there now; `revision` is the only one."""
        return self._now().digest

    def tensors(self) -> list[tuple[str, tuple[int, ...], str]]:
        """Name, sizes and type of every tensor."""
        places = self._now().tensors.places
        return [(name, places[name].shape, places[name].dtype) for name in sorted(places)]

    def our_names(self) -> dict[str, list[str]]:
        """What its tensors became: those that are read as they lie."""
        return self._now().our_names

    @property
    def weights(self) -> Weights:
        """The numbers, in the files."""
        return self._now().weights

    def _now(self) -> Opened:
        """What lies there now, opened anew where it is another than before. Raises ModelChanged
        where that is no model."""
        try:
            stamp = self._stamp()
            if stamp != self._opened.stamp:
                self._opened = self._open(stamp)
                self.__dict__.pop("pieces", None)
        except (OSError, BadWeightsFile):
            raise ModelChanged("model_gone", at="model.name", name=self.name) from None
        return self._opened

    def _stamp(self) -> Stamp:
        """Name, size, time and inode of every file."""
        paths = [self.folder / CONFIG, *weight_files(self.folder)]
        paths += [path for path in [self.folder / TOKENIZER] if path.exists()]
        stats = [(path.name, path.stat()) for path in paths]
        return tuple((name, one.st_size, one.st_mtime_ns, one.st_ino) for name, one in stats)

    def _open(self, stamp: Stamp) -> Opened:
        config = self._read_config()
        tensors = map_files(weight_files(self.folder))
        family = family_of(config)
        sizes = {name: place.shape for name, place in tensors.places.items()}
        about = family.about(config, sizes)
        named = json.dumps([config, sorted(sizes.items()), stamp], sort_keys=True)
        return Opened(stamp, sha256(named.encode()).hexdigest()[:16], family, about, tensors)

    def _read_config(self) -> dict[str, Any]:
        path = self.folder / CONFIG
        try:
            if path.stat().st_size > LARGEST_CONFIG:
                raise ValueError
            config = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            raise BadWeightsFile("config_broken", at=CONFIG) from None
        if not isinstance(config, dict):
            raise BadWeightsFile("config_broken", at=CONFIG)
        return config
