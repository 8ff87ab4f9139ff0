"""Byte-level BPE. A file that names no pre-tokenizer gets that of its architecture."""

from __future__ import annotations

from typing import Any

from attnscope.errors import BadWeightsFile
from attnscope.installed.gguf.vocabulary import AT, Vocabulary, bounds
from attnscope.tokens.splits import SPLITS, Split
from attnscope.weights.formats.gguf_metadata import Metadata

USUAL = {
    "gpt2": "gpt-2", "phi2": "phi-2", "gptneox": "olmo", "falcon": "falcon", "bloom": "bloom",
    "qwen2": "qwen2", "qwen3": "qwen2",
}  # fmt: skip


def byte_level(metadata: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    split = _named(metadata)
    prefix = f"{AT}add_space_prefix"
    if metadata.flag(prefix, False):
        raise metadata.refused(prefix)
    return {
        "added_tokens": vocabulary.added(),
        "normalizer": split.normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": list(split.steps)},
        "post_processor": bounds(metadata, vocabulary, split.begin, False),
        "model": {
            "type": "BPE", "ignore_merges": split.whole, "vocab": vocabulary.ids(),
            "merges": metadata.texts(f"{AT}merges"),
        },
    }  # fmt: skip


def _named(metadata: Metadata) -> Split:
    name = metadata.text(f"{AT}pre", "default")
    if name == "default":
        name = USUAL.get(metadata.text("general.architecture"), name)
    if name not in SPLITS:
        known = ", ".join(SPLITS)
        raise BadWeightsFile("gguf_split_of_text", at=metadata.file, name=name[:64], known=known)
    return SPLITS[name]
