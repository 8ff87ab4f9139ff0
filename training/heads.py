"""Head metrics on repeated random ids, between 0 and 1.

Elhage et al. 2021, "A mathematical framework for transformer circuits"; Olsson et al. 2022,
"In-context learning and induction heads", from which the probe of repeated random ids is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from training.opened import Run

SEGMENT = 32
ROWS = 16
SEED = 1_000  # used by no training


class Heads(NamedTuple):
    """For each head [layer, head]: the mean weight on the key before, and on the key after the
    earlier copy of the query's id; and the share of second copies that are predicted."""

    previous: np.ndarray
    induction: np.ndarray
    copied: float

    @property
    def figures(self) -> dict[str, float]:
        """The figures of the best heads."""
        best = {"previous": self.previous.max(), "induction": self.induction.max()}
        return {"copied": self.copied} | {name: float(value) for name, value in best.items()}

    @property
    def best(self) -> dict[str, list[int]]:
        """The best heads: layer and head."""
        return {
            "previous_head": strongest(self.previous),
            "induction_head": strongest(self.induction),
        }


def probe(vocabulary: int) -> np.ndarray:
    """Rows [16, 64]: a segment of 32 distinct ids, twice."""
    draw = np.random.default_rng(SEED)
    segments = [draw.choice(vocabulary, SEGMENT, replace=False) for _ in range(ROWS)]
    return np.tile(np.stack(segments), 2)


def measured(run: Run, vocabulary: int) -> Heads:
    """The figures of a model on the probe."""
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
    """Layer and head of the largest of figures [layer, head]."""
    layer, head = np.unravel_index(figures.argmax(), figures.shape)
    return [int(layer), int(head)]


def previous(weights: np.ndarray) -> np.ndarray:
    """[layer, B, head, n, n] → [layer, head]: the mean weight on key i − 1, of the rows i ≥ 1."""
    rows = np.arange(1, weights.shape[-1])
    found: np.ndarray = weights[..., rows, rows - 1].mean((1, 3))
    return found
