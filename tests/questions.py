"""Random small questions (bodies of POST /attention) by seed."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

from attnscope.attention.architecture import Block
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer

threadpool_limits(1, "blas")  # as in the app: other threads change the last bits

WORDS = ("the", "cat", "saw", "猫", "爱", "鱼", "didn't", "🐟", "和", "dog")
INITS = ("xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "normal",
         "orthogonal", "identity")  # fmt: skip
BLOCKS: tuple[Block, ...] = ("attention", "residual", "pre_norm", "post_norm", "sublayer_norm")
Body = dict[str, Any]
# Together they draw every value of every option.
COVERING = (0, 8, 16, 25, 31, 39, 58, 59, 61, 83)
SEEDS = [
    pytest.param(COVERING, id="covering"),
    pytest.param(range(100), marks=pytest.mark.full, id="many"),
]


def ask(body: Body) -> Trace:
    """Without upload."""
    return answer(make_plan(Question.model_validate(body), Limits(), _no_upload))


def _no_upload(model_id: str) -> Any:
    raise LookupError(model_id)


def random_question(seed: int, longest: int = 6) -> Body:
    """Draws every option."""
    rng = Random(seed)
    model = seeded_model(rng) if rng.random() < 0.5 else explicit_model(rng)
    rows = [rng.randint(1, longest) for _ in range(rng.randint(1, 3))]
    given: Body = {"tokens": [sentence(rng, n) for n in rows]}
    if model["source"] == "explicit" and rng.random() < 0.7:
        rows = [rows[0]] * len(rows)
        given = {"x": [matrix(rng, n, len(model["w_q"])) for n in rows]}
    padded = rng.choice([None, rng.randint(max(rows), longest + 2)])
    options = random_options(rng, padded or max(rows))
    dropped = some_heads(Random(seed + 0.5), model)
    return {**given, "context_length": padded, "model": model, "drop": dropped, **options}


def patterned_question(seed: int, longest: int = 6) -> Body:
    """With global tokens, stride and blocks."""
    rng = Random(seed + 0.25)
    patterns = {
        "global_tokens": rng.choice([0, rng.randint(1, 3)]),
        "stride": rng.choice([None, rng.randint(2, longest + 1)]),
        "block_size": rng.choice([None, rng.randint(1, longest)]),
    }
    return {**random_question(seed, longest), **patterns}


def cross_question(seed: int, longest: int = 6) -> Body:
    """With a context for each text."""
    body, rng = random_question(seed, longest), Random(-seed)
    rows = [rng.randint(1, longest) for _ in body["x" if "x" in body else "tokens"]]
    if rng.random() < 0.3:
        width = body["model"].get("d_model") or len(body["model"]["w_q"])
        rows = [rows[0]] * len(rows)
        given: Body = {"context_x": [matrix(rng, m, width) for m in rows]}
    else:
        given = {"context_tokens": [sentence(rng, m) for m in rows]}
    n = body["context_length"] or max(len(row) for row in body["x" if "x" in body else "tokens"])
    cells = [[i, j] for i in range(n) for j in range(max(rows))]
    masks = {"causal": None, "window": None, "prefix": 0}
    blocked = rng.choice([[], rng.sample(cells, len(cells) // 4)])
    return {**body, **masks, **given, "blocked": blocked}


def random_options(rng: Random, n: int) -> Body:
    """Masks over n × n cells, scale, temperature."""
    cells = [[i, j] for i in range(n) for j in range(n)]
    return {
        "causal": rng.choice([None, True, False]),
        "window": rng.choice([None, rng.randint(1, n)]),
        "prefix": rng.choice([0, rng.randint(0, n)]),
        "blocked": rng.choice([[], rng.sample(cells, n * n // 4)]),
        "scale": rng.choice(["sqrt_d_k", "none", rng.uniform(-1, 1), 0.0]),
        "temperature": rng.choice([1.0, rng.uniform(0.3, 3)]),
    }


def some_heads(rng: Random, model: Body) -> list[list[int]]:
    """Mostly none, else about a third of all heads."""
    heads = product(range(model.get("num_layers", 1)), range(model["num_heads"]))
    share = rng.choice([0, 0, 1 / 3])
    return [list(one) for one in heads if rng.random() < share]


def seeded_model(rng: Random) -> Body:
    kv_heads, group = rng.randint(1, 3), rng.randint(1, 3)
    heads = kv_heads * group
    model: Body = {
        "source": "seeded",
        "seed": rng.randint(0, 2**53 - 1),
        "num_heads": heads,
        "num_kv_heads": kv_heads,
        "d_model": heads * rng.randint(1, 3),
        "num_layers": rng.randint(1, 3),
        "init": rng.choice(INITS),
        "bias": rng.choice([True, False]),
        "positions": rng.choice(["none", "sinusoidal", "rotary", "alibi"]),
        "block": rng.choice(BLOCKS),
        "mlp": rng.choice([True, False]),
    }
    if group == 1:
        model["share"] = rng.choice(["none", "qk", "qkv"])
    if rng.random() < 0.5 and model.get("share") != "qkv":
        model["d_k"], model["d_v"] = rng.randint(1, 4), rng.randint(1, 4)
    else:
        model["output_projection"] = rng.choice([True, False])
    if model["positions"] == "rotary" and model.get("d_k", model["d_model"] // heads) % 2:
        model["positions"] = "alibi"  # odd d_k has no pairs
    return model


def explicit_model(rng: Random) -> Body:
    kv_heads, group, d_model = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 5)
    heads, d_k, d_v = kv_heads * group, rng.randint(1, 4), rng.randint(1, 4)
    widths = {"q": heads * d_k, "k": kv_heads * d_k, "v": kv_heads * d_v, "o": rng.randint(1, 5)}
    letters = rng.choice(["qkv", "qkvo"])
    model: Body = {"source": "explicit", "num_heads": heads, "num_kv_heads": kv_heads}
    for letter in letters:
        rows = heads * d_v if letter == "o" else d_model
        model[f"w_{letter}"] = matrix(rng, rows, widths[letter])
        if rng.random() < 0.5:
            model[f"b_{letter}"] = matrix(rng, 1, widths[letter])[0]
    return model


def written_out(body: Body) -> Body:
    """One plain seeded layer as an explicit model."""
    model = Question.model_validate(body).model
    trace = ask(body)
    sizes = {name: getattr(model, name) for name in ("num_heads", "num_kv_heads")}
    kept = {name: getattr(model, name) for name in ("seed", "positions")}
    arrays = {name: array.tolist() for name, array in trace.parameters[0].arrays().items()}
    return {**body, "model": {"source": "explicit", **sizes, **kept, **arrays}}


def matrix(rng: Random, rows: int, columns: int) -> list[list[float]]:
    return [[rng.gauss(0, 1) for _ in range(columns)] for _ in range(rows)]


def sentence(rng: Random, n: int) -> list[str]:
    return [rng.choice(WORDS) for _ in range(n)]
