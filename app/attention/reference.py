"""The same stages the slow and obvious way, in float64: what the checks compare with.

Every sum is written out over its indices and added up one product after the other (einsum
without its optimiser is plain nested loops: no BLAS, no blocks, no threads), and the softmax
is taken a row at a time with Python's own exponential.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from app.attention.architecture import Architecture
from app.attention.parameters import Parameters
from app.attention.positions import alibi_slopes
from app.attention.setting import Options, Setting
from app.attention.transformer import ATTENTION, MLP, Sublayer

Stages = dict[str, np.ndarray]


def layer_slowly(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: Setting,
) -> Stages:
    """Every stage of one layer from q to block_output, and what lies between them, by name."""
    x, p = x.astype(float), p.astype(np.float64)

    def attention(z: np.ndarray) -> tuple[np.ndarray, Stages]:
        stages = attend_slowly(z, p, setting)
        return stages["output"], stages

    def mlp(z: np.ndarray) -> tuple[np.ndarray, Stages]:
        assert p.w_in is not None
        assert p.w_out is not None
        hidden = _affine(z, p.w_in, p.b_in)
        activated = np.vectorize(ACTIVATIONS[setting.architecture.activation])(hidden)
        output = _affine(activated, p.w_out, p.b_out)
        return output, {"hidden": hidden, "activated": activated, "mlp_output": output}

    around, norm = setting.architecture, (p.norm_gain, p.norm_bias)
    y, stages = _around(attention, x, around, ATTENTION, norm)
    if p.w_in is not None:
        stages["middle"], norm = y, (p.mlp_norm_gain, p.mlp_norm_bias)
        y, more = _around(mlp, y, around, MLP, norm)
        stages |= more
    return {**stages, "block_output": y}


def _around(
    f: Callable[[np.ndarray], tuple[np.ndarray, Stages]],
    x: np.ndarray,
    around: Architecture,
    names: Sublayer,
    norm: tuple[np.ndarray | None, np.ndarray | None],
) -> tuple[np.ndarray, Stages]:
    """What comes out of a sublayer f in a block of this kind, and everything on the way."""
    block, epsilon = around.block, around.epsilon
    inside = _normed(x, *norm, epsilon) if block == "pre_norm" else x
    y, stages = f(inside)
    if block == "pre_norm":
        return x + y, {**stages, names.normed_input: inside}
    if block == "post_norm":
        return _normed(x + y, *norm, epsilon), {**stages, names.added: x + y}
    if block == "sublayer_norm":
        normed = _normed(y, *norm, epsilon)
        return x + normed, {**stages, names.normed_output: normed}
    return (x + y if block == "residual" else y), stages


def attend_slowly(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: Setting,
) -> dict[str, np.ndarray]:
    """Every stage from q to output, by name; with rotary positions the unrotated q and k too."""
    shape, options = setting.shape, setting.options
    context = (x if setting.context is None else setting.context).astype(float)
    x, p = x.astype(float), p.astype(np.float64)
    q = _heads(_affine(x, p.w_q, p.b_q), shape.num_heads)
    k = _heads(_affine(context, p.w_k, p.b_k), shape.num_kv_heads)
    v = _heads(_affine(context, p.w_v, p.b_v), shape.num_kv_heads)
    positions = setting.architecture.positions
    unrotated = {"unrotated_q": q, "unrotated_k": k} if positions == "rotary" else {}
    q, k = (_rotated(a) for a in (q, k)) if unrotated else (q, k)
    k_each, v_each = (np.repeat(a, shape.queries_per_kv_head, axis=1) for a in (k, v))
    scores = np.einsum("bhic,bhjc->bhij", q, k_each)
    with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
        scaled = scores * options.scale / options.temperature
    if positions == "alibi":
        scaled = scaled + _position_bias(scaled.shape)
    masked = _masked(scaled, setting.lengths, options)
    weights = np.array([[[_softmax(row) for row in head] for head in b] for b in masked.tolist()])
    head_outputs = np.einsum("bhij,bhjc->bhic", weights, v_each)
    heads = enumerate(head_outputs.swapaxes(0, 1))
    kept = [np.zeros_like(head) if i in setting.dropped else head for i, head in heads]
    concat = np.concatenate(kept, axis=-1)
    output = concat if p.w_o is None else _affine(concat, p.w_o, p.b_o)
    return {
        **unrotated,
        **{"q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled},
        **{"masked_scores": masked, "weights": weights, "head_outputs": head_outputs},
        **{"concat": concat, "output": output},
    }


def _affine(x: np.ndarray, w: np.ndarray, b: np.ndarray | None) -> np.ndarray:
    y: np.ndarray = np.einsum("bic,cd->bid", x, w)
    return y if b is None else y + b


def _heads(a: np.ndarray, heads: int) -> np.ndarray:
    return np.stack(np.split(a, heads, axis=-1), axis=1)


def _rotated(a: np.ndarray) -> np.ndarray:
    """Each pair of columns as one complex number, times e^(iθ)."""
    turned = a.copy()
    d = a.shape[-1]
    for i in range(a.shape[2]):
        for c in range(0, d, 2):
            turn = cmath.exp(1j * i / 10000 ** (c / d))
            z = (a[:, :, i, c] + 1j * a[:, :, i, c + 1]) * turn
            turned[:, :, i, c], turned[:, :, i, c + 1] = z.real, z.imag
    return turned


def _position_bias(shape: tuple[int, ...]) -> np.ndarray:
    _, heads, n, m = shape
    slopes = alibi_slopes(heads)
    return np.array(
        [[[-slopes[h] * abs(i - j) for j in range(m)] for i in range(n)] for h in range(heads)]
    )


def _normed(
    x: np.ndarray, gain: np.ndarray | None, bias: np.ndarray | None, epsilon: float
) -> np.ndarray:
    normed = np.empty_like(x)
    for at in np.ndindex(x.shape[:-1]):
        row = x[at].tolist()
        mean = sum(row) / len(row)
        variance = sum((one - mean) * (one - mean) for one in row) / len(row)
        normed[at] = [(one - mean) / math.sqrt(variance + epsilon) for one in row]
    normed = normed if gain is None else normed * gain
    return normed if bias is None else normed + bias


def _gelu_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _gelu(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def _relu(x: float) -> float:
    return max(x, 0.0)


ACTIVATIONS = {"gelu_tanh": _gelu_tanh, "gelu": _gelu, "relu": _relu}


def _masked(scaled: np.ndarray, lengths: list[tuple[int, int]], options: Options) -> np.ndarray:
    masked = scaled.copy()
    for b in range(len(masked)):
        for h, i, j in np.ndindex(masked.shape[1:]):
            if options.mask.closed_by(i, j, lengths[b], b, h):
                masked[b, h, i, j] = -math.inf
    return masked


def _softmax(row: list[float]) -> list[float]:
    peak = max(row)
    if peak == -math.inf:
        return [0.0] * len(row)
    exps = [math.exp(score - peak) for score in row]
    total = math.fsum(exps)
    return [e / total for e in exps]
