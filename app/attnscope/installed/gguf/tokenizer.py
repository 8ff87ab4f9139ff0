from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from attnscope.errors import BadWeightsFile
from attnscope.installed.gguf.byte_level import byte_level
from attnscope.installed.gguf.sentence_piece import sentence_piece
from attnscope.installed.gguf.unigram import unigram
from attnscope.installed.gguf.vocabulary import AT, Vocabulary, read_vocabulary
from attnscope.installed.gguf.word_piece import word_piece
from attnscope.weights.formats.gguf_metadata import Metadata

MODEL = f"{AT}model"
MODELS: dict[str, Callable[[Metadata, Vocabulary], dict[str, Any]]] = {
    "bert": word_piece, "gpt2": byte_level, "llama": sentence_piece, "t5": unigram
}  # fmt: skip


def definition_of(metadata: Metadata) -> str:
    vocabulary = read_vocabulary(metadata)
    kind = metadata.text(MODEL)
    make = MODELS.get(kind)
    if make is None:
        known = ", ".join(MODELS)
        raise BadWeightsFile("gguf_tokenizer", at=metadata.file, kind=kind[:64], known=known)
    return orjson.dumps(make(metadata, vocabulary)).decode()
