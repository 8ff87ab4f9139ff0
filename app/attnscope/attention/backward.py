"""Reverse of `transformer.py` and `attend.py`: derivatives of one number, the objective.

g["q"] is the derivative with respect to the stage q, with the axes of q.

    g concat       = g output w_oᵀ                      g w_o = concatᵀ g output
    g head_outputs = g concat, split into heads, 0 for dropped heads
    g weights      = g head_outputs vᵀ                  g v   = weightsᵀ g head_outputs
    g masked_scores = weights (g weights − Σ g weights weights), over the keys of a row
    g scaled_scores = g masked_scores where open, 0 elsewhere
    g scores       = g scaled_scores × scale / temperature
    (with a cap:   × (1 − (scaled_scores / cap)²))
    g q            = g scores k                         g k   = g scoresᵀ q
    g x            = g q w_qᵀ + g k w_kᵀ + g v w_vᵀ     g w_q = xᵀ g q and so on

The derivatives of k and v are sums over the heads of a group; in cross-attention they continue into
the context. A matrix tied by `share` has one derivative for each use.
Rumelhart, Hinton & Williams 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory, thread_pool
from attnscope.attention.architecture import Parameters
from attnscope.attention.attend import merge_heads, split_heads, zero_heads
from attnscope.attention.derivatives import (
    ACTIVATIONS_BACK,
    NORMS_BACK,
    capped_back,
    project_back,
    softmax_back,
)
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.ops import ACTIVATIONS
from attnscope.attention.positions import rotate
from attnscope.attention.strips import SPREAD_CELLS
from attnscope.attention.transformer import ATTENTION, MLP, Out, Rows, Sublayer

Arrays = dict[str, np.ndarray]
Stages = Mapping[str, np.ndarray]
Normed = Float[np.ndarray, "*axes d"]

ENDS = {ATTENTION: ("x", "output"), MLP: ("middle", "mlp_output")}


def backward(
    layers: Sequence[Mapping[str, np.ndarray]],
    parameters: Sequence[Parameters],
    setting: LayerContext,
    cotangent: Float[np.ndarray, "batch query out"],
    at: str = "output",
) -> list[Arrays]:
    """`cotangent`: derivative with respect to the stage `at` of the last layer, "output" or
    "block_output"."""
    last = len(layers) - 1
    g_block_output, g_output = cotangent, None
    bare = setting.architecture.block == "attention" and parameters[last].w_in is None
    if at == "output" and not bare:
        g_block_output, g_output = np.zeros_like(layers[last]["block_output"]), cotangent
    gradients: list[Arrays] = []
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(last, -1, -1):
            g = layer_back(g_block_output, layers[i], parameters[i], setting.at(i), g_output)
            gradients.append(g)
            g_block_output, g_output = g["x"], None
    return gradients[::-1]


def layer_back(
    g_block_output: Out,
    stages: Stages,
    p: Parameters,
    setting: LayerContext,
    g_output: Out | None = None,
) -> Arrays:
    g: Arrays = {"block_output": g_block_output}

    def attention(g_y: Out) -> Rows:
        whole = g_y if g_output is None else g_y + g_output
        return attend_back(whole, stages, p, setting, g)

    mlp = partial(mlp_back, stages=stages, p=p, setting=setting, g=g)
    g_y = g_block_output
    if setting.architecture.block == "parallel":
        g["x"] = parallel_block_back(attention, mlp, g_y, stages, p, setting, g)
    else:
        if p.w_in is not None:
            g_y = g["middle"] = block_back(mlp, g_y, setting, MLP, stages, p, g)
        g["x"] = block_back(attention, g_y, setting, ATTENTION, stages, p, g)
    present = {*stages, *p.arrays()}
    return {name: array for name, array in g.items() if name in present}


def norm_back(
    name: str, g_normed: Normed, z: Normed, setting: LayerContext, p: Parameters, g: Arrays
) -> Normed:
    """Return g of z; store g of gain and bias."""
    model, gain = setting.architecture, getattr(p, f"{name}_gain")
    back = NORMS_BACK[model.norm](g_normed, z, gain, model.epsilon)
    g_z, g[f"{name}_gain"], g[f"{name}_bias"] = back
    return g_z


def parallel_block_back(
    attention: Callable[[Out], Rows],
    mlp: Callable[[Out], Rows],
    g_y: Out,
    stages: Stages,
    p: Parameters,
    setting: LayerContext,
    g: Arrays,
) -> Rows:
    x = stages["x"]
    g["middle"] = g_y
    g["normed_middle"], g["normed_x"] = mlp(g_y), attention(g_y)
    if p.mlp_norm_gain is None:
        g["normed_x"] = g["normed_x"] + g["normed_middle"]
    else:
        g_y = g_y + norm_back("mlp_norm", g["normed_middle"], x, setting, p, g)
    g_x: np.ndarray = g_y + norm_back("norm", g["normed_x"], x, setting, p, g)
    return g_x


def block_back(
    f_back: Callable[[Out], Rows],
    g_y: Out,
    setting: LayerContext,
    names: Sublayer,
    stages: Stages,
    p: Parameters,
    g: Arrays,
) -> Rows:
    (received, returned), block = ENDS[names], setting.architecture.block

    def through(g_normed: Rows, of: str, name: str = names.norm) -> Rows:
        return norm_back(name, g_normed, stages[of], setting, p, g)

    if block == "attention":
        g_x = f_back(g_y)
    elif block == "residual":
        g_x = g_y + f_back(g_y)
    elif block == "pre_norm":
        g[names.normed_input] = f_back(g_y)
        g_x = g_y + through(g[names.normed_input], received)
    elif block == "sublayer_norm":
        g[names.normed_output] = g_y
        g_x = g_y + f_back(through(g_y, returned))
    elif block == "sandwich_norm":
        g[names.normed_output] = g_y
        g[names.normed_input] = f_back(through(g_y, returned, names.post_norm))
        g_x = g_y + through(g[names.normed_input], received)
    else:
        g[names.added] = through(g_y, names.added)
        g_x = g[names.added] + f_back(g[names.added])
    return g_x


def mlp_back(
    g_mlp_output: Rows, stages: Stages, p: Parameters, setting: LayerContext, g: Arrays
) -> Rows:
    activation_back = ACTIVATIONS_BACK[setting.architecture.activation]
    assert p.w_in is not None
    assert p.w_out is not None
    z = stages["normed_middle" if "normed_middle" in stages else "middle"]
    g["mlp_output"] = g_mlp_output
    g["activated"], g["w_out"], g["b_out"] = project_back(
        g_mlp_output, stages["activated"], p.w_out
    )
    if p.w_gate is None:
        g["hidden"] = activation_back(g["activated"], stages["hidden"])
        g_z, g["w_in"], g["b_in"] = project_back(g["hidden"], z, p.w_in)
        return g_z
    opened = ACTIVATIONS[setting.architecture.activation](stages["gate"], None)
    g["hidden"] = g["activated"] * opened
    g["gate"] = activation_back(g["activated"] * stages["hidden"], stages["gate"])
    g_z, g["w_in"], g["b_in"] = project_back(g["hidden"], z, p.w_in)
    from_gate, g["w_gate"], g["b_gate"] = project_back(g["gate"], z, p.w_gate)
    g_sum: np.ndarray = g_z + from_gate
    return g_sum


def attend_back(
    g_output: Out, stages: Stages, p: Parameters, setting: LayerContext, g: Arrays
) -> Rows:
    """Return g of the input; store other derivatives in `g`."""
    x = stages["normed_x" if "normed_x" in stages else "x"]
    key_input = stages.get("context", x)
    g["output"] = g["concat"] = g_output
    if p.w_o is not None:
        g["concat"], g["w_o"], g["b_o"] = project_back(g["output"], stages["concat"], p.w_o)
    g_heads = split_heads(g["concat"], setting.shape.num_heads)
    g["head_outputs"] = zero_heads(g_heads, setting.dropped)
    g |= attend_heads_back(g["head_outputs"], stages, setting)
    g_q, g_k = (heads_back(name, stages, p, setting, g) for name in ("q", "k"))
    from_q, g["w_q"], g["b_q"] = project_back(merge_heads(g_q), x, p.w_q)
    from_k, g["w_k"], g["b_k"] = project_back(merge_heads(g_k), key_input, p.w_k)
    from_v, g["w_v"], g["b_v"] = project_back(merge_heads(g["v"]), key_input, p.w_v)
    from_keys = from_k + from_v
    if "context" in stages:
        g["context"] = from_keys
        return from_q
    g_x: np.ndarray = from_q + from_keys
    return g_x


def heads_back(
    name: str, stages: Stages, p: Parameters, setting: LayerContext, g: Arrays
) -> Float[np.ndarray, "batch head row d_k"]:
    model, g_a = setting.architecture, g[name]
    if model.positions == "rotary":
        of_context = name == "k" and "context" in stages
        places = None if of_context else setting.places(0, g_a.shape[2])
        g_a = g[f"unrotated_{name}"] = rotate(g_a, model.rotary, -1, places)
    if f"unnormed_{name}" not in stages:
        return g_a
    z = stages[f"unnormed_{name}"]
    g[f"unnormed_{name}"] = norm_back(f"{name}_norm", g_a, z, setting, p, g)
    return g[f"unnormed_{name}"]


def attend_heads_back(
    g_head_outputs: Float[np.ndarray, "batch head query d_v"], stages: Stages, setting: LayerContext
) -> Arrays:
    """Dropped heads are skipped, since 0 × ∞ is NaN."""
    q, k, v, weights = (stages[name] for name in ("q", "k", "v", "weights"))
    group, dropped = q.shape[1] // k.shape[1], setting.dropped
    factor = setting.options.scale / setting.options.temperature
    cap = setting.architecture.score_cap
    scaled = weights if cap is None else stages["scaled_scores"]
    g_weights, g_masked, g_scores = (memory.empty(weights.shape, q.dtype) for _ in range(3))
    g_q, g_k, g_v = np.empty_like(q), np.zeros_like(k), np.zeros_like(v)

    def kv_head(item: tuple[int, int]) -> None:
        b, kv = item
        with np.errstate(over="ignore", invalid="ignore"):
            for h in range(kv * group, (kv + 1) * group):
                if h in dropped:
                    for g in (g_weights, g_masked, g_scores, g_q):
                        g[b, h] = 0
                    continue
                np.matmul(g_head_outputs[b, h], v[b, kv].T, out=g_weights[b, h])
                softmax_back(g_weights[b, h], weights[b, h], out=g_masked[b, h])
                np.multiply(g_masked[b, h], factor, out=g_scores[b, h])
                if cap is not None:
                    np.copyto(g_scores[b, h], capped_back(g_scores[b, h], scaled[b, h], cap))
                np.matmul(g_scores[b, h], k[b, kv], out=g_q[b, h])
                g_k[b, kv] += g_scores[b, h].T @ q[b, h]
                g_v[b, kv] += weights[b, h].T @ g_head_outputs[b, h]

    items = list(product(range(q.shape[0]), range(k.shape[1])))
    thread_pool.for_each(kv_head, items, spread=weights.size >= SPREAD_CELLS)
    maps = {"weights": g_weights, "masked_scores": g_masked, "scaled_scores": g_masked}
    return {**maps, "scores": g_scores, "q": g_q, "k": g_k, "v": g_v}
