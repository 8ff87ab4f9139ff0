"""Two pieces with one text: tokens are their ids, from the tokenizer to every number."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import AddedToken, Tokenizer

from attnscope.analysis.ablations import log_probability
from attnscope.analysis.continuation import Sampling, continue_text, continued
from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import likeliest, logits_at, next_or_likeliest, surprisals
from attnscope.attention.unembed import log_softmax
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.inputs import NO_PIECE
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from tests.families.made import GPT2, checkpoint, gpt2_tensors, tokenizer
from tests.installed.asking import no_upload
from tests.shapes import unchecked as unchecked

SPACES = "  "


def with_spaces_twice() -> tuple[str, int, int]:
    """A tokenizer with two spaces as a normal piece and as an added token; their ids."""
    parts = json.loads(tokenizer())
    parts["model"]["merges"] = [["Ġ", "Ġ"], *parts["model"]["merges"]]
    normal = parts["model"]["vocab"]["ĠĠ"] = len(parts["model"]["vocab"])
    made = Tokenizer.from_str(json.dumps(parts))
    made.add_tokens([AddedToken(SPACES, normalized=True)])
    return made.to_str(), normal, made.token_to_id(SPACES)


@pytest.fixture
def model(tmp_path: Path) -> tuple[ModelRegistry, int, int, np.ndarray]:
    """A GPT-2 that expects the normal piece everywhere; its ids and its table."""
    definition, normal, added = with_spaces_twice()
    tensors = gpt2_tensors(GPT2)
    table = tensors["transformer.wte.weight"]
    tensors["transformer.ln_f.bias"] = 4 * table[normal]
    folder = checkpoint(tmp_path / "twice", GPT2, tensors, tokenizer=definition)
    return ModelRegistry(models_dir(), [folder]), normal, added, table


def asked(registry: ModelRegistry, **fields: object) -> Trace:
    named = {"source": "installed", "name": "twice"}
    question = Question.model_validate({"model": named, **fields})
    return answer(make_plan(question, Limits(), no_upload, registry))


def row_of(trace: Trace, row: int) -> np.ndarray:
    """The embedding of a token, without its position."""
    place = trace.plan.model.position(trace.plan.n)
    assert place is not None
    found: np.ndarray = trace.layers[0]["x"][0, row] - place[row]
    return found


def test_a_text_has_the_numbers_of_the_added_token(
    model: tuple[ModelRegistry, int, int, np.ndarray],
) -> None:
    registry, normal, added, table = model
    trace = asked(registry, text="a  b")
    assert trace.plan.words.tokens == [["a", SPACES, "b"]]
    assert trace.plan.words.ids is not None
    assert trace.plan.words.ids[0][1] == added != normal
    np.testing.assert_allclose(row_of(trace, 1), table[added], atol=1e-6)
    logs = log_softmax(logits_at(trace, 0, [0]))[0]
    assert surprisals(trace, 0)[1] == pytest.approx(-logs[added])
    assert next_or_likeliest(trace, 0, 0) == added
    assert log_probability(trace, 0, 0, added) == pytest.approx(logs[added])
    said = contributions(trace, 0, 0, added).logit
    assert said == pytest.approx(logits_at(trace, 0, [0])[0, added], abs=1e-4)


def test_tokens_by_their_text_are_what_the_tokenizer_finds_by_it(
    model: tuple[ModelRegistry, int, int, np.ndarray],
) -> None:
    registry, normal, added, table = model
    bytes_alone = "<20><20>"
    trace = asked(registry, tokens=["a", SPACES, bytes_alone])
    assert trace.plan.words.tokens == [["a", SPACES, bytes_alone]]
    np.testing.assert_allclose(row_of(trace, 1), table[added], atol=1e-6)
    np.testing.assert_allclose(row_of(trace, 2), table[normal], atol=1e-6)


def test_a_text_goes_on_with_the_piece_that_was_chosen(
    model: tuple[ModelRegistry, int, int, np.ndarray],
) -> None:
    registry, normal, _, table = model
    trace = asked(registry, text="a  b")
    (best,) = likeliest(trace, 0, 2, 1)
    assert best.id == normal
    ids, logs = continue_text(trace, 2, Sampling())
    assert ids == [normal, normal]
    whole = answer(make_plan(continued(trace.plan, ids), Limits(), no_upload, registry))
    np.testing.assert_allclose(row_of(whole, 3), table[normal], atol=1e-6)
    np.testing.assert_allclose(surprisals(whole, 0)[3:], -np.array(logs), atol=1e-5)


def test_labels_of_numbers_may_be_no_piece(
    model: tuple[ModelRegistry, int, int, np.ndarray],
) -> None:
    registry, _, added, table = model
    trace = asked(registry, x=table[:2].tolist(), tokens=["no such piece", SPACES])
    assert trace.plan.words.ids is not None
    assert trace.plan.words.ids[0].tolist() == [NO_PIECE, added]
    assert surprisals(trace, 0)[1] is not None
