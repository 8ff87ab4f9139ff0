from __future__ import annotations

from functools import cache, partial

import numpy as np

from attnscope.attention.ops import layer_norm
from attnscope.learn.arithmetic import bracketed, largest_difference, signed, total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import WORDS, sentence
from attnscope.learn.echo import IN_CHINESE, INDUCTION, TEXT, echo_question, view_of_head
from attnscope.learn.exercises import LANGUAGE, compute_trace, join_texts, stage
from attnscope.learn.parts import Body, Exercise, Figure, Given
from attnscope.learn.why import false_statement, true_reason

NAMES = {"en": ("Ada", "Bo", "Cy", "Di", "Eve", "Flo", "Gus"), "zh": tuple("甲乙丙丁戊己庚")}
BLOCKS_IN_CHINESE = {
    "attention": "仅注意力", "residual": "残差", "pre_norm": "前归一化", "post_norm": "后归一化",
    "sublayer_norm": "子层归一化",
}  # fmt: skip


def induced(rng: np.random.Generator) -> Exercise:
    words = [str(word) for word in rng.permutation(NAMES[LANGUAGE.get()])[:4]]
    tokens = [*words, words[int(rng.integers(3))]]
    body = {"tokens": tokens, "model": {"source": "crafted", "name": "induction"}}
    looked_at = int(compute_trace(body).layers[1]["weights"][0, :, -1].sum(0).argmax())
    values = {"sentence": " ".join(tokens), "word": tokens[-1]}
    choices = tuple(sorted(words))
    return Exercise("induced", tokens[looked_at], values, choices=choices, question=body)


def stacked(rng: np.random.Generator, block: str, layers: int) -> Body:
    model = {"source": "seeded", "seed": int(rng.integers(99)), "d_model": 8, "num_heads": 2}
    return {
        "tokens": sentence(rng, 3, 5), "model": {**model, "num_layers": layers, "block": block},
    }  # fmt: skip


def next_x(rng: np.random.Generator) -> Exercise:
    answers = (["attention"], ["residual", "pre_norm"], ["post_norm"], ["sublayer_norm"])
    block = str(rng.choice(answers[int(rng.integers(4))]))
    body = stacked(rng, block, 2)
    first, second = compute_trace(body).layers
    x, output = first["x"], first["output"]
    candidates = {
        "stage.output": output, "stage.x_plus_output": x + output,
        "exercise.norm_of_sum": layer_norm(x + output), "exercise.sum_with_norm":
        x + layer_norm(output),
    }  # fmt: skip
    (answer,) = (name for name, rows in candidates.items() if np.allclose(rows, second["x"]))
    others = [
        np.abs(rows - second["x"]).max() for name, rows in candidates.items() if name != answer
    ]
    worked = {"difference": f"{min(others):.2f}"}
    values = {"block": BLOCKS_IN_CHINESE[block] if LANGUAGE.get() == "zh" else block}
    return Exercise(
        "next_x", answer, values, choices=tuple(candidates), question=body, worked=worked
    )


def residual(rng: np.random.Generator) -> Exercise:
    body = stacked(rng, "residual", 1)
    x, output, after = (stage(body, name) for name in ("x", "output", "block_output"))
    row, col = int(rng.integers(len(x))), int(rng.integers(8))
    terms = {"x": x[row, col].round(2), "output": output[row, col].round(2)}
    values = {name: f"{value:.2f}".replace("-", "−") for name, value in terms.items()}
    # The answer is the sum of the displayed numbers, which are rounded.
    assert abs(after[row, col] - sum(terms.values())) < 0.0101
    answer, worked = float(sum(terms.values())), {"line": total(terms.values())}
    return Exercise("residual", answer, values, decimals=2, question=body, worked=worked)


