"""One causal head between embedding and unembedding.

The initial embedding, position, w_q and w_k are halved, so that no softmax saturates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from attnscope.attention.architecture import Architecture, Parameters, Shape
from attnscope.attention.backward import backward
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.attention.transformer import forward
from attnscope.attention.unembed import log_softmax
from attnscope.toy_training.tasks import NO_TARGET, Problems, Task, num_positions, vocabulary
from attnscope.weights import schemes
from attnscope.weights.schemes import stream_of

D_MODEL = 32
ARCHITECTURE = Architecture(Shape(1, 1, D_MODEL, D_MODEL, D_MODEL), positions="learned")
OPTIONS = Options(scale=D_MODEL**-0.5, mask=Mask(causal=True))
SMALLER = 0.5
UNEMBEDDING = 0x756E656D
MATRICES = ("w_q", "w_k", "w_v", "w_o")


@dataclass(frozen=True)
class Weights:
    """Trained arrays, or their gradients."""

    embedding: Float[np.ndarray, "vocabulary d_model"]
    position: Float[np.ndarray, "place d_model"]
    layer: Parameters
    unembedding: Float[np.ndarray, "d_model vocabulary"]

    def arrays(self) -> dict[str, np.ndarray]:
        tables = {"embedding": self.embedding, "position": self.position}
        return {**tables, **self.layer.arrays(), "unembedding": self.unembedding}

    def after_step(self, rate: float, gradients: Weights) -> Weights:
        slopes = gradients.arrays()
        with np.errstate(over="ignore", invalid="ignore"):
            arrays = {name: w - rate * slopes[name] for name, w in self.arrays().items()}
        layer = Parameters(**{name: arrays[name] for name in self.layer.arrays()})
        return Weights(arrays["embedding"], arrays["position"], layer, arrays["unembedding"])


def initial_weights(task: Task, length: int, seed: int) -> Weights:
    """See docs/mathematics.md."""
    words = vocabulary(task)
    layer = schemes.seeded_layer(ARCHITECTURE.shape, seed, 0)
    return Weights(
        SMALLER * schemes.seeded_embeddings(words, seed, D_MODEL),
        SMALLER * schemes.learned_positions(num_positions(task, length), seed, D_MODEL),
        replace(layer, w_q=SMALLER * layer.w_q, w_k=SMALLER * layer.w_k),
        stream_of(seed, UNEMBEDDING).normal(0.0, D_MODEL**-0.5, (D_MODEL, len(words))),
    )


@dataclass(frozen=True)
class LossAndGradients:
    """`surprises`: −ln p of targets, 0 elsewhere. `solved`: share of targets predicted."""

    surprises: Float[np.ndarray, "problem place"]
    loss: float
    solved: float
    gradients: Weights


def compute_gradients(weights: Weights, problems: Problems) -> LossAndGradients:
    stages, y = run(weights, problems.ids)
    rows = np.nonzero(problems.targets != NO_TARGET)
    targets = problems.targets[rows]
    with np.errstate(over="ignore", invalid="ignore"):
        logs = log_softmax(y[rows] @ weights.unembedding)
        each = np.arange(len(targets))
        surprises = np.zeros(problems.targets.shape)
        surprises[rows] = -logs[each, targets]
        g_logits = np.exp(logs)
        g_logits[each, targets] -= 1
        g_logits /= len(targets)
        g_y = np.zeros_like(y)
        g_y[rows] = g_logits @ weights.unembedding.T
        g = backward([stages], [weights.layer], layer_context_of(problems.ids), g_y)[0]
        g_embedding = np.zeros_like(weights.embedding)
        np.add.at(g_embedding, problems.ids, g["x"])
        gradients = Weights(
            g_embedding,
            g["x"].sum(axis=0),
            Parameters(**{name: g[name] for name in MATRICES}),
            y[rows].T @ g_logits,
        )
        solved = float((logs.argmax(axis=1) == targets).mean())
        return LossAndGradients(surprises, float(-logs[each, targets].mean()), solved, gradients)


def run(weights: Weights, ids: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Stages and output for `ids` [problem, position]."""
    stages: dict[str, np.ndarray] = {}

    def keep(_layer: int, name: str, array: np.ndarray) -> None:
        stages[name] = array

    with np.errstate(over="ignore", invalid="ignore"):
        x = weights.embedding[ids] + weights.position[: ids.shape[1]]
        y = forward(x, [weights.layer], layer_context_of(ids), keep)
    return stages, y


def layer_context_of(ids: np.ndarray) -> LayerContext:
    count, length = ids.shape
    return LayerContext(ARCHITECTURE, [(length, length)] * count, OPTIONS)
