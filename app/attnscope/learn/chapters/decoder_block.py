from __future__ import annotations

import math
from functools import cache

import numpy as np

from attnscope.learn.arithmetic import decimal
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.exercises import compute_trace
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import false_statement, true_reason
from attnscope.trace.examples import example, questions

DECODER = {"source": "seeded", "block": "decoder"}
TRANSLATED = {"text": "猫坐在", "context": "The cat sat on the mat", "model": DECODER}
# Published as the final weights of a translation.
PRINTED_FINAL_WEIGHTS = (0.1, 0.6, 0.05, 0.01, 0.2, 0.04)


def random_question(rng: np.random.Generator, model: Body) -> tuple[Body, int, int]:
    n, m = (int(count) for count in rng.integers(2, 8, size=2))
    body = {"tokens": sentence(rng, n, n), "context_tokens": sentence(rng, m, m), "model": model}
    return body, n, m


def open_cells(rng: np.random.Generator) -> Exercise:
    body, n, m = random_question(rng, DECODER)
    masked = [layer["masked_scores"][0, 0] for layer in compute_trace(body).layers]
    answer = float(sum(np.isfinite(scores).sum() for scores in masked))
    return Exercise("decoder_open", answer, {"n": n, "m": m}, question=body)


def cached_rows(rng: np.random.Generator) -> Exercise:
    blocks = int(rng.integers(1, 4))
    body, n, m = random_question(rng, {**DECODER, "num_layers": blocks})
    answer = float(sum(layer["k"].shape[2] for layer in compute_trace(body).layers))
    return Exercise("decoder_cache", answer, {"n": n, "m": m, "blocks": blocks}, question=body)


def block_numbers(rng: np.random.Generator) -> Exercise:
    heads, d_k = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    body, *_ = random_question(rng, {**DECODER, "d_model": heads * d_k, "num_heads": heads})
    tensors = [one for p in compute_trace(body).parameters for one in p.arrays().items()]
    answer = float(sum(array.size for name, array in tensors if name.startswith("w_")))
    values = {"d_model": heads * d_k, "heads": heads}
    return Exercise("decoder_numbers", answer, values, question=body)


@cache
def largest_differences() -> dict[str, str]:
    asking = compute_trace(TRANSLATED).layers[1]
    own = compute_trace(
        {"text": "The cat sat", "model": {"source": "seeded", "share": "qkv"}}
    ).layers[0]
    return {
        "apart": f"{np.abs(asking['k'] - asking['v']).max():.2f}",
        "shared": f"{np.abs(own['q'] - own['v']).max():.0f}",
        "lopsided": f"{np.abs(own['scores'] - own['scores'].swapaxes(-1, -2)).max():.0f}",
    }


@cache
def sizes() -> dict[str, str]:
    found = {}
    for norm in ("post_norm", "pre_norm"):
        layers = compute_trace(
            {**TRANSLATED, "model": {**DECODER, "num_layers": 6, "norm": norm}}
        ).layers
        for name, layer in (("first", layers[1]), ("last", layers[-1])):
            found[f"{norm}_{name}"] = f"{np.sqrt(np.mean(layer['block_output'] ** 2)):.2f}"
    return found


def printed_rows() -> list[list[str]]:
    (figure,) = example("translation-row").figures
    words = TRANSLATED["context"].split()  # type: ignore[attr-defined]
    scores = questions()["translation-row"]["model"]["w_q"]
    rows = zip(
        words, scores[1], figure.computed, figure.published, PRINTED_FINAL_WEIGHTS, strict=True
    )
    return [
        [word, f"{score:.1f}".replace("-", "−"), f"{computed:.3f}", f"{printed:g}", f"{alone:g}",
         decimal(math.log(alone))]
        for word, score, computed, printed, alone in rows
    ]  # fmt: skip


def sums() -> dict[str, str]:
    (figure,) = example("translation-row").figures
    return {"first": f"{sum(figure.published):.2f}", "second": f"{sum(PRINTED_FINAL_WEIGHTS):.2f}"}


CHAPTER = Chapter(
    "decoder_block",
    needs=("cross", "layers",),
    figures=(
        Figure("self", TRANSLATED, stages=("x", "weights", "block_output"), knobs=("head",)),
        Figure("context", TRANSLATED, stages=("q", "k", "weights"), look={"layer": 1},
               knobs=("head",)),
        Figure("mlp", TRANSLATED, stages=("middle", "hidden", "activated", "mlp_output"),
               look={"layer": 1}, knobs=("model.activation", "model.norm")),
        Figure("decode", TRANSLATED, view="decode", look={"layer": 1}, knobs=("layer",)),
    ),
    values={"norms": sizes, "equal": largest_differences, "printed": sums},
    tables={"printed": printed_rows},
    exercises=(
        open_cells, cached_rows, block_numbers,
        false_statement("decoder_block", "translation", "k_equals_v", "all_equal", "target_words"),
        true_reason("decoder_block"),
    ),
)  # fmt: skip
