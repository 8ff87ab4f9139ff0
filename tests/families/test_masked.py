"""What an encoder says is masked: the head computed once more here, and what it cannot be asked."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.ablations import ablate_heads, log_probability
from attnscope.analysis.continuation import check_room
from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import likeliest, logits_at, next_or_likeliest, surprisals
from attnscope.analysis.probe import copying_share
from attnscope.errors import BadWeightsFile, InvalidRequest
from attnscope.installed.checkpoint import Checkpoint
from attnscope.trace.trace import Trace
from tests.families.asking import ask
from tests.families.cases import MASKED, made
from tests.families.encoders import BERT, masked_tensors
from tests.families.made import checkpoint, word_pieces

TEXT = "The animal was too [MASK] ."


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return ask(made("bert_masked", tmp_path_factory.mktemp("masked")), TEXT, dtype="float64")


def place_of_mask(trace: Trace) -> int:
    assert trace.plan.words.tokens is not None
    return trace.plan.words.tokens[0].index("[MASK]")


def test_a_logit_is_made_of_the_row_of_its_own_place(trace: Trace) -> None:
    row, tensors = place_of_mask(trace), masked_tensors(BERT)
    y = trace.layers[-1]["block_output"][0, row]
    inner, at = "cls.predictions.transform.", "bert.embeddings."
    z = tensors[f"{inner}dense.weight"] @ y + tensors[f"{inner}dense.bias"]
    z = np.array([a / 2 * (1 + math.erf(a / math.sqrt(2))) for a in z])
    z = (z - z.mean()) / np.sqrt(z.var() + 1e-12)
    z = z * tensors[f"{inner}LayerNorm.weight"] + tensors[f"{inner}LayerNorm.bias"]
    wanted = tensors[f"{at}word_embeddings.weight"] @ z + tensors["cls.predictions.bias"]
    np.testing.assert_allclose(logits_at(trace, 0, [row])[0], wanted, atol=1e-9)
    best = likeliest(trace, 0, row, 3)
    assert [one.id for one in best] == np.argsort(-wanted, kind="stable")[:3].tolist()


def test_no_token_surprises_it_and_what_is_asked_is_what_stands_there(trace: Trace) -> None:
    assert surprisals(trace, 0) == [None] * trace.plan.n
    assert next_or_likeliest(trace, 0, 1) == likeliest(trace, 0, 1, 1)[0].id
    assert copying_share(trace, 2) is None


def test_a_dropped_head_changes_what_stands_there(trace: Trace, tmp_path: Path) -> None:
    row = place_of_mask(trace)
    piece = next_or_likeliest(trace, 0, row)
    alone = ask(made("bert_masked", tmp_path), TEXT, dtype="float64", drop=[[1, 2]])
    wanted = log_probability(alone, 0, row, piece)
    assert ablate_heads(trace, 0, row, piece)[1][2] == pytest.approx(wanted, abs=1e-9)
    assert wanted != pytest.approx(log_probability(trace, 0, row, piece), abs=1e-6)


def test_its_logits_are_no_sums_and_its_text_does_not_go_on(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as refused:
        contributions(trace, 0, 1, 7)
    assert refused.value.reason == "head_is_no_sum"
    causal = ask(made("bert_masked", tmp_path), TEXT, causal=True)
    with pytest.raises(InvalidRequest) as refused:
        check_room(causal.plan, 1)
    assert refused.value.reason == "masked_goes_on"


def test_a_model_with_the_whole_head_says_that_it_has_one(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case in [f"{family}_masked" for family in MASKED]:
        with subtests.test(case):
            assert Checkpoint(made(case, tmp_path)).config.predicts == "masked"
            assert Checkpoint(made(case.partition("_")[0], tmp_path)).config.predicts is None


def test_half_a_head_is_none(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for lacking in ("transform.dense.bias", "transform.LayerNorm.weight", "bias"):
        with subtests.test(lacking):
            tensors = masked_tensors(BERT)
            del tensors[f"cls.predictions.{lacking}"]
            assert opened(tmp_path, BERT, tensors).config.predicts is None


def test_a_matrix_that_is_not_tied_must_be_there_with_its_own_bias(tmp_path: Path) -> None:
    config = {**BERT, "tie_word_embeddings": False}
    assert opened(tmp_path, config, masked_tensors(BERT)).config.predicts is None
    assert opened(tmp_path, config, masked_tensors(config)).config.predicts == "masked"


def test_a_matrix_of_its_own_goes_before_the_embeddings(tmp_path: Path) -> None:
    tensors, name = masked_tensors(BERT), "cls.predictions.decoder"
    own = {f"{name}.weight": tensors["bert.embeddings.word_embeddings.weight"][::-1].copy()}
    own[f"{name}.bias"] = tensors["cls.predictions.bias"] + 1
    head = opened(tmp_path, BERT, tensors | own).weights.unembedding
    assert head is not None
    np.testing.assert_array_equal(head.matrix.T, own[f"{name}.weight"])
    np.testing.assert_array_equal(head.bias, own[f"{name}.bias"])


@pytest.mark.parametrize("name", ["cls.predictions.bias", "cls.predictions.transform.dense.weight"])
def test_a_head_of_other_sizes_is_refused(name: str, tmp_path: Path) -> None:
    tensors = masked_tensors(BERT)
    tensors[name] = tensors[name][:-1].copy()
    with pytest.raises(BadWeightsFile) as refused:
        opened(tmp_path, BERT, tensors)
    assert (refused.value.reason, refused.value.at) == ("other_sizes", name)


def test_half_precision_rounds_the_head_too(tmp_path: Path) -> None:
    folder = made("electra_masked", tmp_path)
    whole, half = (ask(folder, TEXT, dtype=dtype) for dtype in ("float32", "float16"))
    row = place_of_mask(whole)
    exact, rounded = (logits_at(one, 0, [row])[0] for one in (whole, half))
    np.testing.assert_array_equal(rounded, rounded.astype(np.float16))
    np.testing.assert_allclose(rounded, exact, atol=0.2)


def opened(folder: Path, config: dict[str, Any], tensors: dict[str, Any]) -> Checkpoint:
    return Checkpoint(checkpoint(folder / "one", config, tensors, tokenizer=word_pieces()))
