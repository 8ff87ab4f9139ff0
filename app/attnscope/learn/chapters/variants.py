from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from attnscope.learn.arithmetic import signed
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import WORDS, sentence
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import false_statement, true_reason
from attnscope.trace.trace import Trace

TEXT = "The animal didn't cross the street because it was too tired."
D_MODEL = 64
HEADS = (1, 2, 4, 8)
BIASES = ("b_q", "b_k", "b_v")
SAME = 1e-12  # smaller differences are rounding errors


def count_rows() -> list[list[str]]:
    table = []
    for heads in HEADS:
        model = {"source": "seeded", "d_model": D_MODEL, "num_heads": heads}
        trace = compute_trace({"tokens": ["one"], "model": model})
        d_k = trace.plan.model.shape.d_k
        arrays = trace.parameters[0].arrays()
        every = sum(arrays[name].size for name in ("w_q", "w_k", "w_v"))
        one = f"3 × {D_MODEL} × {d_k} = {every // heads:,}"
        table.append([str(heads), str(d_k), one, f"{heads} × {every // heads:,} = {every:,}"])
    return table


@cache
def biased() -> tuple[Body, Trace]:
    model = {"source": "seeded", "d_model": D_MODEL, "num_heads": 4, "bias": True}
    drawn = compute_trace({"text": TEXT, "causal": False, "model": model})
    given = {name: array.tolist() for name, array in drawn.parameters[0].arrays().items()}
    body = {
        "x": drawn.layers[0]["x"][0].tolist(), "causal": False,
        "model": {"source": "explicit", "num_heads": 4, **given},
    }  # fmt: skip
    return body, compute_trace(body)


def bias_rows() -> list[list[str]]:
    body, whole = biased()
    table = []
    for bias in BIASES:
        without = compute_trace({**body, "model": {**body["model"], bias: None}})
        table.append([bias, *(_moved(whole, without, stage)
                             for stage in ("scores", "weights", "output"))])  # fmt: skip
    return table


def _moved(one: Trace, other: Trace, stage: str) -> str:
    most = float(np.abs(one.layers[0][stage] - other.layers[0][stage]).max())
    return "0" if most < SAME else f"{most:.3f}"


def parameters() -> dict[str, str]:
    model = {"source": "seeded", "d_model": 512, "num_heads": 8}
    arrays = compute_trace({"tokens": ["one"], "model": model}).parameters[0].arrays()
    three = sum(arrays[name].size for name in ("w_q", "w_k", "w_v"))
    return {"three": f"{three:,}", "four": f"{three + arrays['w_o'].size:,}"}


COUNTED = {  # kind of exercise → `share`, matrices with numbers of their own
    "parameter_count_none": ("none", ("w_q", "w_k", "w_v")),
    "parameter_count_qk": ("qk", ("w_q", "w_v")),
    "parameter_count_qkv": ("qkv", ("w_q",)),
}
MIRRORED = {  # kind of exercise → `share`, stage
    "mirrored_none": ("none", "scores"),
    "mirrored_qk": ("qk", "scores"),
    "mirrored_weights": ("qk", "weights"),
    "mirrored_mask": ("qk", "masked_scores"),
}


def parameter_count(rng: np.random.Generator) -> Exercise:
    d_model = int(rng.choice([8, 16, 24]))
    heads = int(rng.choice([2, 4, 8]))
    kind = str(rng.choice(list(COUNTED)))
    share, own = COUNTED[kind]
    model = {"source": "seeded", "d_model": d_model, "num_heads": heads, "share": share}
    body = {"tokens": ["one"], "model": model}
    arrays = compute_trace(body).parameters[0].arrays()
    answer = float(sum(arrays[name].size for name in own))
    return Exercise(kind, answer, {"d_model": d_model, "heads": heads}, question=body)


def serving_head(rng: np.random.Generator) -> Exercise:
    heads = int(rng.choice([8, 12, 16]))
    kv_heads = int(rng.choice([4, heads // 2]))
    head = int(rng.integers(heads))
    model = {"source": "seeded", "d_model": 4 * heads, "num_heads": heads, "num_kv_heads": kv_heads}
    body = {"tokens": sentence(rng, 3, 3), "model": model}
    layer = compute_trace(body).layers[0]
    expected = layer["weights"][0, head] @ layer["v"][0]
    (answer,) = (
        at for at in range(kv_heads) if np.allclose(expected[at], layer["head_outputs"][0, head])
    )
    values = {"heads": heads, "kv_heads": kv_heads, "head": head}
    worked = {"size": heads // kv_heads}
    return Exercise("serving_head", float(answer), values, question=body, worked=worked)


def mirrored(rng: np.random.Generator) -> Exercise:
    kind = str(rng.choice(list(MIRRORED)))
    share, name = MIRRORED[kind]
    model = {"source": "seeded", "seed": int(rng.integers(99)), "d_model": 8, "num_heads": 1}
    body = {"tokens": sentence(rng, 4, 4), "causal": name == "masked_scores",
            "model": {**model, "share": share}}  # fmt: skip
    rows = stage(body, name)[0]
    assert np.allclose(rows, rows.T) == (kind == "mirrored_qk")
    i, j = max(combinations(range(4), 2), key=lambda at: abs(rows[at] - rows[at[::-1]]))
    a, b = (signed(round(float(cell), 3)) for cell in (rows[i, j], rows[j, i]))
    worked = {"i": i, "j": j, "a": a.replace("inf", "∞"), "b": b.replace("inf", "∞")}
    choices = tuple(f"exercise.{each}.why" for each in MIRRORED)
    return Exercise(kind, f"exercise.{kind}.why", choices=choices, question=body, worked=worked)


@cache
def own_rows(share: str, d_model: int) -> tuple[int, int]:
    """Over 20 seeds: number of rows with the largest weight on their own word, and of all rows."""
    found = []
    for seed in range(20):
        model = {"source": "seeded", "seed": seed, "d_model": d_model, "num_heads": 4,
                 "share": share}  # fmt: skip
        weights = stage({"tokens": list(WORDS), "causal": False, "model": model}, "weights")
        found.append(weights.argmax(-1) == np.arange(len(WORDS)))
    return int(np.sum(found)), int(np.size(found))


def own_row_counts() -> dict[str, str]:
    (own, rows), (apart, _), (narrow, _) = (
        own_rows("qk", 64), own_rows("none", 64), own_rows("qk", 16)
    )  # fmt: skip
    counts = {"own": own, "rows": rows, "apart": apart, "narrow": narrow}
    return {name: str(count) for name, count in counts.items()}


CHAPTER = Chapter(
    "variants",
    needs=("heads", "decoding",),
    figures=(
        Figure("grouped", {"model": {"source": "seeded", "num_heads": 4, "num_kv_heads": 1}},
               stages=("k", "weights", "head_outputs"), knobs=("model.num_kv_heads", "head")),
        Figure("shared", {"causal": False, "model": {"source": "seeded", "share": "qkv"}},
               stages=("q", "k", "scores"), knobs=("model.share", "head")),
        Figure("biases", {"model": {"source": "seeded", "bias": True}}, stages=("q", "scores"),
               knobs=("model.bias", "head")),
        Figure("masks", {"window": 4, "prefix": 2}, stages=("masked_scores", "weights"),
               knobs=("window", "prefix", "head")),
    ),
    values={"w_o": parameters, "shared": own_row_counts},
    tables={"count": count_rows, "bias": bias_rows},
    exercises=(
        serving_head, parameter_count, mirrored,
        false_statement("variants", "parameters", "biases", "shared_name"), true_reason("variants"),
    ),
)  # fmt: skip
