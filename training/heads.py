"""Head metrics on repeated random ids (Elhage et al. 2021; Olsson et al. 2022), from 0 to 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from training.opened import Run

SEGMENT = 32
ROWS = 16
SEED = 1_000  # used by no training


class Heads(NamedTuple):
    """[layer, head]: mean weight on the previous key, and on the key after the earlier copy;
    `copied`: share of predicted second copies."""

    previous: np.ndarray
    induction: np.ndarray
    copied: float

    @property
    def figures(self) -> dict[str, float]:
        best = {"previous": self.previous.max(), "induction": self.induction.max()}
        return {"copied": self.copied} | {name: float(value) for name, value in best.items()}

    @property
    def best(self) -> dict[str, list[int]]:
        return {
            "previous_head": strongest(self.previous),
            "induction_head": strongest(self.induction),
        }


def probe(vocabulary: int) -> np.ndarray:
    """[16, 64]: segments of 32 distinct ids, twice."""
    draw = np.random.default_rng(SEED)
    segments = [draw.choice(vocabulary, SEGMENT, replace=False) for _ in range(ROWS)]
    return np.tile(np.stack(segments), 2)


def measured(run: Run, vocabulary: int) -> Heads:
    ids = probe(vocabulary)
    weights, logits = run(ids)
    again = np.arange(SEGMENT, 2 * SEGMENT)  # queries of the second copy
    foreseen = logits[:, SEGMENT:-1].argmax(-1) == ids[:, SEGMENT + 1 :]
    return Heads(
        previous(weights),
        weights[..., again, again - SEGMENT + 1].mean((1, 3)),
        float(foreseen.mean()),
    )


def strongest(figures: np.ndarray) -> list[int]:
    """[layer, head]."""
    layer, head = np.unravel_index(figures.argmax(), figures.shape)
    return [int(layer), int(head)]


def previous(weights: np.ndarray) -> np.ndarray:
    """[layer, B, head, n, n] → [layer, head]."""
    rows = np.arange(1, weights.shape[-1])
    found: np.ndarray = weights[..., rows, rows - 1].mean((1, 3))
    return found
