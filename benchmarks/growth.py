"""Growth of a trace with tokens, heads and layers: time, memory, bytes of replies."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from attnscope.main import make_engine
from attnscope.settings import Settings
from attnscope.tiles.picture import pictures_of_heads, thumbnails
from attnscope.trace.engine import Engine
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from attnscope.web.serializers.selection import Selection
from attnscope.web.serializers.traces import attention_json, attention_safetensors
from benchmarks.timing import in_turn

RUNS, WIDTH, THUMBNAIL = 5, 16, 64
GROWING = {"tokens": (256, 512, 1024, 2048), "heads": (4, 8, 16, 32), "layers": (1, 2, 4, 8)}


@dataclass(frozen=True)
class Size:
    """16 numbers a head."""

    tokens: int = 256
    heads: int = 4
    layers: int = 1

    def question(self) -> Question:
        model = {
            "source": "seeded", "num_heads": self.heads, "d_model": WIDTH * self.heads,
            "num_layers": self.layers,
        }  # fmt: skip
        text = " ".join(f"t{index}" for index in range(self.tokens))
        return Question.model_validate({"text": text, "model": model, "dtype": "float32"})


def sent(trace: Trace) -> tuple[int, int, int]:
    """Bytes of arrays, JSON, and thumbnails."""
    arrays = attention_safetensors(trace, Selection()).length
    assert arrays is not None
    pictures = thumbnails(pictures_of_heads(trace, 0, THUMBNAIL)).bits.nbytes
    return arrays, len(attention_json(trace, Selection())), pictures


def measure(engine: Engine, size: Size) -> tuple[float, Trace]:
    """Median seconds, and the answer."""
    planned = engine.plan(size.question())
    (seconds,) = in_turn(RUNS, lambda: answer(planned))
    return seconds, answer(planned)


def growth(engine: Engine, axis: str, sizes: tuple[int, ...]) -> None:
    """Fits a power to the times of the larger half."""
    taken = []
    for count in sizes:
        seconds, trace = measure(engine, Size(**{axis: count}))
        taken.append(seconds)
        megabytes = " + ".join(f"{some / 1e6:.2f}" for some in sent(trace))
        print(
            f"{count} {axis}: {seconds * 1e3:.1f} ms, {trace.bytes / 1e6:.1f} MB in memory,"
            f" {megabytes} MB as arrays, JSON, thumbnails",
            flush=True,
        )
    half = len(sizes) // 2
    power = np.polyfit(np.log(sizes[half:]), np.log(taken[half:]), 1)[0]
    print(f"time grows with {axis} to the {power:.2f}")


def main() -> None:
    engine = make_engine(Settings(data_dir=Path(tempfile.mkdtemp()), max_trace_mb=2048))
    with threadpool_limits(1, "blas"):
        for axis in sys.argv[1:] or GROWING:
            growth(engine, axis, GROWING[axis])


if __name__ == "__main__":
    main()
