from __future__ import annotations

import numpy as np

from attnscope.analysis.costs import Work, break_even_length, stages
from attnscope.attention.architecture import Shape
from attnscope.learn.arithmetic import total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters import costs_values as computed
from attnscope.learn.echo import CHINESE, INDUCTION, TEXT, by_language, echo_question, view_of_head
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Exercise, Figure
from attnscope.learn.why import false_statement, true_reason

PATTERNS = {  # kind of exercise → fields of a mask
    "open_global": lambda rng: {"window": 1, "global_tokens": int(rng.integers(1, 4))},
    "open_strided": lambda rng: {"stride": int(rng.integers(2, 5))},
    "open_blocks": lambda rng: {"block_size": int(rng.integers(2, 5))},
}


def map_products(rng: np.random.Generator) -> Exercise:
    heads, d_k = int(rng.choice([2, 4, 8])), int(rng.choice([8, 16, 32]))
    n = int(rng.integers(5, 13))
    shape = Shape(heads, heads, heads * d_k, d_k, d_k)
    answer = float(stages(shape, Work.whole(n))["scores"].multiplications)
    values = {"n": n, "heads": heads, "d_k": d_k}
    model = {"source": "seeded", "d_model": heads * d_k, "num_heads": heads}
    body = {"tokens": [f"w{at}" for at in range(n)], "model": model}
    slips = {"one_head": answer / heads}
    return Exercise("map_products", answer, values, question=body, slips=slips)


def open_pattern(rng: np.random.Generator) -> Exercise:
    kind, n = str(rng.choice(list(PATTERNS))), int(rng.integers(6, 11))
    patterns = PATTERNS[kind](rng)
    body = {"tokens": [f"w{at}" for at in range(n)], "causal": False, **patterns}
    open_in_rows = np.isfinite(stage(body, "masked_scores")[0]).sum(-1)
    worked = {"line": total(open_in_rows)}
    values = {"n": n, **patterns}
    return Exercise(kind, float(open_in_rows.sum()), values, question=body, worked=worked)


def where_maps_lead(rng: np.random.Generator) -> Exercise:
    heads = int(rng.choice([4, 8, 16]))
    kv_heads = int(rng.choice([heads, heads // 2, heads // 4]))
    d_k = int(rng.choice([32, 64]))
    shape = Shape(heads, kv_heads, heads * d_k, d_k, d_k)
    values = {"heads": heads, "kv_heads": kv_heads, "d_k": d_k, "d_model": heads * d_k}
    worked = {"columns": 2 * (heads + kv_heads) * d_k, "each": 2 * heads * d_k}
    return Exercise("where_maps_lead", break_even_length(shape), values, worked=worked)


CHAPTER = Chapter(
    "costs",
    needs=("decoding",),
    figures=(
        Figure("maps", {"causal": False}, stages=("q", "weights", "head_outputs"),
               knobs=("head", "model.num_heads")),
        Figure("sizes", {"dtype": computed.DTYPE}, view="lab",
               look={"lab": "costs", "sizes": computed.SIZES}),
        Figure("global", {"causal": False, "window": 2, "global_tokens": 1},
               stages=("masked_scores", "weights"), knobs=("window", "global_tokens", "causal")),
        Figure("strided", {"causal": False, "window": 2, "stride": 4},
               stages=("masked_scores", "weights"), knobs=("window", "stride", "causal")),
        Figure("blocks", {"causal": False, "block_size": 4},
               stages=("masked_scores", "weights"), knobs=("block_size", "causal")),
        Figure("linear", echo_question(TEXT), view="lab",
               look={"lab": "linear", **view_of_head(INDUCTION)},
               zh={**CHINESE.asked(), "look": view_of_head(CHINESE.induction)}),
    ),
    values={
        **dict.fromkeys(("opening", "stages", "who", "sparse"), computed.crossings),
        "fused": computed.fused_counts,
        "softer": by_language(computed.linear_weights),
        "layers": computed.paths,
    },
    tables={
        "stage": computed.stage_rows,
        "length": computed.length_rows,
        "pattern": computed.pattern_rows,
        "sums": computed.linear_rows,
        "counted": computed.layer_rows,
    },
    exercises=(
        map_products, open_pattern, where_maps_lead, false_statement("costs", "fused", "recurrent"),
        true_reason("costs"),
    ),
)  # fmt: skip
