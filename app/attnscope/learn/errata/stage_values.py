from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from attnscope.analysis import costs
from attnscope.learn.arithmetic import decimal, largest_difference, listed, shape
from attnscope.learn.chapters.costs_values import BASE, KERNEL, NEAR, count
from attnscope.learn.chapters.decoder_block import PRINTED_FINAL_WEIGHTS
from attnscope.learn.chapters.masks import closed_row
from attnscope.learn.chapters.scores import given_scores
from attnscope.learn.chapters.shapes import BATCH
from attnscope.learn.chapters.three_matrices import three_each
from attnscope.learn.echo import Echo
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Body
from attnscope.trace.examples import example, questions

Found = Mapping[str, str]
EXAMPLES: Mapping[str, Body] = questions()
WORDS = "The cat sat on the mat"
TWO_LAYERS: Body = {"source": "seeded", "num_layers": 2}
RESIDUAL: Body = {"text": WORDS, "model": {"source": "seeded", "block": "residual"}}
TRANSLATED: Body = {"text": "The cat", "context": WORDS}
SONGS: Body = {**EXAMPLES["four-songs"], "causal": False}


def _computed_row(name: str, figure: int = 0, decimals: int = 2) -> Found:
    numbers = np.array(example(name).figures[figure].computed, dtype=float)
    return {"row": listed(numbers.ravel(), decimals)}


smooth = partial(_computed_row, "smooth")
masked_row = partial(_computed_row, "masked-row")
pizza = partial(_computed_row, "eating-pizza")
translation = partial(_computed_row, "translation-row")
family = partial(_computed_row, "family-outing", 1, 4)
family_output = partial(_computed_row, "family-outing", 2)
question_rows = partial(three_each, EXAMPLES["panda"])


def lengths() -> Found:
    plan = compute_trace(BATCH).plan
    found = plan.words.lengths
    return {"lengths": ", ".join(map(str, found)), "n": str(plan.n),
            "padding": str(plan.n * len(found) - sum(found))}  # fmt: skip


def narrower() -> Found:
    layer = compute_trace({**BATCH, "model": {**BATCH["model"], "num_kv_heads": 1}}).layers[0]
    return {name: shape(layer[name]) for name in "qk"}


def row_sizes() -> Found:
    k = stage(EXAMPLES["cat-fish"], "k")[0]
    return {"d_k": str(k.shape[1]), "n": str(k.shape[0])}


def tamed() -> Found:
    scores = np.array([100.0, 1, 2]) / math.sqrt(128)
    weights = stage(given_scores(np.tile(scores, (3, 1))), "weights")[0, 0]
    return {"row": listed(scores), "first": decimal(weights[0], 4)}


def product_variance() -> Found:
    rng = np.random.Generator(np.random.PCG64(0))
    q, k = rng.standard_normal((2, 20_000, 128))
    return {
        "centred": decimal(float((q * k).sum(1).var()), 0),
        "shifted": decimal(float(((q + 1) * (k + 1)).sum(1).var()), 0),
    }


def second_softmax() -> Found:
    row = example("causal-four").figures[0].published[1][:2]
    weights = stage(EXAMPLES["causal-four"], "weights")[0, 1, :2]
    return {"softmax": listed(weights), "shared": listed(np.array(row) / sum(row))}


def differences() -> Found:
    (first, second), (a, b) = (
        example(name).figures[0].computed[:2] for name in ("masked-row", "smooth")
    )
    return {"first": decimal(first - second), "second": decimal(a - b)}


def later_rows(echo: Echo) -> Found:
    layer, head = echo.previous
    weights = compute_trace(echo.asked()).layers[layer]["weights"][0, head]
    return {
        "early": decimal(weights[2].max()), "last": decimal(weights[-1].max()),
        "keys": str(len(weights)),
    }  # fmt: skip


def added() -> Found:
    layer = compute_trace(RESIDUAL).layers[0]
    return {
        "difference": largest_difference(layer["block_output"], layer["x"] + layer["output"]),
        "replaced": largest_difference(layer["block_output"], layer["output"]),
    }


