"""A folder in the layout of Hugging Face transformers. Layouts of Mistral and Meta are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import Any

from attnscope.errors import BadWeightsFile
from attnscope.families import marian
from attnscope.families.model import ModelConfig
from attnscope.installed.checkpoint_tokenizer import open_tokenizer
from attnscope.installed.marian_pieces import has_models, marian_files, marian_pieces
from attnscope.installed.source import CheckpointContent, Stamp, name_of, stamp_of
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.weights.formats.mapped import WHOLE, Mapped, holds_weights, map_files, weight_files

CONSOLIDATED = "consolidated*"
ENDINGS = (".safetensors", ".pth")
BESIDE = ("params.json", "tekken.json", "tokenizer.model")
NEEDED = ("config.json", "tokenizer.json", WHOLE)
MOST_NAMED = 4


def is_consolidated(folder: Path) -> bool:
    return not holds_weights(folder) and any(
        path.suffix in ENDINGS for path in folder.glob(CONSOLIDATED)
    )


def other_layout(folder: Path) -> BadWeightsFile:
    weights = (path.name for path in folder.glob(CONSOLIDATED) if path.suffix in ENDINGS)
    beside = [name for name in BESIDE if (folder / name).is_file()]
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    return BadWeightsFile(
        "other_layout", at="model", folder=folder.name,
        there=", ".join([*islice(sorted(weights), MOST_NAMED), *beside]),
        missing=", ".join(missing),
    )  # fmt: skip


CONFIG, TOKENIZER = "config.json", "tokenizer.json"
ADAPTER = "adapter_config.json"
LARGEST_CONFIG = 1 << 20
LARGEST_TOKENIZER = 64 << 20
# Prefixes that DataParallel, torch.compile and PEFT add to names.
WRAPPERS = re.compile(r"(?:module\.|_orig_mod\.|base_model\.model\.)*")
# Names in early BERT checkpoints.
OLD_NAMES = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.name = name_of(self.path)

    def stamp(self) -> Stamp:
        if is_consolidated(self.path):
            raise other_layout(self.path)
        paths = [self.path / CONFIG, *weight_files(self.path)]
        paths += [path for path in [self.path / TOKENIZER] if path.exists()]
        return stamp_of([*paths, *marian_files(self.path)])

    def read(self) -> CheckpointContent:
        files = weight_files(self.path)
        size = sum(path.stat().st_size for path in files)
        return folder_content(config_at(self.path / CONFIG), map_files(files), size)

    def pieces(self, about: ModelConfig) -> SubwordTokenizer:
        if about.family == marian.MODEL_TYPE and has_models(self.path):
            return marian_pieces(self.path, about.vocabulary)
        return open_tokenizer(self.tokenizer(), about, TOKENIZER)

    def tokenizer(self) -> str:
        path = self.path / TOKENIZER
        if not path.is_file():
            raise BadWeightsFile("no_tokenizer", at=TOKENIZER)
        if path.stat().st_size > LARGEST_TOKENIZER:
            raise BadWeightsFile("tokenizer_broken", at=TOKENIZER)
        try:
            return path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise BadWeightsFile("tokenizer_broken", at=TOKENIZER) from None


def folder_content(config: dict[str, Any], tensors: Mapped, size: int) -> CheckpointContent:
    start = len(_wrapping(tensors.places))
    places = {_current_name(name[start:]): place for name, place in tensors.places.items()}
    sizes = {name: place.shape for name, place in places.items()}
    dtypes = {name: place.dtype for name, place in places.items()}
    return CheckpointContent(config, Mapped(places), sizes, dtypes, size)


def config_at(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return read_config(file.read(LARGEST_CONFIG + 1))


def read_config(text: bytes) -> dict[str, Any]:
    """Raises BadWeightsFile, also for lone surrogates, which replies cannot encode."""
    try:
        config = json.loads(text) if len(text) <= LARGEST_CONFIG else None
        json.dumps(config, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadWeightsFile("config_broken", at=CONFIG) from None
    if not isinstance(config, dict):
        raise BadWeightsFile("config_broken", at=CONFIG)
    return config


def _wrapping(names: Collection[str]) -> str:
    found = WRAPPERS.match(min(names, default=""))
    assert found is not None
    return found[0] if all(name.startswith(found[0]) for name in names) else ""


def _current_name(name: str) -> str:
    for old, new in OLD_NAMES.items():
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name
