"""Ablation of the ten strongest heads, and of all 270, of a model of SmolLM2's sizes; 14 tokens."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from threadpoolctl import threadpool_limits

from attnscope.analysis.ablations import FIRST, ablate_in_groups, check_cost, strongest_first
from attnscope.analysis.predictions import next_or_likeliest
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from tests.families import llama_made
from tests.families.made import checkpoint

SIZES = {
    "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "head_dim": 64,
    "tie_word_embeddings": True,
}  # fmt: skip
TOKENS = 14


def traced(folder: Path) -> Trace:
    model = {"source": "installed", "name": folder.name}
    asked = {"tokens": ["a"] * TOKENS, "model": model}
    planned = make_plan(
        Question.model_validate(asked),
        Limits(),
        lambda _: None,
        ModelRegistry(models_dir(), [folder]),
    )
    check_cost(planned)
    return answer(planned)


def main() -> None:
    with tempfile.TemporaryDirectory() as home, threadpool_limits(1, "blas"):
        config = {**llama_made.config_of("llama"), **SIZES}
        folder = checkpoint(Path(home) / "large", config, llama_made.llama_tensors(config))
        trace = traced(folder)
        row = trace.plan.n - 1
        piece = next_or_likeliest(trace, 0, row)
        begun, worked, first, done = time.perf_counter(), time.process_time(), 0.0, 0
        order = strongest_first(trace, 0, row, piece)
        for group in ablate_in_groups(trace, 0, row, piece, order):
            done += len(group)
            first = first or time.perf_counter() - begun
        took, processor = time.perf_counter() - begun, time.process_time() - worked
        print(f"{trace.plan.n} tokens, the {FIRST} strongest heads: {first:.1f} s (budget 2 s)")
        print(f"all {done}: {took:.1f} s, {processor:.1f} s of the processor (budget 20 s)")


if __name__ == "__main__":
    main()
