"""Detect checkpoints in the layouts of Mistral and Meta, which are refused."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.mapped import WHOLE, holds_weights

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
