"""Stages of one layer by name, stored or recomputed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float


class LayerStages(Mapping[str, np.ndarray]):
    @property
    def kept(self) -> Mapping[str, np.ndarray]:
        """Stages in memory."""
        return self

    @property
    def row_sums(self) -> Float[np.ndarray, "batch head row"]:
        sums: np.ndarray = self["weights"].sum(axis=-1)
        return sums

    def may_overflow(self) -> bool:
        """Whether a recomputed map may hold infinities or NaN."""
        return False

    def head(self, name: str, batch: int, head: int) -> Float[np.ndarray, "row col"]:
        """Maps of long texts support only shape and indexing."""
        one: np.ndarray = self[name][batch, head]
        return one

    def rows(self, name: str, batch: int, rows: slice) -> Float[np.ndarray, "head rows key"]:
        some: np.ndarray = self[name][batch][:, rows]
        return some


class StoredStages(dict[str, np.ndarray], LayerStages):
    """Stages that are all in memory."""
