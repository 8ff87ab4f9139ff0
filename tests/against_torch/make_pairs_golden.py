"""Writes tests/golden/pairs.json: small encoder-decoders by transformers.

    python -m tests.against_torch.make_pairs_golden

Run it in the environment of `make test-reference`.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import transformers

from tests.against_torch.make_golden import write
from tests.against_torch.seq2seq_model import run_pair
from tests.families.seq2seq_made import CASES, SHORT, ask_pair, made_pair

FILE = Path(__file__).parent.parent / "golden/pairs.json"


def pair(case: str, folder: Path) -> dict[str, Any]:
    """Weights in the order of `layers`, and logits of the last token, every tenth."""
    planned = ask_pair(made_pair(case, folder), **SHORT).plan
    pieces, context, words = planned.model.pieces, planned.context, planned.words
    assert pieces is not None
    assert context is not None
    outputs = run_pair(folder / case, pieces.ids, context.tokens or [], words.tokens or [])
    turns = [one for both in zip(outputs.own, outputs.cross, strict=True) for one in both]
    return {
        "case": case,
        "transformers": transformers.__version__,
        "weights": [np.round(one[0], 7).tolist() for one in (*outputs.encoder, *turns)],
        "last": np.round(outputs.logits[0, -1, ::10], 7).tolist(),
    }


def main() -> None:
    with TemporaryDirectory() as folder:
        write(FILE, [pair(case, Path(folder)) for case in CASES])


if __name__ == "__main__":
    main()