def padded() -> Found:
    masked = compute_trace(SONGS).layers[0]["masked_scores"][:, 0]
    return {"closed": str(int(np.isneginf(masked).sum())), "cells": str(masked.size)}


def mask_without_heads() -> Found:
    """Cells that a mask [sentence, query, key] gets wrong for scores [sentence, head, query, key]
    with as many heads as sentences."""
    trace = compute_trace(BATCH)
    scores = trace.layers[0]["scores"]
    lengths = np.array(trace.plan.words.lengths)
    mask = np.broadcast_to(np.arange(scores.shape[3]) < lengths[:, None, None], scores[:, 0].shape)
    right = mask[:, None]
    intended, taken = (np.broadcast_to(one, scores.shape) for one in (right, mask))
    return {"mask": shape(mask), "scores": shape(scores), "right": shape(right),
            "cells": str(int((intended != taken).sum()))}  # fmt: skip


def full_row() -> Found:
    first = closed_row()[0]
    return {"written": first[2], "here": first[3]}


def true_scores() -> Found:
    scores = stage(EXAMPLES["three-tensor"], "scores")[0]
    return {"rows": "; ".join(listed(row, 0) for row in scores)}


def divided() -> Found:
    scaled = stage(EXAMPLES["three-tensor"], "scaled_scores")[0]
    printed = {name: decimal(number / math.sqrt(2)) for name, number in
               (("middle", 340), ("side", 548), ("last", 884))}  # fmt: skip
    return {**printed, "rows": "; ".join(listed(row) for row in scaled)}


def stacked() -> Found:
    v = stage(EXAMPLES["three-tensor"], "v")[0]
    return {"v": shape(v), "output": listed(v[-1], 0)}


def recurrent() -> Found:
    attention, other, *_ = costs.layer_kinds(2048, BASE.d_model, NEAR, KERNEL)
    return {
        "attention": count(attention.multiplications),
        "recurrent": count(other.multiplications),
        "d": str(BASE.d_model),
    }


def other_row() -> Found:
    ratio = PRINTED_FINAL_WEIGHTS[1] / PRINTED_FINAL_WEIGHTS[4]
    return {"sum": decimal(sum(PRINTED_FINAL_WEIGHTS)), "ratio": decimal(math.log(ratio))}


def one_value() -> Found:
    layer = compute_trace({**TRANSLATED, "temperature": 0.001}).layers[0]
    weights, v, out = (layer[name][0, 0] for name in ("weights", "v", "head_outputs"))
    chosen = weights[-1].argmax()
    return {
        "weight": f"{weights[-1, chosen]:.3g}",
        "difference": largest_difference(out[-1], v[chosen]),
    }


def nothing_left_out() -> Found:
    weights = stage({"text": WORDS, "causal": False}, "weights")[0, 1]
    return {"largest": decimal(weights.max()), "least": decimal(weights.min()),
            "words": str(len(weights))}  # fmt: skip


def two_heads() -> Found:
    rows = example("family-outing").figures[3].computed
    return {"first": listed(rows[0]), "second": listed(rows[1])}


def last_column() -> Found:
    x = np.eye(4)
    body: Body = {"model": {"source": "seeded", "d_model": 4, "num_heads": 2}}
    one, two = (stage({**body, "x": each.tolist()}, "q")[0] for each in (x, x + x[-1]))
    return {"moved": largest_difference(one, two)}


def length_of_rows() -> Found:
    found = {}
    for name, n in (("short", 4), ("long", 256)):
        weights = stage({"tokens": [f"w{at}" for at in range(n)], "causal": False}, "weights")
        found[name] = decimal(float((weights * (1 - weights)).mean()), 4)
    return found


def cache_size() -> Found:
    return {"layer": count(costs.cache_numbers(BASE, 1024)),
            "six": count(6 * costs.cache_numbers(BASE, 1024))}  # fmt: skip
