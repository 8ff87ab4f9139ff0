from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attnscope.analysis.predictions import ids_of, logits_at
from attnscope.attention.unembed import Unembedding, log_softmax
from attnscope.installed.model_registry import shipped_model
from attnscope.learn import arithmetic
from attnscope.learn.arithmetic import signed
from attnscope.learn.echo import CHINESE, ENGLISH, Echo
from attnscope.learn.exercises import stage
from attnscope.learn.head_ablation import percent, trace_of
from attnscope.learn.parts import Body
from attnscope.weights.schemes import seeded_embeddings

TWO: Body = {
    "x": [[1, 2], [3, -1]], "causal": False,
    "model": {"source": "explicit", "w_q": [[2, 0], [1, -1]], "w_k": [[1, 0], [0, 1]],
              "w_v": [[1, 0], [0, 1]]},
}  # fmt: skip
PREDICTED_ROW = 10  # last row of both sentences
TOP = 4
NEIGHBOURS = {  # tokens whose nearest rows are listed
    ENGLISH: (" Emma", " father", " seven", " she"), CHINESE: ("春", "三", "雨", "不"),
}  # fmt: skip
SHOWN_ROWS = (2, 3, 10)  # rows shown of both sentences; rows 2 and 10 have equal tokens
WORDS = {
    ENGLISH: ("the", "cat", "saw", "a", "dog", "and", "the", "mouse"),
    CHINESE: ("小", "猫", "看", "小", "狗", "追", "老", "鼠"),
}
D_MODEL, SEEDS = 16, 20


def products() -> list[list[str]]:
    x, w, q = np.array(TWO["x"]), np.array(TWO["model"]["w_q"]), stage(TWO, "q")[0]
    return [
        [f"({i}, {j})", arithmetic.products(x[i], w[:, j]), signed(q[i, j])]
        for i, j in np.ndindex(q.shape)
    ]


def matrix_of_two() -> Mapping[str, str]:
    first, second = (", ".join(map(signed, row)) for row in TWO["model"]["w_q"])
    return {"first": f"({first})", "second": f"({second})"}


def powers() -> list[list[str]]:
    numbers = np.arange(-1.0, 4.0)
    each = np.exp(numbers)
    shares = each / each.sum()
    return [
        [signed(z), f"{power:.3f}", f"{share:.3f}"]
        for z, power, share in zip(numbers, each, shares, strict=True)
    ]


def shown(piece: str) -> str:
    return piece.replace(" ", "␣")


def x_rows(echo: Echo) -> list[list[str]]:
    trace = trace_of(echo)
    tokens, ids, x = trace.plan.words.tokens, ids_of(trace.plan, 0), trace.layers[0]["x"][0]
    assert tokens is not None
    return [
        [shown(tokens[0][i] or ""), str(ids[i]), *(signed(round(float(n), 3)) for n in x[i, :3])]
        for i in SHOWN_ROWS
    ]


def nearest_rows(echo: Echo) -> list[list[str]]:
    names = logits(echo)[0]
    model = shipped_model(echo.name)
    table = model.read(model.newest).embedding.astype(np.float64)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    rows = []
    for piece in NEIGHBOURS[echo]:
        cosines = table @ table[names.index(piece)]
        near = np.argsort(-cosines)[1:4]
        rows.append([shown(piece), *(f"{shown(names[i])} {cosines[i]:.2f}" for i in near)])
    return rows


def row_of_echo(echo: Echo) -> Mapping[str, str]:
    model, last = trace_of(echo).plan.model, x_rows(echo)[-1]
    assert model.vocab is not None
    return {
        "pieces": f"{len(model.vocab):,}", "d_model": str(model.shape.d_model),
        "numbers": f"{len(model.vocab) * model.shape.d_model:,}", "piece": last[0], "id": last[1],
    }  # fmt: skip


@cache
def logits(echo: Echo) -> tuple[list[str], np.ndarray]:
    model = trace_of(echo).plan.model
    assert model.pieces is not None
    return list(model.pieces.names), logits_at(trace_of(echo), 0, [PREDICTED_ROW])[0].astype(
        np.float64
    )


def likeliest_rows(echo: Echo) -> list[list[str]]:
    names, z = logits(echo)
    each = np.exp(z)
    first = np.argsort(-z)[:TOP]
    share = each / each.sum()
    table = [[shown(names[i]), f"{z[i]:.2f}", f"{each[i]:,.0f}", percent(share[i])] for i in first]
    rest = np.delete(each, first)
    return [*table, ["…", "…", f"{rest.sum():,.0f}", percent(rest.sum() / each.sum())]]


def place_of_echo(echo: Echo) -> Mapping[str, str]:
    names, z = logits(echo)
    first, second = np.argsort(-z)[:2]
    lead = float(z[first] - z[second])
    return {
        **row_of_echo(echo), "said": shown(names[first]), "next": shown(names[second]),
        "lead": f"{lead:.2f}", "times": f"{np.exp(lead):.0f}",
        "chance": percent(float(np.exp(log_softmax(z[None]))[0, first])),
        "rest": f"{len(names) - TOP:,}",
    }  # fmt: skip


def seeded_back(
    block: str, seed: int, sentence: tuple[str, ...] = WORDS[ENGLISH]
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Words of a sentence, and their logits and probabilities as the next word, by tied embeddings
    (Press & Wolf 2017)."""
    model = {"source": "seeded", "seed": seed, "d_model": D_MODEL, "num_heads": 4, "block": block}
    y = stage({"tokens": list(sentence), "model": model}, "block_output")[-1:]
    words = list(dict.fromkeys(sentence))
    z = Unembedding(seeded_embeddings(words, seed, D_MODEL).T).logits(y)
    return words, z[0], np.exp(log_softmax(z))[0]


def untrained_rows(echo: Echo) -> list[list[str]]:
    words, z, p = seeded_back("residual", 0, WORDS[echo])
    _, z_alone, p_alone = seeded_back("attention", 0, WORDS[echo])
    numbers = zip(z, p, z_alone, p_alone, strict=True)
    return [
        [word, *(f"{number:.{places}f}".replace("-", "−")
                 for number, places in zip(row, (2, 3, 2, 3), strict=True))]
        for word, row in zip(words, numbers, strict=True)
    ]  # fmt: skip


@cache
def _repeats(block: str, sentence: tuple[str, ...]) -> int:
    """Number of seeds whose likeliest next word is the last of the sentence."""
    backs = (seeded_back(block, seed, sentence) for seed in range(SEEDS))
    return sum(words[int(z.argmax())] == sentence[-1] for words, z, _ in backs)


def untrained(echo: Echo) -> Mapping[str, str]:
    words = WORDS[echo]
    vector = seeded_embeddings([words[-1]], 0, D_MODEL)[0]
    return {
        "sentence": ("" if echo == CHINESE else " ").join(words), "last": words[-1],
        "d_model": str(D_MODEL), "seeds": str(SEEDS), "repeats": str(_repeats("residual", words)),
        "alone": str(_repeats("attention", words)), "itself": f"{vector @ vector:.1f}",
    }  # fmt: skip
