"""A Marian as transformers saves it, with models of SentencePiece: its numbers and its words."""

from __future__ import annotations

import base64
import json
import lzma
from pathlib import Path
from typing import Any

import torch
from transformers import MarianConfig, MarianMTModel

from attnscope.analysis.continuation import Sampling, continue_text
from tests.against_torch.test_seq2seq import check_pair
from tests.families.asking import ask
from tests.families.seq2seq_made import MARIAN
from tests.spm_files import marian_config, with_pieces

GOLDEN = Path(__file__).parent.parent / "golden/marian.json"
SOURCES = [">>fra<< The cat didn't cross the street, é ﬁne.", "A head looks at words"]
TEXTS = ["注意力看", ""]


def saved(folder: Path) -> Path:
    golden: dict[str, Any] = json.loads(GOLDEN.read_text())["unigram"]
    torch.manual_seed(0)
    keys = {key: value for key, value in marian_config(golden["ids"]).items() if key in MARIAN}
    sizes = {"vocab_size": len(golden["ids"]), "decoder_vocab_size": len(golden["ids"])}
    config = MarianConfig(**{**keys, **sizes, "model_type": "marian"})
    MarianMTModel(config).eval().save_pretrained(folder)
    models, size = lzma.decompress(base64.b64decode(golden["models"])), golden["source_bytes"]
    return with_pieces(folder, models[:size], models[size:], golden["ids"])


def test_a_saved_marian_computes_what_transformers_computes(tmp_path: Path) -> None:
    folder = saved(tmp_path / "opus-mt-en-zh")
    trace = ask(folder, TEXTS, context=SOURCES)
    check_pair(folder, trace)


def test_its_text_goes_on_as_transformers_writes_it(tmp_path: Path) -> None:
    folder = saved(tmp_path / "opus-mt-en-zh")
    trace = ask(folder, "", context=SOURCES[0])
    assert trace.plan.context is not None
    assert trace.plan.context.ids is not None
    ids, _ = continue_text(trace, 6, Sampling())
    model = MarianMTModel.from_pretrained(folder).eval()
    pieces = trace.plan.model.pieces
    assert pieces is not None
    source = torch.from_numpy(trace.plan.context.ids[0].astype("int64"))[None]
    written = model.generate(
        source, max_new_tokens=6, min_new_tokens=6, num_beams=1, do_sample=False,
        forced_eos_token_id=None, bad_words_ids=[[row] for row in pieces.unsaid],
    )  # fmt: skip
    assert written[0, 0] == trace.plan.model.start
    assert written[0, 1:].tolist() == ids
