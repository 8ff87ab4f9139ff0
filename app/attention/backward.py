"""The steps of `transformer.py` and `attend.py` in reverse, by hand: derivatives of one number.

g["q"] is the derivative of the objective, one number made of the last output, with respect to the
stage q: an array of q's own axes. Read `attend.py` upwards:

    g output       = what the objective says
    g concat       = g output w_oᵀ                      g w_o = concatᵀ g output
    g head_outputs = g concat, split into heads, 0 for those dropped
    g weights      = g head_outputs vᵀ                  g v   = weightsᵀ g head_outputs
    g masked_scores = weights (g weights − Σ g weights weights), over the keys of a row
    g scaled_scores = g masked_scores where open, 0 elsewhere
    g scores       = g scaled_scores × scale / temperature
    g q            = g scores k                         g k   = g scoresᵀ q
    g x            = g q w_qᵀ + g k w_kᵀ + g v w_vᵀ     g w_q = xᵀ g q and so on

Heads that share a key/value head add up in its k and v. In cross-attention what comes through k
and v goes to the context. Each tensor has a derivative of its own: where one matrix serves as two
(`share`), the derivative with respect to it is the sum of both. Rumelhart, Hinton & Williams 1986,
"Learning representations by back-propagating errors".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from jaxtyping import Float

from app.attention import lanes, memory
from app.attention.architecture import Architecture
from app.attention.attend import kept_heads, merge_heads, split_heads
from app.attention.derivatives import (
    ACTIVATIONS_BACK,
    layer_norm_back,
    project_back,
    softmax_back,
)
from app.attention.parameters import Parameters
from app.attention.positions import rotate
from app.attention.setting import Options, Setting
from app.attention.strips import SPREAD_CELLS
from app.attention.transformer import ATTENTION, MLP, Out, Rows, Sublayer

Arrays = dict[str, np.ndarray]

# What a sublayer receives, what it returns, and its norm.
ENDS = {ATTENTION: ("x", "output", "norm"), MLP: ("middle", "mlp_output", "mlp_norm")}


def backward(
    layers: Sequence[Arrays],
    parameters: Sequence[Parameters],
    setting: Setting,
    cotangent: Float[np.ndarray, "batch query out"],
    at: str = "output",
) -> list[Arrays]:
    """Derivatives by name, of every stage and tensor of each layer.

    `layers` are the stages that `forward` kept; `cotangent` is the derivative of the objective
    with respect to the last layer's output, or with at="block_output" to what its block gives. The
    block output of a layer is the x of the next, and has its derivative.
    """
    last = len(layers) - 1
    g_block_output, g_output = cotangent, None
    bare = setting.architecture.block == "attention" and parameters[last].w_in is None
    if at == "output" and not bare:
        g_block_output, g_output = np.zeros_like(layers[last]["block_output"]), cotangent
    gradients: list[Arrays] = []
    with np.errstate(over="ignore", invalid="ignore"):  # not finite where the trace is not
        for i in range(last, -1, -1):
            g = layer_back(g_block_output, layers[i], parameters[i], setting.at(i), g_output)
            gradients.append(g)
            g_block_output, g_output = g["x"], None
    return gradients[::-1]


def layer_back(
    g_block_output: Out,
    stages: Arrays,
    p: Parameters,
    setting: Setting,
    g_output: Out | None = None,
) -> Arrays:
    """Of one block; `g_output` is what the objective takes from `output` itself, if anything."""
    g: Arrays = {"block_output": g_block_output}
    around = setting.architecture

    def attention(g_y: Out) -> Rows:
        whole = g_y if g_output is None else g_y + g_output
        return attend_back(whole, stages, p, setting, g)

    def mlp(g_y: Rows) -> Rows:
        return mlp_back(g_y, stages, p, setting, g)

    g_y = g_block_output
    if p.w_in is not None:
        g_y = g["middle"] = around_back(mlp, g_y, around, MLP, stages, p, g)
    g["x"] = around_back(attention, g_y, around, ATTENTION, stages, p, g)
    there = {*stages, *p.arrays()}
    return {name: array for name, array in g.items() if name in there}


def around_back(
    f_back: Callable[[Out], Rows],
    g_y: Out,
    around: Architecture,
    names: Sublayer,
    stages: Arrays,
    p: Parameters,
    g: Arrays,
) -> Rows:
    """g of what a sublayer f received, through the residual and the norm that lie around it."""
    (received, returned, norm), block = ENDS[names], around.block

    def norm_back(g_normed: Rows, of: str) -> Rows:
        gain = getattr(p, f"{norm}_gain")
        g_z, g[f"{norm}_gain"], g[f"{norm}_bias"] = layer_norm_back(
            g_normed, stages[of], gain, around.epsilon
        )
        return g_z

    if block == "attention":
        g_x = f_back(g_y)
    elif block == "residual":
        g_x = g_y + f_back(g_y)
    elif block == "pre_norm":
        g[names.normed_input] = f_back(g_y)
        g_x = g_y + norm_back(g[names.normed_input], received)
    elif block == "sublayer_norm":
        g[names.normed_output] = g_y
        g_x = g_y + f_back(norm_back(g_y, returned))
    else:
        g[names.added] = norm_back(g_y, names.added)
        g_x = g[names.added] + f_back(g[names.added])
    return g_x


def mlp_back(
    g_mlp_output: Rows, stages: Arrays, p: Parameters, setting: Setting, g: Arrays
) -> Rows:
    """g of z in φ(z w_in + b_in) w_out + b_out."""
    activation_back = ACTIVATIONS_BACK[setting.architecture.activation]
    assert p.w_in is not None
    assert p.w_out is not None
    z = stages["normed_middle" if "normed_middle" in stages else "middle"]
    g["mlp_output"] = g_mlp_output
    g["activated"], g["w_out"], g["b_out"] = project_back(
        g["mlp_output"], stages["activated"], p.w_out
    )
    g["hidden"] = activation_back(g["activated"], stages["hidden"])
    g_z, g["w_in"], g["b_in"] = project_back(g["hidden"], z, p.w_in)
    return g_z


def attend_back(g_output: Out, stages: Arrays, p: Parameters, setting: Setting, g: Arrays) -> Rows:
    """g of what attention received: x, or x normed; that of a context goes to g["context"]."""
    x = stages["normed_x" if "normed_x" in stages else "x"]
    asked = stages.get("context", x)
    g["output"] = g["concat"] = g_output
    if p.w_o is not None:
        g["concat"], g["w_o"], g["b_o"] = project_back(g["output"], stages["concat"], p.w_o)
    g["head_outputs"] = kept_heads(
        split_heads(g["concat"], setting.shape.num_heads), setting.dropped
    )
    g |= attend_heads_back(g["head_outputs"], stages, setting.options, setting.dropped)
    g_q, g_k = g["q"], g["k"]
    if setting.architecture.positions == "rotary":
        g_q, g_k = g["unrotated_q"], g["unrotated_k"] = rotate(g_q, -1), rotate(g_k, -1)
    from_q, g["w_q"], g["b_q"] = project_back(merge_heads(g_q), x, p.w_q)
    from_k, g["w_k"], g["b_k"] = project_back(merge_heads(g_k), asked, p.w_k)
    from_v, g["w_v"], g["b_v"] = project_back(merge_heads(g["v"]), asked, p.w_v)
    from_asked = from_k + from_v
    if "context" in stages:
        g["context"] = from_asked
        return from_q
    g_x: np.ndarray = from_q + from_asked
    return g_x


def attend_heads_back(
    g_head_outputs: Float[np.ndarray, "batch head query d_v"],
    stages: Arrays,
    options: Options,
    dropped: Sequence[int] = (),
) -> Arrays:
    """g of the four maps and of q, k and v; the heads of a group add up in its k and v.

    A closed cell passes nothing on: its weight is 0 whatever its score, so g is 0 there in
    masked_scores, scaled_scores and scores. Neither does a dropped head: its numbers are not
    read, for they may have overflowed, and 0 times an infinity is no number.
    """
    q, k, v, weights = (stages[name] for name in ("q", "k", "v", "weights"))
    group = q.shape[1] // k.shape[1]
    factor = options.scale / options.temperature
    g_weights, g_masked, g_scores = (memory.empty(weights.shape, q.dtype) for _ in range(3))
    g_q, g_k, g_v = np.empty_like(q), np.zeros_like(k), np.zeros_like(v)

    def kv_head(item: tuple[int, int]) -> None:
        b, kv = item
        with np.errstate(over="ignore", invalid="ignore"):  # a setting of each thread
            for h in range(kv * group, (kv + 1) * group):
                if h in dropped:
                    for g in (g_weights, g_masked, g_scores, g_q):
                        g[b, h] = 0
                    continue
                np.matmul(g_head_outputs[b, h], v[b, kv].T, out=g_weights[b, h])
                softmax_back(g_weights[b, h], weights[b, h], out=g_masked[b, h])
                np.multiply(g_masked[b, h], factor, out=g_scores[b, h])
                np.matmul(g_scores[b, h], k[b, kv], out=g_q[b, h])
                g_k[b, kv] += g_scores[b, h].T @ q[b, h]
                g_v[b, kv] += weights[b, h].T @ g_head_outputs[b, h]

    items = list(product(range(q.shape[0]), range(k.shape[1])))
    lanes.for_each(kv_head, items, spread=weights.size >= SPREAD_CELLS)
    maps = {"weights": g_weights, "masked_scores": g_masked, "scaled_scores": g_masked}
    return {**maps, "scores": g_scores, "q": g_q, "k": g_k, "v": g_v}
