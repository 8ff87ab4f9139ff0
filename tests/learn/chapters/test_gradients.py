"""Gradients: the caption names the colours of the ramp."""

from __future__ import annotations

from attnscope.web.pages.data import colors
from tests.test_repo import messages


def test_the_colour_of_a_rise_is_named_first() -> None:
    ramp = colors()["light"]["diverging"]
    red, _, blue = (int(ramp[-6:][at : at + 2], 16) for at in (0, 2, 4))
    assert blue > red  # the upper end
    for language, rise, fall in (("en", "Blue", "red"), ("zh", "蓝", "红")):
        caption = messages(language)["learn.gradients.figure.gradients"]
        assert 0 <= caption.find(rise) < caption.find(fall)
