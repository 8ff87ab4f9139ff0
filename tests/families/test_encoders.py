"""What an encoder has and a language model has not: pieces of its own, a normed embedding."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from attnscope.analysis.predictions import likeliest
from attnscope.errors import EmptyText, InvalidRequest, NoPredictions
from attnscope.installed.checkpoint import Checkpoint
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import explain
from tests.families.asking import ask
from tests.families.cases import SHORT, TEXT, made
from tests.families.encoders import BERT, ROBERTA, encoder_tensors, masked_tensors
from tests.families.made import checkpoint, word_pieces


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("bert", tmp_path_factory.mktemp("bert"))


def test_its_own_pieces_stand_around_a_text_with_no_room_in_it(folder: Path) -> None:
    words = ask(folder, TEXT).plan.words
    assert words.tokens is not None
    assert words.tokens[0][0] == "[CLS]"
    assert words.tokens[0][-1] == "[SEP]"
    assert len(words.tokens[0]) > 8  # the truncation of the file is off
    assert words.offsets[0][0] == (0, 0)
    assert words.offsets[0][-1] == (len(TEXT), len(TEXT))
    ends = [offset[1] for offset in words.offsets[0] if offset is not None]
    assert ends == sorted(ends)


def test_a_text_of_nothing_is_empty_though_there_are_pieces_around_it(folder: Path) -> None:
    with pytest.raises(EmptyText):
        ask(folder, "  ")


def test_it_looks_both_ways_and_predicts_nothing(folder: Path) -> None:
    trace = ask(folder, SHORT)
    assert (trace.layers[0]["weights"] > 0).all()
    with pytest.raises(NoPredictions):
        likeliest(trace, 0, 0, 3)


FORMULAS = {
    "distilbert": "LN(embedding + position)",
    "bert": "LN(embedding + position + token type)",
    "electra": "LN(embedding + position + token type) w_e + b_e",
}


@pytest.mark.parametrize("case", FORMULAS)
def test_a_number_of_x_is_explained_by_what_made_it(case: str, tmp_path: Path) -> None:
    trace = ask(made(case, tmp_path), [SHORT, "The"])
    cell = explain(trace, "x", CellPlace(0, None, 0, 2, 5))
    assert cell.formula == FORMULAS[case]
    (step,) = cell.steps
    parts, result = re.split("[=≈]", step.expression)
    formula = parts.replace("−", "-").replace("×", "*")
    assert eval(formula, {"__builtins__": {}}) == pytest.approx(cell.value, abs=0.02)
    assert float(result.replace("−", "-")) == pytest.approx(cell.value, abs=1e-3)
    assert (
        explain(trace, "x", CellPlace(1, None, 0, 2, 5)).formula
        == "block_output of the layer below"
    )
    length = trace.plan.words.lengths[1]
    assert not trace.layers[0]["x"][1, length:].any()  # padding is no row of a bias
    norm, rows = trace.start.norm, trace.start.normed[0]
    assert norm is not None
    np.testing.assert_allclose(((rows - norm.bias) / norm.gain).mean(axis=-1), 0, atol=1e-5)


def test_numbers_that_were_given_are_neither_normed_nor_widened(tmp_path: Path) -> None:
    given = np.ones((3, 24)).tolist()
    trace = ask(made("electra", tmp_path), None, x=given)
    np.testing.assert_array_equal(trace.layers[0]["x"][0], given)
    assert explain(trace, "x", CellPlace(0, None, 0, 2, 5)).formula == "given"


def test_the_layers_of_albert_are_one(tmp_path: Path) -> None:
    first, *others = ask(made("albert", tmp_path), SHORT).parameters
    for other in others:
        for name, array in other.arrays().items():
            assert np.shares_memory(array, first.arrays()[name])


def test_positions_of_roberta_begin_behind_the_padding_and_end_with_the_table(
    tmp_path: Path,
) -> None:
    model = Checkpoint(made("roberta", tmp_path))
    assert model.config.context == 36 - 1 - 1
    table = model.weights.position
    assert table is not None
    wanted = encoder_tensors(ROBERTA)["embeddings.position_embeddings.weight"][2:]
    np.testing.assert_array_equal(table, wanted)


def test_a_text_with_the_padding_of_roberta_is_refused(tmp_path: Path) -> None:
    """In transformers it has the row of the padding, and those behind it move."""
    place = made("roberta", tmp_path)
    pad = next(name for name, at in Checkpoint(place).pieces.known.items() if at == 1)
    with pytest.raises(InvalidRequest) as caught:
        ask(place, f"The {pad} street")
    assert caught.value.reason == "padding_in_text"
    assert ask(made("bert", tmp_path), f"The {pad} street").plan.words.n > 3


def test_the_names_of_the_first_files_are_read_too(tmp_path: Path) -> None:
    today, first = masked_tensors(BERT), {}
    for name, array in today.items():
        half = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        first[half.replace("LayerNorm.bias", "LayerNorm.beta")] = array
    assert today.keys() != first.keys()
    made_of = [
        checkpoint(tmp_path / folder, BERT, tensors, tokenizer=word_pieces())
        for folder, tensors in (("today", today), ("first", first))
    ]
    new, old = (ask(folder, SHORT) for folder in made_of)
    assert old.plan.model.masked
    for one, other in zip(new.layers, old.layers, strict=True):
        np.testing.assert_array_equal(one["block_output"], other["block_output"])