def norm_of_layer(rng: np.random.Generator) -> Exercise:
    """A normed row has the bias as mean, and the squared gain as variance."""
    gain, bias = float(rng.choice([0.5, 1.5, 2, 3, 4])), float(rng.choice([-2, -1, 0.5, 2, 3]))
    x = stage(stacked(rng, "residual", 1), "block_output")
    row = layer_norm(x, np.full(8, gain), np.full(8, bias))[0]
    kind = str(rng.choice(["norm_mean", "norm_variance"]))
    answer = float({"norm_mean": row.mean(), "norm_variance": row.var()}[kind])
    values = {"gain": f"{gain:g}", "bias": signed(bias)}
    return Exercise(kind, answer, values, decimals=2, worked={"added": bracketed(bias)})


def post_norm_cell(rng: np.random.Generator) -> Exercise:
    """The mean is an integer, for mental arithmetic."""
    shape = np.array([[3, -1, -1, -1], [2, 0, 0, -2], [1, 1, -1, -1], [-3, 1, 1, 1]])
    sums = rng.permutation(rng.choice(shape)) * int(rng.integers(1, 3)) + int(rng.integers(-2, 3))
    x, column = rng.integers(-3, 4, 4), int(rng.integers(4))
    output = sums - x
    row = layer_norm((x + output)[None].astype(float))[0]
    mean, spread = float(sums.mean()), float(sums.std())
    worked = {
        "line": total((sums[column], -mean)), "spread": f"{spread:.3f}",
        "sums": join_texts(map(signed, sums)),
    }  # fmt: skip
    given = (
        Given("x", [x.astype(float).tolist()]),
        Given("output", [output.astype(float).tolist()]),
    )
    answer, values = float(row[column]), {"column": column}
    return Exercise("post_norm_cell", answer, values, 2, given=given, worked=worked)


@cache
def growth() -> dict[str, str]:
    terms = {}
    for block in ("post_norm", "pre_norm", "sublayer_norm"):
        model = {"source": "seeded", "num_layers": 24, "block": block}
        layers = compute_trace({"tokens": list(WORDS), "model": model}).layers
        for name, layer in (("first", layers[0]), ("last", layers[-1])):
            size = float(np.sqrt(np.mean(layer["block_output"] ** 2)))
            terms[f"{block}_{name}"] = f"{size:.2f}"
    return terms


MAT, MAT_ZH = ("The", "cat", "sat", "on", "the", "mat"), tuple("猫坐在垫子上")


def earlier_words(tokens: tuple[str, ...] = MAT, first: str = "A") -> dict[str, str]:
    model = {"source": "seeded", "num_layers": 2}
    one, other = (compute_trace({"tokens": list(words), "model": model}).layers
                  for words in (tokens, (first, *tokens[1:])))  # fmt: skip
    moved = [
        largest_difference(a["q"][0, :, -1], b["q"][0, :, -1])
        for a, b in zip(one, other, strict=True)
    ]
    return {"below": moved[0], "above": moved[1]}


CHAPTER = Chapter(
    "layers",
    needs=("heads",),
    figures=(
        Figure("two", {"model": {"source": "seeded", "num_layers": 2, "block": "residual"}},
               stages=("x", "weights", "block_output"), knobs=("layer", "model.block", "head")),
        Figure("induction", {"text": "Ada Bo Cy Di Ada",
                             "model": {"source": "crafted", "name": "induction"}},
               stages=("weights",), look={"layer": 1}, knobs=("layer", "head"),
               zh={"text": "甲 乙 丙 丁 甲"}),
        Figure("trained", echo_question(TEXT), stages=("weights",), look=view_of_head(INDUCTION),
               knobs=("layer", "head"), zh=IN_CHINESE),
        Figure("rollout", {"model": {"source": "seeded", "num_layers": 3, "block": "residual"}},
               view="heads", look={"rollout": True, "layer": 2}, knobs=("model.num_layers",)),
    ),
    values={"norms": growth, "queries": (earlier_words, partial(earlier_words, MAT_ZH, "狗"))},
    exercises=(
        induced, next_x, residual, norm_of_layer, post_norm_cell,
        false_statement("layers", "replaced", "current_token", "sublayer"), true_reason("layers"),
    ),
)  # fmt: skip
