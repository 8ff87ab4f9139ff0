"""An answer is made of the words and the model that were asked, and of nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.heads import measure_rows
from attnscope.attention.layer_context import MAPS
from attnscope.attention.positions import sinusoidal
from attnscope.errors import InvalidRequest, UnknownStage
from attnscope.trace.formula_words import formula_words
from attnscope.trace.stage_map import Squares
from attnscope.trace.trace import answer
from attnscope.weights import schemes
from tests.families.asking import ask as ask_model
from tests.families.cases import TEXT, made
from tests.matrices import some_and_all
from tests.questions import Body, ask, written_out
from tests.trace.test_plan import held

EXPLICIT = {"source": "explicit", "w_q": [[1], [2]], "w_k": [[3], [4]], "w_v": [[5], [6]]}


def test_x_is_used_as_it_is() -> None:
    x = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    trace = ask({"x": x, "model": EXPLICIT, "context_length": 3})
    assert trace.start.position is None
    np.testing.assert_array_equal(trace.layers[0]["x"][:, :2], x)
    np.testing.assert_array_equal(trace.layers[0]["x"][:, 2], 0)


def test_words_become_embedding_plus_position_and_padding_stays_zero() -> None:
    trace = ask({"text": ["a b c", "b"], "model": {"source": "seeded", "seed": 4}})
    assert trace.start.position is not None
    position = sinusoidal(3, 64)
    first, second = trace.layers[0]["x"]
    np.testing.assert_array_equal(first, schemes.seeded_embeddings("abc", 4, 64) + position)
    np.testing.assert_array_equal(second[0], schemes.seeded_embeddings("b", 4, 64)[0] + position[0])
    assert not second[1:].any()
    assert not trace.start.position[1, 1:].any()


def test_a_text_in_a_padded_batch_is_answered_as_if_alone() -> None:
    model = {"source": "seeded", "num_layers": 2, "block": "residual"}
    batch = ask({"text": ["a much longer sentence is here", "猫 eats"], "model": model})
    alone = ask({"text": "猫 eats", "model": model})
    for together, single in zip(batch.layers, alone.layers, strict=True):
        for name, array in single.items():
            if name in ("scores", "scaled_scores", "masked_scores", "weights"):
                ours = together[name][1, :, :2, :2]
            else:
                ours = together[name][1, ..., :2, :]
            np.testing.assert_allclose(ours, array[0], rtol=0, atol=1e-12, err_msg=name)


def test_tokens_without_positions_and_mask_may_change_places() -> None:
    model = {"source": "seeded", "positions": "none"}
    straight = ask({"tokens": ["a", "b", "c"], "model": model, "causal": False}).layers[0]
    turned = ask({"tokens": ["c", "a", "b"], "model": model, "causal": False}).layers[0]
    order = [2, 0, 1]
    np.testing.assert_allclose(
        turned["weights"], straight["weights"][:, :, order][..., order], atol=1e-14
    )
    np.testing.assert_allclose(turned["output"], straight["output"][:, order], atol=1e-14)


ASKED: list[Body] = [
    {"text": "The animal didn't cross the street."},
    {"text": ["猫 eats", "a much longer sentence"], "context_length": 30,
     "tokenizer": "characters"},
    {"text": "a b c", "context": "d e"},
    {"x": [[0.5 * row - column for column in range(12)] for row in range(3)]},
    {"text": "a b", "context_x": [[1.0] * 12, [2.0] * 12, [-1.0] * 12]},
]  # fmt: skip
POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi")
SIZES = {"d_model": 12, "num_heads": 6, "num_kv_heads": 2, "d_k": 4, "d_v": 5}


@pytest.mark.parametrize("rows", some_and_all(ASKED, POSITIONS, ("float64", "bfloat16")))
def test_weights_written_out_give_every_number_bit_for_bit(
    rows: list[tuple[Body, str, str]], subtests: pytest.Subtests
) -> None:
    for asked, positions, dtype in rows:
        model = {"source": "seeded", "seed": 7, "bias": True, "positions": positions, **SIZES}
        body = {**asked, "model": model, "dtype": dtype}
        with subtests.test(f"{positions} {dtype}", asked=asked):
            explicit = written_out(body)
            for text in ({}, {"text": "another sentence altogether"} if "text" in asked else {}):
                seeded, written = ask({**body, **text}), ask({**explicit, **text})
                (stages,), (same) = seeded.layers, written.layers[0]
                assert list(same) == list(stages)
                for name, array in stages.items():
                    np.testing.assert_array_equal(same[name], array, err_msg=name)
                assert written.plan.bytes == seeded.plan.bytes
                assert formula_words(written.plan) == formula_words(seeded.plan)


def test_what_a_trace_takes_in_memory_is_counted_in_full() -> None:
    trace = ask({"text": "a b c d"})
    assert trace.bytes >= held(trace) + trace.start.embedding.nbytes
    assert trace.elapsed_ms > 0
    assert math.isfinite(trace.elapsed_ms)


def test_every_reader_reads_any_trace_alike(tmp_path: Path) -> None:
    """Stored, recomputed and of a long text: blocks, maxima and statistics of rows."""
    whole = ask_model(made("gpt2", tmp_path), [TEXT, TEXT[:9]])
    others = {
        "recomputed": answer(replace(whole.plan, large_maps=0)),
        "long": answer(replace(whole.plan, long=True)),
    }
    n, layer, head, batch = whole.plan.n, 1, 1, 1
    rows, cols, squares = slice(1, 7), slice(2, 9), Squares(slice(0, n), slice(0, n), (4, 2))
    expected = measure_rows(*whole.rows(layer, batch))
    for name, trace in others.items():
        close: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5 if name == "long" else 0}
        for stage in (*MAPS, "x", "q", "head_outputs", "output", "w_q", "b_q"):
            np.testing.assert_allclose(
                trace.block(stage, layer, head, rows, cols, batch),
                whole.block(stage, layer, head, rows, cols, batch), err_msg=stage, **close,
            )  # fmt: skip
        for stage in MAPS:
            one, other = (
                each.reduce(stage, layer, head, squares, "max", batch) for each in (whole, trace)
            )
            np.testing.assert_array_equal(one.closed, other.closed)
            np.testing.assert_allclose(one.values, other.values, **close)
        found = [one for some in trace.rows(layer, batch) for one in measure_rows(some)]
        for ours, theirs in zip(found, expected, strict=True):
            for metric, value in theirs.items():
                assert ours[metric] == (value and pytest.approx(value, rel=1e-4, abs=1e-5)), metric
    for wrong in ((0, 99, 0), (99, 0, 0), (0, 0, 9)):
        with pytest.raises(InvalidRequest):
            whole.block("weights", *wrong[:2], batch=wrong[2])
    with pytest.raises(UnknownStage):
        whole.map("mlp", 0, 0)
