"""Recompute a question in numpy alone, and print the difference of each stage from the server's.

Run in the folder of question.json, numbers.npz and stages.npz: python attention.py
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
Stages = dict[str, np.ndarray]


def softmax(scores: np.ndarray) -> np.ndarray:
    """exp(s − max) / Σ exp(s − max) over the keys; a row of −∞ becomes zeros."""
    peak = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = powers.sum(axis=-1, keepdims=True)
    weights: np.ndarray = powers / np.where(total == 0, 1, total)
    return weights


def norm(x: np.ndarray, p: Stages, name: str, asked: dict[str, Any]) -> np.ndarray:
    """(x − mean) / √(variance + ε) · gain + bias for each row; RMS norm subtracts no mean."""
    centred = x if asked["norm"] == "rms" else x - x.mean(axis=-1, keepdims=True)
    z = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + asked["epsilon"])
    y: np.ndarray = z * p.get(f"{name}_gain", 1) + p.get(f"{name}_bias", 0)
    return y


def project(x: np.ndarray, p: Stages, letter: str) -> np.ndarray:
    return x @ p[f"w_{letter}"] + p.get(f"b_{letter}", 0)


def in_heads(a: np.ndarray, heads: int) -> np.ndarray:
    """[B, n, heads · d] → [B, heads, n, d], a view."""
    batch, rows, width = a.shape
    return a.reshape(batch, rows, heads, width // heads).transpose(0, 2, 1, 3)


def rotated(a: np.ndarray, turned: dict[str, Any], places: np.ndarray | None) -> np.ndarray:
    """Rotate column pairs of each row by position (None: 0, 1, 2 …) × speed.

    Pairs are neighbours, or columns of the first and second half; columns after the pairs stay.
    """
    speeds = np.array(turned["speeds"])
    at = np.arange(a.shape[-2]) if places is None else places[:, None]
    angles = at[..., None] * speeds
    cos, sin = ((f(angles) * turned["magnitude"]).astype(a.dtype) for f in (np.cos, np.sin))
    r = 2 * len(speeds)
    ends = (slice(0, r, 2), slice(1, r, 2))
    if turned["pairs"] == "halves":
        ends = (slice(0, r // 2), slice(r // 2, r))
    left, right = (a[..., end] for end in ends)
    b = a.copy()
    b[..., ends[0]], b[..., ends[1]] = left * cos - right * sin, left * sin + right * cos
    return b


def distances(slopes: list[float], n: int, m: int) -> np.ndarray:
    """ALiBi: each head's slope times |i − j|."""
    apart: np.ndarray = np.abs(np.arange(n)[:, None] - np.arange(m))
    taken: np.ndarray = np.array(slopes)[:, None, None] * apart
    return taken


def buckets(n: int, m: int, buckets: int, furthest: int, both_ways: bool) -> np.ndarray:
    """[n, m]: bucket of each distance j − i; far distances share buckets."""
    ahead = np.arange(m) - np.arange(n)[:, None]
    count = buckets // 2 if both_ways else buckets
    apart = np.abs(ahead) if both_ways else np.maximum(-ahead, 0)
    each = count // 2
    share = np.log(np.maximum(apart, 1).astype(np.float32) / np.float32(each))
    share = share / np.float32(math.log(furthest / each)) * np.float32(count - each)
    far = np.minimum(each + share.astype(int), count - 1)
    found: np.ndarray = np.where(apart < each, apart, far) + count * (both_ways & (ahead > 0))
    return found


