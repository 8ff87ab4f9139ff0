"""A capture of GPT-2-small's sizes with random weights, beside the eager pass of transformers with
output_attentions, and the memory that it takes beside its arrays."""

from __future__ import annotations

import resource
import sys
from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from attnscope.torch_capture import capture
from benchmarks.timing import in_turn

RUNS = 7
TOKENS = (64, 256, 512)
MEGABYTE = 2**20


def model_of(**keys: Any) -> GPT2LMHeadModel:
    torch.manual_seed(0)
    return GPT2LMHeadModel._from_config(GPT2Config(), **keys).eval()


def peak() -> int:
    """Bytes of memory that this process had at most."""
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

        theirs, ours = in_turn(RUNS, passed, captured)
        print(f"{n} tokens: eager {1e3 * theirs:.0f} ms, capture {1e3 * ours:.0f} ms, "
              f"{ours / theirs:.2f} × (budget 1.3)")  # fmt: skip


def memory(n: int) -> None:
    """Of one capture, in a process that did nothing before it."""
    model = model_of()
    with torch.no_grad():
        model.base_model(torch.arange(n)[None], use_cache=False)
    before = peak()
    captured = capture(model, None, {"input_ids": torch.arange(n)[None], "use_cache": False})
    arrays = sum(one.nbytes for one in captured.arrays().values()) / MEGABYTE
    more = (peak() - before) / MEGABYTE
    print(f"{n} tokens: arrays {arrays:.0f} MB, {more:.0f} MB more at the peak, "
          f"{more / arrays:.2f} × (budget 2)")  # fmt: skip


if __name__ == "__main__":
    memory(1024) if sys.argv[1:] == ["memory"] else main()
