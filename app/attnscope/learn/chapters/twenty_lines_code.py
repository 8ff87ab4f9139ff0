"""Attention as three programs, step by step.

Each starts from x, w_q, w_k, w_v, w_o and h, the number of heads, and uses the names of the stages.
numpy and PyTorch take a batch [B, n, d]; the loops take a sentence [n][d], and store stages as
{(head, row, column): number}. Tests compare every stage with the engine's.
"""

from __future__ import annotations

import ast

from attnscope.learn.parts import StageCode

LANGUAGES = ("loops", "numpy", "torch")

LOOPS_X = """\
from math import exp, inf, sqrt
from itertools import product
n, d = len(x), len(x[0])
d_k = len(w_q[0]) // h
H, N = range(h), range(n)
C, D = range(d_k), range(d)"""

LOOPS_PROJECTED = """\
{name} = {{}}
for s, i, c in product(H, N, C):
    {name}[s, i, c] = sum(
        x[i][a] * w_{name}[a][s * d_k + c]
        for a in D)"""

NUMPY_PROJECTED = """\
{name} = (x @ w_{name}).reshape(B, n, h, -1)
{name} = {name}.transpose(0, 2, 1, 3)"""

TORCH_PROJECTED = """\
{name} = (x @ w_{name}).view(B, n, h, -1)
{name} = {name}.transpose(1, 2)"""

LOOPS_SCORES = """\
scores = {}
for s, i, j in product(H, N, N):
    scores[s, i, j] = sum(
        q[s, i, c] * k[s, j, c]
        for c in C)"""

LOOPS_SCALED = """\
scaled_scores = {}
for at in scores:
    scaled_scores[at] = (
        scores[at] / sqrt(d_k))"""

LOOPS_MASKED = """\
masked_scores = {}
for s, i, j in scores:
    masked_scores[s, i, j] = (
        scaled_scores[s, i, j]
        if j <= i else -inf)"""

NUMPY_MASKED = """\
may = np.tri(n, dtype=bool)
masked_scores = np.where(
    may, scaled_scores, -np.inf)"""

TORCH_MASKED = """\
may = torch.ones(n, n).tril().bool()
masked_scores = torch.where(
    may, scaled_scores, -torch.inf)"""

LOOPS_WEIGHTS = """\
weights = {}
for s, i in product(H, N):
    row = [masked_scores[s, i, j]
           for j in N]
    top = max(row)
    e = [exp(z - top) for z in row]
    for j in N:
        weights[s, i, j] = (
            e[j] / sum(e))"""

NUMPY_WEIGHTS = """\
top = masked_scores.max(
    -1, keepdims=True)
e = np.exp(masked_scores - top)
weights = e / e.sum(-1, keepdims=True)"""

LOOPS_HEAD_OUTPUTS = """\
head_outputs = {}
for s, i, c in product(H, N, C):
    head_outputs[s, i, c] = sum(
        weights[s, i, j] * v[s, j, c]
        for j in N)"""

LOOPS_CONCAT = """\
concat = {}
for s, i, c in head_outputs:
    concat[i, s * d_k + c] = (
        head_outputs[s, i, c])"""

NUMPY_CONCAT = """\
concat = head_outputs.transpose(
    0, 2, 1, 3)
concat = concat.reshape(B, n, -1)"""

TORCH_CONCAT = """\
concat = head_outputs.transpose(1, 2)
concat = concat.reshape(B, n, -1)"""

LOOPS_OUTPUT = """\
output = {}
for i, a in product(N, D):
    output[i, a] = sum(
        concat[i, c] * w_o[c][a]
        for c in range(h * d_k))"""


def _projected(name: str) -> StageCode:
    codes = (LOOPS_PROJECTED, NUMPY_PROJECTED, TORCH_PROJECTED)
    return StageCode(name, tuple(code.format(name=name) for code in codes))


STEPS = (
    StageCode("x", (LOOPS_X, "import numpy as np\nB, n, d = x.shape",
               "import torch\nB, n, d = x.shape")),
    _projected("q"),
    _projected("k"),
    _projected("v"),
    StageCode("scores", (LOOPS_SCORES, "scores = q @ k.swapaxes(-1, -2)",
                    "scores = q @ k.transpose(-2, -1)")),
    StageCode("scaled_scores", (LOOPS_SCALED, "scaled_scores = (\n    scores / q.shape[-1] ** 0.5)",
                           "scaled_scores = (\n    scores / q.size(-1) ** 0.5)")),
    StageCode("masked_scores", (LOOPS_MASKED, NUMPY_MASKED, TORCH_MASKED)),
    StageCode("weights", (LOOPS_WEIGHTS, NUMPY_WEIGHTS, "weights = masked_scores.softmax(-1)")),
    StageCode("head_outputs", (LOOPS_HEAD_OUTPUTS, "head_outputs = weights @ v",
                          "head_outputs = weights @ v")),
    StageCode("concat", (LOOPS_CONCAT, NUMPY_CONCAT, TORCH_CONCAT)),
    StageCode("output", (LOOPS_OUTPUT, "output = concat @ w_o", "output = concat @ w_o")),
)  # fmt: skip


def program(language: str) -> str:
    at = LANGUAGES.index(language)
    return "\n".join(step.codes[at] for step in STEPS) + "\n"


def count_statements(language: str) -> int:
    """Number of statements of a program."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(program(language))))
