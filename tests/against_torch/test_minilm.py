"""MiniLM, a real encoder: its pieces, the head that knows what *it* is, and every hidden state."""

from __future__ import annotations

import numpy as np
import pytest
from transformers import AutoTokenizer

from attnscope.analysis.merged_words import Merging, merge_words, words_at
from attnscope.trace.trace import Trace
from tests.against_torch.real_models import real
from tests.against_torch.transformers_model import Run, run
from tests.families.asking import ask
from tests.families.made import LINES

TEXT = LINES[0]
WORDS = "the animal didn ' t cross the street because it was too tired ."
PIECES = ["[CLS]", *WORDS.split(" "), "[SEP]"]
BOUND = 1e-5


@pytest.fixture(scope="module")
def ours() -> Trace:
    return ask(real("minilm"), TEXT)


@pytest.fixture(scope="module")
def theirs(ours: Trace) -> Run:
    return run(real("minilm"), ours.plan.model.pieces.ids, ours.plan.words.tokens)


def test_the_text_is_cut_into_the_pieces_of_its_own_tokenizer(ours: Trace) -> None:
    assert list(ours.plan.words.tokens[0]) == PIECES
    ids = [ours.plan.model.pieces.ids[piece] for piece in PIECES]
    assert ids == AutoTokenizer.from_pretrained(real("minilm"))(TEXT)["input_ids"]


def test_a_head_of_layer_3_looks_from_it_to_the_animal(ours: Trace) -> None:
    weights = ours.layers[3]["weights"][0, 1]
    assert weights[PIECES.index("it"), PIECES.index("animal")] == pytest.approx(0.677, abs=0.001)


def test_every_layer_receives_and_weighs_what_it_does_in_transformers(
    ours: Trace, theirs: Run
) -> None:
    assert len(ours.layers) == len(theirs.attentions) == 6
    for layer, weights, received in zip(
        ours.layers, theirs.attentions, theirs.received, strict=True
    ):
        assert np.abs(layer["weights"] - weights).max() <= BOUND
        assert np.abs(layer["x"] - received).max() <= BOUND


def test_weights_between_words_are_sums_over_keys_and_means_over_queries() -> None:
    trace = ask(real("minilm"), "unbelievably heterogeneous")
    places = words_at(trace.plan, 0, 0)
    assert len(places.queries) == 4
    row = merge_words(trace.layers[0]["weights"][0, 0], places, Merging())[1]
    assert row == pytest.approx([0.197, 0.326, 0.346, 0.131], abs=0.0005)


def test_the_last_hidden_states_are_those_of_transformers(ours: Trace, theirs: Run) -> None:
    assert ours.layers[-1]["block_output"].shape == theirs.last.shape == (1, len(PIECES), 384)
    assert np.abs(ours.layers[-1]["block_output"] - theirs.last).max() <= BOUND
