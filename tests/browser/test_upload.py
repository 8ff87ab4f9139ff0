"""A weights file is chosen or dropped in a real browser, and drawn; another one is refused."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from safetensors.numpy import save

from tests.browser.hands import Explore

DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const target = document.querySelector("main");
  return ["dragenter", "dragover", "drop"].map((type) => {
    const event = new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
    return !target.dispatchEvent(event);
  });
}"""
BENEATH = """(below) => {
  const { bottom } = document.querySelector("#options .refusal").getBoundingClientRect();
  return below.map((element) => element.getBoundingClientRect().top >= bottom - 1);
}"""


def weights_file(width: int = 6, **said: str) -> bytes:
    draw = np.random.default_rng(11)
    tensors = {f"w_{name}": draw.normal(size=(width, 4)) for name in "qkv"}
    return save({**tensors, "w_o": draw.normal(size=(4, width))}, metadata=said)


def drop(explore: Explore, name: str, content: bytes) -> list[bool]:
    """Whether the page takes it: as it is entered, while it is over the page, and once dropped."""
    given = [name, base64.b64encode(content).decode()]
    taken: list[bool] = explore.page.evaluate(DROP, given)
    return taken


def choose(explore: Explore, path: Path) -> None:
    with explore.page.expect_file_chooser() as chooser:
        explore.page.get_by_role("button", name="Choose a file…").first.click()
    chooser.value.set_files(path)


def four_matrices() -> bytes:
    """The file of the README, which does not say its number of heads."""
    draw = np.random.default_rng(0)
    file = io.BytesIO()
    np.savez(file, **{f"w_{name}": draw.normal(size=(64, 64)) / 8 for name in "qkvo"})  # type: ignore[arg-type]
    return file.getvalue()


def test_a_chosen_file_is_drawn_and_a_dropped_one_is_asked_for_its_heads(
    explore: Explore, tmp_path: Path
) -> None:
    page, pipeline = explore.page, explore.panel("Stages")
    (tmp_path / "small.safetensors").write_bytes(weights_file())
    explore.field("Model").select_option("uploaded")
    expect(page.get_by_text("No weights file yet.")).to_be_visible()
    expect(pipeline).to_have_css("opacity", "0.55")
    heads = explore.field("heads")
    heads.fill("2")
    explore.shows(explore.ask(lambda: choose(explore, tmp_path / "small.safetensors")))
    found = page.locator("#options .found")
    expect(found).to_contain_text("small.safetensors")
    assert not found.evaluate("(it) => it.scrollWidth > it.clientWidth"), "the line is read whole"
    expect(pipeline).to_have_css("opacity", "1")
    assert drop(explore, "weights.npz", four_matrices())[1:] == [True, True]
    expect(heads).to_be_focused()
    expect(pipeline).not_to_have_css("opacity", "1")
    beneath = page.locator("#pipeline, #tabs, #notice").evaluate_all(BENEATH)
    assert beneath == [True] * len(beneath), "what is said of the file covers nothing"
    heads.fill("8")
    body = explore.ask(lambda: heads.press("Enter"))
    assert explore.shows(body, ["q", "weights"])["shape"]["num_heads"] == 8
    expect(pipeline).to_have_css("opacity", "1")
    page.reload()
    explore.shows(body)
    expect(heads).to_have_value("8")
    expect(heads).not_to_be_editable()


@pytest.fixture
def phone(explore: Explore) -> Iterator[Explore]:
    wide = explore.page.viewport_size
    assert wide
    explore.page.set_viewport_size({"width": 420, "height": 800})
    yield explore
    explore.page.set_viewport_size(wide)


def test_a_narrow_page_unfolds_the_field_that_asks_and_a_refusal_is_closed(phone: Explore) -> None:
    expect(phone.summary).to_have_attribute("aria-expanded", "false")
    drop(phone, "weights.npz", four_matrices())
    expect(phone.summary).to_have_attribute("aria-expanded", "true")
    expect(phone.field("heads")).to_be_focused()
    phone.sentence.focus()
    drop(phone, "model.pt", b"\x80\x04\x95pickled")
    refusal = phone.page.locator("#notice, .refusal").filter(has_text="pickle")
    refusal.get_by_role("button", name="Close").focus()
    phone.page.keyboard.press("Enter")
    expect(refusal).to_have_count(0)
    expect(phone.sentence).to_be_focused()
