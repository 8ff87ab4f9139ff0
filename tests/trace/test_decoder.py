"""A decoder block is two layers: one asks its own text, one the context."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from attnscope.analysis.decode import decode, keys_of, step_ends
from attnscope.trace.formula_words import formula_words
from attnscope.web.serializers.numpy_program import main
from tests.questions import Body, ask
from tests.web.test_program import printed, unpacked

MODEL = {"source": "seeded", "d_model": 16, "num_heads": 4, "num_layers": 2, "block": "decoder"}
BODY: Body = {"text": "The cat sat", "context": "le chat est assis là", "model": MODEL}
BATCH: Body = {"text": ["a b c", "d e"], "context": ["u v", "w x y z"], "model": MODEL}


def blocks(**model: object) -> Body:
    return {**BATCH, "model": {**MODEL, **model}}


def test_layers_take_turns_and_have_keys_of_their_own() -> None:
    trace = ask(BODY)
    assert [layer["weights"].shape for layer in trace.layers] == [(1, 4, 3, 3), (1, 4, 3, 5)] * 2
    assert ["hidden" in layer for layer in trace.layers] == [False, True] * 2
    assert ["context" in layer for layer in trace.layers] == [False, True] * 2
    for below, above in zip(trace.layers, trace.layers[1:], strict=False):
        assert above["x"] is below["block_output"]


def test_they_are_what_plain_loops_make(subtests: pytest.Subtests) -> None:
    kinds = ("sinusoidal", "learned", "rotary", "alibi")
    for positions, norm in product(kinds, ("post_norm", "pre_norm")):
        with subtests.test(positions, norm=norm):
            model = {"norm": norm, "positions": positions, "num_kv_heads": 2, "bias": True}
            trace = ask(blocks(**model, num_layers=1))
            assert trace.checks.max_reference_error is not None
            assert trace.checks.max_reference_error < 1e-12
            turned = ["unrotated_q" in layer for layer in trace.layers]
            assert turned == [positions == "rotary", False]


def test_a_text_is_causal_by_itself_and_sees_the_whole_context() -> None:
    first, second = (layer["weights"][0, 0] for layer in ask(BODY).layers[:2])
    assert (np.triu(first, 1) == 0).all()
    assert (second > 0).all()
    assert (ask({**BODY, "causal": False}).layers[0]["weights"] > 0).all()


def test_masks_close_the_text_and_the_context_mask_the_context() -> None:
    closed = ask({**BODY, "context_mask": [[1, 0, 1, 1, 1]] * 3, "blocked": [[2, 0]], "window": 2})
    own, asking = (layer["weights"][0] for layer in closed.layers[:2])
    assert (own[:, 2, 0] == 0).all()
    assert (asking[:, :, 1] == 0).all()
    assert (asking[:, :, 0] > 0).all()


def test_what_holds_is_named_for_both_kinds_of_layer() -> None:
    plan = ask(blocks(positions="rotary", bias=True)).plan
    assert {"rotary", "post_norm"} <= formula_words(plan, 0)
    assert formula_words(plan, 0).isdisjoint({"context", "mlp"})
    assert {"context", "mlp", "gelu"} - formula_words(plan, 1) <= {"gelu"}
    assert "rotary" not in formula_words(plan, 1)


BOUNDS = {"float64": (1e-12, 8), "float32": (1e-5, 4)}


def makes_the_keys_of_the_context_once(norm: str, prefill: int, dtype: str) -> None:
    trace = ask({**blocks(norm=norm, positions="rotary"), "dtype": dtype})
    within, size = BOUNDS[dtype]
    for batch, length in enumerate((3, 2)):
        steps = list(decode(trace, 1, batch, step_ends(trace.plan, batch, prefill)))
        assert max(step.difference for step in steps) < within
        assert {step.stages["k"].shape[1] for step in steps} == {(2, 4)[batch]}
        made = {step.stages["k"].__array_interface__["data"][0] for step in steps}
        assert len(made) == 1  # one and the same array
        assert keys_of(trace.plan, 0, batch, length) == length
        one = 4 * (4 + 4) * size
        own, context = 2 * one, 2 * one * (2, 4)[batch]
        assert [step.cache_bytes for step in steps] == [own * s.end + context for s in steps]


def test_decoding_makes_the_keys_of_the_context_once(subtests: pytest.Subtests) -> None:
    for norm, prefill, dtype in product(("post_norm", "pre_norm"), (0, 2), BOUNDS):
        with subtests.test(norm, prefill=prefill, dtype=dtype):
            makes_the_keys_of_the_context_once(norm, prefill, dtype)


def test_counted_numbers_are_no_fewer_than_there_are() -> None:
    for norm in ("post_norm", "pre_norm"):
        trace = ask(blocks(norm=norm, positions="rotary"))
        there = sum({id(a): a.size for layer in trace.layers for a in layer.values()}.values())
        assert there <= trace.plan.numbers <= 3 * there


@pytest.mark.parametrize("norm", ["post_norm", "pre_norm"])
def test_its_program_makes_every_stage_again(
    norm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    masks = {"mask": [[1, 1, 1], [1, 0, 1], [1, 1, 1]], "context_mask": [[1, 1, 0, 1]] * 3}
    trace = ask({**blocks(norm=norm, positions="alibi"), **masks})
    main(unpacked(trace, tmp_path))
    found = printed(capsys.readouterr().out)
    stages = {(i, name) for i in range(4) for name in trace.plan.stages_of(i)}
    assert set(found) == stages - {(1, "context"), (3, "context")}
    assert max(found.values()) < 1e-12


def test_a_scale_and_a_temperature_are_those_of_every_layer() -> None:
    for layer in ask({**BODY, "temperature": 0.5}).layers:
        factor = 1 / (0.5 * math.sqrt(4))
        np.testing.assert_allclose(layer["scaled_scores"], layer["scores"] * factor, rtol=1e-14)
