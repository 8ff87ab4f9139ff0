"""An adapter against a checkpoint whose weights were changed in the test."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.predictions import logits_at
from attnscope.installed.checkpoint import Checkpoint
from attnscope.trace.trace import Trace
from tests.families.made import GPT2, checkpoint, gpt2, gpt2_tensors
from tests.installed.adapters.made import (
    QKV,
    TENSORS,
    Tensors,
    adapter,
    asked,
    pair,
    registry_of,
)

PROJECTION = "transformer.h.1.attn.c_proj"
A, B = (f"base_model.model.{QKV}.lora_{side}.weight" for side in "AB")


def product(module: str, tensors: Tensors) -> np.ndarray:
    """B A [d_out, d_in], in float64."""
    a, b = (tensors[f"base_model.model.{module}.lora_{side}.weight"] for side in "AB")
    return b.astype(float) @ a.astype(float)


def with_change(folder: Path, changes: Tensors) -> Path:
    """A GPT-2 with something added to, or put in place of, its tensors."""
    return checkpoint(folder, GPT2, {**gpt2_tensors(GPT2), **changes})


def same(one: Trace, other: Trace) -> None:
    for ours, theirs in zip(one.layers, other.layers, strict=True):
        np.testing.assert_allclose(ours["weights"], theirs["weights"], atol=1e-6)
        np.testing.assert_allclose(ours["block_output"], theirs["block_output"], atol=1e-5)
    found, wanted = (logits_at(trace, 0, slice(None)) for trace in (one, other))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


SCALES: list[tuple[dict[str, Any], float, int]] = [
    ({}, 6 / 4, 4),
    ({"use_rslora": True}, 6 / 2, 4),
    ({"lora_alpha": 0.5, "r": 2}, 0.25, 2),
    ({"r": 8, "rank_pattern": {"c_attn": 3}, "alpha_pattern": {"attn.c_attn": 9}}, 3.0, 3),
    (
        {"rank_pattern": {"attn": 3, r"h\.0{1,2}\.attn.*": 2}, "use_rslora": True},
        6 / math.sqrt(2),
        2,
    ),
]


def test_scaled_products_are_added_to_the_weights_of_the_base(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    base = gpt2(tmp_path / "tiny")
    for number, (keys, scale, rank) in enumerate(SCALES):
        with subtests.test(keys=keys):
            tensors = pair(QKV, 24, 72, rank) | pair(PROJECTION, 24, 24, keys.get("r", 4), seed=1)
            tuned = adapter(tmp_path / f"tuned{number}", tensors, **keys)
            alone = keys.get("lora_alpha", 6), keys.get("r", 4)
            usual = alone[0] / (math.sqrt(alone[1]) if keys.get("use_rslora") else alone[1])
            whole = gpt2_tensors(GPT2)
            # Conv1D lies [d_in, d_out].
            for module, one in ((QKV, scale), (PROJECTION, usual)):
                whole[f"{module}.weight"] += (one * product(module, tensors).T).astype("f4")
            merged = with_change(tmp_path / f"merged{number}", whole)
            registry = registry_of(base, tuned)
            trace = asked(registry, f"tiny+{tuned.name}")
            same(trace, asked(registry_of(merged), merged.name))
            assert trace.plan.id != asked(registry, "tiny").plan.id


def test_the_base_is_what_it_was_and_only_what_changes_is_copied(tmp_path: Path) -> None:
    base = gpt2(tmp_path / "tiny")
    registry = registry_of(base, adapter(tmp_path / "tuned"))
    plain, tuned = (registry.weights(name, "main").layers for name in ("tiny", "tiny+tuned"))
    assert not np.array_equal(plain[0].w_q, tuned[0].w_q)
    for ours, theirs in ((plain[1].w_q, tuned[1].w_q), (plain[0].w_o, tuned[0].w_o)):
        assert np.array_equal(ours, theirs)
        assert not theirs.flags.writeable  # it lies in the mapped file
    same(asked(registry, "tiny"), asked(registry_of(base), "tiny"))


def test_names_may_have_a_prefix_more_or_less(tmp_path: Path) -> None:
    base = gpt2(tmp_path / "tiny")
    bare = {name.removeprefix("transformer."): one for name, one in gpt2_tensors(GPT2).items()}
    short = checkpoint(tmp_path / "short", GPT2, bare)
    shorter = {name.replace("transformer.", ""): one for name, one in TENSORS.items()}
    tuned, other = adapter(tmp_path / "tuned"), adapter(tmp_path / "other", shorter)
    traces = [
        asked(registry_of(folder, one), f"{folder.name}+{one.name}")
        for folder in (base, short) for one in (tuned, other)
    ]  # fmt: skip
    for trace in traces[1:]:
        same(traces[0], trace)


def test_whole_tensors_are_put_in_place_of_those_of_the_base(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    own = {
        "transformer.ln_f.weight": draw.normal(size=24).astype("f4"),
        "lm_head.weight": draw.normal(size=(300, 24)).astype("f4"),
    }
    saved = {f"base_model.model.{name}": one for name, one in own.items()}
    base = gpt2(tmp_path / "tiny")
    registry = registry_of(
        base, adapter(tmp_path / "tuned", saved, modules_to_save=["ln_f", "lm_head"])
    )
    merged = with_change(tmp_path / "merged", own)
    same(asked(registry, "tiny+tuned"), asked(registry_of(merged), "merged"))
    named = {name for name, _, _ in registry.models["tiny+tuned"].tensors()}
    assert named - {name for name, _, _ in registry.models["tiny"].tensors()} == {"lm_head.weight"}


def test_embeddings_that_are_saved_alone_leave_the_head_as_it_was(tmp_path: Path) -> None:
    table = np.random.default_rng(0).normal(size=(300, 24)).astype("f4")
    tuned = adapter(tmp_path / "tuned", {"base_model.model.transformer.wte.weight": table})
    old = gpt2_tensors(GPT2)["transformer.wte.weight"]
    apart = {"transformer.wte.weight": table, "lm_head.weight": old}
    merged = with_change(tmp_path / "merged", apart)
    registry = registry_of(gpt2(tmp_path / "tiny"), tuned)
    same(asked(registry, "tiny+tuned"), asked(registry_of(merged), "merged"))


def test_a_change_of_a_shared_head_leaves_the_embeddings_as_they_were(tmp_path: Path) -> None:
    tensors = pair("lm_head", 24, 300)
    head = gpt2_tensors(GPT2)["transformer.wte.weight"] + 1.5 * product("lm_head", tensors)
    merged = with_change(tmp_path / "merged", {"lm_head.weight": head.astype("f4")})
    registry = registry_of(gpt2(tmp_path / "tiny"), adapter(tmp_path / "tuned", tensors))
    same(asked(registry, "tiny+tuned"), asked(registry_of(merged), "merged"))


def test_half_precision_is_added_in_float32(tmp_path: Path) -> None:
    half = {name: one.astype(np.float16) for name, one in TENSORS.items()}
    registry = registry_of(gpt2(tmp_path / "tiny"), adapter(tmp_path / "tuned", half))
    wide = {name: one.astype(np.float32) for name, one in half.items()}
    other = registry_of(gpt2(tmp_path / "tiny"), adapter(tmp_path / "wide", wide))
    same(asked(registry, "tiny+tuned"), asked(other, "tiny+wide"))


def test_a_model_lists_every_tensor_and_what_it_became(tmp_path: Path) -> None:
    base = gpt2(tmp_path / "tiny")
    registry = registry_of(base, adapter(tmp_path / "tuned"))
    plain, tuned = registry.models["tiny"], registry.models["tiny+tuned"]
    assert isinstance(tuned, Checkpoint)
    assert tuned.tensors() == plain.tensors()
    assert tuned.our_names() == plain.our_names()
    assert tuned.bytes > plain.bytes
