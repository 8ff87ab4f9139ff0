"""Writes PyTorch's and transformers' figures: torch_cases, installed and families.json of
tests/golden.

    python -m tests.against_torch.make_golden

Run it in the environment of `make test-reference`.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
import transformers

from attnscope.resources import models_dir
from tests.against_torch.torch_attention import torch_stages
from tests.against_torch.torch_model import TorchModel
from tests.against_torch.transformers_model import run
from tests.families.asking import ask as ask_checkpoint
from tests.families.cases import CASES, made, short_text
from tests.golden.sentences import SENTENCES
from tests.questions import ask, random_question

FILE = Path(__file__).parent.parent / "golden/torch_cases.json"
INSTALLED = FILE.with_name("installed.json")
FAMILIES = FILE.with_name("families.json")
SEEDS = range(2000, 2020)


def case(seed: int) -> dict[str, Any]:
    """A question written out, and PyTorch's stages of its first layer."""
    body = random_question(seed, longest=4)
    stages = torch_stages(body, ask(body))
    return {
        "seed": seed,
        "torch": torch.__version__.partition("+")[0],
        "question": body,
        "stages": {name: array.tolist() for name, array in stages.items()},
    }


def installed(name: str) -> dict[str, Any]:
    """In float64: weights of each layer, last output, five likeliest tokens at each place."""
    model = TorchModel(models_dir() / name, "model.safetensors", torch.float64)
    layers, logits = model.stages(SENTENCES[name])
    best = logits.log_softmax(-1).topk(5)
    return {
        "name": name,
        "torch": torch.__version__.partition("+")[0],
        "weights": [_rounded(stages["weights"][0]) for stages in layers],
        "block_output": _rounded(layers[-1]["block_output"][0]),
        "likeliest": best.indices.tolist(),
        "log_probabilities": _rounded(best.values),
    }


def family(case: str, folder: Path) -> dict[str, Any]:
    """Weights of each layer, and logits of the last token, or its last row without head."""
    trace = ask_checkpoint(made(case, folder), short_text(case))
    tokens, pieces = trace.plan.words.tokens, trace.plan.model.pieces
    assert tokens is not None
    assert pieces is not None
    outputs = run(folder / case, pieces.ids, tokens)
    last = outputs.last[0, -1] if outputs.logits is None else outputs.logits[0, -1, ::10]
    return {
        "case": case,
        "transformers": transformers.__version__,
        "weights": [np.round(one[0], 7).tolist() for one in outputs.attentions],
        "last": np.round(last, 7).tolist(),
    }


def _rounded(tensor: torch.Tensor) -> Any:
    """float32 has no more decimals."""
    return torch.round(tensor, decimals=7).tolist()


def main() -> None:
    write(FILE, [case(seed) for seed in SEEDS])
    with TemporaryDirectory() as folder:
        write(FAMILIES, [family(case, Path(folder)) for case in CASES])
    write(INSTALLED, [installed(name) for name in SENTENCES if (models_dir() / name).is_dir()])


def write(file: Path, entries: list[dict[str, Any]]) -> None:
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
