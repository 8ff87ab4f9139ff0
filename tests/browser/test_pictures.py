"""The pictures as a browser draws them: every pixel of every stage, hatched where it is masked."""

from __future__ import annotations

import numpy as np

from tests.browser.hands import SEEDED, STAGES, Explore
from tests.browser.pixels import stage_cells


def test_every_stage_is_drawn_from_its_numbers_and_nothing_is_loaded_from_elsewhere(
    window: Explore,
) -> None:
    response = window.page.goto(f"{window.url}{SEEDED}")
    assert response is not None
    policy = response.header_value("content-security-policy") or ""
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    window.settle()
    window.shows(window.question(), STAGES)
    hatches_masked_cells(window)
    body = window.ask(lambda: window.field("seed").fill("7"))
    window.shows(body, STAGES)
    kinds = {request.resource_type for request in window.watch.requests}
    assert kinds >= {"document", "script", "stylesheet", "fetch"}
    assert window.watch.refusals == []
    assert window.watch.troubles() == []


def hatches_masked_cells(explore: Explore) -> None:
    """A masked cell is not one colour, and unlike zero; an open one is one colour."""
    n = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0).shape[0]
    photo = explore.photograph(explore.canvas("weights"))
    zero = explore.colours("sequential")[0]

    def inside(row: int, col: int) -> np.ndarray:
        high, wide = photo.shape[0] / n, photo.shape[1] / n
        rows = slice(int(row * high) + 1, int((row + 1) * high) - 1)
        return photo[rows, int(col * wide) + 1 : int((col + 1) * wide) - 1].reshape(-1, 3)

    masked, opened = inside(2, 9), inside(9, 2)
    assert len(np.unique(masked, axis=0)) > 1, "a masked cell is a plain colour"
    assert len(np.unique(opened, axis=0)) == 1, "an open cell is not one colour"
    assert (np.abs(masked - zero).sum(axis=1) > 10).mean() > 0.1
    assert explore.seen("weights", n, n)[2, 9, 3] == 0
