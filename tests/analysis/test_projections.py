"""The identities of the projections, on random questions; and directions that send tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attnscope.analysis.projections import asymmetry, bilinear, directions, fused, rows_of
from attnscope.analysis.spectrum import head_bias, head_matrices
from attnscope.trace.trace import Trace
from tests.questions import ask, random_question


def bilinears(trace: Trace) -> list[Any]:
    """Of every layer, head and text."""
    shape, found = trace.plan.model.shape, []
    for layer, p in enumerate(trace.parameters):
        for batch in range(trace.plan.batch):
            x, context = rows_of(trace, layer, batch)
            keys = x if context is None else context
            for head in range(shape.num_heads):
                kv = head // shape.queries_per_kv_head
                biases = (head_bias(p.b_q, head, shape.d_k), head_bias(p.b_k, kv, shape.d_k))
                scores = trace.layers[layer]["scores"][batch, head, : len(x), : len(keys)]
                matrices = head_matrices(p, shape, head)
                form = bilinear(
                    x,
                    keys,
                    matrices,
                    biases,
                    scores,
                    trace.plan.options,
                    turned=trace.plan.model.positions == "rotary",
                )
                found.append((form, np.abs(scores).max(), biases))
    return found


def test_the_scores_are_a_bilinear_form_of_the_tokens(subtests: pytest.Subtests) -> None:
    for seed in range(20):
        with subtests.test(seed=seed):
            for form, largest, _ in bilinears(ask(random_question(seed))):
                assert form.max_error == pytest.approx(0, abs=1e-12 * max(1, largest))


def test_without_biases_the_form_has_one_term() -> None:
    for form, _, _ in bilinears(ask({"text": "one two three"})):
        assert [name for name, size in form.terms.items() if size] == ["x_w_qk_x"]


def test_of_the_biases_b_q_alone_changes_the_weights() -> None:
    rng = np.random.default_rng(0)
    w = {f"w_{letter}": rng.normal(size=(4, 4)).tolist() for letter in "qkv"}
    bias = rng.normal(size=4).tolist()

    def weights(**biases: Any) -> np.ndarray:
        model = {"source": "explicit", **w, **biases}
        trace = ask({"text": "one two three", "model": model, "causal": False})
        found: np.ndarray = trace.layers[0]["weights"]
        return found

    assert weights(b_k=bias) == pytest.approx(weights(), abs=1e-12)
    assert np.abs(weights(b_q=bias) - weights()).max() > 0.01


def test_one_fused_product_is_three_products(subtests: pytest.Subtests) -> None:
    for seed in range(20):
        with subtests.test(seed=seed):
            trace = ask(random_question(seed))
            for layer, p in enumerate(trace.parameters):
                x, context = rows_of(trace, layer, 0)
                found = fused(x, context, p)
                assert found.tensors == ("w_q", "w_k", "w_v")
                assert found.columns == p.w_q.shape[1] + p.w_k.shape[1] + p.w_v.shape[1]
                assert found.max_difference <= 1e-12 * max(1, np.abs(x).max())


@pytest.mark.parametrize("share", ["qk", "qkv"])
def test_shared_projections_make_the_scores_symmetric(share: str) -> None:
    model = {"source": "seeded", "share": share, "bias": True, "num_heads": 2, "d_model": 8}
    trace = ask({"text": "one two three four", "model": model})
    for head in trace.layers[0]["scores"][0]:
        assert asymmetry(head) <= 1e-14


def test_separate_projections_do_not() -> None:
    trace = ask({"text": "one two three four"})
    assert asymmetry(trace.layers[0]["scores"][0, 0]) > 0.1


def test_a_direction_is_sent_to_its_image_stretched_by_its_singular_value(
    subtests: pytest.Subtests,
) -> None:
    for name in ("w_q", "w_k", "w_v", "w_vo"):
        with subtests.test(name):
            trace = ask({"text": "one two three four"})
            matrix = head_matrices(trace.parameters[0], trace.plan.model.shape, 2)[name]
            x, _ = rows_of(trace, 0, 0)
            found = directions(name, matrix, x, x)
            assert found.left @ found.left.T == pytest.approx(np.eye(2), abs=1e-12)
            assert found.right @ found.right.T == pytest.approx(np.eye(2), abs=1e-12)
            stretched = found.singular_values[:, None] * found.right
            assert found.left @ matrix.dense() == pytest.approx(stretched, abs=1e-12)
            assert found.tokens_left == pytest.approx(x @ found.left.T, abs=1e-12)
            assert found.tokens_right == pytest.approx(
                x @ matrix.dense() @ found.right.T, abs=1e-12
            )


def test_two_directions_of_two_columns_make_up_the_scores() -> None:
    trace = ask({"text": "one two three", "model": {"source": "seeded", "d_k": 2}})
    x, _ = rows_of(trace, 0, 0)
    matrix = head_matrices(trace.parameters[0], trace.plan.model.shape, 0)["w_qk"]
    found = directions("w_qk", matrix, x, x)
    scores = (found.tokens_left * found.singular_values) @ found.tokens_right.T
    assert scores == pytest.approx(trace.layers[0]["scores"][0, 0], abs=1e-12)


def test_the_sign_of_a_direction_is_fixed_by_its_largest_entry() -> None:
    trace = ask({"text": "one two three"})
    x, _ = rows_of(trace, 0, 0)
    for name, matrix in head_matrices(trace.parameters[0], trace.plan.model.shape, 0).items():
        rows = trace.layers[0]["head_outputs"][0, 0] if name == "w_o" else x
        left = directions(name, matrix, rows, x).left
        assert all(row[np.abs(row).argmax()] > 0 for row in left)


def test_padding_is_no_token() -> None:
    trace = ask({"text": ["one two three", "one"]})
    assert rows_of(trace, 0, 1)[0].shape == (1, 64)
