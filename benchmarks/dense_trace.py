"""1,024 tokens × 12 heads × d_k 64 in float32, all stages, beside eager PyTorch and beside
scaled_dot_product_attention, which keeps no map."""

from __future__ import annotations

import itertools

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from attnscope.attention import memory, thread_pool
from attnscope.attention.architecture import Architecture, Shape
from attnscope.attention.attend import attend
from attnscope.attention.layer_context import MAPS, LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.attention.ops import BLOCK_ROWS
from attnscope.attention.products import project_each
from attnscope.attention.recomputed_stages import STORED_MAPS
from attnscope.trace.examples import no_upload
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question, Seeded
from attnscope.trace.trace import answer
from attnscope.weights.schemes import seeded_layer
from benchmarks.timing import in_blocks

N, HEADS, D_K = 1024, 12, 64
SHAPE = Shape(HEADS, HEADS, HEADS * D_K, D_K, D_K)
PARAMETERS = seeded_layer(SHAPE, seed=0, layer=0).astype(np.float32)
X = np.random.default_rng(0).standard_normal((1, N, SHAPE.d_model), dtype=np.float32)


def ours(maps: tuple[str, ...] = MAPS) -> dict[str, np.ndarray]:
    stages: dict[str, np.ndarray] = {}
    options = Options(scale=D_K**-0.5, mask=Mask(causal=True))
    setting = LayerContext(Architecture(SHAPE), [(N, N)], options, maps=maps)
    with threadpool_limits(1, "blas"):
        attend(X, PARAMETERS, setting, stages.__setitem__)
    return stages


def kept() -> dict[str, np.ndarray]:
    """Scaled and masked scores are derived on access."""
    return ours(STORED_MAPS)


def with_fresh_memory() -> None:
    memory.drop_free_buffers()
    ours()


def kept_with_fresh_memory() -> None:
    memory.drop_free_buffers()
    kept()


def bytes_kept() -> tuple[int, int]:
    """Of the trace, and of its maps."""
    model = Seeded(d_model=SHAPE.d_model, num_heads=HEADS)
    question = Question(tokens=["a"] * N, model=model, dtype="float32")
    trace = answer(make_plan(question, Limits(), no_upload))
    there = trace.layers[0].kept
    return trace.bytes, sum(there[name].nbytes for name in MAPS if name in there)


def pytorch() -> dict[str, torch.Tensor]:
    q, k, v, w_o = projected()
    scores = q @ k.transpose(-2, -1)
    scaled = scores * D_K**-0.5
    closed = torch.ones(N, N, dtype=torch.bool).triu(1)
    masked = scaled.masked_fill(closed, -torch.inf)
    weights = masked.softmax(-1)
    head_outputs = weights @ v
    concat = head_outputs.transpose(1, 2).reshape(1, N, -1)
    maps = {"scores": scores, "scaled_scores": scaled, "masked_scores": masked, "weights": weights}
    rest = {"head_outputs": head_outputs, "concat": concat, "output": concat @ w_o}
    return {"q": q, "k": k, "v": v, **maps, **rest}


def projected() -> tuple[torch.Tensor, ...]:
    """q, k, v, w_o."""
    x = torch.from_numpy(X)
    *ws, w_o = (torch.from_numpy(PARAMETERS.arrays()[f"w_{c}"]) for c in "qkvo")
    return (*((x @ w).view(1, N, HEADS, D_K).transpose(1, 2) for w in ws), w_o)


def pytorch_fused() -> torch.Tensor:
    """Without maps."""
    q, k, v, w_o = projected()
    head_outputs = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return head_outputs.transpose(1, 2).reshape(1, N, -1) @ w_o


def products() -> None:
    """Lower bound: the products of these stages alone, without weights v of masked keys."""
    with threadpool_limits(1, "blas"):
        matrices = [PARAMETERS.arrays()[f"w_{c}"] for c in "qkvo"]
        made = project_each(X, [(w, None) for w in matrices])
        q, k, v, _ = (y.reshape(N, HEADS, D_K) for y in made)

        def strip(at: tuple[int, int]) -> None:
            head, start = at
            stop = start + BLOCK_ROWS
            scores = q[start:stop, head] @ k[:, head].T
            scores[:, :stop] @ v[:stop, head]

        strips = list(itertools.product(range(HEADS), range(0, N, BLOCK_ROWS)))
        thread_pool.for_each(strip, strips, spread=True)


def difference(mine: np.ndarray, theirs: np.ndarray) -> float:
    """Masks must be equal."""
    closed = np.isinf(mine)
    assert (closed == np.isinf(theirs)).all()
    return float(np.abs(mine[~closed] - theirs[~closed]).max())


def main() -> None:
    a, b = ours(), pytorch()
    worst = max(difference(a[name], b[name].numpy()) for name in b)
    # In blocks: PyTorch's threads spin after work, which would slow the next function.
    mine, fresh, two, fresh_two, least, theirs, fused = in_blocks(
        10, ours, with_fresh_memory, kept, kept_with_fresh_memory, products, pytorch, pytorch_fused
    )
    print(f"attnscope {mine * 1e3:.0f} ms, eager PyTorch {theirs * 1e3:.0f} ms")
    print(f"ratio {mine / theirs:.2f} (budget 0.50); largest difference {worst:.1e}")
    print(f"its products alone: {least * 1e3:.0f} ms, ratio {least / theirs:.2f}")
    print(f"in memory fresh from the system: {fresh * 1e3:.0f} ms, ratio {fresh / theirs:.2f}")
    print(f"with two maps, as a trace keeps them: {two * 1e3:.0f} ms, ratio {two / theirs:.2f};")
    print(f"in fresh memory: {fresh_two * 1e3:.0f} ms, ratio {fresh_two / theirs:.2f}")
    whole, maps = bytes_kept()
    print(f"a trace of it: {whole / 1e6:.0f} MB, {maps / 1e6:.0f} MB of them maps")
    print(f"PyTorch's scaled_dot_product_attention, of which nothing is seen: {fused * 1e3:.0f} ms")


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    main()
