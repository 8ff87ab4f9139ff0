"""What a model says of pieces: against products written out here, from the stages of the trace."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from attnscope.analysis.ablations import ablate_heads, log_probability
from attnscope.analysis.continuation import Sampling, continue_text
from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import ids_of, likeliest, next_or_likeliest, surprisals
from attnscope.analysis.score_parts import score_parts
from attnscope.errors import InvalidRequest, NoPredictions
from attnscope.installed.model_registry import shipped_model
from attnscope.trace.trace import Trace
from tests.installed.asking import TEXT, echo
from tests.matrices import some_and_all
from tests.questions import ask

pytestmark = pytest.mark.slow

EPSILON = 1e-5


def logits(trace: Trace, row: int, batch: int = 0) -> np.ndarray:
    """Final norm and unembedding in float64, one row."""
    model = shipped_model("echo")
    head = model.read(model.newest).unembedding
    assert head is not None
    y = trace.layers[-1]["block_output"][batch, row].astype(float)
    normed = (y - y.mean()) / math.sqrt(y.var() + EPSILON) * head.norm_gain + head.norm_bias
    result: np.ndarray = normed @ head.matrix.astype(float)
    return result


def log_probabilities(trace: Trace, row: int, batch: int = 0) -> np.ndarray:
    z = logits(trace, row, batch)
    result: np.ndarray = z - z.max() - math.log(np.exp(z - z.max()).sum())
    return result


def test_the_likeliest_pieces_are_those_of_the_largest_logits() -> None:
    trace = echo()
    logs = log_probabilities(trace, -1)
    found = likeliest(trace, 0, trace.plan.n - 1, 5)
    assert [one.id for one in found] == np.argsort(-logs)[:5].tolist()
    np.testing.assert_allclose([one.log_probability for one in found], np.sort(logs)[:-6:-1],
                               atol=1e-4)  # fmt: skip
    every = likeliest(trace, 0, 3, 10**6)
    assert sum(math.exp(one.log_probability) for one in every) == pytest.approx(1, abs=1e-6)


def test_a_surprise_is_what_the_token_before_did_not_expect() -> None:
    trace = echo([TEXT * 8, "Emma met"])
    for batch in range(2):
        ids = ids_of(trace.plan, batch)
        found = surprisals(trace, batch)
        assert len(found) == trace.plan.words.lengths[batch]
        assert found[0] is None
        wanted = [-log_probabilities(trace, row, batch)[ids[row + 1]]
                  for row in range(len(ids) - 1)]  # fmt: skip
        np.testing.assert_allclose(found[1:], wanted, atol=1e-4)


def test_the_token_asked_about_is_the_next_one_or_the_likeliest_after_the_last() -> None:
    trace = echo()
    ids = ids_of(trace.plan, 0)
    assert next_or_likeliest(trace, 0, 2) == ids[3]
    last = trace.plan.n - 1
    assert next_or_likeliest(trace, 0, last) == int(log_probabilities(trace, last).argmax())


def test_an_ablation_equals_rows_of_w_o_set_to_zero() -> None:
    trace = echo()
    row, piece = trace.plan.n - 1, 7
    found = ablate_heads(trace, 0, row, piece)
    shape = trace.plan.model.shape
    assert np.array(found).shape == (trace.plan.model.num_layers, shape.num_heads)
    for layer in range(trace.plan.model.num_layers):
        for head in range(shape.num_heads):
            other = echo(drop=[[layer, head]])
            assert found[layer][head] == pytest.approx(
                log_probabilities(other, row)[piece], abs=1e-4
            )
            assert np.abs(other.layers[layer]["concat"][..., head * 32 : head * 32 + 32]).max() == 0
    assert log_probability(trace, 0, row, piece) == pytest.approx(
        log_probabilities(trace, row)[piece], abs=1e-4
    )


def test_an_ablation_of_one_text_of_a_batch_is_that_of_the_text_alone() -> None:
    both, alone = echo(["Emma", TEXT]), echo()
    np.testing.assert_allclose(ablate_heads(both, 1, 4, 9), ablate_heads(alone, 0, 4, 9), atol=1e-5)


def test_contributions_sum_to_the_logit(subtests: pytest.Subtests) -> None:
    for row in (0, 3, -1):
        with subtests.test(row=row):
            trace = echo()
            row %= trace.plan.n
            for piece in (0, 99, next_or_likeliest(trace, 0, row)):
                found = contributions(trace, 0, row, piece)
                assert found.logit == pytest.approx(logits(trace, row)[piece], abs=1e-5 * 20)
                parts = found.embedding + sum(map(sum, found.heads)) + sum(found.mlps) + found.bias
                assert found.logit == pytest.approx(parts, abs=1e-9)


def test_the_parts_of_a_score_sum_to_it() -> None:
    trace = echo()
    for layer, head, row, col in [(0, 0, 4, 1), (1, 1, 6, 2), (1, 3, 6, 6), (1, 0, 0, 5)]:
        found = score_parts(trace, layer, head, 0, row, col)
        score = float(trace.layers[layer]["scores"][0, head, row, col])
        assert found.score == pytest.approx(score, abs=1e-5 * max(1, abs(score)))
        assert found.values.shape == (len(found.query_parts), len(found.key_parts))
        below = [f"L{i}H{j}" for i in range(layer) for j in range(4)]
        assert found.query_parts == ["embedding", *below, "bias"]


POSITIONS = ("none", "sinusoidal", "rotary", "alibi")
SIZES = {"d_model": 16, "num_heads": 4, "num_kv_heads": 2, "num_layers": 3}


@pytest.mark.parametrize("rows", some_and_all(POSITIONS, ("residual", "pre_norm"), (False, True)))
def test_so_do_those_of_seeded_models(
    rows: list[tuple[str, str, bool]], subtests: pytest.Subtests
) -> None:
    for positions, block, mlp in rows:
        with subtests.test(f"{positions} {block}", mlp=mlp):
            model = {"source": "seeded", "block": block, "positions": positions, "bias": True,
                     "mlp": mlp, "init": "normal", **SIZES}  # fmt: skip
            trace = ask({"text": "the cat sat on the mat", "model": model})
            for layer, head in product(range(3), range(4)):
                found = score_parts(trace, layer, head, 0, 4, 1)
                score = float(trace.layers[layer]["scores"][0, head, 4, 1])
                assert found.score == pytest.approx(score, abs=1e-10)
                assert f"mlp {layer - 1}" in found.key_parts or not (mlp and layer)


def test_of_numbers_that_overflowed_nothing_is_said() -> None:
    trace = echo(scale=1e38)
    last = trace.plan.n - 1
    assert likeliest(trace, 0, last, 5) == []
    assert surprisals(trace, 0) == [None] * trace.plan.n
    for asked in (
        lambda: next_or_likeliest(trace, 0, last),
        lambda: log_probability(trace, 0, 2, 5),
        lambda: contributions(trace, 0, 2, 5),
        lambda: continue_text(trace, 2, Sampling()),
        lambda: continue_text(trace, 2, Sampling(1.0, 3)),
    ):
        with pytest.raises(InvalidRequest) as refused:
            asked()
        assert refused.value.reason == "overflowed"


def test_what_is_no_sum_is_not_taken_apart() -> None:
    model = {"source": "seeded", "num_layers": 2, "block": "post_norm"}
    trace = ask({"text": "a b", "model": model})
    assert score_parts(trace, 0, 0, 0, 1, 0).query_parts == ["embedding"]
    with pytest.raises(InvalidRequest) as refused:
        score_parts(trace, 1, 0, 0, 1, 0)
    assert refused.value.reason == "no_residual_sum"
    with pytest.raises(NoPredictions):
        likeliest(trace, 0, 0, 1)
