"""Models opened: shapes that follow, and shapes that do not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attnscope.attention.architecture import Parameters, Shape
from attnscope.attention.positions import sinusoidal
from attnscope.errors import AttnscopeError, UnknownModel
from attnscope.installed.model_registry import shipped
from attnscope.trace.open_model import OpenModel, open_model
from attnscope.trace.question import Question
from attnscope.weights import crafted, schemes
from attnscope.weights.upload import Upload

LAYERS = (Parameters(np.eye(2), np.eye(2), np.eye(2)),) * 3
UPLOAD = Upload("known", "canonical", Shape(1, 1, 2, 2, 2), "float32", (), LAYERS)


def opened(model: dict[str, Any], upload: Upload = UPLOAD) -> OpenModel:
    def find(model_id: str) -> Upload:
        if model_id != "known":
            raise UnknownModel("unknown_model", at="model.id", id=model_id)
        return upload

    return open_model(Question.model_validate({"text": "a", "model": model}), find, shipped())


def seeded(**fields: Any) -> dict[str, Any]:
    return {"source": "seeded", **fields}


def explicit(rows: int = 4, q: int = 4, k: int = 4, v: int = 4, **fields: Any) -> dict[str, Any]:
    widths = {"w_q": q, "w_k": k, "w_v": v}
    matrices = {name: [[1.0] * width] * rows for name, width in widths.items()}
    return {"source": "explicit", **matrices, **fields}


def test_sizes_follow_from_the_model(subtests: pytest.Subtests) -> None:
    cases = [
        (seeded(), Shape(4, 4, 64, 16, 16)),
        (seeded(num_heads=6, num_kv_heads=2, d_model=12), Shape(6, 2, 12, 2, 2)),
        (seeded(num_heads=3, d_model=7, d_k=2, d_v=5), Shape(3, 3, 7, 2, 5)),
        (seeded(num_heads=2, d_model=8, d_v=3), Shape(2, 2, 8, 4, 3)),
        (explicit(), Shape(1, 1, 4, 4, 4)),
        (explicit(num_heads=4, num_kv_heads=2, q=12, k=6, v=2), Shape(4, 2, 4, 3, 1)),
        ({"source": "crafted", "name": "same_token"}, Shape(1, 1, 64, 32, 32)),
        ({"source": "crafted", "name": "all"}, Shape(4, 4, 64, 32, 32)),
        ({"source": "crafted", "name": "induction"}, Shape(1, 1, 96, 32, 32)),
        ({"source": "uploaded", "id": "known"}, UPLOAD.shape),
    ]
    for model, shape in cases:
        with subtests.test(model=model):
            model_opened = opened(model)
            layers = model_opened.layers()
            assert model_opened.shape == shape
            assert len(layers) == model_opened.num_layers
            for name in ("w_q", "w_k", "w_v"):
                assert layers[0].arrays()[name].shape == shape.of(name)


UNFIT = [
    (seeded(num_heads=5), "heads_do_not_divide", "model.num_heads"),
    (seeded(num_heads=5, d_k=3), "heads_do_not_divide", "model.num_heads"),
    (seeded(num_kv_heads=3), "kv_heads_do_not_divide", "model.num_kv_heads"),
    (seeded(num_kv_heads=8), "kv_heads_do_not_divide", "model.num_kv_heads"),
    (seeded(num_kv_heads=2, share="qk"), "cannot_share", "model.share"),
    (seeded(d_v=3, share="qkv"), "cannot_share", "model.share"),
    (seeded(d_v=3, num_layers=2, output_projection=False), "output_width",
     "model.output_projection"),
    (seeded(d_v=3, block="residual", output_projection=False), "output_width",
     "model.output_projection"),
    (seeded(d_v=3, mlp=True, output_projection=False), "output_width",
     "model.output_projection"),
    (seeded(d_k=3, positions="rotary"), "odd_d_k", "model.positions"),
    (explicit(q=3, k=3, positions="rotary"), "odd_d_k", "model.positions"),
    (explicit(num_heads=3), "columns_do_not_divide", "model.w_q"),
    (explicit(num_heads=2, num_kv_heads=1, v=3, k=3), "tensor_shape", "model.w_k"),
    (explicit(num_heads=2, v=3), "columns_do_not_divide", "model.w_v"),
    (explicit(num_heads=4, num_kv_heads=3), "kv_heads_do_not_divide", "model.num_kv_heads"),
    (explicit(w_k=[[1.0] * 4] * 3), "tensor_shape", "model.w_k"),
    (explicit(w_o=[[1.0] * 4] * 3), "tensor_shape", "model.w_o"),
    (explicit(b_q=[1.0] * 3), "tensor_shape", "model.b_q"),
    (explicit(w_o=[[1.0] * 2] * 4, b_o=[1.0] * 4), "tensor_shape", "model.b_o"),
    (explicit(b_o=[1.0] * 4), "bias_without_matrix", "model.b_o"),
    ({"source": "uploaded", "id": "unknown"}, "unknown_model", "model.id"),
]  # fmt: skip


def test_sizes_that_do_not_fit_are_refused(subtests: pytest.Subtests) -> None:
    for model, reason, at in UNFIT:
        with subtests.test(model=model, reason=reason):
            with pytest.raises(AttnscopeError) as error:
                opened(model)
            assert (error.value.reason, error.value.at) == (reason, at)


def test_a_wrong_shape_is_named_beside_the_right_one() -> None:
    with pytest.raises(AttnscopeError) as error:
        opened(explicit(w_k=[[1.0] * 4] * 3))
    assert error.value.values == {"name": "w_k", "found": "3 × 4", "wanted": "4 × 4"}


def test_one_layer_without_w_o_may_have_any_width() -> None:
    assert opened(seeded(d_v=3, output_projection=False)).layers()[0].w_o is None


def test_the_seed_reaches_matrices_and_embeddings() -> None:
    one, two = opened(seeded(seed=1)), opened(seeded(seed=2))
    assert not np.array_equal(one.layers()[0].w_q, two.layers()[0].w_q)
    np.testing.assert_array_equal(one.embed(["a"]), schemes.seeded_embeddings(["a"], 1, 64))
    np.testing.assert_array_equal(opened(explicit(seed=9)).embed(["a"])[0],
                                  schemes.seeded_embedding("a", 9, 4))  # fmt: skip


def test_positions_are_added_where_the_model_says() -> None:
    np.testing.assert_array_equal(opened(seeded()).position(5), sinusoidal(5, 64))
    assert opened(seeded(positions="none")).position(5) is None
    assert opened(explicit()).position(5) is None
    sinusoids = opened(explicit(positions="sinusoidal")).position(5)
    np.testing.assert_array_equal(sinusoids, sinusoidal(5, 4))
    for inside in ("rotary", "alibi"):
        for model in (seeded(positions=inside), explicit(positions=inside)):
            assert (opened(model).positions, opened(model).position(5)) == (inside, None)
    tokens = opened({"source": "crafted", "name": "uniform"})
    np.testing.assert_array_equal(tokens.position(5), crafted.positions(5))


def test_an_upload_without_a_table_gets_seeded_embeddings_and_float32() -> None:
    uploaded = opened({"source": "uploaded", "id": "known"})
    assert (uploaded.dtype, uploaded.num_layers) == ("float32", 3)
    np.testing.assert_array_equal(uploaded.embed(["a"]), schemes.seeded_embeddings(["a"], 0, 2))


def test_an_uploads_own_table_is_looked_up_and_nothing_is_guessed() -> None:
    table = np.arange(6.0).reshape(3, 2)
    upload = replace(UPLOAD, embedding=table, vocab=("a", "b", "猫"))
    uploaded = opened({"source": "uploaded", "id": "known"}, upload)
    np.testing.assert_array_equal(uploaded.embed(["猫", "a"]), table[[2, 0]])
    with pytest.raises(AttnscopeError) as error:
        uploaded.embed(["a", "dog", "cat", "dog"])
    assert error.value.reason == "not_in_vocabulary"  # its place is named by trace.embed
    assert error.value.values == {"tokens": "cat, dog"}
