"""Writes tests/golden/torch_cases.json: small questions, and what PyTorch makes of them.

    python -m tests.against_torch.make_golden

Run it in the environment of `make test-reference`, which has torch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from tests.against_torch.torch_attention import torch_stages
from tests.questions import ask, random_question

FILE = Path(__file__).parent.parent / "golden/torch_cases.json"
SEEDS = range(2000, 2020)


def case(seed: int) -> dict[str, Any]:
    """One question spelled out, and PyTorch's stages of its first layer."""
    body = random_question(seed, longest=4)
    stages = torch_stages(body, ask(body))
    return {
        "seed": seed,
        "torch": torch.__version__.partition("+")[0],
        "question": body,
        "stages": {name: array.tolist() for name, array in stages.items()},
    }


def main() -> None:
    lines = [json.dumps(case(seed), ensure_ascii=False) for seed in SEEDS]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
