"""Names and shapes to layers: what is recognised, and what is said where it is not."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from attnscope.attention.architecture import Shape
from attnscope.errors import (
    AttnscopeError,
    BadWeightsFile,
    InvalidRequest,
    ShapeMismatch,
    UnknownLayout,
)
from attnscope.weights.formats import WeightsFile
from attnscope.weights.layouts import Recognised, recognise
from attnscope.weights.layouts.shapes import fitting_heads


def file(
    arrays: dict[str, np.ndarray], dtype: str = "float32", vocab: object = None, **metadata: str
) -> WeightsFile:
    return WeightsFile(arrays, dict.fromkeys(arrays, dtype), metadata, vocab)


def zeros(**shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    return {name.replace("__", "."): np.zeros(shape) for name, shape in shapes.items()}


SQUARE = zeros(w_q=(4, 4), w_k=(4, 4), w_v=(4, 4), w_o=(4, 4))


def refusal(
    arrays: dict[str, np.ndarray], num_heads: int | None = None, **metadata: str
) -> AttnscopeError:
    with pytest.raises(AttnscopeError) as error:
        recognise(file(arrays, **metadata), num_heads)
    return error.value


def test_a_layer_under_our_names_is_recognised() -> None:
    found = recognise(file(SQUARE), 2)
    assert isinstance(found, Recognised)
    assert found.layout == "canonical"
    assert found.shape == Shape(num_heads=2, num_kv_heads=2, d_model=4, d_k=2, d_v=2)
    assert found.layers[0].w_o is SQUARE["w_o"]
    assert found.embedding is None
    assert found.vocab is None
    assert found.layers[0].b_q is None


def test_widths_show_grouped_heads_and_a_d_v_of_its_own() -> None:
    arrays = zeros(w_q=(10, 24), w_k=(10, 6), w_v=(10, 10), w_o=(40, 10), b_k=(6,), b_o=(10,))
    shape = recognise(file(arrays), 8).shape
    assert shape == Shape(num_heads=8, num_kv_heads=2, d_model=10, d_k=3, d_v=5)


def test_the_uploader_decides_on_heads_then_the_file_then_one() -> None:
    assert recognise(file(SQUARE, num_heads="4"), 2).shape.num_heads == 2
    assert recognise(file(SQUARE, num_heads="4")).shape.num_heads == 4
    assert recognise(file(SQUARE)).shape.num_heads == 1


def test_a_number_of_heads_that_is_none_is_refused(subtests: pytest.Subtests) -> None:
    for heads in ("0", "-1", "two", "1.0", "", "²", "257", "9" * 20):
        with subtests.test(heads):
            assert refusal(SQUARE, num_heads=heads).reason == "num_heads_no_number"  # type: ignore[arg-type]


def test_several_layers_come_in_their_order() -> None:
    arrays = {
        f"layers.{i}.{name}": np.full((4, 4), float(i))
        for i in reversed(range(11))
        for name in ("w_q", "w_k", "w_v")
    }
    layers = recognise(file(arrays)).layers
    assert [layer.w_q[0, 0] for layer in layers] == list(range(11))


def test_an_embedding_comes_with_its_vocab() -> None:
    found = recognise(file({**SQUARE, **zeros(embedding=(2, 4))}, vocab='["猫", "eats"]'))
    assert found.vocab == ("猫", "eats")
    assert found.embedding is not None
    assert found.embedding.shape == (2, 4)


def test_tensors_that_do_not_fit_are_refused_with_names_and_numbers(
    subtests: pytest.Subtests,
) -> None:
    cases = [
        (
            zeros(w_q=(4, 4), w_k=(3, 4), w_v=(4, 4)), 1, "rows",
            {"tensor": "w_k", "rows": 3, "other": "w_q", "expected": 4},
        ),
        (
            SQUARE, 3, "heads_do_not_fit",
            {"num_heads": 3, "q_width": 4, "k_width": 4, "v_width": 4, "fitting": "1, 2, 4"},
        ),
        (
            zeros(w_q=(4, 4), w_k=(4, 2), w_v=(4, 2)), 1, "heads_do_not_fit",
            {"num_heads": 1, "q_width": 4, "k_width": 2, "v_width": 2, "fitting": "2, 4"},
        ),
        (
            zeros(w_q=(4, 4), w_k=(4, 4), w_v=(4, 3)), 2, "heads_do_not_fit",
            {"num_heads": 2, "q_width": 4, "k_width": 4, "v_width": 3, "fitting": "1"},
        ),
        (
            zeros(w_q=(4, 4), w_k=(4, 3), w_v=(4, 3)), 4, "groups_do_not_fit",
            {"q_width": 4, "k_width": 3},
        ),
        (
            {**SQUARE, **zeros(w_o=(5, 4))}, 1, "tensor",
            {"tensor": "w_o", "found": [5, 4], "expected": [4, 4]},
        ),
        (
            {**SQUARE, **zeros(b_v=(5,))}, 1, "tensor",
            {"tensor": "b_v", "found": [5], "expected": [4]},
        ),
        ({**SQUARE, **zeros(b_q=(1, 4))}, 1, "axes", {"tensor": "b_q", "found": [1, 4], "axes": 1}),
        (zeros(w_q=(4, 4), w_k=(4, 4), w_v=(4, 4), b_o=(4,)), 1, "bias_alone", {}),
    ]  # fmt: skip
    for arrays, heads, reason, values in cases:
        with subtests.test(arrays=arrays):
            error = refusal(arrays, heads)
            assert isinstance(error, ShapeMismatch)
            assert (error.reason, error.values) == (reason, values)
            assert error.at is not None
            at_heads = reason == "heads_do_not_fit"
            assert error.at == "num_heads" if at_heads else error.at.startswith("weights.")


def takes(arrays: dict[str, np.ndarray], num_heads: int) -> bool:
    """Whether the matrices are read as so many heads."""
    try:
        shape = recognise(file(arrays), num_heads).shape
    except ShapeMismatch:
        return False
    counted = (shape.num_heads, shape.num_kv_heads, shape.num_kv_heads)
    sizes = (shape.d_k, shape.d_k, shape.d_v)
    widths = [n * size for n, size in zip(counted, sizes, strict=True)]
    assert widths == [array.shape[1] for array in arrays.values()]
    return True


def test_the_numbers_of_heads_named_are_those_that_are_taken(subtests: pytest.Subtests) -> None:
    for widths in ((64, 64, 64), (64, 16, 16), (24, 6, 10), (12, 4, 6), (6, 1, 5)):
        with subtests.test(widths=widths):
            arrays = {
                f"w_{name}": np.zeros((3, width)) for name, width in zip("qkv", widths, strict=True)
            }
            assert fitting_heads(arrays) == [n for n in range(1, 100) if takes(arrays, n)]


def test_a_file_that_must_say_its_heads_says_them_or_is_asked() -> None:
    assert recognise(file(SQUARE, num_heads="4"), "file").shape.num_heads == 4
    only = zeros(w_q=(4, 4), w_k=(4, 1), w_v=(4, 1))
    assert recognise(file(only), "file").shape == Shape(4, 1, 4, 1, 1)
    with pytest.raises(InvalidRequest) as asked:
        recognise(file(SQUARE), "file")
    assert (asked.value.reason, asked.value.at) == ("heads_not_given", "num_heads")
    assert asked.value.values == {"q_width": 4, "k_width": 4, "fitting": "1, 2, 4"}


def test_one_head_is_taken_only_where_it_fits_and_is_named_a_guess() -> None:
    assert not recognise(file(SQUARE)).heads_stated
    assert recognise(file(SQUARE), 1).heads_stated
    assert recognise(file(SQUARE, num_heads="1")).heads_stated
    grouped = zeros(w_q=(8, 8), w_k=(8, 4), w_v=(8, 4))
    error = refusal(grouped)
    assert (error.reason, error.at) == ("heads_not_given", "num_heads")
    assert error.values["fitting"] == "2, 4, 8"


def test_widths_of_millions_of_columns_are_divided_at_once() -> None:
    wide = np.broadcast_to(np.float32(0), (1, 2**30))
    arrays = dict.fromkeys(("w_q", "w_k", "w_v"), wide)
    assert fitting_heads(arrays) == [2**i for i in range(9)], "no more than a layer may have"


def test_widths_of_more_heads_than_a_layer_may_have_are_refused() -> None:
    error = refusal(zeros(w_q=(2, 512), w_k=(2, 1), w_v=(2, 1)))
    assert (error.reason, error.values["fewest"]) == ("too_many_heads", 512)


def layers(*stacks: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"layers.{i}.{name}": a for i, stack in enumerate(stacks) for name, a in stack.items()}


def test_layers_of_different_shapes_are_refused() -> None:
    wide = zeros(w_q=(4, 8), w_k=(4, 8), w_v=(4, 4), w_o=(4, 4))
    error = refusal(layers(SQUARE, wide))
    assert (error.reason, error.values["layer"]) == ("layers_differ", 1)
    bare = {name: array for name, array in SQUARE.items() if name != "w_o"}
    assert refusal(layers(SQUARE, bare)).reason == "layers_differ"


def test_layers_whose_output_the_next_cannot_read_are_refused() -> None:
    narrow = zeros(w_q=(4, 4), w_k=(4, 4), w_v=(4, 2))
    error = refusal(layers(narrow, narrow))
    assert (error.reason, error.values["width"]) == ("layers_do_not_chain", 2)
    assert recognise(file(narrow)).shape.d_v == 2, "a single layer may give what it likes"


def test_a_gap_between_layers_is_refused() -> None:
    error = refusal({**layers(SQUARE), **{f"layers.2.{n}": a for n, a in SQUARE.items()}})
    assert isinstance(error, UnknownLayout)
    assert error.values == {"layer": 1, "missing": "w_q, w_k, w_v"}


def test_what_is_missing_left_over_or_named_twice_is_refused() -> None:
    assert refusal(zeros(w_q=(4, 4), w_v=(4, 4))).values == {"layer": 0, "missing": "w_k"}
    assert refusal({**SQUARE, **zeros(norm=(4,))}).reason == "left_over"
    assert refusal({**SQUARE, **layers(SQUARE)}).reason == "named_twice"


def test_foreign_tensors_are_listed_the_first_twenty() -> None:
    error = refusal({f"h.{i}.c_attn": np.zeros((2, 6)) for i in range(30)})
    assert isinstance(error, UnknownLayout)
    found = str(error.values["found"])
    assert found.startswith("h.0.c_attn [2, 6], h.1.c_attn [2, 6]")
    assert found.count("[2, 6]") == 20
    assert found.endswith("…")
    assert error.values["count"] == 30


SHARES = np.full((2, 4, 6, 6), 1 / 6)


def test_attention_weights_are_distinguished_from_parameters(subtests: pytest.Subtests) -> None:
    cases = [
        {"attentions": np.random.default_rng(0).normal(size=(2, 4, 6, 6))},
        {"attentions": SHARES, "hidden_states": np.ones((2, 6, 8))},
        {"layers.0.weights": SHARES[:1], "layers.0.x": np.ones((1, 6, 8))},
        {"causal": np.tril(np.ones((1, 4, 6, 6))) / np.arange(1.0, 7)[:, None]},
        {"attention": SHARES[0, 0].astype(np.float32)},
    ]
    for arrays in cases:
        with subtests.test(arrays=arrays):
            error = refusal(arrays)
            assert isinstance(error, UnknownLayout)
            assert error.reason == "attention_maps"
            name, values = next(iter(arrays.items()))
            assert error.values == {"found": f"{name} {list(values.shape)}"}


def test_parameters_of_foreign_names_are_not_taken_for_attention_weights(
    subtests: pytest.Subtests,
) -> None:
    cases: list[Any] = [
        {"encoder.weight": np.eye(4)},
        {"h.0.attn": np.eye(4)},
        {"attn.weight": np.eye(4) - 0.1},
        {"attn.query": np.ones((4, 4)), "attn.bias": np.ones((1, 1, 6, 6))},
        {"attn/q_einsum/w": np.ones((2, 8, 8)), "attn.out.kernel": np.ones((2, 8, 8))},
        {"conv": np.ones((2, 3, 3))},
        {"attn_mask": np.zeros((2, 3, 3), np.int64)},
    ]
    for arrays in cases:
        with subtests.test(arrays=arrays):
            assert refusal(arrays).reason == "not_recognised"


def test_models_that_read_no_text_are_known_by_their_tensors(subtests: pytest.Subtests) -> None:
    query = "encoder.layers.0.self_attn.q_proj.weight"
    cases = {
        "vit.embeddings.patch_embeddings.projection.weight": "reads_images",
        "vision_model.encoder.layers.0.self_attn.q_proj.weight": "reads_images",
        "model.encoder.conv1.weight": "reads_sound",
        "wav2vec2.feature_extractor.conv_layers.0.conv.weight": "reads_sound",
        "backbone.layers.0.mixer.A_log": "no_attention",
        "rwkv.blocks.0.attention.time_decay": "no_attention",
    }
    for name, reason in cases.items():
        with subtests.test(name):
            error = refusal({"w": np.eye(2), name: np.eye(2)})
            assert isinstance(error, UnknownLayout)
            assert (error.reason, error.values) == (reason, {"tensor": name})
    mixed = {query: np.eye(2), "layers.1.mamba.A_log": np.eye(2)}
    assert refusal(mixed).reason == "not_recognised"


def test_integers_are_refused_by_name() -> None:
    arrays = {**SQUARE, "w_q": np.zeros((4, 4), np.int64)}
    with pytest.raises(BadWeightsFile) as error:
        recognise(WeightsFile(arrays, dict.fromkeys(arrays, "int64"), {}))
    assert error.value.values == {"tensor": "w_q", "dtype": "int64"}


def test_an_embedding_and_its_vocab_must_fit(subtests: pytest.Subtests) -> None:
    cases = [
        (2, None, "embedding_without_vocab"),
        (None, ["a"], "vocab_without_embedding"),
        (2, ["a", "a"], "vocab_repeats"),
        (2, ["a", 1], "vocab_broken"),
        (2, "ab", "vocab_broken"),
        (2, [], "vocab_broken"),
        (2, ["a", "\ud800"], "vocab_broken"),
        (3, ["a", "b"], "embedding"),
    ]
    for rows, vocab, reason in cases:
        with subtests.test(rows=rows):
            arrays = SQUARE if rows is None else {**SQUARE, **zeros(embedding=(rows, 4))}
            metadata = {} if vocab is None else {"vocab": json.dumps(vocab)}
            assert refusal(arrays, None, **metadata).reason == reason
