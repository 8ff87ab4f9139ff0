"""Architecture and training settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from training.tasks import TASKS


@dataclass(frozen=True)
class Recipe:
    """`steps` of AdamW on batches of `rows`.

    `cooling`: fraction of the steps in which the rate falls linearly to 0. `random` and `echoing`:
    fractions of a batch with repeated random segments, and with text that repeats: a `stretch`,
    then an earlier `piece`, both with minimum and exclusive maximum length.
    """

    name: str
    language: str | None
    vocabulary: int
    steps: int
    context: int = 128
    num_layers: int = 2
    num_heads: int = 4
    d_model: int = 128
    hidden: int | None = None  # of the MLP
    tied: bool = False  # unembedding = w_u embeddingᵀ
    rows: int = 32
    rate: float = 3e-3
    cooling: float = 0.25
    weight_decay: float = 0.01
    random: float = 0.5
    echoing: float = 0.25
    stretch: tuple[int, int] = (8, 32)
    piece: tuple[int, int] = (3, 16)
    asks_first: bool = True  # predict the first copy of a random segment too
    checkpoints: tuple[int, ...] = ()
    seed: int = 0

    @property
    def d_k(self) -> int:
        return self.d_model // self.num_heads

    def config(self) -> dict[str, Any]:
        sizes = {"num_layers": self.num_layers, "num_heads": self.num_heads}
        heads = {"num_kv_heads": self.num_heads, "d_model": self.d_model}
        widths = {"d_k": self.d_k, "d_v": self.d_k, "vocabulary": self.vocabulary}
        kind = {"block": "pre_norm", "positions": "rotary", "causal": True, "predicts": "next"}
        activation = {} if self.hidden is None else {"activation": "gelu_tanh"}
        tied = {"tied": True} if self.tied else {}
        made = {"language": self.language, "seed": self.seed, "steps": self.steps}
        start = {"family": "attnscope", "context": self.context}
        return {**start, **sizes, **heads, **widths, **kind, **activation, **tied, **made}


ECHO = Recipe(
    "echo",
    "en",
    8192,
    3200,
    tied=True,
    rows=24,
    cooling=0.5,
    asks_first=False,
    checkpoints=(400, 1000, 1100, 1300),
)
ECHO_ZH = Recipe("echo-zh", "zh", 3072, 2800, stretch=(4, 24), piece=(2, 7))


def task(name: str, num_heads: int = 4, steps: int = 3000) -> Recipe:
    kind = TASKS[name]
    return Recipe(
        name,
        None,
        vocabulary=len(kind.alphabet) + 1,
        steps=steps,
        context=kind.longest,
        num_heads=num_heads,
        d_model=32,
        rows=128,
        random=0,
        echoing=0,
    )


# The number of heads with the clearest map.
TASK_RECIPES = (task("reversal"), task("sorting", num_heads=2, steps=2000), task("addition"))
RECIPES = {recipe.name: recipe for recipe in (ECHO, ECHO_ZH, *TASK_RECIPES)}
