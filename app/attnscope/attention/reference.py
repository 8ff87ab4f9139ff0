"""Slow reference in float64, for checks."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np
from jaxtyping import Bool, Float

from attnscope.attention.architecture import Parameters
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.attention.positions import Relative, Rotary, alibi_slopes
from attnscope.attention.transformer import ATTENTION, MLP, Sublayer

Stages = dict[str, np.ndarray]
Sub = Callable[[np.ndarray], tuple[np.ndarray, Stages]]


def layer_slowly(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: LayerContext,
) -> Stages:
    x, p = x.astype(float), p.astype(np.float64)

    def attention(z: np.ndarray) -> tuple[np.ndarray, Stages]:
        stages = _attend(z, p, setting)
        return stages["output"], stages

    def mlp(z: np.ndarray) -> tuple[np.ndarray, Stages]:
        assert p.w_in is not None
        assert p.w_out is not None
        hidden = _affine(z, p.w_in, p.b_in)
        opened = hidden if p.w_gate is None else _affine(z, p.w_gate, p.b_gate)
        activated = np.vectorize(ACTIVATIONS[setting.architecture.activation])(opened)
        gated = {} if p.w_gate is None else {"gate": opened}
        activated = activated * hidden if gated else activated
        output = _affine(activated, p.w_out, p.b_out)
        return output, {**gated, "hidden": hidden, "activated": activated, "mlp_output": output}

    if setting.architecture.block == "parallel":
        return _side_by_side(attention, mlp, x, p, setting)
    y, stages = _around(attention, x, p, setting, ATTENTION)
    if p.w_in is not None:
        stages["middle"] = y
        y, more = _around(mlp, y, p, setting, MLP)
        stages |= more
    return {**stages, "block_output": y}


def _side_by_side(
    attention: Sub, mlp: Sub, x: np.ndarray, p: Parameters, setting: LayerContext
) -> Stages:
    normed_x = normed_middle = _norm("norm", x, p, setting)
    if p.mlp_norm_gain is not None:
        normed_middle = _norm("mlp_norm", x, p, setting)
    (output, stages), (mlp_output, more) = attention(normed_x), mlp(normed_middle)
    between = {"normed_x": normed_x, "normed_middle": normed_middle, "middle": x + output}
    return {**stages, **more, **between, "block_output": x + output + mlp_output}


def _around(
    f: Sub, x: np.ndarray, p: Parameters, setting: LayerContext, names: Sublayer
) -> tuple[np.ndarray, Stages]:
    block = setting.architecture.block
    before, after = block in ("pre_norm", "sandwich_norm"), block == "sandwich_norm"
    inside = _norm(names.norm, x, p, setting) if before else x
    y, stages = f(inside)
    if before:
        stages = {**stages, names.normed_input: inside}
    if block == "post_norm":
        return _norm(names.norm, x + y, p, setting), {**stages, names.added: x + y}
    if block == "sublayer_norm" or after:
        y = _norm(names.post_norm if after else names.norm, y, p, setting)
        stages = {**stages, names.normed_output: y}
    return (y if block == "attention" else x + y), stages


def _attend(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: LayerContext,
) -> Stages:
    shape, options = setting.shape, setting.options
    context = x if setting.context is None else setting.context.astype(float)
    q = _heads(_affine(x, p.w_q, p.b_q), shape.num_heads)
    k = _heads(_affine(context, p.w_k, p.b_k), shape.num_kv_heads)
    v = _heads(_affine(context, p.w_v, p.b_v), shape.num_kv_heads)
    before: Stages = {}
    model, positions = setting.architecture, setting.architecture.positions
    if p.q_norm_gain is not None:
        before |= {"unnormed_q": q, "unnormed_k": k}
        q, k = _norm("q_norm", q, p, setting), _norm("k_norm", k, p, setting)
    if positions == "rotary":
        before |= {"unrotated_q": q, "unrotated_k": k}
        rows = setting.places(0, q.shape[2])
        keys = rows if setting.context is None else np.arange(k.shape[2])
        q, k = _rotated(q, model.rotary, rows), _rotated(k, model.rotary, keys)
    k_each, v_each = (np.repeat(a, shape.queries_per_kv_head, axis=1) for a in (k, v))
    scores = np.einsum("bhic,bhjc->bhij", q, k_each)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = scores * options.scale / options.temperature
    if positions == "alibi":
        scaled = scaled + model.alibi_factor * _position_bias(scaled.shape)
    if positions == "relative":
        scaled = scaled + _relative_bias(scaled.shape, p, model.relative)
    if model.score_cap is not None:
        scaled = model.score_cap * np.tanh(scaled / model.score_cap)
    masked = _masked(scaled, setting.lengths, options)
    weights = _softmax(masked)
    head_outputs = np.einsum("bhij,bhjc->bhic", weights, v_each)
    heads, dropped = enumerate(head_outputs.swapaxes(0, 1)), setting.dropped
    kept = [np.zeros_like(head) if i in dropped else head for i, head in heads]
    concat = np.concatenate(kept, axis=-1)
    output = concat if p.w_o is None else _affine(concat, p.w_o, p.b_o)
    return {
        **before,
        **{"q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled},
        **{"masked_scores": masked, "weights": weights, "head_outputs": head_outputs},
        **{"concat": concat, "output": output},
    }


def _affine(x: np.ndarray, w: np.ndarray, b: np.ndarray | None) -> np.ndarray:
    y: np.ndarray = np.einsum("bic,cd->bid", x, w)
    return y if b is None else y + b


def _heads(a: np.ndarray, heads: int) -> np.ndarray:
    width = a.shape[-1] // heads
    columns = (slice(h * width, (h + 1) * width) for h in range(heads))
    return np.array([a[..., own] for own in columns]).swapaxes(0, 1)


def _rotated(a: np.ndarray, rotary: Rotary, places: np.ndarray) -> np.ndarray:
    turned = a.copy()
    d = rotary.turned(a.shape[-1])
    speeds = rotary.speeds(a.shape[-1], int(places.max()) + 1).tolist()
    each = np.broadcast_to(places, (len(a), a.shape[2])).tolist()
    for b, i, pair in product(range(len(a)), range(a.shape[2]), range(d // 2)):
        near = rotary.pairs == "neighbours"
        left, right = (2 * pair, 2 * pair + 1) if near else (pair, pair + d // 2)
        turn = rotary.magnitude * cmath.exp(1j * each[b][i] * speeds[pair])
        z = (a[b, :, i, left] + 1j * a[b, :, i, right]) * turn
        turned[b, :, i, left], turned[b, :, i, right] = z.real, z.imag
    return turned


def _position_bias(shape: tuple[int, ...]) -> np.ndarray:
    _, heads, n, m = shape
    slopes = alibi_slopes(heads)
    return np.array(
        [[[-slopes[h] * abs(i - j) for j in range(m)] for i in range(n)] for h in range(heads)]
    )


def _relative_bias(shape: tuple[int, ...], p: Parameters, relative: Relative) -> np.ndarray:
    assert p.relative_bias is not None
    added = np.empty(shape[1:])
    for h, i, j in np.ndindex(added.shape):
        added[h, i, j] = p.relative_bias[_bucket(j - i, relative), h]
    return added


def _bucket(ahead: int, relative: Relative) -> int:
    count, start = relative.buckets, 0
    if relative.both_ways:
        count //= 2
        start = count if ahead > 0 else 0
    apart = abs(ahead) if relative.both_ways else max(-ahead, 0)
    each = count // 2
    if apart < each:
        return start + apart
    span = np.float32(math.log(relative.furthest / each))
    share = np.log(np.float32(apart) / np.float32(each)) / span
    return start + min(each + int(share * np.float32(count - each)), count - 1)


def _norm(name: str, x: np.ndarray, p: Parameters, setting: LayerContext) -> np.ndarray:
    gain, bias = (getattr(p, f"{name}_{what}", None) for what in ("gain", "bias"))
    rms, epsilon = setting.architecture.norm == "rms", setting.architecture.epsilon
    normed = np.empty_like(x)
    for at in np.ndindex(x.shape[:-1]):
        row = x[at].tolist()
        mean = 0 if rms else sum(row) / len(row)
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


def _silu(x: float) -> float:
    return x / (1 + math.exp(-x)) if x > -700 else 0.0


ACTIVATIONS = {"gelu_tanh": _gelu_tanh, "gelu": _gelu, "relu": _relu, "silu": _silu}


def _masked(scaled: np.ndarray, lengths: list[tuple[int, int]], options: Options) -> np.ndarray:
    masked, mask = scaled.copy(), options.mask
    batch, heads, n, m = masked.shape
    heads_at_once = 1 if mask.differs_by_head else heads
    for b, h in product(range(batch), range(0, heads, heads_at_once)):
        closed = _closed_cells(mask, (n, m), lengths[b], b, h)
        masked[b, h : h + heads_at_once][:, closed] = -math.inf
    return masked


def _closed_cells(
    mask: Mask, sizes: tuple[int, int], real: tuple[int, int], batch: int, head: int
) -> Bool[np.ndarray, "query key"]:
    if mask.blocked or mask.knocked or mask.given is not None:
        return _closed(mask, sizes, real, batch, head)
    return _closed_again(mask, sizes, real)


def _closed(
    mask: Mask, sizes: tuple[int, int], real: tuple[int, int], batch: int = 0, head: int = 0
) -> Bool[np.ndarray, "query key"]:
    n, m = sizes
    cells = [[bool(mask.closed_by(i, j, real, batch, head)) for j in range(m)] for i in range(n)]
    return np.array(cells)


_closed_again = lru_cache(maxsize=64)(_closed)


def _softmax(masked: np.ndarray) -> np.ndarray:
    opened = masked != -math.inf
    peaks = masked.max(axis=-1, keepdims=True)
    below = (masked - np.where(peaks == -math.inf, 0, peaks))[opened]
    exps = np.zeros(masked.shape)
    exps[opened] = np.fromiter(map(math.exp, below.tolist()), float, below.size)
    totals = [math.fsum(row) or 1.0 for row in exps.reshape(-1, masked.shape[-1]).tolist()]
    return exps / np.array(totals).reshape(peaks.shape)
