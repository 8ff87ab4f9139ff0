"""What an encoder has and a language model has not: pieces of its own, a normed embedding."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from app.analysis.predictions import likeliest
from app.errors import EmptyText, NoPredictions
from app.trace.explain import explain
from app.trace.reader import Place
from tests.families.asking import ask
from tests.families.cases import SHORT, TEXT, made


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


def test_a_number_of_x_is_told_with_the_norm_that_made_it(folder: Path) -> None:
    trace = ask(folder, [SHORT, "The"])
    cell = explain(trace, "x", Place(0, None, 0, 2, 5))
    assert cell.formula == "LN(embedding + position)"
    (step,) = cell.steps
    told, result = re.split("[=≈]", step.expression)
    formula = told.replace("−", "-").replace("×", "*")
    assert eval(formula, {"__builtins__": {}}) == pytest.approx(cell.value, abs=0.02)
    assert float(result.replace("−", "-")) == pytest.approx(cell.value, abs=1e-3)
    assert explain(trace, "x", Place(1, None, 0, 2, 5)).formula == "block_output of the layer below"
    length = trace.plan.words.lengths[1]
    assert not trace.layers[0]["x"][1, length:].any()  # padding is no row of the norm's bias
    rows = trace.layers[0]["x"][0]
    norm = trace.plan.model.embedding_norm
    assert norm is not None
    np.testing.assert_allclose(((rows - norm.bias) / norm.gain).mean(axis=-1), 0, atol=1e-5)
