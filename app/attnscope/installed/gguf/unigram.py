"""SentencePiece Unigram, as in T5."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from attnscope.installed.gguf.translation import check_is
from attnscope.installed.gguf.vocabulary import AT, Vocabulary, bounds
from attnscope.weights.formats.gguf_metadata import Metadata

SPACE = "▁"
SCORES, TABLE = f"{AT}scores", f"{AT}precompiled_charsmap"


def unigram(metadata: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    for key in ("add_space_prefix", "remove_extra_whitespaces"):
        check_is(metadata, f"{AT}{key}", True)
    scores = metadata.numbers(SCORES)
    if len(scores) != len(vocabulary.pieces) or not np.isfinite(scores).all():
        raise metadata.refused(SCORES)
    table = None
    if TABLE in metadata:
        signs = metadata.numbers(TABLE)
        if signs.dtype.itemsize != 1:
            raise metadata.refused(TABLE)
        table = {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(signs.tobytes()).decode(),
        }
    unknown = vocabulary.special(metadata, "unknown_token_id")
    return {
        "added_tokens": vocabulary.added(),
        "normalizer": table,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        ]},
        "post_processor": bounds(metadata, vocabulary, False, True),
        "model": {
            "type": "Unigram", "unk_id": unknown,
            "vocab": list(zip(vocabulary.pieces, scores.tolist(), strict=True)),
        },
    }  # fmt: skip
