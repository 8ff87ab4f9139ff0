"""A decoder by hand: the mask of its context is painted, and each layer has its own keys."""

from __future__ import annotations

from tests.browser.hands import Explore, middle, until

ADDRESS = (
    "/?source=seeded&text=Die%20Katze&context=The%20cat%20sat&block=decoder&num_layers=2&d_model=8"
)


def test_the_map_of_the_context_is_painted_and_the_layer_of_the_text_has_its_own(
    window: Explore,
) -> None:
    window.open(f"{ADDRESS}&layer=1&change=mask")
    picture = window.page.locator("[data-openness] canvas")
    picture.scroll_into_view_if_needed()
    window.page.mouse.click(*middle(picture, (1, 2), (2, 3)))
    closed = [[1, 1, 1], [1, 1, 0]]
    until(
        window.page,
        lambda: window.question().get("context_mask") == closed,
        "the mask of the context is painted",
    )
    window.shows(window.question(), ["masked_scores", "weights"], place=(1, 0, 0))
    window.head(0, 1).click()
    window.shows(window.question(), ["masked_scores", "weights"], place=(0, 1, 0))
