"""A checkpoint of GPT-2's sizes: a trace beside PyTorch's forward pass; start and memory of a
server."""

from __future__ import annotations

import json
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import torch
from threadpoolctl import threadpool_limits
from transformers import AutoModelForCausalLM

from attnscope.attention.attend import MAPS
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, Plan, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import answer
from benchmarks.served import MIB, Served
from benchmarks.timing import in_blocks
from tests.families.made import GPT2, checkpoint, gpt2_tensors

SIZES = {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12}
SHORT, LONG = "ab " * 21, "ab " * 170  # 63 and 510 tokens


def question(folder: Path, text: str) -> dict[str, Any]:
    return {"text": text, "model": {"source": "installed", "name": folder.name}}


def plan(folder: Path, text: str) -> Plan:
    asked = Question.model_validate(question(folder, text))
    return make_plan(asked, Limits(), lambda _: None, ModelRegistry(models_dir(), [folder]))


def beside_pytorch(folder: Path, text: str) -> str:
    """Of a long text only one layer's maps are computed; PyTorch returns none."""
    planned = plan(folder, text)
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    ids = torch.randint(0, 290, (1, planned.n))

    def ours() -> None:
        with threadpool_limits(1, "blas"):
            trace = answer(planned)
            if planned.remakes:
                _ = [trace.layers[5][name] for name in MAPS]

    mine, theirs = in_blocks(5, ours, lambda: model(ids, output_attentions=not planned.remakes))
    asked = "one layer's maps looked at" if planned.remakes else "every stage"
    return (
        f"{planned.n} tokens, {asked}: {mine:.2f} s beside {theirs:.2f} s, "
        f"ratio {mine / theirs:.2f} (budget 1.50)"
    )


def served(folder: Path, size: int) -> None:
    """Seconds and MB."""
    with tempfile.TemporaryDirectory() as home:
        begun = time.perf_counter()
        with Served(Path(home), ATTNSCOPE_MODELS=str(folder)) as server:
            up = time.perf_counter() - begun
            for text in (SHORT, LONG):
                begun = time.perf_counter()
                body = {**question(folder, text), "stages": ["weights"], "layers": [0]}
                sent_headers = {
                    "Accept": "application/x-safetensors",
                    "Content-Type": "application/json",
                }
                address = f"{server.url}/api/v1/attention"
                sent = urllib.request.Request(address, json.dumps(body).encode(), sent_headers)
                with urllib.request.urlopen(sent, timeout=120) as reply:
                    reply.read()
                taken, memory = time.perf_counter() - begun, server.resident() / MIB
                print(
                    f"a server that is up after {up:.1f} s: first weights in {taken:.2f} s, "
                    f"{memory:.0f} MB resident, {memory - size / MIB:.0f} beside the file"
                )


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "gpt2-sizes"
        config = {**GPT2, **SIZES}
        checkpoint(folder, config, gpt2_tensors(config))
        size = (folder / "model.safetensors").stat().st_size
        print(f"{size / MIB:.0f} MB of weights")
        served(folder, size)
        for text in (SHORT, LONG):
            print(beside_pytorch(folder, text))


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    main()
