from __future__ import annotations

import numpy as np

from attnscope.analysis import costs
from attnscope.analysis.costs import MAPS, PROJECTIONS, Work
from attnscope.analysis.linear import linear_head
from attnscope.attention.architecture import Shape
from attnscope.attention.masks import Mask
from attnscope.learn.arithmetic import at_most
from attnscope.learn.echo import Echo
from attnscope.learn.exercises import compute_trace

BASE = Shape(8, 8, 512, 64, 64)  # the original Transformer (Vaswani et al. 2017)
TOKENS = 1024
LENGTHS = (64, 512, 1024, 4096, 32768)
DTYPE, BYTES = "float16", 2  # per number
NEAR, KERNEL = 64, 3  # keys of restricted attention, width of the convolution
SIZES = f"{TOKENS}.{BASE.d_model}.{BASE.num_heads}.{BASE.num_kv_heads}"  # as in the URL
STAGES = {  # stage → formula or its message key, order of the cost
    "q": ("x W_Q", "n d · h d_k"), "k": ("x W_K", "n d · h_kv d_k"),
    "v": ("x W_V", "n d · h_kv d_v"), "scores": ("q kᵀ", "h n² · d_k"),
    "scaled_scores": ("q kᵀ / √d_k", "h n²"), "weights": ("softmax", "h n²"),
    "head_outputs": ("live.formula.head_outputs", "h n² · d_v"),
    "output": ("live.formula.output", "n d · h d_v"),
}  # fmt: skip
DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(number: float) -> str:
    """Scientific notation from ten million on."""
    if number < 10**7:
        return f"{number:,.0f}"
    mantissa, _, power = f"{number:.2e}".partition("e+")
    return f"{mantissa}\u00a0×\u00a010{str(int(power)).translate(DIGITS)}"


def megabytes(number: float) -> str:
    return f"{number / 2**20:,.3g}\u00a0MiB"


def stage_rows() -> list[list[str]]:
    found = costs.stages(BASE, Work.whole(TOKENS))
    return [
        [*written, count(found[name].multiplications), count(found[name].written)]
        for name, written in STAGES.items()
    ]


def length_rows() -> list[list[str]]:
    rows = []
    for n in LENGTHS:
        found = costs.stages(BASE, Work.whole(n))
        projections, maps = (
            sum(found[name].multiplications for name in names) for names in (PROJECTIONS, MAPS)
        )
        share = f"{100 * maps / (maps + projections):.0f} %"
        rows.append([f"{n:,}", count(projections), count(maps), share])
    return rows


def crossings() -> dict[str, str]:
    narrow = Shape(BASE.num_heads, 1, BASE.d_model, BASE.d_k, BASE.d_v)
    cells = BASE.num_heads * TOKENS**2
    return {
        "heads": str(BASE.num_heads), "crossing": f"{costs.break_even_length(BASE):,.0f}",
        "shared": f"{costs.break_even_length(narrow):,.0f}",
        "d": str(BASE.d_model), "n": f"{TOKENS:,}", "cells": f"{cells:,}",
    }  # fmt: skip


def cache_rows() -> list[list[str]]:
    rows = []
    for n in LENGTHS:
        anew, kept = (
            costs.total(costs.stages(BASE, work).values()).multiplications
            for work in (costs.without_cache(n), costs.with_cache(n))
        )
        cache = megabytes(costs.cache_numbers(BASE, n) * BYTES)
        rows.append([f"{n:,}", count(anew), count(kept), f"{anew / kept:,.0f}\u00a0×", cache])
    return rows


def reading() -> dict[str, str]:
    whole = costs.total(costs.stages(BASE, Work.whole(TOKENS)).values())
    kept = costs.total(costs.stages(BASE, costs.with_cache(TOKENS)).values())
    ratios = {"once": whole, "step": kept}
    return {name: f"{one.multiplications / one.read:.1f}" for name, one in ratios.items()}


