"""A pass over the map of one head of d_k 64 in float32, beside bare products and exponentials.

python -m benchmarks.long_map                    ratios, growth and memory
python -m benchmarks.long_map 131072 64 causal   one pass in this process, with its peak
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from attnscope.attention import thread_pool
from attnscope.attention.architecture import Architecture, Shape
from attnscope.attention.flash_pass import KEYS, QUERIES
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.map import FactoredMap
from attnscope.attention.masks import Mask
from attnscope.attention.overview import overview
from benchmarks.timing import in_turn

D_K = 64
SIDE = 16
SIZES = (4096, 8192, 16_384, 32_768)


def made(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 1, 1, n, D_K), dtype=np.float32)
    return q, k


def whole(q: np.ndarray, k: np.ndarray, causal: bool, side: int) -> FactoredMap:
    n = q.shape[2]
    options = Options(scale=D_K**-0.5, mask=Mask(causal=causal))
    shape = Shape(1, 1, D_K, D_K, D_K)
    fmap = FactoredMap(q, k, LayerContext(Architecture(shape), [(n, n)], options))
    overview(fmap, "weights", 0, 0, side)
    return fmap


def bare(q: np.ndarray, k: np.ndarray, causal: bool) -> None:
    """q kᵀ and exp of every block with an open cell."""
    scaled, keys, n = q[0, 0] * np.float32(D_K**-0.5), k[0, 0], q.shape[2]

    def strip(start: int) -> None:
        queries = np.ascontiguousarray(scaled[start : start + QUERIES].T)
        cells = np.empty((KEYS, queries.shape[1]), np.float32)
        for key in range(0, min(start + QUERIES, n) if causal else n, KEYS):
            np.matmul(keys[key : key + KEYS], queries, out=cells)
            np.exp(cells, out=cells)

    thread_pool.for_each(strip, range(0, n, QUERIES), spread=True)


def ratios() -> None:
    for causal in (False, True):
        seconds = []
        for n in SIZES:
            q, k = made(n)
            mine, least = in_turn(
                5, partial(whole, q, k, causal, SIDE), partial(bare, q, k, causal)
            )
            seconds.append(mine)
            print(
                f"{n} tokens{', causal' if causal else ''}: pass and overview {mine:.2f} s,"
                f" bare {least:.2f} s, ratio {mine / least:.2f} (budget 2.00 at {SIZES[-1]})"
            )
        power = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
        print(f"time grows with n to the {power:.2f} (budget 2.10)")


def leaf(fmap: FactoredMap, side: int = 256) -> float:
    """Median milliseconds of a block of weights."""
    starts = np.random.default_rng(1).integers(0, fmap.shape[2] - side, (20, 2)).tolist()
    taken = []
    for row, col in starts:
        began = time.perf_counter()
        fmap.block("weights", 0, 0, slice(row, row + side), slice(col, col + side))
        taken.append(time.perf_counter() - began)
    return float(np.median(taken)) * 1e3


def alone(n: int, side: int, causal: bool) -> None:
    """One pass, and this process's peak memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    q, k = made(n)
    began = time.perf_counter()
    fmap = whole(q, k, causal, side)
    taken = time.perf_counter() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{n} tokens{', causal' if causal else ''}, side {side}: {taken:.1f} s, {most} MB at most"
        f" ({before} before), then a block of 256 × 256 in {leaf(fmap):.1f} ms"
    )


def main() -> None:
    if len(sys.argv) > 1:
        with threadpool_limits(1, "blas"):
            alone(int(sys.argv[1]), int(sys.argv[2]), "causal" in sys.argv)
        return
    with threadpool_limits(1, "blas"):
        ratios()
    for words in (("32768", "16"), ("32768", "16", "causal"), ("131072", "64", "causal")):
        subprocess.run([sys.executable, "-m", "benchmarks.long_map", *words], check=True)


if __name__ == "__main__":
    main()
