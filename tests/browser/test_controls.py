"""Controls in a browser: the slider under the keys, and fields whose words are read whole."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has

# How much room an empty field leaves beside its placeholder, its padding and the browser's arrows.
ROOM = """(field) => {
  const { fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${fontSize} ${fontFamily}`;
  const arrows = 18;
  const words = pen.measureText(field.placeholder).width;
  return field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrows - words;
}"""


def test_options_are_set_in_the_drawer_and_the_slider_is_moved_and_undone_with_keys(
    explore: Explore,
) -> None:
    page = explore.page
    explore.ask(lambda: explore.field("heads").first.fill("2"))
    slider = page.get_by_role("slider")
    temperature = page.get_by_role("spinbutton", name="Temperature")
    slider.focus()
    for _ in range(2):  # one way of the slider is one step back, and the thumb goes with it
        for _ in range(3):
            slider.press("ArrowRight")
        expect(temperature).to_have_value("1.15")
        slider.press("Control+z")
        expect(temperature).to_have_value("1")
        expect(slider).to_have_value("0")
        address_has(page, "num_heads=2")
    body = explore.ask(lambda: slider.press("End"))
    assert body["temperature"] == 10
    explore.shows(body)
    explore.more()
    for name in ("key/value heads", "d_k", "d_v", "padded length"):
        field = explore.field(name)
        expect(field).to_have_attribute("placeholder", "automatic")
        assert field.evaluate(ROOM) >= 0, name
    body = explore.ask(lambda: explore.field("d_k").fill("8"))
    explore.shows(body, ["q", "weights"])
