"""A capture of GPT-2-small's sizes, beside an eager pass of transformers with output_attentions.

Ratios are of elapsed and of processor time; run it with OMP_NUM_THREADS=1, since threads that spin
count too. With the argument `memory` or `folder`: its memory beside the arrays.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from attnscope.torch_capture import capture
from benchmarks.timing import in_turn

RUNS = 7
TOKENS = (64, 256, 512)
LONG = 1024
MEGABYTE = 2**20


def model_of(**keys: Any) -> GPT2LMHeadModel:
    torch.manual_seed(0)
    return GPT2LMHeadModel._from_config(GPT2Config(), **keys).eval()


def peak() -> int:
    """Bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    eager, model = model_of(attn_implementation="eager").base_model, model_of()
    for n in TOKENS:
        ids = torch.arange(n)[None]

        def passed(ids: torch.Tensor = ids) -> None:
            with torch.no_grad():
                eager(ids, output_attentions=True, use_cache=False)

        def captured(ids: torch.Tensor = ids) -> None:
            capture(model, None, {"input_ids": ids, "use_cache": False}).arrays()

        for kind, clock in (("elapsed", time.perf_counter), ("processor", time.process_time)):
            theirs, ours = in_turn(RUNS, passed, captured, clock=clock)
            print(f"{n} tokens, {kind}: eager {1e3 * theirs:.0f} ms, capture {1e3 * ours:.0f} ms, "
                  f"{ours / theirs:.2f} × (budget 1.3)")  # fmt: skip


def memory(n: int, folder: Path | None) -> None:
    """Needs a fresh process."""
    model = model_of()
    with torch.no_grad():
        model.base_model(torch.arange(n)[None], use_cache=False)
    before = peak()
    inputs = {"input_ids": torch.arange(n)[None], "use_cache": False}
    captured = capture(model, None, inputs, folder=folder)
    more = (peak() - before) / MEGABYTE
    layers = [sum(one.nbytes for one in layer.values()) / MEGABYTE for layer in captured.layers]
    print(f"{n} tokens, {'a layer at a time to the disk' if folder else 'in memory'}: "
          f"arrays {sum(layers):.0f} MB, {more:.0f} MB more at the peak, "
          f"{more / sum(layers):.2f} × all (budget 2), "
          f"{more / layers[0]:.2f} × a layer's")  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:] == ["memory"]:
        memory(LONG, None)
    elif sys.argv[1:] == ["folder"]:
        with tempfile.TemporaryDirectory() as folder:
            memory(LONG, Path(folder))
    else:
        main()
