"""Writes tests/golden/marian.json: how MarianTokenizer splits odd texts, with models trained on
our documentation.

    python -m tests.against_torch.make_marian_golden

Run it in the environment of `make test-reference`, with sentencepiece.
"""

from __future__ import annotations

import base64
import io
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sentencepiece
import transformers

from tests.against_torch.test_odd_texts import PARTS, TEXTS
from tests.spm_files import marian_config, with_pieces

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "tests/golden/marian.json"
MORE = [">>fra<<", ">>cmn_Hans<<"]
SIGNS = "a-.=0e"  # many splits of a run are equally likely
CODES = [">>fra<< The cat", ">>fra<<", ">>xyz<<The cat", " >>fra<< a", "</s>>>fra<< a<unk> b",
         ">>fra", ">>a b<< c", "a >>fra<< b", "<pad>", "a</s>  b"]  # fmt: skip


def texts() -> list[str]:
    runs = [sign * count for sign in SIGNS for count in range(2, 60, 3)]
    codes = [f"{code}{part}" for code, part in zip(CODES, PARTS, strict=False)]
    return [*TEXTS, *runs, *CODES, *codes, lines("en")[0] * 20]


def lines(language: str) -> list[str]:
    """English of the documentation, Chinese of the pages."""
    if language == "en":
        corpus = "\n".join(one.read_text() for one in sorted((ROOT / "docs").glob("*.md")))
        return [line for line in corpus.splitlines() if line.strip()]
    chapters = sorted((ROOT / "app/attnscope/learn/chapters").glob("*.zh.md"))
    return [line for one in chapters for line in one.read_text().splitlines() if line.strip()]


def trained(language: str, **options: Any) -> bytes:
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines(language)), model_writer=out, character_coverage=0.98,
        minloglevel=2, num_threads=1, **options,
    )  # fmt: skip
    return out.getvalue()


def pieces_of(model: bytes) -> Iterator[str]:
    read = sentencepiece.SentencePieceProcessor(model_proto=model)
    for row in range(read.get_piece_size()):
        if not (read.is_control(row) or read.is_unknown(row)):
            yield read.id_to_piece(row)


def case(source: bytes, target: bytes) -> dict[str, Any]:
    names = ["</s>", "<unk>", *MORE, *pieces_of(source), *pieces_of(target), "<pad>"]
    ids = {name: row for row, name in enumerate(dict.fromkeys(names))}
    with TemporaryDirectory() as folder:
        with_pieces(Path(folder), source, target, ids)
        (Path(folder) / "config.json").write_text(json.dumps(marian_config(ids)))
        read = transformers.MarianTokenizer.from_pretrained(folder)
    cut = [[text, read(text)["input_ids"], read(text_target=text)["input_ids"]] for text in texts()]
    return {"models": packed(source + target), "source_bytes": len(source), "ids": ids, "cut": cut}


def main() -> None:
    kept = {"user_defined_symbols": ["<x>", "注意", "the"]}
    plain = {"normalization_rule_name": "identity"}
    bare, merged = {**plain, "remove_extra_whitespaces": False}, {**plain, "model_type": "bpe"}
    golden = {
        "made_with": f"sentencepiece {sentencepiece.__version__}, "
                     f"transformers {transformers.__version__}",
        "unigram": case(
            trained("en", vocab_size=700), trained("zh", vocab_size=900, **bare, **kept)
        ),
        "bpe": case(
            trained("en", vocab_size=500, **merged, remove_extra_whitespaces=False),
            trained("zh", vocab_size=1000, **merged, **kept),
        ),
    }  # fmt: skip
    FILE.write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n")


def packed(data: bytes) -> str:
    return base64.b64encode(lzma.compress(data, preset=9)).decode()


if __name__ == "__main__":
    main()
