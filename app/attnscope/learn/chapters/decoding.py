from __future__ import annotations

import numpy as np

from attnscope.analysis import costs
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.costs_values import BASE, TOKENS, cache_rows, grouped_rows, reading
from attnscope.learn.echo import IN_CHINESE, TEXT, echo_question
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Exercise, Figure
from attnscope.learn.why import false_statement, true_reason


def cached_numbers(rng: np.random.Generator) -> Exercise:
    heads = int(rng.choice([2, 4, 8]))
    kv_heads = int(rng.choice([count for count in (1, 2, 4, 8) if heads % count == 0]))
    n = int(rng.integers(3, 9))
    model = {"source": "seeded", "d_model": 16 * heads, "num_heads": heads,
             "num_kv_heads": kv_heads}  # fmt: skip
    body = {"tokens": [f"w{at}" for at in range(n)], "model": model}
    layer = compute_trace(body).layers[0]
    answer = float(layer["k"].size + layer["v"].size)
    values = {"n": n, "heads": heads, "kv_heads": kv_heads, "d_k": 16}
    return Exercise("cached_numbers", answer, values, question=body)


def rows_anew(rng: np.random.Generator) -> Exercise:
    n = int(rng.integers(5, 10))
    at, layer = int(rng.integers(n - 1)), int(rng.choice([0, 1, 1, 1, 1]))
    causal = bool(rng.integers(3))
    tokens = [f"w{place}" for place in range(n)]
    exchanged = [*tokens[:at], "other", *tokens[at + 1 :]]
    model = {"source": "seeded", "seed": int(rng.integers(99)), "d_model": 8, "num_heads": 2,
             "num_layers": 2}  # fmt: skip
    body = {"tokens": tokens, "causal": causal, "model": model}
    before, after = (stage({**body, "tokens": each}, "k", layer)[0] for each in (tokens, exchanged))
    answer = float((np.abs(before - after).max(axis=1) > 1e-9).sum())
    values = {"n": n, "at": at, "layer": layer}
    kind = "rows_anew_causal" if causal else "rows_anew_open"
    return Exercise(kind, answer, values, question=body)


def new_scores(rng: np.random.Generator) -> Exercise:
    n = int(rng.integers(4, 12))
    body = {"tokens": [f"w{at}" for at in range(n)]}
    answer = float(np.isfinite(stage(body, "masked_scores")[0, -1]).sum())
    return Exercise("new_scores", answer, {"before": n - 1}, question=body)


def training_rows() -> list[list[str]]:
    rows = []
    for n in (4, 8, 16):
        tokens, model = [f"w{at}" for at in range(n)], {"source": "seeded"}
        body = {"tokens": tokens, "model": model}
        whole = stage(body, "output")
        steps = [
            stage({"tokens": tokens[: at + 1], "model": model}, "output")[-1] for at in range(n)
        ]
        least = np.isfinite(stage(body, "masked_scores")[0]).sum()
        most = float(np.abs(whole - np.array(steps)).max())
        rows.append([str(n), "1", str(n * n), str(n), str(least), f"{most:.0e}" if most else "0"])
    return rows


def rows_of_a_step() -> dict[str, str]:
    written = costs.stages(BASE, costs.Work.whole(1))["k"].written
    new = written // BASE.num_kv_heads // BASE.d_k
    return {"n": f"{TOKENS:,}", "new": str(new), "old": f"{TOKENS - new:,}"}


def rows_again(rng: np.random.Generator) -> Exercise:
    n = int(rng.integers(5, 31))
    return Exercise(
        "rows_again", float(costs.without_cache(n).rows), {"n": n}, worked={"next": n + 1}
    )


CHAPTER = Chapter(
    "decoding",
    needs=("masks", "layers",),
    figures=(
        Figure("causal", {"causal": True}, stages=("weights",), knobs=("head",)),
        Figure("decode", {}, view="decode"),
        Figure("trained", echo_question(TEXT), view="decode", zh={**IN_CHINESE, "look": {}}),
        Figure("grouped", {"model": {"source": "seeded", "num_kv_heads": 2}},
               stages=("q", "k", "v"), knobs=("model.num_kv_heads", "head")),
    ),
    values={"one_row": rows_of_a_step, "cache": reading},
    tables={"training": training_rows, "cached": cache_rows, "kv": grouped_rows},
    exercises=(
        cached_numbers, rows_again, rows_anew, new_scores,
        false_statement("decoding", "one_row", "cache_size"), true_reason("decoding"),
    ),
)  # fmt: skip
