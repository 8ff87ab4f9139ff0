"""The llama kind: its config in the words of transformers, its rows of q and k back in halves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.installed.gguf.file import GgufFile
from attnscope.installed.gguf.llama import rotary_factors
from attnscope.installed.gguf.translation import in_halves
from tests.families.made import tokenizer
from tests.gguf_files import LLAMA_NAMES, byte_level_keys, file_name, write_gguf
from tests.weights.formats.test_gguf import refusal_of

LLAMA: dict[str, Any] = {
    "llama.block_count": 2, "llama.context_length": 64, "llama.embedding_length": 24,
    "llama.feed_forward_length": 40, "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2, "llama.attention.layer_norm_rms_epsilon": 1e-6,
    "llama.rope.freq_base": 5e5, "llama.rope.dimension_count": 6, "llama.vocab_size": 300,
}  # fmt: skip


def llama_tensors(draw: np.random.Generator, extra: dict[str, Any]) -> dict[str, np.ndarray]:
    """By the names and in the order of Hugging Face; biases of q are in the llama kind too."""
    width, hidden, kv = 24, 40, 12
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (300, width), "model.norm.weight": (width,)
    }  # fmt: skip
    for i in range(2):
        at = f"model.layers.{i}"
        shapes |= {f"{at}.{norm}.weight": (width,)
                   for norm in ("input_layernorm", "post_attention_layernorm")}  # fmt: skip
        shapes[f"{at}.self_attn.q_proj.bias"] = (width,)
        matrices = {
            "self_attn.q_proj": (width, width), "self_attn.k_proj": (kv, width),
            "self_attn.v_proj": (kv, width), "self_attn.o_proj": (width, width),
            "mlp.gate_proj": (hidden, width), "mlp.up_proj": (hidden, width),
            "mlp.down_proj": (width, hidden),
        }  # fmt: skip
        shapes |= {f"{at}.{name}.weight": shape for name, shape in matrices.items()}
    shapes |= extra
    return {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def paired(rows: np.ndarray, heads: int) -> np.ndarray:
    """Row by row: the first of a head's pair, then that which is half a head below it."""
    d = len(rows) // heads
    order = [head * d + i + half * d // 2
             for head in range(heads) for i in range(d // 2) for half in (0, 1)]  # fmt: skip
    return rows[order]


def llama_gguf(
    path: Path,
    tensors: dict[str, np.ndarray],
    more: dict[str, np.ndarray] | None = None,
    **keys: Any,
) -> Path:
    """Written as the llama kind is: q and k in pairs."""
    stored = {}
    for name, array in tensors.items():
        heads = 4 if "q_proj" in name else 2 if "k_proj" in name else 0
        stored[file_name(name, LLAMA_NAMES)] = paired(array, heads) if heads else array
    config = {**LLAMA, **byte_level_keys(tokenizer(), "smollm")}
    config |= {f"llama.{key.replace('__', '.')}": value for key, value in keys.items()}
    config = {key: value for key, value in config.items() if value is not None}
    return write_gguf(path, "llama", config, stored | (more or {}))


def test_llama_has_the_names_of_transformers(tmp_path: Path) -> None:
    tensors = llama_tensors(np.random.default_rng(3), {})
    found = GgufFile(llama_gguf(tmp_path / "a.gguf", tensors)).read()
    assert found.config == {
        "model_type": "llama", "vocab_size": 300, "hidden_size": 24, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6,
        "intermediate_size": 40, "hidden_act": "silu", "max_position_embeddings": 64,
        "rms_norm_eps": 1e-6, "rope_theta": 5e5, "rope_scaling": None, "attention_bias": True,
        "mlp_bias": False, "tie_word_embeddings": True,
    }  # fmt: skip
    assert dict(found.sizes) == {name: array.shape for name, array in tensors.items()}
    for name, array in tensors.items():
        np.testing.assert_array_equal(found.tensors[name], array)


def test_a_head_of_its_own_is_no_tied_one(tmp_path: Path) -> None:
    tensors = llama_tensors(np.random.default_rng(3), {"lm_head.weight": (300, 24)})
    found = GgufFile(llama_gguf(tmp_path / "a.gguf", tensors)).read()
    assert found.config["tie_word_embeddings"] is False
    np.testing.assert_array_equal(found.tensors["lm_head.weight"], tensors["lm_head.weight"])


def turned(x: np.ndarray, position: int, pairs: list[tuple[int, int]]) -> np.ndarray:
    """One head's row, each pair of its numbers turned by an angle of its own."""
    out = x.copy()
    for i, (a, b) in enumerate(pairs):
        angle = position / 100 ** (i / len(pairs))
        out[a] = x[a] * np.cos(angle) - x[b] * np.sin(angle)
        out[b] = x[a] * np.sin(angle) + x[b] * np.cos(angle)
    return out


def test_turning_halves_scores_as_turning_neighbours_did() -> None:
    draw, d = np.random.default_rng(4), 6
    w_q, w_k = draw.normal(size=(2, d, 5))
    x = draw.normal(size=5)
    neighbours = [(0, 1), (2, 3), (4, 5)]
    halves = [(0, 3), (1, 4), (2, 5)]
    before = turned(w_q @ x, 7, neighbours) @ turned(w_k @ x, 3, neighbours)
    after = [in_halves(w, 1) @ x for w in (w_q, w_k)]
    assert turned(after[0], 7, halves) @ turned(after[1], 3, halves) == pytest.approx(before)
    np.testing.assert_array_equal(in_halves(paired(w_q, 1), 1), w_q)


def test_positions_that_are_stretched_are_named(tmp_path: Path) -> None:
    tensors = llama_tensors(np.random.default_rng(3), {})

    def scaling(**keys: Any) -> Any:
        return (
            GgufFile(llama_gguf(tmp_path / "a.gguf", tensors, **keys)).read().config["rope_scaling"]
        )

    assert scaling(rope__scaling__type="none") is None
    linear = {"rope_type": "linear", "factor": 4.0}
    assert scaling(rope__scaling__type="linear", rope__scaling__factor=4.0) == linear
    assert scaling(rope__scale_linear=4.0) == linear
    yarn = {"rope__scaling__type": "yarn", "rope__scaling__factor": 4.0,
            "rope__scaling__original_context_length": 16}  # fmt: skip
    assert scaling(**yarn) == {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16
    }  # fmt: skip


def factors_of_llama3(base: float, d: int, factor: float) -> list[float]:
    """Said once more, in loops, by wavelengths."""
    found = []
    for i in range(0, d, 2):
        wavelength = 2 * np.pi * base ** (i / d)
        if wavelength < 8192 / 4:
            found.append(1.0)
        elif wavelength > 8192:
            found.append(factor)
        else:
            smooth = (8192 / wavelength - 1) / 3
            found.append(1 / ((1 - smooth) / factor + smooth))
    return found


def test_the_factors_of_llama_3_are_known_by_their_numbers(tmp_path: Path) -> None:
    tensors = llama_tensors(np.random.default_rng(3), {})
    assert len({*factors_of_llama3(5e5, 64, 32)}) > 3
    np.testing.assert_allclose(rotary_factors(5e5, 64, 32), factors_of_llama3(5e5, 64, 32))
    for factor in (8, 32):
        factors = {"rope_freqs.weight": np.array(factors_of_llama3(5e5, 6, factor), np.float32)}
        found = GgufFile(llama_gguf(tmp_path / "a.gguf", tensors, factors)).read()
        assert found.config["rope_scaling"] == {
            "rope_type": "llama3", "factor": factor, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
        }  # fmt: skip
        assert "rope_freqs.weight" not in found.tensors
    others = {"rope_freqs.weight": np.array([1, 2, 3], np.float32)}
    path = llama_gguf(tmp_path / "b.gguf", tensors, others)
    assert refusal_of(GgufFile(path).read).reason == "gguf_tensors"
    wide = {"embedding_length": 1 << 31, "attention__head_count": 1, "rope__dimension_count": None}
    path = llama_gguf(tmp_path / "c.gguf", tensors, others, **wide)
    assert (
        refusal_of(GgufFile(path).read).reason == "gguf_tensors"
    )  # and no table of as many numbers


LLAMA_REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "experts": ({"expert_count": 8}, "gguf_only"),
    "window": ({"attention__sliding_window": 16}, "gguf_keys"),
    "caps": ({"attn_logit_softcapping": 50.0}, "gguf_keys"),
    "both ways": ({"attention__causal": False}, "gguf_only"),
    "half of a head turned": ({"rope__dimension_count": 4}, "gguf_only"),
    "another width of v": ({"attention__value_length": 8}, "gguf_only"),
    "a head of three": ({"attention__head_count": 8, "rope__dimension_count": 3}, "gguf_value"),
    "no head": ({"attention__head_count": 0}, "gguf_only"),
    "more heads than rows": ({"attention__head_count_kv": 4}, "other_sizes"),
    "no base": ({"rope__freq_base": 0.0}, "gguf_value"),
    "longrope": ({"rope__scaling__type": "longrope"}, "gguf_value"),
    "no epsilon": ({"attention__layer_norm_rms_epsilon": None}, "gguf_no_key"),
    "heads by layer": ({"attention__head_count": [4, 4]}, "gguf_value"),
}


def test_what_changes_numbers_and_is_not_known_is_refused(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case, (keys, reason) in LLAMA_REFUSED.items():
        with subtests.test(case):
            tensors = llama_tensors(np.random.default_rng(3), {})
            path = llama_gguf(tmp_path / f"{case}.gguf", tensors, **keys)
            assert refusal_of(GgufFile(path).read).reason == reason