def open_cells(asked: dict[str, Any], given: np.ndarray | None, n: int, m: int) -> np.ndarray:
    """[B, 1 or heads, n, m]: whether a query may attend to a key."""
    i, j = np.arange(n)[:, None], np.arange(m)
    cells = np.ones((n, m), bool)
    if asked["causal"]:
        cells &= j <= i
    patterns = []
    if asked["window"] is not None:
        patterns.append(np.abs(i - j) < asked["window"])
    if asked["global_tokens"] is not None:
        patterns.append((i < asked["global_tokens"]) | (j < asked["global_tokens"]))
    if asked["global_places"] is not None:
        patterns.append(np.isin(i, asked["global_places"]) | np.isin(j, asked["global_places"]))
    if asked["stride"] is not None:
        patterns.append((i - j) % asked["stride"] == 0)
    if asked["block_size"] is not None:
        patterns.append(i // asked["block_size"] == j // asked["block_size"])
    if patterns:
        cells &= np.any(patterns, axis=0)
    cells |= j < asked["prefix"]
    for row, col in asked["blocked"]:
        cells[row, col] = False
    real = [(j < keys) & ((i < queries) | (asked["padding"] == "keys"))
            for queries, keys in asked["lengths"]]  # fmt: skip
    every = np.stack(real)[:, None] & cells
    if asked["within"] is not None:
        every &= np.abs(i - j) < asked["within"]
    if asked["knockouts"]:
        every = every.repeat(asked["num_heads"], axis=1)
    for head, row, col in asked["knockouts"]:
        every[:, head, row, col] = False
    return every if given is None else every & given


def attention(x: np.ndarray, p: Stages, asked: dict[str, Any], numbers: Stages) -> Stages:
    """softmax(q kᵀ · scale / temperature) v for each head, concatenated, times w_o."""
    context = numbers["context"] if asked["attends_to"] == "context" else x
    heads, kv_heads = asked["num_heads"], asked["num_kv_heads"]
    q = in_heads(project(x, p, "q"), heads)
    k, v = (in_heads(project(context, p, letter), kv_heads) for letter in "kv")
    if "q_norm_gain" in p:
        q, k = norm(q, p, "q_norm", asked), norm(k, p, "k_norm", asked)
    if asked["rotary"] is not None:
        places = numbers.get("position_ids")
        q = rotated(q, asked["rotary"], places)
        k = rotated(k, asked["rotary"], places if context is x else None)
    each_k, each_v = (a.repeat(heads // kv_heads, axis=1) for a in (k, v))
    scores = q @ each_k.swapaxes(-1, -2)
    scaled = scores * (asked["scale"] / asked["temperature"])
    if asked["slopes"] is not None:
        scaled = scaled - distances(asked["slopes"], *scores.shape[2:]).astype(scaled.dtype)
    if asked["relative"] is not None:
        near = buckets(*scores.shape[2:], **asked["relative"])
        scaled = scaled + p["relative_bias"][near].transpose(2, 0, 1).astype(scaled.dtype)
    if asked["score_cap"] is not None:
        scaled = asked["score_cap"] * np.tanh(scaled / asked["score_cap"])
    cells = open_cells(asked, numbers.get(asked["mask"]), *scores.shape[2:])
    masked = np.where(cells, scaled, -np.inf).astype(scaled.dtype)
    weights = softmax(masked)
    head_outputs = weights @ each_v
    kept = head_outputs.copy()
    kept[:, asked["dropped"]] = 0
    concat = kept.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1)
    output = project(concat, p, "o") if "w_o" in p else concat
    return {
        "x": x, "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled,
        "masked_scores": masked, "weights": weights, "head_outputs": head_outputs,
        "concat": concat, "output": output,
    }  # fmt: skip


def mlp(x: np.ndarray, p: Stages, activation: str) -> Stages:
    """φ(x w_in + b_in) w_out + b_out, or (φ(x w_gate + b_gate) · (x w_in + b_in)) w_out + b_out,
    with intermediates."""
    hidden = project(x, p, "in")
    gated = {"gate": project(x, p, "gate")} if "w_gate" in p else {}
    activated = activations(gated.get("gate", hidden), activation)
    activated = activated * hidden if gated else activated
    mlp_output = project(activated, p, "out")
    return {"hidden": hidden, **gated, "activated": activated, "mlp_output": mlp_output}


def activations(u: np.ndarray, name: str) -> np.ndarray:
    if name == "relu":
        gate = (u > 0).astype(u.dtype)
    elif name == "silu":
        gate = 1 / (1 + np.exp(-u))
    elif name == "gelu":
        gate = 0.5 * (1 + np.vectorize(math.erf, otypes=[u.dtype])(u / math.sqrt(2)))
    else:
        gate = 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))
    activated: np.ndarray = u * gate
    return activated


def around(x: np.ndarray, y: np.ndarray, p: Stages, asked: dict[str, Any], of: str) -> np.ndarray:
    """Residual and norms after a sublayer with input x and output y; `of` is "" or "mlp_"."""
    block = asked["block"]
    if block == "attention":
        return y
    if block in ("sublayer_norm", "sandwich_norm"):
        y = norm(y, p, f"{of}norm" if block == "sublayer_norm" else f"{of}post_norm", asked)
    added: np.ndarray = x + y
    return norm(added, p, f"{of}norm", asked) if block == "post_norm" else added


def layer(x: np.ndarray, p: Stages, asked: dict[str, Any], numbers: Stages) -> Stages:
    """One block: attention, then the MLP if there is one."""
    block = asked["block"]
    first = block in ("pre_norm", "sandwich_norm", "parallel")
    inside = norm(x, p, "norm", asked) if first else x
    stages = {**attention(inside, p, asked, numbers), "x": x}
    y = around(x, stages["output"], p, asked, "")
    if "w_in" in p:
        if block != "parallel":
            inside = norm(y, p, "mlp_norm", asked) if first else y
        elif "mlp_norm_gain" in p:
            inside = norm(x, p, "mlp_norm", asked)
        stages |= {"middle": y, **mlp(inside, p, asked["activation"])}
        y = around(y, stages["mlp_output"], p, asked, "mlp_")
    return {**stages, "block_output": y}


def difference(ours: np.ndarray, sent: np.ndarray) -> float:
    """Largest |ours − sent|; infinite if only one is finite."""
    both = np.isfinite(ours) & np.isfinite(sent)
    if (np.isfinite(ours) != np.isfinite(sent)).any():
        return math.inf
    return float(np.abs(ours[both] - sent[both]).max(initial=0))


def main(folder: Path = HERE) -> None:
    asked = json.loads((folder / "question.json").read_text(encoding="utf-8"))
    for note in asked["notes"]:
        print(note)
    numbers, sent = (dict(np.load(folder / f"{name}.npz")) for name in ("numbers", "stages"))
    text, encoder = numbers.pop("x"), asked["encoder_layers"]
    x = numbers.pop("source", text)
    for i, own in enumerate(asked["layers"]):
        if encoder and i == encoder:
            gain = "context_norm_gain" in numbers
            numbers["context"] = norm(x, numbers, "context_norm", asked) if gain else x
            x = text
        start = f"layers.{i}."
        p = {name.removeprefix(start): array for name, array in numbers.items() if start in name}
        stages = layer(x, p, {**asked, **own}, numbers)
        for name, ours in stages.items():
            print(f"layer {i} {name:14} {difference(ours, sent[start + name]):.1e}")
        x = stages["block_output"]


if __name__ == "__main__":
    main()