def grouped_rows() -> list[list[str]]:
    rows = []
    for kv_heads in (8, 4, 2, 1):
        shape = Shape(BASE.num_heads, kv_heads, BASE.d_model, BASE.d_k, BASE.d_v)
        found = costs.stages(shape, Work.whole(TOKENS))
        multiplications = found["k"].multiplications + found["v"].multiplications
        cache = megabytes(costs.cache_numbers(shape, TOKENS) * BYTES)
        rows.append(
            [str(kv_heads), cache, count(multiplications), count(found["scores"].multiplications)]
        )
    return rows


PATTERNS = {  # row of the table → mask of a causal map
    "j ≤ i": Mask(causal=True),
    "w = 64": Mask(causal=True, window=64),
    "w = 64, g = 4": Mask(causal=True, window=64, global_tokens=4),
    "w = 32, s = 32": Mask(causal=True, window=32, stride=32),
    "b = 64": Mask(causal=True, block_size=64),
}


def pattern_rows() -> list[list[str]]:
    places, rows = np.arange(TOKENS), []
    for name, mask in PATTERNS.items():
        opened = mask.may_attend(places, places, (TOKENS, TOKENS))
        cells, most = int(opened.sum()), int(opened.sum(axis=1).max())
        rows.append([name, f"{cells:,}", f"{100 * cells / TOKENS**2:.1f} %", f"{most:,}"])
    return rows


def linear_weights(echo: Echo) -> dict[str, str]:
    """Largest weight of the last row, and the weight of the same key in linear attention."""
    trace, (layer, head) = compute_trace(echo.asked()), echo.induction
    shape, stages = trace.plan.model.shape, trace.layers[layer]
    served = shape.kv_head_of(head)
    found = linear_head(
        (stages["q"][0, head], stages["k"][0, served], stages["v"][0, served]),
        np.isfinite(stages["masked_scores"][0, head]),
        stages["weights"][0, head],
        stages["head_outputs"][0, head],
    )
    last = stages["weights"][0, head, -1]
    key = int(last.argmax())
    return {
        "head": str(head), "layer": str(layer), "softmax": f"{last[key]:.2f}",
        "linear": f"{found.weights[-1, key]:.2f}", "most": at_most(float(found.weights[-1].max())),
    }  # fmt: skip


def linear_rows() -> list[list[str]]:
    rows = []
    for n in LENGTHS:
        found = costs.stages(BASE, Work.whole(n))
        maps = sum(found[name].multiplications for name in MAPS)
        sums = costs.total(costs.linear(BASE, Work.whole(n)).values()).multiplications
        rows.append([f"{n:,}", count(maps), count(sums), f"{maps / sums:,.1f}\u00a0×"])
    return rows


def layer_rows() -> list[list[str]]:
    each = {n: costs.layer_kinds(n, BASE.d_model, NEAR, KERNEL) for n in LENGTHS}
    return [[f"{n:,}", *(count(one.multiplications) for one in found)] for n, found in each.items()]


def paths() -> dict[str, str]:
    attention, recurrent, convolutional, restricted = costs.layer_kinds(
        TOKENS, BASE.d_model, NEAR, KERNEL
    )
    return {
        "n": f"{TOKENS:,}", "recurrent": f"{recurrent.path:,}", "kernel": str(KERNEL),
        "convolutional": str(convolutional.path), "near": str(NEAR),
        "restricted": str(restricted.path), "attention": str(attention.path),
    }  # fmt: skip


def fused_counts() -> dict[str, str]:
    work = Work.whole(TOKENS)
    found = costs.stages(BASE, work)
    three = costs.total(found[name] for name in ("q", "k", "v"))
    one = costs.fused(BASE, work)
    assert three.multiplications == one.multiplications
    return {
        "operations": count(one.multiplications), "three": megabytes(three.read * BYTES),
        "one": megabytes(one.read * BYTES),
    }  # fmt: skip
